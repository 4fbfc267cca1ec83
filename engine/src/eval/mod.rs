//! In: a board and weights. Out: a score, or the coefficients that the tuner fits.

mod attacked;
mod evaluator;
mod features;
mod mobility;
mod pawns;
mod sight;
mod terms;
mod trace;
mod weights;

pub use attacked::Attacked;
pub use evaluator::{Evaluator, Placed};
pub use features::{Feature, Features};
pub use mobility::{crowded_mobility, empty_mobility};
pub use sight::EvalMemory;
pub use trace::{Coefficients, NoTrace, Trace};
pub use weights::{Weights, WeightsError};
