use std::fmt;

use acedrex_engine::game::{Outcome, Position, Reason};
use acedrex_engine::types::{Color, Move};
use sha2::{Digest, Sha256};

use crate::stats::proportion::wilson;

/// A finished game: all that a dataset keeps of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Which run of its dataset it belongs to, from 0; 0 where there is only one.
    pub stream: u16,
    /// Its number in the run: the number of its random stream.
    pub game: u64,
    /// The position it began from as a FEN; `None` is the reading's array.
    pub start: Option<String>,
    /// How many of the first plies were drawn at random.
    pub opening_plies: u16,
    /// Openings drawn until one was kept, that one included: 1 to [`super::MAX_TRIES`].
    pub openings_tried: u16,
    /// The moves, those of the opening first.
    pub plies: Vec<Ply>,
    /// Who won.
    pub result: GameResult,
    /// Why it ended.
    pub end: End,
    /// [`final_hash`] of the last position.
    pub final_hash: [u8; 8],
}

impl Default for Record {
    /// A game without plies, to be read into.
    fn default() -> Record {
        Record {
            stream: 0,
            game: 0,
            start: None,
            opening_plies: 0,
            openings_tried: 0,
            plies: Vec::new(),
            result: GameResult::Unfinished,
            end: End::PlyCap,
            final_hash: [0; 8],
        }
    }
}

impl Record {
    /// What tells it from the other games of its dataset, and orders them: run, and number in the run.
    #[must_use]
    pub const fn id(&self) -> (u16, u64) {
        (self.stream, self.game)
    }

    /// The moves of the opening, or of the whole game where nothing was drawn at random: games of one run in which these
    /// and the start are the same count as one.
    #[must_use]
    pub fn opening(&self) -> &[Ply] {
        match usize::from(self.opening_plies) {
            0 => &self.plies,
            plies => &self.plies[..plies.min(self.plies.len())],
        }
    }
}

/// The first 8 bytes of SHA-256 of a position's five-field FEN: what a game that is played again must end in.
#[must_use]
pub fn final_hash(position: &Position) -> [u8; 8] {
    let digest: [u8; 32] = Sha256::digest(position.fen()).into();
    digest.first_chunk().copied().unwrap_or_default()
}

/// One ply of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ply {
    /// The move; [`Move::NONE`] is a pass.
    pub mv: Move,
    /// The search's score in centipawns for White, -32 767 to 32 767; `None` where nothing was searched (random plies
    /// and passes). With dice it is the score after the throw.
    pub score_white_cp: Option<i16>,
    /// The face of the die that was used, 1 to 8; `None` without dice.
    pub die: Option<u8>,
}

/// How a game ended for White.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GameResult {
    /// White won.
    WhiteWins,
    /// Nobody won.
    Draw,
    /// Black won.
    BlackWins,
    /// It was broken off. This is not a draw.
    Unfinished,
}

impl GameResult {
    /// All results, in the order in which datasets number them.
    pub const ALL: [GameResult; 4] =
        [GameResult::WhiteWins, GameResult::Draw, GameResult::BlackWins, GameResult::Unfinished];

    /// Its place in [`GameResult::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// `1-0`, `1/2-1/2`, `0-1` or `*`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            GameResult::WhiteWins => "1-0",
            GameResult::Draw => "1/2-1/2",
            GameResult::BlackWins => "0-1",
            GameResult::Unfinished => "*",
        }
    }

    /// A win of this side.
    #[must_use]
    pub const fn win(winner: Color) -> GameResult {
        match winner {
            Color::White => GameResult::WhiteWins,
            Color::Black => GameResult::BlackWins,
        }
    }

    /// White's points: 1, 0.5 or 0; `None` for an unfinished game.
    #[must_use]
    pub const fn white_points(self) -> Option<f64> {
        match self {
            GameResult::WhiteWins => Some(1.0),
            GameResult::Draw => Some(0.5),
            GameResult::BlackWins => Some(0.0),
            GameResult::Unfinished => None,
        }
    }
}

impl fmt::Display for GameResult {
    /// As [`GameResult::name`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum End {
    /// By the rules of the reading.
    Rule(Reason),
    /// Called won, drawn or given up because the scores of searches said so.
    AdjudicatedScore,
    /// Called drawn because only the kings were left.
    AdjudicatedKings,
    /// Broken off at the largest number of plies: the result is unfinished.
    PlyCap,
}

