//! Tools that make files of files: merge, deduplicate, split, sample, repair.

use std::path::PathBuf;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;

/// Files in a folder of their own.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        std::fs::write(self.path(name), bytes).unwrap();
        self.path(name)
    }

    fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    fn merged(&self, files: &[PathBuf]) -> Vec<u8> {
        merge(files, &self.path("merged"), false).unwrap();
        self.read("merged")
    }
}

/// Games of one run, as header and records: `games` from `first_game` on.
fn part(first_game: u64, games: u64, seed: u64) -> (Header, Vec<Record>) {
    static EVALUATOR: OnceLock<acedrex_engine::eval::Evaluator> = OnceLock::new();
    let reading = reading();
    let evaluator = EVALUATOR.get_or_init(|| load_evaluator(&reading, None).unwrap());
    let config = Config { first_game, games, seed, nodes: 2, max_plies: 14, ..Config::default() };
    let records = play_in_memory(&reading, evaluator, &config, 1).unwrap().0;
    (Header::new(&reading.rules, "none", &config), records)
}

fn file(part: &(Header, Vec<Record>)) -> Vec<u8> {
    bytes_of(&part.0, &part.1)
}

#[test]
fn parts_of_a_run_are_merged_to_the_run_in_any_order() {
    let place = Place::new();
    let whole = file(&part(5, 40, 1));
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    // Side by side, and overlapping.
    for ranges in [&[(5, 10), (15, 7), (22, 23)][..], &[(5, 30), (10, 35)], &[(5, 40), (6, 1), (5, 40)]] {
        let mut files: Vec<PathBuf> = Vec::new();
        for (i, &(first, games)) in ranges.iter().enumerate() {
            files.push(place.write(&format!("part-{i}"), &file(&part(first, games, 1))));
        }
        for _ in 0..4 {
            files.shuffle(&mut rng);
            assert!(place.merged(&files) == whole, "{ranges:?}");
        }
    }
    // Merged by twos, with a hole between that is filled later.
    let [a, b, c] = [(5, 10), (15, 7), (22, 23)].map(|(first, games)| part(first, games, 1));
    let [a, b, c] = [("a", a), ("b", b), ("c", c)].map(|(name, part)| place.write(name, &file(&part)));
    let holed = place.merged(&[c, a.clone()]);
    let run = Reader::new(name(), &holed[..]).unwrap().header().runs[0].clone();
    assert!(!run.complete && run.games() == Some(5..45), "{run:?}");
    validate(Reader::new(name(), &holed[..]).unwrap(), &reading()).unwrap();
    let holed = place.write("holed", &holed);
    assert!(place.merged(&[holed, b]) == whole);
    let merged = merge(&[&a, &a], &place.path("merged"), false).unwrap();
    assert_eq!((merged.counts.games, merged.repeated), (10, 10));
    assert_eq!(place.read("merged"), place.read("a"));
}

#[test]
fn runs_are_merged_side_by_side_and_contradictions_are_refused() {
    let place = Place::new();
    let parts = [part(0, 10, 1), part(0, 8, 2), part(10, 5, 1), part(3, 9, 3)];
    let files: Vec<PathBuf> =
        parts.iter().enumerate().map(|(i, part)| place.write(&format!("{i}"), &file(part))).collect();
    let all = place.merged(&files);
    let mut turned = files.clone();
    turned.reverse();
    assert_eq!(place.merged(&turned), all);
    let pairs = [&files[..2], &files[2..]].map(|pair| place.merged(pair));
    let pairs = [place.write("first", &pairs[0]), place.write("second", &pairs[1])];
    assert_eq!(place.merged(&pairs), all);
    let (header, records) = read(&all).unwrap();
    assert_eq!((header.runs.len(), records.len()), (3, 32));
    assert!(header.runs.iter().all(|run| run.complete));
    let valid = validate(Reader::new(name(), &all[..]).unwrap(), &reading()).unwrap();
    assert_eq!(valid.counts.games, 32);

    let refused = |files: &[PathBuf]| {
        let error = merge(files, &place.path("no"), false).unwrap_err().to_string();
        assert!(!place.path("no").exists());
        error
    };
    let mut other = part(0, 10, 1);
    other.1[4].openings_tried += 1;
    let other = place.write("other", &file(&other));
    let error = refused(&[files[0].clone(), other]);
    assert!(error.contains("0 and ") && error.contains("other: found two games that are game 4"), "{error}");
    let rules = load_reading("ludii").unwrap();
    let header = Header::new(&rules.rules, "none", &Config::default());
    let ludii = place.write("ludii", &bytes_of(&header, &[]));
    assert!(refused(&[files[0].clone(), ludii]).contains("games of murray and of ludii"));
    let cut = place.write("cut", &all[..all.len() - 2]);
    assert!(refused(&[files[0].clone(), cut]).contains("cut off"));
    let none: [PathBuf; 0] = [];
    assert!(merge(&none, &place.path("no"), false).is_err());
}

