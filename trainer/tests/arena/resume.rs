use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::{MODE, PIDS, mock, nothing_runs};

const OUTPUTS: [&str; 3] = ["m.pgn", "m.csv", "m.json"];
const JOURNAL: &str = ".m.pgn.journal";

/// A match of the engine of these tests against the internal one, with three outputs.
struct Match<'a> {
    here: &'a Path,
    games: &'a str,
    more: &'a [&'a str],
}

impl Match<'_> {
    fn command(&self) -> Command {
        // What runs these tests in the background may ignore signals, which the match would inherit.
        let mut command = Command::new("env");
        command
            .args(["--default-signal=HUP,INT,TERM", env!("CARGO_BIN_EXE_acedrex-trainer")])
            .current_dir(self.here)
            .env(MODE, "gate")
            .env(PIDS, self.here.join("pids"))
            .stdin(Stdio::null());
        let engine = mock("uci", "");
        command.args(["match", "--ruleset", "murray", "--engine", &engine, "--engine", "internal:hash=1"]);
        command.args(["--nodes", "9", "--max-plies", "24", "--concurrency", "1", "--games", self.games]);
        command.args(["--pgn", "m.pgn", "--csv", "m.csv", "--json", "m.json"]).args(self.more);
        command
    }

    /// Lets so many games begin from now on.
    fn gate(&self, games: u64) {
        let _ = fs::remove_file(self.here.join("pids.games"));
        fs::write(self.here.join("pids.gate"), games.to_string()).unwrap();
    }

    /// Starts it with a gate, and waits until the journal has so many whole lines.
    fn up_to(&self, games: u64, lines: usize) -> Child {
        self.gate(games);
        let mut child = self.command().stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let count = || {
            let journal = fs::read(self.here.join(JOURNAL)).unwrap_or_default();
            journal.iter().filter(|&&byte| byte == b'\n').count()
        };
        while count() < lines {
            std::thread::yield_now();
            assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        }
        child
    }

    fn killed_at(&self, games: u64, lines: usize) {
        let mut child = self.up_to(games, lines);
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// Exit status, and what it said to standard output and standard error.
    fn run(&self) -> (Option<i32>, String, String) {
        self.gate(1_000);
        self.go()
    }

    fn go(&self) -> (Option<i32>, String, String) {
        let output = self.command().output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    }

    /// What a match that comes to its end prints and writes; and what it says.
    fn whole(&self) -> ([String; 4], String) {
        let (code, out, err) = self.run();
        assert_eq!(code, Some(0), "{err}");
        let [pgn, csv, json] = OUTPUTS.map(|name| fs::read_to_string(self.here.join(name)).unwrap());
        let pids = fs::read_to_string(self.here.join("pids")).unwrap_or_default();
        nothing_runs(&pids);
        let mut names: Vec<_> = fs::read_dir(self.here)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.retain(|name| !name.starts_with("pids"));
        names.sort();
        assert_eq!(names, ["m.csv", "m.json", "m.pgn"], "nothing else is left");
        ([out, pgn, csv, json], err)
    }
}

fn undisturbed(games: &str, more: &[&str]) -> [String; 4] {
    let directory = tempfile::tempdir().unwrap();
    Match { here: directory.path(), games, more }.whole().0
}

#[test]
fn a_match_killed_three_times_ends_as_one_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let played = Match { here: directory.path(), games: "12", more: &[] };
    // The gate stands in a pair's first game, then in a second: that pair is lost.
    played.killed_at(2, 2);
    played.killed_at(3, 3);
    played.killed_at(4, 5);
    let (found, err) = played.whole();
    assert!(err.contains("resumes after 8 games"), "{err}");
    assert_eq!(found, undisturbed("12", &[]));
}

#[test]
fn a_torn_last_line_is_dropped_and_other_damage_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    let played = Match { here, games: "8", more: &[] };
    played.killed_at(6, 4);
    let whole = fs::read_to_string(here.join(JOURNAL)).unwrap();
    let [head, first, second, third] = whole.lines().collect::<Vec<_>>()[..] else { panic!("{whole}") };
    let torn = &third[..third.len() / 2];
    let expected = undisturbed("8", &[]);
    for (text, games) in [
        (format!("{head}\n{first}\n{second}\n{torn}"), Some("4")),
        (format!("{head}\n{first}\n{second}\n{torn}\n"), Some("4")),
        (format!("{head}\n{first}\n{second}\n{third}"), Some("4")),
        (format!("{head}\n{first}\n{second}\n\0\0\0"), Some("4")),
        // Whatever the order in which pairs were finished.
        (format!("{head}\n{third}\n{first}\n{second}\n"), Some("6")),
        (format!("{head}\n{third}\n"), Some("2")),
        (format!("{head}\n"), None),
        (head[..9].to_owned(), None),
        (String::new(), None),
    ] {
        fs::write(here.join(JOURNAL), &text).unwrap();
        let (found, err) = played.whole();
        assert_eq!(found, expected, "{text}");
        match games {
            Some(games) => assert!(err.contains(&format!("resumes after {games} games")), "{err}"),
            None => assert!(!err.contains("resumes"), "{err}"),
        }
    }
    for (text, hint) in [
        (format!("{head}\n{torn}\n{second}\n"), "line 2: the checksum"),
        (format!("{head}\n{first}\n{first}\n"), "line 3: pair 0 is there already"),
        (format!("{head}\n{head}\n{first}\n"), "line 2: no pair of games"),
        (format!("{first}\n{second}\n"), "line 1: this is no journal"),
        ("my notes\n".to_owned(), "line 1: this is no journal"),
        ("my notes".to_owned(), "line 1: this is no journal"),
    ] {
        fs::write(here.join(JOURNAL), &text).unwrap();
        let before = OUTPUTS.map(|name| fs::read(here.join(name)).unwrap());
        let (code, _, err) = played.run();
        let way_out = if hint.contains("line 1:") { "delete the file" } else { "delete that line" };
        assert!(code == Some(1) && err.contains(hint) && err.contains(way_out), "{text}: {err}");
        assert_eq!(fs::read_to_string(here.join(JOURNAL)).unwrap(), text);
        assert_eq!(before, OUTPUTS.map(|name| fs::read(here.join(name)).unwrap()));
    }
}

