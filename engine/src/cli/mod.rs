//! The `acedrex` command line: the one place that opens files.

mod bench;
mod check;
mod cpu;
mod perft;
mod position;
mod protocol;
mod rulesets;
mod search;
mod source;
mod suite;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::protocol::Protocol;

pub use bench::{BENCH_DEPTH, bench_nodes};
pub use cpu::check_cpu;
pub use protocol::speak_detected;
pub use source::{load_evaluator, load_reading, load_ruleset, load_weights};

#[derive(Parser)]
#[command(
    name = "acedrex",
    version,
    about = "Grant Acedrex: rules, legal moves and search. Without a command, and unless a person types, it speaks the \
             protocol that the first line names: uci or xboard",
    max_term_width = 100
)]
#[command(arg_required_else_help = true)]
#[command(after_help = "Example: acedrex search --ruleset murray --nodes 100000")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// Which rules, and which position.
#[derive(Args)]
struct Which {
    /// A built-in ruleset's id or the path of a ruleset file
    #[arg(long, value_name = "R", default_value = "cazaux-musser")]
    ruleset: String,
    /// The position; the start if left out
    #[arg(long, value_name = "FEN")]
    fen: Option<String>,
}

#[derive(Subcommand)]
enum Command {
    /// List the built-in rulesets, or explain one in words
    #[command(after_help = "Example: acedrex rulesets murray")]
    Rulesets {
        /// A built-in ruleset's id or the path of a ruleset file
        ruleset: Option<String>,
    },
    /// Report every problem of ruleset files
    #[command(after_help = "Example: acedrex check data/rulesets/murray.toml")]
    Check {
        /// Ruleset files
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Show the board, the side to move, the number of legal moves and how the game stands
    #[command(after_help = "Example: acedrex show --ruleset murray")]
    Show {
        #[command(flatten)]
        which: Which,
    },
    /// List the legal moves, one a line; end rules are ignored
    #[command(after_help = "Example: acedrex moves --ruleset ludii --die 4")]
    Moves {
        #[command(flatten)]
        which: Which,
        /// Only the moves of the kind this face of the die calls
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=8))]
        die: Option<u8>,
    },
    /// Say how the game stands, perhaps after some moves
    #[command(after_help = "Example: acedrex outcome --moves \"a4a5 a9a8\"")]
    Outcome {
        #[command(flatten)]
        which: Which,
        /// Moves to play first, with spaces between them
        #[arg(long, value_name = "MOVES", default_value = "")]
        moves: String,
    },
    /// Count the sequences of legal moves, or check the counts in a file
    #[command(after_help = "Example: acedrex perft 4 --ruleset murray --divide")]
    Perft {
        /// Length of the sequences
        #[arg(required_unless_present = "suite", conflicts_with = "suite", value_parser = clap::value_parser!(u32).range(0..=64))]
        depth: Option<u32>,
        /// A built-in ruleset's id or a path [default: cazaux-musser, or the stem of the suite's file]
        #[arg(long, value_name = "R")]
        ruleset: Option<String>,
        /// The position; the start if left out
        #[arg(long, value_name = "FEN", conflicts_with = "suite")]
        fen: Option<String>,
        /// Show the count below each move
        #[arg(long, conflicts_with = "suite")]
        divide: bool,
        /// Threads
        #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
        threads: u16,
        /// Check the counts in this file
        #[arg(long, value_name = "FILE")]
        suite: Option<PathBuf>,
        /// Skip counts larger than this
        #[arg(long, value_name = "N", requires = "suite", conflicts_with = "depth")]
        max_nodes: Option<u64>,
    },
    /// Search a position
    #[command(after_help = "Example: acedrex search --depth 6")]
    Search {
        #[command(flatten)]
        which: Which,
        #[command(flatten)]
        limits: SearchLimits,
        /// Play with dice: the face that has been thrown
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=8))]
        die: Option<u8>,
        /// Size of the transposition table in MiB
        #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=65536))]
        hash: u32,
        /// A weights file [default: those built in, or values from mobility]
        #[arg(long, value_name = "FILE")]
        weights: Option<PathBuf>,
    },
    /// Print the eval weights of a ruleset as a weights file, to start from
    #[command(after_help = "Example: acedrex weights --ruleset murray")]
    Weights {
        /// A built-in ruleset's id or the path of a ruleset file
        #[arg(long, value_name = "R", default_value = "cazaux-musser")]
        ruleset: String,
        /// The values that follow from mobility alone, whatever is built in
        #[arg(long)]
        from_mobility: bool,
    },
    /// Speak the Universal Chess Interface on standard input and output
    #[command(after_help = "Example: acedrex uci --ruleset murray")]
    Uci {
        #[command(flatten)]
        engine: protocol::Engine,
    },
    /// Speak the protocol of XBoard and WinBoard on standard input and output
    #[command(after_help = "Example: xboard -fcp \"acedrex xboard\" -variant cazaux-musser")]
    Xboard {
        #[command(flatten)]
        engine: protocol::Engine,
    },
    /// Search fixed positions to a fixed depth: the number of nodes is the signature of the search
    #[command(after_help = "Example: acedrex bench")]
    Bench,
}

