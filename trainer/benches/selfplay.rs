//! What self-play costs besides its searches: `cargo bench -p acedrex-trainer --bench selfplay [-- ROUNDS [PART...]]`.
//!
//! The search part plays games into a dataset with one thread, and then searches the same positions of the same games
//! outside, with the same table and the same nodes, in processor time (elsewhere than on Linux in wall time). The threads
//! part lets one process with two threads and two processes with a thread each play the same games, in wall time, which
//! other work on the machine disturbs, and in processor time. Both take turns; ratios are medians over rounds.
//!
//! Parts: search threads. All of them if none is named.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and may stop where a test would"
)]

use std::hint::black_box;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use acedrex_engine::cli::{load_evaluator, load_reading};
use acedrex_engine::eval::Evaluator;
use acedrex_engine::game::Position;
use acedrex_engine::rules::Reading;
use acedrex_engine::search::{Limits, Search};
use acedrex_trainer::dataset::{Reader, play_to_file};
use acedrex_trainer::selfplay::Config;

/// The readings, and the nodes of a move, of the search part.
const CASES: [(&str, u64); 4] =
    [("cazaux-musser", 400), ("cazaux-musser", 1_000), ("murray", 400), ("shatranj", 400)];
/// Games of each case.
const GAMES: u64 = 8;
/// Games of the threads part, an even number.
const THREADS_GAMES: u64 = 80;

/// Seconds of processor time of this process and of those of its children that have ended; wall time elsewhere than on
/// Linux.
fn cpu_seconds(started: Instant, children: bool) -> f64 {
    let Ok(text) = std::fs::read_to_string("/proc/self/stat") else { return started.elapsed().as_secs_f64() };
    // After the name in parentheses the 12th and 13th fields, or the 14th and 15th, in hundredths of a second.
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    let skip = if children { 13 } else { 11 };
    fields.skip(skip).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// The searches of a run: by game, the positions in which a move was searched.
fn searches(path: &Path, reading: &Arc<Reading>) -> Vec<Vec<Position>> {
    let reader = Reader::open(path).expect("a dataset");
    let game = |record| {
        let record: acedrex_trainer::dataset::Record = record;
        let (mut replay, mut positions) = (record.replay(reading).expect("a game"), Vec::new());
        while let Some(step) = replay.next_step().expect("a legal move") {
            if !step.opening {
                positions.push(step.position.clone());
            }
        }
        positions
    };
    reader.map(|record| game(record.expect("a record"))).collect()
}

/// Searches all positions: the nodes.
fn outside(games: &[Vec<Position>], evaluator: &Evaluator, config: &Config, search: &mut Search) -> u64 {
    let limits = Limits::nodes(config.nodes);
    let mut nodes = 0;
    for positions in games {
        search.clear();
        for position in positions {
            nodes += black_box(search.run(position, evaluator, &limits, |_| {})).nodes;
        }
    }
    nodes
}

fn search_part(rounds: usize, started: Instant) {
    let directory = tempfile::tempdir().expect("a folder");
    let path = directory.path().join("games.acd");
    for (id, nodes) in CASES {
        let reading = load_reading(id).expect("a built-in ruleset");
        let evaluator = load_evaluator(&reading, None).expect("its weights");
        let config = Config { games: GAMES, nodes, ..Config::default() };
        let inside = || {
            let played = play_to_file(&reading, &evaluator, "w", &config, 1, &path, &mut |_| {});
            played.expect("a run").nodes
        };
        inside();
        let games = searches(&path, &reading);
        let mut search = Search::new(config.hash_mib.into());
        let (mut inner, mut outer) = (Vec::new(), Vec::new());
        for round in 0..rounds {
            let mut nodes = [0, 0];
            // In turns, so that neither is always the first.
            for side in if round % 2 == 0 { [0, 1] } else { [1, 0] } {
                let before = cpu_seconds(started, false);
                nodes[side] =
                    if side == 0 { inside() } else { outside(&games, &evaluator, &config, &mut search) };
                let rate = nodes[side] as f64 / (cpu_seconds(started, false) - before).max(0.01) / 1e6;
                if side == 0 { inner.push(rate) } else { outer.push(rate) }
            }
            assert_eq!(nodes[0], nodes[1], "the same searches");
        }
        let title = format!("{id}, {nodes} nodes a move, self-play / its searches alone");
        ratios(&title, &inner, &outer);
    }
}

/// The program, playing games from a number on.
fn program(folder: &Path, threads: &str, first: u64, games: u64) -> Child {
    let out = folder.join(format!("{first}-{games}.acd"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_acedrex-trainer"));
    command.args(["selfplay", "--nodes", "400", "--threads", threads]);
    command.args(["--games", &games.to_string(), "--first-game", &first.to_string()]).arg("--out").arg(out);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts")
}

/// Games a second of wall time, and of processor time.
fn side_by_side(threads: &str, count: u64, started: Instant) -> (f64, f64) {
    // A folder of its own: games that are there already would not be played.
    let folder = tempfile::tempdir().expect("a folder");
    let (begun, before) = (Instant::now(), cpu_seconds(started, true));
    let games = THREADS_GAMES / count;
    let children: Vec<Child> =
        (0..count).map(|number| program(folder.path(), threads, number * games, games)).collect();
    for mut child in children {
        assert!(child.wait().expect("the program ends").success());
    }
    let games = THREADS_GAMES as f64;
    (games / begun.elapsed().as_secs_f64(), games / (cpu_seconds(started, true) - before).max(0.01))
}

fn threads_part(rounds: usize, started: Instant) {
    let (mut threaded, mut separate) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        for side in if round % 2 == 0 { [0, 1] } else { [1, 0] } {
            if side == 0 {
                threaded.push(side_by_side("2", 1, started));
            } else {
                separate.push(side_by_side("1", 2, started));
            }
        }
    }
    let wall = |rates: &[(f64, f64)]| rates.iter().map(|rate| rate.0).collect::<Vec<f64>>();
    let cpu = |rates: &[(f64, f64)]| rates.iter().map(|rate| rate.1).collect::<Vec<f64>>();
    ratios("games a second, two threads / two processes", &wall(&threaded), &wall(&separate));
    ratios("the same by processor time", &cpu(&threaded), &cpu(&separate));
}

/// Prints the medians of both, that of the paired ratios, and their spread.
fn ratios(what: &str, above: &[f64], below: &[f64]) {
    let median = |values: &[f64]| {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        sorted[sorted.len() / 2]
    };
    let ratios: Vec<f64> = above.iter().zip(below).map(|(a, b)| a / b).collect();
    let (least, most) =
        ratios.iter().fold((f64::MAX, f64::MIN), |(least, most), &r| (least.min(r), most.max(r)));
    println!(
        "{what}: {:.3} / {:.3}, median ratio {:.3}, {least:.3} to {most:.3}; goal 0.95",
        median(above),
        median(below),
        median(&ratios)
    );
}

fn main() {
    // Cargo adds a flag of its own.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let rounds = words.iter().find_map(|word| word.parse::<usize>().ok()).unwrap_or(9).max(1);
    let parts: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| word.parse::<usize>().is_err()).collect();
    if let Some(unknown) = parts.iter().find(|part| !["search", "threads"].contains(part)) {
        eprintln!("no part {unknown}: search, threads");
        std::process::exit(2);
    }
    let wanted = |part: &str| parts.is_empty() || parts.contains(&part);
    let started = Instant::now();
    if wanted("search") {
        search_part(rounds, started);
    }
    if wanted("threads") {
        threads_part(rounds, started);
    }
}
