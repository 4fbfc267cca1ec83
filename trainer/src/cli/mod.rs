//! The `acedrex-trainer` command line: a file a command, each with its arguments and its `run`.

mod adjudication;
mod compare;
mod dataset;
mod flags;
mod interrupt;
mod match_;
mod numbers;
mod progress;
mod selfplay;
mod study;
mod tune;

use std::error::Error;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

use acedrex_engine::cli::{finish, usage};
use anyhow::{Context, bail};
use clap::{Parser, Subcommand};

use crate::output::Output;

pub use adjudication::AdjudicationArgs;
pub use compare::CompareArgs;
pub use dataset::{DatasetArgs, DatasetCommand, reading_for};
pub use match_::MatchArgs;
pub use progress::Progress;
pub use selfplay::{CutArgs, SelfplayArgs};
pub use study::StudyArgs;
pub use tune::TuneArgs;

#[derive(Parser)]
#[command(
    name = "acedrex-trainer",
    version,
    about = "Grant Acedrex: self-play, datasets, tuning and the comparison of readings",
    max_term_width = 100
)]
#[command(arg_required_else_help = true)]
#[command(after_help = "Example: acedrex-trainer selfplay --ruleset murray --games 100 --out murray.acd")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Play games of a ruleset against itself into a dataset
    Selfplay(SelfplayArgs),
    /// Measure piece values and tune eval weights by Texel's method
    Tune(TuneArgs),
    /// Put readings side by side, with intervals, tests and effect sizes
    Compare(CompareArgs),
    /// Play two engines against each other, and measure which is stronger
    Match(MatchArgs),
    /// The main job: self-play, tuning, self-play with the new weights, tuning, comparison, report
    Study(StudyArgs),
    /// Measure what cutting games short would change in games that were played to their end
    Adjudication(AdjudicationArgs),
    /// Look into datasets: export them, sum them up, play them again
    Dataset(DatasetArgs),
}

/// Runs the command that the arguments name (the program's own name first): the exit status, 0 if all went well,
/// 1 if the command failed, 2 if it was not understood. Results go to `out`, progress and errors to `err`.
pub fn run<I, T>(arguments: I, out: &mut dyn Write, err: &mut dyn Write) -> u8
where
    I: IntoIterator<Item = T>,
    T: Into<OsString> + Clone,
{
    let arguments: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
    let cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(error) => return usage(&error, out, err),
    };
    let result = match cli.command {
        Command::Selfplay(args) => selfplay::run(&args, out, err),
        Command::Adjudication(args) => adjudication::run(&args, out),
        Command::Tune(args) => tune::run(&args, out, err),
        Command::Compare(args) => compare::run(&args, out, err),
        Command::Match(args) => match_::run(&args, out, err),
        Command::Study(args) => study::run(&args, &arguments, out, err),
        Command::Dataset(args) => {
            interrupt::watch();
            dataset::run(&args, out)
        }
    };
    finish(result.map(|()| true), err)
}

/// Refuses an output that is one of the inputs, by whatever path it is named, or another output.
fn expect_new(option: &str, output: &Path, others: &[PathBuf]) -> anyhow::Result<()> {
    let place = |path: &Path| match (path.canonicalize(), path.parent(), path.file_name()) {
        (Ok(known), _, _) => known,
        (_, Some(parent), Some(name)) => {
            let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
            parent.canonicalize().map_or_else(|_| path.to_owned(), |parent| parent.join(name))
        }
        _ => path.to_owned(),
    };
    match others.iter().find(|other| place(other) == place(output)) {
        None => Ok(()),
        Some(other) => {
            anyhow::bail!(
                "{option} {} would replace {}, which this command reads or writes: choose another name",
                output.display(),
                other.display()
            )
        }
    }
}

/// Begins an output.
fn create(path: &Path) -> anyhow::Result<Output> {
    Output::create(path).with_context(|| format!("cannot write {}", path.display()))
}

/// Finds out, before the work, whether files can be written under these names.
fn probe<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> anyhow::Result<()> {
    paths.into_iter().try_for_each(|path| create(path).map(drop))
}

/// The files among what a command reads: a ruleset given by path, and weights.
fn read_files<'a>(rulesets: impl IntoIterator<Item = &'a String>, weights: Option<&Path>) -> Vec<PathBuf> {
    let paths = rulesets.into_iter().filter(|name| acedrex_engine::rules::is_path(name)).map(PathBuf::from);
    paths.chain(weights.map(Path::to_owned)).collect()
}

/// Makes statistics use this many threads. The first call in a process decides; results never depend on it.
fn use_threads(threads: usize) -> anyhow::Result<()> {
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build_global() {
        // The system's word; of a later call there is none.
        Err(error) if error.source().is_some() => bail!("cannot start {threads} threads: {error}"),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
