//! Start perft beside shakmaty's: `cargo bench -p acedrex-engine --bench peers [-- ROUNDS [PART...]]`.
//!
//! Both sides generate legal moves and make them; bulk counts count the moves of the last ply instead of making them, as
//! shakmaty's own perft does. A round is one whole count by each side, in slices of some hundredths of a second that
//! take turns, in processor time of one thread (elsewhere than on Linux in wall time). The threads part lets one process
//! with two threads and two processes side by side take turns, in wall time, which other work on the machine disturbs,
//! and in processor time.
//!
//! Parts: bulk made threads. All of them if none is named.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and may stop where a test would"
)]

use std::hint::black_box;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use acedrex_engine::game::Position;
use acedrex_engine::movegen::{perft, perft_made};
use acedrex_engine::rules::{Reading, builtin};
use shakmaty::{Chess, Position as _};

/// Depth of our counts; those of shakmaty are one ply deeper, since its positions have a third of the moves.
const DEPTH: u32 = 5;

/// The nodes of perft 5 by reading, and of chess to depth 6.
const EXPECTED: [(&str, u64); 4] = [
    ("cazaux-musser", 726_841_895),
    ("murray", 565_793_356),
    ("chess-variant-pages", 1_869_122_413),
    ("shakmaty", 119_060_324),
];

/// Seconds that this thread has run.
fn cpu_seconds(started: Instant) -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = text.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| started.elapsed().as_secs_f64(), |ns| ns / 1e9)
}

/// One side of a comparison: its work in slices, and what came of it.
struct Side {
    name: &'static str,
    slices: Vec<Box<dyn Fn() -> u64>>,
    next: usize,
    nodes: u64,
    seconds: f64,
    /// Millions of nodes a second, by round.
    rates: Vec<f64>,
}

impl Side {
    fn new(name: &'static str, slices: Vec<Box<dyn Fn() -> u64>>) -> Side {
        Side { name, slices, next: 0, nodes: 0, seconds: 0.0, rates: Vec::new() }
    }

    fn done(&self) -> f64 {
        self.next as f64 / self.slices.len() as f64
    }
}

/// A reading's count from the start, a slice for each first move.
fn ours(id: &'static str, made: bool) -> Side {
    let reading: Arc<Reading> = Reading::new(builtin(id).expect("a built-in ruleset"));
    let position = Position::start(&reading);
    let slice = |mv| -> Box<dyn Fn() -> u64> {
        let (reading, mut board) = (reading.clone(), position.board().clone());
        board.make(&reading.tables, mv);
        let count = if made { perft_made } else { perft };
        Box::new(move || count(&reading.tables, &mut board.clone(), DEPTH - 1))
    };
    Side::new(id, position.legal_moves().into_iter().map(slice).collect())
}

/// Shakmaty's perft, with its last ply made too.
fn shakmaty_made(position: &Chess, depth: u32) -> u64 {
    let mut nodes = 0;
    for mv in &position.legal_moves() {
        let mut child = position.clone();
        child.play_unchecked(*mv);
        nodes += if depth == 1 {
            black_box(&child);
            1
        } else {
            shakmaty_made(&child, depth - 1)
        };
    }
    nodes
}

/// Shakmaty's count from the start of chess, a slice for each first move.
fn theirs(made: bool) -> Side {
    let slice = |mv: &shakmaty::Move| -> Box<dyn Fn() -> u64> {
        let mut position = Chess::default();
        position.play_unchecked(*mv);
        let count = if made { shakmaty_made } else { shakmaty::perft };
        Box::new(move || count(&position, DEPTH))
    };
    Side::new("shakmaty", Chess::default().legal_moves().iter().map(slice).collect())
}

/// Runs all slices of all sides, always of the one that is least far.
fn round(sides: &mut [Side], started: Instant) {
    loop {
        let least = |a: &&mut Side, b: &&mut Side| a.done().total_cmp(&b.done());
        let Some(side) = sides.iter_mut().filter(|side| side.next < side.slices.len()).min_by(least) else {
            break;
        };
        let before = cpu_seconds(started);
        side.nodes += side.slices[side.next]();
        side.seconds += cpu_seconds(started) - before;
        side.next += 1;
    }
    for side in sides {
        let expected = EXPECTED.iter().find(|count| count.0 == side.name).map(|count| count.1);
        assert_eq!(Some(side.nodes), expected, "nodes of {}", side.name);
        side.rates.push(side.nodes as f64 / side.seconds / 1e6);
        (side.next, side.nodes, side.seconds) = (0, 0, 0.0);
    }
}

