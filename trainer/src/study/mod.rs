//! In: a configuration. Out: a folder with datasets, weights, tables, plots and a report that compares readings.

mod config;
mod error;
mod folder;
mod log;
mod plots;
mod report;
mod run;

pub use config::{ConfigFileError, PRESETS, RoundConfig, StudyConfig};
pub use error::StudyError;
pub use folder::{Manifest, ManifestReading};
pub use run::{Report, Study};

#[cfg(test)]
mod tests;
