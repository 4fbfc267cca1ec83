use std::fmt::Display;
use std::ops::RangeInclusive;

use acedrex_engine::rules::Ruleset;
use acedrex_engine::types::Color;
use serde::{Deserialize, Serialize};

use super::book::Book;
use super::dice::needs_pips;
use super::shard::Whole;

/// Everything, besides rules and weights, that a self-play run depends on. Threads and file names are not in it,
/// since no game depends on them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Number of games, 1 to 10^9.
    pub games: u64,
    /// Number of the first game: runs that share a seed and differ in this are shards of one run.
    pub first_game: u64,
    /// All games of the run that these are some of; `None` if they are all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shard_of: Option<Whole>,
    /// Search nodes for each move, 1 to 10^9. Below some hundreds a search may not look at every move, and its
    /// scores mean little.
    pub nodes: u64,
    /// Nodes after which a search begins no deeper iteration, 1 to `nodes`, which stays its end in any case: iterations
    /// are broken off less often. `None` searches until `nodes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub soft_nodes: Option<u64>,
    /// The master seed, the key of every game's random stream.
    pub seed: u64,
    /// How games begin.
    pub opening: OpeningConfig,
    /// How the first moves after the opening are drawn; `None` plays the best from the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub softmax: Option<Softmax>,
    /// True to play with dice.
    pub dice: bool,
    /// When a won game is cut short; `None` plays every game to its end.
    pub adjudication: Option<Adjudication>,
    /// When a drawn game is cut short; `None` plays every game to its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draw: Option<DrawRule>,
    /// When a side gives up; `None` plays every game to its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resignation: Option<Resignation>,
    /// True to call a draw when only the kings are left and the reading has no rule for it.
    pub kings_draw: bool,
    /// Plies, those of the opening included, after which a game is left unfinished: 1 to 10 000.
    pub max_plies: u16,
    /// Size of the transposition table in MiB, 1 to 1024. It is cleared before every game.
    pub hash_mib: u16,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            games: 100,
            first_game: 0,
            shard_of: None,
            nodes: 400,
            soft_nodes: None,
            seed: 1,
            opening: OpeningConfig::default(),
            softmax: None,
            dice: false,
            adjudication: None,
            draw: None,
            resignation: None,
            kings_draw: true,
            max_plies: 400,
            hash_mib: 1,
        }
    }
}

/// How games begin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OpeningConfig {
    /// Which random openings are kept.
    pub kind: OpeningKind,
    /// Number of random plies, even, 0 to 200.
    pub plies: u16,
    /// For balanced openings: the largest score, in centipawns for either side, that is kept. 0 to 10 000.
    pub margin_cp: u16,
    /// For balanced openings: the nodes of the search that scores them, 1 to 10^9. An opening for which they are too
    /// few to look at every move is not kept.
    pub check_nodes: u64,
    /// The position that the random plies begin from.
    #[serde(skip_serializing_if = "Start::is_array")]
    pub start: Start,
}

impl OpeningConfig {
    /// What [`OpeningConfig::plies`] may be.
    pub const PLIES: RangeInclusive<u16> = 0..=200;
    /// What [`OpeningConfig::margin_cp`] may be.
    pub const MARGIN_CP: RangeInclusive<u16> = 0..=10_000;
    /// What [`OpeningConfig::check_nodes`] may be.
    pub const CHECK_NODES: RangeInclusive<u64> = 1..=1_000_000_000;
}

impl Default for OpeningConfig {
    fn default() -> OpeningConfig {
        OpeningConfig {
            kind: OpeningKind::Uniform,
            plies: 8,
            margin_cp: 60,
            check_nodes: 1_000,
            start: Start::Array,
        }
    }
}

/// The position that a game's random plies begin from. Any but the array is recorded with the game.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// The reading's array.
    #[default]
    Array,
    /// A randomised array: of each side 0 to this many men, 1 to 3, are taken off. How many, and which, is drawn anew for
    /// each opening; kings stay.
    Deletions(u8),
    /// A position of a book: that of the game's number modulo their count, in an order that the seed decides.
    Book(Book),
}

