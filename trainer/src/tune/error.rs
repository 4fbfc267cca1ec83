//! What can be wrong with tuning data.

use thiserror::Error;

/// Why a model could not be fitted.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum TuneError {
    /// There are no positions.
    #[error("no positions to fit; play more games or keep more positions")]
    NoPositions,
    /// Fewer than two games: no uncertainty clustered by game, and no validation split.
    #[error("found {found} game(s), expected at least 2")]
    TooFewGames {
        /// Games found.
        found: usize,
    },
    /// Every position has the same result, so nothing can be learnt.
    #[error("every position has the result {result}; expected at least two different results")]
    ConstantResult {
        /// The result, 0 to 1.
        result: f64,
    },
    /// Two inputs that must agree in length do not.
    #[error("{what}: found {found} entries, expected {expected}")]
    Length {
        /// The input.
        what: &'static str,
        /// Entries found.
        found: usize,
        /// Entries expected.
        expected: usize,
    },
    /// A number outside its range, or not finite.
    #[error("{what} at {index}: found {found}, expected {expected}")]
    BadNumber {
        /// The input.
        what: &'static str,
        /// Row or entry, from 0.
        index: usize,
        /// The value.
        found: f64,
        /// The range, in words.
        expected: &'static str,
    },
    /// The rows of one game are not next to each other.
    #[error(
        "row {row}: game {game} appears again after other games; expected the rows of a game to be contiguous"
    )]
    GameNotContiguous {
        /// Row, from 0.
        row: usize,
        /// Game index.
        game: u64,
    },
    /// The solver stopped without an optimum.
    #[error("the fit did not converge in {iterations} iterations; try a small ridge")]
    NotConverged {
        /// Iterations made.
        iterations: usize,
    },
}
