use std::io::Write;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::cli::Progress;
use crate::selfplay::{Counts, GameResult, Summary};

/// Time between lines of JSON.
const EVERY: Duration = Duration::from_secs(1);

/// What a command has played so far, all its rulesets together.
#[derive(Clone, Copy, Default, Serialize)]
struct Figures {
    games: u64,
    positions: u64,
    nodes: u64,
    white_wins: u64,
    draws: u64,
    black_wins: u64,
    unfinished: u64,
}

impl Figures {
    fn plus(self, counts: &Counts, nodes: u64) -> Figures {
        Figures {
            games: self.games + counts.games,
            positions: self.positions + counts.positions,
            nodes: self.nodes + nodes,
            white_wins: self.white_wins + counts.with_result(GameResult::WhiteWins),
            draws: self.draws + counts.with_result(GameResult::Draw),
            black_wins: self.black_wins + counts.with_result(GameResult::BlackWins),
            unfinished: self.unfinished + counts.with_result(GameResult::Unfinished),
        }
    }
}

/// One line of `--json-progress`.
#[derive(Serialize)]
struct Line<'a> {
    ruleset: &'a str,
    #[serde(flatten)]
    figures: Figures,
    /// Games of the whole command.
    of: u64,
    games_per_second: f64,
    nodes_per_second: f64,
    /// `null` before the first game.
    seconds_left: Option<f64>,
}

/// Shows how far self-play is: a bar, plain lines or JSON. Rates are those of this process alone: games that were there
/// before count as done, and not as played.
pub(super) struct Live<'a> {
    shown: Shown<'a>,
    total: u64,
    ruleset: String,
    /// Of the rulesets before.
    before: Figures,
    now: Figures,
    /// Games and nodes that this process has not played.
    there: (u64, u64),
    started: Instant,
    last: Option<Instant>,
}

enum Shown<'a> {
    Text(Progress<'a>),
    Json(&'a mut dyn Write),
}

impl<'a> Live<'a> {
    pub(super) fn new(total: u64, json: bool, err: &'a mut dyn Write) -> Live<'a> {
        let shown = if json { Shown::Json(err) } else { Shown::Text(Progress::new("selfplay", total, err)) };
        Live {
            shown,
            total,
            ruleset: String::new(),
            before: Figures::default(),
            now: Figures::default(),
            there: (0, 0),
            started: Instant::now(),
            last: None,
        }
    }

    pub(super) fn warn(&mut self, warning: &str) {
        match &mut self.shown {
            Shown::Text(progress) => progress.warn(warning),
            Shown::Json(err) => drop(writeln!(err, "warning: {warning}")),
        }
    }

    /// The games of a ruleset come next, but for those that are in its dataset or were kept of an interrupted run.
    pub(super) fn begin(&mut self, ruleset: &str, kept: &Summary) {
        ruleset.clone_into(&mut self.ruleset);
        self.before = self.now;
        self.there.0 += kept.counts.games;
        self.there.1 += kept.nodes;
        if let Shown::Text(progress) = &mut self.shown {
            progress.skip(kept.counts.games);
        }
        self.now = self.before.plus(&kept.counts, kept.nodes);
    }

    /// What the ruleset's games add up to by now.
    pub(super) fn set(&mut self, summary: &Summary) {
        self.now = self.before.plus(&summary.counts, summary.nodes);
        self.show(false);
    }

    /// The ruleset's dataset is written, with so many games played or dropped.
    pub(super) fn end(&mut self, games: u64) {
        self.now.games = self.before.games + games;
    }

    pub(super) fn finish(mut self) {
        self.show(true);
        if let Shown::Text(progress) = self.shown {
            progress.finish();
        }
    }

    fn show(&mut self, last: bool) {
        let seconds = self.started.elapsed().as_secs_f64().max(1e-3);
        let (games, nodes) = (self.now.games - self.there.0, self.now.nodes - self.there.1);
        let (games_per_second, nodes_per_second) = (games as f64 / seconds, nodes as f64 / seconds);
        match &mut self.shown {
            Shown::Text(progress) => {
                let Figures { positions, white_wins, draws, black_wins, unfinished, .. } = self.now;
                let note = format!(
                    "{}: {positions} positions, {:.2} M nodes/s, {white_wins} won, {draws} drawn, {black_wins} lost by \
                     White, {unfinished} unfinished",
                    self.ruleset,
                    nodes_per_second / 1e6
                );
                progress.set(self.now.games, &note);
            }
            Shown::Json(err) => {
                if !last && self.last.is_some_and(|shown| shown.elapsed() < EVERY) {
                    return;
                }
                self.last = Some(Instant::now());
                let left = self.total.saturating_sub(self.now.games) as f64 / games_per_second;
                let line = Line {
                    ruleset: &self.ruleset,
                    figures: self.now,
                    of: self.total,
                    games_per_second,
                    nodes_per_second,
                    seconds_left: left.is_finite().then_some(left),
                };
                if let Ok(text) = serde_json::to_string(&line) {
                    let _ = writeln!(err, "{text}");
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(games: u64) -> Summary {
        let counts = Counts { games, results: [games, 0, 0, 0], ..Counts::default() };
        Summary { counts, nodes: 100 * games, duplicates: 0 }
    }

    /// The last line after these steps, each a ruleset's games that were there and those of its dataset.
    fn shown(json: bool, total: u64, steps: &[(u64, u64)]) -> String {
        let mut err = Vec::new();
        let mut live = Live::new(total, json, &mut err);
        for &(kept, all) in steps {
            live.begin("murray", &sums(kept));
            live.set(&sums(all));
            live.end(all);
        }
        live.finish();
        String::from_utf8(err).unwrap().lines().last().unwrap().to_owned()
    }

    #[test]
    fn figures_of_earlier_rulesets_outlast_a_dataset_that_is_complete() {
        let last = shown(true, 20, &[(4, 6), (10, 10)]);
        let line: serde_json::Value = serde_json::from_str(&last).unwrap();
        assert_eq!((&line["games"], &line["white_wins"]), (&16.into(), &16.into()), "{line}");
    }

    #[test]
    fn games_of_an_interrupted_run_count_as_done_and_not_as_played() {
        let text = shown(false, 1_000, &[(500, 503)]);
        assert!(text.starts_with("selfplay: 503 of 1000 in "), "{text}");
        let all_there = |steps: &[(u64, u64)]| {
            let line: serde_json::Value = serde_json::from_str(&shown(true, 9, steps)).unwrap();
            (line["games"].as_u64(), line["games_per_second"].as_f64(), line["nodes_per_second"].as_f64())
        };
        // Exactly one game was kept; and one of each of two rulesets.
        assert_eq!(all_there(&[(1, 1)]), (Some(1), Some(0.0), Some(0.0)));
        assert_eq!(all_there(&[(1, 1), (1, 1)]), (Some(2), Some(0.0), Some(0.0)));
    }
}
