//! Self-play, datasets, tuning and the comparison of readings.
//!
//! Data flows one way: `selfplay -> dataset -> sample -> tune -> compare -> study`, with `stats`, `report`,
//! `journal` and `output` as tools that know none of them. Only the command line prints.
#![cfg_attr(not(test), warn(clippy::unwrap_used))]

pub mod arena;
pub mod cli;
pub mod compare;
pub mod dataset;
pub mod journal;
pub mod output;
pub mod program;
pub mod report;
pub mod sample;
pub mod selfplay;
pub mod stats;
pub mod study;
pub mod tune;
