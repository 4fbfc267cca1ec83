//! In: records of one reading. Out: what tuning and comparison need of them, game by game.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use acedrex_engine::eval::{Evaluator, Feature, Weights};
use acedrex_engine::game::Position;
use acedrex_engine::rules::{Reading, hex};
use acedrex_engine::search::DICE_WIN;
use acedrex_engine::types::{Color, MATE_IN_MAX, Move};
use ndarray::{Array1, Array2};
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use crate::dataset::{DatasetError, Header, Reader, Run};
use crate::selfplay::{
    Adjudication, Config, DrawRule, End, GameResult, OpeningKind, Record, ReplayError, Resignation, Softmax,
    Start,
};
use crate::tune::{TuneError, design::Design, sparse::SparseRows};

/// Games of one reading, made ready for statistics.
#[derive(Clone, Debug)]
pub struct Sample {
    /// What tables and plots call it.
    pub name: String,
    /// The rules the games were played by.
    pub reading: Arc<Reading>,
    /// The games, in the order of their files.
    pub games: Vec<Game>,
    /// True if openings were kept only when a search called them balanced: then White's score says nothing about the
    /// worth of the first move.
    pub balanced: bool,
    /// The ways in which its games were played, in words, each once; empty if not known.
    pub conditions: Vec<String>,
    /// Which games of files it holds.
    pub known: Known,
}

/// One game.
#[derive(Clone, Debug)]
pub struct Game {
    /// Its result.
    pub result: GameResult,
    /// Why it ended.
    pub end: End,
    /// Its length in plies, those drawn at random included.
    pub plies: u32,
    /// Positions after the opening, in which a side chose its move.
    pub choices: u32,
    /// Legal moves in those positions, added up.
    pub legal_moves: u64,
    /// Captures, those of the opening included.
    pub captures: u32,
    /// Promotions.
    pub promotions: u32,
    /// Start, dice and moves as one number: equal for games that are the same move by move.
    pub line: u64,
    /// Its quiet positions; empty if the game is unfinished, since it has no result.
    pub quiet: Vec<Quiet>,
}

/// A quiet position: no check, and a move chosen by search that neither captures nor promotes, with a score that is not
/// that of a forced end.
#[derive(Clone, Debug)]
pub struct Quiet {
    /// +1 if White is to move, -1 if Black.
    pub side: i8,
    /// White's men minus Black's, by kind (an index into the ruleset's kinds).
    pub material: Vec<i8>,
    /// Coefficients of the eval weights, as [`Sample::weight_index`] numbers them; empty if not asked for.
    pub coefficients: Vec<(u32, f32)>,
}

/// Why datasets could not be read as a sample.
#[derive(Debug, thiserror::Error)]
pub enum SampleError {
    /// A file is wrong.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// A game does not follow the rules.
    #[error("{}: {error}", path.display())]
    Replay {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: ReplayError,
    },
    /// Two files hold the same games, which would count twice.
    #[error("{} and {} hold the same games, which would count twice: name each game once", first.display(), second.display())]
    SameGames {
        /// A file.
        first: PathBuf,
        /// Another, or the same again.
        second: PathBuf,
    },
}

/// Which games have been read. A game is known by its run, whatever file it is in, and by its number; one that was imported
/// by its moves.
#[derive(Clone, Debug, Default)]
pub struct Known {
    games: HashSet<(u64, u64)>,
}

impl Known {
    /// Notes a game of a dataset whose runs have these numbers.
    fn add(&mut self, runs: &[Option<u64>], record: &Record) {
        let run = runs.get(usize::from(record.stream)).copied().flatten();
        self.games.insert(run.map_or_else(|| (0, line(record)), |run| (run, record.game)));
    }

    /// True if both know a game.
    #[must_use]
    pub fn shares_games_with(&self, other: &Known) -> bool {
        !self.games.is_disjoint(&other.games)
    }
}

/// A number for each run of a dataset: rules, weights and configuration without the number of games. `None` if it is not
/// known how a run was played.
fn run_numbers(header: &Header) -> Vec<Option<u64>> {
    let number = |run: &Run| {
        run.config.as_ref()?;
        let run = Run { program: String::new(), ..run.clone() };
        let hash = Sha256::new().chain_update(&header.fingerprint).chain_update(run.key());
        let digest: [u8; 32] = hash.finalize().into();
        Some(u64::from_le_bytes(digest.first_chunk().copied().unwrap_or_default()))
    };
    header.runs.iter().map(number).collect()
}

