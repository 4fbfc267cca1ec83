//! Matches by the binary itself: the same at any concurrency, with engines that misbehave, and nothing left running.
#![allow(clippy::unwrap_used, reason = "a test that meets an error has failed")]

use std::io::{BufRead, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use acedrex_engine::cli::load_reading;
use acedrex_engine::game::Position;
use serde_json::Value;

/// The environment variable that says how the engine of these tests behaves.
const MODE: &str = "ACEDREX_TEST_ENGINE";
/// Where it writes the numbers of its processes.
const PIDS: &str = "ACEDREX_TEST_PIDS";

fn arena(folder: &Path, mode: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_acedrex-trainer"));
    command.current_dir(folder).env(MODE, mode).env(PIDS, folder.join("pids"));
    command.args(["match", "--ruleset", "murray"]).args(arguments).stdin(Stdio::null());
    command.output().unwrap()
}

/// The summary and the games of a match between the engine of these tests and the internal one.
fn against(mode: &str, arguments: &[&str]) -> (Value, String) {
    let protocol = if mode.starts_with("cecp") { "cecp" } else { "uci" };
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    let engine = std::env::current_exe().unwrap();
    let engine =
        format!("{protocol}:{} --exact {protocol}_engine_of_these_tests --nocapture", engine.display());
    let all = ["--engine", &engine, "--engine", "internal:hash=1", "--concurrency", "1", "--max-plies", "30"];
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

/// No test of its own: the other tests run this program as a UCI engine by naming it.
#[test]
#[expect(clippy::zombie_processes, reason = "that the match kills it is what is tested")]
fn uci_engine_of_these_tests() {
    let Ok(mode) = std::env::var(MODE) else { return };
    let reading = load_reading("murray").unwrap();
    let mut position = Position::start(&reading);
    let mut out = std::io::stdout();
    let mut say = |text: &str| writeln!(out, "{text}").and_then(|()| out.flush()).unwrap();
    // A process of its own, that must end with it.
    let child = Command::new("sleep").arg("600").stdout(Stdio::null()).spawn().unwrap();
    let mut pids = std::fs::OpenOptions::new().create(true).append(true).open(std::env::var(PIDS).unwrap());
    writeln!(pids.as_mut().unwrap(), "{}\n{}", std::process::id(), child.id()).unwrap();
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
        match word {
            "uci" => say("id name mock\noption name UCI_Variant type string default murray\nuciok"),
            "isready" => say("readyok"),
            "setoption" => assert_eq!(rest, "name UCI_Variant value murray"),
            "position" => {
                position = Position::start(&reading);
                let moves = rest.strip_prefix("startpos moves ").unwrap();
                for mv in moves.split(' ') {
                    position.play(position.parse_move(mv).unwrap());
                }
            }
            "go" => match mode.as_str() {
                "legal" => {
                    let mv = *position.legal_moves().iter().min().unwrap();
                    say(&format!("info depth 3 score cp -12\nbestmove {}", position.format_move(mv)));
                }
                "illegal" => say("bestmove a1a12"),
                "claim" => say("bestmove (none)"),
                "crash" => std::process::exit(3),
                "hang" => loop {
                    std::thread::park();
                },
                other => panic!("{other}"),
            },
            _ => {}
        }
    }
}

/// No test of its own either: an engine that speaks CECP, as Fairy-Max does.
#[test]
fn cecp_engine_of_these_tests() {
    let Ok(mode) = std::env::var(MODE) else { return };
    let reading = load_reading("murray").unwrap();
    let mut position = Position::start(&reading);
    let mut out = std::io::stdout();
    let mut say = |text: &str| writeln!(out, "{text}").and_then(|()| out.flush()).unwrap();
    let pids = std::fs::OpenOptions::new().create(true).append(true).open(std::env::var(PIDS).unwrap());
    writeln!(pids.unwrap(), "{}", std::process::id()).unwrap();
    let mut forced = true;
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
        let mut asked = false;
        match word {
            "protover" => say("feature ping=1 variants=\"normal,murray\"\nfeature done=1"),
            "ping" => say(&format!("pong {rest}")),
            "variant" => assert_eq!(rest, "murray"),
            "new" => position = Position::start(&reading),
            "force" => forced = true,
            "go" => (forced, asked) = (false, true),
            "xboard" | "post" | "easy" => continue,
            "level" => assert_eq!(rest, "0 600 0"),
            "sd" => assert_eq!(rest, "1"),
            _ => {
                position.play(position.parse_move(word).unwrap());
                asked = true;
            }
        }
        if forced || !asked {
            continue;
        }
        match mode.as_str() {
            "cecp-claim" => say("1/2-1/2 {Draw by repetition}"),
            "cecp-refuse" => say(&format!("Illegal move (no such move): {word}")),
            _ => {
                let mv = *position.legal_moves().iter().min().unwrap();
                say(&format!("1 -12 0 35 a1a2\nmove {}", position.format_move(mv)));
                position.play(mv);
            }
        }
    }
}

