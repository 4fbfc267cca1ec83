//! The binary itself: exit status, closed pipes, other folders, and what is left of studies and datasets that are killed.
#![allow(clippy::unwrap_used, reason = "a test that meets an error has failed")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

fn trainer(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_acedrex-trainer"));
    command.current_dir(folder).args(arguments).stdin(Stdio::null());
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    trainer(folder, arguments).output().unwrap()
}

fn code(folder: &Path, arguments: &[&str]) -> i32 {
    run(folder, arguments).status.code().unwrap()
}

/// Writes a study file, and returns its name.
fn study_file(folder: &Path, games: u32, nodes: u32) -> &'static str {
    let text = format!(
        "name = \"tiny\"\nreadings = [\"shatranj\", \"murray\"]\nreplicates = 100\nshard = 5\nmax_plies = 200\n\
         adjudication = {{ score_cp = 500, plies = 3 }}\n\
         [first]\ngames = {games}\nnodes = {nodes}\n[second]\ngames = {games}\nnodes = {nodes}\n"
    );
    std::fs::write(folder.join("tiny.toml"), text).unwrap();
    "tiny.toml"
}

/// All files below a folder but the log, by path.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.file_name().unwrap() != "run.log" {
                found.insert(path.strip_prefix(folder).unwrap().to_owned(), std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

#[test]
fn exit_status_is_0_1_or_2() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    for command in ["--help", "--version", "study --help", "tune --help", "dataset export --help"] {
        assert_eq!(code(here, &command.split(' ').collect::<Vec<_>>()), 0, "{command}");
    }
    for command in ["tune nowhere.acd", "compare nowhere.acd murray", "dataset stats nowhere.acd"] {
        let output = run(here, &command.split(' ').collect::<Vec<_>>());
        let err = String::from_utf8(output.stderr).unwrap();
        assert!(
            output.status.code() == Some(1) && err.starts_with("error: ") && output.stdout.is_empty(),
            "{err}"
        );
    }
    for command in ["", "tune", "compare murray", "study --preset slow", "study --threads 0", "tuna"] {
        assert_eq!(code(here, &command.split_whitespace().collect::<Vec<_>>()), 2, "{command}");
    }
    assert_eq!(std::fs::read_dir(here).unwrap().count(), 0);
}

#[test]
fn it_works_in_any_folder_with_the_readings_that_are_built_in() {
    let directory = tempfile::tempdir().unwrap();
    let config = study_file(directory.path(), 3, 10);
    assert_eq!(code(directory.path(), &["study", "--config", config, "--seed", "5"]), 0);
    let folder = directory.path().join("data/runs/tiny-5");
    assert!(folder.join("report.md").exists() && folder.join("run.log").exists());
    let log = std::fs::read_to_string(folder.join("run.log")).unwrap();
    assert!(log.contains("study --config tiny.toml --seed 5") && log.contains("threads: "), "{log}");
    let compare = ["compare", "shatranj", "murray", "--games", "3", "--nodes", "5", "--replicates", "100"];
    let output = run(directory.path(), &compare);
    assert_eq!(output.status.code(), Some(0));
    assert!(directory.path().join("data/runs/compare.csv").exists());
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let directory = tempfile::tempdir().unwrap();
    let config = study_file(directory.path(), 3, 10);
    for arguments in [&["study", "--config", config, "--out", "out"][..], &["study", "--help"]] {
        let mut child = trainer(directory.path(), arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(0) && !err.contains("panic") && !err.contains("error"), "{err}");
    }
    assert!(directory.path().join("out/report.md").exists());
}

#[test]
fn a_killed_study_goes_on_to_the_same_bytes() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    let config = study_file(here, 20, 60);
    let arguments =
        |out: &'static str| ["study", "--config", config, "--seed", "9", "--threads", "2", "--out", out];
    assert_eq!(code(here, &arguments("whole")), 0);
    let whole = files(&here.join("whole"));
    for (out, until) in
        [("killed-early", "shatranj/games-1-000.acd"), ("killed-late", "murray/games-2-001.acd")]
    {
        let folder = here.join(out);
        let mut child =
            trainer(here, &arguments(out)).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        while !folder.join(until).exists() {
            assert!(child.try_wait().unwrap().is_none(), "it ended before it could be killed");
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        assert_eq!(child.wait().unwrap().code(), None, "it was killed");
        assert!(!folder.join("report.md").exists());
        // What a kill at an unlucky moment leaves.
        std::fs::write(folder.join("shatranj/.games-1-003.acd.aBcDeF.partial"), "half").unwrap();
        std::fs::write(folder.join(".report.md.aBcDeF.partial"), "half").unwrap();
        assert_eq!(code(here, &arguments(out)), 0);
        let resumed = files(&folder);
        assert_eq!(whole.keys().collect::<Vec<_>>(), resumed.keys().collect::<Vec<_>>());
        for (name, bytes) in &whole {
            assert!(bytes == &resumed[name], "{out}: {} differs", name.display());
        }
        let log = std::fs::read_to_string(folder.join("run.log")).unwrap();
        assert_eq!((log.matches("threads: 2").count(), log.matches("done after").count()), (2, 1), "{log}");
    }
}

#[test]
fn what_a_killed_dataset_command_left_goes_with_the_next_and_a_signal_leaves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    let names = || {
        let entries = std::fs::read_dir(here).unwrap().map(|entry| entry.unwrap().file_name());
        entries
            .map(|name| name.into_string().unwrap())
            .filter(|name| name.contains("out.acd"))
            .collect::<Vec<_>>()
    };
    // A table that does not end: the dataset is begun, and stays so.
    let table = here.join("table.csv");
    assert!(Command::new("mkfifo").arg(&table).status().unwrap().success());
    let import = ["dataset", "import", "table.csv", "--like", "like.acd", "--out", "out.acd"];
    let play = ["selfplay", "--ruleset", "murray", "--games", "1", "--nodes", "5", "--max-plies", "9"];
    assert_eq!(code(here, &[&play[..], &["--out", "like.acd"]].concat()), 0);
    for signal in ["KILL", "TERM", "INT"] {
        // What runs these tests in the background may ignore signals, which the command would inherit.
        let mut command = Command::new("env");
        command.args(["--default-signal=HUP,INT,TERM", env!("CARGO_BIN_EXE_acedrex-trainer")]);
        command.args(import).current_dir(here).stdin(Stdio::null()).stderr(Stdio::null());
        let mut child = command.stdout(Stdio::null()).spawn().unwrap();
        let mut pipe = std::fs::File::options().write(true).open(&table).unwrap();
        std::io::Write::write_all(&mut pipe, b"game,ply,move,result,end\n0,0,a4a5,*,ply-cap\n").unwrap();
        let begun = || names().iter().any(|name| name.ends_with(".partial"));
        while !begun() {
            assert!(child.try_wait().unwrap().is_none(), "it ended before it could be stopped");
            std::thread::sleep(Duration::from_millis(1));
        }
        let kill = format!("kill -s {signal} {}", child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
        let status = child.wait().unwrap().code();
        if signal == "KILL" {
            assert!(status.is_none() && begun());
            assert_eq!(code(here, &["dataset", "dedup", "like.acd", "--out", "out.acd"]), 0);
            assert_eq!(names(), ["out.acd"]);
            std::fs::remove_file(here.join("out.acd")).unwrap();
        } else {
            assert_eq!((status, names()), (Some(130), Vec::new()), "{signal}");
        }
    }
}
