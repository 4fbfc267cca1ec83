use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

use acedrex_engine::cli::load_reading;
use anyhow::Context;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};

use super::Progress;
use super::numbers::{any, whole};
use crate::study::{PRESETS, Study, StudyConfig};

/// Arguments of `study`.
#[derive(Args)]
#[command(
    after_help = "A study that was stopped goes on where it was when it is started again in the same folder. The folder's report.md \
                  has the results, run.log the command line, threads and times of each run.\n\n\
                  Example: acedrex-trainer study --preset quick --ruleset murray --ruleset ludii --seed 7"
)]
pub struct StudyArgs {
    /// A ready-made configuration
    #[arg(long, value_name = "P", default_value = PRESETS[0].0, value_parser = presets(), conflicts_with = "config")]
    preset: String,
    /// A configuration file in TOML: name, readings, tables first and second with games and nodes, and what else the folder's
    /// manifest.json shows
    #[arg(long, value_name = "T")]
    config: Option<PathBuf>,
    /// A reading to study instead of those of the configuration: an id or a path; may be given more than once
    #[arg(long, value_name = "R")]
    ruleset: Vec<String>,
    /// The master seed
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = any::<u64>)]
    seed: u64,
    /// Threads [default: all cores]
    #[arg(long, value_name = "T", value_parser = whole(1u16..=1024))]
    threads: Option<u16>,
    /// The folder to write, or to go on in [default: data/runs/NAME-SEED]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

fn presets() -> PossibleValuesParser {
    PossibleValuesParser::new(PRESETS.map(|(name, about)| PossibleValue::new(name).help(about)))
}

/// Runs a study.
pub(super) fn run(
    args: &StudyArgs,
    command_line: &[OsString],
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> anyhow::Result<()> {
    let mut config = match &args.config {
        None => StudyConfig::preset(&args.preset).context("no such preset")?,
        Some(path) => {
            let text = std::fs::read_to_string(path)
                .with_context(|| format!("cannot read the study file {}", path.display()))?;
            StudyConfig::from_toml(&path.display().to_string(), &text)?
        }
    };
    if !args.ruleset.is_empty() {
        config.readings.clone_from(&args.ruleset);
    }
    let readings = config.readings.iter().map(|r| load_reading(r)).collect::<Result<Vec<_>, _>>()?;
    let folder =
        args.out.clone().unwrap_or_else(|| PathBuf::from(format!("data/runs/{}-{}", config.name, args.seed)));
    let study = Study::open(&config, readings, args.seed, &folder)?;
    let threads = super::selfplay::threads(args.threads);
    super::use_threads(threads)?;
    let mut progress = Progress::new("", 0, err);
    let mut report = |label: &str, done: u64, total: u64, note: &str| progress.step(label, done, total, note);
    let words: Vec<_> = command_line.iter().map(|word| word.to_string_lossy()).collect();
    let headline = study.run(threads, &words.join(" "), &mut report);
    progress.finish();
    let headline = headline?;
    write!(out, "{headline}")?;
    writeln!(out, "\nreport: {}", study.folder().join("report.md").display())?;
    Ok(())
}
