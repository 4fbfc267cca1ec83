use std::io::Write;

use super::*;

/// A standard output whose reader has gone.
struct Gone;

impl Write for Gone {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn datasets_are_written_though_nobody_takes_what_is_said_of_them() {
    let directory = tempfile::tempdir().unwrap();
    let out = text(directory.path());
    let play = ["acedrex-trainer", "selfplay", "--ruleset", "murray", "--ruleset", "shatranj", "--out", out];
    let short = ["--games", "2", "--nodes", "5", "--max-plies", "12"];
    assert_eq!(run([&play[..], &short].concat(), &mut Gone, &mut Vec::new()), 0);
    for name in ["murray.acd", "shatranj.acd"] {
        assert!(directory.path().join(name).exists(), "{name}");
    }
}

#[test]
fn self_play_finds_an_output_that_cannot_be_before_the_first_game() {
    let directory = tempfile::tempdir().unwrap();
    let missing = format!("{}/missing/", text(directory.path()));
    for (out, says) in [(&missing[..], "a folder must be there"), ("/dev/null", "a device or pipe")] {
        let (code, _, err) = call(&["selfplay", "--games", "1000000000", "--out", out]);
        assert!(code == 1 && err.contains(out) && err.contains(says), "{err}");
    }
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
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
        (&["selfplay", "--adjudicate-draw", "10:20"], 2, "10:20:100"),
        (&["selfplay", "--resign", "x:1"], 2, "1500:5"),
        (&["selfplay", "--softmax", "50:8:70000"], 2, "50:8:4"),
        (&["selfplay", "--shard", "3/3"], 2, "expected 0 to 2"),
        (&["selfplay", "--shard", "0/3", "--shards", "3"], 2, "--shards"),
        (&["selfplay", "--book", "x", "--deletions", "1"], 2, "--deletions"),
        (
            &["selfplay", "--shard", "0/3", "--games", "2"],
            1,
            "--shard: found 3 shards, expected at most as many as games",
        ),
        (&["selfplay", "--shards", "3"], 1, "SLURM_ARRAY_TASK_ID"),
        (&["selfplay", "--soft-nodes", "401"], 1, "--soft-nodes: found 401, expected 1 to 400"),
        (&["selfplay", "--deletions", "4"], 2, "--deletions <N>': expected a whole number, 1 to 3"),
        (&["selfplay", "--softmax", "50:8:1"], 1, "--softmax LINES: found 1, expected 2 to 64"),
        (&["selfplay", "--softmax", "50:8:4", "--dice"], 1, "--softmax: found it with dice"),
        (&["selfplay", "--adjudicate-draw", "1001:20:0"], 1, "--adjudicate-draw CP: found 1001"),
        (&["selfplay", "--resign", "0:1"], 1, "--resign CP: found 0"),
        (&["selfplay", "--book", "nowhere.epd"], 1, "nowhere.epd"),
        (&["selfplay", "--ruleset", "murray", "--ruleset", "murray"], 1, "found murray twice"),
        (&["selfplay", "--ruleset", "murray", "--ruleset", "ludii", "--weights", "w"], 1, "--weights"),
        (&["selfplay", "--games", "0"], 2, "--games <N>': expected a whole number, 1 to"),
        (&["selfplay", "--opening-plies", "7"], 1, "--opening-plies: found 7, expected an even number"),
        (&["selfplay", "--ruleset", "muray"], 1, "murray"),
        (&["selfplay", "--ruleset", "shatranj", "--dice"], 1, "--dice: shatranj gives no pips"),
        (&["selfplay", "--max-plies", "8"], 1, "--max-plies: found 8, expected more than the 8 of"),
        (&["selfplay", "--opening-plies", "0"], 1, "or --opening-plies of 2 or more"),
        (&["selfplay", "--hash", "0"], 2, "--hash <MIB>': expected a whole number, 1 to 1024"),
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

#[test]
fn several_rulesets_are_a_dataset_each() {
    let directory = tempfile::tempdir().unwrap();
    let (folder, book) = (directory.path().join("runs"), directory.path().join("book.epd"));
    let play = ["selfplay", "--games", "4", "--nodes", "10", "--max-plies", "20", "--out", text(&folder)];
    let two = ["--ruleset", "murray", "--ruleset", "ludii"];
    let (code, out, err) = call(&[&play[..], &two].concat());
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("ruleset: murray\n") && out.contains("ruleset: ludii\n"), "{out}");
    assert!(err.contains("selfplay: 8 of 8 in "), "{err}");
    for (id, shard) in [("murray", None), ("ludii", None), ("murray", Some("1/2")), ("ludii", Some("1/2"))] {
        let mut name = format!("{id}.acd");
        if let Some(shard) = shard {
            name = format!("{id}-1-of-2.acd");
            if !folder.join(&name).exists() {
                let (code, _, err) = call(&[&play[..], &two, &["--shard", shard]].concat());
                assert_eq!(code, 0, "{err}");
            }
        }
        let (code, out, err) = call(&["dataset", "validate", text(&folder.join(name))]);
        assert_eq!(code, 0, "{err}");
        assert!(out.contains(if shard.is_some() { "games: 2\n" } else { "games: 4\n" }), "{out}");
    }
    // All ways to begin and to end a game in one run, and what they would have changed in one without.
    let fen = acedrex_engine::rules::builtin("murray").unwrap().start_fen();
    std::fs::write(&book, format!("{fen}\n")).unwrap();
    let file = directory.path().join("games.acd");
    let play = ["selfplay", "--ruleset", "murray", "--games", "6", "--nodes", "60", "--out", text(&file)];
    let drawn = ["--softmax", "80:6:3", "--soft-nodes", "40", "--book", text(&book)];
    let cut = ["--adjudicate", "400:4", "--adjudicate-draw", "5:4:60", "--resign", "500:2"];
    assert_eq!(call(&[&play[..], &drawn].concat()).0, 0);
    let (code, out, err) = call(&[&["adjudication", text(&file)][..], &cut].concat());
    assert!(code == 0 && out.contains("murray: 6 games") && out.contains("together"), "{out}{err}");
    for (arguments, says) in [
        (vec!["adjudication", text(&file)], "no rule to measure"),
        (vec!["adjudication", text(&file), "--resign", "0:2"], "--resign CP: found 0, expected 1 to 32000"),
        (vec!["adjudication", text(&book), "--resign", "500:2"], "book.epd"),
    ] {
        let (code, _, err) = call(&arguments);
        assert!(code == 1 && err.contains(says), "{err}");
    }
    let (code, _, err) = call(&[&play[..], &drawn, &cut].concat());
    assert!(code == 1 && err.contains("adjudication.score_cp: there none, here \"400\""), "{err}");
    std::fs::remove_file(&file).unwrap();
    let (code, _, err) = call(&[&play[..], &drawn, &cut].concat());
    assert_eq!(code, 0, "{err}");
    let (code, out, err) = call(&["dataset", "validate", text(&file)]);
    assert!(code == 0 && out.contains("adjudicated-score"), "{out}{err}");
    let (code, _, err) = call(&[&["adjudication", text(&file)][..], &cut].concat());
    assert!(code == 1 && err.contains("were cut short"), "{err}");
    let (code, _, err) = call(&[&play[..7], &["--book", text(&book), "--out", text(&book)]].concat());
    assert!(code == 1 && err.contains("would replace"), "{err}");
}

/// A pipe or terminal that takes nothing until a file is there.
struct Stalled<'a>(&'a Path);

