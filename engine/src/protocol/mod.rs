//! In: lines of text from a user interface, and everything before. Out: an engine that speaks UCI and XBoard's CECP.
//!
//! One thread reads lines, one searches; both send events to the loop in [`run`], which owns all state and all output.

mod cecp;
mod cecp_game;
mod cecp_setup;
mod event;
mod pieces;
mod state;
mod thinker;
mod uci;
mod uci_go;

use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::channel;

use event::Event;
use state::Core;

use crate::eval::Evaluator;
use crate::rules::Reading;

pub use pieces::{XBoardPiece, piece_to_char, xboard_pieces};

/// Longest input line in bytes; longer ones are refused and dropped.
pub const MAX_LINE: usize = 256 * 1024;

/// Which language the other side speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// The first line says: `uci` or `xboard`.
    Detect,
    /// The Universal Chess Interface.
    Uci,
    /// Version 2 of the Chess Engine Communication Protocol, of XBoard and WinBoard.
    Cecp,
}

/// Finds rulesets and weights for names that the other side gives: only the command line opens files.
pub trait Loader: Send {
    /// The rules with a built-in id, or from a file.
    ///
    /// # Errors
    /// What is wrong with the name or the file, for people.
    fn reading(&self, id_or_path: &str) -> Result<Arc<Reading>, String>;

    /// The weights in a file, or the default ones of these rules.
    ///
    /// # Errors
    /// What is wrong with the file, for people.
    fn evaluator(&self, reading: &Reading, weights: Option<&Path>) -> Result<Evaluator, String>;

    /// Nodes of the bench searches.
    ///
    /// # Errors
    /// Why there is no bench, for people.
    fn bench(&self) -> Result<u64, String>;
}

/// What an engine starts with.
pub struct Setup {
    /// Finds rulesets and weights.
    pub loader: Box<dyn Loader>,
    /// Id or path of the rules.
    pub ruleset: String,
    /// A weights file.
    pub weights: Option<PathBuf>,
    /// Size of the transposition table in MiB, at least 1.
    pub hash_mib: usize,
    /// The largest size that the other side may ask for, in MiB.
    pub max_hash_mib: usize,
    /// Threads of the search, at least 1.
    pub threads: usize,
    /// The most threads that the other side may ask for.
    pub max_threads: usize,
    /// Time kept back each move for what lies between clock and engine, in milliseconds.
    pub overhead_ms: u64,
}

impl Setup {
    /// The usual sizes.
    #[must_use]
    pub fn new(loader: Box<dyn Loader>) -> Setup {
        Setup {
            loader,
            ruleset: "cazaux-musser".to_owned(),
            weights: None,
            hash_mib: 64,
            max_hash_mib: 65_536,
            threads: 1,
            max_threads: most_threads(),
            overhead_ms: 20,
        }
    }
}

/// More threads than this for each processor wait for each other more than they help: moves would come late.
const THREADS_PER_PROCESSOR: usize = 4;

/// The most threads that a search may have on this machine: four for each processor, and 256 in all.
#[must_use]
pub fn most_threads() -> usize {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    processors.saturating_mul(THREADS_PER_PROCESSOR).min(256)
}

/// How a conversation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By `quit`.
    Quit,
    /// The input was closed.
    Closed,
    /// The input was closed before anything was said.
    Unused,
}

/// Whether the conversation goes on after a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    On,
    Quit,
}

/// One language: reacts to events and writes what it has to say.
trait Dialogue {
    fn line(&mut self, line: &str, out: &mut dyn Write) -> io::Result<Flow>;
    fn too_long(&mut self, out: &mut dyn Write) -> io::Result<()>;
    fn report(&mut self, search: u64, report: &event::Report, out: &mut dyn Write) -> io::Result<()>;
    fn done(&mut self, search: u64, out: &mut dyn Write) -> io::Result<()>;
    /// Ends a running search, whatever it has found.
    fn close(&mut self);
}

/// Holds a conversation until `quit` or the end of the input. The thread that reads the input ends with it.
///
/// # Errors
/// If the output cannot be written, or the first ruleset or weights file cannot be loaded.
pub fn run(
    input: impl BufRead + Send + 'static,
    mut output: impl Write,
    which: Protocol,
    setup: Setup,
) -> io::Result<Ending> {
    let (sender, events) = channel();
    let core = Core::new(setup, sender.clone()).map_err(io::Error::other)?;
    let places = event::read_lines(input, sender)?;
    let mut partner = Partner::Unknown(Some(Box::new(core)));
    partner.speak(which);
    let mut ending = Ending::Unused;
    // The thinker holds a sender, so that this ends by `Closed` alone.
    while let Ok(event) = events.recv() {
        let out: &mut dyn Write = &mut output;
        match event {
            Event::Line(line) => {
                let _ = places.recv();
                ending = Ending::Closed;
                if partner.line(&line, out)? == Flow::Quit {
                    ending = Ending::Quit;
                    break;
                }
            }
            Event::TooLong => {
                let _ = places.recv();
                if let Partner::Known(dialogue) = &mut partner {
                    dialogue.too_long(out)?;
                } else {
                    writeln!(out, "Error (line too long): more than {MAX_LINE} bytes")?;
                }
            }
            Event::Closed => break,
            Event::Report(search, report) => {
                if let Partner::Known(dialogue) = &mut partner {
                    dialogue.report(search, &report, out)?;
                }
            }
            Event::Done(search) => {
                if let Partner::Known(dialogue) = &mut partner {
                    dialogue.done(search, out)?;
                }
            }
        }
        output.flush()?;
    }
    if let Partner::Known(mut dialogue) = partner {
        dialogue.close();
    }
    output.flush()?;
    Ok(ending)
}

/// The other side, before and after it is known what it speaks.
enum Partner {
    Unknown(Option<Box<Core>>),
    Known(Box<dyn Dialogue>),
}

impl Partner {
    fn speak(&mut self, which: Protocol) {
        let Partner::Unknown(core) = self else { return };
        if which == Protocol::Detect {
            return;
        }
        if let Some(core) = core.take() {
            *self = Partner::Known(match which {
                Protocol::Cecp => Box::new(cecp::Cecp::new(*core)),
                Protocol::Uci | Protocol::Detect => Box::new(uci::Uci::new(*core)),
            });
        }
    }

    fn line(&mut self, line: &str, out: &mut dyn Write) -> io::Result<Flow> {
        match line.trim() {
            "uci" => self.speak(Protocol::Uci),
            "xboard" => self.speak(Protocol::Cecp),
            _ => {}
        }
        if let Partner::Known(dialogue) = self {
            return dialogue.line(line, out);
        }
        match line.trim() {
            "" => {}
            "quit" => return Ok(Flow::Quit),
            _ => {
                let line = state::short(line);
                writeln!(out, "Error (unknown command): {line}; say uci or xboard first")?;
            }
        }
        Ok(Flow::On)
    }
}

#[cfg(test)]
mod tests;
