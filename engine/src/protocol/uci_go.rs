use std::io::{self, Write};
use std::str::FromStr;
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
    moves_to_go: Option<u32>,
    move_time: Option<u64>,
    depth: Option<u32>,
    nodes: Option<u64>,
    mate: Option<u32>,
    perft: Option<u32>,
    infinite: bool,
    ponder: bool,
    moves: Vec<String>,
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

fn number<T: FromStr>(word: &str, text: Option<&str>) -> Result<T, String> {
    let text = text.unwrap_or("nothing");
    text.parse().map_err(|_| format!("go {word}: found {:?}, expected a whole number", short(text)))
}

/// Milliseconds; what is below zero is zero, as some interfaces send it.
fn time(word: &str, text: Option<&str>) -> Result<u64, String> {
    let ms: i64 = number(word, text)?;
    Ok(u64::try_from(ms).unwrap_or(0).min(LONGEST_MS))
}

fn parse(words: &str) -> Result<Go, String> {
    let mut go = Go::default();
    let mut words = words.split_whitespace().peekable();
    while let Some(word) = words.next() {
        match word {
            "infinite" => go.infinite = true,
            "ponder" => go.ponder = true,
            "searchmoves" => {
                while let Some(mv) = words.next_if(|word| !WORDS.contains(word)) {
                    go.moves.push(mv.to_owned());
                }
            }
            "wtime" => go.time[0] = Some(time(word, words.next())?),
            "btime" => go.time[1] = Some(time(word, words.next())?),
            "winc" => go.increment[0] = Some(time(word, words.next())?),
            "binc" => go.increment[1] = Some(time(word, words.next())?),
            "movetime" => go.move_time = Some(time(word, words.next())?),
            "movestogo" => go.moves_to_go = Some(number(word, words.next())?),
            "depth" => go.depth = Some(number(word, words.next())?),
            "nodes" => go.nodes = Some(number(word, words.next())?),
            "mate" => go.mate = Some(number(word, words.next())?),
            "perft" => go.perft = Some(number(word, words.next())?),
            _ => return Err(format!("go: found {:?}, expected one of {}", short(word), WORDS.join(" "))),
        }
    }
    Ok(go)
}

impl Uci {
    /// `go`: what runs already is ended, with its answer.
    pub(super) fn go(&mut self, words: &str, out: &mut dyn Write) -> io::Result<()> {
        self.finish(out)?;
        let go = match parse(words) {
            Ok(go) => go,
            Err(error) => return Uci::info(out, &error),
        };
        let position = self.core.position.clone();
        if let Some(depth) = go.perft {
            let depth = depth.min(DEEPEST_PERFT);
            if depth == 0 {
                return writeln!(out, "\nNodes searched: 1");
            }
            return self.core.thinker.start(position, Job::Perft(depth));
        }
        let mut limits = Limits {
            nodes: go.nodes.map(|nodes| nodes.max(1)),
            depth: go.depth.map(|depth| depth.max(1)),
            mate: go.mate.map(|moves| moves.max(1)),
            lines: self.lines,
            ..Limits::default()
        };
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
        let ms = Duration::from_millis;
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
                moves_to_go: go.moves_to_go,
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
