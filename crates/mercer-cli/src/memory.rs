//! What the system knows of this process.

/// The largest memory that the process had so far, in bytes; nothing where the system does not say.
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| 1024 * kilobytes)
}

#[cfg(test)]
mod tests {
    #[test]
    #[cfg(target_os = "linux")]
    fn the_peak_holds_what_was_filled() {
        let filled = std::hint::black_box(vec![1u8; 64 << 20]);
        let peak = super::peak_memory().expect("Linux says so");
        assert!(peak > filled.len() as u64 && peak < 1 << 40, "{peak}");
    }
}
