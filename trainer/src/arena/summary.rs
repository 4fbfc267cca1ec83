use std::fmt;

use serde::Serialize;

use super::elo::Strength;
use super::limit::Limit;
use super::pair::{ArenaGame, Ending, Pair, Terms};
use super::pentanomial::Pentanomial;
use super::player::Fault;
use super::sprt::{Sprt, SprtVerdict};
use crate::selfplay::{End, GameResult};

/// Games that an engine lost otherwise than on the board and without giving up, by what it did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Faults {
    /// It took too much time.
    pub time_losses: u64,
    /// It played an illegal move.
    pub illegal_moves: u64,
    /// Its process ended.
    pub crashes: u64,
    /// It did not answer.
    pub hangs: u64,
    /// It said that the game was drawn or won when it was not.
    pub wrong_claims: u64,
}

impl Faults {
    fn add(&mut self, fault: Fault) {
        *match fault {
            Fault::TimeLoss => &mut self.time_losses,
            Fault::IllegalMove => &mut self.illegal_moves,
            Fault::Crash => &mut self.crashes,
            Fault::Hang => &mut self.hangs,
            Fault::WrongClaim => &mut self.wrong_claims,
        } += 1;
    }

    fn all(&self) -> u64 {
        self.time_losses + self.illegal_moves + self.crashes + self.hangs + self.wrong_claims
    }
}

/// An engine of a match and its conduct.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Participant {
    /// Its name, unlike the other's.
    pub name: String,
    /// What it could use for its moves.
    pub limit: Limit,
    /// What it did wrong.
    #[serde(flatten)]
    pub faults: Faults,
    /// Games that it gave up.
    pub resignations: u64,
}

/// How a test stands.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SprtStatus {
    /// The test.
    #[serde(flatten)]
    pub test: Sprt,
    /// Log-likelihood ratio.
    pub llr: f64,
    /// At or below it: H0.
    pub lower: f64,
    /// At or above it: H1.
    pub upper: f64,
    /// What it says.
    pub verdict: SprtVerdict,
}

/// What a match added up to, from the first engine's view. Only the games decide it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchSummary {
    /// Both engines.
    pub engines: [Participant; 2],
    /// Games won.
    pub wins: u64,
    /// Games drawn, unfinished ones not counted.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Games broken off at the largest number of plies: half a point for each side.
    pub unfinished: u64,
    /// Games that White won.
    pub white_wins: u64,
    /// Games that Black won.
    pub black_wins: u64,
    /// Games by end on the board, in the order of [`End::ALL`].
    pub ends: [u64; 8],
    /// Pairs by points.
    pub pentanomial: Pentanomial,
}

impl MatchSummary {
    /// Before the first game.
    #[must_use]
    pub fn new(names: [String; 2], limits: [Limit; 2]) -> MatchSummary {
        let [first, second] = names;
        let engine = |name, limit| Participant { name, limit, faults: Faults::default(), resignations: 0 };
        MatchSummary {
            engines: [engine(first, limits[0]), engine(second, limits[1])],
            wins: 0,
            draws: 0,
            losses: 0,
            unfinished: 0,
            white_wins: 0,
            black_wins: 0,
            ends: [0; 8],
            pentanomial: Pentanomial::default(),
        }
    }

    /// Counts a pair.
    pub fn add(&mut self, pair: &Pair) {
        for game in &pair.games {
            self.add_game(game);
        }
        self.pentanomial.add(pair.games.iter().map(ArenaGame::half_points).sum());
    }

    fn add_game(&mut self, game: &ArenaGame) {
        match (game.result, game.half_points()) {
            (GameResult::Unfinished, _) => self.unfinished += 1,
            (_, 2) => self.wins += 1,
            (_, 1) => self.draws += 1,
            _ => self.losses += 1,
        }
        self.white_wins += u64::from(game.result == GameResult::WhiteWins);
        self.black_wins += u64::from(game.result == GameResult::BlackWins);
        match &game.ending {
            Ending::Board(end) => self.ends[end.index()] += 1,
            Ending::Fault { engine, fault, .. } => self.engines[*engine].faults.add(*fault),
            Ending::Resignation { engine, .. } => self.engines[*engine].resignations += 1,
        }
    }

