use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::Config;

/// The games of a run that was played in shards, all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Whole {
    /// Number of its first game.
    pub first_game: u64,
    /// Number of its games.
    pub games: u64,
}

impl Whole {
    /// The numbers of its games.
    #[must_use]
    pub fn range(self) -> Range<u64> {
        self.first_game..self.first_game.saturating_add(self.games)
    }
}

/// One of the parts that a run is played in: a range of its games, so that all parts together are the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: u64,
    count: u64,
}

impl Shard {
    /// Part `index` of `count`, counted from 0.
    ///
    /// # Errors
    /// If there is no such part: what was expected.
    pub fn new(index: u64, count: u64) -> Result<Shard, String> {
        if index < count {
            return Ok(Shard { index, count });
        }
        let most = count.checked_sub(1).ok_or("found 0 shards, expected at least 1")?;
        Err(format!("found shard {index} of {count}, expected 0 to {most}: shards are counted from 0"))
    }

    /// The configuration of this part of a run.
    ///
    /// # Errors
    /// If the run has fewer games than parts: what was expected.
    pub fn of(self, run: &Config) -> Result<Config, String> {
        let games = run.games;
        if games < self.count {
            return Err(format!("found {} shards, expected at most as many as games ({games})", self.count));
        }
        // Both below 10^9: the product fits.
        let before = |index: u64| index * games / self.count;
        let (first, end) = (before(self.index), before(self.index + 1));
        let whole = Whole { first_game: run.first_game, games };
        Ok(Config {
            first_game: run.first_game.saturating_add(first),
            games: end - first,
            shard_of: (self.count > 1).then_some(whole),
            ..run.clone()
        })
    }

    /// The name of this part of a file: `games.acd` becomes `games-3-of-16.acd`.
    #[must_use]
    pub fn file(self, whole: &Path) -> PathBuf {
        let text = |part: Option<&std::ffi::OsStr>| part.map(|part| part.to_string_lossy().into_owned());
        let mut name = text(whole.file_stem()).unwrap_or_default();
        name.push_str(&format!("-{}-of-{}", self.index, self.count));
        if let Some(extension) = text(whole.extension()) {
            name.push_str(&format!(".{extension}"));
        }
        whole.with_file_name(name)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        let (index, count) = parts.ok_or("expected a number and how many there are, such as 0/16")?;
        Shard::new(index, count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_the_run_in_parts_of_almost_one_size() {
        for (games, count) in [(7, 3), (3, 3), (100, 7), (1_000_000_000, 999_999_999)] {
            let run = Config { games, first_game: 50, ..Config::default() };
            let part = |index| Shard::new(index, count).unwrap().of(&run).unwrap();
            assert_eq!(part(0).first_game, 50);
            for index in [0, count / 2, count - 2] {
                let (this, next) = (part(index), part(index + 1));
                assert_eq!(this.first_game + this.games, next.first_game);
                assert!(this.games.abs_diff(games / count) <= 1);
            }
            let last = part(count - 1);
            assert_eq!(last.first_game + last.games, 50 + games);
            assert_eq!(last.shard_of, Some(Whole { first_game: 50, games }));
            assert_eq!(Config { games, first_game: 50, shard_of: None, ..last }, run);
        }
    }

    #[test]
    fn what_is_no_shard_is_refused() {
        assert_eq!("2/3".parse(), Ok(Shard { index: 2, count: 3 }));
        for text in ["3/3", "0/0", "1", "a/b", "-1/3", "1/3/5", ""] {
            assert!(text.parse::<Shard>().unwrap_err().contains("expected"), "{text}");
        }
        let run = Config { games: 2, ..Config::default() };
        assert!(Shard::new(0, 3).unwrap().of(&run).unwrap_err().contains("at most"));
        assert_eq!(Shard::new(3, 16).unwrap().file(Path::new("a/g.acd")), Path::new("a/g-3-of-16.acd"));
        assert_eq!(Shard::new(0, 1).unwrap().file(Path::new("games")), Path::new("games-0-of-1"));
    }
}