/// A line with the checksum that belongs to it.
fn sealed(kept: &str) -> String {
    format!("{{\"crc32\":\"{:08x}\",\"kept\":{kept}}}", crc32fast::hash(kept.as_bytes()))
}

#[test]
fn an_edited_journal_is_played_again_by_the_rules() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    let played = Match { here, games: "4", more: &[] };
    played.killed_at(2, 2);
    let whole = fs::read_to_string(here.join(JOURNAL)).unwrap();
    let (head, line) = whole.trim_end().split_once('\n').unwrap();
    let kept = line.split_once("\"kept\":").unwrap().1.strip_suffix('}').unwrap();
    assert_eq!(sealed(kept), line);
    let change = |from: &str, to: &str| {
        assert!(kept.contains(from), "{from}: {kept}");
        kept.replacen(from, to, 1)
    };
    let moves = kept.find("\"plies\":[[\"").unwrap() + 11;
    let illegal = format!("{}a1a12{}", &kept[..moves], &kept[moves + kept[moves..].find('"').unwrap()..]);
    for text in [
        illegal,
        change("\"opening_plies\":8", "\"opening_plies\":2"),
        change("\"opening_plies\":8", "\"opening_plies\":99999999"),
        change("\"result\":\"*\"", "\"result\":\"1-0\""),
        change("\"result\":\"*\"", "\"result\":\"9-9\""),
        change("{\"board\":\"ply-cap\"}", "{\"board\":\"checkmate\"}"),
        change("{\"board\":\"ply-cap\"}", "{\"resignation\":{\"engine\":7,\"detail\":\"\"}}"),
        change("{\"board\":\"ply-cap\"}", "{\"fault\":{\"engine\":0,\"fault\":\"crash\",\"detail\":\"\"}}"),
        change("\"pair\":0", "\"pair\":-1"),
        change("\"pair\":0", "\"pair\":0,\"more\":1"),
        "[".repeat(10_000),
        "null".to_owned(),
    ] {
        fs::write(here.join(JOURNAL), format!("{head}\n{}\n", sealed(&text))).unwrap();
        let (code, _, err) = played.run();
        assert!(code == Some(1) && err.contains("line 2: ") && !err.contains("panicked"), "{text}: {err}");
    }
    // A pair beyond the match is that of a longer one.
    let far = change("\"pair\":0", "\"pair\":18446744073709551615");
    fs::write(here.join(JOURNAL), format!("{head}\n{}\n", sealed(&far))).unwrap();
    let (code, _, err) = played.run();
    assert!(code == Some(1) && err.contains("--games: found 4, but"), "{err}");
}

#[test]
fn a_shorter_match_does_not_forget_the_games_of_a_longer_one() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    let played = Match { here, games: "8", more: &[] };
    played.killed_at(6, 4);
    let before = fs::read(here.join(JOURNAL)).unwrap();
    let (code, _, err) = Match { games: "4", ..played }.run();
    let hint = "--games: found 4, but .m.pgn.journal keeps games up to number 6 of an interrupted match";
    assert!(code == Some(1) && err.contains(hint), "{err}");
    assert_eq!(fs::read(here.join(JOURNAL)).unwrap(), before);
    assert!(!here.join("m.pgn").exists());
    assert_eq!(played.whole().0, undisturbed("8", &[]));
}

