//! Files: what is written is read back, and nothing that was changed is.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use acedrex_engine::cli::{load_evaluator, load_reading};
use acedrex_engine::game::Reason;
use acedrex_engine::rules::Reading;
use acedrex_engine::types::{Move, Square};
use proptest::prelude::*;

use super::chunk::Mark;
use super::record::{Decoder, encode};
use super::*;
use crate::selfplay::{Config, play_in_memory};

fn name() -> &'static Path {
    Path::new("test.acd")
}

fn quick(dice: bool) -> Config {
    Config { games: 3, nodes: 20, seed: 5, max_plies: 30, dice, ..Config::default() }
}

fn reading() -> Arc<Reading> {
    load_reading("murray").unwrap()
}

mod tables;
mod tools;

fn bytes_of(header: &Header, records: &[Record]) -> Vec<u8> {
    let mut encoder = Encoder::new(name(), Vec::new(), header).unwrap();
    records.iter().for_each(|record| encoder.push(record).unwrap());
    encoder.finish().unwrap()
}

/// A small run: header, records and bytes.
fn sample(dice: bool) -> (Header, Vec<Record>, Vec<u8>) {
    let reading = reading();
    let evaluator = load_evaluator(&reading, None).unwrap();
    let (records, _) = play_in_memory(&reading, &evaluator, &quick(dice), 2).unwrap();
    let header = Header::new(&reading.rules, "none", &quick(dice));
    let bytes = bytes_of(&header, &records);
    (header, records, bytes)
}

fn read(bytes: &[u8]) -> Result<(Header, Vec<Record>), DatasetError> {
    let mut reader = Reader::new(name(), bytes)?;
    let records = reader.by_ref().collect::<Result<_, _>>()?;
    assert!(reader.next().is_none());
    Ok((reader.header().clone(), records))
}

fn message(bytes: &[u8]) -> String {
    read(bytes).unwrap_err().to_string()
}

#[test]
fn games_are_read_back_as_they_were_played() {
    for dice in [false, true] {
        let (header, records, bytes) = sample(dice);
        assert_eq!(read(&bytes).unwrap(), (header, records));
    }
}

#[test]
fn every_truncation_is_an_error() {
    let (_, _, bytes) = sample(true);
    for length in 0..bytes.len() {
        assert!(read(&bytes[..length]).is_err(), "{length} of {}", bytes.len());
    }
}

#[test]
fn every_flipped_bit_is_an_error() {
    let (_, _, mut bytes) = sample(false);
    for at in 0..bytes.len() {
        for bit in 0..8 {
            bytes[at] ^= 1 << bit;
            assert!(read(&bytes).is_err(), "bit {bit} of byte {at} of {}", bytes.len());
            bytes[at] ^= 1 << bit;
        }
    }
}

#[test]
fn messages_say_what_is_wrong_where_and_what_to_do() {
    let (_, _, bytes) = sample(false);
    assert!(message(b"").contains("byte 0: found an empty file"), "{}", message(b""));
    assert!(message(b"game,ply,fen").contains("expected \"ACEDREX"), "{}", message(b"game,ply,fen"));
    let mut newer = bytes.clone();
    newer[8] = 3;
    let text = message(&newer);
    assert!(text.contains("byte 8: found format version 3, expected 2") && text.contains("newer"), "{text}");
    let text = message(&bytes[..bytes.len() - 1]);
    assert!(text.contains("cut off") && text.starts_with("test.acd: byte "), "{text}");
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(message(&longer).contains("found more bytes"), "{}", message(&longer));
    let mut twice = bytes.clone();
    twice.extend(&bytes);
    assert!(read(&twice).is_err());
    let mut changed = bytes.clone();
    let middle = bytes.len() - 60;
    changed[middle] ^= 255;
    assert!(message(&changed).contains("checksum"), "{}", message(&changed));
    // A length that is not there is not reserved.
    let mut huge = bytes[..14].to_vec();
    huge.extend(u32::MAX.to_le_bytes());
    huge.extend([0; 4]);
    assert!(message(&huge).contains("a block of 4294967295 bytes"), "{}", message(&huge));
    let mut many = sample(false).0;
    many.runs.clear();
    assert!(matches!(Encoder::new(name(), Vec::new(), &many), Err(DatasetError::Header { .. })));
}

