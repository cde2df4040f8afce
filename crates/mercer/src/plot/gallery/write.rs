//! The gallery as a folder of files.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::data::write_atomically;
use crate::error::{Error, Result};
use crate::run::Run;

use super::{Exhibit, gallery_page};

/// Writes an SVG and a PNG of each picture and the page `index.html` into a folder, which is made if it is not there;
/// returns their paths. Everything is drawn before anything is written, each file is written whole or not at all, and a
/// folder that was made for files that cannot be written is taken away again.
pub fn write_gallery(exhibits: &[Exhibit], folder: &Path, run: &Run) -> Result<Vec<PathBuf>> {
    let task = run.task("drawing", Some(exhibits.len() as u64 + 1));
    let mut files: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    for exhibit in exhibits {
        files.push((folder.join(format!("{}.svg", exhibit.name)), exhibit.figure.svg()?.into_bytes()));
        files.push((folder.join(format!("{}.png", exhibit.name)), exhibit.figure.png()?));
        task.step_or_cancel()?;
    }
    files.push((folder.join("index.html"), gallery_page(exhibits)?.into_bytes()));
    task.step_or_cancel()?;
    let made = !folder.exists();
    if made {
        fs::create_dir(folder).map_err(|e| Error::io(folder, e))?;
    }
    let written = files.iter().try_for_each(|(path, bytes)| {
        write_atomically(path, |out| out.write_all(bytes).map_err(|e| Error::io(path, e)))
    });
    if written.is_err() && made {
        // It holds nothing but our own files, and they are of no use without the others.
        let _ = fs::remove_dir_all(folder);
    }
    written?;
    Ok(files.into_iter().map(|(path, _)| path).collect())
}