impl Sample {
    /// Plays records again and collects what statistics need; with `weights` the eval coefficients as well.
    ///
    /// # Errors
    /// The first game, in order, that does not follow the rules.
    pub fn collect(
        name: &str,
        reading: &Arc<Reading>,
        records: &[Record],
        balanced: bool,
        weights: Option<&Evaluator>,
    ) -> Result<Sample, ReplayError> {
        let games: Result<Vec<Game>, ReplayError> =
            records.par_iter().map(|record| Game::of(record, reading, weights)).collect();
        Ok(Sample {
            name: name.to_owned(),
            reading: Arc::clone(reading),
            games: games?,
            balanced,
            conditions: Vec::new(),
            known: Known::default(),
        })
    }

    /// Reads dataset files that were all played by `reading`.
    ///
    /// # Errors
    /// A file that cannot be read, was played by other rules, holds a game that does not follow them, or holds games of
    /// another of the files.
    pub fn read(
        name: &str,
        reading: &Arc<Reading>,
        files: &[impl AsRef<Path>],
        weights: Option<&Evaluator>,
    ) -> Result<Sample, SampleError> {
        let mut sample = Sample {
            name: name.to_owned(),
            reading: Arc::clone(reading),
            games: Vec::new(),
            balanced: false,
            conditions: Vec::new(),
            known: Known::default(),
        };
        let mut known: Vec<(&Path, Known)> = Vec::new();
        for file in files {
            let path = file.as_ref();
            let mut reader = Reader::open_for(path, reading)?;
            let runs = run_numbers(reader.header());
            let balanced = is_balanced(reader.header());
            for conditions in reader.header().runs.iter().map(|run| conditions(run.config.as_ref())) {
                if !sample.conditions.contains(&conditions) {
                    sample.conditions.push(conditions);
                }
            }
            let (mut records, mut here) = (Vec::new(), Known::default());
            for record in reader.by_ref() {
                let record = record?;
                here.add(&runs, &record);
                records.push(record);
            }
            if let Some((first, _)) = known.iter().find(|(_, other)| here.shares_games_with(other)) {
                return Err(SampleError::SameGames { first: (*first).to_owned(), second: path.to_owned() });
            }
            known.push((path, here));
            let part = Sample::collect(name, reading, &records, balanced, weights)
                .map_err(|error| SampleError::Replay { path: path.to_owned(), error })?;
            sample.games.extend(part.games);
            sample.balanced |= balanced;
        }
        sample.known.games = known.into_iter().flat_map(|(_, known)| known.games).collect();
        Ok(sample)
    }

    /// Keys of the kinds that have a value: all but the royal one, in the ruleset's order.
    #[must_use]
    pub fn kinds(&self) -> Vec<&str> {
        self.reading.rules.kinds.iter().filter(|kind| !kind.royal).map(|kind| kind.key.as_str()).collect()
    }

    /// Key of the pawn, if the reading has one.
    #[must_use]
    pub fn pawn(&self) -> Option<&str> {
        self.reading.rules.kinds.iter().find(|kind| kind.pawn).map(|kind| kind.key.as_str())
    }

    /// The kinds with pips, the royal one left out, from the highest down.
    #[must_use]
    pub fn pips(&self) -> Vec<(&str, u8)> {
        let kinds = self.reading.rules.kinds.iter().filter(|kind| !kind.royal);
        let mut pips: Vec<(&str, u8)> =
            kinds.filter_map(|kind| Some((kind.key.as_str(), kind.pips?))).collect();
        pips.sort_by_key(|(_, pips)| std::cmp::Reverse(*pips));
        pips
    }

    /// The design of the measured values: side to move and material differences against White's result.
    ///
    /// # Errors
    /// If there is no quiet position of a finished game.
    pub fn design(&self) -> Result<Design, TuneError> {
        let kinds = self.kinds();
        let rows: usize = self.games.iter().map(|game| game.quiet.len()).sum();
        let mut x = Array2::zeros((rows, 1 + kinds.len()));
        let mut y = Array1::zeros(rows);
        let mut number = Vec::with_capacity(rows);
        let royal: Vec<bool> = self.reading.rules.kinds.iter().map(|kind| kind.royal).collect();
        for (index, game) in self.games.iter().enumerate() {
            let Some(points) = game.result.white_points() else { continue };
            for quiet in &game.quiet {
                let row = number.len();
                x[[row, 0]] = f64::from(quiet.side);
                let values = quiet.material.iter().zip(&royal).filter(|(_, royal)| !**royal);
                for (column, (value, _)) in values.enumerate() {
                    x[[row, 1 + column]] = f64::from(*value);
                }
                y[row] = points;
                number.push(index as u64);
            }
        }
        let columns = std::iter::once("side to move").chain(kinds).map(str::to_owned).collect();
        Design::new(x, y, number, columns)
    }

