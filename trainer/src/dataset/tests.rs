//! Files: what is written is read back, and nothing that was changed is.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use acedrex_engine::cli::{load_evaluator, load_reading};
use acedrex_engine::rules::Reading;
use acedrex_engine::types::{Move, Square};
use proptest::prelude::*;

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
    newer[8] = 2;
    let text = message(&newer);
    assert!(text.contains("byte 8: found format version 2, expected 1") && text.contains("newer"), "{text}");
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
    let mut huge = bytes[..10].to_vec();
    huge.extend(u32::MAX.to_le_bytes());
    assert!(message(&huge).contains("a header of 4294967295 bytes"), "{}", message(&huge));
}

#[test]
fn swapped_and_missing_blocks_are_found() {
    let (header, records, _) = sample(false);
    let whole = bytes_of(&header, &records);
    let fewer = bytes_of(&header, &records[..2]);
    let head = bytes_of(&header, &[]).len() - 24;
    // The blocks of one file between the head and the end of another.
    let mut mixed = fewer[..fewer.len() - 24].to_vec();
    mixed.extend(&whole[whole.len() - 24..]);
    assert!(read(&mixed).is_err());
    let mut none = whole[..head].to_vec();
    none.extend(&whole[whole.len() - 24..]);
    assert!(read(&none).is_err());
}

#[test]
fn a_run_of_many_games_has_several_blocks_and_reads_back() {
    let (header, records, _) = sample(true);
    let many: Vec<Record> = (0..1_000)
        .flat_map(|i| (0..3).map(move |j| (3 * i + j as u64, j)))
        .map(|(game, j)| Record { game, ..records[j].clone() })
        .collect();
    let bytes = bytes_of(&header, &many);
    assert!(bytes.windows(4).filter(|window| *window == BLOCK).count() > 3);
    assert_eq!(read(&bytes).unwrap().1, many);
}

#[test]
fn validation_finds_what_checksums_cannot() {
    let reading = reading();
    for dice in [false, true] {
        let (header, records, bytes) = sample(dice);
        let counts = validate(Reader::new(name(), &bytes[..]).unwrap(), &reading).unwrap();
        assert_eq!(counts.games, 3);
        let invalid = |header: &Header, change: &dyn Fn(&mut Vec<Record>)| {
            let mut changed = records.clone();
            change(&mut changed);
            let bytes = bytes_of(header, &changed);
            validate(Reader::new(name(), &bytes[..]).unwrap(), &reading).unwrap_err().to_string()
        };
        let text = invalid(&header, &|records| {
            let drawn = records[1].result == GameResult::Draw;
            records[1].result = if drawn { GameResult::WhiteWins } else { GameResult::Draw };
        });
        assert!(text.contains("game 1") && text.contains("expected"), "{text}");
        invalid(&header, &|records| records[2].end = End::AdjudicatedKings);
        invalid(&header, &|records| records[0].plies.truncate(10));
        invalid(&header, &|records| records[0].plies[10].score_white_cp = None);
        invalid(&header, &|records| records[0].plies[2].score_white_cp = Some(3));
        invalid(&header, &|records| records[0].plies[12].die = if dice { None } else { Some(4) });
        invalid(&header, &|records| records[0].openings_tried = 0);
        invalid(&header, &|records| records[0].opening_plies = 6);
        invalid(&header, &|records| records.swap(0, 1));
        invalid(&header, &|records| records.truncate(2));
        invalid(&header, &|records| records[0].start = Some(reading.rules.start_fen()));
        let mut longer = header.clone();
        longer.config.max_plies += 1;
        invalid(&longer, &|_| {});
        longer.config.max_plies -= 2;
        let text = invalid(&longer, &|_| {});
        assert!(text.contains("the game has ended"), "{text}");
        longer.config.nodes = 0;
        invalid(&longer, &|_| {});
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
    assert!(export(Reader::open(&path).unwrap(), &other, &out).is_err());
    assert!(validate(Reader::open(&path).unwrap(), &other).is_err());
    assert!(!out.exists());
}

#[test]
fn the_csv_has_a_row_for_every_ply() {
    let directory = tempfile::tempdir().unwrap();
    let reading = reading();
    for dice in [false, true] {
        let (_, records, bytes) = sample(dice);
        let out = directory.path().join("games.csv");
        let rows = export(Reader::new(name(), &bytes[..]).unwrap(), &reading, &out).unwrap();
        let mut csv = csv::Reader::from_path(&out).unwrap();
        assert_eq!(csv.headers().unwrap().iter().collect::<Vec<_>>(), CSV_COLUMNS);
        let lines: Vec<csv::StringRecord> = csv.records().map(Result::unwrap).collect();
        assert_eq!(lines.len() as u64, rows);
        assert_eq!(lines.len(), records.iter().map(|record| record.plies.len()).sum::<usize>());
        for line in &lines {
            let record = &records[line[0].parse::<usize>().unwrap()];
            let ply = line[1].parse::<usize>().unwrap();
            let position = acedrex_engine::game::Position::from_fen(&reading, &line[2]).unwrap();
            if &line[3] != "pass" {
                let mv = position.parse_move(&line[3]).unwrap();
                assert_eq!(mv, record.plies[ply].mv);
                let capture = position.board().piece_at(mv.to()).is_some();
                assert_eq!(&line[7], if capture { "1" } else { "0" });
            }
            assert_eq!(line[4].parse::<i16>().ok(), record.plies[ply].score_white_cp);
            assert_eq!(line[5], record.result.to_string());
            assert_eq!(&line[6], if position.in_check() { "1" } else { "0" });
            assert_eq!(&line[8], if ply < 8 { "1" } else { "0" });
            assert_eq!(line[9].parse::<u8>().ok(), record.plies[ply].die);
        }
    }
}

#[test]
fn a_damaged_dataset_leaves_no_csv() {
    let directory = tempfile::tempdir().unwrap();
    let (_, _, bytes) = sample(false);
    let out = directory.path().join("games.csv");
    let reader = Reader::new(name(), &bytes[..bytes.len() - 3]).unwrap();
    assert!(export(reader, &reading(), &out).is_err());
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
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
    let head = (any::<u64>(), start, any::<u16>(), any::<u16>(), 0..4usize, 0..8usize);
    (head, any::<bool>().prop_flat_map(plies)).prop_map(
        |((game, start, opening, tried, result, end), plies)| {
            let opening_plies = opening % u16::try_from(plies.len() + 1).unwrap();
            let (result, end) = (GameResult::ALL[result], End::ALL[end]);
            Record { game, start, opening_plies, openings_tried: tried, plies, result, end }
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
    fn any_records_are_read_back(records in proptest::collection::vec(record(), 0..6)) {
        let bytes = bytes_of(header(), &records);
        prop_assert_eq!(read(&bytes).unwrap().1, records);
    }

    #[test]
    fn any_bytes_are_refused_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(read(&bytes).is_err());
        let mut after_mark = MAGIC.to_vec();
        after_mark.extend(&bytes);
        prop_assert!(read(&after_mark).is_err());
        let mut decoder = Decoder::new(&bytes, 0);
        while decoder.record().is_ok() {}
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
        let mut decoder = Decoder::new(&payload, 0);
        if let Ok(record) = decoder.record() {
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
