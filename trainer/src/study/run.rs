use std::path::{Path, PathBuf};
use std::sync::Arc;

use acedrex_engine::eval::{Evaluator, Weights};
use acedrex_engine::rules::{Reading, hex};
use sha2::{Digest, Sha256};

use super::folder::{Folder, Manifest, ManifestReading};
use super::log::Log;
use super::{RoundConfig, StudyConfig, StudyError};
use crate::compare::{Contrast, Metrics, Replication, contrasts, replications, write_csv};
use crate::dataset::{Reader, Record, play_to_file, spool_path};
use crate::sample::Sample;
use crate::selfplay::{Config, weights_id};
use crate::tune::measured::{Measured, adjust_together, fit_eval_weights, fit_line, measure};
use crate::tune::weights_fit;

/// What a step of a study says about itself: a label, how much is done, of how much, and a note.
pub type Report<'a> = dyn FnMut(&str, u64, u64, &str) + 'a;

/// A study in its folder.
pub struct Study {
    manifest: Manifest,
    readings: Vec<Arc<Reading>>,
    folder: Folder,
}

/// All that a study found.
pub(super) struct Findings {
    pub(super) samples: Vec<Sample>,
    pub(super) metrics: Vec<Metrics>,
    pub(super) measured: Vec<Option<Measured>>,
    /// Why a reading has no measured values.
    pub(super) unmeasured: Vec<Option<String>>,
    /// How the weights of the two rounds fitted, and their hashes.
    pub(super) fits: Vec<[Fit; 2]>,
    pub(super) contrasts: Vec<Contrast>,
    pub(super) replications: Vec<Replication>,
    pub(super) openings: Vec<(u64, u64)>,
}

/// Eval weights tuned on a round.
pub(super) struct Fit {
    /// One line on how well they fit.
    pub(super) line: String,
    /// Their hash.
    pub(super) weights: String,
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
            for (table, round) in [("first", &config.first), ("second", &config.second)] {
                let whole = StudyConfig { shard: u64::MAX, ..config.clone() };
                // What both rounds have is in no table of theirs.
                let name = |field: &str| match field {
                    "games" | "nodes" => format!("[{table}] {field}"),
                    same => same.to_owned(),
                };
                let check = whole.selfplay(round, seed, 0).check_as(&reading.rules, &name);
                check.map_err(|error| StudyError::Config(error.to_string()))?;
            }
        }
        let described = |reading: &Arc<Reading>| ManifestReading {
            id: reading.rules.id.clone(),
            fingerprint: hex(&reading.rules.fingerprint()),
            weights: weights_id(&reading.rules, &Weights::from_mobility(reading)),
        };
        let manifest = Manifest {
            program: crate::program::signature(),
            seed,
            // Ids and paths only say where rules come from: the fingerprints below are what counts.
            config: StudyConfig {
                readings: readings.iter().map(|r| r.rules.id.clone()).collect(),
                ..config.clone()
            },
            readings: readings.iter().map(described).collect(),
        };
        let folder = Folder::claim(folder, &manifest)?;
        Ok(Study { manifest, readings, folder })
    }

    /// The seed of one reading and round: it does not depend on the other readings of the study.
    fn seed(&self, reading: &Reading, round: u64) -> u64 {
        let mut hash = Sha256::new();
        hash.update(self.manifest.seed.to_le_bytes());
        hash.update(reading.rules.fingerprint());
        hash.update(round.to_le_bytes());
        // Two ids of one game are two samples, not the same games twice.
        hash.update(&reading.rules.id);
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
            let path = self.folder.join(&name);
            let there = path.exists();
            if there {
                expect_shard(&path, reading, &weights, &config)?;
                // What a kill right after the file was complete leaves; if it stays it does no harm.
                let _ = std::fs::remove_file(spool_path(&path));
            } else {
                let mut progress = |summary: &crate::selfplay::Summary| {
                    report(&label, first_game + summary.counts.games, round.games, "");
                };
                play_to_file(reading, &evaluator, &weights, &config, threads, &path, &mut progress)?;
            }
            first_game += config.games;
            report(&label, first_game, round.games, if there { "was there already" } else { "" });
            files.push(path);
        }
        Ok(files)
    }

    /// Tunes all eval weights on a round. Where there is too little to tune on, the weights stay as they were.
    fn tune(
        &self,
        reading: &Arc<Reading>,
        files: &[PathBuf],
        start: &Weights,
        round: u64,
        report: &mut Report<'_>,
    ) -> Result<(Weights, Fit), StudyError> {
        let id = &reading.rules.id;
        let sample = Sample::read(id, reading, files, Some(&Evaluator::new(reading, start)))?;
        let options =
            weights_fit::Options { seed: self.seed(reading, round), ..weights_fit::Options::default() };
        let label = format!("{id} round {round}, epochs");
        let most = options.max_epochs as u64;
        let mut progress = |p: weights_fit::Progress| {
            report(&label, p.epoch as u64, most, &format!("validation loss {:.5}", p.validation_loss));
        };
        let (weights, line) = match fit_eval_weights(&sample, start, true, &options, &mut progress) {
            Ok((weights, fit)) => (weights, fit_line(&fit)),
            Err(error) => (start.clone(), format!("not tuned, weights left as they were: {error}")),
        };
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
        self.folder.write(&format!("{id}/weights-{round}.toml"), &text)?;
        // Play with what the file says, so that the file reproduces the games.
        let weights = Weights::from_toml(&reading.rules, "weights", &text).unwrap_or(weights);
        let fit = Fit { line, weights: weights_id(&reading.rules, &weights) };
        Ok((weights, fit))
    }

    /// Runs what has not been run yet, and writes tables, plots and report; `command_line` and `threads` go to the log.
    /// The headline table, as plain text.
    ///
    /// # Errors
    /// The first step that fails; what was finished before stays, and the next run goes on from there. Also if another
    /// run is at work in the folder.
    pub fn run(
        &self,
        threads: usize,
        command_line: &str,
        report: &mut Report<'_>,
    ) -> Result<String, StudyError> {
        let lock = self.folder.lock()?;
        // Another study may have claimed the folder in the meantime.
        self.folder.check(&self.manifest)?;
        self.folder.clean(&self.manifest.readings);
        let mut log = Log::begin(lock, &self.manifest.program, command_line, threads);
        let result = self.steps(threads, &mut |label, done, total, note| {
            log.step(label);
            report(label, done, total, note);
        });
        log.end(&result.as_ref().map_or_else(|error| format!("failed: {error}"), |_| "done".to_owned()));
        result
    }

    fn steps(&self, threads: usize, report: &mut Report<'_>) -> Result<String, StudyError> {
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
            let start = Weights::from_mobility(reading);
            let files = self.play(reading, &start, (1, &config.first), threads, report)?;
            let (weights, first) = self.tune(reading, &files, &start, 1, report)?;
            let files = self.play(reading, &weights, (2, &config.second), threads, report)?;
            let (_, second) = self.tune(reading, &files, &weights, 2, report)?;
            report(&format!("{id}, measured"), 0, 1, "");
            let sample = Sample::read(id, reading, &files, None)?;
            findings.openings.push(openings(&files)?);
            let values = measure(&sample, config.replicates, self.seed(reading, 3));
            report(&format!("{id}, measured"), 1, 1, "");
            findings.unmeasured.push(values.as_ref().err().map(ToString::to_string));
            findings.measured.push(values.ok());
            findings.metrics.push(Metrics::of(&sample)?);
            findings.fits.push([first, second]);
            findings.samples.push(sample);
        }
        adjust_together(&mut findings.measured);
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
        self.folder.write("compare.csv", &String::from_utf8_lossy(&table))?;
        let plots = super::plots::plots(&findings);
        for (name, svg) in &plots {
            self.folder.write(name, svg)?;
        }
        let drawn: Vec<&str> = plots.iter().map(|(name, _)| *name).collect();
        self.folder.write("report.md", &super::report::markdown(&self.manifest, &findings, &drawn))?;
        Ok(super::report::headline(&self.manifest, &findings))
    }

    /// The study's folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

