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
