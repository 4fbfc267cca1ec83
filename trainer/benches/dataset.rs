//! Datasets read, validated and exported, in positions a second: `cargo bench -p acedrex-trainer --bench dataset`.

#![expect(clippy::expect_used, reason = "a benchmark may stop where a test would")]

use std::path::Path;
use std::sync::{Arc, OnceLock};

use acedrex_engine::cli::{load_evaluator, load_reading};
use acedrex_engine::rules::Reading;
use acedrex_trainer::dataset::{
    Encoder, ExportFormat, Filter, Header, Reader, Record, Stats, export, validate,
};
use acedrex_trainer::selfplay::{Config, play_in_memory};
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};

fn main() {
    divan::main();
}

/// Games of one reading: the reading, the dataset's bytes and the number of positions.
type Games = (Arc<Reading>, Vec<u8>, u64);

fn games() -> &'static Games {
    static GAMES: OnceLock<Games> = OnceLock::new();
    GAMES.get_or_init(|| {
        let reading = load_reading("cazaux-musser").expect("a built-in ruleset");
        let evaluator = load_evaluator(&reading, None).expect("its weights");
        let config = Config { games: 400, nodes: 30, max_plies: 250, ..Config::default() };
        let (records, summary) = play_in_memory(&reading, &evaluator, &config, 1).expect("games");
        let header = Header::new(&reading.rules, "none", &config);
        let mut encoder = Encoder::new(Path::new("games"), Vec::new(), &header).expect("a header");
        records.iter().for_each(|record| encoder.push(record).expect("a record"));
        (reading, encoder.finish().expect("bytes"), summary.counts.positions)
    })
}

fn reader(bytes: &[u8]) -> Reader<&[u8]> {
    Reader::new(Path::new("games"), bytes).expect("a dataset")
}

/// Runs `act` on the games, and counts positions.
fn each<T>(bencher: Bencher<'_, '_>, act: impl Fn(&Games) -> T) {
    let games = games();
    bencher.counter(ItemsCount::new(games.2)).bench_local(|| act(black_box(games)));
}

/// Records into memory that is used again.
#[divan::bench]
fn read(bencher: Bencher<'_, '_>) {
    each(bencher, |(_, bytes, _)| {
        let (mut reader, mut record) = (reader(bytes), Record::default());
        while reader.read(&mut record).expect("a record") {
            black_box(&record);
        }
    });
}

/// What `dataset stats` does.
#[divan::bench]
fn stats(bencher: Bencher<'_, '_>) {
    each(bencher, |(_, bytes, _)| Stats::of(reader(bytes)).expect("statistics"));
}

/// What `dataset validate` does.
#[divan::bench]
fn validation(bencher: Bencher<'_, '_>) {
    each(bencher, |(reading, bytes, _)| validate(reader(bytes), reading).expect("a valid dataset"));
}

/// What `dataset export` does, into a file on the disk.
#[divan::bench(args = ExportFormat::ALL.iter().map(|format| format.name()))]
fn export_to(bencher: Bencher<'_, '_>, name: &str) {
    let format = ExportFormat::ALL.iter().copied().find(|format| format.name() == name).expect("a format");
    let directory = tempfile::tempdir().expect("a folder");
    let out = directory.path().join("out");
    each(bencher, |(reading, bytes, _)| {
        export(reader(bytes), reading, &Filter::default(), format, &out).expect("an export")
    });
}