#[derive(Args)]
#[group(multiple = false)]
struct SearchLimits {
    /// Stop after this many nodes [default: 1000000, if no other limit is given]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Stop after this depth in plies
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u32).range(1..=64))]
    depth: Option<u32>,
    /// Stop after this many milliseconds
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,
}

/// Runs the command that the arguments name (the program's own name first): the exit status, 0 if all went well,
/// 1 if the command failed, 2 if it was not understood.
pub fn run<I, T>(arguments: I, out: &mut dyn Write, err: &mut dyn Write) -> u8
where
    I: IntoIterator<Item = T>,
    T: Into<OsString> + Clone,
{
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => return usage(&error, out, err),
    };
    finish(dispatch(cli.command, out), err)
}

/// Prints what the parser of arguments has to say: help to `out`, errors to `err`.
pub fn usage(error: &clap::Error, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let text = error.render().to_string();
    if error.use_stderr() {
        let _ = write!(err, "{text}");
        2
    } else {
        let _ = write!(out, "{text}");
        0
    }
}

/// Turns the result of a command into an exit status; a closed pipe ends quietly.
pub fn finish(result: anyhow::Result<bool>, err: &mut dyn Write) -> u8 {
    match result {
        Ok(good) => u8::from(!good),
        Err(error) => {
            let closed = |cause: &(dyn std::error::Error + 'static)| {
                cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
            };
            if error.chain().any(closed) {
                return 0;
            }
            let _ = writeln!(err, "error: {error:#}");
            1
        }
    }
}

fn dispatch(command: Command, out: &mut dyn Write) -> anyhow::Result<bool> {
    match command {
        Command::Rulesets { ruleset } => rulesets::run(ruleset.as_deref(), out)?,
        Command::Check { files } => return check::run(&files, out),
        Command::Show { which } => position::show(&which, out)?,
        Command::Moves { which, die } => position::moves(&which, die, out)?,
        Command::Outcome { which, moves } => position::outcome(&which, &moves, out)?,
        Command::Perft { suite: Some(suite), ruleset, threads, max_nodes, .. } => {
            return suite::run(&suite, ruleset.as_deref(), threads, max_nodes.unwrap_or(u64::MAX), out);
        }
        Command::Perft { depth, ruleset, fen, divide, threads, .. } => {
            let ruleset = ruleset.unwrap_or_else(|| "cazaux-musser".to_owned());
            perft::run(depth.unwrap_or(1), &Which { ruleset, fen }, divide, threads, out)?;
        }
        Command::Search { which, limits, die, hash, weights } => {
            search::run(&which, &limits, die, hash, weights.as_deref(), out)?;
        }
        Command::Weights { ruleset, from_mobility } => source::print_weights(&ruleset, from_mobility, out)?,
        Command::Uci { engine } => protocol::speak(Protocol::Uci, engine, out)?,
        Command::Xboard { engine } => protocol::speak(Protocol::Cecp, engine, out)?,
        Command::Bench => bench::run(out)?,
    }
    Ok(true)
}