    /// The rows of the eval weights.
    ///
    /// # Errors
    /// If the sample was collected without coefficients, or holds no quiet position.
    pub fn sparse_rows(&self) -> Result<SparseRows, TuneError> {
        let mut rows = SparseRows::new();
        for (index, game) in self.games.iter().enumerate() {
            let Some(points) = game.result.white_points() else { continue };
            for quiet in &game.quiet {
                rows.push(&quiet.coefficients, points, index as u64)?;
            }
        }
        Ok(rows)
    }

    /// Where the middle-game (phase 0) or end-game (phase 1) weight of a feature stands in the tuner's vector.
    #[must_use]
    pub fn weight_index(feature: usize, phase: usize) -> usize {
        2 * feature + phase
    }
}

/// How games were played, in words: all that their figures depend on besides rules and weights. What is not said is as in the
/// default configuration.
#[must_use]
pub fn conditions(config: Option<&Config>) -> String {
    let Some(config) = config else { return "in a way that is not known".to_owned() };
    let opening = &config.opening;
    let mut text =
        format!("{} nodes a move, {} openings of {} plies", config.nodes, opening.kind.name(), opening.plies);
    if opening.kind == OpeningKind::Balanced {
        text.push_str(&format!(" within {} cp by {} nodes", opening.margin_cp, opening.check_nodes));
    }
    match &opening.start {
        Start::Array => {}
        Start::Deletions(most) => text.push_str(&format!(" from the array without up to {most} men a side")),
        Start::Book(book) => text.push_str(&format!(" from the book {:.8}", book.sha256)),
    }
    let mut also = |more: String| text.push_str(&format!(", {more}"));
    if let Some(nodes) = config.soft_nodes {
        also(format!("no iteration begun after {nodes} nodes"));
    }
    if let Some(Softmax { temperature_cp, plies, lines }) = config.softmax {
        also(format!("{plies} plies drawn from {lines} lines at {temperature_cp} cp"));
    }
    if config.dice {
        also("dice".to_owned());
    }
    if let Some(Adjudication { score_cp, plies }) = config.adjudication {
        also(format!("won at {score_cp} cp for {plies} plies"));
    }
    if let Some(Resignation { score_cp, moves }) = config.resignation {
        also(format!("given up at {score_cp} cp for {moves} moves"));
    }
    if let Some(DrawRule { score_cp, plies, from_ply }) = config.draw {
        also(format!("drawn at {score_cp} cp for {plies} plies from ply {from_ply} on"));
    }
    if !config.kings_draw {
        also("played on with kings alone".to_owned());
    }
    if config.max_plies != Config::default().max_plies {
        also(format!("at most {} plies", config.max_plies));
    }
    text
}

/// True if openings of a dataset were selected for balance.
#[must_use]
pub fn is_balanced(header: &Header) -> bool {
    let balanced = |config: &Config| config.opening.kind == OpeningKind::Balanced;
    header.runs.iter().filter_map(|run| run.config.as_ref()).any(balanced)
}

/// True if two datasets' rules are the same, or each other's mirror image: the king's file is notation.
#[must_use]
pub fn same_game(a: &Reading, b: &Reading) -> bool {
    let print = |rules: &acedrex_engine::rules::Ruleset| hex(&rules.fingerprint());
    print(&a.rules) == print(&b.rules) || print(&a.rules.mirrored()) == print(&b.rules)
}

