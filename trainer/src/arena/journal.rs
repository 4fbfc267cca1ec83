//! The journal of a match that goes on. In: pairs as they are finished. Out: the same pairs, after whatever stopped the
//! match.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::kept::KeptPair;
use super::pair::{Pair, Terms};
use super::player::Loaded;
use super::schedule::ArenaError;
use super::spec::EngineSpec;
pub use crate::journal::JournalError;
use crate::selfplay::weights_id;
use acedrex_engine::eval::Weights;
use acedrex_engine::rules::hex;

/// Finished pairs in a file, which belongs to one process at a time.
#[derive(Debug)]
pub struct Journal(crate::journal::Journal);

/// All that decides the games of a match, by name.
pub type Head = crate::journal::Terms;

/// What decides the games of a match: its terms, both engines, and the version and search of the program.
///
/// # Errors
/// If an engine's program does not exist.
pub fn head(
    terms: &Terms,
    specs: [&EngineSpec; 2],
    engines: &[Loaded; 2],
    program: &str,
) -> Result<Head, ArenaError> {
    let rules = &terms.reading.rules;
    let judge = Weights::default_for(&terms.reading);
    let mut head = Head::new();
    let mut term = |name: String, value: String| head.insert(name, value);
    term("program".into(), program.into());
    term("ruleset".into(), rules.id.clone());
    term("fingerprint of the rules".into(), hex(&rules.fingerprint()));
    term("weights that judge openings".into(), weights_id(rules, &judge));
    for (index, (spec, engine)) in specs.into_iter().zip(engines).enumerate() {
        let number = index + 1;
        term(format!("engine {number}"), spec.to_string());
        term(format!("limit of engine {number}"), terms.limits[index].to_string());
        match engine {
            Loaded::Internal { weights, .. } => term(format!("weights of engine {number}"), weights.clone()),
            Loaded::Process(launch) => {
                let hash = launch.program_hash().map_err(|detail| ArenaError::Start { number, detail })?;
                term(format!("program of engine {number}"), hash)
            }
        };
    }
    term("seed".into(), terms.seed.to_string());
    term("opening plies".into(), terms.opening_plies.to_string());
    term("max plies".into(), terms.max_plies.to_string());
    term("time margin in ms".into(), terms.margin_ms.to_string());
    Ok(head)
}

impl Journal {
    /// The journal of a match whose first output has this path: `.NAME.journal` beside it.
    #[must_use]
    pub fn beside(output: &Path) -> PathBuf {
        crate::journal::Journal::beside(output, "journal")
    }

    /// Begins a journal, or takes up the one that is there, and keeps other processes out. The pairs in it have been
    /// checked against the rules, move by move. A last line that is torn is dropped.
    ///
    /// # Errors
    /// If the journal is in use, is another match's, holds what no match wrote, or cannot be read or written. It is left
    /// as it is then.
    pub fn open(
        path: &Path,
        head: &Head,
        terms: &Terms,
    ) -> Result<(Journal, BTreeMap<u64, Pair>), JournalError> {
        let mut pairs = BTreeMap::new();
        let mut take = |text: &str, _| {
            let kept: KeptPair =
                serde_json::from_str(text).map_err(|error| format!("no pair of games: {error}"))?;
            let number = kept.pair;
            let pair = kept.check(terms).map_err(|why| format!("pair {number} has {why}"))?;
            match pairs.insert(number, pair) {
                None => Ok(()),
                Some(_) => Err(format!("pair {number} is there already")),
            }
        };
        let journal = crate::journal::Journal::open(path, "match", head, &mut take)?;
        Ok((Journal(journal), pairs))
    }

    /// Keeps a pair, on the disk.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn keep(&mut self, pair: &Pair) -> Result<(), JournalError> {
        self.0.keep(&KeptPair::of(pair))?;
        self.0.sync()
    }

    /// Pairs in the file.
    #[must_use]
    pub const fn pairs(&self) -> u64 {
        self.0.kept()
    }

    /// Why other processes are not kept out, if they are not.
    #[must_use]
    pub fn warning(&self) -> Option<&str> {
        self.0.warning()
    }

    /// Removes the file: all that it is for is done.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub fn remove(self) -> Result<(), JournalError> {
        self.0.remove()
    }
}
