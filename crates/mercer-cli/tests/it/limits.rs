//! Deadlines, interrupts and pipes.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use mercer::data::{MatrixShape, write_matrix};

use super::{Done, Folder};

/// A job of about a minute: many kernels on many rows, in parts of a small memory limit.
const FORMULA: &str = "rbf(length_scale=1) + rbf(length_scale=2) + matern52(length_scale=1) \
    + laplace_l1(length_scale=1) + laplace_l1(length_scale=2) + laplace_l1(length_scale=3) + periodic(length_scale=1, period=1)";

fn large_job() -> Folder {
    let folder = Folder::fresh();
    let (nrows, ncols) = (30_000, 20);
    let values: Vec<f64> = (0..nrows * ncols).map(|i| ((i * 7919) % 10_007) as f64 / 10_007.0).collect();
    write_matrix(folder.path("x.npy"), &values, &MatrixShape { nrows, ncols, names: None }).expect("written");
    folder
}

fn start(folder: &Folder, more: &[&str]) -> Child {
    let args = [&["gram", "x.npy", "-k", FORMULA, "--memory", "100MB"], more].concat();
    folder.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary runs")
}

#[test]
fn a_deadline_ends_the_work_and_leaves_nothing() {
    let folder = large_job();
    let begun = Instant::now();
    let child = start(&folder, &["--deadline", "700ms", "-o", "K.npy"]);
    let done = Done::from(child.wait_with_output().expect("an end"));
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    assert_eq!(done.code, 5, "{}", done.err);
    assert!(done.err.contains("stopped by the deadline"), "{}", done.err);
    assert!(done.err.contains("hint: allow more time with `--deadline`"), "{}", done.err);
    assert_eq!(folder.files(), ["x.npy"]);
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_work_quickly_and_leaves_nothing() {
    let folder = large_job();
    let child = start(&folder, &["-o", "K.npy"]);
    // The temporary file shows that the work is under way.
    let begun = Instant::now();
    while folder.files().len() < 2 && begun.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let sent = Instant::now();
    let status = Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status();
    assert!(status.is_ok_and(|s| s.success()), "the signal was sent");
    let done = Done::from(child.wait_with_output().expect("an end"));
    assert_eq!(done.code, 130, "{}", done.err);
    assert!(done.err.contains("stopped by an interrupt"), "{}", done.err);
    assert!(sent.elapsed() < Duration::from_secs(5), "{:?}", sent.elapsed());
    assert_eq!(folder.files(), ["x.npy"]);
}

#[test]
fn a_closed_pipe_is_success() {
    let folder = Folder::fresh();
    let mut command = folder.command(&["gram", "digits", "-o", "-"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary runs");
    let mut first = [0; 64];
    let mut pipe = child.stdout.take().expect("a pipe");
    pipe.read_exact(&mut first).expect("the first bytes");
    assert!(first.starts_with(b"x0,x1,"));
    drop(pipe);
    let done = Done::from(child.wait_with_output().expect("an end"));
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(!done.err.contains("error"), "{}", done.err);
}