/// Where the chunks of a file begin, and what they hold.
fn find_chunks(bytes: &[u8]) -> Vec<(Mark, std::ops::Range<usize>)> {
    let (mut at, mut found) = (10, Vec::new());
    while at < bytes.len() {
        let mark = Mark::of(bytes[at..at + 4].try_into().unwrap()).unwrap();
        let length = u32::from_le_bytes(bytes[at + 4..at + 8].try_into().unwrap()) as usize;
        found.push((mark, at..at + 12 + length));
        at += 12 + length;
    }
    found
}

/// A file of so many games, in blocks of some four hundred, and its header.
fn long(dice: bool, games: u64) -> (Header, Vec<u8>) {
    let (mut header, records, _) = sample(dice);
    let many = (0..games).zip(records.iter().cycle()).map(|(game, record)| Record { game, ..record.clone() });
    let many: Vec<Record> = many.collect();
    if let Some(config) = &mut header.runs[0].config {
        config.games = games;
    }
    let bytes = bytes_of(&header, &many);
    (header, bytes)
}

#[test]
fn swapped_missing_and_foreign_blocks_are_found() {
    let (_, bytes) = long(true, 3_000);
    let chunks = find_chunks(&bytes);
    assert!(chunks.len() > 6);
    let marks: Vec<Mark> = chunks.iter().map(|chunk| chunk.0).collect();
    let games = vec![Mark::Game; chunks.len() - 3];
    assert_eq!(marks, [&[Mark::Head][..], &games, &[Mark::Head, Mark::Done]].concat());
    let of = |order: &[usize]| {
        let parts = order.iter().map(|&i| &bytes[chunks[i].1.clone()]);
        [&bytes[..10]].into_iter().chain(parts).collect::<Vec<_>>().concat()
    };
    let all: Vec<usize> = (0..chunks.len()).collect();
    assert_eq!(of(&all), bytes);
    for (i, j) in all.iter().flat_map(|&i| all.iter().map(move |&j| (i, j))).filter(|(i, j)| i != j) {
        let (mut swapped, mut twice, mut without) = (all.clone(), all.clone(), all.clone());
        swapped.swap(i, j);
        twice.insert(j, i);
        without.remove(i);
        // The head and its copy are the same.
        assert!(of(&swapped) == bytes || read(&of(&swapped)).is_err(), "{i} and {j}");
        assert!(read(&of(&twice)).is_err(), "{i} before {j}");
        assert!(read(&of(&without)).is_err(), "without {i}");
    }
    // A block of another run, with the same games and as many plies.
    let (header, records, _) = sample(false);
    let other = {
        let mut records = records.clone();
        records[1].plies.swap(10, 12);
        bytes_of(&header, &records)
    };
    let whole = bytes_of(&header, &records);
    let (mine, theirs) = (find_chunks(&whole), find_chunks(&other));
    let foreign = [&whole[..mine[0].1.end], &other[theirs[1].1.clone()], &whole[mine[2].1.start..]].concat();
    assert!(message(&foreign).contains("that of the file"), "{}", message(&foreign));
}

