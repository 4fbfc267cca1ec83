use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use acedrex_engine::eval::Evaluator;
use acedrex_engine::game::Position;
use acedrex_engine::rules::Reading;
use acedrex_engine::search::Search;
use acedrex_engine::types::{Color, Move, Score};

use super::limit::Limit;
use super::player::{Answer, Choice, Failure, Fault, Player, Turn};
use crate::selfplay::{self, Config, End, GameResult, OpeningConfig, OpeningKind, Referee, SelfplayError};

/// Milliseconds past the end of its time at which an engine has lost on time, unless the match says otherwise: the pipe
/// and the scheduler take some.
pub const MARGIN_MS: u64 = 20;

/// Why a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By the rules, with kings alone, or at the largest number of plies.
    Board(End),
    /// An engine lost by a fault.
    Fault {
        /// The engine, 0 or 1.
        engine: usize,
        /// What it did.
        fault: Fault,
        /// More about it.
        detail: String,
    },
    /// An engine gave up.
    Resignation {
        /// The engine, 0 or 1.
        engine: usize,
        /// Its words.
        detail: String,
    },
}

impl fmt::Display for Ending {
    /// One word.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::Board(end) => end.fmt(f),
            Ending::Fault { fault, .. } => fault.fmt(f),
            Ending::Resignation { .. } => f.write_str("resignation"),
        }
    }
}

/// A ply of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArenaPly {
    /// The move in coordinates, with the promotion letter.
    pub text: String,
    /// The mover's score in centipawns, for the mover.
    pub score_cp: Option<Score>,
    /// The mover's depth in plies.
    pub depth: Option<u32>,
}

/// A game of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArenaGame {
    /// Its pair, from 0: the number of the random stream of its opening.
    pub pair: u64,
    /// The engine with White, 0 or 1: also its place in the pair.
    pub white: usize,
    /// How many of the first plies are the opening.
    pub opening_plies: usize,
    /// The moves from the array, those of the opening first.
    pub plies: Vec<ArenaPly>,
    /// Who won.
    pub result: GameResult,
    /// Why.
    pub ending: Ending,
}

impl ArenaGame {
    /// Half points of the first engine: 2, 1 or 0. An unfinished game counts as drawn.
    #[must_use]
    pub fn half_points(&self) -> usize {
        match (self.result, self.white) {
            (GameResult::Draw | GameResult::Unfinished, _) => 1,
            (GameResult::WhiteWins, 0) | (GameResult::BlackWins, 1) => 2,
            _ => 0,
        }
    }
}

/// Both games of a pair, and the processor time of each engine in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The first engine has White in the first.
    pub games: [ArenaGame; 2],
    /// By engine. No output but the log may depend on it.
    pub cpu: [Duration; 2],
}

/// How games are played, whoever plays them.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The rules.
    pub reading: Arc<Reading>,
    /// What judges openings: the same for both engines.
    pub judge: Arc<Evaluator>,
    /// What each engine may use.
    pub limits: [Limit; 2],
    /// Key of the random openings.
    pub seed: u64,
    /// Random plies of an opening, even.
    pub opening_plies: u16,
    /// Plies, those of the opening included, after which a game is unfinished.
    pub max_plies: u16,
    /// Milliseconds past the end of its time at which an engine has lost on time.
    pub margin_ms: u64,
}

impl Terms {
    /// Self-play's configuration for the openings and ends of `pairs` pairs.
    #[must_use]
    pub fn config(&self, pairs: u64) -> Config {
        let opening = OpeningConfig {
            kind: OpeningKind::Balanced,
            plies: self.opening_plies,
            ..OpeningConfig::default()
        };
        Config { games: pairs, seed: self.seed, opening, max_plies: self.max_plies, ..Config::default() }
    }

