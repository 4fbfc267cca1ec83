use std::io::{self, Write};

use super::event::Report;
use super::state::{Core, is_blank, mate_in_moves, one_line, short, variant_id, variants};
use super::thinker::Answer;
use super::{Dialogue, Flow, MAX_LINE};
use crate::game::Position;
use crate::search::SearchResult;
use crate::types::{Color, Score};

/// The Universal Chess Interface.
pub(super) struct Uci {
    pub(super) core: Core,
    pub(super) lines: usize,
    show_wdl: bool,
    /// The answer may not be given before `stop` or, for `ponder`, `ponderhit`.
    pub(super) hold: Hold,
    /// An answer that waits for that.
    pub(super) held: Option<SearchResult>,
}

/// What an answer has to wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hold {
    Nothing,
    Stop,
    /// `ponderhit`, and then what else it has to wait for.
    PonderHit {
        infinite: bool,
    },
}

/// Most lines of `MultiPV`.
const MOST_LINES: usize = 256;

impl Uci {
    pub(super) fn new(core: Core) -> Uci {
        Uci { core, lines: 1, show_wdl: false, hold: Hold::Nothing, held: None }
    }

    fn introduce(&self, out: &mut dyn Write) -> io::Result<()> {
        let setup = &self.core.setup;
        writeln!(out, "id name Acedrex {}", env!("CARGO_PKG_VERSION"))?;
        writeln!(out, "id author the Acedrex authors")?;
        let (hash, most) = (setup.hash_mib, setup.max_hash_mib);
        writeln!(out, "option name Hash type spin default {hash} min 1 max {most}")?;
        let (threads, most) = (setup.threads, setup.max_threads);
        writeln!(out, "option name Threads type spin default {threads} min 1 max {most}")?;
        let id = &self.core.reading().rules.id;
        write!(out, "option name UCI_Variant type combo default {id}")?;
        for name in variants() {
            write!(out, " var {name}")?;
        }
        writeln!(out)?;
        writeln!(out, "option name RulesetFile type string default <empty>")?;
        writeln!(out, "option name WeightsFile type string default <empty>")?;
        writeln!(out, "option name MultiPV type spin default 1 min 1 max {MOST_LINES}")?;
        writeln!(out, "option name UCI_ShowWDL type check default false")?;
        writeln!(out, "option name Ponder type check default false")?;
        let overhead = setup.overhead_ms;
        writeln!(out, "option name MoveOverhead type spin default {overhead} min 0 max 5000")?;
        writeln!(out, "option name ClearHash type button")?;
        writeln!(out, "uciok")
    }

    pub(super) fn info(out: &mut dyn Write, text: &str) -> io::Result<()> {
        writeln!(out, "info string {}", one_line(text))
    }