#[test]
fn a_process_plays_and_each_misbehaviour_is_counted_apart() {
    for (mode, limit, comment) in
        [("legal", ["--nodes", "30"], "{-0.12/3}"), ("cecp-legal", ["--depth", "1"], "{-0.12/1}")]
    {
        let (json, pgn) = against(mode, &[&["--games", "2"], &limit[..]].concat());
        assert_eq!(json["games"], 2);
        assert!(pgn.contains(comment), "{mode}: {pgn}");
        for count in ["time_losses", "illegal_moves", "crashes", "hangs", "wrong_claims"] {
            assert_eq!(json["engines"][0][count], 0, "{mode}: {json}");
        }
    }
    for (mode, count, reason, tag) in [
        ("illegal", "illegal_moves", "illegal-move", "rules infraction"),
        ("claim", "wrong_claims", "wrong-claim", "rules infraction"),
        ("crash", "crashes", "crash", "abandoned"),
        ("hang", "hangs", "hang", "abandoned"),
        ("cecp-claim", "wrong_claims", "wrong-claim", "rules infraction"),
        ("cecp-refuse", "wrong_claims", "wrong-claim", "rules infraction"),
    ] {
        let limit = match mode {
            "hang" => ["--movetime", "10"],
            _ => ["--depth", "1"],
        };
        let (json, pgn) = against(mode, &[&["--games", "2"], &limit[..]].concat());
        assert_eq!((&json["losses"], &json["engines"][0][count]), (&2.into(), &2.into()), "{mode}: {json}");
        assert_eq!(json["pentanomial"], serde_json::json!([1, 0, 0, 0, 0]), "{mode}");
        assert!(pgn.contains(reason) && pgn.contains(tag), "{mode}: {pgn}");
    }
}

#[test]
fn engines_die_with_a_match_that_is_killed() {
    let directory = tempfile::tempdir().unwrap();
    let (here, engine) = (directory.path(), std::env::current_exe().unwrap());
    let engine = format!("uci:{} --exact uci_engine_of_these_tests --nocapture", engine.display());
    let mut command = Command::new(env!("CARGO_BIN_EXE_acedrex-trainer"));
    command.current_dir(here).env(MODE, "hang").env(PIDS, here.join("pids")).stderr(Stdio::null());
    command.args(["match", "--engine", &engine, "--engine", &engine, "--ruleset", "murray", "--games", "2"]);
    let mut running = command.args(["--depth", "1", "--concurrency", "1"]).spawn().unwrap();
    // Two engines are tried out first, and two play: two processes each.
    let pids = || std::fs::read_to_string(here.join("pids")).unwrap_or_default();
    while pids().lines().count() < 8 {
        std::thread::yield_now();
        assert!(running.try_wait().unwrap().is_none(), "it ended by itself");
    }
    running.kill().unwrap();
    running.wait().unwrap();
    nothing_runs(&pids());
}

