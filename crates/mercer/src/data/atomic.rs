//! Files that are written whole or not at all.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

use super::temporary::{Temporary, sweep};

/// Writes `path` through `write`: into a temporary file of the same folder, which is flushed to
/// the disk and then takes the name. A failure leaves what was there before, and nothing else.
///
/// What is replaced hands on its permissions, and its owner where the system allows it. What is no plain file (a pipe,
/// `/dev/stdout`) is written directly; a link is followed.
pub fn write_atomically(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> Result<()>) -> Result<()> {
    let failed = |e| Error::io(path, e);
    // A link must stay a link, so its target is replaced.
    let path = &target(path);
    if fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir()) {
        let file = OpenOptions::new().write(true).open(path).map_err(failed)?;
        return finish(file, write, path).map(drop);
    }
    if path.is_dir() {
        return Err(Error::Format { path: path.clone(), problem: "this is a folder, not a file".into() });
    }
    let folder = folder(path);
    sweep(folder);
    let (temporary, file) = Temporary::beside(path, path.exists()).map_err(failed)?;
    let file = finish(file, write, path)?;
    if let Ok(before) = fs::metadata(path) {
        hand_on(&before, &file, &temporary.path).map_err(failed)?;
    }
    file.sync_all().map_err(failed)?;
    match fs::rename(&temporary.path, path) {
        Ok(()) => temporary.keep(),
        // A file that is mounted into a container cannot be replaced, only filled again.
        Err(e) if e.kind() == io::ErrorKind::ResourceBusy => refill(&temporary.path, path).map_err(failed)?,
        Err(e) => return Err(failed(e)),
    }
    sync_folder(folder);
    Ok(())
}

/// Fails if a file at `path` could not be written, without touching it: better said before the work than
/// after it.
pub fn check_writable(path: &Path) -> Result<()> {
    let failed = |e| Error::io(path, e);
    let path = &target(path);
    let (temporary, file) = Temporary::beside(path, true).map_err(failed)?;
    drop(file);
    replaceable(path, &temporary.path).map_err(failed)
}

/// The file that a name leads to, also over links to what is not there yet.
fn target(path: &Path) -> PathBuf {
    /// Links that lead to links; the system follows 40.
    const MOST_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            Ok(next) => path = folder(&path).join(next),
            Err(_) => break,
        }
    }
    fs::canonicalize(&path).unwrap_or(path)
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn finish(file: File, write: impl FnOnce(&mut BufWriter<File>) -> Result<()>, path: &Path) -> Result<File> {
    let mut out = BufWriter::with_capacity(1 << 20, file);
    write(&mut out)?;
    out.flush().map_err(|e| Error::io(path, e))?;
    out.into_inner().map_err(|e| Error::io(path, e.into_error()))
}

/// Whether the system would let a new file take this name: a folder may be open to all and still keep each user's files
/// from the others (as `/tmp` does), and a file may be marked as one that nobody changes.
#[cfg(unix)]
fn replaceable(path: &Path, own: &Path) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    const STICKY: u32 = 0o1000;
    let Ok(there) = fs::metadata(path) else { return Ok(()) };
    let (folder, me) = (fs::metadata(folder(path))?, fs::metadata(own)?.uid());
    if folder.mode() & STICKY != 0 && me != 0 && me != there.uid() && me != folder.uid() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    match OpenOptions::new().append(true).open(path) {
        Err(e) if e.raw_os_error() == Some(libc::EPERM) => Err(e),
        // Without permission to write into it a file can still be replaced, which `--force` asks for.
        _ => Ok(()),
    }
}

#[cfg(not(unix))]
fn replaceable(_: &Path, _: &Path) -> io::Result<()> {
    Ok(())
}

/// Gives a new file the owner and the permissions of the one it replaces. Who may read what was there may read what
/// takes its place, and nobody else: where the group cannot be kept, its members have the rights of all others.
#[cfg(unix)]
fn hand_on(before: &Metadata, file: &File, _: &Path) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let own = file.metadata()?;
    let mut mode = before.mode() & 0o7777;
    if own.uid() != before.uid() {
        // Only root can give files away.
        let _ = fchown(file, Some(before.uid()), None);
    }
    if own.gid() != before.gid() && fchown(file, None, Some(before.gid())).is_err() {
        mode = mode & !0o070 | (mode & 0o007) << 3;
    }
    // A change of owner takes some bits away, so the mode is set last.
    file.set_permissions(fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn hand_on(before: &Metadata, _: &File, path: &Path) -> io::Result<()> {
    fs::set_permissions(path, before.permissions())
}

/// Copies a whole file over another that must keep its place.
fn refill(from: &Path, to: &Path) -> io::Result<()> {
    let mut out = OpenOptions::new().write(true).truncate(true).open(to)?;
    io::copy(&mut File::open(from)?, &mut out)?;
    out.sync_all()
}

/// Makes the new name last through a crash; not every system can, and the file is whole anyway.
fn sync_folder(folder: &Path) {
    let _ = File::open(folder).and_then(|f| f.sync_all());
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};

    fn folder(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("mercer-atomic-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        path
    }

    fn put(path: &Path, text: &str) {
        write_atomically(path, |out| out.write_all(text.as_bytes()).map_err(|e| Error::io(path, e))).expect("written");
    }

    #[test]
    fn modes_and_owners_stay() {
        let folder = folder("owner");
        let path = folder.join("f");
        put(&path, "one");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("ours");
        // Only root may give a file away; for others, the mode is what there is to see.
        let given = chown(&path, Some(12345), Some(54321)).is_ok();
        put(&path, "two");
        let found = fs::metadata(&path).expect("there");
        assert_eq!(found.mode() & 0o7777, 0o640);
        assert!(!given || (found.uid(), found.gid()) == (12345, 54321));
        assert_eq!(fs::read_dir(&folder).expect("the folder").count(), 1);
        fs::remove_dir_all(folder).expect("ours");
    }

    /// The link was replaced by a file.
    #[test]
    fn links_stay_links_also_to_what_is_not_there() {
        let folder = folder("links");
        symlink("target", folder.join("link")).expect("a link");
        put(&folder.join("link"), "one");
        assert!(folder.join("link").is_symlink());
        assert_eq!(fs::read_to_string(folder.join("target")).expect("there"), "one");
        fs::remove_dir_all(folder).expect("ours");
    }

    /// A failure of the writer removed nothing that it had not made, and left nothing.
    #[test]
    fn a_failure_leaves_what_was_there() {
        let folder = folder("failure");
        let path = folder.join("f");
        put(&path, "one");
        let failed = write_atomically(&path, |_| Err(Error::invalid("a", "b", 1, "c")));
        assert!(failed.is_err());
        assert_eq!(fs::read_to_string(&path).expect("there"), "one");
        assert_eq!(fs::read_dir(&folder).expect("the folder").count(), 1);
        fs::remove_dir_all(folder).expect("ours");
    }
}
