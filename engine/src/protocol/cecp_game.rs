use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::cecp::{Cecp, Level, Purpose, Thinking};
use super::state::short;
use super::thinker::Job;
use crate::game::{MoveError, Outcome, Reason};
use crate::search::{Limits, SearchResult, TimeLeft, budget, fixed_time};
use crate::types::{Color, Move};

/// Time for a move if neither a time control nor a depth was given.
const UNTOLD: Duration = Duration::from_secs(2);

/// The claim that ends a game: result and comment.
fn claim(outcome: Outcome) -> Option<String> {
    let (score, text) = match outcome {
        Outcome::Ongoing => return None,
        Outcome::Win(winner, reason) => {
            let score = if winner == Color::White { "1-0" } else { "0-1" };
            let name = if winner == Color::White { "White" } else { "Black" };
            let text = match reason {
                Reason::Checkmate => format!("{name} mates"),
                Reason::Stalemate => format!("stalemate: {name} wins"),
                Reason::BareKing => "bare king".to_owned(),
                Reason::Repetition | Reason::NoProgress => reason.to_string(),
            };
            (score, text)
        }
        Outcome::Draw(reason) => {
            let text = match reason {
                Reason::Stalemate => "Stalemate",
                Reason::Repetition => "Draw by repetition",
                Reason::NoProgress => "Draw by no progress",
                Reason::BareKing => "Draw by bare kings",
                Reason::Checkmate => "Draw",
            };
            ("1/2-1/2", text.to_owned())
        }
    };
    Some(format!("{score} {{{text}}}"))
}

impl Level {
    /// The limits of the next move; with them the most time it may take.
    fn limits(&self, overhead: Duration, lines: usize) -> Limits {
        let mut limits = Limits { depth: self.depth, lines, ..Limits::default() };
        if let Some(most) = self.per_move {
            limits.time = Some(fixed_time(most, overhead));
        } else if let Some(left) = self.left {
            let moves_to_go = (self.moves > 0).then(|| self.moves - self.played % self.moves);
            let clock = TimeLeft { remaining: left, increment: self.increment, moves_to_go };
            let budget = budget(&clock, overhead);
            (limits.time, limits.soft_time, limits.nodes) =
                (Some(budget.hard), Some(budget.soft), budget.nodes);
        } else if self.depth.is_none() {
            limits.time = Some(UNTOLD);
        }
        limits
    }

    /// Keeps the engine's clock until the next `time` command.
    fn spend(&mut self, used: Duration) {
        self.played = self.played.wrapping_add(1);
        if let Some(left) = &mut self.left {
            *left = left.saturating_sub(used).saturating_add(self.increment);
            if self.moves > 0 && self.played.is_multiple_of(self.moves) {
                *left = left.saturating_add(self.base);
            }
        }
    }
}

impl Cecp {
    /// The line of a search as text; a move that is pondered on stands before it in brackets.
    pub(super) fn searched_line(&self, purpose: Purpose, pv: &[Move]) -> String {
        let Purpose::Ponder(mv) = purpose else { return self.core.line_text(pv) };
        let mut line = vec![mv];
        line.extend(pv);
        let text = self.core.line_text(&line);
        let (first, rest) = text.split_once(' ').unwrap_or((&text, ""));
        format!("({first}) {rest}")
    }

    /// Starts a search of the present position, or of the one pondered on.
    pub(super) fn think(&mut self, purpose: Purpose, out: &mut dyn Write) -> io::Result<()> {
        self.abandon();
        let mut position = self.core.position.clone();
        if let Purpose::Ponder(mv) = purpose {
            position.play(mv);
        }
        if purpose != Purpose::Play && position.outcome() != Outcome::Ongoing && !position.generator().any() {
            return Ok(());
        }
        let limits = match purpose {
            Purpose::Analyze => Limits { lines: self.lines, ..Limits::default() },
            _ => self.level.limits(self.core.overhead(), self.lines),
        };
        let hard = limits.time;
        let evaluator = Arc::clone(&self.core.evaluator);
        let pondering = matches!(purpose, Purpose::Ponder(_));
        self.thinking = Some(Thinking { purpose, since: Instant::now(), hard, held: None });
        let started = self.core.thinker.start(position, Job::Search { evaluator, limits, pondering });
        if started.is_err() {
            self.thinking = None;
            writeln!(out, "# no thread for the search")?;
        }
        started
    }

    /// Thinks if it is the engine's turn and the game goes on.
    pub(super) fn turn(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.plays != Some(self.core.position.board().side()) {
            return Ok(());
        }
        match claim(self.core.position.outcome()) {
            Some(claim) => writeln!(out, "{claim}"),
            None => self.think(Purpose::Play, out),
        }
    }

