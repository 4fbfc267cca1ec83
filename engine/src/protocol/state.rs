use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

use super::Setup;
use super::event::Event;
use super::thinker::Thinker;
use crate::eval::Evaluator;
use crate::game::Position;
use crate::rules::{Reading, known_ids};
use crate::types::{Move, Score, mate_in_plies};

/// The name under which Fairy-Max plays the default reading.
const FAIRY_MAX_NAME: (&str, &str) = ("grande-acedrex", "cazaux-musser");

/// The names of variants: ids of readings, and Fairy-Max's name of one of them.
pub(super) fn variants() -> Vec<&'static str> {
    known_ids().chain([FAIRY_MAX_NAME.0]).collect()
}

/// The id of the reading that a variant is, if there is one of that name.
pub(super) fn variant_id(name: &str) -> Option<&'static str> {
    let id = if name == FAIRY_MAX_NAME.0 { FAIRY_MAX_NAME.1 } else { name };
    known_ids().find(|known| *known == id)
}

/// What both languages have: rules, weights, a position and a search.
pub(super) struct Core {
    pub(super) setup: Setup,
    pub(super) evaluator: Arc<Evaluator>,
    pub(super) position: Position,
    pub(super) thinker: Thinker,
    /// A weights file that was asked for.
    weights: Option<PathBuf>,
    /// The name by which the present rules were loaded.
    loaded: String,
}

/// Input as it is quoted in an answer: one short line.
pub(super) fn short(text: &str) -> String {
    let printable = text.trim().chars().map(|c| if c.is_control() { ' ' } else { c });
    let short: String = printable.take(120).collect();
    if text.trim().chars().nth(120).is_some() { short + "..." } else { short }
}

/// A message of several lines as one.
pub(super) fn one_line(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join("; ")
}

/// Full moves to the forced end that a score announces, negative if the side to move loses.
pub(super) fn mate_in_moves(score: Score) -> Option<i32> {
    mate_in_plies(score).map(|plies| if plies > 0 { (plies + 1) / 2 } else { plies / 2 })
}

impl Core {
    pub(super) fn new(setup: Setup, events: Sender<Event>) -> Result<Core, String> {
        let reading = setup.loader.reading(&setup.ruleset)?;
        let (weights, loaded) = (setup.weights.clone(), setup.ruleset.clone());
        let evaluator = Arc::new(setup.loader.evaluator(&reading, weights.as_deref())?);
        let thinker = Thinker::new(events, setup.hash_mib.max(1), setup.threads.max(1));
        let thinker = thinker.map_err(|error| format!("no thread for the search: {error}"))?;
        Ok(Core { position: Position::start(&reading), evaluator, thinker, weights, loaded, setup })
    }

    pub(super) fn reading(&self) -> &Arc<Reading> {
        self.position.reading()
    }

    pub(super) fn overhead(&self) -> Duration {
        Duration::from_millis(self.setup.overhead_ms)
    }

    /// Changes the rules, and with them the position to the start; ends a running search. Weights that were asked for
    /// are kept if they are weights of these rules, else the note says that they are not.
    pub(super) fn select(&mut self, id_or_path: &str) -> Result<Option<String>, String> {
        let reading = self.setup.loader.reading(id_or_path)?;
        let weights = self.weights.as_deref();
        let (evaluator, note) = match self.setup.loader.evaluator(&reading, weights) {
            Ok(evaluator) => (evaluator, None),
            Err(error) if weights.is_some() => {
                let default = self.setup.loader.evaluator(&reading, None)?;
                (default, Some(format!("default weights are used: {}", one_line(&error))))
            }
            Err(error) => return Err(error),
        };
        // The table's positions and scores are those of other rules.
        self.thinker.clear();
        self.evaluator = Arc::new(evaluator);
        self.position = Position::start(&reading);
        id_or_path.clone_into(&mut self.loaded);
        Ok(note)
    }

    /// A new game by the present rules; ends a running search, and forgets what was learnt.
    pub(super) fn restart(&mut self) {
        self.thinker.clear();
        self.position = Position::start(self.position.reading());
    }

    /// A new game by the rules that games are played by unless another variant is named.
    pub(super) fn restart_with_first_rules(&mut self) -> Result<(), String> {
        if self.loaded == self.setup.ruleset {
            self.restart();
            return Ok(());
        }
        let first = self.setup.ruleset.clone();
        self.select(&first).map(|_| ())
    }

    /// Changes the weights, to the default ones for an empty path; ends a running search.
    pub(super) fn set_weights(&mut self, path: &str) -> Result<(), String> {
        let path = Some(path.trim()).filter(|path| !path.is_empty() && *path != "<empty>").map(PathBuf::from);
        let evaluator = self.setup.loader.evaluator(self.position.reading(), path.as_deref())?;
        self.thinker.clear();
        self.evaluator = Arc::new(evaluator);
        self.weights = path;
        Ok(())
    }

    /// Changes the size of the table, within bounds: the size set.
    pub(super) fn set_hash(&mut self, mib: u64) -> usize {
        let mib = usize::try_from(mib).unwrap_or(usize::MAX).clamp(1, self.setup.max_hash_mib.max(1));
        self.thinker.set_hash(mib)
    }

    /// Changes the number of threads, within bounds: a note if there cannot be so many.
    pub(super) fn set_threads(&mut self, wanted: u64) -> Option<String> {
        let most = self.setup.max_threads.max(1);
        let threads = usize::try_from(wanted).unwrap_or(usize::MAX).clamp(1, most);
        self.thinker.set_threads(threads);
        (wanted > most as u64)
            .then(|| format!("{wanted} threads are more than {most} for this machine: {most} are used"))
    }

    /// A line of legal moves as text, separated by spaces.
    pub(super) fn line_text(&self, moves: &[Move]) -> String {
        let mut position = self.position.clone();
        let mut texts = Vec::with_capacity(moves.len());
        for &mv in moves {
            if !position.generator().is_legal(mv) {
                break;
            }
            texts.push(position.format_move(mv));
            position.play(mv);
        }
        texts.join(" ")
    }

    /// The board, the FEN and the state of the game, for people.
    pub(super) fn describe(&self) -> String {
        let position = &self.position;
        format!(
            "{}{}\nRuleset: {}\nLegal moves: {}\nState: {}",
            position.diagram(),
            position.fen(),
            self.reading().rules.id,
            position.generator().count(),
            position.outcome()
        )
    }
}

/// A path for the loader from an option's text: with a slash or `.toml` it is a file, else an id.
pub(super) fn is_blank(path: &str) -> bool {
    let path = path.trim();
    path.is_empty() || path == "<empty>" || Path::new(path).as_os_str().is_empty()
}