/// Checks that a file holds the games it should, every byte of it: what is there is kept and used, or the study stops; it
/// is never replaced.
fn expect_shard(path: &Path, reading: &Reading, weights: &str, config: &Config) -> Result<(), StudyError> {
    let wrong = |why: String| StudyError::Shard { path: path.to_owned(), why };
    // The path is named already.
    let plain = |error: crate::dataset::DatasetError| {
        let text = error.to_string();
        wrong(text.strip_prefix(&format!("{}: ", path.display())).unwrap_or(&text).to_owned())
    };
    let mut reader = Reader::open(path).map_err(plain)?;
    let header = reader.header();
    let run = header.runs.first().filter(|_| header.runs.len() == 1).cloned();
    let (of, by) = (run.as_ref().and_then(|run| run.config.as_ref()), run.as_ref().map(|run| &run.weights));
    let different = [
        ("rules", !header.made_with(&reading.rules)),
        ("weights", by.is_none_or(|by| by != weights)),
        ("configuration", of != Some(config)),
    ];
    if let Some((what, _)) = different.iter().find(|(_, is)| *is) {
        return Err(wrong(format!("holds games of another {what}, or of another version of the program")));
    }
    let (mut games, mut record, numbers) = (0, Record::default(), config.first_game..);
    while reader.read(&mut record).map_err(plain)? {
        if !numbers.contains(&record.game) || record.game - config.first_game >= config.games {
            return Err(wrong(format!("holds game {}, which does not belong there", record.game)));
        }
        games += 1;
    }
    if !run.is_some_and(|run| run.complete && run.is_all(games)) {
        return Err(wrong(format!("holds {games} games, expected {}", config.games)));
    }
    Ok(())
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
