//! Matches by the binary itself: the same at any concurrency, with engines that misbehave, and nothing left running.
#![allow(clippy::unwrap_used, reason = "a test that meets an error has failed")]

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

/// Engines that this program itself is.
mod mock;
/// Matches that end as they should.
mod play;
/// Matches that were stopped, and go on.
mod resume;
/// What engines are told.
mod settings;

/// The environment variable that says how the engine of these tests behaves.
const MODE: &str = "ACEDREX_TEST_ENGINE";
/// Where it writes the numbers of its processes, and beside it, with `.said`, what it is told.
const PIDS: &str = "ACEDREX_TEST_PIDS";

fn arena(folder: &Path, mode: &str, arguments: &[&str]) -> Output {
    arena_of("murray", folder, mode, arguments)
}

fn arena_of(ruleset: &str, folder: &Path, mode: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_acedrex-trainer"));
    command.current_dir(folder).env(MODE, mode).env(PIDS, folder.join("pids"));
    command.args(["match", "--ruleset", ruleset]).args(arguments).stdin(Stdio::null());
    command.output().unwrap()
}

/// A specification of the engine of these tests, with options such as `,depth=3`.
fn mock(protocol: &str, options: &str) -> String {
    let engine = std::env::current_exe().unwrap();
    // With one thread a test's name would be printed before what it says, on the same line.
    format!(
        "{protocol}{options}:{} --exact mock::{protocol}_engine_of_these_tests --nocapture --test-threads 2",
        engine.display()
    )
}

/// The summary and the games of a match between the engine of these tests and the internal one.
fn against(mode: &str, arguments: &[&str]) -> (Value, String) {
    let protocol = if mode.starts_with("cecp") { "cecp" } else { "uci" };
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    let engine = mock(protocol, "");
    // With a limit that no load on the machine can break.
    let other = "internal:hash=1,nodes=30";
    let all = ["--engine", &engine, "--engine", other, "--concurrency", "1", "--max-plies", "30"];
    let files = ["--json", "m.json", "--pgn", "m.pgn"];
    let output = arena(here, mode, &[&all[..], &files, arguments].concat());
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{mode}: {err}");
    let pgn = std::fs::read_to_string(here.join("m.pgn")).unwrap();
    nothing_runs(&std::fs::read_to_string(here.join("pids")).unwrap());
    (serde_json::from_slice(&std::fs::read(here.join("m.json")).unwrap()).unwrap(), pgn)
}

/// None of these processes runs; one that ended may still wait for its parent to ask.
fn nothing_runs(pids: &str) {
    assert!(!pids.is_empty());
    for pid in pids.lines() {
        let ended = || {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            stat.rsplit_once(") ").is_none_or(|(_, state)| state.starts_with(['Z', 'X']))
        };
        let patience = std::time::Instant::now();
        while !ended() {
            assert!(patience.elapsed() < Duration::from_secs(10), "process {pid} still runs");
            std::thread::yield_now();
        }
    }
}
