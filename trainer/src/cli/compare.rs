use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use acedrex_engine::cli::{load_evaluator, load_reading};
use acedrex_engine::rules::{Reading, known_ids};
use anyhow::Context;
use clap::Args;
use sha2::{Digest, Sha256};

use super::numbers::{any, whole};
use super::{Progress, expect_new, reading_for};
use crate::compare::{
    Metrics, contrasts, contrasts_note, contrasts_table, metrics_table, notes, replications, write_csv,
};
use crate::dataset::Reader;
use crate::output::Output;
use crate::report::table::{number, p_value, with_interval};
use crate::sample::{Sample, conditions};
use crate::selfplay::{Config, SelfplayError, play_all};
use crate::tune::measured::{adjust_together, measure};

/// Arguments of `compare`.
#[derive(Args)]
#[command(after_help = "Example: acedrex-trainer compare cazaux-musser.acd murray.acd --csv compare.csv")]
pub struct CompareArgs {
    /// Datasets, or rulesets (an id or a .toml file), for which games are played first
    #[arg(required = true, num_args = 2.., value_name = "F")]
    files: Vec<String>,
    /// The table to write
    #[arg(long, value_name = "C", default_value = "data/runs/compare.csv")]
    csv: PathBuf,
    /// Ruleset files of datasets whose rules are not built in
    #[arg(long, value_name = "R")]
    ruleset: Vec<String>,
    /// Games to play for each ruleset named
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = whole(2u64..=1_000_000))]
    games: u64,
    /// Search nodes a move in those games
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = whole(1u64..=1_000_000_000))]
    nodes: u64,
    /// Seed of those games, of permutations and of the bootstrap
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = any::<u64>)]
    seed: u64,
    /// Threads [default: all cores]
    #[arg(long, value_name = "T", value_parser = whole(1u16..=1024))]
    threads: Option<u16>,
    /// Game-bootstrap replicates
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = whole(100u32..=100_000))]
    replicates: u32,
}

/// The reading of a dataset: one of those given that fits, or the built-in one.
fn reading_of(path: &Path, given: &[Arc<Reading>]) -> anyhow::Result<Arc<Reading>> {
    let reader = Reader::open(path)?;
    match given.iter().find(|reading| reader.header().made_with(&reading.rules)) {
        Some(reading) => Ok(Arc::clone(reading)),
        None => reading_for(reader.header(), None),
    }
}

/// True if a name is that of a ruleset, not of a dataset: also if it is no file and can be no dataset's name, so that an id
/// with a slip in it is called that.
fn is_ruleset(name: &str) -> bool {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    known_ids().any(|id| id == name) || name.ends_with(".toml") || (plain && !Path::new(name).exists())
}

/// Plays games of a ruleset. Their seed depends on the rules, and on how many samples of the same rules there are already, so
/// that no two samples hold the same games.
fn play(
    args: &CompareArgs,
    reading: &Arc<Reading>,
    earlier: u64,
    threads: usize,
    err: &mut dyn Write,
) -> anyhow::Result<Sample> {
    let evaluator = load_evaluator(reading, None)?;
    let mut hash = Sha256::new();
    hash.update(args.seed.to_le_bytes());
    hash.update(reading.rules.fingerprint());
    hash.update(earlier.to_le_bytes());
    let digest: [u8; 32] = hash.finalize().into();
    let seed = u64::from_le_bytes(digest[..8].try_into().unwrap_or_default());
    let config = Config { games: args.games, nodes: args.nodes, seed, ..Config::default() };
    let mut progress = Progress::new(&reading.rules.id, config.games, err);
    let mut records = Vec::new();
    let mut sink = |record| {
        records.push(record);
        Ok::<(), SelfplayError>(())
    };
    play_all(reading, &evaluator, &config, threads, &mut sink, &mut |s| progress.set(s.counts.games, ""))?;
    progress.finish();
    let mut sample = Sample::collect(&reading.rules.id, reading, &records, false, None)?;
    sample.conditions = vec![conditions(Some(&config))];
    Ok(sample)
}