#[test]
fn parts_of_one_run_by_two_builds_are_not_merged() {
    let place = Place::new();
    let [a, mut b, mut c] = [part(0, 4, 1), part(4, 4, 1), part(0, 4, 2)];
    for header in [&mut b.0, &mut c.0] {
        header.runs[0].program = "acedrex-trainer 0.1.0".to_owned();
    }
    let [a, b, c] = [("a", a), ("b", b), ("c", c)].map(|(name, part)| place.write(name, &file(&part)));
    let error = merge(&[&a, &b], &place.path("no"), true).unwrap_err().to_string();
    assert!(error.contains("/a: found games of one run by acedrex-trainer 0.1.0 and by "), "{error}");
    assert!(error.contains("play the parts of one of them again") && !place.path("no").exists(), "{error}");
    // Two runs are two runs, and a file that has both is read as it is.
    merge(&[&a, &c], &place.path("both"), true).unwrap();
    merge(&[place.path("both")], &place.path("again"), true).unwrap();
}

#[test]
fn duplicates_are_dropped_and_counted() {
    let place = Place::new();
    let (header, mut records) = part(0, 12, 1);
    assert_eq!(records.len(), 12);
    // Games 4 and 9 are game 2 once more, the latter with another end; game 11 is game 3.
    for (to, from) in [(4, 2), (9, 2), (11, 3)] {
        records[to] = Record { game: to as u64, ..records[from].clone() };
    }
    records[9].plies.truncate(12);
    let stats = Stats::of(Reader::new(name(), &bytes_of(&header, &records)[..]).unwrap()).unwrap();
    assert_eq!((stats.duplicate_games, stats.duplicate_openings), (2, 3));
    let input = place.write("in", &bytes_of(&header, &records));
    let merged = merge(&[&input], &place.path("out"), true).unwrap();
    assert_eq!((merged.counts.games, merged.duplicates_dropped), (9, 3));
    let (header, kept) = read(&place.read("out")).unwrap();
    assert_eq!(kept.iter().map(|record| record.game).collect::<Vec<_>>(), [0, 1, 2, 3, 5, 6, 7, 8, 10]);
    assert!(header.runs[0].complete && header.runs[0].duplicates_dropped == 3);
    validate(Reader::new(name(), &place.read("out")[..]).unwrap(), &reading()).unwrap();
    // Once more there is nothing to drop.
    merge(&[place.path("out")], &place.path("again"), true).unwrap();
    assert_eq!(place.read("again"), place.read("out"));
    // What was dropped from overlapping parts nobody can count.
    let overlapping = place.write("overlapping", &file(&part(5, 20, 1)));
    let error = merge(&[&place.path("out"), &overlapping], &place.path("no"), false).unwrap_err().to_string();
    assert!(error.contains("different duplicates were dropped"), "{error}");
    // Parts side by side with duplicates among them.
    let [mut a, mut b] = [part(0, 6, 1), part(6, 6, 1)];
    (a.1, b.1) = (records[..6].to_vec(), records[6..].to_vec());
    let files = [place.write("a", &file(&a)), place.write("b", &file(&b))];
    merge(&files, &place.path("whole"), true).unwrap();
    assert_eq!(place.read("whole"), place.read("out"));
    // Without random plies only whole games count; other runs never.
    let dice = |game: u64, plies: usize| Record {
        game,
        opening_plies: 0,
        plies: records[0].plies[..plies].to_vec(),
        ..records[0].clone()
    };
    let mut duplicates = Duplicates::default();
    assert_eq!(duplicates.add(&dice(0, 10)), None);
    assert_eq!(duplicates.add(&dice(1, 11)), None);
    assert_eq!(duplicates.add(&dice(2, 10)), Some(Repeat::Game));
    assert_eq!(duplicates.add(&Record { stream: 1, ..dice(3, 10) }), None);
    assert_eq!(duplicates.add(&Record { start: Some("x".into()), ..dice(4, 10) }), None);
}