    /// Checks that so many pairs can be played.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn check(&self, pairs: u64) -> Result<(), SelfplayError> {
        Ok(self.config(pairs).check(&self.reading.rules)?)
    }

    /// The moves of a pair's opening: those of the self-play game of that number.
    ///
    /// # Errors
    /// If no balanced opening is found.
    pub fn opening(&self, search: &mut Search, pair: u64) -> Result<Vec<Move>, SelfplayError> {
        // A game that is cut after one more ply, which is forgotten.
        let config = Config { nodes: 1, max_plies: self.opening_plies + 1, ..self.config(1) };
        let record = selfplay::play_game(&self.reading, &self.judge, &config, search, pair)?.record;
        Ok(record.plies.iter().take(self.opening_plies.into()).map(|ply| ply.mv).collect())
    }

    /// Plays both games of a pair; `None` if `stopped` becomes true before they have ended.
    ///
    /// # Errors
    /// If no balanced opening is found.
    pub fn play_pair(
        &self,
        players: &mut [Box<dyn Player>; 2],
        search: &mut Search,
        pair: u64,
        stopped: &AtomicBool,
    ) -> Result<Option<Pair>, SelfplayError> {
        let opening = self.opening(search, pair)?;
        let before = [players[0].cpu(), players[1].cpu()];
        let Some(first) = self.play_game(players, &opening, pair, 0, stopped) else { return Ok(None) };
        let Some(second) = self.play_game(players, &opening, pair, 1, stopped) else { return Ok(None) };
        let cpu = [0, 1].map(|engine| players[engine].cpu().saturating_sub(before[engine]));
        Ok(Some(Pair { games: [first, second], cpu }))
    }

    fn play_game(
        &self,
        players: &mut [Box<dyn Player>; 2],
        opening: &[Move],
        pair: u64,
        white: usize,
        stopped: &AtomicBool,
    ) -> Option<ArenaGame> {
        let config = self.config(1);
        let mut referee = Referee::new(&config);
        let mut position = Position::start(&self.reading);
        let (mut plies, mut moves) = (Vec::new(), Vec::new());
        for &mv in opening {
            let text = position.format_move(mv);
            position.play(mv);
            moves.push(text.clone());
            plies.push(ArenaPly { text, score_cp: None, depth: None });
        }
        let engine_of = |color: Color| if color == Color::White { white } else { 1 - white };
        let clock = |color: Color| match self.limits[engine_of(color)] {
            Limit::Clock { base_ms, increment_ms } => Some((base_ms, increment_ms)),
            _ => None,
        };
        let clocks = [Color::White, Color::Black].map(clock);
        let mut left_ms = clocks.map(|clock| clock.map_or(0, |(base_ms, _)| base_ms));
        let increment_ms = clocks.map(|clock| clock.map_or(0, |(_, increment_ms)| increment_ms));
        let ready = Color::ALL.into_iter().find_map(|color| {
            let failure = players[engine_of(color)].new_game(&self.reading).err()?;
            Some((color, Lost::Fault(failure)))
        });
        let mut lost = ready;
        let mut verdict = referee.after(&position, None);
        while verdict.is_none() && lost.is_none() {
            if stopped.load(Ordering::Relaxed) {
                return None;
            }
            let color = position.board().side();
            let engine = engine_of(color);
            let limit = self.limits[engine];
            // One who has no clock seems to have that of the other: some engines take no time left for haste.
            let (mut left, mut more) = (left_ms, increment_ms);
            if clocks[(!color).index()].is_none() {
                (left[(!color).index()], more[(!color).index()]) = (left[color.index()], more[color.index()]);
            }
            let turn = Turn { position: &position, moves: &moves, limit, left_ms: left, increment_ms: more };
            let (cpu, started) = (players[engine].cpu(), Instant::now());
            let answer = players[engine].choose(&turn);
            let spent = started.elapsed();
            let on_processor = || players[engine].cpu().saturating_sub(cpu);
            match judge(answer, &position, || {
                late(limit, self.margin_ms, &mut left_ms[color.index()], spent, on_processor)
            }) {
                Err(how) => lost = Some((color, how)),
                Ok(choice) => {
                    let text = position.format_move(choice.mv);
                    position.play(choice.mv);
                    moves.push(text.clone());
                    plies.push(ArenaPly { text, score_cp: choice.score_cp, depth: choice.depth });
                    verdict = referee.after(&position, None);
                }
            }
        }
        let (result, ending) = match (lost, verdict) {
            (Some((color, how)), _) => {
                let engine = engine_of(color);
                let ending = match how {
                    Lost::Fault((fault, detail)) => Ending::Fault { engine, fault, detail },
                    Lost::Resigned(detail) => Ending::Resignation { engine, detail },
                };
                (GameResult::win(!color), ending)
            }
            (None, Some((result, end))) => (result, Ending::Board(end)),
            (None, None) => unreachable!("the loop ends with one of the two"),
        };
        Some(ArenaGame { pair, white, opening_plies: opening.len(), plies, result, ending })
    }
}