    /// Plays the move that the search has found.
    pub(super) fn play(&mut self, result: &SearchResult, out: &mut dyn Write) -> io::Result<()> {
        let used = self.thinking.take().map_or(Duration::ZERO, |thinking| thinking.since.elapsed());
        self.last = None;
        let Some(best) = result.best.filter(|&mv| self.core.position.generator().is_legal(mv)) else {
            return Ok(());
        };
        writeln!(out, "move {}", self.core.position.format_move(best))?;
        self.core.position.play(best);
        self.level.spend(used);
        let reply = result.pv.get(1).copied().filter(|_| result.pv.first() == Some(&best));
        self.hint = reply.filter(|&mv| self.core.position.generator().is_legal(mv));
        if let Some(claim) = claim(self.core.position.outcome()) {
            return writeln!(out, "{claim}");
        }
        match self.hint.filter(|_| self.ponders) {
            Some(mv) => self.think(Purpose::Ponder(mv), out),
            None => Ok(()),
        }
    }

    /// A move of the other side, or in force or analysis mode of either.
    pub(super) fn user_move(&mut self, text: &str, out: &mut dyn Write) -> io::Result<()> {
        let mv = match self.core.position.parse_move(text) {
            Ok(mv) => mv,
            Err(error) => {
                let why = match &error {
                    MoveError::Illegal { why, .. } => why.clone(),
                    MoveError::Syntax(_) => "not a move such as a4a5, or a11a12r for a promotion".to_owned(),
                };
                return writeln!(out, "Illegal move ({why}): {}", short(text));
            }
        };
        if self.thinking.as_ref().is_some_and(|thinking| thinking.purpose == Purpose::Play) {
            return writeln!(out, "Illegal move (it is the engine's turn): {}", short(text));
        }
        if let Some(thinking) = self.thinking.take() {
            match thinking.purpose {
                Purpose::Ponder(expected) if expected == mv => return self.expected_move(mv, thinking, out),
                _ => self.abandon(),
            }
        }
        self.core.position.play(mv);
        self.hint = None;
        if self.analyzing {
            return self.think(Purpose::Analyze, out);
        }
        if self.plays.is_some()
            && self.plays != Some(self.core.position.board().side())
            && let Some(claim) = claim(self.core.position.outcome())
        {
            return writeln!(out, "{claim}");
        }
        self.turn(out)
    }

    /// The move that the engine ponders on was played: its search becomes the search for the answer.
    fn expected_move(&mut self, mv: Move, mut thinking: Thinking, out: &mut dyn Write) -> io::Result<()> {
        self.core.position.play(mv);
        if self.core.position.outcome() != Outcome::Ongoing {
            self.abandon();
            return self.turn(out);
        }
        thinking.purpose = Purpose::Play;
        thinking.since = Instant::now();
        if let Some(result) = thinking.held.take() {
            self.thinking = Some(thinking);
            return self.play(&result, out);
        }
        let limits = self.level.limits(self.core.overhead(), self.lines);
        // With less time than was thought it begins anew: what it has learnt is in the table.
        if limits.time.is_some_and(|time| thinking.hard.is_none_or(|hard| time < hard)) {
            return self.think(Purpose::Play, out);
        }
        self.core.thinker.ponder_hit();
        self.thinking = Some(thinking);
        Ok(())
    }

    pub(super) fn force(&mut self) {
        self.abandon();
        self.plays = None;
        self.analyzing = false;
    }

    pub(super) fn go(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.thinking.as_ref().is_some_and(|thinking| thinking.purpose == Purpose::Play) {
            return Ok(());
        }
        self.abandon();
        self.analyzing = false;
        self.plays = Some(self.core.position.board().side());
        self.turn(out)
    }

    pub(super) fn play_other(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.abandon();
        self.analyzing = false;
        self.plays = Some(!self.core.position.board().side());
        match self.hint.filter(|&mv| self.ponders && self.core.position.generator().is_legal(mv)) {
            Some(mv) => self.think(Purpose::Ponder(mv), out),
            None => Ok(()),
        }
    }

    /// Takes back one ply in force or analysis mode, or two in a game.
    pub(super) fn take_back(&mut self, plies: usize, line: &str, out: &mut dyn Write) -> io::Result<()> {
        if self.core.position.played().len() < plies {
            return Cecp::error(out, "no move to take back", line);
        }
        self.abandon();
        for _ in 0..plies {
            self.core.position.undo();
        }
        self.hint = None;
        if self.analyzing { self.think(Purpose::Analyze, out) } else { Ok(()) }
    }

    pub(super) fn analyze(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.plays = None;
        self.analyzing = true;
        self.think(Purpose::Analyze, out)
    }
}