#[test]
fn a_match_does_not_go_on_with_another_program_of_the_same_name() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    let played = Match { here, games: "4", more: &[] };
    played.killed_at(2, 2);
    let whole = fs::read_to_string(here.join(JOURNAL)).unwrap();
    let (head, rest) = whole.split_once('\n').unwrap();
    let key = "\"program of engine 1\":\"";
    let at = head.find(key).unwrap() + key.len();
    let hash = &head[at..at + 64];
    assert!(hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{head}");
    let (_, text) = head.strip_suffix('}').unwrap().split_once("\"kept\":").unwrap();
    let other = sealed(&text.replace(hash, &"0".repeat(64)));
    fs::write(here.join(JOURNAL), format!("{other}\n{rest}")).unwrap();
    let (code, _, err) = played.run();
    assert!(
        code == Some(1) && err.contains(&format!("program of engine 1: there \"{}\"", "0".repeat(64))),
        "{err}"
    );
}

#[test]
fn a_match_does_not_go_on_without_the_program_and_says_so() {
    let directory = tempfile::tempdir().unwrap();
    for program in ["no-such-program", "./no-such-program"] {
        let engine = format!("uci,nodes=5:{program} --fast");
        let mut command = Command::new(env!("CARGO_BIN_EXE_acedrex-trainer"));
        command.current_dir(&directory).args(["match", "--engine", "internal", "--engine", &engine]);
        let output = command.args(["--games", "2", "--json", "out.json"]).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert!(
            output.status.code() == Some(1)
                && err.contains(&format!("engine 2 is not ready: there is no program {program:?}")),
            "{err}"
        );
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 0);
    }
}

#[test]
fn a_journal_of_other_terms_or_in_use_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    let played = Match { here, games: "4", more: &[] };
    let mut child = played.up_to(2, 2);
    let (code, _, err) = played.go();
    assert!(code == Some(1) && err.contains("another match is at work"), "{err}");
    child.kill().unwrap();
    child.wait().unwrap();
    let before = fs::read(here.join(JOURNAL)).unwrap();
    for (more, hint) in [
        (["--seed", "7"], "seed: there \"1\", here \"7\""),
        (["--opening-plies", "4"], "opening plies: there \"8\", here \"4\""),
    ] {
        let (code, _, err) = Match { more: &more, ..played }.run();
        assert!(code == Some(1) && err.contains(hint) && err.contains("another output name"), "{err}");
        assert_eq!(fs::read(here.join(JOURNAL)).unwrap(), before);
        assert!(!here.join("m.pgn").exists());
    }
    // A longer match is the same one.
    let (found, err) = Match { games: "6", ..played }.whole();
    assert!(err.contains("resumes after 2 games"), "{err}");
    assert_eq!(found, undisturbed("6", &[]));
}

#[test]
fn a_sequential_test_decides_the_same_whatever_was_played_before() {
    let sure = ["--sprt", "-900", "900"];
    let expected = undisturbed("12", &sure);
    for lines in [2, 3, 5] {
        let directory = tempfile::tempdir().unwrap();
        let played = Match { here: directory.path(), games: "12", more: &[] };
        played.killed_at(2 * (lines as u64 - 1), lines);
        assert_eq!(Match { more: &sure, ..played }.whole().0, expected);
    }
}

#[test]
fn an_interrupted_match_ends_at_once_and_says_how_to_go_on() {
    for (signal, lines) in [("INT", 2), ("TERM", 1)] {
        let directory = tempfile::tempdir().unwrap();
        let here = directory.path();
        let played = Match { here, games: "4", more: &[] };
        let games = 2 * (lines as u64 - 1);
        let child = played.up_to(games, lines);
        // The engine that waits at the gate is there: the match plays, and has its handler.
        let waits =
            || fs::read_to_string(here.join("pids.games")).unwrap_or_default().lines().count() as u64 > games;
        while !waits() {
            std::thread::yield_now();
        }
        let sent =
            Command::new("sh").args(["-c", &format!("kill -s {signal} {}", child.id())]).status().unwrap();
        assert!(sent.success());
        let output = child.wait_with_output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(130) && err.contains("the same command goes on"), "{err}");
        nothing_runs(&fs::read_to_string(here.join("pids")).unwrap());
        assert_eq!(played.whole().0, undisturbed("4", &[]));
    }
}

#[test]
fn standard_error_that_takes_nothing_keeps_no_game_from_the_disk() {
    let directory = tempfile::tempdir().unwrap();
    let played = Match { here: directory.path(), games: "8", more: &[] };
    played.killed_at(4, 3);
    played.gate(1_000);
    let (reader, mut writer) = std::io::pipe().unwrap();
    let stderr = writer.try_clone().unwrap();
    // The pipe is full for as long as there is a reader, who reads nothing.
    std::thread::spawn(move || while std::io::Write::write_all(&mut writer, &[0; 4_096]).is_ok() {});
    let mut child = played.command().stdout(Stdio::null()).stderr(stderr).spawn().unwrap();
    let patience = std::time::Instant::now();
    while !OUTPUTS.iter().all(|name| directory.path().join(name).exists()) {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        assert!(patience.elapsed().as_secs() < 60, "it waits for someone to read");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    drop(reader);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let expected = undisturbed("8", &[]);
    let found = OUTPUTS.map(|name| fs::read_to_string(directory.path().join(name)).unwrap());
    assert_eq!(found, expected[1..]);
}
