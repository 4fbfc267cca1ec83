use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use acedrex_engine::cli::load_reading;
use acedrex_engine::rules::{Reading, builtin};
use clap::{Args, Subcommand};

use crate::dataset::{FORMAT, Header, Reader, export, validate};
use crate::selfplay::Counts;

/// Arguments of `dataset`.
#[derive(Args)]
#[command(arg_required_else_help = true)]
#[command(after_help = "Example: acedrex-trainer dataset info data/runs/selfplay.acd")]
pub struct DatasetArgs {
    /// What to do
    #[command(subcommand)]
    pub command: DatasetCommand,
}

/// What `dataset` can do.
#[derive(Subcommand)]
pub enum DatasetCommand {
    /// Write a dataset as CSV, one row a position
    #[command(after_help = "Example: acedrex-trainer dataset export murray.acd --out murray.csv")]
    Export {
        /// The dataset
        #[arg(value_name = "F")]
        file: PathBuf,
        /// The CSV file to write [default: the dataset's name ending in .csv]
        #[arg(long, value_name = "C")]
        out: Option<PathBuf>,
        /// The ruleset it was made with [default: the built-in one that it names]
        #[arg(long, value_name = "R")]
        ruleset: Option<String>,
    },
    /// Say how a dataset was made and what its games add up to
    #[command(after_help = "Example: acedrex-trainer dataset info murray.acd")]
    Info {
        /// The dataset
        #[arg(value_name = "F")]
        file: PathBuf,
    },
    /// Play all games of a dataset again: every move must be legal, every result that of the rules
    #[command(after_help = "Example: acedrex-trainer dataset validate murray.acd")]
    Validate {
        /// The dataset
        #[arg(value_name = "F")]
        file: PathBuf,
        /// The ruleset it was made with [default: the built-in one that it names]
        #[arg(long, value_name = "R")]
        ruleset: Option<String>,
    },
}

/// The reading for a dataset: the one given, or else the built-in one of the id in the header.
///
/// # Errors
/// If the one given cannot be loaded, or none is given and no built-in one has the header's id and fingerprint.
pub fn reading_for(header: &Header, given: Option<&str>) -> anyhow::Result<Arc<Reading>> {
    if let Some(given) = given {
        return load_reading(given);
    }
    match builtin(&header.ruleset).filter(|rules| header.made_with(rules)) {
        Some(rules) => Ok(Reading::new(rules)),
        None => anyhow::bail!(
            "the dataset was made with the rules {:?} (fingerprint {}), which are not built in: \
             pass --ruleset with the ruleset file that it was made with",
            header.ruleset.chars().take(60).collect::<String>(),
            header.fingerprint.chars().take(64).collect::<String>()
        ),
    }
}

/// Runs one of the commands.
pub(super) fn run(args: &DatasetArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    match &args.command {
        DatasetCommand::Export { file, out: csv, ruleset } => {
            let reader = Reader::open(file)?;
            let reading = reading_for(reader.header(), ruleset.as_deref())?;
            let csv = csv.clone().unwrap_or_else(|| file.with_extension("csv"));
            let mut inputs = super::read_files(ruleset, None);
            inputs.push(file.clone());
            super::expect_new("--out", &csv, &inputs)?;
            let rows = export(reader, &reading, &csv)?;
            writeln!(out, "wrote {rows} rows to {}", csv.display())?;
        }
        DatasetCommand::Info { file } => {
            let reader = Reader::open(file)?;
            let header = reader.header().clone();
            let mut counts = Counts::default();
            for record in reader {
                counts.add(&record?);
            }
            writeln!(out, "format: {FORMAT}")?;
            writeln!(out, "ruleset: {}\nfingerprint: {}", header.ruleset, header.fingerprint)?;
            writeln!(out, "weights: {}\nprogram: {}", header.weights, header.program)?;
            writeln!(out, "config: {}", serde_json::to_string(&header.config)?)?;
            write!(out, "{counts}")?;
        }
        DatasetCommand::Validate { file, ruleset } => {
            let reader = Reader::open(file)?;
            let reading = reading_for(reader.header(), ruleset.as_deref())?;
            let counts = validate(reader, &reading)?;
            write!(out, "{counts}")?;
            writeln!(out, "valid: every move is legal and every result that of the rules")?;
        }
    }
    Ok(())
}
