//! The commands, run in process.

use std::io::Write;
use std::path::Path;

use acedrex_engine::cli::load_reading;
use acedrex_engine::game::Position;

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
fn a_start_that_is_the_array_is_imported_as_it_was_and_a_part_is_not_called_the_whole() {
    let directory = tempfile::tempdir().unwrap();
    let place = |name: &str| directory.path().join(name);
    let (games, csv, again) = (place("games.acd"), place("games.csv"), place("again.acd"));
    let play = [
        "selfplay",
        "--ruleset",
        "murray",
        "--games",
        "10",
        "--nodes",
        "5",
        "--max-plies",
        "12",
        "--seed",
        "2",
    ];
    assert_eq!(call(&[&play[..], &["--deletions", "1", "--out", text(&games)]].concat()).0, 0);
    assert_eq!(call(&["dataset", "export", text(&games), "--out", text(&csv)]).0, 0);
    let table = std::fs::read_to_string(&csv).unwrap();
    let array = Position::start(&load_reading("murray").unwrap()).fen();
    let drawn = table.lines().filter(|line| line.contains(&format!(",0,{array},"))).count();
    assert!((1..10).contains(&drawn), "{drawn}: choose another seed");
    let import = ["dataset", "import", text(&csv), "--like", text(&games), "--out", text(&again)];
    assert_eq!(call(&import).0, 0);
    assert_eq!(std::fs::read(&again).unwrap(), std::fs::read(&games).unwrap());
    assert_eq!(call(&["dataset", "validate", text(&again)]).0, 0);
    let part: Vec<&str> = table.lines().filter(|line| !line.starts_with("9,")).collect();
    std::fs::write(&csv, part.join("\n")).unwrap();
    let (code, _, err) = call(&import);
    assert!(code == 1 && err.contains("found 9 games of run 0"), "{err}");
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
        let (code, stats, _) = call(&["dataset", "stats", text(&file)]);
        assert_eq!(code, 0);
        assert!(stats.contains("ruleset: murray\n") && stats.contains("\"seed\":3"), "{stats}");
        assert!(stats.contains("games: 2\n") && stats.contains("run 0: 2 of 2 games, complete"), "{stats}");
        assert!(
            stats.contains("duplicates: 0 games, 0 openings\n") && stats.contains("lengths, "),
            "{stats}"
        );
        let (code, valid, _) = call(&["dataset", "validate", text(&file)]);
        assert!(code == 0 && valid.ends_with("that of the rules\n"), "{valid}");
        let (code, out, _) = call(&["dataset", "export", text(&file), "--out", text(&csv)]);
        assert_eq!((code, out), (0, format!("wrote 40 of 40 positions to {}\n", text(&csv))));
        assert_eq!(std::fs::read_to_string(&csv).unwrap().lines().count(), 41);
        std::fs::remove_file(&csv).unwrap();
        assert_eq!(call(&["dataset", "export", text(&file)]).0, 0);
        assert!(csv.exists(), "the default name");
    }
    let (code, _, err) = call(&["dataset", "validate", text(&file), "--ruleset", "ludii"]);
    assert!(code == 1 && err.contains("--ruleset"), "{err}");
    let (code, _, err) = call(&["dataset", "export", text(&file), "--out", text(&file)]);
    assert!(code == 1 && err.contains("would replace"), "{err}");
    let (code, _, err) = call(&["dataset", "stats", text(&csv)]);
    assert!(code == 1 && err.contains("byte 0"), "{err}");
}

