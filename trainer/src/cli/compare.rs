use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use acedrex_engine::cli::{load_evaluator, load_reading};
use acedrex_engine::rules::{Reading, known_ids};
use anyhow::Context;
use clap::Args;
use sha2::{Digest, Sha256};

use super::numbers::{any, whole};
use super::{Progress, create, expect_new, probe, reading_for};
use crate::compare::{
    Metrics, contrasts, contrasts_note, contrasts_table, metrics_table, notes, replications, write_csv,
};
use crate::dataset::Reader;
use crate::report::table::{number, p_value, with_interval};
use crate::sample::{Sample, conditions};
use crate::selfplay::{Config, SelfplayError, play_all};
use crate::tune::measured::{adjust_together, measure};

/// Arguments of `compare`.
#[derive(Args)]
#[command(after_help = "Example: acedrex-trainer compare cazaux-musser.acd murray.acd --csv compare.csv")]
pub struct CompareArgs {
    /// A dataset, or a ruleset (an id or a .toml file), for which games are played first
    #[arg(value_name = "F")]
    first: String,
    /// What to compare it with, datasets or rulesets as well
    #[arg(required = true, value_name = "OTHER")]
    others: Vec<String>,
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
    let files: Vec<String> = std::iter::once(&args.first).chain(&args.others).cloned().collect();
    let given: Vec<Arc<Reading>> = args.ruleset.iter().map(|r| load_reading(r)).collect::<Result<_, _>>()?;
    let mut inputs: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
    inputs.extend(super::read_files(&args.ruleset, None));
    expect_new("--csv", &args.csv, &inputs)?;
    let reading = |file: &String| match is_ruleset(file) {
        true => load_reading(file),
        false => reading_of(Path::new(file), &given),
    };
    let readings: Vec<Arc<Reading>> = files.iter().map(reading).collect::<Result<_, _>>()?;
    probe([&args.csv])?;
    let threads = super::selfplay::threads(args.threads);
    super::use_threads(threads)?;
    // What is there is read before the games that are not there are played.
    let mut there: Vec<Option<Sample>> = Vec::new();
    for (file, reading) in files.iter().zip(&readings) {
        if is_ruleset(file) {
            there.push(None);
            continue;
        }
        let sample = Sample::read(&reading.rules.id, reading, &[Path::new(file)], None)?;
        let same = |other: &Option<Sample>| {
            other.as_ref().is_some_and(|other| sample.known.shares_games_with(&other.known))
        };
        if let Some((_, other)) = there.iter().zip(&files).find(|(other, _)| same(other)) {
            let _ = writeln!(
                err,
                "warning: {other} and {file} hold the same games; the tests take all games as independent"
            );
        }
        there.push(Some(sample));
    }
    let mut samples: Vec<Sample> = Vec::new();
    for (sample, reading) in there.into_iter().zip(&readings) {
        let sample = match sample {
            Some(sample) => sample,
            None => {
                let fingerprint = reading.rules.fingerprint();
                let same = |earlier: &&Sample| earlier.reading.rules.fingerprint() == fingerprint;
                let earlier = samples.iter().filter(same).count();
                play(args, reading, earlier as u64, threads, err)?
            }
        };
        samples.push(sample);
    }
    name_apart(&mut samples, &files);
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
    let mut output = create(&args.csv)?;
    let written = output.write_all(&table).and_then(|()| output.commit());
    written.with_context(|| format!("cannot write {}", args.csv.display()))?;

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
