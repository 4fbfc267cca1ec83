//! Runs that were stopped: what they left is taken up, or refused and left as it is.

use std::fs;
use std::sync::Arc;

use acedrex_engine::cli::{load_evaluator, load_reading};
use acedrex_engine::eval::Evaluator;
use acedrex_engine::rules::Reading;
use acedrex_engine::search::Search;
use tempfile::TempDir;

use super::*;
use crate::dataset::{Reader, finalise, finished, merge, play_to_file, validate};
use crate::selfplay::{OpeningConfig, Shard, Start, play_game};

struct Place {
    directory: TempDir,
    reading: Arc<Reading>,
    evaluator: Evaluator,
    config: Config,
}

impl Place {
    fn new(config: Config) -> Place {
        let reading = load_reading("murray").unwrap();
        let evaluator = load_evaluator(&reading, None).unwrap();
        Place { directory: tempfile::tempdir().unwrap(), reading, evaluator, config }
    }

    fn quick() -> Place {
        Place::new(Config { games: 6, nodes: 10, max_plies: 20, seed: 3, ..Config::default() })
    }

    fn out(&self) -> PathBuf {
        self.directory.path().join("games.acd")
    }

    fn header(&self) -> Header {
        Header::new(&self.reading.rules, "w", &self.config)
    }

    fn run(&self, config: &Config) -> Result<(Vec<u8>, Summary), DatasetError> {
        let out = self.out();
        let summary = play_to_file(&self.reading, &self.evaluator, "w", config, 2, &out, &mut |_| {})?;
        Ok((fs::read(&out).unwrap(), summary))
    }

