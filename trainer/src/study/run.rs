use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use acedrex_engine::eval::{Evaluator, Weights};
use acedrex_engine::rules::{Reading, hex};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{RoundConfig, StudyConfig};
use crate::compare::{Contrast, Metrics, Replication, contrasts, replications, write_csv};
use crate::dataset::{DatasetError, Reader, play_to_file};
use crate::output::Output;
use crate::sample::{Sample, SampleError};
use crate::selfplay::weights_id;
use crate::stats::StatsError;
use crate::tune::measured::{Measured, fit_eval_weights, fit_line, measure};
use crate::tune::{TuneError, weights_fit};

/// What a study is: its configuration, its seed, and the rules and weights it started from. Two studies with the same
/// manifest give the same files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Name and version of the program.
    pub program: String,
    /// The master seed.
    pub seed: u64,
    /// The configuration.
    pub config: StudyConfig,
    /// Id, fingerprint of the rules and hash of the first weights of each reading.
    pub readings: Vec<ManifestReading>,
}

/// One reading of a manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestReading {
    /// Id of the ruleset.
    pub id: String,
    /// Fingerprint of the rules.
    pub fingerprint: String,
    /// Hash of the weights of the first round.
    pub weights: String,
}

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
    /// Too little to tune.
    #[error("{reading}: {error}: play more games")]
    Tune {
        /// The reading.
        reading: String,
        /// What is missing.
        error: TuneError,
    },
    /// Too little to count.
    #[error(transparent)]
    Stats(#[from] StatsError),
    /// A table cannot be written.
    #[error(transparent)]
    Csv(#[from] csv::Error),
}

/// What a step of a study says about itself: a label, how much is done, of how much, and a note.
pub type Report<'a> = dyn FnMut(&str, u64, u64, &str) + 'a;

/// A study in its folder.
pub struct Study {
    manifest: Manifest,
    readings: Vec<Arc<Reading>>,
    folder: PathBuf,
}

/// All that a study found.
pub(super) struct Findings {
    pub(super) samples: Vec<Sample>,
    pub(super) metrics: Vec<Metrics>,
    pub(super) measured: Vec<Option<Measured>>,
    /// Why a reading has no measured values.
    pub(super) unmeasured: Vec<Option<String>>,
    /// How the weights of the first round fitted.
    pub(super) fits: Vec<String>,
    pub(super) contrasts: Vec<Contrast>,
    pub(super) replications: Vec<Replication>,
    pub(super) openings: Vec<(u64, u64)>,
}

impl Study {
    /// Begins a study in a folder, or goes on with the one that was begun there with the same manifest.
    ///
    /// # Errors
    /// If the configuration does not fit the rules, or the folder holds another study or other files.
    pub fn open(
        config: &StudyConfig,
        readings: Vec<Arc<Reading>>,
        seed: u64,
        folder: &Path,
    ) -> Result<Study, StudyError> {
        config.check().map_err(StudyError::Config)?;
        for (i, reading) in readings.iter().enumerate() {
            let id = &reading.rules.id;
            if readings[..i].iter().any(|other| &other.rules.id == id) {
                return Err(StudyError::Config(format!("readings: two rulesets have the id {id:?}")));
            }
            for round in [&config.first, &config.second] {
                let whole = StudyConfig { shard: u64::MAX, ..config.clone() };
                let check = whole.selfplay(round, seed, 0).check(&reading.rules);
                check.map_err(|error| StudyError::Config(error.to_string()))?;
            }
        }
        let described = |reading: &Arc<Reading>| ManifestReading {
            id: reading.rules.id.clone(),
            fingerprint: hex(&reading.rules.fingerprint()),
            weights: weights_id(&reading.rules, &Weights::default_for(reading)),
        };
        let manifest = Manifest {
            program: concat!("acedrex-trainer ", env!("CARGO_PKG_VERSION")).to_owned(),
            seed,
            // Ids and paths only say where rules come from: the fingerprints below are what counts.
            config: StudyConfig {
                readings: readings.iter().map(|r| r.rules.id.clone()).collect(),
                ..config.clone()
            },
            readings: readings.iter().map(described).collect(),
        };
        let study = Study { manifest, readings, folder: folder.to_owned() };
        study.claim()?;
        Ok(study)
    }

    /// Writes the manifest, or checks the one that is there.
    fn claim(&self) -> Result<(), StudyError> {
        let path = self.folder.join("manifest.json");
        let wrong = |why: &str| StudyError::Folder { path: self.folder.clone(), why: why.to_owned() };
        match fs::read_to_string(&path) {
            Ok(text) => match serde_json::from_str::<Manifest>(&text) {
                Ok(manifest) if manifest == self.manifest => Ok(()),
                Ok(_) => {
                    Err(wrong("holds a study with another configuration, seed, rules or program version"))
                }
                Err(_) => Err(wrong("holds a manifest.json that is no study's")),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let occupied = fs::read_dir(&self.folder).is_ok_and(|mut entries| entries.next().is_some());
                if occupied {
                    return Err(wrong("holds other files"));
                }
                let text = serde_json::to_string_pretty(&self.manifest).map_err(io::Error::from);
                let text = text.map_err(|error| StudyError::File { path: path.clone(), error })?;
                self.write("manifest.json", &format!("{text}\n"))
            }
            Err(error) => Err(StudyError::File { path, error }),
        }
    }

    fn write(&self, name: &str, text: &str) -> Result<(), StudyError> {
        let path = self.folder.join(name);
        let save = || -> io::Result<()> {
            let mut output = Output::create(&path)?;
            output.write_all(text.as_bytes())?;
            output.commit()
        };
        save().map_err(|error| StudyError::File { path: path.clone(), error })
    }

    /// The seed of one reading and round: it does not depend on the other readings of the study.
    fn seed(&self, reading: &Reading, round: u64) -> u64 {
        let mut hash = Sha256::new();
        hash.update(self.manifest.seed.to_le_bytes());
        hash.update(reading.rules.fingerprint());
        hash.update(round.to_le_bytes());
        let digest: [u8; 32] = hash.finalize().into();
        u64::from_le_bytes(digest[..8].try_into().unwrap_or_default())
    }

    /// Plays a round of a reading into dataset files; files that are there already are kept.
    fn play(
        &self,
        reading: &Arc<Reading>,
        weights: &Weights,
        round: (u64, &RoundConfig),
        threads: usize,
        report: &mut Report<'_>,
    ) -> Result<Vec<PathBuf>, StudyError> {
        let (number, round) = round;
        let evaluator = Evaluator::new(reading, weights);
        let weights = weights_id(&reading.rules, weights);
        let seed = self.seed(reading, number);
        let label = format!("{} round {number}, games", reading.rules.id);
        let mut files = Vec::new();
        let mut first_game = 0;
        while first_game < round.games {
            let config = self.manifest.config.selfplay(round, seed, first_game);
            let name = format!("{}/games-{number}-{:03}.acd", reading.rules.id, files.len());
            let path = self.folder.join(name);
            let there = path.exists().then(|| Reader::open(&path)).transpose()?;
            let whole = there.is_some_and(|reader| {
                let header = reader.header();
                header.config == config && header.weights == weights && header.made_with(&reading.rules)
            });
            if !whole {
                let mut progress = |summary: &crate::selfplay::Summary| {
                    report(&label, first_game + summary.counts.games, round.games, "");
                };
                play_to_file(reading, &evaluator, &weights, &config, threads, &path, &mut progress)?;
            }
            first_game += config.games;
            report(&label, first_game, round.games, if whole { "was there already" } else { "" });
            files.push(path);
        }
        Ok(files)
    }

    /// Tunes all eval weights on a round.
    fn tune(
        &self,
        reading: &Arc<Reading>,
        files: &[PathBuf],
        start: &Weights,
        round: u64,
        report: &mut Report<'_>,
    ) -> Result<(Weights, String), StudyError> {
        let id = &reading.rules.id;
        let sample = Sample::read(id, reading, files, Some(&Evaluator::new(reading, start)))?;
        let options =
            weights_fit::Options { seed: self.seed(reading, round), ..weights_fit::Options::default() };
        let label = format!("{id} round {round}, epochs");
        let most = options.max_epochs as u64;
        let mut progress = |p: weights_fit::Progress| {
            report(&label, p.epoch as u64, most, &format!("validation loss {:.5}", p.validation_loss));
        };
        let fitted = fit_eval_weights(&sample, start, true, &options, &mut progress);
        let (weights, fit) = fitted.map_err(|error| StudyError::Tune { reading: id.clone(), error })?;
        let line = fit_line(&fit);
        let manifest = format!(
            "Eval weights of {id}, tuned by Texel's method in study {}, seed {}, round {round}.\n\
             {} games at {} nodes a move; {line}.\nStart weights: {}.\nThey share worth between terms and are no piece values.",
            self.manifest.config.name,
            self.manifest.seed,
            sample.games.len(),
            if round == 1 { self.manifest.config.first.nodes } else { self.manifest.config.second.nodes },
            weights_id(&reading.rules, start),
        );
        let text = weights.to_toml(&reading.rules, &manifest);
        self.write(&format!("{id}/weights-{round}.toml"), &text)?;
        // Play with what the file says, so that the file reproduces the games.
        let weights = Weights::from_toml(&reading.rules, "weights", &text).unwrap_or(weights);
        Ok((weights, line))
    }

    /// Runs what has not been run yet, and writes tables, plots and report. The headline table, as plain text.
    ///
    /// # Errors
    /// The first step that fails; what was finished before stays, and the next run goes on from there.
    pub fn run(&self, threads: usize, report: &mut Report<'_>) -> Result<String, StudyError> {
        let config = &self.manifest.config;
        let mut findings = Findings {
            samples: Vec::new(),
            metrics: Vec::new(),
            measured: Vec::new(),
            unmeasured: Vec::new(),
            fits: Vec::new(),
            contrasts: Vec::new(),
            replications: Vec::new(),
            openings: Vec::new(),
        };
        for reading in &self.readings {
            let id = &reading.rules.id;
            let start = Weights::default_for(reading);
            let files = self.play(reading, &start, (1, &config.first), threads, report)?;
            let (weights, fit) = self.tune(reading, &files, &start, 1, report)?;
            let files = self.play(reading, &weights, (2, &config.second), threads, report)?;
            self.tune(reading, &files, &weights, 2, report)?;
            let sample = Sample::read(id, reading, &files, None)?;
            findings.openings.push(openings(&files)?);
            let values = measure(&sample, config.replicates, self.seed(reading, 3));
            report(&format!("{id}, measured"), 1, 1, "");
            match values {
                Ok(values) => {
                    findings.measured.push(Some(values));
                    findings.unmeasured.push(None);
                }
                Err(error) => {
                    findings.measured.push(None);
                    findings.unmeasured.push(Some(error.to_string()));
                }
            }
            findings.metrics.push(Metrics::of(&sample)?);
            findings.fits.push(fit);
            findings.samples.push(sample);
        }
        findings.contrasts = contrasts(&findings.metrics, self.manifest.seed);
        findings.replications = replications(&findings.samples, &findings.metrics);
        let mut table = Vec::new();
        write_csv(
            &mut table,
            &findings.metrics,
            &findings.measured,
            &findings.contrasts,
            &findings.replications,
        )?;
        self.write("compare.csv", &String::from_utf8_lossy(&table))?;
        for (name, svg) in super::report::plots(&findings) {
            self.write(name, &svg)?;
        }
        self.write("report.md", &super::report::markdown(&self.manifest, &findings))?;
        Ok(super::report::headline(&self.manifest, &findings))
    }

    /// The study's folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// Openings kept and drawn in dataset files.
fn openings(files: &[PathBuf]) -> Result<(u64, u64), StudyError> {
    let mut counts = crate::selfplay::Counts::default();
    for file in files {
        for record in Reader::open(file)? {
            counts.add(&record?);
        }
    }
    Ok((counts.games, counts.openings_tried))
}
