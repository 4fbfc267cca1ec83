//! Self-play as a process: killed, without room, and in shards that the environment names.
#![allow(clippy::unwrap_used, reason = "a test that meets an error has failed")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

const SPOOL: &str = ".games.acd.games";

fn trainer(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_acedrex-trainer"));
    command.current_dir(folder).args(arguments.split_whitespace()).stdin(Stdio::null());
    command.env_remove("SLURM_ARRAY_TASK_ID").env_remove("JOB_COMPLETION_INDEX");
    command
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

fn good(output: Output) -> (String, String) {
    let err = text(output.stderr);
    assert_eq!(output.status.code(), Some(0), "{err}");
    (text(output.stdout), err)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_run_killed_three_times_ends_as_one_left_alone() {
    const RUN: &str = "selfplay --ruleset murray --games 60 --nodes 200 --seed 9 --threads 2 --max-plies 200 --out games.acd";
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let expected = good(trainer(one.path(), RUN).output().unwrap()).0;
    let here = other.path();
    let kept =
        || fs::read(here.join(SPOOL)).unwrap_or_default().iter().filter(|&&byte| byte == b'\n').count();
    for lines in [2, 9, 20] {
        let mut child = trainer(here, RUN).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        while kept() < lines {
            assert!(child.try_wait().unwrap().is_none(), "it ended before it could be killed");
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        assert_eq!(child.wait().unwrap().code(), None, "it was killed");
        assert_eq!(names(here), [SPOOL]);
    }
    let begun = kept() - 1;
    let (found, err) = good(trainer(here, &format!("{RUN} --json-progress")).output().unwrap());
    assert_eq!(found, expected);
    assert_eq!(names(here), ["games.acd"]);
    assert!(fs::read(here.join("games.acd")).unwrap() == fs::read(one.path().join("games.acd")).unwrap());
    // The games that were there are not played again.
    let lines: Vec<serde_json::Value> = err.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines[0]["games"].as_u64().unwrap() >= begun as u64 - 1, "{err}");
    let last = lines.last().unwrap();
    assert_eq!((&last["games"], &last["of"]), (&60.into(), &60.into()), "{last}");
    let sum = |names: &[&str]| names.iter().map(|name| last[name].as_u64().unwrap()).sum::<u64>();
    assert_eq!(sum(&["white_wins", "draws", "black_wins", "unfinished"]), 60, "{last}");
    assert!(last["nodes_per_second"].as_f64().unwrap() > 0.0 && last["ruleset"] == "murray", "{last}");
}

#[test]
fn a_run_killed_in_its_second_ruleset_does_not_play_the_first_again() {
    const RUN: &str = "selfplay --ruleset murray --ruleset ludii --games 30 --nodes 100 --max-plies 120 --threads 2 --out runs";
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    good(trainer(one.path(), RUN).output().unwrap());
    let (expected, here) = (one.path().join("runs"), other.path().join("runs"));
    let mut child = trainer(other.path(), RUN).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let kept = || fs::read_to_string(here.join(".ludii.acd.games")).unwrap_or_default().matches('\n').count();
    while kept() < 3 {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it could be killed");
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(names(&here), [".ludii.acd.games", "murray.acd"]);
    let written = |name: &str| fs::metadata(here.join(name)).unwrap().modified().unwrap();
    let before = written("murray.acd");
    let (out, err) = good(trainer(other.path(), RUN).output().unwrap());
    assert!(out.contains("murray.acd is complete already") && written("murray.acd") == before, "{out}");
    assert!(out.contains("wrote runs/ludii.acd") && err.contains("selfplay: 60 of 60 in "), "{out}{err}");
    for name in ["murray.acd", "ludii.acd"] {
        assert!(fs::read(here.join(name)).unwrap() == fs::read(expected.join(name)).unwrap(), "{name}");
    }
    // The datasets of another run are left as they are.
    let bytes = || ["murray.acd", "ludii.acd"].map(|name| fs::read(here.join(name)).unwrap());
    let whole = bytes();
    for (options, says) in [
        ("--seed 2", "seed: there \"1\", here \"2\""),
        ("--opening-plies 6", "opening.plies: there \"8\", here \"6\""),
        ("--games 31", "games: there \"30\", here \"31\""),
    ] {
        let run = RUN.replace("--games 30", if options.contains("games") { "" } else { "--games 30" });
        let output = trainer(other.path(), &format!("{run} {options}")).output().unwrap();
        let err = text(output.stderr);
        assert!(output.status.code() == Some(1) && output.stdout.is_empty() && err.contains(says), "{err}");
        assert!(bytes() == whole && names(&here) == ["ludii.acd", "murray.acd"], "{err}");
    }
    // Of whatever stands there.
    for damaged in [&whole[1][..whole[1].len() - 1], b"my notes"] {
        fs::write(here.join("ludii.acd"), damaged).unwrap();
        let output = trainer(other.path(), RUN).output().unwrap();
        let err = text(output.stderr);
        assert!(
            output.status.code() == Some(1) && err.contains("runs/ludii.acd: the file is there"),
            "{err}"
        );
        assert!(err.contains("choose another output name, or delete the file"), "{err}");
        assert!(fs::read(here.join("ludii.acd")).unwrap() == damaged);
    }
}

#[test]
fn without_anyone_at_standard_error_runs_go_on_and_signals_end_them() {
    const RUN: &str =
        "selfplay --ruleset murray --games 200 --nodes 400 --threads 1 --json-progress --out games.acd";
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    let deaf = |arguments: &str| {
        let mut command = Command::new("env");
        command.args(["--default-signal=HUP,INT,TERM", env!("CARGO_BIN_EXE_acedrex-trainer")]);
        command.args(arguments.split(' ')).current_dir(here).stdin(Stdio::null()).stdout(Stdio::null());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stderr.take());
        child
    };
    let mut child = deaf(RUN);
    while fs::read_to_string(here.join(SPOOL)).unwrap_or_default().matches('\n').count() < 4 {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::sleep(Duration::from_millis(1));
    }
    let sent = Command::new("sh").args(["-c", &format!("kill -s TERM {}", child.id())]).status().unwrap();
    assert!(sent.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    fs::remove_file(here.join(SPOOL)).unwrap();
    let short = RUN.replace("--games 200 --nodes 400", "--games 6 --nodes 20 --max-plies 40");
    assert_eq!(deaf(&short).wait().unwrap().code(), Some(0));
    assert_eq!(names(here), ["games.acd"]);
    let code = deaf(
        "match --engine internal:nodes=20 --engine internal:nodes=10 --games 2 --max-plies 40 --csv m.csv",
    )
    .wait();
    assert_eq!(
        (code.unwrap().code(), names(here)),
        (Some(0), vec!["games.acd".to_owned(), "m.csv".to_owned()])
    );
}

#[test]
fn too_little_memory_and_too_many_files_are_errors_that_say_what_to_do() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    let limited = |limit: &str, arguments: &str| {
        let script = format!("ulimit {limit}; exec {} {arguments}", env!("CARGO_BIN_EXE_acedrex-trainer"));
        let output = Command::new("sh").args(["-c", &script]).current_dir(here).output().unwrap();
        (output.status.code(), text(output.stderr))
    };
    let play = "selfplay --ruleset murray --games 2 --nodes 5 --max-plies 12 --threads 2 --out games.acd";
    let (code, err) = limited("-v 1000000", &format!("{play} --hash 1024"));
    assert!(
        code == Some(1) && err.contains("--hash") && err.contains("2 transposition tables of 1024"),
        "{err}"
    );
    assert_eq!(names(here), Vec::<String>::new());
    good(trainer(here, play).output().unwrap());
    let (code, err) = limited("-v 300000", "compare games.acd games.acd --csv c.csv --threads 500");
    assert!(code == Some(1) && err.starts_with("error: cannot start 500 threads: "), "{err}");
    let files = "games.acd ".repeat(40);
    let (code, err) = limited("-n 30", &format!("dataset merge {files} --out whole.acd"));
    assert!(code == Some(1) && err.contains("found 40 files") && err.contains("in groups"), "{err}");
    good(trainer(here, &format!("dataset merge {files} --out whole.acd")).output().unwrap());
}

#[test]
fn what_the_tasks_of_an_array_would_refuse_is_not_submitted() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/slurm/submit.sh");
    fs::write(here.join("sbatch"), "#!/bin/sh\necho \"$@\" >>submitted\necho 1\n").unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(here.join("sbatch"), executable).unwrap();
    let path = format!("{}:{}", here.display(), std::env::var("PATH").unwrap());
    let submit_as = |shards: &str, cpus: &str, options: &str| {
        let mut command = Command::new("bash");
        command.arg(&script).args([shards, "games.acd"]).args(options.split_whitespace()).current_dir(here);
        let output = command
            .env("PATH", &path)
            .env("CPUS", cpus)
            .env("TRAINER", env!("CARGO_BIN_EXE_acedrex-trainer"))
            .output()
            .unwrap();
        (
            output.status.code(),
            text(output.stderr),
            fs::read_to_string(here.join("submitted")).unwrap_or_default(),
        )
    };
    let submit = |options: &str| submit_as("4", "1", options);
    for (shards, cpus, says) in [
        ("four", "1", "found SHARDS 'four', expected a whole number, 1 to 999999"),
        ("0", "1", "found SHARDS '0'"),
        ("-4", "1", "found SHARDS '-4'"),
        ("4", "many", "found CPUS 'many', expected a whole number, 1 to 1024"),
        ("4", "2000", "found CPUS '2000'"),
    ] {
        let (code, err, submitted) = submit_as(shards, cpus, "--games 8");
        assert!(code == Some(2) && err.contains(says) && submitted.is_empty(), "{shards}: {err}{submitted}");
    }
    let rules = "id = \"mine\"\ntitle = \"Mine\"\nextends = \"murray\"\n";
    fs::write(here.join("my.toml"), rules).unwrap();
    for (options, says) in [
        ("--games many", "'many' for '--games <N>': expected a whole number"),
        ("--games 3", "--shard: found 4 shards, expected at most as many as games (3)"),
        ("--nodes 0", "'0' for '--nodes <N>': expected a whole number, 1 to 1000000000"),
        ("--gmaes 8", "--gmaes"),
        ("--ruleset nowhere.toml", "nowhere.toml"),
        ("--weights nowhere.toml", "nowhere.toml"),
        ("--ruleset murray --ruleset=ludii", "--ruleset twice"),
        ("--games 8 --ruleset", "--ruleset at the end"),
        ("--threads 2", "CPUS"),
        ("--threads=2", "CPUS"),
        ("--out x.acd", "second argument"),
        ("--shards 2", "first argument"),
    ] {
        let (code, err, submitted) = submit(options);
        assert!(code == Some(2) && err.contains(says) && submitted.is_empty(), "{options}: {err}{submitted}");
    }
    for options in ["--ruleset=my.toml --games 8", "--ruleset my.toml --games 8"] {
        let (code, err, submitted) = submit(options);
        assert_eq!(code, Some(0), "{err}");
        let [play, merge] = submitted.lines().collect::<Vec<_>>()[..] else { panic!("{submitted}") };
        assert!(play.ends_with(&format!("shard.sh 4 games.acd {options}")), "{play}");
        assert!(merge.ends_with("merge.sh 4 games.acd --ruleset=my.toml"), "{merge}");
        fs::remove_file(here.join("submitted")).unwrap();
    }
}

#[test]
fn a_second_process_keeps_out_and_a_signal_says_how_to_go_on() {
    const RUN: &str = "selfplay --ruleset murray --games 500 --nodes 2000 --threads 1 --out games.acd";
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    // What runs these tests in the background may ignore signals, which the run would inherit.
    let mut command = Command::new("env");
    command.args(["--default-signal=HUP,INT,TERM", env!("CARGO_BIN_EXE_acedrex-trainer")]);
    command.args(RUN.split(' ')).current_dir(here).stdin(Stdio::null()).stdout(Stdio::null());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    while fs::read(here.join(SPOOL)).unwrap_or_default().iter().filter(|&&byte| byte == b'\n').count() < 2 {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::sleep(Duration::from_millis(1));
    }
    let second = trainer(here, RUN).output().unwrap();
    let err = text(second.stderr);
    assert!(second.status.code() == Some(1) && err.contains("another run is at work"), "{err}");
    let sent = Command::new("sh").args(["-c", &format!("kill -s TERM {}", child.id())]).status().unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    let err = text(output.stderr);
    assert!(output.status.code() == Some(130) && err.contains("the same command goes on"), "{err}");
    assert_eq!(names(here), [SPOOL]);
    let other = trainer(here, &RUN.replace("2000", "1000")).output().unwrap();
    let err = text(other.stderr);
    assert!(other.status.code() == Some(1) && err.contains("nodes: there \"2000\", here \"1000\""), "{err}");
}

#[test]
fn without_room_or_rights_there_is_one_error_and_nothing_is_lost() {
    const RUN: &str =
        "selfplay --ruleset murray --games 12 --nodes 20 --max-plies 60 --threads 2 --out games.acd";
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let here = other.path();
    good(trainer(one.path(), RUN).output().unwrap());
    // A limit of so many blocks for each file stands for a full disk: writes beyond it fail, after as much as fits.
    let program = env!("CARGO_BIN_EXE_acedrex-trainer");
    let mut kept = 0;
    for blocks in [5, 11] {
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec {program} {RUN}");
        let output = Command::new("sh").args(["-c", &script]).current_dir(here).output().unwrap();
        let err = text(output.stderr);
        assert!(output.status.code() == Some(1) && output.stdout.is_empty(), "{err}");
        let errors: Vec<&str> = err.lines().filter(|line| line.starts_with("error: ")).collect();
        assert!(errors.len() == 1 && errors[0].contains(SPOOL) && errors[0].contains("too large"), "{err}");
        assert_eq!(names(here), [SPOOL]);
        let lines = fs::read_to_string(here.join(SPOOL)).unwrap().matches('\n').count();
        assert!(lines > kept, "{lines} lines");
        kept = lines;
    }
    good(trainer(here, RUN).output().unwrap());
    assert!(fs::read(here.join("games.acd")).unwrap() == fs::read(one.path().join("games.acd")).unwrap());
    assert_eq!(names(here), ["games.acd"]);
    // Not even root may make files here.
    if cfg!(target_os = "linux") {
        let output = trainer(here, &RUN.replace("games.acd", "/sys/kernel/games.acd")).output().unwrap();
        let err = text(output.stderr);
        assert!(
            output.status.code() == Some(1) && err.contains("cannot write /sys/kernel/games.acd"),
            "{err}"
        );
    }
}

/// The arguments of the program in the job of Kubernetes that ships.
fn manifest() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/kubernetes/job.yaml");
    let text = fs::read_to_string(path).unwrap();
    let value = |key: &str| {
        let found = text.lines().find_map(|line| line.trim().strip_prefix(key)).unwrap();
        found.trim().to_owned()
    };
    assert_eq!(value("completionMode:"), "Indexed");
    let arguments: Vec<String> = serde_json::from_str(&value("args:")).unwrap();
    let shards = arguments.iter().position(|word| word == "--shards").unwrap();
    assert_eq!(value("completions:"), arguments[shards + 1], "a completion for each shard");
    arguments
}

