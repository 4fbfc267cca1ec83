use std::io;
use std::path::PathBuf;

use crate::dataset::DatasetError;
use crate::sample::SampleError;
use crate::stats::StatsError;

/// Why a study came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// The configuration is wrong.
    #[error("study: {0}")]
    Config(String),
    /// The folder holds something else.
    #[error("{} {why}: choose another folder with --out", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What it holds.
        why: String,
    },
    /// Another process is at work in the folder.
    #[error("{}: another run is at work in this folder: wait for it, or choose another folder with --out", path.display())]
    Busy {
        /// The folder.
        path: PathBuf,
    },
    /// A dataset file in the folder cannot be used.
    #[error("{}: {why}. If you do not need this file, delete it: the next run plays its games again", path.display())]
    Shard {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A file cannot be written or read.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// Self-play failed.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// A dataset is wrong.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// Too little to count.
    #[error(transparent)]
    Stats(#[from] StatsError),
    /// A table cannot be written.
    #[error(transparent)]
    Csv(#[from] csv::Error),
}
