use std::io::{self, Write};
use std::time::{Duration, Instant};

use super::cecp_setup::Edit;
use super::event::Report;
use super::state::{Core, mate_in_moves, short};
use super::thinker::Answer;
use super::{Dialogue, Flow, MAX_LINE};
use crate::search::SearchResult;
use crate::types::{Color, Move};

/// XBoard's protocol, version 2.
///
/// Known limits: `hard` ponders on the expected reply only; draw offers are not accepted; `hint` knows only the reply that the
/// last search expected; there is no book.
pub(super) struct Cecp {
    pub(super) core: Core,
    /// The side that the engine plays; `None` in force mode.
    pub(super) plays: Option<Color>,
    pub(super) analyzing: bool,
    pub(super) post: bool,
    pub(super) ponders: bool,
    pub(super) level: Level,
    pub(super) lines: usize,
    pub(super) thinking: Option<Thinking>,
    pub(super) edit: Option<Edit>,
    /// The reply that the last search expected.
    pub(super) hint: Option<Move>,
    /// The last report of the running search.
    pub(super) last: Option<Report>,
}

/// Time control and search limits.
#[derive(Clone, Debug)]
pub(super) struct Level {
    /// Moves in `base`; 0 if it is for the whole game.
    pub(super) moves: u32,
    pub(super) base: Duration,
    pub(super) increment: Duration,
    /// The engine's clock, as it was last heard of; `None` before any time control.
    pub(super) left: Option<Duration>,
    /// Most time for a move.
    pub(super) per_move: Option<Duration>,
    pub(super) depth: Option<u32>,
    /// The engine's moves since the time control began.
    pub(super) played: u32,
}

/// Why a search runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To play its best move.
    Play,
    /// On the position after this move of the other side, in case it is played.
    Ponder(Move),
    Analyze,
}

/// A search under way.
#[derive(Debug)]
pub(super) struct Thinking {
    pub(super) purpose: Purpose,
    pub(super) since: Instant,
    /// The most time it was given.
    pub(super) hard: Option<Duration>,
    /// The answer of a ponder search that has ended before the move was played.
    pub(super) held: Option<SearchResult>,
}

impl Cecp {
    pub(super) fn new(core: Core) -> Cecp {
        let level = Level {
            moves: 0,
            base: Duration::ZERO,
            increment: Duration::ZERO,
            left: None,
            per_move: None,
            depth: None,
            played: 0,
        };
        Cecp {
            core,
            plays: Some(Color::Black),
            analyzing: false,
            post: false,
            ponders: false,
            level,
            lines: 1,
            thinking: None,
            edit: None,
            hint: None,
            last: None,
        }
    }

    pub(super) fn error(out: &mut dyn Write, kind: &str, line: &str) -> io::Result<()> {
        writeln!(out, "Error ({kind}): {}", short(line))
    }

    /// Ends a search; its answer is lost.
    pub(super) fn abandon(&mut self) {
        self.core.thinker.halt();
        (self.thinking, self.last) = (None, None);
    }

    fn number(rest: &str) -> Option<u64> {
        rest.split_whitespace().next()?.parse().ok()
    }

