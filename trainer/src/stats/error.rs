//! What can be wrong with the input of a statistic.

use thiserror::Error;

/// Why a statistic could not be computed.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum StatsError {
    /// Fewer observations than the formula needs.
    #[error("{what}: found {found} observations, expected at least {needed}")]
    TooFew {
        /// The statistic.
        what: &'static str,
        /// Observations given.
        found: usize,
        /// Observations needed.
        needed: usize,
    },
    /// An argument outside its range (or not a number).
    #[error("{what}: found {found}, expected {expected}")]
    OutOfRange {
        /// The argument.
        what: &'static str,
        /// The value given.
        found: f64,
        /// The range, in words.
        expected: &'static str,
    },
    /// Two inputs that must have equal lengths have not.
    #[error("{what}: found lengths {left} and {right}, expected equal lengths")]
    LengthMismatch {
        /// The statistic.
        what: &'static str,
        /// Length of the first input.
        left: usize,
        /// Length of the second input.
        right: usize,
    },
    /// All observations are equal, so there is nothing to test or scale by.
    #[error("{what}: every observation is the same, so there is no variation to test")]
    NoVariation {
        /// The statistic.
        what: &'static str,
    },
}

/// Checks that `level` is a confidence level, 0 < level < 1.
pub(crate) fn check_level(level: f64) -> Result<(), StatsError> {
    if level > 0.0 && level < 1.0 {
        Ok(())
    } else {
        Err(StatsError::OutOfRange { what: "confidence level", found: level, expected: "0 < level < 1" })
    }
}

/// Checks that every value is finite.
pub(crate) fn check_finite(what: &'static str, values: &[f64]) -> Result<(), StatsError> {
    match values.iter().find(|v| !v.is_finite()) {
        Some(&found) => Err(StatsError::OutOfRange { what, found, expected: "a finite number" }),
        None => Ok(()),
    }
}

/// Checks that there are at least `needed` observations.
pub(crate) fn check_count(what: &'static str, found: usize, needed: usize) -> Result<(), StatsError> {
    if found < needed { Err(StatsError::TooFew { what, found, needed }) } else { Ok(()) }
}
