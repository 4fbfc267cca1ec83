//! The `acedrex` binary itself: exit statuses, any directory, closed pipes.

use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// The binary, in a directory that holds nothing of this checkout, with nothing on its standard input.
fn acedrex(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_acedrex"));
    command.args(arguments).current_dir(std::env::temp_dir()).stdin(Stdio::null());
    command
}

fn run(arguments: &[&str]) -> Output {
    acedrex(arguments).output().expect("the binary starts")
}

#[test]
fn what_goes_well_exits_with_0_and_writes_nothing_to_stderr() {
    for arguments in [
        &["rulesets"][..],
        &["rulesets", "murray"],
        &["show", "--ruleset", "courier"],
        &["outcome", "--moves", "a4a5 a9a8"],
        &["search", "--nodes", "500", "--hash", "1"],
        &["--help"],
        &["--version"],
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert!(output.stderr.is_empty() && !output.stdout.is_empty(), "{arguments:?}: {output:?}");
    }
}

#[test]
fn the_built_in_rulesets_work_outside_the_checkout() {
    let output = run(&["perft", "2", "--ruleset", "murray"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text.lines().last(), Some("nodes 3249"));
    assert!(output.status.success());
}

#[test]
fn what_fails_exits_with_1_and_what_is_not_understood_with_2() {
    for (arguments, code, text) in [
        (&["show", "--ruleset", "chess"][..], 1, "error: no ruleset \"chess\""),
        (&["show", "--fen", "x"], 1, "error: FEN as a whole: found 1 fields"),
        (&["show", "--nope"], 2, "error: unexpected argument '--nope'"),
        (&[], 2, "Usage: acedrex"),
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        assert!(output.stdout.is_empty());
        assert!(String::from_utf8_lossy(&output.stderr).contains(text), "{output:?}");
    }
    // `check` reports on stdout, and its status tells.
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let output = run(&["check", file.to_str().expect("a path in UTF-8")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stderr.is_empty() && !output.stdout.is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn threads_that_cannot_start_are_one_error_that_says_so() {
    let script = format!("ulimit -v 300000; exec {} perft 4 --threads 500", env!("CARGO_BIN_EXE_acedrex"));
    let output = Command::new("sh").args(["-c", &script]).output().expect("a shell");
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.starts_with("error: cannot start 500 threads: "), "{text}");
    assert_eq!(text.matches("os error").count(), 1, "{text}");
}

/// Nobody reads from the first line on.
#[test]
fn a_pipe_that_is_closed_from_the_start_ends_quietly() {
    for arguments in [
        &["moves"][..],
        &["rulesets", "murray"],
        &["show"],
        &["perft", "2", "--divide"],
        &["search", "--depth", "2", "--hash", "1"],
        &["--help"],
    ] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = acedrex(arguments).stdout(writer).output().expect("the binary starts");
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]), "{arguments:?}");
    }
}

/// The reader goes away after the first line, as `acedrex ... | head -1` does. There is more to print than a pipe holds,
/// so the binary is still writing then.
#[test]
fn a_pipe_that_closes_after_a_line_ends_quietly() {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let files = vec![file.to_str().expect("a path in UTF-8"); 400];
    let mut child = acedrex(&[&["check"], files.as_slice()].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut line = String::new();
    let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
    out.read_line(&mut line).expect("a line");
    assert!(line.contains(": found "), "{line}");
    drop(out);
    let mut err = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut err).expect("text");
    assert_eq!((child.wait().expect("an end").code(), err.as_str()), (Some(0), ""));
}

/// What could not be written is not passed over.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let full = std::fs::File::options().write(true).open("/dev/full").expect("/dev/full");
    let output = acedrex(&["moves"]).stdout(full).output().expect("the binary starts");
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.starts_with("error: ") && text.lines().count() == 1, "{text}");
}
