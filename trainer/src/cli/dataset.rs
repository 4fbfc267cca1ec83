use std::io::Write;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use acedrex_engine::cli::load_reading;
use acedrex_engine::rules::{Reading, builtin};
use clap::{ArgGroup, Args, Subcommand, ValueEnum};

use super::numbers::{any, range, real};
use super::{expect_new, read_files};
use crate::dataset::{
    ExportFormat, Filter, Header, Reader, Repaired, Stats, export, import, merge, repair, sample, split,
    validate,
};

/// Arguments of `dataset`.
#[derive(Args)]
#[command(arg_required_else_help = true)]
#[command(after_help = "Example: acedrex-trainer dataset stats data/runs/selfplay.acd")]
pub struct DatasetArgs {
    /// What to do
    #[command(subcommand)]
    pub command: DatasetCommand,
}

/// What `dataset` can do.
#[derive(Subcommand)]
pub enum DatasetCommand {
    /// Say how a dataset was made and what its games add up to
    #[command(after_help = "Example: acedrex-trainer dataset stats murray.acd")]
    Stats {
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
        /// Fail if two games of one run began with the same opening
        #[arg(long)]
        unique: bool,
    },
    /// Write the positions of a dataset as a table or as text
    #[command(
        after_help = "Text has a line `FEN | score | result` for each position of a finished game that has a score: \
                      centipawns for White, and White's points (1.0, 0.5 or 0.0).\n\n\
                      Example: acedrex-trainer dataset export murray.acd --out murray.csv --skip-checks --per-game 20"
    )]
    Export(ExportArgs),
    /// Make a dataset of a CSV table that holds whole games
    #[command(
        group = ArgGroup::new("rules").args(["like", "ruleset"]).required(true).multiple(true),
        after_help = "Example: acedrex-trainer dataset import murray.csv --like murray.acd --out again.acd"
    )]
    Import {
        /// The table, with the columns that `export` writes
        #[arg(value_name = "C")]
        file: PathBuf,
        /// The dataset to write [default: the table's name ending in .acd]
        #[arg(long, value_name = "F")]
        out: Option<PathBuf>,
        /// A dataset of the same runs, whose header says how the games were played [default: this is not known]
        #[arg(long, value_name = "F")]
        like: Option<PathBuf>,
        /// The ruleset of the games [default: the built-in one that --like names]
        #[arg(long, value_name = "R")]
        ruleset: Option<String>,
    },
    /// Write several datasets of one ruleset into one, each game once
    #[command(
        after_help = "The result does not depend on the order of the files; all parts of a run give the run in one piece.\n\n\
                      Example: acedrex-trainer dataset merge part-1.acd part-2.acd --out whole.acd"
    )]
    Merge {
        /// The datasets
        #[arg(required = true, value_name = "F")]
        files: Vec<PathBuf>,
        /// The dataset to write
        #[arg(long, value_name = "F")]
        out: PathBuf,
        /// Keep all games of a run that began with the same opening, not that with the lowest number alone
        #[arg(long)]
        keep_duplicates: bool,
    },
    /// Leave out games that began with the same opening as an earlier one of their run
    #[command(
        after_help = "Where no plies were drawn at random, games count as the same only if all their moves are.\n\n\
                      Example: acedrex-trainer dataset dedup murray.acd --out unique.acd"
    )]
    Dedup {
        /// The dataset
        #[arg(value_name = "F")]
        file: PathBuf,
        /// The dataset to write
        #[arg(long, value_name = "F")]
        out: PathBuf,
    },
    /// Divide a dataset in two at random, whole games to one or the other
    #[command(
        after_help = "Example: acedrex-trainer dataset split murray.acd --share 0.9 --out train.acd --rest test.acd"
    )]
    Split {
        /// The dataset
        #[arg(value_name = "F")]
        file: PathBuf,
        /// Share of the games for --out, 0 to 1
        #[arg(long, value_name = "P", default_value_t = 0.9, value_parser = real)]
        share: f64,
        /// The dataset to write with that share
        #[arg(long, value_name = "F")]
        out: PathBuf,
        /// The dataset to write with the other games
        #[arg(long, value_name = "F")]
        rest: PathBuf,
        /// Seed of the draw
        #[arg(long, value_name = "S", default_value_t = 1, value_parser = any::<u64>)]
        seed: u64,
    },
    /// Draw games of a dataset at random
    #[command(after_help = "Example: acedrex-trainer dataset sample murray.acd --games 100 --out some.acd")]
    Sample {
        /// The dataset
        #[arg(value_name = "F")]
        file: PathBuf,
        /// Number of games
        #[arg(long, value_name = "N", value_parser = any::<u64>)]
        games: u64,
        /// The dataset to write
        #[arg(long, value_name = "F")]
        out: PathBuf,
        /// Seed of the draw
        #[arg(long, value_name = "S", default_value_t = 1, value_parser = any::<u64>)]
        seed: u64,
    },
    /// Save all that is whole in a damaged dataset
    #[command(after_help = "Example: acedrex-trainer dataset repair damaged.acd --out saved.acd")]
    Repair {
        /// The damaged file
        #[arg(value_name = "F")]
        file: PathBuf,
        /// The dataset to write
        #[arg(long, value_name = "F")]
        out: PathBuf,
        /// A dataset of the same run, whose header is used if none is whole in the file
        #[arg(long, value_name = "F")]
        like: Option<PathBuf>,
    },
}