#[test]
fn records_out_of_order_or_of_no_run_are_refused() {
    let (header, records, _) = sample(false);
    let mut encoder = Encoder::new(name(), Vec::new(), &header).unwrap();
    encoder.push(&records[1]).unwrap();
    for (wrong, says) in [
        (records[0].clone(), "after game 1"),
        (records[1].clone(), "after game 1"),
        (Record { stream: 1, ..records[2].clone() }, "run 1"),
        (Record { result: GameResult::Draw, end: End::PlyCap, ..records[2].clone() }, "unfinished"),
        (Record { start: Some("x".repeat(2_000)), ..records[2].clone() }, "at most 1024"),
        (Record { plies: vec![records[2].plies[0]; 70_000], ..records[2].clone() }, "at most 65535"),
        (Record { opening_plies: 999, ..records[2].clone() }, "random plies"),
    ] {
        let error = encoder.push(&wrong).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
    encoder.push(&records[2]).unwrap();
    let bytes = encoder.finish().unwrap();
    assert_eq!(read(&bytes).unwrap().1, records[1..]);
    // Two runs in the wrong order, or one twice.
    let other = Run { program: "other".into(), ..header.runs[0].clone() };
    let both = Header { runs: vec![header.runs[0].clone(), other], ..header.clone() };
    let turned = Header { runs: both.runs.iter().rev().cloned().collect(), ..header.clone() };
    let twice = Header { runs: vec![header.runs[0].clone(); 2], ..header };
    let fits = [&both, &turned, &twice].map(|header| Encoder::new(name(), Vec::new(), header).is_ok());
    assert_eq!(fits.iter().filter(|fits| **fits).count(), 1);
}

#[test]
fn a_position_takes_less_than_five_bytes_in_games_of_60_plies() {
    for dice in [false, true] {
        let (header, records, _) = sample(dice);
        let game = |(game, record): (u64, &Record)| {
            let plies = record.plies.iter().copied().cycle().take(60).collect();
            Record { game, plies, ..record.clone() }
        };
        let many: Vec<Record> = (0..200).zip(records.iter().cycle()).map(game).collect();
        let bytes = bytes_of(&header, &many).len() as f64;
        assert!(bytes / (200.0 * 60.0) < 5.0 + if dice { 0.1 } else { -0.2 }, "{bytes}");
    }
}

#[test]
fn a_run_of_many_games_has_several_blocks_and_reads_back() {
    let (header, records, _) = sample(true);
    let many: Vec<Record> = (0..1_000)
        .flat_map(|i| (0..3).map(move |j| (3 * i + j as u64, j)))
        .map(|(game, j)| Record { game, ..records[j].clone() })
        .collect();
    let bytes = bytes_of(&header, &many);
    assert!(find_chunks(&bytes).len() > 6);
    assert_eq!(read(&bytes).unwrap().1, many);
}

#[test]
fn validation_finds_what_checksums_cannot() {
    let reading = reading();
    for dice in [false, true] {
        let (header, records, bytes) = sample(dice);
        let valid = validate(Reader::new(name(), &bytes[..]).unwrap(), &reading).unwrap();
        assert_eq!((valid.counts.games, valid.duplicate_games, valid.duplicate_openings), (3, 0, 0));
        let invalid = |header: &Header, change: &dyn Fn(&mut Vec<Record>)| {
            let mut changed = records.clone();
            change(&mut changed);
            let bytes = bytes_of(header, &changed);
            validate(Reader::new(name(), &bytes[..]).unwrap(), &reading).unwrap_err().to_string()
        };
        let text = invalid(&header, &|records| {
            let drawn = records[1].result == GameResult::Draw;
            records[1].result = if drawn { GameResult::WhiteWins } else { GameResult::Draw };
            records[1].end = End::Rule(Reason::Checkmate);
        });
        assert!(text.contains("game 1") && text.contains("expected"), "{text}");
        invalid(&header, &|records| {
            records[2].result = GameResult::Draw;
            records[2].end = End::AdjudicatedKings;
        });
        let text = invalid(&header, &|records| records[1].final_hash[7] ^= 1);
        assert!(
            text.contains("hash of the last position") && text.contains(" w ") | text.contains(" b "),
            "{text}"
        );
        let text = invalid(&header, &|records| records[0].plies[10].score_white_cp = Some(32_001));
        assert!(text.contains("the score 32001"), "{text}");
        invalid(&header, &|records| records[0].plies.truncate(10));
        invalid(&header, &|records| records[0].plies[10].score_white_cp = None);
        invalid(&header, &|records| records[0].plies[2].score_white_cp = Some(3));
        invalid(&header, &|records| records[0].plies[12].die = if dice { None } else { Some(4) });
        invalid(&header, &|records| records[0].openings_tried = 0);
        invalid(&header, &|records| records[0].opening_plies = 6);
        invalid(&header, &|records| records[2].game = 3);
        let text = invalid(&header, &|records| records.truncate(2));
        assert!(text.contains("called complete"), "{text}");
        invalid(&header, &|records| records[0].start = Some(reading.rules.start_fen()));
        let with = |change: &dyn Fn(&mut Config)| {
            let mut header = header.clone();
            header.runs[0].config.as_mut().map(change);
            invalid(&header, &|_| {})
        };
        with(&|config| config.max_plies += 1);
        let text = with(&|config| config.max_plies -= 1);
        assert!(text.contains("the game has ended"), "{text}");
        with(&|config| config.nodes = 0);
        with(&|config| config.games = 4);
        // Only a run that is called complete must have all of its games, and none has more.
        let mut part = header.clone();
        part.runs[0].complete = false;
        let bytes = bytes_of(&part, &records[1..]);
        assert_eq!(validate(Reader::new(name(), &bytes[..]).unwrap(), &reading).unwrap().counts.games, 2);
        part.runs[0].duplicates_dropped = 1;
        let text = invalid(&part, &|_| {});
        assert!(text.contains("at most 3"), "{text}");
    }
}

#[test]
fn other_rules_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("games.acd");
    let (_, _, bytes) = sample(false);
    std::fs::write(&path, bytes).unwrap();
    assert!(Reader::open_for(&path, &reading()).is_ok());
    let other = load_reading("cazaux-musser").unwrap();
    let error = Reader::open_for(&path, &other).err().unwrap().to_string();
    assert!(error.contains("murray") && error.contains("--ruleset"), "{error}");
    let out = directory.path().join("games.csv");
    let all = Filter::default();
    assert!(export(Reader::open(&path).unwrap(), &other, &all, ExportFormat::Csv, &out).is_err());
    assert!(validate(Reader::open(&path).unwrap(), &other).is_err());
    assert!(!out.exists());
}