    /// Ends a search and gives its answer, as every `go` must have one.
    pub(super) fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.hold = Hold::Nothing;
        if let Some(answer) = self.core.thinker.halt() {
            self.answer(answer, out)?;
        }
        self.release(out)
    }

    fn set_option(&mut self, words: &str, out: &mut dyn Write) -> io::Result<()> {
        let Some(words) = words.strip_prefix("name ") else {
            return Uci::info(out, "setoption needs: name NAME [value VALUE]");
        };
        let (name, value) = match words.split_once(" value") {
            Some((name, value)) => (name.trim(), value.trim()),
            None => (words.trim(), ""),
        };
        self.finish(out)?;
        let number = value.parse::<u64>();
        let result = match (name.to_ascii_lowercase().as_str(), number) {
            ("hash", Ok(mib)) => {
                let (most, found) = (self.core.setup.max_hash_mib as u64, self.core.set_hash(mib));
                if (found as u64) < mib.min(most) {
                    Uci::info(out, &format!("Hash: {mib} MiB are more than there is, {found} MiB are used"))?;
                }
                Ok(None)
            }
            ("threads", Ok(threads)) => Ok(self.core.set_threads(threads)),
            ("multipv", Ok(lines)) => {
                self.lines = usize::try_from(lines).unwrap_or(MOST_LINES).clamp(1, MOST_LINES);
                Ok(None)
            }
            ("moveoverhead", Ok(ms)) => {
                self.core.setup.overhead_ms = ms.min(5_000);
                Ok(None)
            }
            ("hash" | "threads" | "multipv" | "moveoverhead", Err(_)) => {
                Err(format!("{name}: found {:?}, expected a whole number", short(value)))
            }
            ("uci_variant", _) => match variant_id(value) {
                Some(id) => self.core.select(id),
                None => {
                    Err(format!("{name}: found {:?}, expected one of {}", short(value), variants().join(" ")))
                }
            },
            ("rulesetfile", _) if is_blank(value) => {
                let ruleset = self.core.setup.ruleset.clone();
                self.core.select(&ruleset)
            }
            ("rulesetfile", _) => self.core.select(value),
            ("weightsfile", _) => self.core.set_weights(value).map(|()| None),
            ("uci_showwdl", _) if value == "true" || value == "false" => {
                self.show_wdl = value == "true";
                Ok(None)
            }
            ("uci_showwdl", _) => Err(format!("{name}: found {:?}, expected true or false", short(value))),
            ("ponder", _) => Ok(None),
            ("clearhash", _) => {
                self.core.thinker.clear();
                Ok(None)
            }
            _ => Err(format!("Unknown option: {}", short(name))),
        };
        match result {
            Ok(None) => Ok(()),
            Ok(Some(text)) | Err(text) => Uci::info(out, &text),
        }
    }

    fn set_position(&mut self, words: &str, out: &mut dyn Write) -> io::Result<()> {
        let words = format!("{words} ");
        let (place, moves) = words.split_once(" moves ").unwrap_or((words.trim(), ""));
        let place = place.trim();
        let reading = self.core.reading();
        let position = match place.split_once(char::is_whitespace) {
            None if place == "startpos" => Ok(Position::start(reading)),
            Some(("fen", fen)) => Position::from_fen(reading, fen).map_err(|error| error.to_string()),
            _ => Err(format!("position: found {:?}, expected startpos or fen FEN", short(place))),
        };
        self.finish(out)?;
        let mut position = match position {
            Ok(position) => position,
            Err(error) => return Uci::info(out, &error),
        };
        for text in moves.split_whitespace() {
            match position.parse_move(text) {
                Ok(mv) => position.play(mv),
                Err(error) => {
                    self.core.position = position;
                    return Uci::info(out, &short(&format!("Illegal move: {error}")));
                }
            }
        }
        self.core.position = position;
        Ok(())
    }

    pub(super) fn answer(&mut self, answer: Answer, out: &mut dyn Write) -> io::Result<()> {
        match answer {
            Answer::Found(result) if self.hold != Hold::Nothing => {
                self.held = Some(result);
                Ok(())
            }
            Answer::Found(result) => self.best_move(&result, out),
            Answer::Counted(counts, whole) => {
                for (mv, nodes) in &counts {
                    writeln!(out, "{mv}: {nodes}")?;
                }
                if !whole {
                    Uci::info(out, "perft was stopped: the counts are not whole")?;
                }
                writeln!(out, "\nNodes searched: {}", counts.iter().map(|(_, nodes)| nodes).sum::<u64>())
            }
            Answer::Ready | Answer::Sized(_) => Ok(()),
            Answer::Failed => {
                Uci::info(out, "the search failed, which is a bug; the lowest legal move is played")?;
                let best = self.core.position.legal_moves().into_iter().min();
                let pv = best.into_iter().collect();
                self.best_move(&SearchResult { best, score: 0, depth: 0, nodes: 0, pv }, out)
            }
        }
    }

    /// Gives an answer that was held back.
    fn release(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match self.held.take() {
            Some(result) => self.best_move(&result, out),
            None => Ok(()),
        }
    }

    fn best_move(&self, result: &SearchResult, out: &mut dyn Write) -> io::Result<()> {
        let line = self.core.line_text(result.best.map_or(&[], |_| &result.pv));
        let mut moves = line.split(' ');
        match (moves.next().filter(|mv| !mv.is_empty()), moves.next()) {
            (None, _) => writeln!(out, "bestmove (none)"),
            (Some(best), None) => writeln!(out, "bestmove {best}"),
            (Some(best), Some(reply)) => writeln!(out, "bestmove {best} ponder {reply}"),
        }
    }

    fn evaluate(&self, out: &mut dyn Write) -> io::Result<()> {
        let position = &self.core.position;
        let score = self.core.evaluator.evaluate(position.reading(), position.board());
        let white = if position.board().side() == Color::White { score } else { -score };
        writeln!(out, "Evaluation: {score} cp for the side to move, {white} cp for White")
    }

    fn bench(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.finish(out)?;
        let started = std::time::Instant::now();
        match self.core.setup.loader.bench() {
            Ok(nodes) => {
                let nps = nodes as f64 / started.elapsed().as_secs_f64().max(1e-9);
                writeln!(out, "bench {nodes} nodes {nps:.0} nps")
            }
            Err(error) => Uci::info(out, &error),
        }
    }
}