/// How a side lost other than on the board.
enum Lost {
    Fault(Failure),
    Resigned(String),
}

/// The move that an answer holds, if it was in time and is legal.
fn judge(
    answer: Result<Answer, Failure>,
    position: &Position,
    in_time: impl FnOnce() -> Result<(), Failure>,
) -> Result<Choice, Lost> {
    let choice = match answer.map_err(Lost::Fault)? {
        Answer::Resigns(detail) => return Err(Lost::Resigned(detail)),
        Answer::Plays(choice) => choice,
    };
    in_time().map_err(Lost::Fault)?;
    if position.generator().is_legal(choice.mv) {
        Ok(choice)
    } else {
        Err(Lost::Fault((Fault::IllegalMove, choice.mv.to_string())))
    }
}

/// Takes the time of a move from a clock. An engine that is late is lost whatever kept it; how long it had a processor
/// says whether that was the machine.
fn late(
    limit: Limit,
    margin_ms: u64,
    left_ms: &mut u64,
    spent: Duration,
    on_processor: impl FnOnce() -> Duration,
) -> Result<(), Failure> {
    let spent_ms = u64::try_from(spent.as_millis()).unwrap_or(u64::MAX);
    let allowed = match limit {
        Limit::Nodes(_) | Limit::Depth(_) => return Ok(()),
        Limit::Movetime(ms) => ms,
        Limit::Clock { .. } => *left_ms,
    };
    if spent_ms > allowed.saturating_add(margin_ms) {
        let cpu = on_processor().as_millis();
        let detail = format!("{spent_ms} ms spent of {allowed} ms, {cpu} ms of them on a processor");
        return Err((Fault::TimeLoss, detail));
    }
    if let Limit::Clock { increment_ms, .. } = limit {
        *left_ms = left_ms.saturating_sub(spent_ms).saturating_add(increment_ms);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_counted_with_a_margin() {
        let mut left = 0;
        let late = |limit, left: &mut u64, ms| {
            late(limit, MARGIN_MS, left, Duration::from_millis(ms), || Duration::from_millis(7))
        };
        assert!(late(Limit::Nodes(1), &mut left, u64::MAX).is_ok());
        assert!(late(Limit::Movetime(100), &mut left, 100 + MARGIN_MS).is_ok());
        let (fault, detail) = late(Limit::Movetime(100), &mut left, 101 + MARGIN_MS).unwrap_err();
        assert_eq!(
            (fault, detail.as_str()),
            (Fault::TimeLoss, "121 ms spent of 100 ms, 7 ms of them on a processor")
        );
        let clock = Limit::Clock { base_ms: 200, increment_ms: 2 };
        left = 200;
        late(clock, &mut left, 50).unwrap();
        assert_eq!(left, 152);
        late(clock, &mut left, 160).unwrap();
        assert_eq!(left, 2, "within the margin a clock stands at 0");
        assert!(late(clock, &mut left, 3 + MARGIN_MS).is_err());
    }
}