impl Start {
    /// What [`Start::Deletions`] may be.
    pub const DELETIONS: RangeInclusive<u8> = 1..=3;

    /// True for the reading's array.
    #[must_use]
    pub fn is_array(&self) -> bool {
        *self == Start::Array
    }

    /// How many different starts there are; `None` for a book that is not loaded.
    fn count(&self, rules: &Ruleset) -> Option<u64> {
        match self {
            Start::Array => Some(1),
            Start::Book(book) => book.count(),
            Start::Deletions(most) => {
                let arrays = |color: Color| {
                    let men = rules.start.iter().filter(|man| man.1 == color && !rules.kinds[man.2].royal);
                    let men = men.count() as u64;
                    // 1, then the ways to take off one man, two men and so on.
                    let mut ways = 1;
                    let each = (1..=u64::from(*most)).map(|off| {
                        ways = ways * (men + 1).saturating_sub(off) / off;
                        ways
                    });
                    1 + each.sum::<u64>()
                };
                Some(Color::ALL.into_iter().map(arrays).product())
            }
        }
    }
}

/// Which random openings are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OpeningKind {
    /// Those that a search calls balanced. They say nothing about the worth of the first move, which they select away.
    Balanced,
    /// All in which the game goes on.
    Uniform,
}

impl OpeningKind {
    /// `balanced` or `uniform`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            OpeningKind::Balanced => "balanced",
            OpeningKind::Uniform => "uniform",
        }
    }
}

/// When a game counts as won before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Adjudication {
    /// Score, in centipawns for the side that is ahead, that must be reached: 1 to 32 000.
    pub score_cp: u16,
    /// Number of searched plies in a row, by both sides' searches, on which it must be: 1 to 10 000.
    pub plies: u16,
}

/// When a game counts as drawn before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrawRule {
    /// Score, in centipawns for either side, that must not be exceeded: 0 to 1000.
    pub score_cp: u16,
    /// Number of searched plies in a row, by both sides' searches, on which it must not be: 1 to 10 000.
    pub plies: u16,
    /// Plies of the game, those of the opening included, before which no game counts as drawn: 0 to 10 000.
    pub from_ply: u16,
}

/// When a side gives a game up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resignation {
    /// Centipawns that the side must be behind by its own searches, whatever the other side's say: 1 to 32 000.
    pub score_cp: u16,
    /// Number of its searched moves in a row on which it must be: 1 to 10 000.
    pub moves: u16,
}

/// Moves drawn by score: the move with score `s` with a probability in proportion to `exp(s / temperature)`.
///
/// The nodes of a move are shared by its lines, so that each is searched less deep than a single one would be. Where they are
/// too few for all lines the move is drawn from those that they were enough for, if any; else it is the best one known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Softmax {
    /// The temperature in centipawns, 1 to 10 000.
    pub temperature_cp: u16,
    /// Plies after the random ones whose moves are drawn, 1 to 200.
    pub plies: u16,
    /// The best moves to draw from, 2 to 64.
    pub lines: u16,
}

/// Everything that is wrong with a configuration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", problems.join("\n"))]
pub struct ConfigError {
    /// The problems, one sentence each; never empty.
    pub problems: Vec<String>,
}

/// Notes a value that is outside its range.
fn within<T: PartialOrd + Display>(
    problems: &mut Vec<String>,
    name: String,
    value: T,
    range: RangeInclusive<T>,
) {
    if !range.contains(&value) {
        problems.push(format!("{name}: found {value}, expected {} to {}", range.start(), range.end()));
    }
}

