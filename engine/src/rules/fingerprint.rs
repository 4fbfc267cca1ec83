//! Hashes that tell whether two rulesets mean the same, and the mirror image of a ruleset.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use super::betza_words::canonical;
use super::{BareKing, KindDef, NoMove, Ruleset, Stalemate};
use crate::types::{Color, Square};

/// A SHA-256 digest.
pub type Fingerprint = [u8; 32];

/// A digest as 64 hexadecimal digits.
#[must_use]
pub fn hex(digest: &Fingerprint) -> String {
    digest.iter().fold(String::with_capacity(64), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

impl Ruleset {
    /// SHA-256 of everything in the ruleset that affects play or files: not its id, title, source and piece names, nor
    /// how movements are spelled.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        Sha256::digest(self.canonical()).into()
    }

    /// SHA-256 of how the pieces other than king and pawn move, and of the king's ordinary step.
    ///
    /// Readings with the same digest differ in pawns, the king's leap, the array or the ends of games only: in a
    /// comparison of piece values they are one move set.
    #[must_use]
    pub fn officers_fingerprint(&self) -> Fingerprint {
        let mut lines: Vec<String> = Vec::new();
        for kind in self.kinds.iter().filter(|kind| !kind.pawn) {
            lines.push(match kind.royal {
                true => format!("royal {} {}\n", kind.key, canonical(kind.moved())),
                false => format!("{} {}\n", kind.key, movements(kind)),
            });
        }
        lines.sort_unstable();
        Sha256::digest(lines.concat()).into()
    }

    /// The same reading with left and right exchanged; its id ends in `-mirrored`.
    #[must_use]
    pub fn mirrored(&self) -> Ruleset {
        let mut mirror = self.clone();
        mirror.id.push_str("-mirrored");
        mirror.title.push_str(", mirrored");
        for (square, _, _) in &mut mirror.start {
            *square = Square::new(self.files - 1 - square.file(), square.rank());
        }
        mirror.promotion.reverse();
        for kind in &mut mirror.kinds {
            kind.betza = kind.betza.mirrored();
            kind.first_move = kind.first_move.as_ref().map(super::Betza::mirrored);
        }
        mirror
    }

    fn canonical(&self) -> String {
        let mut text = format!("acedrex rules 1\nboard {} {}\n", self.files, self.ranks);
        let mut line = |words: std::fmt::Arguments<'_>| {
            let _ = writeln!(text, "{words}");
        };
        for kind in &self.kinds {
            let KindDef { key, letter, royal, pawn, .. } = kind;
            let pips = kind.pips.unwrap_or_default();
            line(format_args!("kind {key} {letter} {pips} {royal} {pawn} {}", movements(kind)));
        }
        let mut start = self.start.clone();
        start.sort_unstable_by_key(|man| man.0);
        for (square, color, kind) in start {
            line(format_args!("man {square} {color} {}", self.key(kind)));
        }
        for &kind in &self.promotion {
            line(format_args!("promotion {}", self.key(kind)));
        }
        let stalemate = match self.end.stalemate {
            Stalemate::Draw => "draw",
            Stalemate::Loses => "loses",
            Stalemate::Wins => "wins",
        };
        let bare_king = match self.end.bare_king {
            BareKing::None => "none",
            BareKing::Loses => "loses",
            BareKing::LosesUnlessBaredBack => "loses_unless_bared_back",
        };
        let no_move = match self.dice.no_move {
            NoMove::Reroll => "reroll",
            NoMove::Pass => "pass",
        };
        line(format_args!("leap {} {}", self.leap.from_check, self.leap.over_attacked));
        line(format_args!("end {stalemate} {bare_king} {}", self.end.repetition));
        line(format_args!("no progress {}", self.end.no_progress_plies));
        line(format_args!("dice {no_move}"));
        text
    }

    fn key(&self, kind: usize) -> &str {
        self.kinds.get(kind).map_or("", |kind| &kind.key)
    }

    /// The array in the five fields of a FEN.
    #[must_use]
    pub fn start_fen(&self) -> String {
        let mut fen = String::new();
        for rank in (0..self.ranks).rev() {
            let mut empty = 0;
            for file in 0..self.files {
                let here = Square::new(file, rank);
                let Some(man) = self.start.iter().find(|man| man.0 == here) else {
                    empty += 1;
                    continue;
                };
                if empty > 0 {
                    let _ = write!(fen, "{empty}");
                    empty = 0;
                }
                let letter = self.kinds.get(man.2).map_or('?', |kind| kind.letter);
                fen.push(if man.1 == Color::White { letter } else { letter.to_ascii_lowercase() });
            }
            if empty > 0 {
                let _ = write!(fen, "{empty}");
            }
            fen.push(if rank > 0 { '/' } else { ' ' });
        }
        let privileged = |kind: &KindDef| !kind.pawn && kind.unmoved().is_some();
        let mut rights: Vec<Square> = self
            .start
            .iter()
            .filter_map(|man| self.kinds.get(man.2).is_some_and(privileged).then_some(man.0))
            .collect();
        rights.sort_unstable_by_key(|square| square.index());
        let rights: String = rights.iter().map(Square::to_string).collect();
        let rights = if rights.is_empty() { "-" } else { &rights };
        let _ = write!(fen, "w {rights} 0 1");
        fen
    }
}

/// How a kind moves after and before it has moved.
fn movements(kind: &KindDef) -> String {
    match &kind.first_move {
        Some(first) => format!("{} first {}", kind.betza.canonical(), first.canonical()),
        None => kind.betza.canonical(),
    }
}