#[test]
fn the_tasks_of_an_array_play_the_shards_that_their_number_names() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    let mut arguments = manifest();
    for (flag, value) in [("--shards", "3"), ("--games", "7"), ("--nodes", "20"), ("--out", "games.acd")] {
        let at = arguments.iter().position(|word| word == flag).unwrap();
        arguments[at + 1] = value.to_owned();
    }
    arguments.extend(["--max-plies", "20"].map(str::to_owned));
    let line = arguments.join(" ");
    let variables = ["JOB_COMPLETION_INDEX", "SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"];
    for (index, variable) in variables.into_iter().enumerate() {
        good(trainer(here, &line).env(variable, index.to_string()).output().unwrap());
    }
    let shards = ["games-0-of-3.acd", "games-1-of-3.acd", "games-2-of-3.acd"];
    assert_eq!(names(here), shards);
    // A task that is run again finds its shard complete.
    let before = fs::metadata(here.join(shards[1])).unwrap().modified().unwrap();
    let (out, _) = good(trainer(here, &line).env(variables[1], "1").output().unwrap());
    assert!(out.contains("games-1-of-3.acd is complete already"), "{out}");
    assert_eq!(fs::metadata(here.join(shards[1])).unwrap().modified().unwrap(), before);
    // One that is not the shard of this run is not replaced, and played again when it has gone.
    fs::copy(here.join(shards[0]), here.join(shards[1])).unwrap();
    let err = text(trainer(here, &line).env(variables[1], "1").output().unwrap().stderr);
    assert!(err.contains("first_game: there \"0\", here \"2\""), "{err}");
    fs::remove_file(here.join(shards[1])).unwrap();
    good(trainer(here, &line).env(variables[1], "1").output().unwrap());
    let explicit = line.replace("--shards 3", "--shard 1/3").replace("games.acd", "again.acd");
    good(trainer(here, &explicit).output().unwrap());
    let bytes = |name: &str| fs::read(here.join(name)).unwrap();
    assert!(bytes(shards[1]) == bytes("again-1-of-3.acd"));
    // The games are those of the run in one.
    let whole = line.replace("--shards 3", "").replace("games.acd", "whole.acd");
    good(trainer(here, &whole).output().unwrap());
    let rows = |name: &str| {
        good(trainer(here, &format!("dataset export {name} --out rows.csv")).output().unwrap());
        fs::read_to_string(here.join("rows.csv")).unwrap()
    };
    let parts: String = shards.map(|name| rows(name).split_once('\n').unwrap().1.to_owned()).concat();
    assert_eq!(rows("whole.acd").split_once('\n').unwrap().1, parts);
}
