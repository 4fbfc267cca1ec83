//! Statistics on plain arrays and counts. In: numbers. Out: estimates, intervals, tests.
//!
//! Nothing here knows about chess, files or threads. Figures are equal on every machine: logarithms, exponentials and
//! error functions come from `libm`, and every sum runs in index order. Random steps (bootstrap, permutation) take a
//! seed; replicate `r` draws from ChaCha8 stream `r`, so the number of threads changes nothing.

pub mod bootstrap;
pub mod chi_square;
pub mod contingency;
pub mod error;
pub mod estimate;
pub mod holm;
pub mod kendall;
pub mod mean;
pub mod normal;
pub mod proportion;
pub mod quantile;
pub mod ratio;
mod special;
pub mod stream;
pub mod student;
pub mod wdl;

#[cfg(test)]
mod tests;

pub use error::StatsError;
pub use estimate::{Estimate, Interval};
