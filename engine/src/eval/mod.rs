//! In: a board and weights. Out: a score, or the coefficients that the tuner fits.

mod features;
mod mobility;
mod terms;
mod weights;

pub use features::{Feature, Features};
pub use mobility::{crowded_mobility, empty_mobility};
pub use terms::{Coefficients, Evaluator, NoTrace, Trace};
pub use weights::{Weights, WeightsError};