#[test]
fn files_are_the_same_on_one_thread_and_on_two_and_never_half_written() {
    let directory = tempfile::tempdir().unwrap();
    for (id, dice) in [("cazaux-musser", false), ("murray", true)] {
        let reading = load_reading(id).unwrap();
        let evaluator = load_evaluator(&reading, None).unwrap();
        let run = |threads, config: &Config, name: &str| {
            let out = directory.path().join(name);
            play_to_file(&reading, &evaluator, "w", config, threads, &out, &mut |summary| {
                assert!(summary.counts.games > 0);
                assert!(!out.exists());
            })
            .map(|summary| (summary, std::fs::read(&out).unwrap(), std::fs::remove_file(&out).unwrap()))
        };
        assert_eq!(run(1, &quick(dice), "one").unwrap(), run(2, &quick(dice), "two").unwrap());
        assert!(run(2, &Config { games: 0, ..quick(dice) }, "wrong").is_err());
        std::fs::write(directory.path().join("file"), b"").unwrap();
        let error = run(2, &quick(dice), "file/below").unwrap_err();
        assert!(error.to_string().starts_with("cannot write "), "{error}");
        std::fs::remove_file(directory.path().join("file")).unwrap();
        // Rules under which no opening lasts: the run fails after the file was begun.
        let mut rules = reading.rules.clone();
        rules.end.no_progress_plies = 1;
        let short = Reading::new(rules);
        let out = directory.path().join("short");
        assert!(play_to_file(&short, &evaluator, "w", &quick(dice), 2, &out, &mut |_| {}).is_err());
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}

fn plies(dice: bool) -> impl Strategy<Value = Vec<Ply>> {
    let square = (0..12u8, 0..12u8).prop_map(|(file, rank)| Square::new(file, rank));
    let mv = (square.clone(), square).prop_map(|(from, to)| Move::new(from, to));
    let score = proptest::option::of(-32_767..=32_767i16);
    let die = proptest::option::of(1..=8u8);
    let ply = (mv, score, die).prop_map(move |(mv, score_white_cp, die)| Ply {
        mv,
        score_white_cp,
        die: die.filter(|_| dice),
    });
    proptest::collection::vec(ply, 0..40)
}

fn record() -> impl Strategy<Value = Record> {
    let start = proptest::option::of("[ -~é]{0,80}");
    let head = (any::<u64>(), start, any::<u16>(), any::<u16>(), 0..3usize, 0..8usize, any::<[u8; 8]>());
    (head, any::<bool>().prop_flat_map(plies)).prop_map(
        |((game, start, opening, tried, result, end, final_hash), plies)| {
            let opening_plies = opening % u16::try_from(plies.len() + 1).unwrap();
            let end = End::ALL[end];
            let result = if end == End::PlyCap { GameResult::Unfinished } else { GameResult::ALL[result] };
            Record {
                stream: 0,
                game,
                start,
                opening_plies,
                openings_tried: tried,
                plies,
                result,
                end,
                final_hash,
            }
        },
    )
}

fn header() -> &'static Header {
    static HEADER: OnceLock<Header> = OnceLock::new();
    HEADER.get_or_init(|| Header::new(&reading().rules, "none", &Config::default()))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn any_records_are_read_back(mut records in proptest::collection::vec(record(), 0..6)) {
        records.sort_by_key(Record::id);
        records.dedup_by_key(|record| record.id());
        let bytes = bytes_of(header(), &records);
        prop_assert_eq!(read(&bytes).unwrap().1, records);
    }

    #[test]
    fn any_bytes_are_refused_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(read(&bytes).is_err());
        let mut after_mark = MAGIC.to_vec();
        after_mark.extend(&bytes);
        prop_assert!(read(&after_mark).is_err());
        let (mut decoder, mut record) = (Decoder::new(&bytes, 0), Record::default());
        while decoder.record(&mut record).is_ok() {}
    }

    #[test]
    fn any_payload_with_a_true_checksum_is_read_or_refused(
        record in record(),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let mut payload = Vec::new();
        encode(&record, &mut payload).unwrap();
        let at = at.index(payload.len());
        payload[at] = byte;
        let (mut decoder, mut record) = (Decoder::new(&payload, 0), Record::default());
        if decoder.record(&mut record).is_ok() {
            let mut again = Vec::new();
            encode(&record, &mut again).unwrap();
            // A flag may make a shorter record of it, and a record without any die is written without dice.
            let same = again[..] == payload[..decoder.at()];
            prop_assert!(same || record.plies.iter().all(|ply| ply.die.is_none()));
        }
    }

    #[test]
    fn any_game_is_replayed_or_refused(record in record(), dice in any::<bool>()) {
        static READINGS: OnceLock<[Arc<Reading>; 2]> = OnceLock::new();
        let readings = READINGS.get_or_init(|| ["murray", "shatranj"].map(|id| load_reading(id).unwrap()));
        for reading in readings {
            let record = Record { start: None, ..record.clone() };
            let mut replay = record.replay(reading).unwrap();
            while let Ok(Some(_)) = replay.next_step() {}
            let header = Header::new(&reading.rules, "none", &Config { games: 1, dice, ..Config::default() });
            let bytes = bytes_of(&header, &[record]);
            prop_assert!(validate(Reader::new(name(), &bytes[..]).unwrap(), reading).is_err());
        }
    }
}
