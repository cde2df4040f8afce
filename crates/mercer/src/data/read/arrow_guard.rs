//! Sizes an Arrow file claims, checked before anything is allocated for them.
//!
//! The Arrow reader allocates what a message's lengths say, and an allocation that fails ends the
//! process: no `catch_unwind` helps. So every message is looked at here first.

use arrow_ipc::{Message, RecordBatch, root_as_footer, root_as_message};

/// The most that zstd or LZ4 can shrink: zstd packs a block of 128 KiB into 4 bytes.
const LARGEST_RATIO: u64 = 1 << 16;

/// What is said of a batch that is larger than there is memory for.
pub(super) const ROWS: &str = "a batch claims more rows than there is memory for";
pub(super) const BYTES: &str = "a batch unpacks to more than there is memory for";

/// What is wrong with the sizes, if anything.
type Checked = Result<(), &'static str>;

/// What a batch may have.
#[derive(Clone, Copy)]
pub(super) struct Most {
    /// Rows, which a column of nulls has no buffer to vouch for.
    pub(super) rows: u64,
    /// Bytes of all its buffers, unpacked.
    pub(super) bytes: u64,
}

/// Checks every message of a file, found through its footer.
pub(super) fn file(bytes: &[u8], most: Most) -> Checked {
    // The file ends with the footer, its length in 4 bytes, and the mark of 6.
    let end = bytes.len().checked_sub(10).ok_or("it is too short")?;
    let length = number(bytes, end).ok_or("the footer is missing")?;
    let start = end.checked_sub(length).ok_or("the footer is longer than the file")?;
    let footer = root_as_footer(&bytes[start..end]).map_err(|_| "the footer makes no sense")?;
    let blocks = footer.recordBatches().into_iter().flatten().chain(footer.dictionaries().into_iter().flatten());
    for block in blocks {
        let (offset, meta) = (size(block.offset())?, size(i64::from(block.metaDataLength()))?);
        let body = offset.checked_add(meta).ok_or("a block lies outside the file")?;
        let stop = body.checked_add(size(block.bodyLength())?).ok_or("a block lies outside the file")?;
        let part = bytes.get(body..stop).ok_or("a block lies outside the file")?;
        let (message, _) = message(bytes, offset)?.ok_or("a message is missing")?;
        check(&message, part, most)?;
    }
    Ok(())
}

/// Checks every message of a stream, one after the other.
pub(super) fn stream(bytes: &[u8], most: Most) -> Checked {
    let mut at = 0;
    while let Some((message, body)) = message(bytes, at)? {
        let length = size(message.bodyLength())?;
        at = body.checked_add(length).ok_or("a message lies outside the stream")?;
        let part = bytes.get(body..at).ok_or("a message is longer than the stream: it is truncated")?;
        check(&message, part, most)?;
    }
    Ok(())
}

/// The message at this place and where its body begins; `None` at the end of the stream.
fn message(bytes: &[u8], at: usize) -> Result<Option<(Message<'_>, usize)>, &'static str> {
    let Some(first) = bytes.get(at..at.saturating_add(4)) else { return Ok(None) };
    // Since Arrow 0.15 a mark stands before the length.
    let at = if first == [0xff; 4] { at + 4 } else { at };
    let length = number(bytes, at).ok_or("a message has no length")?;
    if length == 0 {
        return Ok(None);
    }
    let body = (at + 4).checked_add(length).ok_or("a message is longer than the file")?;
    let meta = bytes.get(at + 4..body).ok_or("a message is longer than the file: it is truncated")?;
    root_as_message(meta).map(|m| Some((m, body))).map_err(|_| "a message makes no sense")
}

/// Checks the number of rows, and the packed buffers, which begin with the length they unpack to.
fn check(message: &Message<'_>, body: &[u8], most: Most) -> Checked {
    let dictionary = || message.header_as_dictionary_batch().and_then(|d| d.data());
    let batch: Option<RecordBatch<'_>> = message.header_as_record_batch().or_else(dictionary);
    if batch.is_some_and(|b| u64::try_from(b.length()).is_ok_and(|rows| rows > most.rows)) {
        return Err(ROWS);
    }
    let Some(batch) = batch.filter(|b| b.compression().is_some()) else { return Ok(()) };
    let mut left = most.bytes;
    for buffer in batch.buffers().into_iter().flatten() {
        let (start, length) = (size(buffer.offset())?, size(buffer.length())?);
        let stop = start.checked_add(length).ok_or("a buffer lies outside its message")?;
        let packed = body.get(start..stop).ok_or("a buffer lies outside its message")?;
        let Some(claim) = packed.first_chunk::<8>().map(|b| i64::from_le_bytes(*b)) else { continue };
        // −1 marks a buffer that was left as it is.
        if claim < -1 || claim.unsigned_abs() / LARGEST_RATIO > length as u64 {
            return Err("a packed buffer claims an impossible size");
        }
        let unpacked = claim.max(0).unsigned_abs();
        left = left.checked_sub(unpacked).ok_or(BYTES)?;
    }
    Ok(())
}

fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let four: [u8; 4] = bytes.get(at..at.checked_add(4)?)?.try_into().ok()?;
    usize::try_from(i32::from_le_bytes(four)).ok()
}

fn size(value: i64) -> Result<usize, &'static str> {
    usize::try_from(value).map_err(|_| "a size is negative")
}
