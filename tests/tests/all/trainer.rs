use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use acedrex_engine::eval::{Evaluator, Weights};
use acedrex_engine::rules::Reading;
use acedrex_engine::types::Move;
use acedrex_trainer::cli::run;
use acedrex_trainer::dataset::{
    Encoder, End, ExportFormat, Filter, GameResult, Header, Reader, Record, export,
};
use acedrex_trainer::selfplay::{Adjudication, Config, play_in_memory};
use acedrex_trainer::study::StudyConfig;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::common::{amount, reading};

const STUDY: &str = r#"name = "tiny"
readings = ["shatranj"]
replicates = 100
shard = 2
max_plies = 14
decides = false
[opening]
kind = "uniform"
plies = 4
[first]
games = 3
nodes = 2
[second]
games = 3
nodes = 2
"#;

/// The commands that read a dataset and must refuse a damaged one.
const COMMANDS: usize = 10;

/// A folder, the inputs in it, and where outputs go.
struct Place {
    directory: tempfile::TempDir,
    reading: Arc<Reading>,
    header: Header,
    records: Vec<Record>,
    bytes: Vec<u8>,
}

impl Place {
    fn new() -> Place {
        let reading = reading("shatranj");
        let evaluator = Evaluator::new(&reading, &Weights::from_mobility(&reading));
        // The first seed whose games end in more than one way: else there is nothing to measure.
        let play = |seed| {
            let config = Config {
                games: 8,
                nodes: 8,
                seed,
                max_plies: 160,
                adjudication: Some(Adjudication { score_cp: 300, plies: 2 }),
                ..Config::default()
            };
            let (records, _) = play_in_memory(&reading, &evaluator, &config, 1).unwrap();
            let has = |result| records.iter().filter(|record| record.result == result).count() > 1;
            (has(GameResult::WhiteWins) && has(GameResult::BlackWins)).then_some((config, records))
        };
        let (config, records) = (1..100).find_map(play).unwrap();
        let header = Header::new(&reading.rules, "w", &config);
        let place =
            Place { directory: tempfile::tempdir().unwrap(), reading, header, records, bytes: Vec::new() };
        let bytes = place.encode(&place.header, &place.records);
        fs::write(place.path("good.acd"), &bytes).unwrap();
        let reader = Reader::new(Path::new("x"), &bytes[..]).unwrap();
        let csv = place.path("good.csv");
        export(reader, &place.reading, &Filter::default(), ExportFormat::Csv, &csv).unwrap();
        fs::write(place.path("study.toml"), STUDY).unwrap();
        fs::create_dir(place.path("out")).unwrap();
        Place { bytes, ..place }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    fn encode(&self, header: &Header, records: &[Record]) -> Vec<u8> {
        let mut encoder = Encoder::new(Path::new("x"), Vec::new(), header).unwrap();
        records.iter().for_each(|record| encoder.push(record).unwrap());
        encoder.finish().unwrap()
    }

    /// Runs a command. Whatever it was given: 0, 1 or 2, one clear error, and outputs whole or not there at all.
    fn call(&self, arguments: &[String]) -> (u8, String) {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let words = std::iter::once("acedrex-trainer").chain(arguments.iter().map(String::as_str));
        let code = run(words, &mut out, &mut err);
        let err = String::from_utf8(err).unwrap();
        let errors = err.lines().filter(|line| line.starts_with("error: ")).count();
        match code {
            0 => assert_eq!(errors, 0, "{arguments:?}: {err}"),
            1 => assert_eq!(errors, 1, "{arguments:?}: {err}"),
            2 => assert!(errors == 1 || err.contains("Usage:"), "{arguments:?}: {err}"),
            _ => panic!("status {code}: {arguments:?}"),
        }
        let mut left = Vec::new();
        list(&self.path("out"), &mut left);
        assert!(left.iter().all(|name| !name.ends_with(".partial")), "{arguments:?}: {left:?}");
        // A study keeps what it finished: then it has a manifest.
        let study = left.iter().any(|name| name.ends_with("study/manifest.json"));
        assert!(code == 0 || left.is_empty() || study, "{arguments:?}: {left:?}");
        if fs::read_dir(self.path("out")).unwrap().next().is_some() {
            fs::remove_dir_all(self.path("out")).unwrap();
            fs::create_dir(self.path("out")).unwrap();
        }
        (code, err)
    }

    /// A command that reads this dataset.
    fn command(&self, which: usize, file: &str) -> Vec<String> {
        let words = match which % COMMANDS {
            0 => vec!["dataset", "stats", file],
            1 => vec!["dataset", "validate", file],
            2 => vec!["dataset", "export", file, "--out", "out/x.csv"],
            3 => vec!["dataset", "export", file, "--out", "out/x.txt", "--skip-checks", "--per-game", "5"],
            4 => vec!["dataset", "merge", "good.acd", file, "--out", "out/m.acd"],
            5 => vec!["dataset", "dedup", file, "--out", "out/d.acd"],
            6 => vec!["dataset", "sample", file, "--games", "1", "--out", "out/s.acd"],
            7 => vec!["dataset", "split", file, "--out", "out/a.acd", "--rest", "out/b.acd"],
            8 => vec![
                "tune",
                file,
                "--all",
                "--replicates",
                "100",
                "--out",
                "out/w.toml",
                "--csv",
                "out/v.csv",
            ],
            _ => vec![
                "compare",
                file,
                "good.acd",
                "--replicates",
                "100",
                "--threads",
                "1",
                "--csv",
                "out/c.csv",
            ],
        };
        let place = |word: &str| match word.ends_with(".acd") || word.starts_with("out/") {
            true => self.text(word),
            false => word.to_owned(),
        };
        words.into_iter().map(place).collect()
    }
}

fn list(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { list(&path, found) } else { found.push(path.to_str().unwrap().to_owned()) }
    }
}

