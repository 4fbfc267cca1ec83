use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use acedrex_engine::cli::load_reading;
use acedrex_engine::rules::{Reading, known_ids};
use anyhow::Context;
use clap::Args;

use super::{Progress, load_weights, reading_for};
use crate::compare::{Metrics, contrasts, contrasts_table, metrics_table, replications, write_csv};
use crate::dataset::Reader;
use crate::output::Output;
use crate::report::table::{number, p_value, with_interval};
use crate::sample::Sample;
use crate::selfplay::{Config, SelfplayError, play_all};
use crate::tune::measured::measure;

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
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(2..=1_000_000))]
    games: u64,
    /// Search nodes a move in those games
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    nodes: u64,
    /// Seed of those games, of permutations and of the bootstrap
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Threads [default: all cores]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Game-bootstrap replicates
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(100..=100_000))]
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

/// Compares datasets.
pub(super) fn run(args: &CompareArgs, out: &mut dyn Write, err: &mut dyn Write) -> anyhow::Result<()> {
    let given: Vec<Arc<Reading>> = args.ruleset.iter().map(|r| load_reading(r)).collect::<Result<_, _>>()?;
    let threads = super::selfplay::threads(args.threads);
    super::use_threads(threads);
    let mut samples = Vec::new();
    for file in &args.files {
        let is_ruleset = known_ids().any(|id| id == file) || file.ends_with(".toml");
        samples.push(if is_ruleset {
            let reading = load_reading(file)?;
            let (evaluator, _) = load_weights(&reading, None)?;
            let config =
                Config { games: args.games, nodes: args.nodes, seed: args.seed, ..Config::default() };
            let mut records = Vec::new();
            let mut progress = Progress::new(&reading.rules.id, config.games, err);
            let mut sink = |record| {
                records.push(record);
                Ok::<(), SelfplayError>(())
            };
            play_all(&reading, &evaluator, &config, threads, &mut sink, &mut |s| {
                progress.set(s.counts.games, "");
            })?;
            progress.finish();
            Sample::collect(&reading.rules.id, &reading, &records, false, None)?
        } else {
            let path = Path::new(file);
            let reading = reading_of(path, &given)?;
            Sample::read(&reading.rules.id, &reading, &[path], None)?
        });
    }
    name_apart(&mut samples, &args.files);
    let metrics = samples.iter().map(Metrics::of).collect::<Result<Vec<_>, _>>()?;
    let mut measured = Vec::new();
    for sample in &samples {
        let found = measure(sample, args.replicates, args.seed);
        if let Err(error) = &found {
            writeln!(err, "{}: values not measured: {error}", sample.name)?;
        }
        measured.push(found.ok());
    }
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
    if metrics.iter().any(|m| m.balanced) {
        writeln!(
            out,
            "Some openings were selected for balance: White's score does not measure the first move.\n"
        )?;
    }
    writeln!(
        out,
        "{} tests, Holm's correction over all\n\n{}",
        tests.len(),
        contrasts_table(&tests).plain()
    )?;
    for pair in &pairs {
        write!(out, "{} and {}: {}", pair.samples.0, pair.samples.1, pair.why)?;
        if let Some(test) = &pair.score {
            let margin = number(test.margin, 2);
            let verdict = if test.equivalent { "equivalent" } else { "not shown equivalent" };
            write!(out, "; White's scores {verdict} within {margin} (TOST p {})", p_value(test.p))?;
        }
        writeln!(out)?;
    }
    for (sample, values) in samples.iter().zip(&measured) {
        let Some(values) = values else { continue };
        writeln!(out, "\nMeasured values of {}\n\n{}", sample.name, values.table().plain())?;
        if !values.pairs.is_empty() {
            writeln!(out, "Adjacent pairs of the pips\n\n{}", values.pairs_table().plain())?;
        }
        if let Some(agreement) = &values.agreement {
            let tau = match &agreement.distribution {
                Some(d) => with_interval(agreement.tau, d.interval, 2),
                None => number(agreement.tau, 2),
            };
            writeln!(out, "tau-b of values and pips {tau}, {} games", values.fit.clusters)?;
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