    /// All games.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses + self.unfinished
    }

    /// How a test stands after these pairs.
    #[must_use]
    pub fn sprt(&self, test: Sprt) -> SprtStatus {
        let llr = test.llr(&self.pentanomial);
        let (lower, upper) = test.bounds();
        SprtStatus { test, llr, lower, upper, verdict: test.verdict(llr) }
    }

    /// The score and Elo so far, in a few words.
    #[must_use]
    pub fn note(&self, test: Option<Sprt>) -> String {
        let strength = Strength::of(&self.pentanomial);
        let elo = strength.elo.value.map_or_else(|| "-".to_owned(), |elo| format!("{elo:+.1}"));
        let llr = test.map_or_else(String::new, |test| format!(", LLR {:.2}", test.llr(&self.pentanomial)));
        let (wins, draws, losses) = (self.wins, self.draws + self.unfinished, self.losses);
        format!("+{wins} ={draws} -{losses}, Elo {elo}{llr}")
    }

    /// The summary as JSON. Infinite or undetermined figures are null; intervals are of 95 %.
    #[must_use]
    pub fn json(&self, terms: &Terms, test: Option<Sprt>) -> serde_json::Value {
        let Strength { score, elo, nelo, los } = Strength::of(&self.pentanomial);
        let status = test.map(|test| self.sprt(test));
        let ends: serde_json::Map<String, serde_json::Value> =
            End::ALL.into_iter().map(|end| (end.to_string(), self.ends[end.index()].into())).collect();
        serde_json::json!({
            "ruleset": terms.reading.rules.id,
            "seed": terms.seed,
            "opening_plies": terms.opening_plies,
            "max_plies": terms.max_plies,
            "time_margin_ms": terms.margin_ms,
            "engines": self.engines,
            "games": self.games(),
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "unfinished": self.unfinished,
            "white_wins": self.white_wins,
            "black_wins": self.black_wins,
            "ends": ends,
            "pentanomial": self.pentanomial,
            "score": score,
            "elo": elo,
            "nelo": nelo,
            "los": los,
            "llr": status.map(|status| status.llr),
            "sprt": status,
        })
    }
}

impl fmt::Display for MatchSummary {
    /// Several lines: `name: value`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let strength = Strength::of(&self.pentanomial);
        let number =
            |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:+.1}"));
        writeln!(f, "games: {}", self.games())?;
        writeln!(f, "first engine: {} ({})", self.engines[0].name, self.engines[0].limit)?;
        writeln!(f, "second engine: {} ({})", self.engines[1].name, self.engines[1].limit)?;
        let (wins, draws, losses) = (self.wins, self.draws, self.losses);
        writeln!(f, "result: {wins} wins, {draws} draws, {losses} losses, {} unfinished", self.unfinished)?;
        writeln!(f, "white wins: {}, black wins: {}", self.white_wins, self.black_wins)?;
        writeln!(f, "pentanomial: {:?}", self.pentanomial.counts)?;
        if let Some(score) = strength.score {
            writeln!(f, "score: {:.2} %", 100.0 * score)?;
        }
        for (name, figure) in [("elo", strength.elo), ("nelo", strength.nelo)] {
            let (value, low, high) = (number(figure.value), number(figure.low), number(figure.high));
            writeln!(f, "{name}: {value} (95 %: {low} to {high})")?;
        }
        if let Some(los) = strength.los {
            writeln!(f, "los: {:.2} %", 100.0 * los)?;
        }
        for end in End::ALL.into_iter().filter(|end| self.ends[end.index()] > 0) {
            writeln!(f, "ended by {end}: {}", self.ends[end.index()])?;
        }
        for engine in self.engines.iter().filter(|engine| engine.resignations > 0) {
            writeln!(f, "resignations of {}: {}", engine.name, engine.resignations)?;
        }
        for engine in self.engines.iter().filter(|engine| engine.faults.all() > 0) {
            let Faults { time_losses, illegal_moves, crashes, hangs, wrong_claims } = engine.faults;
            writeln!(
                f,
                "faults of {}: {time_losses} time losses, {illegal_moves} illegal moves, {crashes} crashes, {hangs} \
                 hangs, {wrong_claims} wrong claims",
                engine.name
            )?;
        }
        Ok(())
    }
}
