use std::process::{Command, Stdio};

use acedrex_engine::cli::load_reading;
use acedrex_engine::game::Position;
use serde_json::Value;

use super::{MODE, PIDS, against, arena, mock, nothing_runs};

#[test]
fn a_process_plays_and_each_misbehaviour_is_counted_apart() {
    for (mode, limit, comment) in
        [("legal", ["--nodes", "30"], "{-0.12/3}"), ("cecp-legal", ["--depth", "1"], "{-0.12/1}")]
    {
        let (json, pgn) = against(mode, &[&["--games", "2"], &limit[..]].concat());
        assert_eq!(json["games"], 2);
        assert!(pgn.contains(comment), "{mode}: {pgn}");
        for count in ["time_losses", "illegal_moves", "crashes", "hangs", "wrong_claims", "resignations"] {
            assert_eq!(json["engines"][0][count], 0, "{mode}: {json}");
        }
    }
    for (mode, count, reason, tag) in [
        ("illegal", "illegal_moves", "illegal-move", "rules infraction"),
        ("none", "resignations", "{resignation of", "normal"),
        ("crash", "crashes", "crash", "abandoned"),
        ("hang", "hangs", "hang", "abandoned"),
        ("flood", "hangs", "hang", "abandoned"),
        ("cecp-claim", "wrong_claims", "wrong-claim", "rules infraction"),
        ("cecp-win", "wrong_claims", "wrong-claim", "rules infraction"),
        ("cecp-lose", "resignations", "{resignation of", "normal"),
        ("cecp-resign", "resignations", "{resignation of", "normal"),
        ("cecp-refuse", "wrong_claims", "wrong-claim", "rules infraction"),
    ] {
        let limit = match mode {
            "hang" | "flood" => ["--movetime", "10"],
            _ => ["--depth", "1"],
        };
        let (json, pgn) = against(mode, &[&["--games", "2"], &limit[..]].concat());
        assert_eq!((&json["losses"], &json["engines"][0][count]), (&2.into(), &2.into()), "{mode}: {json}");
        let counts = ["time_losses", "illegal_moves", "crashes", "hangs", "wrong_claims", "resignations"];
        let all: u64 = counts.iter().map(|count| json["engines"][0][count].as_u64().unwrap()).sum();
        assert_eq!(all, 2, "{mode}: {json}");
        assert_eq!(json["pentanomial"], serde_json::json!([1, 0, 0, 0, 0]), "{mode}");
        assert!(pgn.contains(reason) && pgn.contains(tag), "{mode}: {pgn}");
    }
}

#[test]
fn a_late_move_loses_unless_the_margin_allows_it() {
    for (margin, losses) in [(&[][..], 2), (&["--time-margin", "1000"][..], 0)] {
        let (json, _) = against("slow", &[&["--games", "2", "--movetime", "10"], margin].concat());
        assert_eq!(json["engines"][0]["time_losses"], losses, "{json}");
        assert_eq!(json["time_margin_ms"], if losses > 0 { 20 } else { 1_000 });
    }
}

#[test]
fn engines_die_with_a_match_that_is_killed() {
    let directory = tempfile::tempdir().unwrap();
    let (here, engine) = (directory.path(), mock("uci", ""));
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
        assert!(output.status.code() == Some(1) && err.contains("engine 2 is not ready"), "{engine}: {err}");
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
        (&["--engine", "uci,nodes=0:x"], 2, "nodes: found \"0\", expected 1 to"),
        (&["--opening-plies", "7"], 1, "even"),
        (&["--pgn", "a", "--csv", "./a"], 1, "another name"),
    ] {
        let output = arena(directory.path(), "", &[&two[..], more].concat());
        let err = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(code) && err.contains(hint), "{more:?}: {err}");
    }
}

#[test]
fn an_output_does_not_replace_a_file_that_an_engines_command_names() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("own.toml"), "kept").unwrap();
    for engine in [
        "uci:true --weights own.toml",
        "uci:true --weights=own.toml",
        "cecp,depth=1,option.File=own.toml:true",
    ] {
        let more = ["--engine", "internal", "--engine", engine, "--json", "./own.toml"];
        let output = arena(directory.path(), "", &more);
        let err = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(1) && err.contains("would replace"), "{engine}: {err}");
        assert_eq!(std::fs::read(directory.path().join("own.toml")).unwrap(), b"kept");
    }
}
