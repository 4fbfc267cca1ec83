use acedrex_engine::rules::{Ruleset, hex};
use serde::{Deserialize, Serialize};

use crate::selfplay::Config;

/// The head of a dataset: all that its games depend on. Readers ignore fields that they do not know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Id of the ruleset: a built-in one, or that of a user's file.
    pub ruleset: String,
    /// Fingerprint of the rules, 64 hexadecimal digits: what decides whether rules are the same.
    pub fingerprint: String,
    /// The runs whose games the file holds, at least one and at most 65 535, in the order of their [`Run::key`].
    pub runs: Vec<Run>,
}

/// How some of a dataset's games were made, and which of a run's games are there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// The run's configuration, the seed included; `None` if it is not known, as for games that were imported.
    pub config: Option<Config>,
    /// Hash of the weights that both sides played with: see [`crate::selfplay::weights_id`]. Empty if not known.
    pub weights: String,
    /// Name, version and signature of the search of the program that played (see [`crate::program::signature`]), or name
    /// and version of that which imported the games.
    pub program: String,
    /// True if every game that `config` announces is in the file, but those dropped as duplicates. False for a part of a
    /// run: a sample, a split, a repaired file, shards that were merged without the others.
    pub complete: bool,
    /// Games of the run that were left out because another began with the same opening.
    pub duplicates_dropped: u64,
}

/// Name and version of this program.
pub(super) const PROGRAM: &str = concat!("acedrex-trainer ", env!("CARGO_PKG_VERSION"));

impl Header {
    /// The header of a whole run by this program.
    #[must_use]
    pub fn new(rules: &Ruleset, weights_id: &str, config: &Config) -> Header {
        Header::of(
            rules,
            Run {
                config: Some(config.clone()),
                weights: weights_id.to_owned(),
                program: crate::program::signature(),
                complete: true,
                duplicates_dropped: 0,
            },
        )
    }

    /// The header of one run.
    #[must_use]
    pub fn of(rules: &Ruleset, run: Run) -> Header {
        Header { ruleset: rules.id.clone(), fingerprint: hex(&rules.fingerprint()), runs: vec![run] }
    }

    /// True if the games were played by exactly these rules.
    #[must_use]
    pub fn made_with(&self, rules: &Ruleset) -> bool {
        self.fingerprint == hex(&rules.fingerprint())
    }

    /// The run of a record's stream.
    #[must_use]
    pub fn run(&self, stream: u16) -> Option<&Run> {
        self.runs.get(usize::from(stream))
    }

    /// What is wrong with the list of runs, if anything.
    pub(super) fn fault(&self) -> Option<&'static str> {
        match &self.runs[..] {
            [] => Some("a header without runs"),
            runs if u16::try_from(runs.len()).is_err() => Some("a header of more than 65535 runs"),
            runs if !runs.is_sorted_by(|a, b| a.key() < b.key()) => {
                Some("a header whose runs are not in order, or one of them twice")
            }
            _ => None,
        }
    }
}

impl Run {
    /// What makes runs one run, as text: two parts of it differ in nothing but which games they hold.
    #[must_use]
    pub fn key(&self) -> String {
        let config =
            self.config.clone().map(|config| Config { games: 0, first_game: 0, shard_of: None, ..config });
        let run = Run { config, complete: false, duplicates_dropped: 0, ..self.clone() };
        // Numbers, words and lists of them: nothing that JSON could not hold.
        serde_json::to_string(&run).unwrap_or_default()
    }

    /// The numbers of the games that the run consists of; `None` if they are not known.
    #[must_use]
    pub fn games(&self) -> Option<std::ops::Range<u64>> {
        let config = self.config.as_ref()?;
        Some(config.first_game..config.first_game.saturating_add(config.games))
    }

    /// The numbers of the games of all shards of the run, where it was played in shards; otherwise as [`Run::games`].
    #[must_use]
    pub fn whole(&self) -> Option<std::ops::Range<u64>> {
        let shard_of = self.config.as_ref().and_then(|config| config.shard_of);
        shard_of.map_or_else(|| self.games(), |whole| Some(whole.range()))
    }

    /// True if so many games are all of [`Run::games`].
    #[must_use]
    pub fn is_all(&self, games: u64) -> bool {
        let expected = self.config.as_ref().map(|config| config.games);
        expected == Some(games.saturating_add(self.duplicates_dropped))
    }
}
