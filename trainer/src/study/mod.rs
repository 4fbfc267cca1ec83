//! In: a configuration. Out: a folder with datasets, weights, tables, plots and a report that compares readings.

mod config;
mod report;
mod run;

pub use config::{ConfigFileError, PRESETS, RoundConfig, StudyConfig};
pub use run::{Manifest, Study, StudyError};
