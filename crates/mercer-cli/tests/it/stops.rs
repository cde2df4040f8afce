//! Signals while work is under way, and what they leave.

#![cfg(unix)]

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::{Done, Folder};

/// Many rows, on which a fit takes longer than a test.
fn folder() -> Folder {
    let folder = Folder::fresh();
    let cell = |i: usize, k: usize| ((i * 7919 + k * 31) % 10_007) as f64 / 10_007.0;
    let row = |i: usize| format!("{},{},{}\n", cell(i, 1), cell(i, 5), cell(i, 1) + cell(i * 3, 7));
    folder.write("d.csv", format!("a,b,y\n{}", (0..6000).map(row).collect::<String>()));
    folder
}

fn start(folder: &Folder, args: &[&str]) -> Child {
    folder.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary runs")
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()), "the signal was sent");
}

const GRAM: [&str; 9] = [
    "gram",
    "d.csv",
    "-k",
    "laplace_l1(length_scale=1)*matern52(length_scale=2)",
    "--memory",
    "20MB",
    "-o",
    "K.csv",
    "--spectrum",
];

/// Waits until the matrix is being written.
fn under_way(folder: &Folder) {
    let begun = Instant::now();
    while !folder.files().iter().any(|name| name.ends_with(".tmp")) && begun.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// `SIGTERM` ended the process at once, and left half a file.
#[test]
fn terminations_are_heard_like_the_key_and_leave_nothing() {
    for name in ["-TERM", "-INT", "-HUP"] {
        let folder = folder();
        let child = start(&folder, &GRAM);
        under_way(&folder);
        signal(&child, name);
        let done = Done::from(child.wait_with_output().expect("an end"));
        assert_eq!(done.code, 130, "{name}: {done:?}");
        assert!(done.err.contains("note: stopping at the next step"), "{name}: {done:?}");
        assert!(done.err.contains("stopped by an interrupt"), "{name}: {done:?}");
        assert_eq!(folder.files(), ["d.csv"], "{name}");
    }
}

#[test]
fn a_second_signal_ends_at_once_and_leaves_nothing() {
    let folder = folder();
    let child = start(&folder, &GRAM);
    under_way(&folder);
    signal(&child, "-TERM");
    // The process may have ended by itself.
    let _ = Command::new("kill").args(["-TERM", &child.id().to_string()]).stderr(Stdio::null()).status();
    let sent = Instant::now();
    let done = Done::from(child.wait_with_output().expect("an end"));
    assert_eq!(done.code, 130, "{done:?}");
    assert!(sent.elapsed() < Duration::from_secs(2), "{:?}", sent.elapsed());
    assert_eq!(folder.files(), ["d.csv"]);
}

/// It replaced the finished one, and nothing told them apart.
#[test]
fn a_model_that_was_stopped_says_so_and_replaces_no_finished_one() {
    let folder = folder();
    folder.write("few.csv", "a,b,y\n1,2,3\n2,1,4\n3,5,1\n4,4,2\n5,1,3\n6,2,5\n");
    let finished =
        ["fit", "few.csv", "--target", "y", "-k", "linear", "--no-tune", "--no-estimate", "-q", "-o", "m.mercer"];
    assert_eq!(folder.run(&finished).code, 0);
    let before = fs::read(folder.path("m.mercer")).expect("there");
    let stopped = ["fit", "d.csv", "--target", "y", "--deadline", "500ms", "-o", "m.mercer"];
    let done = folder.run(&stopped);
    assert_eq!(done.code, 5, "{done:?}");
    assert!(done.err.contains("holds a finished model and stays"), "{done:?}");
    assert_eq!(fs::read(folder.path("m.mercer")).expect("there"), before);
    let told = folder.run(&["inspect", "m.stopped.mercer"]);
    assert!(told.out.contains("stopped early"), "{told:?}");
    assert!(!folder.run(&["inspect", "m.mercer"]).out.contains("stopped early"));
    let told = folder.run(&["predict", "m.stopped.mercer", "few.csv"]);
    assert!(told.code == 0 && told.err.contains("was stopped early"), "{told:?}");
    // Another takes the place of the stopped one, and with `--force` of the finished one.
    assert_eq!(folder.run(&stopped).code, 5);
    assert_eq!(folder.files(), ["d.csv", "few.csv", "m.mercer", "m.stopped.mercer"]);
    assert_eq!(folder.run(&[&stopped[..], &["--force"]].concat()).code, 5);
    assert_ne!(fs::read(folder.path("m.mercer")).expect("there"), before);
    assert_eq!(folder.run(&finished).code, 0, "a finished one replaces it unasked");
}