/// Arguments of `dataset export`.
#[derive(Args)]
pub struct ExportArgs {
    /// The dataset
    #[arg(value_name = "F")]
    file: PathBuf,
    /// The file to write [default: the dataset's name with the format's ending]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// What to write [default: what the file's ending says (.csv, .txt, .epd, .parquet), or csv]
    #[arg(long, value_name = "FORMAT")]
    format: Option<ExportFormat>,
    /// The ruleset it was made with [default: the built-in one that it names]
    #[arg(long, value_name = "R")]
    ruleset: Option<String>,
    /// Leave out positions in check
    #[arg(long)]
    skip_checks: bool,
    /// Leave out positions in which a capture was played
    #[arg(long)]
    skip_captures: bool,
    /// Take positions after so many plies alone, such as 8:200, 8: or :200
    #[arg(long, value_name = "FROM:TO", value_parser = range::<u16>)]
    plies: Option<RangeInclusive<u16>>,
    /// Take positions with such scores alone, in centipawns for White, such as -1000:1000
    #[arg(long, value_name = "FROM:TO", value_parser = range::<i16>, allow_hyphen_values = true)]
    scores: Option<RangeInclusive<i16>>,
    /// Take at most so many positions of each game, drawn at random from those that the other options take
    #[arg(long, value_name = "N", value_parser = any::<u32>)]
    per_game: Option<u32>,
    /// Seed of that draw
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = any::<u64>)]
    seed: u64,
}

impl ValueEnum for ExportFormat {
    fn value_variants<'a>() -> &'a [ExportFormat] {
        ExportFormat::ALL
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(self.name()))
    }
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
        DatasetCommand::Stats { file } => {
            let stats = Stats::of(Reader::open(file)?)?;
            write!(out, "{stats}")?;
        }
        DatasetCommand::Validate { file, ruleset, unique } => {
            let reader = Reader::open(file)?;
            let reading = reading_for(reader.header(), ruleset.as_deref())?;
            let valid = validate(reader, &reading)?;
            let (games, openings) = (valid.duplicate_games, valid.duplicate_openings);
            if *unique && openings > 0 {
                anyhow::bail!(
                    "{}: found {games} games that are the same as an earlier one and {openings} that began with the same \
                     opening, expected none of a run; `dataset dedup` leaves them out",
                    file.display()
                );
            }
            write!(out, "{}", valid.counts)?;
            writeln!(out, "duplicates: {games} games, {openings} openings")?;
            writeln!(out, "valid: every move is legal and every result that of the rules")?;
        }
        DatasetCommand::Export(args) => run_export(args, out)?,
        DatasetCommand::Import { file, out: dataset, like, ruleset } => {
            let dataset = dataset.clone().unwrap_or_else(|| file.with_extension("acd"));
            let like = like.as_deref();
            let mut inputs = read_files(ruleset, like);
            inputs.push(file.clone());
            expect_new("--out", &dataset, &inputs)?;
            let header =
                like.map(|like| Reader::open(like).map(|reader| reader.header().clone())).transpose()?;
            let reading = match (&header, ruleset) {
                (Some(header), given) => reading_for(header, given.as_deref())?,
                (None, Some(given)) => load_reading(given)?,
                (None, None) => anyhow::bail!("name the ruleset of the games with --ruleset"),
            };
            if let Some(like) = like {
                Reader::open_for(like, &reading)?;
            }
            let counts = import(file, &reading, header.as_ref(), &dataset)?;
            write!(out, "{counts}")?;
            writeln!(out, "wrote {}; `dataset validate` plays it again", dataset.display())?;
        }
        DatasetCommand::Merge { files, out: dataset, keep_duplicates } => {
            run_merge(files, dataset, !keep_duplicates, out)?;
        }
        DatasetCommand::Dedup { file, out: dataset } => {
            run_merge(std::slice::from_ref(file), dataset, true, out)?;
        }
        DatasetCommand::Split { file, share, out: dataset, rest, seed } => {
            expect_new("--out", dataset, std::slice::from_ref(file))?;
            expect_new("--rest", rest, &[file.clone(), dataset.clone()])?;
            let (kept, left) = split(file, dataset, rest, *share, *seed)?;
            for (counts, path) in [(kept, dataset), (left, rest)] {
                writeln!(
                    out,
                    "wrote {} games, {} positions to {}",
                    counts.games,
                    counts.positions,
                    path.display()
                )?;
            }
        }
        DatasetCommand::Sample { file, games, out: dataset, seed } => {
            expect_new("--out", dataset, std::slice::from_ref(file))?;
            let counts = sample(file, dataset, *games, *seed)?;
            writeln!(
                out,
                "wrote {} games, {} positions to {}",
                counts.games,
                counts.positions,
                dataset.display()
            )?;
        }
        DatasetCommand::Repair { file, out: dataset, like } => {
            let inputs: Vec<PathBuf> = std::iter::once(file).chain(like).cloned().collect();
            expect_new("--out", dataset, &inputs)?;
            say_repaired(&repair(file, dataset, like.as_deref())?, dataset, out)?;
        }
    }
    Ok(())
}

