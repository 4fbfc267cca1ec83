use serde::{Deserialize, Serialize};

use crate::selfplay::{Adjudication, Config, OpeningConfig, Start};

/// Everything that a study's results depend on, besides rules and seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StudyConfig {
    /// Names the folder: lower-case letters, digits and hyphens.
    pub name: String,
    /// Ids of built-in rulesets or paths of ruleset files, at least one.
    pub readings: Vec<String>,
    /// The self-play with the weights there are, from which new weights are tuned.
    pub first: RoundConfig,
    /// The self-play with the new weights, from which everything is measured.
    pub second: RoundConfig,
    /// How games begin.
    #[serde(default)]
    pub opening: OpeningConfig,
    /// True to play with dice.
    #[serde(default)]
    pub dice: bool,
    /// When a won game is cut short; played out if left out.
    #[serde(default)]
    pub adjudication: Option<Adjudication>,
    /// Plies after which a game is left unfinished.
    #[serde(default = "default_max_plies")]
    pub max_plies: u16,
    /// Game-bootstrap replicates, 100 to 100 000.
    #[serde(default = "default_replicates")]
    pub replicates: u32,
    /// Games to a dataset file: what an interrupted study loses at most. 1 to 1 000 000.
    #[serde(default = "default_shard")]
    pub shard: u64,
    /// True if the study is large enough to decide something; otherwise its report says that it does not.
    #[serde(default)]
    pub decides: bool,
}

/// One round of self-play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoundConfig {
    /// Games of each reading.
    pub games: u64,
    /// Search nodes a move.
    pub nodes: u64,
}

fn default_max_plies() -> u16 {
    Config::default().max_plies
}

fn default_replicates() -> u32 {
    1_000
}

fn default_shard() -> u64 {
    500
}

/// The presets, the default first: name, and what it does.
pub const PRESETS: [(&str, &str); 2] = [
    ("quick", "two readings, about a minute: demonstrates the method and decides nothing"),
    ("standard", "all ten readings of the manuscript, 6000 games each: hours to days, to decide by"),
];

/// What is wrong with a study's configuration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {problem}")]
pub struct ConfigFileError {
    /// The file, as it was named.
    pub file: String,
    /// What stands where, and what was expected.
    pub problem: String,
}

impl StudyConfig {
    /// A preset by name: `quick` shows the method on two readings in about a minute and decides
    /// nothing; `standard` measures all readings but the two control games, which takes hours to days.
    #[must_use]
    pub fn preset(name: &str) -> Option<StudyConfig> {
        let named = |readings: &[&str], first, second, decides| StudyConfig {
            name: name.to_owned(),
            readings: readings.iter().map(|id| (*id).to_owned()).collect(),
            first,
            second,
            opening: OpeningConfig::default(),
            dice: false,
            adjudication: None,
            max_plies: default_max_plies(),
            replicates: default_replicates(),
            shard: default_shard(),
            decides,
        };
        let round = |games, nodes| RoundConfig { games, nodes };
        match name {
            "quick" => Some(named(&["cazaux-musser", "murray"], round(500, 100), round(1_200, 150), false)),
            "standard" => {
                let readings: Vec<&str> = acedrex_engine::rules::known_ids()
                    .filter(|id| !["shatranj", "courier"].contains(id))
                    .collect();
                Some(named(&readings, round(2_000, 400), round(4_000, 1_000), true))
            }
            _ => None,
        }
    }

    /// Reads a configuration file.
    ///
    /// # Errors
    /// If the text is no such file; the message gives line and column.
    pub fn from_toml(file: &str, text: &str) -> Result<StudyConfig, ConfigFileError> {
        let problem = |problem: String| ConfigFileError { file: file.to_owned(), problem };
        let config: StudyConfig = toml::from_str(text).map_err(|error| {
            let line =
                error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            problem(format!("line {line}: {}", error.message()))
        })?;
        config.check().map_err(problem)?;
        Ok(config)
    }

    /// Checks what needs no rules.
    ///
    /// # Errors
    /// The first problem: found and expected.
    pub fn check(&self) -> Result<(), String> {
        let word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if self.name.is_empty() || self.name.len() > 64 || !self.name.chars().all(word) {
            return Err(format!(
                "name: found {:?}, expected lower-case letters, digits and hyphens",
                self.name
            ));
        }
        if self.readings.is_empty() {
            return Err("readings: found none, expected at least one ruleset id or path".to_owned());
        }
        for (i, reading) in self.readings.iter().enumerate() {
            if self.readings[..i].contains(reading) {
                return Err(format!("readings: found {reading:?} twice, expected each once"));
            }
        }
        if let Start::Book(_) = self.opening.start {
            return Err(
                "opening.start: found a book, expected the array or deletions: a study is no one book's"
                    .into(),
            );
        }
        if !(100..=100_000).contains(&self.replicates) {
            return Err(format!("replicates: found {}, expected 100 to 100000", self.replicates));
        }
        if !(1..=1_000_000).contains(&self.shard) {
            return Err(format!("shard: found {}, expected 1 to 1000000", self.shard));
        }
        Ok(())
    }

    /// The self-play configuration of one dataset file: `games` from `first_game` on.
    #[must_use]
    pub fn selfplay(&self, round: &RoundConfig, seed: u64, first_game: u64) -> Config {
        Config {
            games: self.shard.min(round.games - first_game),
            first_game,
            nodes: round.nodes,
            seed,
            opening: self.opening.clone(),
            dice: self.dice,
            adjudication: self.adjudication,
            max_plies: self.max_plies,
            ..Config::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_sound_and_survive_toml() {
        for (name, _) in PRESETS {
            let config = StudyConfig::preset(name).unwrap();
            config.check().unwrap();
            let text = toml::to_string(&config).unwrap();
            assert_eq!(StudyConfig::from_toml("study.toml", &text), Ok(config));
        }
        assert_eq!(StudyConfig::preset("slow"), None);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let good = toml::to_string(&StudyConfig::preset("quick").unwrap()).unwrap();
        let error = |text: &str| StudyConfig::from_toml("study.toml", text).unwrap_err().to_string();
        assert!(
            error(&format!("colour = 1\n{good}")).starts_with("study.toml: line 1: unknown field `colour`")
        );
        assert!(error(&good.replace("games = 500", "games = \"many\"")).contains("invalid type"));
        assert!(error(&good.replace("name = \"quick\"", "name = \"../x\"")).contains("lower-case"));
        assert!(error(&good.replace("replicates = 1000", "replicates = 3")).contains("replicates: found 3"));
        assert!(error("readings = [").contains("line 1"));
    }
}
