//! Places that take a file only in part: a limit on its size, a full disk, a mounted file.

use std::fs;
use std::process::{Command, Stdio};

use super::{left_over, with_model};
use crate::{Done, Folder};

/// Whether this machine lets a test make a namespace of this kind.
pub fn may_unshare(kind: &str) -> bool {
    let tried = Command::new("unshare").args([kind, "--fork", "true"]).stderr(Stdio::null()).status();
    let may = tried.is_ok_and(|status| status.success());
    if !may {
        eprintln!("not run: namespaces cannot be made here");
    }
    may
}

/// Runs a script of the shell in the folder, with the command as `$0`.
fn shell(folder: &Folder, script: &str) -> Done {
    let mut command = Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_mercer")]).current_dir(folder.path("")).stdin(Stdio::null());
    Done::from(command.output().expect("a shell"))
}

#[test]
fn a_limit_on_the_size_of_files_is_said_and_leaves_the_old_file() {
    let folder = with_model();
    folder.write("K.npy", "old");
    for (blocks, args) in [
        (8, "gram d.csv -k rbf -o K.npy --force"),
        (1, "predict m.mercer d.csv -o K.csv"),
        (1, "fit d.csv --target y -k rbf --alpha 1 --no-tune --no-estimate -o m.mercer"),
        (2, "gram d.csv -k rbf --plot p.svg"),
    ] {
        let before = fs::read(folder.path("m.mercer")).expect("there");
        let done = shell(&folder, &format!("ulimit -f {blocks}; exec \"$0\" {args}"));
        assert_eq!(done.code, 2, "{args}: {done:?}");
        assert!(done.err.contains("too large") && done.err.contains("hint: "), "{args}: {done:?}");
        assert_eq!(fs::read_to_string(folder.path("K.npy")).expect("there"), "old");
        assert_eq!(fs::read(folder.path("m.mercer")).expect("there"), before);
        assert_eq!(left_over(&folder), [""; 0], "{args}");
    }
}

#[test]
fn a_full_disk_is_said_and_leaves_the_old_file() {
    if !may_unshare("--mount") {
        return;
    }
    let folder = with_model();
    fs::create_dir(folder.path("full")).expect("a folder");
    let inside = "mount -t tmpfs -o size=64k none full && cp m.mercer full && cksum < full/m.mercer && \
        \"$0\" gram d.csv -k rbf -o full/K.csv; echo $?; \
        head -c 60000 /dev/zero > full/zeros 2> /dev/null; \
        \"$0\" fit d.csv --target y -k rbf --alpha 2 --no-tune --no-estimate -q -o full/m.mercer; echo $?; \
        cksum < full/m.mercer; ls -A full";
    folder.write("inside", inside);
    let done = shell(&folder, "unshare --mount sh -c \"$(cat inside)\" \"$0\"");
    if done.err.contains("mount:") {
        eprintln!("not run: nothing can be mounted here");
        return;
    }
    let lines: Vec<&str> = done.out.lines().collect();
    let codes: Vec<&&str> = lines.iter().filter(|line| **line == "2").collect();
    assert_eq!(codes.len(), 2, "{done:?}");
    assert!(done.err.contains("make room there"), "{done:?}");
    let sums: Vec<&&str> = lines.iter().filter(|line| line.contains(' ')).collect();
    assert!(sums.len() == 2 && sums[0] == sums[1], "the old model stays: {done:?}");
    assert!(!done.out.contains(".tmp") && !done.out.contains("K.csv"), "{done:?}");
}

/// A file that is mounted into a container cannot be replaced by another, and the fit failed at its end.
#[test]
fn a_mounted_file_is_filled_again() {
    if !may_unshare("--mount") {
        return;
    }
    let folder = with_model();
    folder.write("outside.mercer", fs::read(folder.path("m.mercer")).expect("there"));
    let inside = "mount --bind outside.mercer m.mercer && \
        \"$0\" fit d.csv --target y -k linear --alpha 2 --no-tune --no-estimate -q -o m.mercer; echo $?";
    folder.write("inside", inside);
    let done = shell(&folder, "unshare --mount sh -c \"$(cat inside)\" \"$0\"");
    if done.err.contains("mount:") {
        eprintln!("not run: nothing can be mounted here");
        return;
    }
    assert_eq!(done.out.lines().last(), Some("0"), "{done:?}");
    let told = folder.run(&["inspect", "outside.mercer"]);
    assert!(told.code == 0 && told.out.contains("linear"), "{told:?}");
    assert_eq!(left_over(&folder), [""; 0]);
}
