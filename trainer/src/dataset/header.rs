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
    /// Hash of the weights that both sides played with: see [`crate::selfplay::weights_id`].
    pub weights: String,
    /// The run's configuration, the seed included.
    pub config: Config,
    /// Name and version of the program that played.
    pub program: String,
}

impl Header {
    /// The header of a run by this program.
    #[must_use]
    pub fn new(rules: &Ruleset, weights_id: &str, config: &Config) -> Header {
        Header {
            ruleset: rules.id.clone(),
            fingerprint: hex(&rules.fingerprint()),
            weights: weights_id.to_owned(),
            config: config.clone(),
            program: concat!("acedrex-trainer ", env!("CARGO_PKG_VERSION")).to_owned(),
        }
    }

    /// True if the games were played by exactly these rules.
    #[must_use]
    pub fn made_with(&self, rules: &Ruleset) -> bool {
        self.fingerprint == hex(&rules.fingerprint())
    }
}
