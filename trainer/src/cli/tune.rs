use std::io::Write;
use std::path::PathBuf;

use acedrex_engine::cli::load_weights;
use acedrex_engine::eval::Evaluator;
use anyhow::Context;
use clap::Args;

use super::numbers::{any, whole};
use super::{Progress, create, expect_new, probe, reading_for};
use crate::dataset::Reader;
use crate::sample::Sample;
use crate::selfplay::weights_id;
use crate::tune::measured::{fit_eval_weights, fit_line, measure};
use crate::tune::order::PawnScale;
use crate::tune::weights_fit;

/// Arguments of `tune`.
#[derive(Args)]
#[command(
    after_help = "Example: acedrex-trainer tune murray.acd --all --out murray.toml --csv murray-values.csv"
)]
pub struct TuneArgs {
    /// Datasets of one reading
    #[arg(required = true, value_name = "F")]
    files: Vec<PathBuf>,
    /// Tune every linear weight, not the piece values alone
    #[arg(long)]
    all: bool,
    /// The weights file to write
    #[arg(long, value_name = "W.toml", default_value = "data/runs/weights.toml")]
    out: PathBuf,
    /// The table of measured values to write
    #[arg(long, value_name = "C", default_value = "data/runs/values.csv")]
    csv: PathBuf,
    /// The ruleset the datasets were made with [default: the built-in one that they name]
    #[arg(long, value_name = "R")]
    ruleset: Option<String>,
    /// Weights to start from [default: those the engine plays with]
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Seed of the split into training and validation and of the bootstrap
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = any::<u64>)]
    seed: u64,
    /// Game-bootstrap replicates
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = whole(100u32..=100_000))]
    replicates: u32,
}

/// Measures values and tunes weights.
pub(super) fn run(args: &TuneArgs, out: &mut dyn Write, err: &mut dyn Write) -> anyhow::Result<()> {
    let mut inputs = args.files.clone();
    inputs.extend(super::read_files(&args.ruleset, args.weights.as_deref()));
    expect_new("--out", &args.out, &inputs)?;
    expect_new("--csv", &args.csv, &inputs)?;
    expect_new("--csv", &args.csv, std::slice::from_ref(&args.out))?;
    let first = args.files.first().context("no dataset was named")?;
    let reading = reading_for(Reader::open(first)?.header(), args.ruleset.as_deref())?;
    let start = load_weights(&reading, args.weights.as_deref())?;
    probe([&args.out, &args.csv])?;
    let sample =
        Sample::read(&reading.rules.id, &reading, &args.files, Some(&Evaluator::new(&reading, &start)))?;
    let quiet: usize = sample.games.iter().map(|game| game.quiet.len()).sum();
    if sample.conditions.len() > 1 {
        let _ =
            writeln!(err, "warning: the datasets were played differently: {}", sample.conditions.join("; "));
    }
    let _ = writeln!(err, "{} games, {quiet} quiet positions of finished games", sample.games.len());

    let measured = measure(&sample, args.replicates, args.seed)?;
    let options = weights_fit::Options { seed: args.seed, ..weights_fit::Options::default() };
    let mut progress = Progress::new("epochs", options.max_epochs as u64, err);
    let fitted = fit_eval_weights(&sample, &start, args.all, &options, &mut |p| {
        progress.set(p.epoch as u64, &format!("validation loss {:.5}", p.validation_loss));
    });
    progress.finish();
    let (weights, fit) = fitted?;
    let line = fit_line(&fit);
    let manifest = format!(
        "Eval weights of {}, tuned by Texel's method: {}, {} games, seed {}.\n{line}.\nStart weights: {}.\n\
         They share worth between terms and are no piece values.",
        reading.rules.id,
        if args.all { "every weight" } else { "piece values" },
        sample.games.len(),
        args.seed,
        weights_id(&reading.rules, &start),
    );

    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record([
        "column",
        "theta",
        "se_clustered",
        "low",
        "high",
        "naive_low",
        "naive_high",
        "pawn_scale",
        "pawn_scale_low",
        "pawn_scale_high",
        "imbalance_games",
        "imbalance_positions",
        "games",
        "status",
    ])?;
    for column in &measured.fit.columns {
        let cell =
            |value: Option<f64>| value.filter(|v| v.is_finite()).map_or(String::new(), |v| format!("{v:.6}"));
        let c = column.coefficient.as_ref().ok();
        let scaled = measured.scaled(&column.name);
        let status = match (&column.coefficient, &measured.scale) {
            (Err(why), _) => why.to_string(),
            (Ok(_), PawnScale::Undetermined { .. }) => measured.scale.to_string(),
            (Ok(_), PawnScale::Scaled(_)) => "ok".to_owned(),
        };
        table.write_record([
            column.name.clone(),
            cell(c.map(|c| c.theta())),
            cell(c.map(|c| c.clustered.standard_error)),
            cell(c.map(|c| c.clustered.interval.low)),
            cell(c.map(|c| c.clustered.interval.high)),
            cell(c.map(|c| c.naive_interval.low)),
            cell(c.map(|c| c.naive_interval.high)),
            cell(scaled.map(|s| s.value)),
            cell(scaled.map(|s| s.interval.low)),
            cell(scaled.map(|s| s.interval.high)),
            column.imbalance_games.to_string(),
            column.imbalance_rows.to_string(),
            measured.fit.clusters.to_string(),
            status,
        ])?;
    }
    // Both files are begun before either is given its name, so that an unwritable one leaves neither.
    let (mut weights_file, mut csv_file) = (create(&args.out)?, create(&args.csv)?);
    weights_file.write_all(weights.to_toml(&reading.rules, &manifest).as_bytes())?;
    csv_file.write_all(&table.into_inner().map_err(|error| anyhow::anyhow!("{error}"))?)?;
    weights_file.commit().with_context(|| format!("cannot write {}", args.out.display()))?;
    csv_file.commit().with_context(|| format!("cannot write {}", args.csv.display()))?;

    writeln!(out, "Measured values of {}, intervals 95 %, clustered by game\n", reading.rules.id)?;
    writeln!(out, "{}", measured.table().plain())?;
    if !measured.pairs.is_empty() {
        writeln!(
            out,
            "Adjacent pairs of the pips; probability: share of bootstrap replicates; p two-sided, Holm over these pairs\n\n{}",
            measured.pairs_table().plain()
        )?;
    }
    writeln!(
        out,
        "{} quiet positions of {} finished games (of {} games)",
        measured.fit.rows,
        measured.fit.games,
        sample.games.len()
    )?;
    writeln!(out, "condition number {:.0}", measured.fit.condition_number)?;
    writeln!(out, "eval weights: {line}")?;
    writeln!(out, "wrote {} and {}", args.out.display(), args.csv.display())?;
    Ok(())
}