#[test]
fn good_input_is_taken() {
    let place = Place::new();
    for which in 0..COMMANDS {
        let arguments = place.command(which, "good.acd");
        let (code, err) = place.call(&arguments);
        assert!(code == 0, "{arguments:?}: {err}");
    }
}

#[test]
fn eight_hundred_random_flag_lists() {
    let place = Place::new();
    let mut rng = ChaCha8Rng::seed_from_u64(21);
    // What is fixed keeps games short; a flag given twice is an error.
    let bases = [
        "selfplay --games 1 --nodes 1 --max-plies 12 --hash 1 --threads 1 --check-nodes 9 --out out/g.acd",
        "tune --out out/w.toml --csv out/v.csv",
        "tune good.acd --out out/w.toml --csv out/v.csv --replicates 100",
        "adjudication good.acd --resign 100:1",
        "compare --csv out/c.csv --games 2 --nodes 1 --threads 1",
        "compare good.acd shatranj --csv out/c.csv --games 2 --nodes 1 --threads 1 --replicates 100",
        "study --config study.toml --threads 1 --out out/study",
        "dataset export good.acd --out out/x.csv",
        "dataset stats",
        "dataset validate good.acd",
        "dataset export good.acd --out out/x.txt --plies 2:9 --per-game 2",
        "dataset import good.csv --like good.acd --out out/i.acd",
        "dataset merge good.acd --out out/m.acd",
        "dataset dedup good.acd --out out/d.acd",
        "dataset split good.acd --out out/a.acd --rest out/b.acd",
        "dataset sample good.acd --games 2 --out out/s.acd",
        "dataset repair good.acd --out out/r.acd",
        "dataset",
        "sudy",
        "",
    ];
    let flags = "--ruleset --games --nodes --seed --threads --opening --opening-plies --margin --check-nodes --dice \
                 --adjudicate --play-on-kings --max-plies --first-game --hash --weights --out --csv --all --replicates \
                 --soft-nodes --softmax --deletions --book --adjudicate-draw --resign --shard --shards --json-progress \
                 --preset --config --format --skip-checks --plies --scores --per-game --like --share --rest --unique --keep-duplicates \
                 --help --version -x -- --- --sed --seed= --dice=yes";
    let values = "0|1|2|7|-1|1e3|3.5|abc|| |99999999999999999999|murray|muray|shatranj|balanced|uniform|1500:8|1500|:|0:0|\
                  65536:1|5:4:3|1/2|2/1|quick|nowhere.acd|nowhere.toml|good.acd|study.toml|.|/|good.acd/x|good.csv|9:2|-5:5|0.5|nan|\
                  \u{1f409}|a\0b|%s|'; rm|--seed";
    let (flags, values): (Vec<&str>, Vec<&str>) =
        (flags.split_whitespace().collect(), values.split('|').collect());
    let (mut good, mut failed, mut usage) = (0, 0, 0);
    for _ in 0..amount("TRAINER_FLAGS", 800) {
        let mut words: Vec<String> =
            bases.choose(&mut rng).unwrap().split_whitespace().map(str::to_owned).collect();
        // Either a value is another, or there is more than there should be.
        let inner: Vec<usize> = (0..words.len())
            .filter(|&i| !words[i].starts_with("--") && !words[i].starts_with("out/"))
            .collect();
        if rng.random_bool(0.7)
            && let Some(&at) = inner.choose(&mut rng)
        {
            words[at] = (*values.choose(&mut rng).unwrap()).to_owned();
        } else {
            for _ in 0..rng.random_range(0..3) {
                words.push((*flags.choose(&mut rng).unwrap()).to_owned());
                if rng.random_bool(0.7) {
                    words.push((*values.choose(&mut rng).unwrap()).to_owned());
                }
            }
        }
        for word in &mut words {
            let known = ["good.acd", "good.csv", "study.toml", "nowhere.acd", "nowhere.toml", "good.acd/x"]
                .contains(&word.as_str());
            if known || word.starts_with("out/") {
                *word = place.text(word);
            }
        }
        match place.call(&words).0 {
            0 => good += 1,
            1 => failed += 1,
            _ => usage += 1,
        }
    }
    assert!(good > 30 && failed > 50 && usage > 200, "{good} {failed} {usage}");
}