impl End {
    /// All ends: the rules first, in the order of [`Reason::ALL`].
    pub const ALL: [End; 8] = [
        End::Rule(Reason::Checkmate),
        End::Rule(Reason::Stalemate),
        End::Rule(Reason::BareKing),
        End::Rule(Reason::Repetition),
        End::Rule(Reason::NoProgress),
        End::AdjudicatedScore,
        End::AdjudicatedKings,
        End::PlyCap,
    ];

    /// Its place in [`End::ALL`].
    #[must_use]
    pub fn index(self) -> usize {
        End::ALL.iter().position(|&end| end == self).unwrap_or(End::ALL.len() - 1)
    }

    /// The rule's word, or `adjudicated-score`, `adjudicated-kings`, `ply-cap`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            End::Rule(reason) => reason.name(),
            End::AdjudicatedScore => "adjudicated-score",
            End::AdjudicatedKings => "adjudicated-kings",
            End::PlyCap => "ply-cap",
        }
    }

    /// True if the game was called won or drawn before the rules ended it. A game that was broken off was not.
    #[must_use]
    pub const fn is_adjudicated(self) -> bool {
        matches!(self, End::AdjudicatedScore | End::AdjudicatedKings)
    }

    /// Result and end of a game that the rules have ended; `None` if it goes on.
    #[must_use]
    pub fn of(outcome: Outcome) -> Option<(GameResult, End)> {
        match outcome {
            Outcome::Ongoing => None,
            Outcome::Win(winner, reason) => Some((GameResult::win(winner), End::Rule(reason))),
            Outcome::Draw(reason) => Some((GameResult::Draw, End::Rule(reason))),
        }
    }
}

impl fmt::Display for End {
    /// As [`End::name`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What many records add up to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Games.
    pub games: u64,
    /// Positions in which a move was made: the plies of all games, random ones included.
    pub positions: u64,
    /// Plies drawn at random.
    pub opening_plies: u64,
    /// Games by result, in the order of [`GameResult::ALL`].
    pub results: [u64; 4],
    /// Games by end, in the order of [`End::ALL`].
    pub ends: [u64; 8],
    /// Openings drawn; one a game was kept.
    pub openings_tried: u64,
}

impl Counts {
    /// Counts one more game.
    pub fn add(&mut self, record: &Record) {
        self.games += 1;
        self.positions += record.plies.len() as u64;
        self.opening_plies += u64::from(record.opening_plies);
        self.results[record.result.index()] += 1;
        self.ends[record.end.index()] += 1;
        self.openings_tried += u64::from(record.openings_tried);
    }

    /// Games with this result.
    #[must_use]
    pub fn with_result(&self, result: GameResult) -> u64 {
        self.results[result.index()]
    }

    /// Games with this end.
    #[must_use]
    pub fn with_end(&self, end: End) -> u64 {
        self.ends[end.index()]
    }
}

impl fmt::Display for Counts {
    /// Several lines, `name: value`; shares with 95 % intervals (Wilson's: the game is the unit).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let games = self.games;
        writeln!(f, "games: {games}")?;
        let mean = self.positions as f64 / games.max(1) as f64;
        writeln!(f, "positions: {} ({mean:.1} a game, {} random)", self.positions, self.opening_plies)?;
        writeln!(f, "openings: {games} kept of {} drawn", self.openings_tried)?;
        let unfinished = self.with_result(GameResult::Unfinished);
        writeln!(f, "unfinished: {unfinished}{}", Share(unfinished, games, "games"))?;
        let finished = games.saturating_sub(unfinished);
        for (name, result) in ["white wins", "draws", "black wins"].iter().zip(GameResult::ALL) {
            let count = self.with_result(result);
            writeln!(f, "{name}: {count}{}", Share(count, finished, "finished games"))?;
        }
        for end in End::ALL.into_iter().filter(|&end| self.with_end(end) > 0) {
            let count = self.with_end(end);
            writeln!(f, "ended by {end}: {count}{}", Share(count, games, "games"))?;
        }
        Ok(())
    }
}

/// A part of a whole, and what the whole consists of: prints nothing if that is nothing.
struct Share(u64, u64, &'static str);

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (part, whole) = (self.0 as f64, self.1 as f64);
        let Ok(interval) = wilson(part, whole, 0.95) else { return Ok(()) };
        let (share, low, high) = (100.0 * part / whole, 100.0 * interval.low, 100.0 * interval.high);
        write!(f, " ({share:.1} % of {}, 95 % interval {low:.1} to {high:.1})", self.2)
    }
}