#[test]
fn datasets_are_divided_put_together_repaired_and_imported() {
    let directory = tempfile::tempdir().unwrap();
    let place = |name: &str| directory.path().join(name);
    let names = ["all.acd", "a.acd", "b.acd", "again.acd", "few.acd", "all.csv", "bad.acd", "saved.acd"];
    let [all, a, b, again, few, csv, bad, saved] = names.map(place);
    play("shatranj", "1", &all);
    let read = |path: &Path| std::fs::read(path).unwrap();
    let ok = |arguments: &[&str]| {
        let (code, out, err) = call(&[&["dataset"], arguments].concat());
        assert!(code == 0 && err.is_empty(), "{arguments:?}: {err}");
        out
    };
    let out = ok(&["split", text(&all), "--share", "0.75", "--out", text(&a), "--rest", text(&b)]);
    assert!(out.contains("wrote 9 games") && out.contains("wrote 3 games"), "{out}");
    let out = ok(&["merge", text(&b), text(&a), "--out", text(&again)]);
    assert!(out.contains("games: 12\n") && out.contains("in more than one file: 0 games"), "{out}");
    assert_eq!(read(&again), read(&all));
    ok(&["dedup", text(&all), "--out", text(&again)]);
    assert_eq!(read(&again), read(&all));
    ok(&["sample", text(&all), "--games", "5", "--out", text(&few)]);
    assert!(ok(&["stats", text(&few)]).contains("run 0: 5 of 12 games, a part"));
    ok(&["validate", text(&few), "--unique"]);
    ok(&["export", text(&all), "--out", text(&csv)]);
    ok(&["import", text(&csv), "--like", text(&all), "--out", text(&again)]);
    assert_eq!(read(&again), read(&all));
    ok(&["import", text(&csv), "--ruleset", "shatranj", "--out", text(&again)]);
    ok(&["validate", text(&again)]);
    assert!(ok(&["stats", text(&again)]).contains("config: null"));
    let mut bytes = read(&all);
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    std::fs::write(&bad, &bytes).unwrap();
    let (code, _, err) = call(&["dataset", "validate", text(&bad)]);
    assert!(code == 1 && err.contains("dataset repair"), "{err}");
    let out = ok(&["repair", text(&bad), "--out", text(&saved)]);
    assert!(out.contains("lost: 0 games\n"), "{out}");
    assert_eq!(read(&saved), read(&all));

    let taken: &[(&[&str], &str)] = &[
        (&["merge", text(&a), text(&b), "--out", text(&a)], "would replace"),
        (&["dedup", text(&a), "--out", text(&a)], "would replace"),
        (&["split", text(&a), "--out", text(&a), "--rest", text(&b)], "would replace"),
        (&["split", text(&all), "--out", text(&again), "--rest", text(&again)], "would replace"),
        (&["sample", text(&a), "--games", "1", "--out", text(&a)], "would replace"),
        (&["repair", text(&bad), "--like", text(&a), "--out", text(&a)], "would replace"),
        (&["import", text(&csv), "--like", text(&all), "--out", text(&all)], "would replace"),
        (
            &["import", text(&csv), "--like", text(&all), "--ruleset", "murray", "--out", text(&again)],
            "--ruleset",
        ),
        (&["sample", text(&a), "--games", "99", "--out", text(&again)], "at least the 99"),
        (&["split", text(&a), "--share", "7", "--out", text(&again), "--rest", text(&few)], "0 to 1"),
    ];
    let before = [&all, &a, &b, &again, &few].map(|path| read(path));
    for (arguments, says) in taken {
        let (code, _, err) = call(&[&["dataset"], *arguments].concat());
        assert!(code == 1 && err.contains(says), "{arguments:?}: {err}");
        assert_eq!([&all, &a, &b, &again, &few].map(|path| read(path)), before, "{arguments:?}");
    }
    for (arguments, says) in [
        (&["export", text(&all), "--plies", "9:2"][..], "the lower first"),
        (&["export", text(&all), "--scores", "1"], "the lower first"),
        (&["export", text(&all), "--format", "json"], "csv"),
        (&["import", text(&csv)], "--like"),
        (&["split", text(&all)], "--rest"),
    ] {
        let (code, _, err) = call(&[&["dataset"], arguments].concat());
        assert!(code == 2 && err.contains(says), "{arguments:?}: {err}");
    }
    // Twice the same game, told apart by its number alone; in a run that is known it would not be what its stream draws.
    let (mut header, mut records) = {
        let mut reader = crate::dataset::Reader::open(&all).unwrap();
        (reader.header().clone(), reader.by_ref().map(Result::unwrap).collect::<Vec<_>>())
    };
    (header.runs[0].config, header.runs[0].complete) = (None, false);
    records[4] = crate::dataset::Record { game: 4, ..records[2].clone() };
    let mut writer = crate::dataset::Writer::create(&bad, &header).unwrap();
    records.iter().for_each(|record| writer.push(record).unwrap());
    writer.finish().unwrap();
    assert!(ok(&["validate", text(&bad)]).contains("duplicates: 1 games, 1 openings"));
    let (code, _, err) = call(&["dataset", "validate", text(&bad), "--unique"]);
    assert!(code == 1 && err.contains("dataset dedup"), "{err}");
    assert!(ok(&["dedup", text(&bad), "--out", text(&saved)]).contains("dropped as duplicates: 1 games"));
    ok(&["validate", text(&saved), "--unique"]);
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
        (&["selfplay", "--adjudicate-draw", "10:20"], 2, "10:20:100"),
        (&["selfplay", "--resign", "x:1"], 2, "1500:5"),
        (&["selfplay", "--softmax", "50:8:70000"], 2, "50:8:4"),
        (&["selfplay", "--shard", "3/3"], 2, "expected 0 to 2"),
        (&["selfplay", "--shard", "0/3", "--shards", "3"], 2, "--shards"),
        (&["selfplay", "--book", "x", "--deletions", "1"], 2, "--deletions"),
        (&["selfplay", "--shard", "0/3", "--games", "2"], 1, "at most as many as games"),
        (&["selfplay", "--shards", "3"], 1, "SLURM_ARRAY_TASK_ID"),
        (&["selfplay", "--soft-nodes", "401"], 1, "soft_nodes: found 401, expected 1 to 400"),
        (&["selfplay", "--deletions", "4"], 1, "deletions: found 4, expected 1 to 3"),
        (&["selfplay", "--softmax", "50:8:1"], 1, "softmax.lines: found 1, expected 2 to 64"),
        (&["selfplay", "--softmax", "50:8:4", "--dice"], 1, "softmax: found it with dice"),
        (&["selfplay", "--adjudicate-draw", "1001:20:0"], 1, "draw.score_cp: found 1001"),
        (&["selfplay", "--resign", "0:1"], 1, "resignation.score_cp: found 0"),
        (&["selfplay", "--book", "nowhere.epd"], 1, "nowhere.epd"),
        (&["selfplay", "--ruleset", "murray", "--ruleset", "murray"], 1, "found murray twice"),
        (&["selfplay", "--ruleset", "murray", "--ruleset", "ludii", "--weights", "w"], 1, "--weights"),
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
        (vec!["adjudication", text(&file), "--resign", "0:2"], "resignation.score_cp"),
        (vec!["adjudication", text(&book), "--resign", "500:2"], "book.epd"),
    ] {
        let (code, _, err) = call(&arguments);
        assert!(code == 1 && err.contains(says), "{err}");
    }
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
fn a_merge_says_which_games_of_each_run_there_are() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str| directory.path().join(name);
    for shard in ["0/4", "1/4", "2/4", "3/4"] {
        let play = ["selfplay", "--ruleset", "murray", "--games", "8", "--nodes", "5", "--max-plies", "12"];
        let (code, _, err) =
            call(&[&play[..], &["--shard", shard, "--out", text(&file("games.acd"))]].concat());
        assert_eq!(code, 0, "{err}");
    }
    let parts = [0, 1, 2, 3].map(|index| file(&format!("games-{index}-of-4.acd")));
    let whole = file("games.acd");
    let merge = |chosen: &[usize]| {
        let chosen: Vec<&str> = chosen.iter().map(|&index| text(&parts[index])).collect();
        call(&[&["dataset", "merge", "--out", text(&whole)], &chosen[..]].concat()).1
    };
    for (chosen, says) in [
        (&[0, 1, 2, 3][..], "games of run 0: numbers 0 to 7, all there\n"),
        (&[1, 2], "games of run 0: numbers 2 to 5, all there\n"),
        (&[0, 2, 3], "games of run 0: numbers 0 to 7, some missing\n"),
    ] {
        let out = merge(chosen);
        assert!(out.contains(says), "{out}");
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
fn presets_are_explained_and_unknown_ones_refused_with_a_list() {
    let (_, help, _) = call(&["study", "--help"]);
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("quick: two readings") && help.contains("standard: all ten readings"), "{help}");
    let (code, _, err) = call(&["study", "--preset", "slow"]);
    assert!(code == 2 && err.contains("quick") && err.contains("standard"), "{err}");
    let (code, _, err) = call(&["compare", "muray", "ludii"]);
    assert!(code == 1 && err.contains("did you mean murray") && err.contains("codex-literal"), "{err}");
}

