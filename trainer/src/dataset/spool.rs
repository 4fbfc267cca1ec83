use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use acedrex_engine::rules::Reading;
use acedrex_engine::types::Move;
use serde::{Deserialize, Serialize};

use super::validate::check;
use super::{DatasetError, End, GameResult, Header, Ply, Record};
use crate::journal::{Journal, JournalError, Place, Terms};
use crate::selfplay::{Config, Played, Summary};

/// Most time between a game and the moment it is on the disk, as long as the run goes on.
const SYNC_EVERY: Duration = Duration::from_secs(1);

/// What the journal is one of.
const WORK: &str = "run";

/// The games of a run that goes on, `.NAME.games` beside its dataset: games in whatever order, so that a run that was
/// killed goes on where it was.
pub(super) struct Spool {
    journal: Journal,
    places: BTreeMap<u64, Place>,
    summary: Summary,
    synced: Instant,
    dirty: bool,
}

/// The file that keeps the games of a dataset until it is complete: `.NAME.games` beside it.
#[must_use]
pub fn spool_path(out: &Path) -> PathBuf {
    Journal::beside(out, "games")
}

/// A game as a line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeptGame {
    game: u64,
    nodes: u64,
    start: Option<String>,
    opening_plies: u16,
    openings_tried: u16,
    /// Places in [`GameResult::ALL`] and [`End::ALL`].
    result: usize,
    end: usize,
    /// Of the final position.
    final_hash: u64,
    /// Move, score in centipawns for White, and die.
    plies: Vec<(u16, Option<i16>, Option<u8>)>,
}

impl KeptGame {
    fn of(played: &Played) -> KeptGame {
        let record = &played.record;
        let ply = |ply: &Ply| (ply.mv.bits(), ply.score_white_cp, ply.die);
        KeptGame {
            game: record.game,
            nodes: played.nodes,
            start: record.start.clone(),
            opening_plies: record.opening_plies,
            openings_tried: record.openings_tried,
            result: record.result.index(),
            end: record.end.index(),
            final_hash: u64::from_le_bytes(record.final_hash),
            plies: record.plies.iter().map(ply).collect(),
        }
    }

    fn read(text: &str) -> Result<Played, String> {
        let kept: KeptGame = serde_json::from_str(text).map_err(|error| format!("no game: {error}"))?;
        let game = kept.game;
        let wrong = |what: &str| format!("game {game} has {what}");
        let ply = |(bits, score_white_cp, die): (u16, Option<i16>, Option<u8>)| {
            Some(Ply { mv: Move::from_bits(bits)?, score_white_cp, die })
        };
        let plies: Option<Vec<Ply>> = kept.plies.into_iter().map(ply).collect();
        let record = Record {
            stream: 0,
            game,
            start: kept.start,
            opening_plies: kept.opening_plies,
            openings_tried: kept.openings_tried,
            plies: plies.ok_or_else(|| wrong("a move that is none"))?,
            result: *GameResult::ALL.get(kept.result).ok_or_else(|| wrong("a result that is none"))?,
            end: *End::ALL.get(kept.end).ok_or_else(|| wrong("an end that is none"))?,
            final_hash: kept.final_hash.to_le_bytes(),
        };
        Ok(Played { record, nodes: kept.nodes })
    }
}

/// A line's game, if it is one of this run that is not there yet: it is played again.
fn take_game(
    text: &str,
    place: Place,
    header: &Header,
    reading: &Arc<Reading>,
    places: &mut BTreeMap<u64, Place>,
) -> Result<Played, String> {
    let played = KeptGame::read(text)?;
    let game = played.record.game;
    let run = header.run(0).filter(|run| run.games().is_some_and(|games| games.contains(&game)));
    let run = run.ok_or_else(|| format!("game {game} is none of this run"))?;
    check(&played.record, run, reading).map_err(|error| error.to_string())?;
    match places.insert(game, place) {
        None => Ok(played),
        Some(_) => Err(format!("game {game} is there already")),
    }
}

impl Spool {
    /// Begins the spool of a dataset of one run, or takes up the one that is there: its games are played again.
    pub(super) fn open(out: &Path, header: &Header, reading: &Arc<Reading>) -> Result<Spool, DatasetError> {
        let (mut places, mut summary) = (BTreeMap::new(), Summary::default());
        let mut take = |text: &str, place: Place| {
            summary.add(&take_game(text, place, header, reading, &mut places)?);
            Ok(())
        };
        let journal = Journal::open(&spool_path(out), WORK, &terms(header), &mut take)?;
        Ok(Spool { journal, places, summary, synced: Instant::now(), dirty: false })
    }

