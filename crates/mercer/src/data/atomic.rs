//! Files that are written whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Result};

/// Writes `path` through `write`: into a temporary file of the same folder, which is flushed to
/// the disk and then takes the name. A failure leaves what was there before, and nothing else.
///
/// What is no plain file (a pipe, `/dev/stdout`) is written directly; a link is followed.
pub fn write_atomically(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> Result<()>) -> Result<()> {
    let failed = |e| Error::io(path, e);
    // A link must stay a link, so its target is replaced.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir()) {
        let file = OpenOptions::new().write(true).open(path).map_err(failed)?;
        return finish(file, write, path).map(drop);
    }
    if path.is_dir() {
        return Err(Error::Format { path: path.clone(), problem: "this is a folder, not a file".into() });
    }
    let temporary = Temporary::beside(path);
    let file = OpenOptions::new().write(true).create_new(true).open(&temporary.path).map_err(failed)?;
    let file = finish(file, write, path)?;
    // Who may read what was there may read what takes its place, and nobody else.
    if let Ok(before) = fs::metadata(path) {
        fs::set_permissions(&temporary.path, before.permissions()).map_err(failed)?;
    }
    file.sync_all().map_err(failed)?;
    drop(file);
    fs::rename(&temporary.path, path).map_err(failed)?;
    sync_folder(path);
    Ok(())
}

/// Fails if a file at `path` could not be written, without touching it: better said before the work than
/// after it.
pub fn check_writable(path: &Path) -> Result<()> {
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let temporary = Temporary::beside(path);
    OpenOptions::new().write(true).create_new(true).open(&temporary.path).map(drop).map_err(|e| Error::io(path, e))
}

fn finish(file: File, write: impl FnOnce(&mut BufWriter<File>) -> Result<()>, path: &Path) -> Result<File> {
    let mut out = BufWriter::with_capacity(1 << 20, file);
    write(&mut out)?;
    out.flush().map_err(|e| Error::io(path, e))?;
    out.into_inner().map_err(|e| Error::io(path, e.into_error()))
}

/// Makes the new name last through a crash; not every system can, and the file is whole anyway.
fn sync_folder(path: &Path) {
    if let Some(folder) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
        let _ = File::open(folder).and_then(|f| f.sync_all());
    }
}

/// A file that is removed unless it got another name.
struct Temporary {
    path: PathBuf,
}

impl Temporary {
    fn beside(path: &Path) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        // A name may be as long as the system allows; its temporary neighbour must not be longer.
        let name = path.file_name().map(|n| n.to_string_lossy().chars().take(40).collect::<String>());
        let name = name.unwrap_or_default();
        let unique = NEXT.fetch_add(1, Ordering::Relaxed);
        Temporary { path: path.with_file_name(format!(".{name}.{}-{unique}.tmp", std::process::id())) }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // After the rename there is nothing of this name, which is what is wanted.
        let _ = fs::remove_file(&self.path);
    }
}
