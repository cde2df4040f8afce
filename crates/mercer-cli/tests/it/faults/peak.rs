//! The largest memory that a command had.

use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use crate::{Done, Folder};

/// What a process has without data, in bytes: itself, its threads, and those parts of the program that were used. Half of it
/// is the program, which other processes share.
pub const IDLE: u64 = 32 << 20;

/// A command that ended, and its memory.
#[derive(Debug)]
pub struct Measured {
    /// What it left, unless a signal ended it.
    pub done: Option<Done>,
    /// Its largest memory.
    pub peak: Peak,
}

/// The largest memory of a process, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Peak(u64);

impl Measured {
    /// Runs the binary in the folder.
    // It is waited for by number, since that tells its memory.
    #[allow(clippy::zombie_processes)]
    pub fn run(folder: &Folder, args: &[&str]) -> Self {
        let name = |end: &str| folder.path(&format!("said-{end}"));
        let mut command = folder.command(args);
        command.stdout(File::create(name("out")).expect("ours")).stderr(File::create(name("err")).expect("ours"));
        let child = command.spawn().expect("the binary runs");
        let (mut status, pid) = (0, child.id().try_into().expect("a process"));
        // SAFETY: both places are ours, and plain numbers may be all 0.
        let usage = unsafe {
            let mut usage = std::mem::zeroed::<libc::rusage>();
            assert_eq!(libc::wait4(pid, &mut status, 0, &mut usage), pid, "the process is ours");
            usage
        };
        let text = |end: &str| String::from_utf8_lossy(&fs::read(name(end)).expect("written")).into_owned();
        let code = ExitStatus::from_raw(status).code();
        let done = code.map(|code| Done { code, out: text("out"), err: text("err") });
        // Linux counts in units of 1024 bytes.
        Measured { done, peak: Peak(usage.ru_maxrss.unsigned_abs() * 1024) }
    }
}

impl Peak {
    /// Fails unless the peak is at most 1.1 times the limit and what an idle process has.
    pub fn holds(self, limit: u64, args: &[&str]) {
        let most = limit + limit / 10 + IDLE;
        // Until it becomes the command, a new process counts the memory of the test that started it.
        assert!(self.0 <= most || self.0 <= own_peak(), "{args:?} had {} of {most} bytes", self.0);
    }
}

fn own_peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    1024 * number.unwrap_or(0)
}
