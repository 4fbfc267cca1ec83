use std::sync::Arc;

use acedrex_engine::game::Position;
use acedrex_engine::rules::Reading;
use acedrex_engine::types::Move;

use super::Record;
use super::dice::may_pass;

/// A game that does not follow the rules.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("game {game}, ply {ply}: found {found}, expected {expected}")]
pub struct ReplayError {
    /// The game's number.
    pub game: u64,
    /// Plies played before the fault.
    pub ply: usize,
    /// What the record says.
    pub found: String,
    /// What it could say.
    pub expected: String,
}

/// One position of a game, and what was played in it.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// Plies played before.
    pub ply: usize,
    /// The position before the move.
    pub position: &'a Position,
    /// The move, which is legal; [`Move::NONE`] is a pass.
    pub mv: Move,
    /// The search's score in centipawns for White; `None` where nothing was searched.
    pub score_white_cp: Option<i16>,
    /// The face of the die, 1 to 8; `None` without dice.
    pub die: Option<u8>,
    /// True if the ply was drawn at random.
    pub opening: bool,
    /// True if the side to move is in check.
    pub in_check: bool,
    /// True if the move captures.
    pub capture: bool,
}

/// A game being played again, each move checked.
#[derive(Clone, Debug)]
pub struct Replay<'a> {
    record: &'a Record,
    position: Position,
    ply: usize,
    pending: Option<Move>,
}

impl Record {
    /// Plays the game again by these rules: `while let Some(step) = replay.next_step()? { ... }`.
    ///
    /// # Errors
    /// If the start is no position of this reading.
    pub fn replay<'a>(&'a self, reading: &Arc<Reading>) -> Result<Replay<'a>, ReplayError> {
        let position = match &self.start {
            None => Position::start(reading),
            Some(fen) => Position::from_fen(reading, fen).map_err(|error| ReplayError {
                game: self.game,
                ply: 0,
                found: format!("the start {fen:?}: {error}"),
                expected: format!("a position of {}", reading.rules.id),
            })?,
        };
        Ok(Replay { record: self, position, ply: 0, pending: None })
    }
}

impl Replay<'_> {
    /// The next position and what was played in it; `None` after the last.
    ///
    /// # Errors
    /// If the move is not legal, or not one of the kind that the die called.
    pub fn next_step(&mut self) -> Result<Option<Step<'_>>, ReplayError> {
        if let Some(mv) = self.pending.take() {
            self.position.play(mv);
            self.ply += 1;
        }
        let Some(&ply) = self.record.plies.get(self.ply) else { return Ok(None) };
        let generator = self.position.generator();
        let in_check = generator.in_check();
        let (legal, square) = (generator.is_legal(ply.mv), ply.mv.to());
        let allowed = match ply.die {
            None if legal => Ok(()),
            None => Err("a legal move".to_owned()),
            Some(die @ 1..=8) => self.by_die(ply.mv, legal, die),
            Some(_) => Err("a die from 1 to 8".to_owned()),
        };
        if let Err(expected) = allowed {
            let fen = self.position.fen();
            let thrown = ply.die.map_or(String::new(), |die| format!(", die {die},"));
            let found = format!("{}{thrown} in {fen}", ply.mv);
            return Err(ReplayError { game: self.record.game, ply: self.ply, found, expected });
        }
        self.pending = Some(ply.mv);
        Ok(Some(Step {
            ply: self.ply,
            position: &self.position,
            mv: ply.mv,
            score_white_cp: ply.score_white_cp,
            die: ply.die,
            opening: self.ply < usize::from(self.record.opening_plies),
            in_check,
            capture: !ply.mv.is_none() && self.position.board().piece_at(square).is_some(),
        }))
    }

    fn by_die(&self, mv: Move, legal: bool, die: u8) -> Result<(), String> {
        if mv.is_none() {
            return match (may_pass(&self.position), self.position.dice_moves(die).is_empty()) {
                (true, true) => Ok(()),
                (true, false) => Err("a move of the kind thrown, since it has one".to_owned()),
                (false, _) => Err("a move: one throws again here when the kind thrown has none".to_owned()),
            };
        }
        let reading = self.position.reading();
        let piece = self.position.board().piece_at(mv.from());
        let def = piece.map(|piece| reading.tables.kind(piece.kind()).def);
        match def.and_then(|def| reading.rules.kinds[def].pips) {
            _ if !legal => Err("a legal move".to_owned()),
            Some(pips) if pips == die => Ok(()),
            pips => {
                Err(format!("a move of the kind thrown; the man that moves has {} pips", pips.unwrap_or(0)))
            }
        }
    }

    /// The position reached: that of the last step, or after the whole game once there is no next step.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.position
    }
}
