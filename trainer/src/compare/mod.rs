//! In: samples of two or more readings. Out: their figures side by side, each with its interval, and tests of the
//! differences with Holm's correction and effect sizes.

mod contrasts;
mod csv;
mod metrics;
mod replication;

pub use contrasts::{Contrast, contrasts, contrasts_note, contrasts_table};
pub use csv::{CSV_HEAD, write_csv};
pub use metrics::{Metric, Metrics, metrics_table, notes};
pub use replication::{Replication, SCORE_MARGIN, replications};

/// Confidence level of every interval.
pub const LEVEL: f64 = 0.95;

#[cfg(test)]
mod tests;
