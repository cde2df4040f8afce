//! Files that a command is going to write, looked at before any work.
//!
//! An output is never an input, whatever it is called: a link, a hard link, another spelling, standard
//! input. What is there already is replaced without being asked only if it carries Mercer's mark, a model
//! by a model and a picture by a picture; everything else takes `--force`.

use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use mercer::Error;
use mercer::data::check_writable;
use mercer::kernel::Registry;
use mercer::model::pipeline::Pipeline;

use crate::context::Context;
use crate::exit::{Failure, Outcome};
use crate::load::STREAM;

/// What a file is going to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A model file.
    Model,
    /// An SVG or a PNG.
    Picture,
    /// An HTML page.
    Page,
    /// A table, a matrix or a model of another program, in formats that have no place for a mark.
    Table,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Kind::Model => "model",
            Kind::Picture => "picture",
            Kind::Page => "page",
            Kind::Table => "table",
        }
    }

    /// Whether a file that begins so is one of Mercer's own of this kind.
    fn is_own(self, beginning: &[u8]) -> bool {
        match self {
            Kind::Model => mercer::save::is_own(beginning),
            Kind::Picture => mercer::plot::is_own(beginning),
            Kind::Page => mercer::plot::is_own_page(beginning),
            Kind::Table => false,
        }
    }
}

/// A file to be written.
#[derive(Clone, Copy, Debug)]
pub struct Output<'a> {
    /// The option that names it.
    pub option: &'static str,
    /// Its path.
    pub path: &'a Path,
    /// What is going to be in it.
    pub kind: Kind,
}

/// Fails if one of the outputs is an input or another output, if it stands for a file that is not to be
/// replaced, or if it cannot be written. `-` is standard output for tables.
pub fn check(outputs: &[Output<'_>], inputs: &[&Path], force: bool) -> Outcome {
    let read: Vec<(&Path, Identity)> =
        inputs.iter().filter_map(|name| Identity::of(input_path(name)).map(|own| (*name, own))).collect();
    let mut seen: Vec<(&str, Identity)> = Vec::new();
    for output in outputs {
        if output.path == Path::new(STREAM) {
            output.check_stream()?;
            continue;
        }
        let identity = Identity::of(output.path).unwrap_or_else(|| Identity::absent(output.path));
        if let Some((name, _)) = read.iter().find(|(_, own)| *own == identity) {
            return Err(output.is_input(name));
        }
        if let Some((other, _)) = seen.iter().find(|(_, own)| *own == identity) {
            let problem = format!("{} and {other} both want `{}`", output.quoted(), output.path.display());
            return Err(Failure::usage(problem, "give each a file of its own"));
        }
        output.check_place(force)?;
        seen.push((output.option, identity));
    }
    Ok(())
}

impl Output<'_> {
    fn quoted(&self) -> String {
        format!("`{}`", self.option)
    }

    fn check_stream(&self) -> Outcome {
        match self.kind {
            Kind::Table => Ok(()),
            kind => Err(Failure::usage(
                format!("a {} is written to a file, not to standard output", kind.word()),
                format!("give {} a name", self.quoted()),
            )),
        }
    }

    fn is_input(&self, name: &Path) -> Failure {
        let same = match name {
            name if name == self.path => String::new(),
            name if name == Path::new(STREAM) => " (as standard input)".to_owned(),
            name => format!(" (as `{}`)", name.display()),
        };
        Failure::usage(
            format!("`{}` is read{same}, and an output never replaces an input", self.path.display()),
            format!("choose another name for {}", self.quoted()),
        )
    }

    /// Fails unless the file can be written, and what is there may go.
    fn check_place(&self, force: bool) -> Outcome {
        match std::fs::metadata(self.path) {
            Err(e) if e.kind() == ErrorKind::NotFound => self.check_folder(),
            Err(e) => Err(Error::io(self.path, e).into()),
            Ok(found) if found.is_dir() => {
                let problem = "this is a folder, not a file".into();
                Err(Error::Format { path: self.path.into(), problem }.into())
            }
            Ok(found) if found.is_file() => self.check_file(&found, force),
            Ok(found) if is_block_device(&found) && !force => Err(self.taken("is a disk")),
            // A pipe or a terminal takes what it is given.
            Ok(_) => Ok(()),
        }
    }

    fn check_folder(&self) -> Outcome {
        let folder = self.path.parent().filter(|p| !p.as_os_str().is_empty());
        if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
            return Err(Error::Data {
                path: self.path.into(),
                line: None,
                column: None,
                problem: format!("there is no folder `{}` to write to", folder.display()),
                hint: Some("make the folder first, or choose another".into()),
            }
            .into());
        }
        Ok(check_writable(self.path)?)
    }

    fn check_file(&self, found: &Metadata, force: bool) -> Outcome {
        if !force && found.permissions().readonly() {
            return Err(self.taken("is there already and may not be written to"));
        }
        // An empty file holds nothing that could be lost.
        if !force && found.len() > 0 && !self.is_own()? {
            return Err(match self.kind {
                Kind::Table => self.taken("is there already"),
                kind => self.taken(&format!("is there already and is no {} of Mercer", kind.word())),
            });
        }
        Ok(check_writable(self.path)?)
    }

    fn taken(&self, why: &str) -> Failure {
        let hint = format!("choose another name for {}, or replace it with `--force`", self.quoted());
        Failure::usage(format!("`{}` {why}", self.path.display()), hint)
    }

    /// Whether the file carries the mark of what is to replace it.
    fn is_own(&self) -> Outcome<bool> {
        const ENOUGH: u64 = 4096;
        let mut beginning = Vec::new();
        let read = File::open(self.path).and_then(|file| file.take(ENOUGH).read_to_end(&mut beginning));
        match read {
            Ok(_) => Ok(self.kind.is_own(&beginning)),
            Err(e) => Err(Error::io(self.path, e).into()),
        }
    }
}

