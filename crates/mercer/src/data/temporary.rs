//! Files on their way to another name: how they are called, who owns them, and what becomes of those whose writer died.
//!
//! A name holds a number by chance, since process numbers repeat: in every container the first is 1. While a writer
//! lives it holds a lock on its file, which the system takes back with the process, however that ends, and which is seen
//! from every container of the machine. So a file without a lock has no writer, and is swept after an hour.

use std::collections::hash_map::RandomState;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

/// What the names of temporary files have before and behind their number of sixteen digits.
const BEFORE: &str = ".mercer-";
const BEHIND: &str = ".tmp";
const DIGITS: usize = 16;

/// Bytes of the final name that the temporary one begins with, for people who find it.
const SHOWN: usize = 40;

/// Times that another name is tried where one is taken.
const TRIES: usize = 16;

/// Time without a write after which a file without a lock is swept. A lock alone does not tell: a file has none for the
/// instant after it was made, and on some network file systems machines do not see each other's.
const LEFT_OVER: Duration = Duration::from_secs(3600);

/// Entries of a folder that are looked at for left-overs.
const LOOKED_AT: usize = 20_000;

/// Files of this process that have no final name yet. A process that ends at once removes them here, as nothing else of
/// it runs any more.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes the temporary files of all writers of this process, which then make no others: for a process that ends without
/// waiting for them.
pub fn remove_unfinished() {
    // Whoever holds the list may be the thread that was stopped, so nobody waits for long.
    for _ in 0..10 {
        if let Ok(mut paths) = UNFINISHED.try_lock() {
            paths.drain(..).for_each(|path| drop(fs::remove_file(path)));
            // Kept for good: what is made from here on would stay.
            std::mem::forget(paths);
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A file of this process that is removed unless it gets another name.
#[derive(Debug)]
pub(super) struct Temporary {
    pub(super) path: PathBuf,
}

impl Temporary {
    /// A new file beside `path`, open and locked. `private` keeps it from others until its permissions are set.
    pub(super) fn beside(path: &Path, private: bool) -> io::Result<(Self, File)> {
        let mut tries = 0;
        loop {
            tries += 1;
            let own = path.with_file_name(name(path.file_name().unwrap_or_default()));
            match created(&own, private) {
                Ok(Some(file)) => return Ok((Temporary { path: own }, file)),
                Ok(None) if tries < TRIES => {}
                Ok(None) => return Err(io::ErrorKind::AlreadyExists.into()),
                Err(e) => return Err(e),
            }
        }
    }

    /// The file has its final name, or there is nothing to remove.
    pub(super) fn keep(self) {
        forget(&self.path);
        std::mem::forget(self);
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
        forget(&self.path);
    }
}

/// Makes and locks a file; nothing if the name is taken, or was swept in the instant before the lock.
fn created(path: &Path, private: bool) -> io::Result<Option<File>> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if private {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    #[cfg(not(unix))]
    let _ = private;
    // A process that ends meanwhile waits for the list.
    let mut list = unfinished();
    let file = match options.open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => return Ok(None),
        Err(e) => return Err(e),
    };
    // Where there are no locks, left-overs stay; the file is as good.
    let _ = file.try_lock();
    if !path.exists() {
        return Ok(None);
    }
    list.push(path.to_owned());
    Ok(Some(file))
}

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(|e| e.into_inner())
}

fn forget(path: &Path) {
    unfinished().retain(|other| other != path);
}

/// A hidden name that tells the final one, with a number by chance.
fn name(last: &OsStr) -> String {
    let text = last.to_string_lossy();
    let end = (0..=SHOWN.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    let shown = &text[..end];
    // The keys of a fresh state come from the system, and differ between processes.
    let number = RandomState::new().build_hasher().finish();
    format!(".{shown}{BEFORE}{number:0DIGITS$x}{BEHIND}")
}

fn is_temporary(name: &str) -> bool {
    let number = name.strip_prefix('.').and_then(|n| n.strip_suffix(BEHIND)).and_then(|n| n.rsplit_once(BEFORE));
    number.is_some_and(|(_, n)| n.len() == DIGITS && n.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')))
}

/// Removes what dead writers left in a folder; what cannot be looked at stays.
pub(super) fn sweep(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.take(LOOKED_AT).flatten() {
        if entry.file_name().to_str().is_some_and(is_temporary) && is_left_over(&entry.path()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether a file has not been written for long and has no living writer.
fn is_left_over(path: &Path) -> bool {
    let Ok(found) = fs::symlink_metadata(path) else { return false };
    let age = found.modified().ok().and_then(|written| written.elapsed().ok());
    if !found.is_file() || age.is_none_or(|age| age < LEFT_OVER) {
        return false;
    }
    // To be asked for a lock, some systems want a file that is open for writing.
    let Ok(file) = OpenOptions::new().append(true).open(path) else { return false };
    match file.try_lock() {
        Ok(()) => true,
        Err(TryLockError::WouldBlock | TryLockError::Error(_)) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    fn folder(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("mercer-temporary-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        path
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("the folder");
        let mut names: Vec<String> =
            entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn names_differ_and_are_known_again() {
        let (a, b) = (name(OsStr::new("m.mercer")), name(OsStr::new("m.mercer")));
        assert!(a != b && is_temporary(&a) && is_temporary(&b), "{a} {b}");
        let long = name(OsStr::new(&"é".repeat(127)));
        assert!(long.len() <= 80 && is_temporary(&long), "{long}");
        for other in
            [".m.csv.tmp", "m.mercer-0123456789abcdef.tmp", ".m.mercer-0123.tmp", ".m.mercer-0123456789abcdeg.tmp"]
        {
            assert!(!is_temporary(other), "{other}");
        }
    }

    /// Two containers with the same process number made the same name, and both lost their work.
    #[test]
    fn only_left_overs_without_a_writer_are_swept() {
        let folder = folder("sweep");
        let old = SystemTime::now() - 2 * LEFT_OVER;
        let make = |name: &str, time: Option<SystemTime>| {
            let file = File::create(folder.join(name)).expect("made");
            if let Some(time) = time {
                file.set_modified(time).expect("set");
            }
            file
        };
        drop(make(".dead.mercer-0000000000000001.tmp", Some(old)));
        drop(make(".young.mercer-0000000000000002.tmp", None));
        drop(make(".own.tmp", Some(old)));
        let living = make(".slow.mercer-0000000000000003.tmp", Some(old));
        living.try_lock().expect("locked");
        sweep(&folder);
        let left = [".own.tmp", ".slow.mercer-0000000000000003.tmp", ".young.mercer-0000000000000002.tmp"];
        assert_eq!(names(&folder), left);
        drop(living);
        sweep(&folder);
        assert_eq!(names(&folder), [left[0], left[2]]);
        fs::remove_dir_all(folder).expect("ours");
    }

    #[test]
    fn what_has_no_name_yet_is_removed_on_request_and_when_dropped() {
        let folder = folder("drop");
        let (first, _) = Temporary::beside(&folder.join("a"), false).expect("made");
        drop(first);
        assert!(names(&folder).is_empty());
        let (second, _) = Temporary::beside(&folder.join("b"), true).expect("made");
        assert!(unfinished().contains(&second.path));
        drop(second);
        fs::remove_dir_all(folder).expect("ours");
    }
}