    /// Commands that set something: false if this is none of them, or its number is wrong.
    fn set(&mut self, command: &str, rest: &str, out: &mut dyn Write) -> io::Result<bool> {
        match command {
            "post" => self.post = true,
            "nopost" => self.post = false,
            "hard" => self.ponders = true,
            "easy" => {
                self.ponders = false;
                if self.thinking.as_ref().is_some_and(|t| matches!(t.purpose, Purpose::Ponder(_))) {
                    self.abandon();
                }
            }
            "time" => match Cecp::number(rest) {
                Some(centiseconds) => {
                    self.level.left = Some(Duration::from_millis(centiseconds.min(u64::MAX / 100) * 10));
                }
                // A clock below zero is one that has run out.
                None if rest.starts_with('-') => self.level.left = Some(Duration::ZERO),
                None => return Ok(false),
            },
            "level" => return Ok(self.level.set_level(rest)),
            "st" => match seconds(rest) {
                Some(time) => self.level.set_per_move(time),
                None => return Ok(false),
            },
            "sd" => match Cecp::number(rest) {
                Some(depth) => self.level.depth = Some(u32::try_from(depth).unwrap_or(u32::MAX).max(1)),
                None => return Ok(false),
            },
            "memory" => match Cecp::number(rest) {
                Some(mib) => {
                    self.core.set_hash(mib);
                }
                None => return Ok(false),
            },
            "cores" => match Cecp::number(rest) {
                Some(cores) => {
                    if let Some(note) = self.core.set_threads(cores) {
                        writeln!(out, "# {note}")?;
                    }
                }
                None => return Ok(false),
            },
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Ends a search for the sake of a setting: what it was for, so that [`Cecp::resume`] can take it up again.
    pub(super) fn interrupt(&mut self) -> Option<Purpose> {
        let purpose = self.thinking.as_ref().map(|thinking| thinking.purpose);
        self.abandon();
        purpose
    }

    /// Takes up what a setting has interrupted; pondering is let go.
    pub(super) fn resume(&mut self, purpose: Option<Purpose>, out: &mut dyn Write) -> io::Result<()> {
        match purpose {
            Some(purpose @ (Purpose::Play | Purpose::Analyze)) => self.think(purpose, out),
            Some(Purpose::Ponder(_)) | None => Ok(()),
        }
    }

    fn command(&mut self, line: &str, out: &mut dyn Write) -> io::Result<Flow> {
        let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match command {
            "" => {}
            // What says nothing that this engine needs: who plays, what it scored, commands of version 1.
            "xboard" | "accepted" | "rejected" | "otim" | "computer" | "name" | "rating" | "ics"
            | "random" | "white" | "black" | "draw" | "bk" | "nps" => {}
            "protover" => self.features(out)?,
            "quit" => return Ok(Flow::Quit),
            "ping" => {
                self.core.thinker.wait_until_ready();
                writeln!(out, "pong {}", short(rest))?;
            }
            "new" => self.new_game(out)?,
            "variant" => self.variant(rest, line, out)?,
            "setboard" => self.set_board(rest, out)?,
            "edit" => self.edit = Some(Edit::start(self)),
            "force" => self.force(),
            "result" => self.force(),
            "go" => self.go(out)?,
            "playother" => self.play_other(out)?,
            "?" => {
                if self.thinking.as_ref().is_some_and(|thinking| thinking.purpose == Purpose::Play) {
                    self.core.thinker.stop();
                }
            }
            "undo" => self.take_back(1, line, out)?,
            "remove" => self.take_back(2, line, out)?,
            "analyze" => self.analyze(out)?,
            "exit" => {
                if self.analyzing {
                    self.force();
                }
            }
            "." => self.status(out)?,
            "hint" => {
                if let Some(mv) = self.hint.filter(|&mv| self.core.position.generator().is_legal(mv)) {
                    writeln!(out, "Hint: {}", self.core.position.format_move(mv))?;
                }
            }
            "option" => self.option(rest, line, out)?,
            "usermove" => self.user_move(rest, out)?,
            _ => {
                const SETTERS: &[&str] =
                    &["post", "nopost", "hard", "easy", "time", "level", "st", "sd", "memory", "cores"];
                if SETTERS.contains(&command) {
                    let interrupted = if command == "memory" { self.interrupt() } else { None };
                    if !self.set(command, rest, out)? {
                        Cecp::error(out, "bad argument", line)?;
                    }
                    self.resume(interrupted, out)?;
                } else if looks_like_a_move(line) {
                    self.user_move(line, out)?;
                } else {
                    Cecp::error(out, "unknown command", line)?;
                }
            }
        }
        Ok(Flow::On)
    }

    /// `.`: how far the analysis is.
    fn status(&self, out: &mut dyn Write) -> io::Result<()> {
        if !self.analyzing {
            return Ok(());
        }
        let moves = self.core.position.generator().count();
        let (time, nodes, depth) = match &self.last {
            Some(last) => (last.time.as_millis() / 10, last.nodes, last.depth),
            None => (0, 0, 0),
        };
        writeln!(out, "stat01: {time} {nodes} {depth} 0 {moves}")
    }
}

/// True for text that begins as a move does, so that what is wrong with it is said of a move.
fn looks_like_a_move(text: &str) -> bool {
    let bytes = text.as_bytes();
    let square = |at: usize| {
        bytes.get(at).is_some_and(u8::is_ascii_lowercase) && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)
    };
    bytes.len() <= 8 && square(0) && (square(2) || square(3))
}

/// Seconds with decimals, `minutes:seconds` not included.
pub(super) fn seconds(text: &str) -> Option<Duration> {
    let text = text.trim();
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        return None;
    }
    let value: f64 = text.parse().ok()?;
    Duration::try_from_secs_f64(value.min(1e9)).ok()
}