#[test]
fn splits_and_samples_are_by_game_and_add_up_again() {
    let place = Place::new();
    let files = [place.write("x", &file(&part(0, 30, 1))), place.write("y", &file(&part(0, 20, 2)))];
    let input = place.write("in", &place.merged(&files));
    let all = read(&place.read("in")).unwrap();
    let (train, test) = (place.path("train"), place.path("test"));
    for (share, games) in [(0.9, 45), (0.5, 25), (0.0, 0), (1.0, 50)] {
        let (kept, left) = split(&input, &train, &test, share, 7).unwrap();
        assert_eq!((kept.games, left.games), (games, 50 - games));
        let parts = [&train, &test].map(|path| read(&std::fs::read(path).unwrap()).unwrap());
        assert!(parts[0].1.iter().all(|record| all.1.contains(record) && !parts[1].1.contains(record)));
        assert_eq!(parts[0].0.runs[0].complete, games == 50);
        assert_eq!(
            place.merged(&[test.clone(), train.clone()]),
            place.read("in"),
            "they are the whole again"
        );
        validate(Reader::open(&train).unwrap(), &reading()).unwrap();
    }
    let out = place.path("some");
    let counts = sample_of(&input, &out, 10, 3);
    assert_eq!(counts.games, 10);
    let some = read(&place.read("some")).unwrap().1;
    assert_eq!(some.len(), 10);
    assert_ne!(some, {
        sample_of(&input, &out, 10, 4);
        read(&place.read("some")).unwrap().1
    });
    // A larger sample holds a smaller one, and a game's luck does not depend on its file.
    sample_of(&input, &out, 25, 3);
    let more = read(&place.read("some")).unwrap().1;
    assert!(some.iter().all(|record| more.contains(record)));
    let mut drawn = [0; 50];
    for seed in 0..200 {
        sample_of(&input, &out, 10, seed);
        for record in read(&place.read("some")).unwrap().1 {
            drawn[all.1.iter().position(|other| *other == record).unwrap()] += 1;
        }
    }
    // 200 draws with a chance of 1 in 5: 40 expected, with a standard deviation of 5.7.
    assert!(drawn.iter().all(|n| (15..=68).contains(n)), "{drawn:?}");
    for (result, says) in [
        (super::super::sample(&input, &place.path("no"), 51, 1).map(drop), "at least the 51"),
        (split(&input, &place.path("no"), &place.path("no2"), 1.5, 1).map(drop), "a share of 1.5"),
        (split(&input, &place.path("no"), &place.path("no2"), f64::NAN, 1).map(drop), "0 to 1"),
    ] {
        assert!(result.unwrap_err().to_string().contains(says));
    }
    assert!(!place.path("no").exists() && !place.path("no2").exists());
}

fn sample_of(input: &Path, out: &Path, games: u64, seed: u64) -> Counts {
    super::super::sample(input, out, games, seed).unwrap()
}

/// Repairs bytes: the records saved, and the report.
fn repaired(
    place: &Place,
    bytes: &[u8],
    like: Option<&Path>,
) -> Result<(Header, Vec<Record>, Repaired), String> {
    let input = place.write("damaged", bytes);
    let report = repair(&input, &place.path("saved"), like).map_err(|error| error.to_string())?;
    let (header, records) = read(&place.read("saved")).unwrap();
    assert_eq!(records.len() as u64, report.counts.games);
    Ok((header, records, report))
}

/// Bytes may be changed anywhere: it is found, and every block that is whole is saved.
#[test]
fn three_hundred_flipped_bytes_are_found_and_all_other_blocks_saved() {
    let place = Place::new();
    let (header, bytes) = long(true, 1_300);
    let chunks = find_chunks(&bytes);
    let whole = read(&bytes).unwrap().1;
    // Games by block.
    let mut blocks = Vec::new();
    let mut next = 0;
    for (_, range) in chunks.iter().filter(|(mark, _)| *mark == Mark::Game) {
        let mut decoder = Decoder::new(&bytes[range.start + 12..range.end], 0);
        let began = next;
        while !decoder.is_done() {
            assert!(decoder.record(&mut Record::default()).is_ok());
            next += 1;
        }
        blocks.push((range.clone(), began..next));
    }
    assert!(blocks.len() > 3);
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let flips = std::env::var("ACEDREX_FLIPS").ok().and_then(|text| text.parse().ok()).unwrap_or(300);
    let ends: Vec<usize> =
        (0..chunks[1].1.start).chain(chunks[chunks.len() - 2].1.start..bytes.len()).collect();
    let mut kinds = [0; 2];
    for case in 0..flips {
        // Every third in head or end, which are small.
        let at = if case % 3 == 0 {
            ends[rng.random_range(0..ends.len())]
        } else {
            rng.random_range(0..bytes.len())
        };
        let mut damaged = bytes.clone();
        damaged[at] ^= rng.random_range(1..=255u8);
        assert!(read(&damaged).is_err(), "byte {at}");
        let (found, records, report) = repaired(&place, &damaged, None).unwrap();
        let hit = blocks.iter().find(|(range, _)| range.contains(&at));
        let lost = hit.map_or(0..0, |(_, games)| games.clone());
        kinds[usize::from(hit.is_some())] += 1;
        let (before, after) = records.split_at(lost.start);
        assert!(before == &whole[..lost.start] && after == &whole[lost.end..], "byte {at}");
        assert_eq!(report.lost_games, Some(lost.len() as u64), "byte {at}");
        assert_eq!(found.runs[0].complete, lost.is_empty());
        let [range] = &report.lost_bytes[..] else { panic!("byte {at}: {report:?}") };
        assert!(range.contains(&(at as u64)), "byte {at}: {range:?}");
        let mut known = header.clone();
        known.runs[0].complete = found.runs[0].complete;
        assert_eq!(found, known);
    }
    assert!(flips < 100 || kinds.iter().all(|&n| n > 20), "{kinds:?}");
    eprintln!("{flips} flips found and repaired: {} in games, {} elsewhere", kinds[1], kinds[0]);
}

