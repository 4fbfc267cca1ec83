use acedrex_engine::cli::load_reading;
use acedrex_engine::game::Position;

use super::*;

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
    let end = format!("games.csv, line {}: found the end after 9 games of run 0", part.len());
    assert!(code == 1 && err.contains(&end), "{err}");
}

#[test]
fn games_are_played_summed_up_exported_and_validated() {
    let directory = tempfile::tempdir().unwrap();
    let (file, csv) = (directory.path().join("games.acd"), directory.path().join("games.csv"));
    for dice in [false, true] {
        let _ = std::fs::remove_file(&file);
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
        (&[0, 1, 2, 3][..], "numbers 0 to 7, all there"),
        (&[1, 2], "numbers 0 to 7, 4 of 8 there, missing 0 to 1, 6 to 7"),
        (&[0, 2, 3], "numbers 0 to 7, 6 of 8 there, missing 2 to 3"),
        (&[0, 1, 2], "numbers 0 to 7, 6 of 8 there, missing 6 to 7"),
        (&[3], "numbers 0 to 7, 2 of 8 there, missing 0 to 5"),
    ] {
        let out = merge(chosen);
        assert!(out.contains(&format!("games of run 0: {says}\n")), "{out}");
        let (_, stats, _) = call(&["dataset", "stats", text(&whole)]);
        let state = if chosen.len() == 4 { "8 of 8 games, complete" } else { "of 8 games, a part" };
        assert!(stats.contains(state), "{chosen:?}: {stats}");
        let run = crate::dataset::Reader::open(&whole).unwrap().header().runs[0].clone();
        assert_eq!(run.complete, [1, 4].contains(&chosen.len()), "{chosen:?}");
        assert_eq!(call(&["dataset", "validate", text(&whole)]).0, 0);
    }
    // Those that came later make it whole, and the same bytes.
    merge(&[0, 1, 2, 3]);
    let (bytes, some) = (std::fs::read(&whole).unwrap(), file("some.acd"));
    merge(&[0, 2]);
    std::fs::rename(&whole, &some).unwrap();
    let rest = [text(&some), text(&parts[3]), text(&parts[1]), "--out", text(&whole)];
    assert!(call(&[&["dataset", "merge"], &rest[..]].concat()).1.contains("all there"));
    assert_eq!(std::fs::read(&whole).unwrap(), bytes);
    // A sample tells its games, and what was dropped is not missing.
    let few = file("few.acd");
    assert_eq!(call(&["dataset", "sample", text(&whole), "--games", "3", "--out", text(&few)]).0, 0);
    let out = call(&["dataset", "merge", text(&few), "--out", text(&some)]).1;
    assert!(out.contains("numbers 0 to 7, 3 of 8 there, missing "), "{out}");
}

#[test]
fn games_that_an_earlier_merge_dropped_are_not_called_missing() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str| directory.path().join(name);
    let play = ["selfplay", "--ruleset", "murray", "--games", "300", "--nodes", "1", "--max-plies", "12"];
    for index in 0..3 {
        let (shard, out) = (format!("{index}/3"), file("games.acd"));
        let options = ["--opening-plies", "2", "--seed", "4", "--shard", &shard, "--out", text(&out)];
        assert_eq!(call(&[&play[..], &options].concat()).0, 0);
    }
    let [first, second, third] = [0, 1, 2].map(|index| file(&format!("games-{index}-of-3.acd")));
    let merge = |files: &[&Path], out: &str| {
        let files: Vec<&str> = files.iter().map(|file| text(file)).collect();
        call(&[&["dataset", "merge", "--out", text(&file(out))], &files[..]].concat()).1
    };
    assert!(merge(&[&first, &second, &third], "whole.acd").contains("numbers 0 to 299, all there\n"));
    let header = crate::dataset::Reader::open(&file("whole.acd")).unwrap().header().clone();
    assert!(header.runs[0].duplicates_dropped > 0);
    let out = merge(&[&first, &second], "some.acd");
    assert!(out.contains("numbers 0 to 299, 200 of 300 there, missing 200 to 299\n"), "{out}");
    let out = merge(&[&file("some.acd"), &third], "rest.acd");
    assert!(out.contains("numbers 0 to 299, all there\n"), "{out}");
    assert_eq!(std::fs::read(file("rest.acd")).unwrap(), std::fs::read(file("whole.acd")).unwrap());
    // Alone it has lost games that nobody can tell from those it has dropped.
    let out = merge(&[&file("some.acd")], "again.acd");
    assert!(out.contains(", 200 of 300 there, missing 100 of "), "{out}");
}

#[test]
fn a_folder_is_called_a_folder_and_the_file_in_it_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let (here, out) = (text(directory.path()), directory.path().join("out.acd"));
    let commands: &[&[&str]] = &[
        &["stats"],
        &["validate"],
        &["export"],
        &["merge"],
        &["dedup"],
        &["split", "--rest", "rest.acd"],
        &["sample", "--games", "1"],
        &["repair"],
        &["import", "--ruleset", "murray"],
    ];
    for name in ["NAME", "games"] {
        if name == "games" {
            play("shatranj", "1", &directory.path().join("games.acd"));
            std::fs::write(directory.path().join("games.csv"), "").unwrap();
        }
        for command in commands {
            let mut arguments = [&["dataset", command[0], here], &command[1..]].concat();
            if !["stats", "validate"].contains(&command[0]) {
                arguments.extend(["--out", text(&out)]);
            }
            let (code, _, err) = call(&arguments);
            let ending = if command[0] == "import" { "csv" } else { "acd" };
            let says = format!("{here}: found a folder, expected a ");
            let file = format!("which is a file such as {here}/{name}.{ending}\n");
            assert!(code == 1 && err.contains(&says) && err.contains(&file), "{arguments:?}: {err}");
            assert!(!out.exists());
        }
    }
}

#[test]
fn an_import_without_rules_is_told_of_both_options_that_name_them() {
    let (code, _, err) = call(&["dataset", "import", "games.csv"]);
    assert!(code == 2 && err.contains("<--like <F>|--ruleset <R>>"), "{err}");
}