/// Prints the median of the paired ratios and their spread.
fn ratios(what: &str, above: &[f64], below: &[f64], goal: f64) {
    let mut ratios: Vec<f64> = above.iter().zip(below).map(|(a, b)| a / b).collect();
    ratios.sort_by(f64::total_cmp);
    let (least, median, most) = (ratios[0], ratios[ratios.len() / 2], ratios[ratios.len() - 1]);
    println!("{what}: median ratio {median:.3}, {least:.3} to {most:.3}; goal {goal}");
}

fn compare(title: &str, mut sides: Vec<Side>, rounds: usize, goal: f64, started: Instant) {
    for number in 1..=rounds {
        round(&mut sides, started);
        let rates = sides.iter().map(|side| format!("{} {:.1}", side.name, side.rates[number - 1]));
        println!("{title}, round {number}, M nodes/s: {}", rates.collect::<Vec<_>>().join(", "));
    }
    let (ours, others) = (&sides[0].rates, &sides[2..]);
    ratios(&format!("{title}, cazaux-musser / shakmaty"), ours, &sides[1].rates, goal);
    for side in others {
        ratios(&format!("{title}, {} / cazaux-musser", side.name), &side.rates, ours, 0.75);
    }
}

/// The program, counting from the start of cazaux-musser.
fn program(threads: &str) -> Child {
    let depth = DEPTH.to_string();
    let arguments = ["perft", &depth, "--ruleset", "cazaux-musser", "--threads", threads];
    let mut command = Command::new(env!("CARGO_BIN_EXE_acedrex"));
    command.args(arguments).stdout(Stdio::null()).spawn().expect("the program starts")
}

/// Seconds of processor time of all programs that have ended; zero elsewhere than on Linux.
fn children_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // After the name in parentheses the 14th and 15th fields, in hundredths of a second.
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(13).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// Runs programs side by side: millions of nodes by second of wall time and by second of processor time.
fn side_by_side(threads: &str, count: u32) -> (f64, f64) {
    let (started, before) = (Instant::now(), children_seconds());
    let children: Vec<Child> = (0..count).map(|_| program(threads)).collect();
    for mut child in children {
        assert!(child.wait().expect("the program ends").success());
    }
    let nodes = f64::from(count) * EXPECTED[0].1 as f64 / 1e6;
    (nodes / started.elapsed().as_secs_f64(), nodes / (children_seconds() - before).max(0.01))
}

fn threads(rounds: usize) {
    let (mut threaded, mut separate) = (Vec::new(), Vec::new());
    for number in 0..rounds {
        // In turns, so that neither is always the first.
        if number % 2 == 0 {
            threaded.push(side_by_side("2", 1));
        }
        separate.push(side_by_side("1", 2));
        if number % 2 == 1 {
            threaded.push(side_by_side("2", 1));
        }
        let ((wall, cpu), (walls, cpus)) = (threaded[number], separate[number]);
        println!(
            "threads, round {}, M nodes/s: two threads {wall:.1}, two processes {walls:.1}; a processor second: \
             {cpu:.1}, {cpus:.1}",
            number + 1
        );
    }
    let wall = |rates: &[(f64, f64)]| rates.iter().map(|rate| rate.0).collect::<Vec<f64>>();
    let cpu = |rates: &[(f64, f64)]| rates.iter().map(|rate| rate.1).collect::<Vec<f64>>();
    ratios("threads, two threads / two processes", &wall(&threaded), &wall(&separate), 0.95);
    ratios("threads, the same by processor time", &cpu(&threaded), &cpu(&separate), 0.95);
}

fn main() {
    // Cargo adds a flag of its own.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let rounds = words.iter().find_map(|word| word.parse::<usize>().ok()).unwrap_or(3).max(1);
    let parts: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| word.parse::<usize>().is_err()).collect();
    if let Some(unknown) = parts.iter().find(|part| !["bulk", "made", "threads"].contains(part)) {
        eprintln!("no part {unknown}: bulk, made, threads");
        std::process::exit(2);
    }
    let wanted = |part: &str| parts.is_empty() || parts.contains(&part);
    let started = Instant::now();
    if wanted("bulk") {
        let readings = ["murray", "chess-variant-pages"].map(|id| ours(id, false));
        let sides = [ours("cazaux-musser", false), theirs(false)].into_iter().chain(readings).collect();
        compare("bulk", sides, rounds, 1.5, started);
    }
    if wanted("made") {
        let sides = vec![ours("cazaux-musser", true), theirs(true)];
        compare("every leaf made", sides, rounds, 0.9, started);
    }
    if wanted("threads") {
        threads(rounds);
    }
}