impl Level {
    pub(super) fn set_per_move(&mut self, time: Duration) {
        (self.per_move, self.left) = (Some(time), None);
    }

    /// `MOVES BASE INCREMENT`: base in minutes or minutes:seconds, increment in seconds, perhaps with decimals.
    pub(super) fn set_level(&mut self, text: &str) -> bool {
        let words: Vec<&str> = text.split_whitespace().collect();
        let &[moves, base, increment] = &words[..] else { return false };
        let Ok(moves) = moves.parse() else { return false };
        let base = match base.split_once(':') {
            Some((minutes, rest)) => {
                let minutes = minutes.parse::<u32>().ok().map(|m| Duration::from_secs(u64::from(m) * 60));
                minutes.zip(seconds(rest)).map(|(a, b)| a + b)
            }
            None => seconds(base).map(|minutes| minutes.saturating_mul(60)),
        };
        let (Some(base), Some(increment)) = (base, seconds(increment)) else { return false };
        (self.moves, self.base, self.increment) = (moves, base, increment);
        (self.left, self.per_move, self.played) = (Some(base), None, 0);
        true
    }
}

impl Dialogue for Cecp {
    fn line(&mut self, line: &str, out: &mut dyn Write) -> io::Result<Flow> {
        let line = line.trim();
        if self.edit.is_some() {
            return self.edit_line(line, out);
        }
        self.command(line, out)
    }

    fn too_long(&mut self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "Error (line too long): more than {MAX_LINE} bytes")
    }

    fn report(&mut self, search: u64, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        let Some(thinking) = self.thinking.as_ref().filter(|_| self.core.thinker.is_current(search)) else {
            return Ok(());
        };
        self.last = Some(report.clone());
        let purpose = thinking.purpose;
        if !self.post && purpose != Purpose::Analyze {
            return Ok(());
        }
        let score = match mate_in_moves(report.score) {
            Some(moves) if moves > 0 => 100_000 + moves,
            Some(moves) => -100_000 + moves,
            None => report.score,
        };
        let (time, line) = (report.time.as_millis() / 10, self.searched_line(purpose, &report.pv));
        writeln!(out, "{} {score} {time} {} {line}", report.depth, report.nodes)
    }

    fn done(&mut self, search: u64, out: &mut dyn Write) -> io::Result<()> {
        let Some(answer) = self.core.thinker.collect(search) else { return Ok(()) };
        let Some(thinking) = &mut self.thinking else { return Ok(()) };
        let result = match answer {
            Answer::Found(result) => result,
            Answer::Counted(..) | Answer::Ready | Answer::Sized(_) => return Ok(()),
            Answer::Failed => {
                writeln!(out, "# the search failed, which is a bug; the lowest legal move is played")?;
                let best = self.core.position.legal_moves().into_iter().min();
                SearchResult { best, score: 0, depth: 0, nodes: 0, pv: best.into_iter().collect() }
            }
        };
        match thinking.purpose {
            Purpose::Ponder(_) => thinking.held = Some(result),
            // Searched to the end: there is nothing more to say until the position changes.
            Purpose::Analyze => {}
            Purpose::Play => self.play(&result, out)?,
        }
        Ok(())
    }

    fn close(&mut self) {
        self.core.thinker.halt();
    }
}
