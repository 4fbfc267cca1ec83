use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use acedrex_engine::eval::Evaluator;
use acedrex_engine::game::Position;
use acedrex_engine::rules::Reading;
use acedrex_engine::search::{Limits, Search, TimeLeft, budget, fixed_time};
use acedrex_engine::types::{Move, Score};
use serde::{Deserialize, Serialize};

use super::limit::Limit;
use super::process::{ProcessPlayer, Start};
use super::spec::{Launch, Protocol};
use super::{cecp, uci};

/// An engine that is ready to be started, several times over.
#[derive(Clone)]
pub enum Loaded {
    /// The search of this program.
    Internal {
        /// With these weights.
        evaluator: Arc<Evaluator>,
        /// Their hash.
        weights: String,
        /// With a table of so many MiB.
        hash_mib: u16,
    },
    /// A process.
    Process(Launch),
}

impl Loaded {
    /// A player. Processes start with their first game.
    #[must_use]
    pub fn player(&self) -> Box<dyn Player> {
        match self {
            Loaded::Internal { evaluator, hash_mib, .. } => Box::new(Internal {
                search: Search::new(usize::from(*hash_mib)),
                evaluator: Arc::clone(evaluator),
                cpu: Duration::ZERO,
            }),
            Loaded::Process(launch) => {
                let start: Start = match launch.protocol {
                    Protocol::Uci => uci::start,
                    Protocol::Cecp => cecp::start,
                };
                Box::new(ProcessPlayer::new(launch.clone(), start))
            }
        }
    }

    /// What is wrong with the engine, after its command if it has one.
    pub(super) fn blame(&self, detail: String) -> String {
        match self {
            Loaded::Internal { .. } => detail,
            Loaded::Process(launch) => format!("{}: {detail}", launch.command.join(" ")),
        }
    }
}

/// What a player is asked.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    /// The position to move in, with the game's history.
    pub position: &'a Position,
    /// All moves of the game as text, from the reading's array.
    pub moves: &'a [String],
    /// What it may use.
    pub limit: Limit,
    /// Milliseconds left to White and Black, for a clock. One who has none seems to have as many as the other.
    pub left_ms: [u64; 2],
    /// Milliseconds that a move adds to the clocks of White and Black.
    pub increment_ms: [u64; 2],
}

/// What a player answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A move.
    Plays(Choice),
    /// It gives up, in these words.
    Resigns(String),
}

/// A move that a player has chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Its move, not yet known to be legal.
    pub mv: Move,
    /// Its score in centipawns for the side to move.
    pub score_cp: Option<Score>,
    /// Its depth in plies.
    pub depth: Option<u32>,
}

/// How an engine can lose other than on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// It took more time than it had.
    TimeLoss,
    /// It played what the rules do not allow.
    IllegalMove,
    /// Its process ended, or could not be started.
    Crash,
    /// It did not answer.
    Hang,
    /// It said that the game was drawn or won when it was not.
    WrongClaim,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fault::TimeLoss => "time-loss",
            Fault::IllegalMove => "illegal-move",
            Fault::Crash => "crash",
            Fault::Hang => "hang",
            Fault::WrongClaim => "wrong-claim",
        })
    }
}

/// A fault and what there is to say of it.
pub type Failure = (Fault, String);

/// One side of a game.
pub trait Player: Send {
    /// Forgets all earlier games.
    ///
    /// # Errors
    /// If the engine cannot be made ready.
    fn new_game(&mut self, reading: &Reading) -> Result<(), Failure>;

    /// Chooses a move, or gives up.
    ///
    /// # Errors
    /// If the engine does neither.
    fn choose(&mut self, turn: &Turn<'_>) -> Result<Answer, Failure>;

    /// Processor time used so far.
    fn cpu(&self) -> Duration;
}

struct Internal {
    search: Search,
    evaluator: Arc<Evaluator>,
    cpu: Duration,
}

impl Player for Internal {
    fn new_game(&mut self, _: &Reading) -> Result<(), Failure> {
        self.search.clear();
        Ok(())
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<Answer, Failure> {
        // Where time is not what counts, leave to run makes the system bring its books up to date first: otherwise it
        // does so some hundred times a second, and short moves go to whoever moves next.
        let timed = matches!(turn.limit, Limit::Movetime(_) | Limit::Clock { .. });
        let used = || {
            if !timed {
                std::thread::yield_now();
            }
            thread_cpu()
        };
        let (cpu, started) = (used(), Instant::now());
        let limits = search_limits(turn);
        let result = self.search.run(turn.position, &self.evaluator, &limits, |_| {});
        self.cpu += match (cpu, used()) {
            (Some(before), Some(after)) => after.saturating_sub(before),
            _ => started.elapsed(),
        };
        let Some(mv) = result.best else {
            return Ok(Answer::Resigns("no move".into()));
        };
        Ok(Answer::Plays(Choice { mv, score_cp: Some(result.score), depth: Some(result.depth) }))
    }

    fn cpu(&self) -> Duration {
        self.cpu
    }
}

/// What of a clock is kept back for the arbiter's own work.
const OVERHEAD: Duration = Duration::from_millis(5);

fn search_limits(turn: &Turn<'_>) -> Limits {
    let ms = Duration::from_millis;
    match turn.limit {
        Limit::Nodes(nodes) => Limits::nodes(nodes),
        Limit::Depth(depth) => Limits::depth(depth),
        Limit::Movetime(time) => {
            Limits { time: Some(fixed_time(ms(time), Duration::ZERO)), ..Limits::default() }
        }
        Limit::Clock { increment_ms, .. } => {
            let remaining = ms(turn.left_ms[turn.position.board().side().index()]);
            let clock = TimeLeft { remaining, increment: ms(increment_ms), moves_to_go: None };
            let budget = budget(&clock, OVERHEAD);
            Limits {
                time: Some(budget.hard),
                soft_time: Some(budget.soft),
                nodes: budget.nodes,
                ..Limits::default()
            }
        }
    }
}

/// Processor time of this thread, where the system tells.
fn thread_cpu() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_is_never_spent_whole() {
        let position = Position::start(&acedrex_engine::cli::load_reading("murray").unwrap());
        for left in [0, 5, 11, 50, 200, 60_000] {
            let limit = Limit::Clock { base_ms: 200, increment_ms: 2 };
            let (left_ms, increment_ms) = ([left, 1], [2, 2]);
            let turn = Turn { position: &position, moves: &[], limit, left_ms, increment_ms };
            let limits = search_limits(&turn);
            let most = Duration::from_millis(left).saturating_sub(OVERHEAD).max(Duration::from_millis(1));
            assert!(limits.time.unwrap() <= most && limits.soft_time <= limits.time, "{left}");
        }
    }
}
