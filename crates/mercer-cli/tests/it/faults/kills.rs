//! Commands that are ended while they replace a file.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use super::{left_over, rounds};
use crate::{Done, Folder};

/// A matrix that takes some time to be written, and what it looks like with two kernels.
fn folder() -> (Folder, [Vec<u8>; 2]) {
    let folder = Folder::fresh();
    let row = |i: u32| format!("{},{}\n", f64::from(i % 97) / 7.0, i * i % 31);
    folder.write("x.csv", format!("a,b\n{}", (0..700).map(row).collect::<String>()));
    let whole = KERNELS.map(|kernel| {
        assert_eq!(folder.run(&gram(kernel)).code, 0);
        fs::read(folder.path("K.npy")).expect("written")
    });
    (folder, whole)
}

const KERNELS: [&str; 2] = ["rbf(length_scale=1)", "linear"];

fn gram(kernel: &str) -> [&str; 8] {
    ["gram", "x.csv", "-k", kernel, "-o", "K.npy", "--force", "-q"]
}

fn signal(process: u32, name: &str) {
    let sent = Command::new("kill").args([name, &process.to_string()]).stderr(Stdio::null()).status();
    assert!(sent.is_ok(), "`kill` runs");
}

#[test]
fn a_killed_writer_leaves_the_old_file_or_the_new_one() {
    let (folder, whole) = folder();
    rounds(10, |chance| {
        let mut command = folder.command(&gram(KERNELS[chance.below(2)]));
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("runs");
        std::thread::sleep(Duration::from_micros(200 * chance.below(400) as u64));
        let gently = chance.below(2) == 0;
        signal(child.id(), if gently { "-TERM" } else { "-KILL" });
        let before = left_over(&folder).len();
        child.wait().expect("an end");
        let there = fs::read(folder.path("K.npy")).expect("there");
        assert!(whole.contains(&there), "K.npy has {} bytes, and is neither matrix", there.len());
        assert!(!gently || left_over(&folder).len() <= before, "{:?}", folder.files());
    });
    // What the killed ones left is swept once it is old, by the next that writes there.
    for name in left_over(&folder) {
        let file = fs::File::options().append(true).open(folder.path(&name)).expect("ours");
        file.set_modified(SystemTime::now() - Duration::from_secs(7200)).expect("ours");
    }
    assert_eq!(folder.run(&gram(KERNELS[0])).code, 0);
    assert_eq!(left_over(&folder), [""; 0]);
}

/// Both were process 1 of their container, made the same temporary file, and lost their work.
#[test]
fn process_one_of_two_containers_writes_at_once() {
    if !super::places::may_unshare("--pid") {
        return;
    }
    let (folder, whole) = folder();
    rounds(3, |_| {
        let start = |kernel: &str| {
            let program = env!("CARGO_BIN_EXE_mercer");
            let mut command = Command::new("unshare");
            command.args(["--pid", "--fork", program]).args(gram(kernel)).current_dir(folder.path(""));
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("runs")
        };
        for child in KERNELS.map(start) {
            let done = Done::from(child.wait_with_output().expect("an end"));
            assert_eq!(done.code, 0, "{done:?}");
        }
        assert!(whole.contains(&fs::read(folder.path("K.npy")).expect("there")));
        assert_eq!(left_over(&folder), [""; 0]);
    });
}

/// A left-over of the same name made the fit fail at its end.
#[test]
fn left_overs_are_in_nobodys_way() {
    let folder = super::with_model();
    for number in 0..40 {
        folder.write(&format!(".m.mercer.1-{number}.tmp"), "left by an older version");
    }
    let fit = ["fit", "d.csv", "--target", "y", "-k", "linear", "--alpha", "1", "--no-estimate", "--no-tune", "-q"];
    assert_eq!(folder.run(&[&fit[..], &["-o", "m.mercer"]].concat()).code, 0);
    assert_eq!(left_over(&folder).len(), 40, "what nobody can be sure of stays");
}