/// A guess at wins, draws and losses in thousandths, from the score alone: not fitted to games.
fn wdl(score: Score) -> (u32, u32, u32) {
    let chance = |cp: f64| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within 0 to 1000")]
        let thousandths = (1_000.0 / (1.0 + libm::exp((150.0 - cp) / 90.0))) as u32;
        thousandths
    };
    let (win, loss) = (chance(f64::from(score)), chance(-f64::from(score)));
    (win, 1_000 - win - loss, loss)
}

impl Dialogue for Uci {
    fn line(&mut self, line: &str, out: &mut dyn Write) -> io::Result<Flow> {
        let line = line.trim();
        let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match command {
            "" => {}
            "uci" => self.introduce(out)?,
            "isready" => {
                self.core.thinker.wait_until_ready();
                writeln!(out, "readyok")?;
            }
            "setoption" => self.set_option(rest, out)?,
            "ucinewgame" => {
                self.finish(out)?;
                self.core.restart();
            }
            "position" => self.set_position(rest, out)?,
            "go" => self.go(rest, out)?,
            "stop" => {
                self.hold = Hold::Nothing;
                self.core.thinker.stop();
                self.release(out)?;
            }
            "ponderhit" => {
                if let Hold::PonderHit { infinite } = self.hold {
                    self.hold = if infinite { Hold::Stop } else { Hold::Nothing };
                    self.core.thinker.ponder_hit();
                    if !infinite {
                        self.release(out)?;
                    }
                }
            }
            "bench" => self.bench(out)?,
            "d" => writeln!(out, "{}", self.core.describe())?,
            "eval" => self.evaluate(out)?,
            "debug" | "register" => {}
            "quit" => return Ok(Flow::Quit),
            _ => Uci::info(out, &format!("Unknown command: {}", short(line)))?,
        }
        Ok(Flow::On)
    }

    fn too_long(&mut self, out: &mut dyn Write) -> io::Result<()> {
        Uci::info(out, &format!("line dropped: longer than {MAX_LINE} bytes"))
    }

    fn report(&mut self, search: u64, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        if !self.core.thinker.is_current(search) {
            return Ok(());
        }
        let Report { depth, seldepth, line, score, nodes, hashfull, .. } = *report;
        write!(out, "info depth {depth} seldepth {seldepth} multipv {line} score ")?;
        match mate_in_moves(score) {
            Some(moves) => write!(out, "mate {moves}")?,
            None => write!(out, "cp {score}")?,
        }
        if self.show_wdl {
            let (win, draw, loss) = wdl(score);
            write!(out, " wdl {win} {draw} {loss}")?;
        }
        let nps = nodes as f64 / report.time.as_secs_f64().max(1e-6);
        let (time, pv) = (report.time.as_millis(), self.core.line_text(&report.pv));
        writeln!(out, " nodes {nodes} nps {nps:.0} hashfull {hashfull} time {time} pv {pv}")
    }

    fn done(&mut self, search: u64, out: &mut dyn Write) -> io::Result<()> {
        match self.core.thinker.collect(search) {
            Some(answer) => self.answer(answer, out),
            None => Ok(()),
        }
    }

    fn close(&mut self) {
        self.core.thinker.halt();
    }
}