impl Write for Stalled<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        for _ in 0..60_000 {
            if self.0.exists() {
                return Ok(bytes.len());
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        panic!("{} does not come while progress is not taken", self.0.display());
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn progress_that_nobody_takes_keeps_no_game_from_the_disk() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("games.acd");
    let play = ["acedrex-trainer", "selfplay", "--ruleset", "murray", "--games", "6", "--nodes", "10"];
    let more = ["--max-plies", "20", "--json-progress", "--threads", "1", "--out", text(&file)];
    let code = run([&play[..], &more].concat(), &mut Vec::new(), &mut Stalled(&file));
    assert_eq!(code, 0);
    assert_eq!(call(&["dataset", "validate", text(&file)]).0, 0);
}

#[test]
fn a_dry_run_leaves_nothing_behind() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir(directory.path().join("there")).unwrap();
    for out in ["new/deep/x.acd", "there/x.acd"] {
        let out = directory.path().join(out);
        let (code, said, err) = call(&["selfplay", "--games", "5", "--out", text(&out), "--dry-run"]);
        assert_eq!(
            (code, &said[..]),
            (0, &format!("would play 5 games into {}\n", out.display())[..]),
            "{err}"
        );
    }
    let left: Vec<_> =
        std::fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(left, [directory.path().join("there")]);
    assert_eq!(std::fs::read_dir(&left[0]).unwrap().count(), 0);
}

