use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::bench::bench_nodes;
use super::source::{load_evaluator, load_reading};
use crate::eval::Evaluator;
use crate::protocol::{Ending, Loader, Protocol, Setup, run};
use crate::rules::Reading;

/// What both protocols can be started with.
#[derive(Args)]
pub(super) struct Engine {
    /// A built-in ruleset's id or the path of a ruleset file
    #[arg(long, value_name = "R", default_value = "cazaux-musser")]
    ruleset: String,
    /// A weights file [default: those built in, or values from mobility]
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Size of the transposition table in MiB
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=65536))]
    hash: u32,
    /// Threads of the search
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
}

/// Loads rulesets and weights from files.
struct Files;

impl Loader for Files {
    fn reading(&self, id_or_path: &str) -> Result<Arc<Reading>, String> {
        not_a_pipe(Path::new(id_or_path))?;
        load_reading(id_or_path).map_err(|error| format!("{error:#}"))
    }

    fn evaluator(&self, reading: &Reading, weights: Option<&Path>) -> Result<Evaluator, String> {
        weights.map_or(Ok(()), not_a_pipe)?;
        load_evaluator(reading, weights).map_err(|error| format!("{error:#}"))
    }

    fn bench(&self) -> Result<u64, String> {
        bench_nodes().map_err(|error| format!("{error:#}"))
    }
}

/// An engine that answers must not wait for what may never come.
fn not_a_pipe(path: &Path) -> Result<(), String> {
    match std::fs::metadata(path) {
        Ok(found) if !found.is_file() => Err(format!("{}: expected a file", path.display())),
        _ => Ok(()),
    }
}

fn talk(which: Protocol, setup: Setup, out: &mut dyn Write) -> anyhow::Result<Ending> {
    // Not locked: another thread reads.
    Ok(run(BufReader::new(io::stdin()), out, which, setup)?)
}

/// Speaks a protocol on standard input and `out` until either is closed.
pub(super) fn speak(which: Protocol, engine: Engine, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut setup = Setup::new(Box::new(Files));
    let most = setup.max_threads;
    anyhow::ensure!(
        usize::from(engine.threads) <= most,
        "--threads {}: this machine's processors carry at most {most}; give that or fewer",
        engine.threads
    );
    setup.ruleset = engine.ruleset;
    setup.weights = engine.weights;
    setup.hash_mib = engine.hash as usize;
    setup.threads = usize::from(engine.threads);
    talk(which, setup, out)?;
    Ok(())
}

/// Speaks the protocol that the first line of standard input names: true if anything was said at all.
///
/// # Errors
/// If `out` cannot be written.
pub fn speak_detected(out: &mut dyn Write) -> anyhow::Result<bool> {
    Ok(talk(Protocol::Detect, Setup::new(Box::new(Files)), out)? != Ending::Unused)
}