fn run_export(args: &ExportArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let reader = Reader::open(&args.file)?;
    let reading = reading_for(reader.header(), args.ruleset.as_deref())?;
    let format = args.format.or_else(|| ExportFormat::of(args.out.as_ref()?)).unwrap_or(ExportFormat::Csv);
    let asks_parquet = args.out.as_ref().is_some_and(|out| out.extension().is_some_and(|e| e == "parquet"));
    if asks_parquet && args.format.is_none() && cfg!(not(feature = "parquet")) {
        anyhow::bail!(
            "this program was built without Parquet: name a .csv or .txt file, or build with --features parquet"
        );
    }
    let ending = if format == ExportFormat::Text { "txt" } else { format.name() };
    let table = args.out.clone().unwrap_or_else(|| args.file.with_extension(ending));
    let mut inputs = read_files(&args.ruleset, None);
    inputs.push(args.file.clone());
    expect_new("--out", &table, &inputs)?;
    let filter = Filter {
        skip_checks: args.skip_checks,
        skip_captures: args.skip_captures,
        plies: args.plies.clone(),
        scores: args.scores.clone(),
        per_game: args.per_game,
        seed: args.seed,
    };
    let (rows, all) = export(reader, &reading, &filter, format, &table)?;
    writeln!(out, "wrote {rows} of {all} positions to {}", table.display())?;
    Ok(())
}

fn run_merge(files: &[PathBuf], dataset: &Path, dedup: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    expect_new("--out", dataset, files)?;
    let merged = merge(files, dataset, dedup)?;
    write!(out, "{}", merged.counts)?;
    writeln!(out, "in more than one file: {} games", merged.repeated)?;
    if dedup {
        writeln!(out, "dropped as duplicates: {} games", merged.duplicates_dropped)?;
    }
    for (stream, missing) in merged.missing.iter().enumerate() {
        writeln!(out, "games of run {stream}: {missing}")?;
    }
    writeln!(out, "wrote {}", dataset.display())?;
    Ok(())
}

fn say_repaired(repaired: &Repaired, dataset: &Path, out: &mut dyn Write) -> anyhow::Result<()> {
    for lost in &repaired.lost_bytes {
        writeln!(out, "lost: bytes {} to {}", lost.start, lost.end - 1)?;
    }
    if repaired.lost_bytes.is_empty() {
        writeln!(out, "lost: no bytes")?;
    }
    match repaired.lost_games {
        Some(games) => writeln!(out, "lost: {games} games")?,
        None => writeln!(out, "lost: how many games is not known, since the end of the file is lost")?,
    }
    writeln!(out, "twice in the file: {} games", repaired.repeated)?;
    write!(out, "{}", repaired.counts)?;
    writeln!(out, "wrote {}", dataset.display())?;
    Ok(())
}