/// Compares datasets.
pub(super) fn run(args: &CompareArgs, out: &mut dyn Write, err: &mut dyn Write) -> anyhow::Result<()> {
    let given: Vec<Arc<Reading>> = args.ruleset.iter().map(|r| load_reading(r)).collect::<Result<_, _>>()?;
    let threads = super::selfplay::threads(args.threads);
    super::use_threads(threads);
    let mut inputs: Vec<PathBuf> = args.files.iter().map(PathBuf::from).collect();
    inputs.extend(super::read_files(&args.ruleset, None));
    expect_new("--csv", &args.csv, &inputs)?;
    let mut samples: Vec<Sample> = Vec::new();
    for file in &args.files {
        let sample = if is_ruleset(file) {
            let reading = load_reading(file)?;
            let earlier = samples
                .iter()
                .filter(|s| s.reading.rules.fingerprint() == reading.rules.fingerprint())
                .count();
            play(args, &reading, earlier as u64, threads, err)?
        } else {
            let path = Path::new(file);
            let reading = reading_of(path, &given)?;
            let sample = Sample::read(&reading.rules.id, &reading, &[path], None)?;
            let mut earlier = samples.iter().zip(&args.files);
            if let Some((_, other)) = earlier.find(|(other, _)| sample.known.shares_games_with(&other.known))
            {
                let _ = writeln!(
                    err,
                    "warning: {other} and {file} hold the same games; the tests take all games as independent"
                );
            }
            sample
        };
        samples.push(sample);
    }
    name_apart(&mut samples, &args.files);
    let metrics = samples.iter().map(Metrics::of).collect::<Result<Vec<_>, _>>()?;
    let mut measured = Vec::new();
    for sample in &samples {
        let found = measure(sample, args.replicates, args.seed);
        if let Err(error) = &found {
            let _ = writeln!(err, "{}: values not measured: {error}", sample.name);
        }
        measured.push(found.ok());
    }
    adjust_together(&mut measured);
    let tests = contrasts(&metrics, args.seed);
    let pairs = replications(&samples, &metrics);
    let mut table = Vec::new();
    write_csv(&mut table, &metrics, &measured, &tests, &pairs)?;
    let write = || -> std::io::Result<()> {
        let mut output = Output::create(&args.csv)?;
        output.write_all(&table)?;
        output.commit()
    };
    write().with_context(|| format!("cannot write {}", args.csv.display()))?;

    writeln!(out, "Figures, with 95 % intervals\n\n{}", metrics_table(&metrics).plain())?;
    for note in notes(&metrics) {
        writeln!(out, "{note}\n")?;
    }
    writeln!(out, "{}\n\n{}", contrasts_note(&tests), contrasts_table(&tests).plain())?;
    for pair in &pairs {
        writeln!(out, "{}", pair.sentence())?;
    }
    for (sample, values) in samples.iter().zip(&measured) {
        let Some(values) = values else { continue };
        writeln!(out, "\nMeasured values of {}\n\n{}", sample.name, values.table().plain())?;
        if !values.pairs.is_empty() {
            writeln!(
                out,
                "Adjacent pairs of the pips; probability: share of bootstrap replicates; p two-sided, Holm over all samples\n\n{}",
                values.pairs_table().plain()
            )?;
        }
        if let Some(agreement) = &values.agreement {
            let tau = match &agreement.distribution {
                Some(d) => with_interval(agreement.tau, d.interval, 2),
                None => number(agreement.tau, 2),
            };
            let exact =
                agreement.exact_p.map_or_else(String::new, |p| format!(", exact one-sided p {}", p_value(p)));
            writeln!(
                out,
                "tau-b of values and pips {tau} (percentile interval){exact}, {} games",
                values.fit.clusters
            )?;
            for (tau, share) in agreement.distribution.as_ref().map_or(&[][..], |d| &d.table[..]) {
                writeln!(out, "  tau-b {} in {} of replicates", number(*tau, 2), number(*share, 3))?;
            }
        }
    }
    writeln!(out, "\nwrote {}", args.csv.display())?;
    Ok(())
}

/// Gives samples of one reading different names: the file's, or a number.
fn name_apart(samples: &mut [Sample], files: &[String]) {
    let ids: Vec<String> = samples.iter().map(|sample| sample.name.clone()).collect();
    for (i, sample) in samples.iter_mut().enumerate() {
        if ids.iter().filter(|id| **id == ids[i]).count() > 1 {
            let stem =
                Path::new(&files[i]).file_stem().map_or(String::new(), |s| s.to_string_lossy().into_owned());
            sample.name = format!("{} ({}: {stem})", ids[i], i + 1);
        }
    }
}
