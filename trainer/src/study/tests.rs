//! Whole studies, tiny ones.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use acedrex_engine::cli::load_reading;
use acedrex_engine::eval::Weights;

use super::*;
use crate::selfplay::weights_id;

const TINY: &str = r#"
name = "tiny"
readings = ["shatranj", "murray"]
replicates = 100
shard = 5
max_plies = 200
adjudication = { score_cp = 500, plies = 3 }
[first]
games = 12
nodes = 30
[second]
games = 12
nodes = 40
"#;

fn config(text: &str) -> StudyConfig {
    StudyConfig::from_toml("tiny.toml", text).unwrap()
}

fn open(config: &StudyConfig, seed: u64, folder: &Path) -> Result<Study, StudyError> {
    let readings = config.readings.iter().map(|id| load_reading(id).unwrap()).collect();
    Study::open(config, readings, seed, folder)
}

/// Runs a study; returns the headline and how many games were played.
fn run(config: &StudyConfig, seed: u64, folder: &Path, threads: usize) -> Result<(String, u64), StudyError> {
    let mut played = 0;
    let mut report = |label: &str, done: u64, _: u64, note: &str| {
        if label.ends_with("games") && done % config.shard == 1 && note.is_empty() {
            played += 1;
        }
    };
    let headline = open(config, seed, folder)?.run(threads, "a test", &mut report)?;
    Ok((headline, played))
}

/// All files but the log.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            found.extend(files(&path).into_iter().map(|(below, bytes)| (format!("{name}/{below}"), bytes)));
        } else if name != "run.log" {
            found.insert(name, fs::read(&path).unwrap());
        }
    }
    found
}

fn expect_same(a: &BTreeMap<String, Vec<u8>>, b: &BTreeMap<String, Vec<u8>>) {
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
    for (name, bytes) in a {
        assert!(bytes == &b[name], "{name} differs");
    }
}

