//! `mercer gallery`: every picture, on one page.

use std::path::Path;

use mercer::Error;
use mercer::data::check_writable;
use mercer::error::counted;
use mercer::plot::{Exhibit, gallery, write_gallery};
use mercer::report::{GalleryReport, Shown};

use crate::args::GalleryArgs;
use crate::context::Context;
use crate::exit::{Failure, Outcome};

/// Draws all pictures, then writes them.
pub fn run(args: &GalleryArgs, context: &Context) -> Outcome {
    check_folder(&args.folder, args.force)?;
    let (drawn, files) = context.interrupt.watch(|| {
        let drawn = gallery(&context.run)?;
        let files = write_gallery(&drawn, &args.folder, &context.run)?;
        Ok::<_, Error>((drawn, files))
    })?;
    let files: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
    if context.printer.is_json() {
        let pictures = drawn.iter().map(shown).collect();
        let folder = args.folder.display().to_string();
        return context.printer.out_json(&GalleryReport { folder, pictures, files });
    }
    let page = args.folder.join("index.html");
    context.printer.out(&format!("{}, shown by {}\n", counted(drawn.len(), "picture", "pictures"), page.display()))
}

fn shown(exhibit: &Exhibit) -> Shown {
    Shown {
        name: exhibit.name.into(),
        title: exhibit.title.into(),
        formula: exhibit.formula.into(),
        caption: exhibit.caption.clone(),
        made_by: exhibit.made_by.clone(),
    }
}

/// Fails if the folder holds files that nobody asked to be drawn over, or cannot be written to.
fn check_folder(folder: &Path, force: bool) -> Outcome {
    if folder.is_file() {
        let problem = "this is a file, not a folder".into();
        return Err(Error::Format { path: folder.into(), problem }.into());
    }
    if !folder.exists() {
        let above = folder.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if !above.is_dir() {
            let problem = format!("there is no folder `{}` to make `{}` in", above.display(), folder.display());
            return Err(Failure::usage(problem, "make the folder first, or choose another"));
        }
        return Ok(check_writable(folder)?);
    }
    let mut held = std::fs::read_dir(folder).map_err(|e| Error::io(folder, e))?;
    if !force && held.next().is_some() {
        let problem = format!("the folder `{}` is not empty", folder.display());
        return Err(Failure::usage(problem, "choose another, or draw into it with `--force`"));
    }
    Ok(check_writable(&folder.join("index.html"))?)
}