/// Saves a model and answers where it is. One that was stopped early takes the place of a finished one only where that was
/// asked for; else it is saved beside it, as `m.stopped.mercer`.
pub fn save_model(pipeline: &Pipeline, path: &Path, force: bool, context: &Context) -> Outcome<PathBuf> {
    let free = pipeline.is_complete() || force || !holds_finished(path, context);
    let chosen = if free { path.to_owned() } else { beside(path, context) };
    pipeline.save(&chosen)?;
    if !free {
        let (there, own) = (path.display(), chosen.display());
        context.printer.warn(&format!(
            "`{there}` holds a finished model and stays; the one that was stopped early is `{own}` (`--force` replaces)"
        ));
    }
    Ok(chosen)
}

/// Whether a file is a model that was not stopped, or one that only another version can read.
fn holds_finished(path: &Path, context: &Context) -> bool {
    let holds = std::fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() > 0);
    let run = context.run.without_stops();
    holds && Pipeline::load(path, &Registry::new(), &run).map_or(true, |there| there.is_complete())
}

/// A name for a model that was stopped: the first that is free, or holds another such model.
fn beside(path: &Path, context: &Context) -> PathBuf {
    let named = |i: usize| match i {
        1 => path.with_extension("stopped.mercer"),
        _ => path.with_extension(format!("stopped-{i}.mercer")),
    };
    (1..).map(named).find(|name| !holds_finished(name, context)).unwrap_or_else(|| named(1))
}

/// What a path leads to.
#[derive(Debug, PartialEq)]
enum Identity {
    /// A file, by its place on a device.
    #[cfg(unix)]
    Inode(u64, u64),
    /// A path without links.
    Path(PathBuf),
}

impl Identity {
    /// Of what is there; nothing for terminals and the like, which can be read and written at once.
    fn of(path: &Path) -> Option<Self> {
        let found = std::fs::metadata(path).ok()?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::{FileTypeExt, MetadataExt};
            (!found.file_type().is_char_device()).then(|| Identity::Inode(found.dev(), found.ino()))
        }
        #[cfg(not(unix))]
        {
            found.is_file().then(|| std::fs::canonicalize(path).ok().map(Identity::Path)).flatten()
        }
    }

    /// Of a file that is going to be: its name in its folder.
    fn absent(path: &Path) -> Self {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        Identity::Path(folder.join(path.file_name().unwrap_or_default()))
    }
}

/// Where an input stands.
fn input_path(name: &Path) -> &Path {
    if name == Path::new(STREAM) { Path::new("/dev/stdin") } else { name }
}

#[cfg(unix)]
fn is_block_device(found: &Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_block_device(&found.file_type())
}

#[cfg(not(unix))]
fn is_block_device(_: &Metadata) -> bool {
    false
}
