//! In: samples of two or more readings. Out: their figures side by side, each with its interval, and tests of the
//! differences with Holm's correction and effect sizes.

mod contrasts;
mod csv;
mod metrics;

pub use contrasts::{Contrast, Replication, contrasts, contrasts_table, replications};
pub use csv::write_csv;
pub use metrics::{Metric, Metrics, metrics_table};

/// Confidence level of every interval.
pub const LEVEL: f64 = 0.95;
