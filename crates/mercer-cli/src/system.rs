//! Calls of the operating system that the standard library has no word for.

/// Makes a write past the limit on the size of files an error, which can be said, and not the end of the process.
#[cfg(unix)]
pub fn report_large_files() {
    // SAFETY: it takes two numbers that the system names, before any other thread runs.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

#[cfg(not(unix))]
pub fn report_large_files() {}

/// Ends without running anything else: other threads are at work.
#[cfg(unix)]
pub fn end(code: u8) -> ! {
    // SAFETY: it takes a number and does not return.
    unsafe { libc::_exit(code.into()) }
}

#[cfg(not(unix))]
pub fn end(code: u8) -> ! {
    std::process::exit(code.into())
}

/// Bytes of the process in memory that no file holds; nothing where the system does not say. Allocates nothing.
#[cfg(target_os = "linux")]
pub fn resident() -> Option<usize> {
    let mut text = [0u8; 128];
    // SAFETY: the name ends with 0, and the buffer is as long as it is said to be.
    let length = unsafe {
        let file = libc::open(c"/proc/self/statm".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        let length = libc::read(file, text.as_mut_ptr().cast(), text.len());
        libc::close(file);
        length
    };
    let text = std::str::from_utf8(text.get(..usize::try_from(length).ok()?)?).ok()?;
    // Sizes in pages: of all, in memory, of these with a file.
    let mut numbers = text.split(' ').skip(1).map_while(|word| word.parse::<usize>().ok());
    let (all, with_file) = (numbers.next()?, numbers.next()?);
    Some(all.saturating_sub(with_file) * page())
}

#[cfg(not(target_os = "linux"))]
pub fn resident() -> Option<usize> {
    None
}

#[cfg(target_os = "linux")]
fn page() -> usize {
    // SAFETY: it takes and gives a number.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

/// Gives freed memory back to the system, where the allocator can.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it takes a number; the allocator locks what it looks at.
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(test)]
mod tests {
    #[test]
    #[cfg(target_os = "linux")]
    fn the_system_says_what_is_in_memory() {
        let filled = std::hint::black_box(vec![1u8; 64 << 20]);
        let own = super::resident().expect("Linux says so");
        assert!(own >= filled.len() && own < 1 << 40, "{own}");
    }
}
