use std::collections::HashSet;

use super::LEVEL;
use crate::report::table::{Align, Table, with_interval};
use crate::sample::{Game, Sample};
use crate::selfplay::{End, GameResult};
use crate::stats::estimate::{Estimate, Interval};
use crate::stats::{StatsError, mean, proportion, ratio, wdl::Wdl};

/// One figure of a sample.
#[derive(Debug, Clone, PartialEq)]
pub struct Metric {
    /// Its name, with the unit.
    pub name: &'static str,
    /// The estimate.
    pub value: f64,
    /// Its 95 % interval; NaN for a mean of values that are all the same.
    pub interval: Interval,
    /// Games behind it.
    pub games: u64,
    /// The estimate with its standard error, where the figure has one.
    pub estimate: Option<Estimate>,
    /// Decimals that make sense in a table.
    pub decimals: usize,
}

/// All figures of a sample, and the numbers they come from.
#[derive(Debug, Clone)]
pub struct Metrics {
    /// Name of the sample.
    pub name: String,
    /// Games, finished or not.
    pub games: u64,
    /// Results of the finished games.
    pub wdl: Wdl,
    /// Unfinished games: in no score.
    pub unfinished: u64,
    /// Games that repeat another one move by move: they bring nothing new, and the intervals do not know it.
    pub repeats: u64,
    /// Games by end, in the order of [`End::ALL`].
    pub ends: [u64; 8],
    /// Length of each game in plies; an unfinished game counts with the plies it had.
    pub lengths: Vec<f64>,
    /// Promotions of each game.
    pub promotions: Vec<f64>,
    /// Captures of each game.
    pub captures: Vec<f64>,
    /// Mean number of legal moves, clustered by game.
    pub branching: Option<Estimate>,
    /// The figures in the order of the table.
    pub figures: Vec<Metric>,
    /// True if openings were selected for balance.
    pub balanced: bool,
}

impl Metrics {
    /// Works out the figures of a sample.
    ///
    /// # Errors
    /// If it has no game.
    pub fn of(sample: &Sample) -> Result<Metrics, StatsError> {
        let games = &sample.games;
        let count = |result: GameResult| games.iter().filter(|game| game.result == result).count() as u64;
        let wdl = Wdl {
            wins: count(GameResult::WhiteWins),
            draws: count(GameResult::Draw),
            losses: count(GameResult::BlackWins),
        };
        let each = |figure: fn(&Game) -> f64| games.iter().map(figure).collect::<Vec<f64>>();
        let (moves, choices) = (each(|g| g.legal_moves as f64), each(|g| f64::from(g.choices)));
        let mut ends = [0; 8];
        for game in games {
            ends[game.end.index()] += 1;
        }
        let mut metrics = Metrics {
            name: sample.name.clone(),
            games: games.len() as u64,
            wdl,
            unfinished: count(GameResult::Unfinished),
            repeats: games.len() as u64 - games.iter().map(|g| g.line).collect::<HashSet<_>>().len() as u64,
            ends,
            lengths: each(|g| f64::from(g.plies)),
            promotions: each(|g| f64::from(g.promotions)),
            captures: each(|g| f64::from(g.captures)),
            branching: ratio::ratio_of_sums(&moves, &choices, LEVEL).ok(),
            figures: Vec::new(),
            balanced: sample.balanced,
        };
        metrics.fill()?;
        Ok(metrics)
    }

