//! Plots as SVG text, the same bytes for the same input. Colours are told apart by colour-blind readers (Okabe and Ito's
//! palette), and series differ in shape as well.

mod axis;
mod canvas;
mod forest;
mod lengths;
mod results;
mod tau;

pub use forest::{ForestCell, ForestSeries, ForestValue, forest};
pub use lengths::{LengthSeries, lengths};
pub use results::{ResultBar, results};
pub use tau::{TauSeries, tau};

use thiserror::Error;

/// Why a plot could not be drawn.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PlotError {
    /// Nothing to show.
    #[error("nothing to plot: found no {0}")]
    Empty(&'static str),
    /// The drawing backend failed.
    #[error("plot: {0}")]
    Backend(String),
}

#[cfg(test)]
mod tests;
