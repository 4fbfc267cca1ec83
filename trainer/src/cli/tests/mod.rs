//! The commands, run in process.

use std::path::Path;

use super::run;

mod compare;
mod dataset;
mod selfplay;
mod study;
mod tune;

/// Exit status, standard output and standard error of a command.
fn call(arguments: &[&str]) -> (u8, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let arguments = std::iter::once("acedrex-trainer").chain(arguments.iter().copied());
    let code = run(arguments, &mut out, &mut err);
    (code, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn every_command_explains_itself_with_an_example() {
    for command in [
        &[][..],
        &["selfplay"],
        &["adjudication"],
        &["tune"],
        &["compare"],
        &["study"],
        &["match"],
        &["dataset"],
        &["dataset", "export"],
        &["dataset", "stats"],
        &["dataset", "validate"],
        &["dataset", "import"],
        &["dataset", "merge"],
        &["dataset", "dedup"],
        &["dataset", "split"],
        &["dataset", "sample"],
        &["dataset", "repair"],
    ] {
        let (code, out, _) = call(&[command, &["--help"]].concat());
        assert_eq!(code, 0);
        assert!(out.contains("Example: acedrex-trainer"), "{command:?}: {out}");
    }
    for flag in ["--ruleset", "--games", "--nodes", "--seed", "--threads", "--opening", "--dice", "--out"] {
        assert!(call(&["selfplay", "--help"]).1.contains(flag), "{flag}");
    }
}

#[test]
fn no_output_replaces_a_ruleset_or_weights_that_are_read() {
    let directory = tempfile::tempdir().unwrap();
    let place = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (rules, weights, games) = (place("mine.toml"), place("weights.toml"), place("games.acd"));
    let (csv, other) = (place("out.csv"), place("other.toml"));
    std::fs::write(&rules, "id = \"mine\"\ntitle = \"Mine\"\nextends = \"murray\"\n").unwrap();
    let mut printed = Vec::new();
    acedrex_engine::cli::run(["acedrex", "weights", "--ruleset", &rules], &mut printed, &mut Vec::new());
    std::fs::write(&weights, &printed).unwrap();
    let play = ["selfplay", "--games", "2", "--nodes", "5", "--max-plies", "12", "--ruleset", &rules];
    let (code, _, err) = call(&[&play[..], &["--out", &games]].concat());
    assert_eq!(code, 0, "{err}");
    let kept = [&rules, &weights].map(|file| std::fs::read(file).unwrap());
    for arguments in [
        [&play[..], &["--out", &rules]].concat(),
        [&play[..], &["--weights", &weights, "--out", &weights]].concat(),
        vec!["tune", &games, "--ruleset", &rules, "--out", &rules, "--csv", &csv],
        vec!["tune", &games, "--ruleset", &rules, "--weights", &weights, "--out", &other, "--csv", &weights],
        vec!["compare", &games, &games, "--ruleset", &rules, "--csv", &rules],
        vec!["dataset", "export", &games, "--ruleset", &rules, "--out", &rules],
    ] {
        let (code, _, err) = call(&arguments);
        assert!(code == 1 && err.contains("would replace"), "{arguments:?}: {err}");
        assert_eq!([&rules, &weights].map(|file| std::fs::read(file).unwrap()), kept);
    }
}

/// A small dataset of decided games.
fn play(ruleset: &str, seed: &str, file: &Path) {
    let quick =
        ["--games", "12", "--nodes", "10", "--max-plies", "200", "--adjudicate", "100:2", "--threads", "1"];
    let play =
        [&["selfplay", "--ruleset", ruleset, "--seed", seed, "--out", text(file)][..], &quick].concat();
    let (code, _, err) = call(&play);
    assert_eq!(code, 0, "{err}");
}

#[test]
fn whatever_a_value_cannot_be_is_said_with_what_it_could() {
    use clap::{CommandFactory, Parser};
    let mut commands = vec![(Vec::new(), super::Cli::command())];
    let (mut tried, mut refused) = (0, 0);
    while let Some((names, command)) = commands.pop() {
        for inner in command.get_subcommands() {
            commands.push(([&names[..], &[inner.get_name().to_owned()]].concat(), inner.clone()));
        }
        for option in command.get_arguments().filter_map(|argument| argument.get_long()) {
            if ["help", "version"].contains(&option) {
                continue;
            }
            let words = names.iter().map(String::as_str);
            let error = super::Cli::try_parse_from(
                ["acedrex-trainer"].into_iter().chain(words).chain([&format!("--{option}=~")[..]]),
            );
            let error = error.err().map(|error| (error.kind(), error.to_string()));
            tried += 1;
            if let Some((clap::error::ErrorKind::ValueValidation, text)) = error {
                refused += 1;
                assert!(text.contains("expected") && text.contains(option), "{names:?}: {text}");
            }
        }
    }
    assert!(tried > 60 && refused > 30, "{tried}, {refused}");
    for (line, says) in [
        ("selfplay --games many", "'many' for '--games <N>': expected a whole number, 1 to 1000000000"),
        ("selfplay --threads 0", "'0' for '--threads <T>': expected a whole number, 1 to 1024"),
        ("selfplay --margin 70000", "expected a whole number, 0 to 10000"),
        ("dataset split x --share half", "expected a number, such as 0.9"),
        ("tune x --replicates 5", "expected a whole number, 100 to 100000"),
        (
            "match --opening-plies 7 --engine internal --engine internal",
            "--opening-plies: found 7, expected an even number",
        ),
    ] {
        let (_, _, err) = call(&line.split(' ').collect::<Vec<_>>());
        assert!(err.contains(says), "{line}: {err}");
    }
}

#[test]
fn an_option_has_one_range_however_far_its_value_is_outside() {
    for (option, below, above, range) in [
        ("selfplay --games", "0", "99999999999999999999", "1 to 1000000000"),
        ("selfplay --nodes", "0", "1000000001", "1 to 1000000000"),
        ("selfplay --first-game", "-1", "18446744073709551615", "0 to 18446744072709551615"),
        ("selfplay --hash", "0", "999999", "1 to 1024"),
        ("selfplay --max-plies", "0", "70000", "1 to 10000"),
        ("selfplay --max-plies", "10001", "70000", "1 to 10000"),
        ("selfplay --opening-plies", "201", "70000", "0 to 200"),
        ("selfplay --margin", "10001", "70000", "0 to 10000"),
        ("selfplay --check-nodes", "0", "1000000001", "1 to 1000000000"),
        ("selfplay --deletions", "0", "300", "1 to 3"),
        ("match --engine internal --engine internal --max-plies", "0", "70000", "1 to 10000"),
        ("match --engine internal --engine internal --opening-plies", "201", "70000", "0 to 200"),
    ] {
        for value in [below, above] {
            let line = format!("{option}={value}");
            let (code, _, err) = call(&line.split(' ').collect::<Vec<_>>());
            let says = format!("expected a whole number, {range}\n");
            assert!(code == 2 && err.contains(&says), "{line}: {err}");
        }
    }
}
