//! Texel's method. In: arrays of position features with game results. Out: values and weights with their uncertainty.
//!
//! Two models, kept apart: [`values`] measures what each kind of piece is worth (logistic regression on material), and
//! [`weights_fit`] tunes the engine's evaluation weights, which are never called values.
//!
//! Figures are equal on every machine and for any number of threads: `libm` functions, sums in a fixed order (ndarray's
//! matrix products choose their order by processor, so they are not used), parallel work split into fixed pieces.

pub mod design;
pub mod error;
mod linalg;
pub mod logistic;
pub mod loss;
pub mod measured;
pub mod order;
pub mod sparse;
pub mod split;
pub mod uncertainty;
pub mod values;
pub mod weights_fit;

#[cfg(test)]
mod synthetic;
#[cfg(test)]
mod tests;

pub use error::TuneError;