#[test]
fn tune_writes_weights_and_values_and_never_over_its_input() {
    let directory = tempfile::tempdir().unwrap();
    let [games, weights, csv] = ["g.acd", "w.toml", "v.csv"].map(|name| directory.path().join(name));
    play("shatranj", "1", &games);
    let tune = |out: &Path, csv: &Path| {
        call(&["tune", text(&games), "--all", "--replicates", "100", "--out", text(out), "--csv", text(csv)])
    };
    let (code, out, err) = tune(&weights, &csv);
    assert!(code == 0 && out.contains("finished games (of 12 games)"), "{out}{err}");
    assert!(!out.contains("Adjacent pairs"), "without pips there are none: {out}");
    let reading = load_reading("shatranj").unwrap();
    let text_of = std::fs::read_to_string(&weights).unwrap();
    assert!(acedrex_engine::eval::Weights::from_toml(&reading.rules, "w", &text_of).is_ok());
    assert!(std::fs::read_to_string(&csv).unwrap().starts_with("column,theta,"));
    // The same file by another path.
    let detour = directory.path().join(".").join("g.acd");
    let before = std::fs::read(&games).unwrap();
    for (out, csv) in [(&detour, &csv), (&weights, &detour), (&weights, &weights)] {
        let (code, _, err) = tune(out, csv);
        assert!(code == 1 && err.contains("would replace"), "{err}");
    }
    let (code, _, err) = call(&["compare", text(&games), text(&games), "--csv", text(&detour)]);
    assert!(code == 1 && err.contains("would replace"), "{err}");
    let (code, _, err) = call(&["dataset", "export", text(&games), "--out", text(&detour)]);
    assert!(code == 1 && err.contains("would replace"), "{err}");
    assert_eq!(std::fs::read(&games).unwrap(), before);
    let (code, _, err) =
        call(&["tune", text(&games), text(&detour), "--out", text(&weights), "--csv", text(&csv)]);
    assert!(code == 1 && err.contains("count twice"), "{err}");
}

