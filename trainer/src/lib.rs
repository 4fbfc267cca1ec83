//! Self-play, datasets, tuning and the comparison of readings.
#![cfg_attr(not(test), warn(clippy::unwrap_used))]

pub mod report;
pub mod stats;
pub mod tune;
