use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use super::state::short;
use super::thinker::Job;
use super::uci::{Hold, Uci};
use crate::search::{Limits, TimeLeft, budget, fixed_time};
use crate::types::Color;

/// The words of `go`, as they were given.
#[derive(Default)]
struct Go {
    time: [Option<u64>; 2],
    increment: [Option<u64>; 2],
    moves_to_go: Option<u64>,
    move_time: Option<u64>,
    depth: Option<u64>,
    nodes: Option<u64>,
    mate: Option<u64>,
    perft: Option<u64>,
    infinite: bool,
    ponder: bool,
    moves: Vec<String>,
    /// What is wrong with a limit: without it the search might not end when it should.
    faults: Vec<String>,
    /// Words that mean nothing.
    unknown: Vec<String>,
}

impl Go {
    /// True if some word says when the search ends, or that it does not.
    fn says_its_end(&self) -> bool {
        let limits = [self.move_time, self.depth, self.nodes, self.mate, self.perft];
        self.infinite || self.time.iter().chain(&limits).any(Option::is_some)
    }
}

const WORDS: &[&str] = &[
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "nodes",
    "movetime",
    "mate",
    "infinite",
    "ponder",
    "searchmoves",
    "perft",
];

/// Longest sequences that `go perft` counts, in plies.
const DEEPEST_PERFT: u32 = 64;
/// Longest time that is believed, in milliseconds: a year.
const LONGEST_MS: u64 = 366 * 24 * 3_600 * 1_000;

/// A whole number; one too large to hold is the largest, and a clock below zero, as some interfaces send it, is zero.
fn number(word: &str, text: Option<&str>) -> Result<u64, String> {
    let text = text.unwrap_or("nothing");
    let below_zero = text.strip_prefix('-').filter(|_| matches!(word, "wtime" | "btime"));
    let digits = below_zero.unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("go {word}: found {:?}, expected a whole number", short(text)));
    }
    Ok(if below_zero.is_some() { 0 } else { digits.parse().unwrap_or(u64::MAX) })
}

fn small(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn parse(words: &str) -> Go {
    let mut go = Go::default();
    let mut words = words.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let place = match word {
            "infinite" => {
                go.infinite = true;
                continue;
            }
            "ponder" => {
                go.ponder = true;
                continue;
            }
            "searchmoves" => {
                while let Some(mv) = words.next_if(|word| !WORDS.contains(word)) {
                    go.moves.push(mv.to_owned());
                }
                continue;
            }
            "wtime" => &mut go.time[0],
            "btime" => &mut go.time[1],
            "winc" => &mut go.increment[0],
            "binc" => &mut go.increment[1],
            "movetime" => &mut go.move_time,
            "movestogo" => &mut go.moves_to_go,
            "depth" => &mut go.depth,
            "nodes" => &mut go.nodes,
            "mate" => &mut go.mate,
            "perft" => &mut go.perft,
            _ => {
                go.unknown.push(word.to_owned());
                continue;
            }
        };
        match number(word, words.next_if(|word| !WORDS.contains(word))) {
            Ok(number) => *place = Some(number),
            Err(error) => go.faults.push(error),
        }
    }
    go
}

impl Uci {
    /// `go`: what runs already is ended, with its answer.
    pub(super) fn go(&mut self, words: &str, out: &mut dyn Write) -> io::Result<()> {
        self.finish(out)?;
        let mut go = parse(words);
        if let Some(word) = go.unknown.first() {
            let (word, expected) = (short(word), WORDS.join(" "));
            if go.says_its_end() {
                Uci::info(out, &format!("go: {word:?} is ignored, expected one of {expected}"))?;
            } else {
                go.faults.push(format!("go: found {word:?}, expected one of {expected}"));
            }
        }
        if let Some(fault) = go.faults.first() {
            Uci::info(out, &format!("{fault}; the search is one ply deep"))?;
        }
        let position = self.core.position.clone();
        if let Some(depth) = go.perft {
            let depth = small(depth).min(DEEPEST_PERFT);
            if depth == 0 {
                return writeln!(out, "\nNodes searched: 1");
            }
            return self.core.thinker.start(position, Job::Perft(depth));
        }
        let mut limits = Limits {
            nodes: go.nodes.map(|nodes| nodes.max(1)),
            depth: go.depth.map(|depth| small(depth).max(1)),
            mate: go.mate.map(|moves| small(moves).max(1)),
            lines: self.lines,
            ..Limits::default()
        };
        if !go.faults.is_empty() {
            limits.depth = Some(1);
        }
        for text in &go.moves {
            match position.parse_move(text) {
                Ok(mv) => limits.moves.push(mv),
                Err(error) => Uci::info(out, &short(&format!("searchmoves: {error}")))?,
            }
        }
        if !go.infinite {
            self.limit_time(&go, &mut limits);
        }
        self.hold = match (go.ponder, go.infinite) {
            (true, infinite) => Hold::PonderHit { infinite },
            (false, true) => Hold::Stop,
            (false, false) => Hold::Nothing,
        };
        if !position.generator().any() {
            // There is nothing to wait for.
            self.hold = Hold::Nothing;
        }
        let evaluator = Arc::clone(&self.core.evaluator);
        self.core.thinker.start(position, Job::Search { evaluator, limits, pondering: go.ponder })
    }

    fn limit_time(&self, go: &Go, limits: &mut Limits) {
        let overhead = self.core.overhead();
        let ms = |ms: u64| Duration::from_millis(ms.min(LONGEST_MS));
        if let Some(most) = go.move_time {
            limits.time = Some(fixed_time(ms(most), overhead));
        }
        let side = self.core.position.board().side();
        let own = side.index();
        debug_assert_eq!(own == 0, side == Color::White);
        if let Some(left) = go.time[own] {
            let clock = TimeLeft {
                remaining: ms(left),
                increment: ms(go.increment[own].unwrap_or(0)),
                // Zero is said for a time that is for the rest of the game.
                moves_to_go: go.moves_to_go.filter(|&moves| moves > 0).map(small),
            };
            let budget = budget(&clock, overhead);
            limits.time = Some(limits.time.map_or(budget.hard, |time| time.min(budget.hard)));
            limits.soft_time = Some(budget.soft);
            limits.nodes = match (limits.nodes, budget.nodes) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
        }
    }
}