#[test]
fn a_dry_run_says_what_the_command_does_of_what_is_there_and_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let (out, journal) = (directory.path().join("a.acd"), directory.path().join(".a.acd.games"));
    let play = ["selfplay", "--ruleset", "murray", "--games", "4", "--nodes", "5", "--max-plies", "20"];
    let more = ["--threads", "1", "--out", text(&out)];
    let play =
        |seed: &'static str, dry: &[&'static str]| call(&[&play[..], &more, &["--seed", seed], dry].concat());
    let dry = |seed| play(seed, &["--dry-run"]);
    // An interrupted run of seed 1: two of its games are kept.
    let reading = acedrex_engine::cli::load_reading("murray").unwrap();
    let evaluator = acedrex_engine::cli::load_evaluator(&reading, None).unwrap();
    let weights = acedrex_engine::cli::load_weights(&reading, None).unwrap();
    let weights = crate::selfplay::weights_id(&reading.rules, &weights);
    let config = crate::selfplay::Config { games: 4, nodes: 5, max_plies: 20, seed: 1, ..Default::default() };
    let run = crate::dataset::Production::open(&reading, &evaluator, &weights, &config, &out).unwrap();
    let mut kept = Vec::new();
    run.play(1, &mut |summary| {
        if summary.counts.games == 2 {
            kept = std::fs::read(&journal).unwrap();
        }
    })
    .unwrap();
    std::fs::remove_file(&out).unwrap();
    std::fs::write(&journal, &kept).unwrap();

    let would = format!("would go on after 2 games that are kept, and play 2 more into {}\n", text(&out));
    assert_eq!(dry("1"), (0, would, String::new()));
    for (seed, bytes, says) in [
        ("2", &kept[..], "seed: there \"1\", here \"2\""),
        ("1", b"my notes\n", "this is no journal of a run"),
    ] {
        std::fs::write(&journal, bytes).unwrap();
        let found = dry(seed);
        assert!(found.0 == 1 && found.2.contains(says) && found.2.contains("delete the file"), "{found:?}");
        assert_eq!(found, play(seed, &[]));
        assert_eq!(std::fs::read(&journal).unwrap(), bytes);
        assert!(!out.exists());
    }
    // A torn line is dropped by the command alone.
    std::fs::write(&journal, &kept[..kept.len() - 9]).unwrap();
    assert!(dry("1").1.starts_with("would go on after 1 games"), "{:?}", dry("1"));
    assert_eq!(std::fs::metadata(&journal).unwrap().len(), kept.len() as u64 - 9);

    assert_eq!(play("1", &[]).0, 0);
    let whole = std::fs::read(&out).unwrap();
    std::fs::write(&journal, &kept).unwrap();
    assert_eq!(
        dry("1"),
        (0, format!("{} is complete already: would play no game\n", text(&out)), String::new())
    );
    assert!(journal.exists());
    std::fs::write(&journal, "my notes\n").unwrap();
    assert_eq!(dry("1"), play("1", &[]));
    std::fs::remove_file(&journal).unwrap();
    for bytes in [&whole[..whole.len() - 1], b"my notes\n"] {
        std::fs::write(&out, bytes).unwrap();
        let found = dry("1");
        assert!(found.0 == 1 && found.2.contains("it is not replaced"), "{found:?}");
        assert_eq!(found, play("1", &[]));
    }
}

#[test]
fn what_is_wrong_with_the_second_ruleset_s_games_is_found_before_the_first_one_s() {
    let directory = tempfile::tempdir().unwrap();
    let journal = directory.path().join(".ludii.acd.games");
    std::fs::write(&journal, "my notes\n").unwrap();
    let play = ["selfplay", "--ruleset", "murray", "--ruleset", "ludii", "--games", "2", "--nodes", "5"];
    let (code, said, err) = call(&[&play[..], &["--out", text(directory.path())]].concat());
    assert!(code == 1 && said.is_empty() && err.contains("this is no journal of a run"), "{said}{err}");
    assert!(!directory.path().join("murray.acd").exists());
}

#[test]
fn a_run_that_finds_no_opening_says_where_the_games_before_are() {
    let directory = tempfile::tempdir().unwrap();
    let (out, book) = (directory.path().join("a.acd"), directory.path().join("book.epd"));
    // From the second position Black can only take White's last man, which ends the game.
    let start = acedrex_engine::rules::builtin("murray").unwrap().start_fen();
    std::fs::write(&book, format!("{start}\nkR10/p11/12/12/12/12/12/12/12/12/12/4K7 b - 0 1\n")).unwrap();
    let play = ["selfplay", "--ruleset", "murray", "--games", "2", "--nodes", "5", "--threads", "1"];
    let book = ["--max-plies", "20", "--book", text(&book), "--out", text(&out)];
    let play = |plies: &str| call(&[&play[..], &book, &["--opening-plies", plies]].concat());
    let journal = directory.path().join(".a.acd.games");
    let (code, _, err) = play("2");
    assert!(code == 1 && err.contains("game 1: found that none of 2000 random openings"), "{err}");
    let kept = format!("finished games are kept in {} for the same command: to begin anew", text(&journal));
    assert!(err.contains(&kept) && err.contains("delete that file"), "{err}");
    let (code, _, err) = play("0");
    assert!(code == 1 && err.contains("on other terms") && err.contains("delete the file"), "{err}");
    // As it says.
    std::fs::remove_file(&journal).unwrap();
    assert_eq!(play("0").0, 0);
}