impl Game {
    fn of(record: &Record, reading: &Arc<Reading>, weights: Option<&Evaluator>) -> Result<Game, ReplayError> {
        let mut game = Game {
            result: record.result,
            end: record.end,
            plies: u32::try_from(record.plies.len()).unwrap_or(u32::MAX),
            choices: 0,
            legal_moves: 0,
            captures: 0,
            promotions: 0,
            line: line(record),
            quiet: Vec::new(),
        };
        let finished = record.result.white_points().is_some();
        let mut replay = record.replay(reading)?;
        while let Some(step) = replay.next_step()? {
            let promotes = is_promotion(step.position, step.mv);
            game.captures += u32::from(step.capture);
            game.promotions += u32::from(promotes);
            if step.opening {
                continue;
            }
            game.choices += 1;
            game.legal_moves += step.position.generator().count();
            let end_cp = if step.die.is_some() { DICE_WIN } else { MATE_IN_MAX };
            let sees_end = step.score_white_cp.is_none_or(|score| i32::from(score).abs() >= end_cp);
            if finished && !step.in_check && !step.capture && !promotes && !sees_end && !step.mv.is_none() {
                game.quiet.push(Quiet::of(step.position, weights));
            }
        }
        Ok(game)
    }
}

/// FNV-1a of start, dice and moves.
fn line(record: &Record) -> u64 {
    let start = record.start.iter().flat_map(|fen| fen.bytes());
    let plies = record.plies.iter().flat_map(|ply| {
        let [a, b] = ply.mv.bits().to_le_bytes();
        [a, b, ply.die.unwrap_or(0)]
    });
    start
        .chain(plies)
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn is_promotion(position: &Position, mv: Move) -> bool {
    let tables = &position.reading().tables;
    let piece = if mv.is_none() { None } else { position.board().piece_at(mv.from()) };
    piece.is_some_and(|piece| {
        tables.kind(piece.kind()).pawn && mv.to().rank() == tables.last_rank[piece.color().index()]
    })
}

impl Quiet {
    fn of(position: &Position, weights: Option<&Evaluator>) -> Quiet {
        let (reading, board) = (position.reading(), position.board());
        let mut material = vec![0i8; reading.rules.kinds.len()];
        for kind in board.kinds() {
            let count = |color| i8::try_from(board.pieces(color, kind).count()).unwrap_or(i8::MAX);
            material[reading.tables.kind(kind).def] += count(Color::White) - count(Color::Black);
        }
        let coefficients = weights.map_or_else(Vec::new, |evaluator| {
            let trace = evaluator.coefficients(reading, board);
            #[expect(clippy::cast_precision_loss, reason = "small integers")]
            let middle = trace.phase as f32 / Evaluator::PHASE_MAX as f32;
            let mut entries = Vec::new();
            for (feature, count) in trace.nonzero() {
                for (phase, share) in [middle, 1.0 - middle].into_iter().enumerate() {
                    #[expect(clippy::cast_precision_loss, reason = "small integers")]
                    let value = count as f32 * share;
                    if value != 0.0
                        && let Ok(index) = u32::try_from(Sample::weight_index(feature, phase))
                    {
                        entries.push((index, value));
                    }
                }
            }
            entries
        });
        let side = if board.side() == Color::White { 1 } else { -1 };
        Quiet { side, material, coefficients }
    }
}

/// How far each entry of the tuner's vector is believed to lie from its start, in centipawns: the spreads of the prior.
/// A weight that no position shows is kept, and without `all` so is every weight but material.
///
/// Material is given 30 % of its start (30 at least), mobility 2 a square, places 12, tempo 10: about what published
/// tables of piece values and squares differ by.
#[must_use]
pub fn spreads(start: &Weights, sample: &Sample, all: bool) -> Vec<f64> {
    let features = start.features();
    let mut spread = vec![0.0; 2 * features.len()];
    for (index, _) in sample.games.iter().flat_map(|g| &g.quiet).flat_map(|quiet| &quiet.coefficients) {
        let Some(entry) = usize::try_from(*index).ok().and_then(|index| spread.get_mut(index)) else {
            continue;
        };
        let (feature, phase) = ((*index / 2) as usize, (*index % 2) as usize);
        *entry = match features.at(feature) {
            Feature::Material(kind) if sample.reading.rules.kinds[kind].royal => 0.0,
            Feature::Material(_) => (0.3 * start.values()[feature][phase].abs()).max(30.0),
            _ if !all => 0.0,
            Feature::Mobility(_) | Feature::KingAttack(_) => 2.0,
            Feature::Threatened(_) | Feature::Hanging(_) | Feature::Passed(..) => 20.0,
            Feature::KingAttackers(_) => 15.0,
            Feature::Connected | Feature::Isolated | Feature::Doubled => 8.0,
            Feature::Rank(..) | Feature::File(..) => 12.0,
            Feature::Tempo => 10.0,
        };
    }
    spread
}

#[cfg(test)]
mod tests;