#[test]
fn six_hundred_mutated_study_files() {
    let place = Place::new();
    let mut rng = ChaCha8Rng::seed_from_u64(22);
    let words = [
        "0",
        "-3",
        "1e9",
        "true",
        "\"murray\"",
        "[]",
        "{}",
        "nan",
        "\"\"",
        "[first]",
        "= 3",
        "18446744073709551616",
    ];
    let wanted = amount("TRAINER_STUDIES", 600);
    let (mut cases, mut good) = (0, 0);
    while cases < wanted {
        let mut lines: Vec<String> = STUDY.lines().map(str::to_owned).collect();
        for _ in 0..rng.random_range(1..4) {
            let at = rng.random_range(0..lines.len());
            match rng.random_range(0..5) {
                0 => drop(lines.remove(at)),
                1 => lines.insert(at, lines[rng.random_range(0..lines.len())].clone()),
                2 => {
                    let key = lines[at].split('=').next().unwrap_or_default().to_owned();
                    lines[at] = format!("{key}= {}", words.choose(&mut rng).unwrap());
                }
                _ => {
                    let mut letters: Vec<char> = lines[at].chars().collect();
                    let place = rng.random_range(0..=letters.len());
                    let letter = *['"', '=', '[', ']', '\n', '#', 'x', '9', '\u{e9}', '\0', '.']
                        .choose(&mut rng)
                        .unwrap();
                    if rng.random_bool(0.5) || place == letters.len() {
                        letters.insert(place, letter);
                    } else if rng.random_bool(0.5) {
                        letters[place] = letter;
                    } else {
                        letters.remove(place);
                    }
                    lines[at] = letters.into_iter().collect();
                }
            }
        }
        let text = lines.join("\n");
        // What is still valid must be small.
        if let Ok(config) = StudyConfig::from_toml("x", &text)
            && [&config.first, &config.second].iter().any(|r| r.games > 50 || r.nodes > 50)
        {
            continue;
        }
        fs::write(place.path("mutated.toml"), &text).unwrap();
        let config = place.text("mutated.toml");
        let arguments = ["study", "--config", &config, "--threads", "1", "--out", &place.text("out/study")];
        let (code, err) = place.call(&arguments.map(str::to_owned));
        assert!(code < 2, "{text}: {err}");
        assert!(
            code == 0
                || err.contains("mutated.toml")
                || err.contains("error: study: ")
                || err.contains("no ruleset"),
            "{text}: {err}"
        );
        good += u32::from(code == 0);
        cases += 1;
    }
    assert!(good > 20, "{good}");
}

