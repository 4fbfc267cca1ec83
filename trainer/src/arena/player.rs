use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use acedrex_engine::cli::load_evaluator;
use acedrex_engine::eval::Evaluator;
use acedrex_engine::game::Position;
use acedrex_engine::rules::Reading;
use acedrex_engine::search::{Limits, Search};
use acedrex_engine::types::{Move, Score};
use serde::Serialize;

use super::process::{ProcessPlayer, Start};
use super::{cecp, uci};

/// What an engine may use for its moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Limit {
    /// Search nodes for each move, at least 1.
    Nodes(u64),
    /// Search depth for each move in plies, at least 1.
    Depth(u32),
    /// Milliseconds for each move, at least 1.
    Movetime(u64),
    /// Milliseconds for the game, and what each move adds.
    Clock {
        /// At the start, at least 1.
        base_ms: u64,
        /// For each move.
        increment_ms: u64,
    },
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Nodes(nodes) => write!(f, "{nodes} nodes"),
            Limit::Depth(depth) => write!(f, "depth {depth}"),
            Limit::Movetime(ms) => write!(f, "{ms} ms a move"),
            Limit::Clock { base_ms, increment_ms } => write!(f, "{base_ms} ms + {increment_ms} ms a move"),
        }
    }
}

/// An engine as the command line names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineSpec {
    text: String,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Internal { weights: Option<PathBuf>, hash_mib: u16, limit: Option<Limit> },
    Process { protocol: Protocol, command: Vec<String> },
}

/// What a process speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// The Universal Chess Interface.
    Uci,
    /// The Chess Engine Communication Protocol, of XBoard and WinBoard.
    Cecp,
}

/// Table of an internal engine that names none, in MiB.
const HASH_MIB: u16 = 16;

impl FromStr for EngineSpec {
    type Err = String;

    /// `internal`, with options after a colon or commas (`weights=FILE`, `hash=MIB`, and `nodes=N`, `depth=N` or
    /// `movetime=MS` instead of the match's limit), `uci:COMMAND` or `cecp:COMMAND`.
    fn from_str(text: &str) -> Result<EngineSpec, String> {
        let spec = |kind| Ok(EngineSpec { text: text.to_owned(), kind });
        for (prefix, protocol) in [("uci:", Protocol::Uci), ("cecp:", Protocol::Cecp)] {
            let Some(command) = text.strip_prefix(prefix) else { continue };
            let command: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
            if command.is_empty() {
                return Err(format!("{prefix} needs a command, such as uci:acedrex uci"));
            }
            return spec(Kind::Process { protocol, command });
        }
        let rest =
            text.strip_prefix("internal").filter(|rest| rest.is_empty() || rest.starts_with([':', ',']));
        let Some(rest) = rest else {
            return Err(format!(
                "found {text:?}, expected internal[:OPTION,...], uci:COMMAND or cecp:COMMAND"
            ));
        };
        let (mut weights, mut hash_mib, mut limit) = (None, HASH_MIB, None);
        for option in rest.get(1..).unwrap_or("").split(',').filter(|option| !option.is_empty()) {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            let bad = |expected: &str| format!("{name}: found {value:?}, expected {expected}");
            let number = |most: u64| {
                let number = value.parse().ok().filter(|number| (1..=most).contains(number));
                number.ok_or_else(|| bad(&format!("1 to {most}")))
            };
            match name {
                "weights" if value.is_empty() => return Err(bad("a file")),
                "weights" => weights = Some(PathBuf::from(value)),
                "hash" => hash_mib = u16::try_from(number(1_024)?).unwrap_or(HASH_MIB),
                "nodes" => limit = Some(Limit::Nodes(number(1_000_000_000)?)),
                "depth" => limit = Some(Limit::Depth(u32::try_from(number(64)?).unwrap_or(1))),
                "movetime" => limit = Some(Limit::Movetime(number(3_600_000)?)),
                _ => {
                    return Err(format!(
                        "found the option {name:?}, expected weights, hash, nodes, depth or movetime"
                    ));
                }
            }
        }
        spec(Kind::Internal { weights, hash_mib, limit })
    }
}

impl fmt::Display for EngineSpec {
    /// As it was given.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl EngineSpec {
    /// The engine's own limit, or that of the match.
    #[must_use]
    pub fn limit(&self, of_match: Limit) -> Limit {
        match self.kind {
            Kind::Internal { limit: Some(own), .. } => own,
            _ => of_match,
        }
    }

    /// Checks that the engine can be held to a limit.
    ///
    /// # Errors
    /// For CECP engines: they have no limit of nodes, and with less than a second a move Fairy-Max searches one ply.
    pub fn check(&self, limit: Limit) -> Result<(), String> {
        let Kind::Process { protocol: Protocol::Cecp, .. } = self.kind else { return Ok(()) };
        match limit {
            Limit::Nodes(_) => {
                Err(format!("{self}: CECP has no limit of nodes: give --depth, --movetime or --tc"))
            }
            Limit::Movetime(ms) if ms < 1_000 => {
                Err(format!("{self}: a CECP engine needs a --movetime of 1000 or more; or give --depth"))
            }
            _ => Ok(()),
        }
    }

