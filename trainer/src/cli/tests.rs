//! The commands, run in process.

use std::path::Path;

use super::run;

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
        &["tune"],
        &["compare"],
        &["study"],
        &["dataset"],
        &["dataset", "export"],
        &["dataset", "info"],
        &["dataset", "validate"],
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
fn games_are_played_summed_up_exported_and_validated() {
    let directory = tempfile::tempdir().unwrap();
    let (file, csv) = (directory.path().join("games.acd"), directory.path().join("games.csv"));
    for dice in [false, true] {
        let mut arguments = vec!["selfplay", "--ruleset", "murray", "--games", "2", "--nodes", "10"];
        arguments.extend(["--max-plies", "20", "--seed", "3", "--threads", "2", "--opening", "balanced"]);
        arguments.extend(["--out", text(&file)]);
        arguments.extend(dice.then_some("--dice"));
        let (code, played, err) = call(&arguments);
        assert_eq!(code, 0, "{err}");
        assert!(played.contains("games: 2\n") && played.contains("openings: 2 kept of "), "{played}");
        let (code, info, _) = call(&["dataset", "info", text(&file)]);
        assert_eq!(code, 0);
        assert!(info.contains("ruleset: murray\n") && info.contains("\"seed\":3"), "{info}");
        assert!(info.contains("games: 2\n"), "{info}");
        let (code, valid, _) = call(&["dataset", "validate", text(&file)]);
        assert!(code == 0 && valid.ends_with("that of the rules\n"), "{valid}");
        let (code, out, _) = call(&["dataset", "export", text(&file), "--out", text(&csv)]);
        assert_eq!((code, out), (0, format!("wrote 40 rows to {}\n", text(&csv))));
        assert_eq!(std::fs::read_to_string(&csv).unwrap().lines().count(), 41);
        std::fs::remove_file(&csv).unwrap();
        assert_eq!(call(&["dataset", "export", text(&file)]).0, 0);
        assert!(csv.exists(), "the default name");
    }
    let (code, _, err) = call(&["dataset", "validate", text(&file), "--ruleset", "ludii"]);
    assert!(code == 1 && err.contains("--ruleset"), "{err}");
    let (code, _, err) = call(&["dataset", "export", text(&file), "--out", text(&file)]);
    assert!(code == 1 && err.contains("would replace the dataset"), "{err}");
    let (code, _, err) = call(&["dataset", "info", text(&csv)]);
    assert!(code == 1 && err.contains("byte 0"), "{err}");
}

#[test]
fn games_of_a_users_rules_need_the_users_file() {
    let directory = tempfile::tempdir().unwrap();
    let (rules, file) = (directory.path().join("mine.toml"), directory.path().join("mine.acd"));
    let toml = "id = \"mine\"\ntitle = \"Mine\"\nextends = \"murray\"\n\n\
                [source]\ncitation = \"a test\"\nconfidence = \"conjecture\"\n\n[dice]\nno_move = \"pass\"\n";
    std::fs::write(&rules, toml).unwrap();
    let quick = ["--games", "2", "--nodes", "10", "--max-plies", "60", "--dice"];
    let play = [&["selfplay", "--ruleset", text(&rules), "--out", text(&file)][..], &quick].concat();
    let (code, _, err) = call(&play);
    assert_eq!(code, 0, "{err}");
    let (code, _, err) = call(&["dataset", "validate", text(&file)]);
    assert!(code == 1 && err.contains("\"mine\"") && err.contains("--ruleset"), "{err}");
    assert_eq!(call(&["dataset", "validate", text(&file), "--ruleset", text(&rules)]).0, 0);
}

#[test]
fn what_is_not_understood_and_what_fails_leaves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("games.acd");
    let out = ["--out", text(&file)];
    for (arguments, status, says) in [
        (&["selfplay", "--opening", "wild"][..], 2, "balanced"),
        (&["selfplay", "--games", "many"], 2, "--games"),
        (&["selfplay", "--adjudicate", "1500"], 2, "1500:8"),
        (&["selfplay", "--threads", "0"], 2, "--threads"),
        (&["selfplay", "--games", "0"], 1, "games: found 0"),
        (&["selfplay", "--opening-plies", "7"], 1, "even"),
        (&["selfplay", "--ruleset", "muray"], 1, "murray"),
        (&["selfplay", "--ruleset", "shatranj", "--dice"], 1, "pips"),
        (&["selfplay", "--weights", "nowhere.toml"], 1, "nowhere.toml"),
    ] {
        let (code, _, err) = call(&[arguments, &out].concat());
        assert_eq!(code, status, "{err}");
        assert!(err.contains(says), "{arguments:?}: {err}");
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }
    assert_eq!(call(&["dataset"]).0, 2);
    assert_eq!(call(&["tune-up"]).0, 2);
}
