//! The `mercer` binary as a user meets it: help, answers, errors, exit codes.

mod answers;
mod checks;
mod clusters;
mod compares;
mod depends;
mod embeds;
mod errors;
#[cfg(target_os = "linux")]
mod faults;
mod files;
mod fits;
mod helps;
mod json;
mod learners;
mod limits;
mod machines;
mod models;
mod outputs;
mod pictures;
mod segments;
mod stops;
mod studies;
mod terminal;
mod tune;
mod wide;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

/// A folder of one test's own, removed when it is dropped. Commands run inside it.
pub struct Folder(PathBuf);

impl Folder {
    /// A fresh folder.
    pub fn fresh() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!("mercer-cli-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Folder(path)
    }

    /// The path of a file in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file into the folder.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).expect("a writable folder");
    }

    /// Names of the files in the folder, hidden ones included.
    pub fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).expect("the folder");
        let mut names: Vec<String> =
            entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// The binary, to be run in the folder.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mercer"));
        command.args(args).current_dir(&self.0).env_remove("COLUMNS").env_remove("NO_COLOR").stdin(Stdio::null());
        command
    }

    /// Runs the binary in the folder.
    pub fn run(&self, args: &[&str]) -> Done {
        Done::from(self.command(args).output().expect("the binary runs"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What a command left.
#[derive(Debug)]
pub struct Done {
    /// The exit code.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl From<Output> for Done {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        let code = output.status.code().expect("the process ended by itself");
        Done { code, out: text(output.stdout), err: text(output.stderr) }
    }
}

/// Runs the binary in an empty folder.
pub fn mercer(args: &[&str]) -> Done {
    Folder::fresh().run(args)
}

/// Standard output of a command that must succeed, as JSON.
pub fn json(args: &[&str]) -> serde_json::Value {
    let done = mercer(args);
    assert_eq!(done.code, 0, "{args:?}: {}", done.err);
    assert_eq!(done.err, "", "{args:?} talks beside JSON");
    serde_json::from_str(&done.out).expect("JSON")
}

/// Compares with the stored text, or stores it when `MERCER_BLESS` is set.
pub fn snapshot(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/snapshots").join(format!("{name}.txt"));
    if std::env::var_os("MERCER_BLESS").is_some() {
        std::fs::write(&path, text).expect("a writable snapshot");
        return;
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        stored == text,
        "{name} differs from its snapshot (MERCER_BLESS=1 stores it):\n{text}\n--- stored\n{stored}"
    );
}

/// A shipped data file, as it lies in the repository.
pub fn shipped_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../mercer/data").join(name)
}