#[test]
fn what_is_cut_off_copied_or_filled_with_zeros_is_repaired() {
    let place = Place::new();
    let (_, bytes) = long(false, 3_000);
    let whole = read(&bytes).unwrap().1;
    let chunks = find_chunks(&bytes);
    let games: Vec<_> =
        chunks.iter().filter(|(mark, _)| *mark == Mark::Game).map(|(_, r)| r.clone()).collect();
    // Nothing is wrong.
    let (_, records, report) = repaired(&place, &bytes, None).unwrap();
    assert!(records == whole && report.lost_bytes.is_empty() && report.lost_games == Some(0));
    assert!(place.read("saved") == bytes);
    // Cut off within the third block: how much is lost nobody knows.
    let (header, records, report) = repaired(&place, &bytes[..games[2].start + 1_000], None).unwrap();
    assert!(whole.starts_with(&records) && !records.is_empty() && !header.runs[0].complete);
    assert_eq!((report.lost_games, report.lost_bytes.len()), (None, 1));
    assert_eq!(read(&place.read("saved")).unwrap().1, records);
    // A part of a block, and everything after it, once more.
    let twice = [&bytes[..], &bytes[games[1].start + 5..]].concat();
    let (_, records, report) = repaired(&place, &twice, None).unwrap();
    assert!(records == whole && report.repeated > 0 && report.lost_games == Some(0));
    // A sector of zeros over the end of one block and the start of the next.
    let mut zeros = bytes.clone();
    zeros[games[3].start - 256..games[3].start + 256].fill(0);
    let (_, records, report) = repaired(&place, &zeros, None).unwrap();
    assert_eq!(Some(whole.len() as u64 - records.len() as u64), report.lost_games);
    let [lost] = &report.lost_bytes[..] else { panic!("{report:?}") };
    assert_eq!((lost.start, lost.end), (games[2].start as u64, games[3].end as u64));
    // Blocks that changed places.
    let order = [0, 2, 1];
    let moved: Vec<u8> = [&bytes[..games[0].start]]
        .into_iter()
        .chain(order.iter().map(|&i| &bytes[games[i].clone()]))
        .chain([&bytes[games[3].start..]])
        .collect::<Vec<_>>()
        .concat();
    let (_, records, report) = repaired(&place, &moved, None).unwrap();
    assert!(records == whole && report.lost_games == Some(0));
    // Both heads are gone: only another file of the run knows the rules.
    let head = chunks[0].1.end;
    let headless = &bytes[head..games[4].end];
    let error = repaired(&place, headless, None).unwrap_err();
    assert!(error.contains("--like"), "{error}");
    let like = place.write("like", &bytes);
    let (_, records, _) = repaired(&place, headless, Some(&like)).unwrap();
    assert!(whole.starts_with(&records) && !records.is_empty());
    // Nothing to save.
    for (bytes, says) in [
        (&b""[..], "no whole header"),
        (b"game,ply,fen", "no whole header"),
        (&bytes[..head], "no whole block"),
    ] {
        let error = repaired(&place, bytes, None).unwrap_err();
        assert!(error.contains(says), "{error}");
    }
    // Two datasets in one file.
    let other = file(&part(0, 5, 1));
    let error = repaired(&place, &[&bytes[..], &other].concat(), None).unwrap_err();
    assert!(error.contains("another header"), "{error}");
    assert!(repair(&place.path("nowhere"), &place.path("saved"), None).is_err());
}