#[test]
fn compare_knows_mirror_images_and_samples_of_one_reading() {
    let directory = tempfile::tempdir().unwrap();
    let [rules, a, b, csv] =
        ["mirror.toml", "a.acd", "b.acd", "c.csv"].map(|name| directory.path().join(name));
    let parent = acedrex_engine::rules::builtin("shatranj").unwrap();
    let start = parent.mirrored().start_fen();
    let toml = format!(
        "id = \"mirror\"\ntitle = \"Mirror\"\nextends = \"shatranj\"\n\n[source]\ncitation = \"a test\"\n\
         confidence = \"conjecture\"\n\n[board]\nstart = \"{}\"\n",
        start.split(' ').next().unwrap()
    );
    std::fs::write(&rules, toml).unwrap();
    play("shatranj", "1", &a);
    play(text(&rules), "1", &b);
    let quick = ["--replicates", "100", "--threads", "1", "--csv", text(&csv)];
    let compare = |files: &[&str]| call(&[&["compare"][..], files, &quick].concat());
    let (code, out, err) = compare(&[text(&a), text(&b), "--ruleset", text(&rules)]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("shatranj and mirror: the same game, or its mirror image; White's scores"), "{out}");
    assert!(out.contains("within 0.05 of each other"), "{out}");
    let rows = std::fs::read_to_string(&csv).unwrap();
    assert!(rows.lines().last().unwrap().starts_with("replication,shatranj,mirror,White's score,"), "{rows}");

    let (code, out, err) = compare(&[text(&a), text(&a)]);
    assert!(code == 0 && err.contains("warning: ") && err.contains("hold the same games"), "{err}");
    assert!(out.contains("shatranj (1: a)") && out.contains("shatranj (2: a)"), "{out}");

    // Named twice, a reading is played twice, not the same games twice.
    let (code, out, err) = compare(&["shatranj", "shatranj", "--games", "8", "--nodes", "5"]);
    assert_eq!(code, 0, "{err}");
    let length = out.lines().find(|line| line.starts_with("length, plies")).unwrap();
    let cells: Vec<&str> = length.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
    assert!(cells.len() == 3 && cells[1] != cells[2], "{length}");
}