#[test]
fn an_engine_that_cannot_start_ends_the_match() {
    let directory = tempfile::tempdir().unwrap();
    for engine in ["uci:./nowhere", "uci:true"] {
        let arguments = ["--engine", "internal", "--engine", engine, "--games", "2"];
        let output = arena(directory.path(), "", &arguments);
        let err = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(1) && err.contains("engine 2: crash"), "{engine}: {err}");
    }
}

#[test]
fn files_do_not_depend_on_concurrency_and_games_are_legal() {
    let play = |concurrency: &str, more: &[&str]| {
        let directory = tempfile::tempdir().unwrap();
        let here = directory.path();
        let arguments = ["--engine", "internal:hash=1,nodes=200", "--engine", "internal:hash=1"];
        let rest = [
            "--games",
            "8",
            "--nodes",
            "15",
            "--max-plies",
            "80",
            "--seed",
            "9",
            "--concurrency",
            concurrency,
        ];
        let files = ["--pgn", "m.pgn", "--csv", "m.csv", "--json", "m.json"];
        let output = arena(here, "", &[&arguments[..], &rest, &files, more].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(String::from_utf8_lossy(&output.stderr).contains("CPU time"));
        let names = ["m.pgn", "m.csv", "m.json"];
        (output.stdout, names.map(|name| std::fs::read_to_string(here.join(name)).unwrap()))
    };
    let one = play("1", &[]);
    assert_eq!(one, play("3", &[]));
    let [pgn, csv, json] = one.1;
    assert_eq!(csv.lines().count(), 9);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["games"], 8);
    assert_eq!(json["llr"], Value::Null);
    let games: Vec<&str> = pgn.split("[Event ").skip(1).collect();
    assert_eq!(games.len(), 8);
    let reading = load_reading("murray").unwrap();
    let mut openings = Vec::new();
    for game in games {
        let (tags, text) = game.split_once("\n\n").unwrap();
        assert!(tags.contains("[Variant \"murray\"]") && tags.contains("[SetUp \"1\"]"), "{tags}");
        let fen = tags.split_once("[FEN \"").unwrap().1.split('"').next().unwrap();
        let mut position = Position::from_fen(&reading, fen).unwrap();
        // Comments have no spaces but for the last; numbers end in a dot.
        let words = text.split_whitespace().filter(|word| !word.ends_with('.') && !word.contains(['{', '}']));
        let moves: Vec<&str> =
            words.take_while(|word| word.starts_with(|c: char| c.is_ascii_lowercase())).collect();
        for mv in &moves {
            position.play(position.parse_move(mv).unwrap());
        }
        assert!(tags.contains(&format!("[PlyCount \"{}\"]", moves.len())));
        openings.push(moves[..8].join(" "));
    }
    assert!(openings.chunks(2).all(|pair| pair[0] == pair[1]), "a pair shares its opening");
    assert!(openings[0] != openings[2]);
    // A test that is certain after one pair ends the match there, at any concurrency.
    let sure = ["--sprt", "-900", "900"];
    let one = play("1", &sure);
    assert_eq!(one, play("3", &sure));
    let json: Value = serde_json::from_str(&one.1[2]).unwrap();
    assert!(json["games"].as_u64().unwrap() <= 8 && json["llr"].is_number(), "{json}");
}

#[test]
fn arguments_that_make_no_match_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let two = ["--engine", "internal", "--engine", "internal"];
    for (more, code, hint) in [
        (&["--games", "3"][..], 1, "even"),
        (&["--sprt", "5", "5"], 1, "rising"),
        (&["--nodes", "5", "--depth", "3"], 2, "cannot be used"),
        (&["--engine", "internal"], 1, "expected two"),
        (&["--engine", "elsewhere:fairymax"], 2, "expected internal"),
        (&["--opening-plies", "7"], 1, "even"),
        (&["--pgn", "a", "--csv", "./a"], 1, "another name"),
    ] {
        let output = arena(directory.path(), "", &[&two[..], more].concat());
        let err = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(code) && err.contains(hint), "{more:?}: {err}");
    }
}