impl Config {
    /// What [`Config::games`] may be.
    pub const GAMES: RangeInclusive<u64> = 1..=1_000_000_000;
    /// What [`Config::first_game`] may be: no number of a game overflows.
    pub const FIRST_GAME: RangeInclusive<u64> = 0..=u64::MAX - 1_000_000_000;
    /// What [`Config::nodes`] may be.
    pub const NODES: RangeInclusive<u64> = 1..=1_000_000_000;
    /// What [`Config::max_plies`] may be.
    pub const MAX_PLIES: RangeInclusive<u16> = 1..=10_000;
    /// What [`Config::hash_mib`] may be.
    pub const HASH_MIB: RangeInclusive<u16> = 1..=1_024;

    /// Checks every field, and that these rules can be played this way.
    ///
    /// # Errors
    /// All problems at once.
    pub fn check(&self, rules: &Ruleset) -> Result<(), ConfigError> {
        self.check_as(rules, &str::to_owned)
    }

    /// As [`Config::check`]; what is wrong is said of whatever `name` calls a field, such as `opening.plies`.
    ///
    /// # Errors
    /// All problems at once.
    pub fn check_as(&self, rules: &Ruleset, name: &dyn Fn(&str) -> String) -> Result<(), ConfigError> {
        let mut problems = Vec::new();
        let p = &mut problems;
        within(p, name("games"), self.games, Config::GAMES);
        within(p, name("first_game"), self.first_game, Config::FIRST_GAME);
        within(p, name("nodes"), self.nodes, Config::NODES);
        within(p, name("max_plies"), self.max_plies, Config::MAX_PLIES);
        within(p, name("hash_mib"), self.hash_mib, Config::HASH_MIB);
        within(p, name("opening.plies"), self.opening.plies, OpeningConfig::PLIES);
        within(p, name("opening.margin_cp"), self.opening.margin_cp, OpeningConfig::MARGIN_CP);
        within(p, name("opening.check_nodes"), self.opening.check_nodes, OpeningConfig::CHECK_NODES);
        if let Some(whole) = self.shard_of {
            within(p, name("shard_of.first_game"), whole.first_game, 0..=self.first_game);
            let end = self.first_game.saturating_add(self.games);
            let least = end.saturating_sub(whole.first_game);
            within(p, name("shard_of.games"), whole.games, least..=*Config::GAMES.end());
        }
        if let Some(soft) = self.soft_nodes {
            within(p, name("soft_nodes"), soft, 1..=self.nodes);
        }
        if let Start::Deletions(most) = self.opening.start {
            within(p, name("opening.start.deletions"), most, Start::DELETIONS);
        }
        if let Some(softmax) = self.softmax {
            within(p, name("softmax.temperature_cp"), softmax.temperature_cp, 1..=10_000);
            within(p, name("softmax.plies"), softmax.plies, 1..=200);
            within(p, name("softmax.lines"), softmax.lines, 2..=64);
        }
        if let Some(rule) = self.adjudication {
            within(p, name("adjudication.score_cp"), rule.score_cp, 1..=32_000);
            within(p, name("adjudication.plies"), rule.plies, 1..=10_000);
        }
        if let Some(rule) = self.draw {
            within(p, name("draw.score_cp"), rule.score_cp, 0..=1_000);
            within(p, name("draw.plies"), rule.plies, 1..=10_000);
            within(p, name("draw.from_ply"), rule.from_ply, 0..=10_000);
        }
        if let Some(rule) = self.resignation {
            within(p, name("resignation.score_cp"), rule.score_cp, 1..=32_000);
            within(p, name("resignation.moves"), rule.moves, 1..=10_000);
        }
        if !self.opening.plies.is_multiple_of(2) {
            let (name, plies) = (name("opening.plies"), self.opening.plies);
            problems.push(format!("{name}: found {plies}, expected an even number: White moves next"));
        }
        if self.opening.plies >= self.max_plies {
            let (name, plies, most) = (name("max_plies"), self.opening.plies, self.max_plies);
            problems.push(format!("{name}: found {most}, expected more than the {plies} of the opening"));
        }
        let varied = self.opening.plies > 0 || self.dice || self.softmax.is_some();
        if let Some(starts) = self.opening.start.count(rules).filter(|&starts| !varied && self.games > starts)
        {
            problems.push(format!(
                "{}: found {}, expected at most as many as starts ({starts}), since nothing else makes them differ; or {} of \
                 2 or more",
                name("games"),
                self.games,
                name("opening.plies")
            ));
        }
        if self.dice && self.softmax.is_some() {
            let name = name("softmax");
            problems.push(format!("{name}: found it with dice, which make games differ by themselves"));
        }
        if self.dice {
            problems.extend(needs_pips(rules).map(|why| format!("{}: {why}", name("dice"))));
        }
        if problems.is_empty() { Ok(()) } else { Err(ConfigError { problems }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use acedrex_engine::rules::builtin;

    #[test]
    fn the_default_is_sound_and_survives_json() {
        let config =
            Config { adjudication: Some(Adjudication { score_cp: 900, plies: 6 }), ..Config::default() };
        config.check(&builtin("murray").unwrap()).unwrap();
        let text = serde_json::to_string(&config).unwrap();
        assert_eq!(serde_json::from_str::<Config>(&text).unwrap(), config);
        assert_eq!(serde_json::from_str::<Config>("{}").unwrap(), Config::default());
        assert!(serde_json::from_str::<Config>(r#"{"gmaes": 3}"#).is_err());
    }

    #[test]
    fn every_problem_is_reported_at_once() {
        let opening = OpeningConfig { plies: 7, ..OpeningConfig::default() };
        let config = Config { games: 0, nodes: 0, max_plies: 5, dice: true, opening, ..Config::default() };
        let error = config.check(&builtin("shatranj").unwrap()).unwrap_err();
        assert_eq!(error.problems.len(), 5, "{error}");
        assert!(error.to_string().contains("pips"), "{error}");
    }

    #[test]
    fn games_that_would_all_be_the_same_are_refused() {
        let rules = builtin("murray").unwrap();
        let opening = OpeningConfig { plies: 0, ..OpeningConfig::default() };
        let config = Config { opening, ..Config::default() };
        assert!(config.check(&rules).is_err());
        Config { dice: true, ..config.clone() }.check(&rules).unwrap();
        Config { games: 1, ..config.clone() }.check(&rules).unwrap();
        let men = rules.start.len() as u64 / 2 - 1;
        for (most, arrays) in [(1, (1 + men).pow(2)), (2, (1 + men + men * (men - 1) / 2).pow(2))] {
            let opening = OpeningConfig { start: Start::Deletions(most), ..config.opening.clone() };
            let config = Config { games: arrays, opening, ..config.clone() };
            config.check(&rules).unwrap();
            let error = Config { games: arrays + 1, ..config }.check(&rules).unwrap_err().to_string();
            assert!(error.contains(&format!("expected at most as many as starts ({arrays})")), "{error}");
        }
    }

    #[test]
    fn a_book_of_too_few_positions_for_the_games_is_refused() {
        let reading = acedrex_engine::cli::load_reading("murray").unwrap();
        let fen = reading.rules.start_fen();
        let book = Book::parse(&reading, 1, "book.epd", &format!("{fen}\n{fen}\n")).unwrap();
        let opening = OpeningConfig { plies: 0, start: Start::Book(book), ..OpeningConfig::default() };
        let config = Config { games: 2, opening, ..Config::default() };
        let error = config.check(&reading.rules).unwrap_err().to_string();
        assert!(error.contains("games: found 2, expected at most as many as starts (1)"), "{error}");
        Config { games: 1, ..config.clone() }.check(&reading.rules).unwrap();
        // With random plies, or in a dataset, which has the book's hash alone.
        let opening = OpeningConfig { plies: 2, ..config.opening.clone() };
        Config { opening, ..config }.check(&reading.rules).unwrap();
        let known: Config = serde_json::from_str(&serde_json::to_string(&config).unwrap()).unwrap();
        known.check(&reading.rules).unwrap();
    }
}