    /// How many games [`Spool::open`] would take up; nothing is changed.
    pub(super) fn look(out: &Path, header: &Header, reading: &Arc<Reading>) -> Result<u64, DatasetError> {
        let mut places = BTreeMap::new();
        let mut take =
            |text: &str, place: Place| take_game(text, place, header, reading, &mut places).map(drop);
        Ok(Journal::look(&spool_path(out), WORK, &terms(header), &mut take)?)
    }

    /// Removes the spool of a dataset that is complete, if there is one, whatever games are in it.
    pub(super) fn discard(out: &Path, header: &Header) -> Result<(), DatasetError> {
        let path = spool_path(out);
        if path.exists() {
            Journal::open(&path, WORK, &terms(header), &mut |_, _| Ok(()))?.remove()?;
        }
        Ok(())
    }

    /// Fails where [`Spool::discard`] would; nothing is changed.
    pub(super) fn expect_own(out: &Path, header: &Header) -> Result<(), DatasetError> {
        Journal::look(&spool_path(out), WORK, &terms(header), &mut |_, _| Ok(()))?;
        Ok(())
    }

    /// The numbers of the games that are there.
    pub(super) fn games(&self) -> HashSet<u64> {
        self.places.keys().copied().collect()
    }

    /// What the games that are there add up to.
    pub(super) fn summary(&self) -> &Summary {
        &self.summary
    }

    /// See [`Journal::warning`].
    pub(super) fn warning(&self) -> Option<&str> {
        self.journal.warning()
    }

    /// Keeps a game, if there is one, and sees to it that games get to the disk; to be called about every second.
    pub(super) fn keep(&mut self, played: Option<&Played>) -> Result<(), DatasetError> {
        if let Some(played) = played {
            let place = self.journal.keep(&KeptGame::of(played))?;
            self.places.insert(played.record.game, place);
            self.summary.add(played);
            self.dirty = true;
        }
        if self.dirty && self.synced.elapsed() >= SYNC_EVERY {
            self.journal.sync()?;
            (self.synced, self.dirty) = (Instant::now(), false);
        }
        Ok(())
    }

    /// The games in the order of their numbers.
    pub(super) fn records(&self) -> impl Iterator<Item = Result<Record, DatasetError>> + '_ {
        self.places.values().map(|&place| {
            let text = self.journal.text(place)?;
            let played = KeptGame::read(&text).map_err(|why| JournalError::File {
                path: self.journal.path().to_owned(),
                error: std::io::Error::other(why),
            })?;
            Ok(played.record)
        })
    }

    /// Removes the spool: the dataset is there, or there is nothing to go on with.
    pub(super) fn remove(self) -> Result<(), DatasetError> {
        Ok(self.journal.remove()?)
    }
}

/// All that the games depend on, by name.
pub(super) fn terms(header: &Header) -> Terms {
    let mut terms = Terms::new();
    let term = |terms: &mut Terms, name: &str, value: &str| terms.insert(name.to_owned(), value.to_owned());
    term(&mut terms, "ruleset", &header.ruleset);
    term(&mut terms, "fingerprint of the rules", &header.fingerprint);
    for run in &header.runs {
        term(&mut terms, "program", &run.program);
        term(&mut terms, "weights", &run.weights);
        let config = run.config.clone().map(|config| Config { shard_of: None, ..config });
        // Numbers and strings only: this cannot fail.
        flatten("", &serde_json::to_value(&config).unwrap_or_default(), &mut terms);
    }
    terms
}

/// Adds the values of an object by their names, `opening.plies` for one within another.
fn flatten(prefix: &str, value: &serde_json::Value, terms: &mut Terms) {
    match value {
        serde_json::Value::Object(fields) => {
            for (name, value) in fields {
                let name = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
                flatten(&name, value, terms);
            }
        }
        serde_json::Value::Null => {}
        serde_json::Value::String(text) => drop(terms.insert(prefix.to_owned(), text.clone())),
        other => drop(terms.insert(prefix.to_owned(), other.to_string())),
    }
}

#[cfg(test)]
mod tests;
