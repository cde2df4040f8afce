//! A stream of bytes with a name: gzip is undone here, and the first bytes can be looked at.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use crate::error::{Error, Result, human_bytes};

use super::watch::{BLOCK, Watch};

/// How many bytes are looked at to tell formats apart.
const HEAD: u64 = 8192;

/// The first bytes of a gzip stream.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// A named stream whose first bytes are known.
pub(super) struct Source<'a> {
    pub(super) path: PathBuf,
    head: Vec<u8>,
    reader: Box<dyn Read + 'a>,
    /// Bytes there are in all, where the system tells; never known under gzip.
    pub(super) len: Option<u64>,
    gzip: bool,
    /// Bytes that a packed stream may unpack to.
    limit: u64,
}

/// A packed stream that fails once it has unpacked to more than its limit.
struct Bounded<R> {
    reader: R,
    left: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.reader.read(buffer)?;
        self.left = self.left.checked_sub(n as u64).ok_or(io::ErrorKind::FileTooLarge)?;
        Ok(n)
    }
}

impl<'a> Source<'a> {
    /// Opens a file.
    pub(super) fn open(path: &Path, limit: u64) -> Result<Source<'static>> {
        let file = File::open(path).map_err(|e| Error::io(path, e))?;
        let meta = file.metadata().map_err(|e| Error::io(path, e))?;
        if meta.is_dir() {
            return Err(Error::Format { path: path.into(), problem: "this is a folder, not a file".into() });
        }
        let len = meta.is_file().then_some(meta.len());
        let reader = BufReader::with_capacity(1 << 16, file);
        Source::plain(reader, path.into(), len, limit)?.unpacked()
    }

    /// Wraps a stream, undoing gzip.
    pub(super) fn new(reader: impl Read + 'a, path: PathBuf, limit: u64) -> Result<Self> {
        Source::plain(reader, path, None, limit)?.unpacked()
    }

    /// Wraps what comes out of an archive: it may not grow without bounds either.
    pub(super) fn member(reader: impl Read + 'a, path: PathBuf, limit: u64) -> Result<Self> {
        Source::plain(Bounded { reader, left: limit }, path, None, limit)
    }

    fn plain(reader: impl Read + 'a, path: PathBuf, len: Option<u64>, limit: u64) -> Result<Self> {
        Source { path, head: Vec::new(), reader: Box::new(reader), len, gzip: false, limit }.peeked()
    }

    fn unpacked(self) -> Result<Self> {
        if !self.head.starts_with(&GZIP) {
            return Ok(self);
        }
        let Source { path, head, reader, limit, .. } = self;
        let reader = MultiGzDecoder::new(BufReader::new(Cursor::new(head).chain(reader)));
        let reader = Box::new(Bounded { reader, left: limit });
        Source { path, head: Vec::new(), reader, len: None, gzip: true, limit }.peeked()
    }

    fn peeked(mut self) -> Result<Self> {
        let mut head = Vec::new();
        let result = self.reader.by_ref().take(HEAD).read_to_end(&mut head);
        result.map_err(|e| self.error(e))?;
        self.head = head;
        Ok(self)
    }

    /// The first bytes, at most 8192 of them.
    pub(super) fn head(&self) -> &[u8] {
        &self.head
    }

    /// Whether there is nothing at all.
    pub(super) fn is_empty(&self) -> bool {
        self.head.is_empty()
    }

    /// Everything, from the first byte.
    pub(super) fn bytes(mut self, watch: &Watch<'_>) -> Result<Vec<u8>> {
        let mut bytes = std::mem::take(&mut self.head);
        watch.hold(bytes.len())?;
        let left = self.len.unwrap_or(0).min(watch.run().memory_left());
        bytes.reserve_exact(usize::try_from(left).unwrap_or(0));
        loop {
            watch.step()?;
            let result = self.reader.by_ref().take(BLOCK as u64).read_to_end(&mut bytes);
            match result.map_err(|e| self.error(e))? {
                0 => return Ok(bytes),
                read => watch.hold(read)?,
            }
        }
    }

    /// Fills `buffer` as far as the stream goes, and says how far.
    pub(super) fn fill(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let mut filled = self.head.len().min(buffer.len());
        buffer[..filled].copy_from_slice(&self.head[..filled]);
        self.head.drain(..filled);
        while filled < buffer.len() {
            match self.reader.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(n) => filled += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(self.error(e)),
            }
        }
        Ok(filled)
    }

    /// An error of the format, not of the system.
    pub(super) fn format_error(&self, problem: impl Into<String>) -> Error {
        Error::Format { path: self.path.clone(), problem: problem.into() }
    }

    /// A read that failed: the system's fault, or a damaged gzip stream.
    fn error(&self, e: io::Error) -> Error {
        match e.kind() {
            io::ErrorKind::FileTooLarge => too_large(&self.path, self.limit),
            io::ErrorKind::UnexpectedEof if self.gzip => {
                self.format_error("the gzip stream ends too early: the file is truncated; copy or download it again")
            }
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData if self.gzip => {
                self.format_error(format!("the gzip stream is damaged ({e}); copy or download the file again"))
            }
            _ => Error::io(&self.path, e),
        }
    }
}

/// The error of a file that unpacks to more than its limit.
pub(super) fn too_large(path: &Path, limit: u64) -> Error {
    Error::Data {
        path: path.into(),
        line: None,
        column: None,
        problem: format!("the file unpacks to more than {}", human_bytes(limit.into())),
        hint: Some("read a part of it, or raise `max_bytes` if there is memory for it".into()),
    }
}
