//! Win, draw and loss counts.

use super::{
    Estimate, Interval, StatsError,
    error::{check_count, check_level},
    proportion::wilson,
};

/// Games won, drawn and lost, from one side's view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Wdl {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

/// A share of games with its Wilson interval.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Share {
    /// Share, 0 to 1.
    pub value: f64,
    /// Wilson interval.
    pub interval: Interval,
}

/// The shares of a [`Wdl`] and its mean score.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct WdlSummary {
    /// Games counted.
    pub games: u64,
    /// Share won.
    pub wins: Share,
    /// Share drawn.
    pub draws: Share,
    /// Share lost.
    pub losses: Share,
    /// Mean score per game: win 1, draw 1/2, loss 0.
    pub score: Share,
}

impl Wdl {
    /// All games.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.wins.saturating_add(self.draws).saturating_add(self.losses)
    }

    /// Mean score per game, 0 to 1; `None` without games.
    #[must_use]
    pub fn score(&self) -> Option<f64> {
        let n = self.games();
        (n > 0).then(|| (self.wins as f64 + 0.5 * self.draws as f64) / n as f64)
    }

    /// Variance of one game's score (multinomial), divisor n; 0 without games.
    #[must_use]
    pub fn score_variance(&self) -> f64 {
        let Some(s) = self.score() else { return 0.0 };
        let n = self.games() as f64;
        ((self.wins as f64 * (1.0 - s) * (1.0 - s)
            + self.draws as f64 * (0.5 - s) * (0.5 - s)
            + self.losses as f64 * s * s)
            / n)
            .max(0.0)
    }

    /// The mean score as an estimate with a t interval, for differences between readings.
    ///
    /// # Errors
    /// Fewer than two games, or a bad level.
    pub fn score_estimate(&self, level: f64) -> Result<Estimate, StatsError> {
        let n = self.games();
        let score = match self.score() {
            Some(s) if n > 1 => s,
            _ => {
                return Err(StatsError::TooFew { what: "mean score", found: usize::from(n == 1), needed: 2 });
            }
        };
        let df = n as f64 - 1.0;
        let se = (self.score_variance() / df).sqrt();
        Estimate::new(score, se, df, usize::try_from(n).unwrap_or(usize::MAX), level)
    }

    /// Interval of the mean score that stays in 0..=1: Wilson's with an effective number of games n / c, c the ratio of the
    /// score's variance to that of a win-or-lose game of the same mean. Without draws it is Wilson's own. When every game
    /// was drawn, c comes from counts with 1/2 added to each.
    ///
    /// # Errors
    /// No games, or a bad level.
    pub fn score_interval(&self, level: f64) -> Result<Interval, StatsError> {
        check_level(level)?;
        let Some(s) = self.score() else {
            return Err(StatsError::TooFew { what: "mean score", found: 0, needed: 1 });
        };
        let n = self.games() as f64;
        let binary = s * (1.0 - s);
        let ratio = if self.wins == 0 && self.losses == 0 {
            // Half a win and half a loss added: variance (1/2 * 1/4 * 2) / (n + 3/2), over the binary 1/4.
            1.0 / (n + 1.5)
        } else if binary > 0.0 {
            self.score_variance() / binary
        } else {
            1.0
        };
        let effective = n / ratio;
        wilson((s * effective).min(effective), effective, level)
    }

    /// Shares and mean score with their intervals.
    ///
    /// # Errors
    /// No games, or a bad level.
    pub fn summary(&self, level: f64) -> Result<WdlSummary, StatsError> {
        let games = self.games();
        check_count("win/draw/loss", usize::from(games > 0), 1)?;
        let n = games as f64;
        let share = |count: u64| -> Result<Share, StatsError> {
            Ok(Share { value: count as f64 / n, interval: wilson((count as f64).min(n), n, level)? })
        };
        let score = Share { value: self.score().unwrap_or(0.0), interval: self.score_interval(level)? };
        Ok(WdlSummary {
            games,
            wins: share(self.wins)?,
            draws: share(self.draws)?,
            losses: share(self.losses)?,
            score,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_draws_it_is_wilson() {
        let w = Wdl { wins: 15, draws: 0, losses: 5 };
        let (a, b) = (w.score_interval(0.95).unwrap(), wilson(15.0, 20.0, 0.95).unwrap());
        assert!((a.low - b.low).abs() < 1e-12 && (a.high - b.high).abs() < 1e-12);
        assert!((w.score_variance() - 0.1875).abs() < 1e-15);
    }

    #[test]
    fn draws_narrow_the_interval_and_extremes_do_not_collapse() {
        let width = |w: Wdl| {
            let i = w.score_interval(0.95).unwrap();
            i.high - i.low
        };
        let none = width(Wdl { wins: 50, draws: 0, losses: 50 });
        let half = width(Wdl { wins: 25, draws: 50, losses: 25 });
        let all = width(Wdl { wins: 0, draws: 100, losses: 0 });
        assert!(none > half && half > all && all > 0.001, "{none} {half} {all}");
        assert!(width(Wdl { wins: 10, draws: 0, losses: 0 }) > 0.2);
        assert!(Wdl::default().summary(0.95).is_err() && Wdl::default().score_estimate(0.95).is_err());
        let s = Wdl { wins: 2, draws: 1, losses: 1 }.summary(0.95).unwrap();
        assert!((s.score.value - 0.625).abs() < 1e-15);
        let e = Wdl { wins: 2, draws: 1, losses: 1 }.score_estimate(0.95).unwrap();
        // Sample variance of (1, 1, 1/2, 0) is 0.229167; standard error sqrt(0.229167 / 4).
        assert!((e.standard_error - 0.239_356_8).abs() < 1e-6);
    }
}