    /// What an undisturbed run writes.
    fn whole(&self) -> (Vec<u8>, Summary) {
        let whole = self.run(&self.config).unwrap();
        assert_eq!(self.names(), ["games.acd"], "nothing else is left");
        fs::remove_file(self.out()).unwrap();
        whole
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.directory.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// A spool with these games, held open as by the run that writes it.
    fn spool(&self, games: &[u64]) -> Spool {
        let mut spool = Spool::open(&self.out(), &self.header(), &self.reading).unwrap();
        let mut search = Search::new(1);
        for &game in games {
            let played = play_game(&self.reading, &self.evaluator, &self.config, &mut search, game).unwrap();
            spool.keep(Some(&played)).unwrap();
        }
        spool
    }

    fn text(&self) -> String {
        fs::read_to_string(spool_path(&self.out())).unwrap()
    }
}

#[test]
fn games_that_were_kept_in_any_order_are_not_played_again() {
    for (dice, start) in [(false, Start::Array), (true, Start::Deletions(2))] {
        let opening = OpeningConfig { start, ..OpeningConfig::default() };
        let quick = Place::quick().config;
        let place = Place::new(Config { dice, opening, ..quick });
        let expected = place.whole();
        drop(place.spool(&[4, 0, 5]));
        let partial = place.directory.path().join(".games.acd.aBcDeF.partial");
        fs::write(partial, "half").unwrap();
        let mut sums = Vec::new();
        let mut progress = |summary: &Summary| sums.push(summary.counts.games);
        let found = play_to_file(
            &place.reading,
            &place.evaluator,
            "w",
            &place.config,
            2,
            &place.out(),
            &mut progress,
        );
        assert_eq!(found.unwrap(), expected.1);
        assert_eq!(sums, [3, 4, 5, 6]);
        assert_eq!(
            (fs::read(place.out()).unwrap(), place.names()),
            (expected.0, vec!["games.acd".to_owned()])
        );
    }
}

#[test]
fn a_torn_end_is_dropped_and_other_damage_is_an_error() {
    let place = Place::quick();
    let expected = place.whole();
    drop(place.spool(&[2, 1, 5]));
    let whole = place.text();
    let [head, first, second, third] = whole.lines().collect::<Vec<_>>()[..] else { panic!("{whole}") };
    let torn = &third[..third.len() / 2];
    let spool = spool_path(&place.out());
    for text in [
        format!("{head}\n{first}\n{second}\n{torn}"),
        format!("{head}\n{first}\n{torn}\n"),
        format!("{head}\n{third}\n{first}\n\0\0\0"),
        format!("{head}\n"),
        head[..9].to_owned(),
        String::new(),
    ] {
        fs::write(&spool, &text).unwrap();
        assert_eq!(place.run(&place.config).unwrap(), expected, "{text}");
    }
    let sealed =
        |kept: &str| format!("{{\"crc32\":\"{:08x}\",\"kept\":{kept}}}", crc32fast::hash(kept.as_bytes()));
    let kept = first.split_once("\"kept\":").unwrap().1.strip_suffix('}').unwrap();
    let changed = |from: &str, to: &str| sealed(&kept.replacen(from, to, 1));
    for (text, says) in [
        (format!("{head}\n{torn}\n{second}\n"), "line 2: the checksum"),
        (format!("{head}\n{first}\n{second}\n{first}\n"), "line 4: game 2 is there already"),
        (format!("{head}\n{}\n", changed("\"game\":2", "\"game\":6")), "line 2: game 6 is none of this run"),
        (format!("{head}\n{}\n", changed("\"end\":7", "\"end\":99")), "line 2: game 2 has an end"),
        (format!("{head}\n{}\n", changed("\"result\":3", "\"result\":4")), "line 2: game 2 has a result"),
        (format!("{head}\n{}\n", changed("\"nodes\"", "\"knots\"")), "line 2: no game"),
        (format!("{first}\n"), "line 1: this is no journal of a run"),
        (format!("{}\n{first}\n", head.replacen("seed", "sead", 1)), "line 1: the checksum does not fit"),
        (format!("{}\n", head.replacen("seed", "sead", 1)), "line 1: the checksum does not fit"),
        (format!("{}\n{first}\n{second}\n", &head[3..]), "line 1: the checksum does not fit"),
        ("my notes\n".to_owned(), "line 1: this is no journal of a run"),
    ] {
        fs::write(&spool, &text).unwrap();
        fs::write(place.out(), "older").unwrap();
        let error = place.run(&place.config).unwrap_err().to_string();
        let hint = if says.contains("line 1:") { "delete the file" } else { "delete that line" };
        assert!(error.contains(says) && error.contains(hint), "{text}: {error}");
        assert_eq!((place.text(), fs::read_to_string(place.out()).unwrap()), (text, "older".to_owned()));
    }
}

#[test]
fn a_damaged_line_costs_the_game_of_that_line_alone() {
    let place = Place::quick();
    let expected = place.whole();
    drop(place.spool(&[2, 1, 5]));
    let whole = place.text();
    let lines: Vec<&str> = whole.lines().collect();
    let spool = spool_path(&place.out());
    let text = |lines: &[&str]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    fs::write(&spool, text(&[lines[0], lines[1], &lines[2][9..], lines[3]])).unwrap();
    let error = place.run(&place.config).unwrap_err().to_string();
    assert!(error.contains("line 3: ") && error.contains("delete that line"), "{error}");
    // As it says.
    fs::write(&spool, text(&[lines[0], lines[1], lines[3]])).unwrap();
    assert_eq!(place.spool(&[]).games(), HashSet::from([2, 5]));
    assert_eq!(place.run(&place.config).unwrap(), expected);
}

#[test]
fn games_of_a_spool_are_played_again_before_they_are_taken_for_games() {
    use serde_json::{Value, json};
    type Change = Box<dyn Fn(&mut Value)>;
    for dice in [false, true] {
        let quick = Place::quick().config;
        let place = Place::new(Config { dice, ..quick });
        drop(place.spool(&[2]));
        let whole = place.text();
        let [head, line] = whole.lines().collect::<Vec<_>>()[..] else { panic!("{whole}") };
        let kept = line.split_once("\"kept\":").unwrap().1.strip_suffix('}').unwrap();
        // Of ply 9, the first that was searched.
        let ply = |part: usize, value: Value| move |game: &mut Value| game["plies"][8][part] = value.clone();
        let field = |name: &'static str, value: Value| move |game: &mut Value| game[name] = value.clone();
        let cases: [(Change, &str); 10] = [
            (Box::new(ply(0, json!(0x0001))), "ply 8: found "),
            (Box::new(ply(1, Value::Null)), "ply 8: found no score"),
            (Box::new(ply(1, json!(32_500))), "ply 8: found the score 32500"),
            (Box::new(ply(2, if dice { Value::Null } else { json!(3) })), "die"),
            (Box::new(ply(2, json!(9))), "expected a die from 1 to 8"),
            (Box::new(field("final_hash", json!(1))), "another hash of the last position"),
            (Box::new(field("result", json!(1))), "found 1/2-1/2 by ply-cap"),
            (Box::new(field("opening_plies", json!(6))), "found 6 random plies"),
            (Box::new(field("openings_tried", json!(3))), "which its stream draws"),
            (Box::new(field("start", json!("x".repeat(2_000)))), "found the start"),
        ];
        for (change, says) in cases {
            let mut game: Value = serde_json::from_str(kept).unwrap();
            change(&mut game);
            let game = game.to_string();
            let sum = crc32fast::hash(game.as_bytes());
            let text = format!("{head}\n{{\"crc32\":\"{sum:08x}\",\"kept\":{game}}}\n");
            fs::write(spool_path(&place.out()), &text).unwrap();
            let error = place.run(&place.config).unwrap_err().to_string();
            let where_and_what = error.contains(".games.acd.games, line 2: game 2, ply ");
            assert!(
                where_and_what && error.contains(says) && error.contains("delete that line"),
                "{says}: {error}"
            );
            assert_eq!(place.text(), text);
        }
    }
}

#[test]
fn games_of_another_build_are_not_those_of_this_run() {
    let place = Place::quick();
    let (bytes, _) = place.run(&place.config).unwrap();
    assert!(finished(&place.out(), &place.header()).unwrap().is_some());
    let records: Vec<_> = Reader::new(&place.out(), &bytes[..]).unwrap().map(Result::unwrap).collect();
    // As files named their program before.
    let mut header = place.header();
    header.runs[0].program = "acedrex-trainer 0.1.0".to_owned();
    finalise(&place.out(), &header, false, &mut |visit| records.iter().try_for_each(&mut *visit)).unwrap();
    validate(Reader::open(&place.out()).unwrap(), &place.reading).unwrap();
    let error = finished(&place.out(), &place.header()).unwrap_err().to_string();
    assert!(
        error.contains("program: there \"acedrex-trainer 0.1.0\", here ") && !error.contains("seed"),
        "{error}"
    );
    assert!(finished(&place.out(), &header).unwrap().is_some());
}

#[test]
fn a_spool_of_other_terms_or_in_use_is_left_alone() {
    let place = Place::quick();
    let expected = place.whole();
    let spool = place.spool(&[3]);
    let error = place.run(&place.config).unwrap_err().to_string();
    assert!(error.contains("another run is at work"), "{error}");
    drop(spool);
    let before = place.text();
    let opening = OpeningConfig { plies: 2, ..OpeningConfig::default() };
    let base = place.config.clone();
    for (config, says) in [
        (Config { seed: 4, ..base.clone() }, "seed: there \"3\", here \"4\""),
        (Config { games: 7, ..base.clone() }, "games: there \"6\", here \"7\""),
        (Config { soft_nodes: Some(9), ..base.clone() }, "soft_nodes: there none, here \"9\""),
        (Config { opening, ..base }, "opening.plies: there \"8\", here \"2\""),
    ] {
        let error = place.run(&config).unwrap_err().to_string();
        assert!(error.contains(says) && error.contains("interrupted run on other terms"), "{error}");
        assert_eq!((place.text(), place.names().len()), (before.clone(), 1));
    }
    let (reading, evaluator, out) = (&place.reading, &place.evaluator, place.out());
    let other = play_to_file(reading, evaluator, "v", &place.config, 1, &out, &mut |_| {});
    assert!(other.unwrap_err().to_string().contains("weights: there \"w\", here \"v\""));
    assert_eq!(place.run(&place.config).unwrap(), expected);
}

#[test]
fn games_with_one_opening_are_one_and_shards_merge_to_the_run() {
    let opening = OpeningConfig { plies: 2, ..OpeningConfig::default() };
    let place = Place::new(Config { games: 400, nodes: 1, max_plies: 3, opening, ..Config::default() });
    let (whole, summary) = place.run(&place.config).unwrap();
    let (kept, dropped) = (summary.counts.games, summary.duplicates);
    assert!(kept + dropped == 400 && dropped > 3 && kept > 300, "{summary:?}");
    let valid = validate(Reader::open(&place.out()).unwrap(), &place.reading).unwrap();
    assert_eq!(valid.counts, summary.counts);
    let elsewhere = tempfile::tempdir().unwrap();
    for count in [1, 3, 7] {
        let mut files = Vec::new();
        for index in 0..count {
            let shard = Shard::new(index, count).unwrap();
            let config = shard.of(&place.config).unwrap();
            place.run(&config).unwrap();
            let reader = Reader::open(&place.out()).unwrap();
            assert_eq!(reader.header().runs[0].config, Some(config));
            // Last first: the order says nothing.
            files.insert(0, shard.file(&elsewhere.path().join("games.acd")));
            fs::rename(place.out(), &files[0]).unwrap();
        }
        let merged = merge(&files, &place.out(), true).unwrap();
        assert_eq!(merged.counts, summary.counts);
        assert!(merged.duplicates_dropped <= dropped && merged.repeated == 0);
        assert_eq!(fs::read(place.out()).unwrap(), whole, "{count} shards");
    }
    assert_eq!(finished(&place.out(), &place.header()).unwrap(), Some(summary.counts));
    drop(place.spool(&[1]));
    assert!(finished(&place.out(), &place.header()).unwrap().is_some());
    assert_eq!(place.names(), ["games.acd"]);
    fs::write(place.out(), &whole[..whole.len() - 1]).unwrap();
    let error = finished(&place.out(), &place.header()).unwrap_err().to_string();
    assert!(error.contains("cut off") && error.contains("delete the file"), "{error}");
    fs::remove_file(place.out()).unwrap();
    assert_eq!(finished(&place.out(), &place.header()).unwrap(), None);
}

#[test]
fn a_run_that_is_called_complete_lacks_no_game() {
    let place = Place::quick();
    let (bytes, _) = place.run(&place.config).unwrap();
    let records: Vec<_> = Reader::new(&place.out(), &bytes[..]).unwrap().map(Result::unwrap).collect();
    for gone in 0..records.len() {
        let mut fewer = records.clone();
        fewer.remove(gone);
        finalise(&place.out(), &place.header(), false, &mut |visit| fewer.iter().try_for_each(&mut *visit))
            .unwrap();
        let error = validate(Reader::open(&place.out()).unwrap(), &place.reading).unwrap_err().to_string();
        assert!(error.contains("expected 6, since the run is called complete"), "{error}");
    }
}