#[test]
fn six_hundred_damaged_datasets() {
    let place = Place::new();
    let mut rng = ChaCha8Rng::seed_from_u64(23);
    for case in 0..amount("TRAINER_DAMAGED", 600) {
        let mut bytes = place.bytes.clone();
        let at = rng.random_range(0..bytes.len());
        match rng.random_range(0..5) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, rng.random()),
            2 => drop(bytes.remove(at)),
            3 => bytes.extend_from_within(at..),
            _ => bytes[at] ^= 1 << rng.random_range(0..8),
        }
        if bytes == place.bytes {
            continue;
        }
        fs::write(place.path("bad.acd"), bytes).unwrap();
        let arguments = place.command(case, "bad.acd");
        let (code, err) = place.call(&arguments);
        assert!(code == 1 && err.contains("bad.acd"), "{arguments:?}: {err}");
    }
}

/// Checksums are right, and what they cover is not.
#[test]
fn four_hundred_datasets_of_impossible_games() {
    let place = Place::new();
    let mut rng = ChaCha8Rng::seed_from_u64(24);
    let starts = [
        "",
        "8/8/8/8/8/8/8/8 w - 0 1",
        "kK6/8/8/8/8/8/8/8 w - 0 1",
        "k7/8/8/8/8/8/8/7K b - 0 1",
        "12/12 w",
        "\u{1f409}",
        "k7/8/8/8/8/8/8/7K w - 99999999999 0",
    ];
    let mut good = 0;
    for case in 0..amount("TRAINER_IMPOSSIBLE", 400) {
        let (mut header, mut records) = (place.header.clone(), place.records.clone());
        for _ in 0..rng.random_range(1..3) {
            let index = rng.random_range(0..records.len());
            let record = &mut records[index];
            let ply = rng.random_range(0..record.plies.len());
            match rng.random_range(0..14) {
                0 => record.result = *GameResult::ALL.choose(&mut rng).unwrap(),
                1 => record.end = *End::ALL.choose(&mut rng).unwrap(),
                2 => record.plies.truncate(ply),
                3 => record.opening_plies = rng.random_range(0..=u16::try_from(record.plies.len()).unwrap()),
                4 => record.start = Some((*starts.choose(&mut rng).unwrap()).to_owned()),
                5 => record.plies[ply].mv = Move::from_bits(rng.random()).unwrap_or(Move::NONE),
                6 => record.plies[ply].score_white_cp = Some(rng.random_range(-32_767..=32_767)),
                7 => record.plies[ply].score_white_cp = None,
                8 => record.plies.iter_mut().for_each(|ply| ply.die = Some(4)),
                9 => record.game = rng.random(),
                10 => header.runs[0].config.as_mut().unwrap().games = rng.random(),
                11 => records.truncate(index),
                12 => record.final_hash = rng.random(),
                _ => {
                    header.ruleset =
                        ["murray", "", "\u{1f409}", "../x"].choose(&mut rng).unwrap().to_string();
                }
            }
            if records.is_empty() || records.iter().any(|record| record.plies.is_empty()) {
                break;
            }
        }
        // What the format cannot hold, it refuses to write.
        for record in &mut records {
            record.opening_plies = record.opening_plies.min(u16::try_from(record.plies.len()).unwrap());
            if (record.result == GameResult::Unfinished) != (record.end == End::PlyCap) {
                (record.result, record.end) = (GameResult::Unfinished, End::PlyCap);
            }
        }
        records.sort_by_key(Record::id);
        records.dedup_by_key(|record| record.id());
        fs::write(place.path("bad.acd"), place.encode(&header, &records)).unwrap();
        let arguments = place.command(case, "bad.acd");
        let (code, err) = place.call(&arguments);
        assert!(code < 2, "{arguments:?}: {err}");
        good += u32::from(code == 0);
    }
    // Most of these only validation can find, and statistics need not.
    assert!(good > 50, "{good}");
    assert!(place.reading.rules.id == "shatranj");
}