    fn fill(&mut self) -> Result<(), StatsError> {
        let mut figures = Vec::new();
        let finished = self.wdl.games();
        if finished > 0 {
            let summary = self.wdl.summary(LEVEL)?;
            let shares = [
                (summary.score, self.wdl.score_estimate(LEVEL).ok()),
                (summary.wins, None),
                (summary.draws, None),
                (summary.losses, None),
            ];
            for (name, (share, estimate)) in SCORE_NAMES.into_iter().zip(shares) {
                let (value, interval) = (share.value, share.interval);
                figures.push(Metric { name, value, interval, games: finished, estimate, decimals: 3 });
            }
        }
        let mut share = |name, part: u64| -> Result<(), StatsError> {
            let (value, interval) = (
                part as f64 / self.games.max(1) as f64,
                proportion::wilson(part as f64, self.games as f64, LEVEL)?,
            );
            figures.push(Metric { name, value, interval, games: self.games, estimate: None, decimals: 3 });
            Ok(())
        };
        share(SCORE_NAMES[4], self.unfinished)?;
        for (end, name) in End::ALL.into_iter().zip(END_NAMES) {
            // The cap is the unfinished games.
            if end != End::PlyCap {
                share(name, self.ends[end.index()])?;
            }
        }
        let means = [
            (mean::mean(&self.lengths, LEVEL).ok(), 1),
            (self.branching, 2),
            (mean::mean(&self.captures, LEVEL).ok(), 2),
            (mean::mean(&self.promotions, LEVEL).ok(), 3),
        ];
        for (name, (estimate, decimals)) in MEAN_NAMES.into_iter().zip(means) {
            let Some(estimate) = estimate else { continue };
            let unknown = Interval { low: f64::NAN, high: f64::NAN };
            // Games that are all alike do not say how much they could differ.
            let interval = if estimate.standard_error > 0.0 { estimate.interval } else { unknown };
            figures.push(Metric {
                name,
                value: estimate.value,
                interval,
                games: self.games,
                estimate: Some(estimate),
                decimals,
            });
        }
        self.figures = figures;
        Ok(())
    }

    /// A figure by name.
    #[must_use]
    pub fn figure(&self, name: &str) -> Option<&Metric> {
        self.figures.iter().find(|metric| metric.name == name)
    }
}

/// Names of the figures that come from results.
const SCORE_NAMES: [&str; 5] = ["White's score", "White wins", "draws", "Black wins", "unfinished"];

/// Names of the figures that are means.
const MEAN_NAMES: [&str; 4] =
    ["length, plies", "legal moves a position", "captures a game", "promotions a game"];

/// Names of the ends as figures, in the order of [`End::ALL`].
const END_NAMES: [&str; 8] = [
    "ended by checkmate",
    "ended by stalemate",
    "ended by bare-king",
    "ended by repetition",
    "ended by no-progress",
    "adjudicated by score",
    "adjudicated, bare kings",
    "ended by ply-cap",
];

/// The figures side by side, a column a sample.
#[must_use]
pub fn metrics_table(all: &[Metrics]) -> Table {
    let mut head = vec![("figure", Align::Left)];
    head.extend(all.iter().map(|metrics| (metrics.name.as_str(), Align::Right)));
    let mut table = Table::new(&head);
    let row = |first: &str, cell: &dyn Fn(&Metrics) -> String| -> Vec<String> {
        std::iter::once(first.to_owned()).chain(all.iter().map(cell)).collect()
    };
    table.row(&row("games", &|m| m.games.to_string()));
    table.row(&row("finished games, in the scores", &|m| m.wdl.games().to_string()));
    for name in SCORE_NAMES.iter().chain(&END_NAMES).chain(&MEAN_NAMES) {
        // An end that no sample has seen is not worth a row.
        let seen = all.iter().filter_map(|metrics| metrics.figure(name)).any(|metric| metric.value > 0.0);
        if !seen && END_NAMES.contains(name) {
            continue;
        }
        table.row(&row(name, &|metrics| match metrics.figure(name) {
            Some(metric) => with_interval(metric.value, metric.interval, metric.decimals),
            None => "not measured".to_owned(),
        }));
    }
    table
}

/// What a reader of the figures must know about these samples, a sentence each.
#[must_use]
pub fn notes(all: &[Metrics]) -> Vec<String> {
    let mut notes = Vec::new();
    if all.iter().any(|metrics| metrics.unfinished > 0) {
        notes.push(
            "Unfinished games are in no score; they count with the plies they had, so where there are some the length \
             is a lower bound."
                .to_owned(),
        );
    }
    if all.iter().any(|metrics| metrics.balanced) {
        notes.push(
            "Some openings were selected for balance: White's score does not measure the first move."
                .to_owned(),
        );
    }
    for metrics in all.iter().filter(|metrics| metrics.repeats > 0) {
        notes.push(format!(
            "{}: {} of {} games repeat another game move by move; the intervals take them as independent and are too \
             narrow.",
            metrics.name, metrics.repeats, metrics.games
        ));
    }
    notes
}
