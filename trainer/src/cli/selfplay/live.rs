use std::io::Write;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::cli::Progress;
use crate::selfplay::{GameResult, Summary};

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
    fn plus(self, summary: &Summary) -> Figures {
        let counts = &summary.counts;
        Figures {
            games: self.games + counts.games,
            positions: self.positions + counts.positions,
            nodes: self.nodes + summary.nodes,
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
    begun: bool,
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
            begun: false,
            started: Instant::now(),
            last: None,
        }
    }

    /// So many games are those of a dataset that is complete already.
    pub(super) fn skip(&mut self, games: u64) {
        self.before.games += games;
        self.now = self.before;
        self.there.0 += games;
        if let Shown::Text(progress) = &mut self.shown {
            progress.skip(games);
        }
    }

    /// The games of a ruleset come next.
    pub(super) fn begin(&mut self, ruleset: &str) {
        ruleset.clone_into(&mut self.ruleset);
        (self.before, self.begun) = (self.now, false);
    }

    /// What the ruleset's games add up to by now.
    pub(super) fn set(&mut self, summary: &Summary) {
        self.now = self.before.plus(summary);
        // More than one game at once: those that were kept of an interrupted run.
        if !self.begun && summary.counts.games > 1 {
            self.there.0 += summary.counts.games;
            self.there.1 += summary.nodes;
            if let Shown::Text(progress) = &mut self.shown {
                progress.skip(summary.counts.games);
            }
        }
        self.begun = true;
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
                let Figures { games, positions, white_wins, draws, black_wins, unfinished, .. } = self.now;
                let note = format!(
                    "{}: {positions} positions, {:.2} M nodes/s, {white_wins} won, {draws} drawn, {black_wins} lost by \
                     White, {unfinished} unfinished",
                    self.ruleset,
                    nodes_per_second / 1e6
                );
                progress.set(games, &note);
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
