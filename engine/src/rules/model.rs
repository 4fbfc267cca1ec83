use super::{Atom, Betza};
use crate::types::{Color, Square};

/// One reconstruction of the rules, checked and with its parents' keys filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruleset {
    /// The name by which command lines know it: lower-case letters, digits and hyphens.
    pub id: String,
    /// One line for people.
    pub title: String,
    /// Where the reading comes from and how sure it is.
    pub source: Source,
    /// Number of files, 1 to 12.
    pub files: u8,
    /// Number of ranks, 1 to 12.
    pub ranks: u8,
    /// The array: every man at the start, by square.
    pub start: Vec<(Square, Color, usize)>,
    /// The kinds of piece, at most sixteen, exactly one royal and at most one the pawn.
    pub kinds: Vec<KindDef>,
    /// For each file, the index of the kind that a pawn arriving there becomes (never royal, never the pawn);
    /// empty if the ruleset has no pawn.
    pub promotion: Vec<usize>,
    /// What restrains the royal piece's first-move leap.
    pub leap: LeapRule,
    /// How a game ends.
    pub end: EndRules,
    /// What the dice do.
    pub dice: DiceRule,
}

/// Where a reading comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Bibliographic reference.
    pub citation: String,
    /// How sure the reading is.
    pub confidence: Confidence,
}

/// How sure a reading is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confidence {
    /// A source states it.
    Attested,
    /// A scholar derived it from the sources.
    Reconstructed,
    /// A guess, kept for comparison.
    Conjecture,
}

/// One kind of piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindDef {
    /// Key in the file: `king`, `aanca`, ... `pawn`.
    pub key: String,
    /// What this reading calls it.
    pub name: String,
    /// Capital letter in FEN, unique in the ruleset.
    pub letter: char,
    /// How it moves.
    pub betza: Betza,
    /// How it moves until it has moved, instead of `betza`.
    pub first_move: Option<Betza>,
    /// The face of the die that calls it, 1 to 8: the manuscript's ranking.
    pub pips: Option<u8>,
    /// True for the one kind whose loss loses the game.
    pub royal: bool,
    /// True for the kind that promotes on the last rank.
    pub pawn: bool,
}

impl KindDef {
    /// How the piece moves once it has moved.
    pub fn moved(&self) -> impl Iterator<Item = &Atom> {
        self.betza.atoms.iter().filter(|atom| !atom.initial)
    }

    /// How the piece moves while it has not, if that differs.
    #[must_use]
    pub fn unmoved(&self) -> Option<&[Atom]> {
        match &self.first_move {
            Some(first) => Some(&first.atoms),
            None => self.betza.atoms.iter().any(|atom| atom.initial).then_some(&self.betza.atoms[..]),
        }
    }
}

/// Restraints on the royal piece's leap: the atoms marked `i` of its movement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeapRule {
    /// May it leap out of check?
    pub from_check: bool,
    /// May it leap over a square that the other side attacks?
    pub over_attacked: bool,
}

/// The end rules besides checkmate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndRules {
    /// No legal move, not in check.
    pub stalemate: Stalemate,
    /// Only the royal piece left.
    pub bare_king: BareKing,
    /// The occurrence of a position that draws; 0 for no such rule.
    pub repetition: u32,
    /// Plies without capture or pawn move that draw; 0 for no such rule.
    pub no_progress_plies: u32,
}

/// What a stalemate means for the side without a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stalemate {
    /// A draw.
    Draw,
    /// It loses.
    Loses,
    /// It wins.
    Wins,
}

/// What becomes of a side with nothing left but its king.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BareKing {
    /// Play goes on.
    None,
    /// It loses at once.
    Loses,
    /// It loses unless its very next move bares the other side as well, which draws.
    LosesUnlessBaredBack,
}

/// The dice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiceRule {
    /// What happens when the rolled kind has no legal move.
    pub no_move: NoMove,
}

/// What happens when the rolled kind has no legal move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoMove {
    /// Roll again.
    Reroll,
    /// The turn passes, except in check, where one rolls again.
    Pass,
}

impl std::fmt::Display for Confidence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Confidence::Attested => "attested",
            Confidence::Reconstructed => "reconstructed",
            Confidence::Conjecture => "conjecture",
        })
    }
}
