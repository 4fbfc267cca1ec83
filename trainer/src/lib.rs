//! Self-play, datasets, tuning and the comparison of readings.
//!
//! Data flows one way: `selfplay -> dataset`. Only the command line prints.
#![cfg_attr(not(test), warn(clippy::unwrap_used))]

pub mod cli;
pub mod dataset;
pub mod output;
pub mod selfplay;