fn text(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

#[test]
fn a_study_gives_the_same_bytes_anywhere_again_and_after_losses() {
    let directory = tempfile::tempdir().unwrap();
    let (a, b) = (directory.path().join("a"), directory.path().join("somewhere/else"));
    let tiny = config(TINY);
    let (headline, played) = run(&tiny, 7, &a, 1).unwrap();
    assert!(played > 0 && headline.contains("12 games of each reading at 40 nodes a move"), "{headline}");
    let first = files(&a);
    for name in ["manifest.json", "report.md", "compare.csv", "results.svg", "lengths.svg"] {
        assert!(first.contains_key(name), "{name}: {:?}", first.keys());
    }
    for name in ["games-1-000.acd", "games-1-002.acd", "games-2-002.acd", "weights-1.toml", "weights-2.toml"]
    {
        assert!(first.contains_key(&format!("murray/{name}")), "{name}: {:?}", first.keys());
    }

    let (there, _) = run(&tiny, 7, &b, 3).unwrap();
    assert_eq!(there, headline);
    expect_same(&first, &files(&b));

    // Again in the same folder: nothing is played.
    let shard = a.join("murray/games-2-000.acd");
    let before = fs::metadata(&shard).unwrap().modified().unwrap();
    assert_eq!(run(&tiny, 7, &a, 2).unwrap(), (headline.clone(), 0));
    assert_eq!(fs::metadata(&shard).unwrap().modified().unwrap(), before);
    expect_same(&first, &files(&a));

    // As if stopped in the middle: later files are missing, temporary ones are left.
    for name in ["report.md", "tau.svg", "compare.csv", "murray/games-2-001.acd", "murray/games-2-002.acd"] {
        let _ = fs::remove_file(a.join(name));
    }
    fs::remove_dir_all(a.join("shatranj")).unwrap();
    for name in [
        ".report.md.aB3cD4.partial",
        "murray/.games-2-001.acd.xYz123.partial",
        "murray/.games-2-000.acd.games",
    ] {
        fs::write(a.join(name), "half").unwrap();
    }
    let (again, played) = run(&tiny, 7, &a, 2).unwrap();
    assert!(again == headline && played > 0);
    expect_same(&first, &files(&a));

    let log = text(&a, "run.log");
    assert_eq!(log.matches("run of acedrex-trainer").count(), 3, "{log}");
    assert!(
        log.contains("command: a test") && log.contains("threads: 2") && log.contains("done after"),
        "{log}"
    );
    // The report says what results depend on, and nothing else.
    let report = text(&a, "report.md");
    let manifest = text(&a, "manifest.json");
    assert!(report.contains(manifest.trim()), "{report}");
    for word in ["a test", directory.path().to_str().unwrap(), "threads:", " s)"] {
        assert!(!report.contains(word), "{word}: {report}");
    }
    let fingerprint = load_reading("murray").unwrap().rules.fingerprint();
    assert!(manifest.contains(&acedrex_engine::rules::hex(&fingerprint)) && manifest.contains("\"seed\": 7"));
}

#[test]
fn readings_start_from_the_mobility_formula_whatever_weights_ship() {
    let folder = tempfile::tempdir().unwrap();
    run(&config(TINY), 1, &folder.path().join("study"), 2).unwrap();
    let shatranj = load_reading("shatranj").unwrap();
    let [formula, shipped] = [Weights::from_mobility(&shatranj), Weights::default_for(&shatranj)]
        .map(|weights| weights_id(&shatranj.rules, &weights));
    for name in ["study/manifest.json", "study/shatranj/weights-1.toml"] {
        let text = text(folder.path(), name);
        assert!(text.contains(&formula) && !text.contains(&shipped), "{text}");
    }
}

#[test]
fn what_a_reading_gives_does_not_depend_on_the_others() {
    let directory = tempfile::tempdir().unwrap();
    let (both, one) = (directory.path().join("both"), directory.path().join("one"));
    run(&config(TINY), 2, &both, 2).unwrap();
    let alone = config(&TINY.replace(r#""shatranj", "murray""#, r#""murray""#));
    run(&alone, 2, &one, 1).unwrap();
    expect_same(&files(&both.join("murray")), &files(&one.join("murray")));
    assert!(text(&one, "report.md").contains("One reading: nothing to compare"));
    // The figures too, but for what is corrected over all.
    let figures = |folder: &Path| -> Vec<String> {
        let csv = text(folder, "compare.csv");
        let of = |line: &&str| ["figure,murray", "theta,murray"].iter().any(|start| line.starts_with(start));
        csv.lines().filter(of).map(str::to_owned).collect()
    };
    assert!(figures(&both).len() > 20);
    assert_eq!(figures(&both), figures(&one));
}

#[test]
fn two_ids_of_one_game_are_two_samples() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("twin.toml");
    let toml = "id = \"twin\"\ntitle = \"Twin\"\nextends = \"shatranj\"\n\n\
                [source]\ncitation = \"a test\"\nconfidence = \"conjecture\"\n";
    fs::write(&path, toml).unwrap();
    let mut tiny = config(TINY);
    tiny.readings = vec!["shatranj".into(), path.to_str().unwrap().into()];
    let folder = directory.path().join("out");
    run(&tiny, 1, &folder, 2).unwrap();
    let found = files(&folder);
    assert_ne!(found["shatranj/games-1-000.acd"], found["twin/games-1-000.acd"]);
    let report = text(&folder, "report.md");
    assert!(report.contains("shatranj and twin: the same game, or its mirror image"), "{report}");
}

#[test]
fn a_folder_of_something_else_is_refused_and_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path().join("study");
    let mut tiny = config(&TINY.replace(r#""shatranj", "murray""#, r#""shatranj""#));
    run(&tiny, 1, &folder, 2).unwrap();
    let (before, log) = (files(&folder), text(&folder, "run.log"));
    let refused = |config: &StudyConfig, seed, word: &str| {
        let error = run(config, seed, &folder, 2).unwrap_err().to_string();
        assert!(error.contains(word) && error.contains("--out") && error.contains("study tiny"), "{error}");
        assert!(files(&folder) == before && text(&folder, "run.log") == log);
    };
    refused(&tiny, 2, "another seed");
    tiny.second.nodes += 1;
    refused(&tiny, 1, "another configuration");
    tiny.second.nodes -= 1;
    tiny.readings = vec!["murray".into()];
    refused(&tiny, 1, "another configuration, another rules or start weights");

    let other = directory.path().join("other");
    fs::create_dir(&other).unwrap();
    for (name, content, word) in [
        ("notes.txt", &b"mine"[..], "other files"),
        ("manifest.json", b"{}", "no study's"),
        ("manifest.json", b"\xff\xfe", "no study's"),
        (".notes.txt.abc123.partial", b"mine", "other files"),
    ] {
        fs::write(other.join(name), content).unwrap();
        let before = files(&other);
        let error = run(&tiny, 1, &other, 2).unwrap_err().to_string();
        assert!(error.contains(word) && error.contains("--out"), "{error}");
        assert!(files(&other) == before);
        fs::remove_file(other.join(name)).unwrap();
    }
    // What a run killed at its very first file left is no one else's.
    fs::write(other.join(".manifest.json.abc123.partial"), "{").unwrap();
    tiny.readings = vec!["shatranj".into()];
    run(&tiny, 1, &other, 2).unwrap();
    expect_same(&before, &files(&other));
    fs::write(directory.path().join("file"), "").unwrap();
    assert!(run(&tiny, 1, &directory.path().join("file"), 1).is_err());
}

#[test]
fn a_damaged_or_foreign_shard_stops_the_study_and_is_kept() {
    let directory = tempfile::tempdir().unwrap();
    let tiny = config(&TINY.replace(r#""shatranj", "murray""#, r#""shatranj""#));
    run(&tiny, 1, directory.path(), 2).unwrap();
    let good = files(directory.path());
    let path = directory.path().join("shatranj/games-2-001.acd");
    let whole = fs::read(&path).unwrap();
    let mut flipped = whole.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 0x10;
    let other = fs::read(directory.path().join("shatranj/games-2-000.acd")).unwrap();
    for (bytes, word) in [
        (flipped, "checksum"),
        (whole[..40].to_vec(), "cut off"),
        (Vec::new(), "empty"),
        (other, "another configuration"),
    ] {
        fs::write(&path, &bytes).unwrap();
        let error = run(&tiny, 1, directory.path(), 2).unwrap_err().to_string();
        let named = path.to_str().unwrap();
        assert!(error.starts_with(named) && error.matches(named).count() == 1, "{error}");
        assert!(error.contains(word) && error.contains("delete it"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), bytes);
        assert!(text(directory.path(), "run.log").contains("failed: "));
    }
    fs::remove_file(&path).unwrap();
    run(&tiny, 1, directory.path(), 1).unwrap();
    expect_same(&good, &files(directory.path()));
}

#[test]
fn two_runs_at_once_in_one_folder_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let tiny = config(TINY);
    let (study, other) =
        (open(&tiny, 1, directory.path()).unwrap(), open(&tiny, 1, directory.path()).unwrap());
    let mut tried = None;
    let mut report = |_: &str, _: u64, _: u64, _: &str| {
        tried.get_or_insert_with(|| other.run(1, "other", &mut |_, _, _, _| {}).unwrap_err().to_string());
    };
    study.run(1, "first", &mut report).unwrap();
    assert!(tried.unwrap().contains("another run is at work"));
    assert!(!text(directory.path(), "run.log").contains("other"));
}

#[test]
fn too_little_data_is_said_and_never_a_panic() {
    let directory = tempfile::tempdir().unwrap();
    let small = TINY.replace(r#""shatranj", "murray""#, r#""shatranj""#);
    // One game; all unfinished, so no quiet position; all drawn, since the kings and nothing else decide.
    let one = config(&small.replace("games = 12", "games = 1"));
    let capped = config(&small.replace("max_plies = 200", "max_plies = 9"));
    let never = config(&small.replace("score_cp = 500, plies = 3", "score_cp = 32000, plies = 900"));
    for (name, config, words) in [
        ("one", one, &["not tuned, weights left as they were", "Not measured: "][..]),
        ("capped", capped, &["no positions to fit", "no pips", "Unfinished games are in no score"]),
        ("never", never, &["## Measured values"]),
    ] {
        let folder = directory.path().join(name);
        let (headline, _) = run(&config, 1, &folder, 2).unwrap();
        let report = text(&folder, "report.md");
        for word in words {
            assert!(report.contains(word), "{name}, {word}: {report}");
        }
        assert!(!report.contains("NaN") && !headline.contains("NaN"), "{report}");
        for link in report.split("](").skip(1).filter_map(|rest| rest.split_once(')')) {
            assert!(folder.join(link.0).exists(), "{name}: {}", link.0);
        }
    }
}

#[test]
fn pairs_are_corrected_over_all_readings() {
    let directory = tempfile::tempdir().unwrap();
    let mut many = config(&TINY.replace(r#""shatranj", "murray""#, r#""cazaux-musser", "murray""#));
    (many.first.games, many.second.games, many.shard) = (2, 120, 200);
    run(&many, 1, directory.path(), 2).unwrap();
    let mut csv = csv::Reader::from_path(directory.path().join("compare.csv")).unwrap();
    let rows: Vec<csv::StringRecord> = csv.records().map(Result::unwrap).collect();
    let pairs: Vec<&csv::StringRecord> = rows.iter().filter(|row| &row[0] == "pips-pair").collect();
    assert_eq!(pairs.len(), 12);
    let number = |row: &csv::StringRecord, i: usize| row[i].parse().unwrap_or(f64::NAN);
    let p: Vec<f64> = pairs.iter().map(|row| number(row, 8)).collect();
    assert!(p.iter().filter(|p| !p.is_nan()).count() > 6, "{p:?}");
    for (row, adjusted) in pairs.iter().zip(crate::stats::holm::adjust(&p)) {
        let found = number(row, 9);
        assert!((found - adjusted).abs() < 2e-5 || (found.is_nan() && adjusted.is_nan()), "{row:?}");
    }
    assert!(
        text(directory.path(), "report.md")
            .contains("over the pairs of all readings of this report, one family")
    );
}