    /// Reads what the engine needs from files, once for all its players.
    ///
    /// # Errors
    /// If its weights cannot be read, or are of other rules.
    pub fn load(&self, reading: &Arc<Reading>) -> anyhow::Result<Loaded> {
        Ok(match &self.kind {
            Kind::Internal { weights, hash_mib, .. } => {
                let evaluator = load_evaluator(reading, weights.as_deref())?;
                Loaded::Internal { evaluator: Arc::new(evaluator), hash_mib: *hash_mib }
            }
            Kind::Process { protocol, command } => {
                Loaded::Process { protocol: *protocol, command: command.clone() }
            }
        })
    }
}

/// An engine that is ready to be started, several times over.
#[derive(Clone)]
pub enum Loaded {
    /// The search of this program.
    Internal {
        /// With these weights.
        evaluator: Arc<Evaluator>,
        /// With a table of so many MiB.
        hash_mib: u16,
    },
    /// A process.
    Process {
        /// What it speaks.
        protocol: Protocol,
        /// The program and its arguments.
        command: Vec<String>,
    },
}

impl Loaded {
    /// A player. Processes start with their first game.
    #[must_use]
    pub fn player(&self) -> Box<dyn Player> {
        match self {
            Loaded::Internal { evaluator, hash_mib } => Box::new(Internal {
                search: Search::new(usize::from(*hash_mib)),
                evaluator: Arc::clone(evaluator),
                cpu: Duration::ZERO,
            }),
            Loaded::Process { protocol, command } => {
                let start: Start = match protocol {
                    Protocol::Uci => uci::start,
                    Protocol::Cecp => cecp::start,
                };
                Box::new(ProcessPlayer::new(command, start))
            }
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
    /// Milliseconds left to White and Black, for a clock.
    pub left_ms: [u64; 2],
}

/// What a player answers.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
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
    /// It said that the game was over when it was not.
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

    /// Chooses a move.
    ///
    /// # Errors
    /// If the engine does not.
    fn choose(&mut self, turn: &Turn<'_>) -> Result<Choice, Failure>;

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

    fn choose(&mut self, turn: &Turn<'_>) -> Result<Choice, Failure> {
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
            return Err((Fault::WrongClaim, "no move".into()));
        };
        Ok(Choice { mv, score_cp: Some(result.score), depth: Some(result.depth) })
    }

    fn cpu(&self) -> Duration {
        self.cpu
    }
}

/// What of a clock is never touched.
const RESERVE_MS: u64 = 10;

fn search_limits(turn: &Turn<'_>) -> Limits {
    let ms = |ms: u64| Some(Duration::from_millis(ms.max(1)));
    match turn.limit {
        Limit::Nodes(nodes) => Limits::nodes(nodes),
        Limit::Depth(depth) => Limits::depth(depth),
        Limit::Movetime(time) => Limits { time: ms(time), ..Limits::default() },
        Limit::Clock { increment_ms, .. } => {
            let left = turn.left_ms[turn.position.board().side().index()];
            let most = left.saturating_sub(RESERVE_MS);
            let share = left / 40 + increment_ms * 3 / 4;
            Limits {
                time: ms((2 * share).min(most)),
                soft_time: ms(share.min(most) / 2),
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
    fn specs_are_read_and_refused() {
        let spec = |text: &str| text.parse::<EngineSpec>();
        let plain = spec("internal").unwrap();
        assert_eq!(plain.limit(Limit::Depth(3)), Limit::Depth(3));
        assert_eq!(plain.kind, Kind::Internal { weights: None, hash_mib: HASH_MIB, limit: None });
        let full = spec("internal:weights=a b.toml,hash=4,nodes=70").unwrap();
        assert_eq!(full.limit(Limit::Depth(3)), Limit::Nodes(70));
        let weights = Some(PathBuf::from("a b.toml"));
        assert_eq!(full.kind, Kind::Internal { weights, hash_mib: 4, limit: Some(Limit::Nodes(70)) });
        assert_eq!(spec("internal,hash=4").unwrap().kind, spec("internal:hash=4").unwrap().kind);
        assert_eq!(full.to_string(), "internal:weights=a b.toml,hash=4,nodes=70");
        let command = vec!["acedrex".to_owned(), "uci".to_owned()];
        assert_eq!(spec("uci:acedrex uci").unwrap().kind, Kind::Process { protocol: Protocol::Uci, command });
        let fairy_max = spec("cecp:fairymax").unwrap();
        assert!(fairy_max.check(Limit::Nodes(5)).is_err() && fairy_max.check(Limit::Movetime(999)).is_err());
        assert!(fairy_max.check(Limit::Depth(5)).is_ok() && plain.check(Limit::Nodes(5)).is_ok());
        for (text, hint) in [
            ("cecp:", "command"),
            ("uci: ", "command"),
            ("internals", "expected internal"),
            ("internal:hash=0", "1 to 1024"),
            ("internal:nodes=many", "1 to"),
            ("internal:weights", "a file"),
            ("internal:speed=9", "expected weights"),
            ("", "expected internal"),
        ] {
            let error = spec(text).unwrap_err();
            assert!(error.contains(hint), "{text}: {error}");
        }
    }

    #[test]
    fn a_clock_is_never_spent_whole() {
        let position = Position::start(&acedrex_engine::cli::load_reading("murray").unwrap());
        for left in [0, 5, 11, 50, 200, 60_000] {
            let limit = Limit::Clock { base_ms: 200, increment_ms: 2 };
            let turn = Turn { position: &position, moves: &[], limit, left_ms: [left, 1] };
            let limits = search_limits(&turn);
            let most = Duration::from_millis(left.saturating_sub(RESERVE_MS).max(1));
            assert!(limits.time.unwrap() <= most && limits.soft_time <= limits.time, "{left}");
        }
    }
}
