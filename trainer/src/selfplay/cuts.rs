use std::sync::Arc;

use acedrex_engine::rules::Reading;

use super::{Config, GameResult, Record, Referee, ReplayError};

/// What one way to cut games short would have done to games that were played to their end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cut {
    /// Games that it would have ended early.
    pub called: u64,
    /// Of these, games that ended with another result.
    pub changed: u64,
    /// Of these, games that were left unfinished, so that nobody knows.
    pub unfinished: u64,
    /// Plies of each game that need not have been played.
    pub plies_saved: Vec<u32>,
}

/// What adjudication and resignation would have done to games that were played to their end. Play is the same up to
/// the ply at which a game is cut short, so that this is exactly the difference between two runs with one seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cuts {
    /// Each rule by itself, then all together: name, rules, and what they did.
    pub rules: Vec<(&'static str, Config, Cut)>,
    /// Plies of each game looked at.
    pub plies: Vec<u32>,
}

impl Cuts {
    /// For the rules of a configuration, as far as it has them.
    #[must_use]
    pub fn new(config: &Config) -> Cuts {
        let none = Config { adjudication: None, draw: None, resignation: None, ..config.clone() };
        let each = [
            ("win", Config { adjudication: config.adjudication, ..none.clone() }),
            ("resignation", Config { resignation: config.resignation, ..none.clone() }),
            ("draw", Config { draw: config.draw, ..none.clone() }),
            ("together", config.clone()),
        ];
        let rules = each.into_iter().filter(|(_, config)| *config != none);
        Cuts {
            rules: rules.map(|(name, config)| (name, config, Cut::default())).collect(),
            plies: Vec::new(),
        }
    }

    /// Games looked at.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.plies.len() as u64
    }

    /// Adds a game that was played to its end.
    ///
    /// # Errors
    /// If it does not follow the rules of the reading.
    pub fn add(&mut self, record: &Record, reading: &Arc<Reading>) -> Result<(), ReplayError> {
        let count = |plies: usize| u32::try_from(plies).unwrap_or(u32::MAX);
        let mut open: Vec<(Referee<'_>, &mut Cut)> =
            self.rules.iter_mut().map(|(_, config, cut)| (Referee::new(config), cut)).collect();
        let mut replay = record.replay(reading)?;
        let mut scores = record.plies.iter().map(|ply| ply.score_white_cp);
        // The position before the first ply has no verdict.
        let mut step = replay.next_step()?.is_some();
        self.plies.push(count(record.plies.len()));
        open.iter_mut().for_each(|(_, cut)| cut.plies_saved.push(0));
        while step {
            step = replay.next_step()?.is_some();
            let score = scores.next().flatten();
            let left = scores.len();
            open.retain_mut(|(referee, cut)| {
                let Some((result, _)) = referee.after(replay.position(), score) else { return true };
                if left > 0 {
                    cut.called += 1;
                    cut.plies_saved.pop();
                    cut.plies_saved.push(count(left));
                    cut.unfinished += u64::from(record.result == GameResult::Unfinished);
                    cut.changed +=
                        u64::from(record.result != result && record.result != GameResult::Unfinished);
                }
                false
            });
        }
        Ok(())
    }
}
