use std::fmt;
use std::io::Read;

use super::{DatasetError, Duplicates, FORMAT, Header, Reader, Repeat};
use crate::selfplay::{Counts, GameResult, Record};
use crate::stats::Estimate;
use crate::stats::wdl::Wdl;

/// What a dataset says of itself and adds up to. Nothing is played again: [`super::validate()`] does that.
#[derive(Clone, Debug, PartialEq)]
pub struct Stats {
    /// The head.
    pub header: Header,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Games, positions, results, ends and openings.
    pub counts: Counts,
    /// Games of each run.
    pub games: Vec<u64>,
    /// Number of games by length in plies.
    pub lengths: Vec<u64>,
    /// Games that are, move by move, an earlier game of their run.
    pub duplicate_games: u64,
    /// Games that began like an earlier one of their run, duplicate games included.
    pub duplicate_openings: u64,
}

impl Stats {
    /// Reads a dataset to its end. Holds some 50 bytes a game in memory.
    ///
    /// # Errors
    /// As [`Reader::read`].
    pub fn of<R: Read>(mut reader: Reader<R>) -> Result<Stats, DatasetError> {
        let header = reader.header().clone();
        let mut stats = Stats {
            bytes: 0,
            counts: Counts::default(),
            games: vec![0; header.runs.len()],
            lengths: Vec::new(),
            duplicate_games: 0,
            duplicate_openings: 0,
            header,
        };
        let (mut duplicates, mut record) = (Duplicates::default(), Record::default());
        while reader.read(&mut record)? {
            stats.counts.add(&record);
            stats.games[usize::from(record.stream)] += 1;
            let plies = record.plies.len();
            stats.lengths.resize(stats.lengths.len().max(plies + 1), 0);
            stats.lengths[plies] += 1;
            let repeat = duplicates.add(&record);
            stats.duplicate_games += u64::from(repeat == Some(Repeat::Game));
            stats.duplicate_openings += u64::from(repeat.is_some());
        }
        stats.bytes = reader.bytes();
        Ok(stats)
    }

    /// The shortest length in plies that at least a share `p` (0 to 1) of the games do not exceed; `None` without games.
    ///
    /// # Source
    /// Hyndman and Fan, American Statistician 50 (1996) 361-365, definition 1.
    #[must_use]
    pub fn length_quantile(&self, p: f64) -> Option<usize> {
        let wanted = p * self.counts.games as f64;
        let mut games = 0;
        self.lengths.iter().position(|&count| {
            games += count;
            games > 0 && games as f64 >= wanted
        })
    }

    /// Mean length in plies, a game being the unit; `None` with fewer than two games.
    #[must_use]
    pub fn mean_length(&self) -> Option<Estimate> {
        let n = self.counts.games as f64;
        let mean = self.counts.positions as f64 / n;
        let square = |(length, &count): (usize, &u64)| count as f64 * (length as f64 - mean).powi(2);
        let variance = self.lengths.iter().enumerate().map(square).sum::<f64>() / (n - 1.0);
        let count = usize::try_from(self.counts.games).unwrap_or(usize::MAX);
        Estimate::new(mean, (variance / n).sqrt(), n - 1.0, count, 0.95).ok()
    }
}

impl fmt::Display for Stats {
    /// Several lines, `name: value`. Intervals are 95 %, clustered by game; unfinished games count in no score.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Header { ruleset, fingerprint, runs } = &self.header;
        writeln!(f, "format: {FORMAT}\nruleset: {ruleset}\nfingerprint: {fingerprint}")?;
        for (stream, (run, games)) in runs.iter().zip(&self.games).enumerate() {
            let of = run.whole().map_or(String::new(), |games| format!(" of {}", games.end - games.start));
            let whole = run.complete && run.games() == run.whole();
            let state = if whole { "complete" } else { "a part" };
            writeln!(
                f,
                "run {stream}: {games}{of} games, {state}, {} duplicates dropped",
                run.duplicates_dropped
            )?;
            writeln!(f, "  program: {}\n  weights: {}", run.program, run.weights)?;
            let config = serde_json::to_string(&run.config).map_err(|_| fmt::Error)?;
            writeln!(f, "  config: {config}")?;
        }
        write!(f, "{}", self.counts)?;
        let with = |result| self.counts.with_result(result);
        let wdl = Wdl {
            wins: with(GameResult::WhiteWins),
            draws: with(GameResult::Draw),
            losses: with(GameResult::BlackWins),
        };
        if let (Some(score), Ok(interval)) = (wdl.score(), wdl.score_interval(0.95)) {
            let (low, high) = (interval.low, interval.high);
            writeln!(f, "white's score: {score:.3} (95 % interval {low:.3} to {high:.3})")?;
        }
        if let Some(mean) = self.mean_length() {
            let (low, high) = (mean.interval.low, mean.interval.high);
            writeln!(f, "mean length: {:.1} plies (95 % interval {low:.1} to {high:.1})", mean.value)?;
        }
        let quantiles = [0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0].map(|p| self.length_quantile(p));
        let quantiles: Vec<String> = quantiles.iter().flatten().map(usize::to_string).collect();
        if !quantiles.is_empty() {
            writeln!(f, "lengths, quantiles 0, 5, 25, 50, 75, 95, 100 %: {}", quantiles.join(" "))?;
        }
        let (games, openings) = (self.duplicate_games, self.duplicate_openings);
        writeln!(f, "duplicates: {games} games, {openings} openings")?;
        let each = self.bytes as f64 / self.counts.positions.max(1) as f64;
        writeln!(f, "size: {} bytes, {each:.2} a position", self.bytes)
    }
}
