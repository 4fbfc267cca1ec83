//! A ruleset in words.

use std::fmt::Write as _;

use super::betza_words::describe;
use super::fingerprint::hex;
use super::{BareKing, Confidence, KindDef, NoMove, Ruleset, Stalemate};

impl Ruleset {
    /// The reading in words, several lines, for people.
    #[must_use]
    pub fn explain(&self) -> String {
        let mut text = String::new();
        let mut line = |name: &str, words: String| {
            let _ = writeln!(text, "{name:<12} {words}");
        };
        line("ruleset", format!("{}: {}", self.id, self.title));
        let confidence = match self.source.confidence {
            Confidence::Attested => "attested: a source states it",
            Confidence::Reconstructed => "reconstructed: derived from the sources",
            Confidence::Conjecture => "conjecture: a guess, kept for comparison",
        };
        line("source", self.source.citation.clone());
        line("confidence", confidence.into());
        line("board", format!("{} files, {} ranks", self.files, self.ranks));
        line("array", self.start_fen());
        for kind in &self.kinds {
            line(if kind.letter == self.kinds[0].letter { "pieces" } else { "" }, kind_words(kind));
        }
        line("promotion", self.promotion_words());
        line("leap", self.leap_words());
        line("no move left", self.stalemate_words().into());
        line("bare king", self.bare_king_words().into());
        line(
            "repetition",
            match self.end.repetition {
                0 => "no rule".into(),
                n => format!("occurrence {n} of a position is a draw"),
            },
        );
        line(
            "no progress",
            match self.end.no_progress_plies {
                0 => "no rule".into(),
                n => format!(
                    "{n} plies without capture or pawn move are a draw (this program's rule, not the codex's)"
                ),
            },
        );
        let no_move = match self.dice.no_move {
            NoMove::Reroll => "roll again",
            NoMove::Pass => "the turn passes; in check, roll again",
        };
        line("dice", format!("if the kind that was rolled has no legal move: {no_move}"));
        line("fingerprint", hex(&self.fingerprint()));
        line("move set", hex(&self.officers_fingerprint()));
        text
    }

    fn name(&self, kind: usize) -> &str {
        self.kinds.get(kind).map_or("", |kind| &kind.name)
    }

    fn promotion_words(&self) -> String {
        match self.promotion.as_slice() {
            [] => "none: there is no pawn".into(),
            [first, rest @ ..] if rest.iter().all(|kind| kind == first) => {
                format!("on the last rank a pawn becomes a {}", self.name(*first))
            }
            list => {
                let by_file =
                    ('a'..='l').zip(list).map(|(file, &kind)| format!("{file} {}", self.name(kind)));
                let by_file: Vec<String> = by_file.collect();
                format!("by the file of arrival: {}", by_file.join(", "))
            }
        }
    }

    fn leap_words(&self) -> String {
        let leaps = |kind: &&KindDef| kind.royal && kind.unmoved().is_some();
        let Some(royal) = self.kinds.iter().find(leaps) else {
            return "the royal piece has no first-move leap".into();
        };
        let may = |allowed: bool| if allowed { "allowed" } else { "forbidden" };
        format!(
            "of the {}: from check {}, over an attacked square {}",
            royal.name,
            may(self.leap.from_check),
            may(self.leap.over_attacked)
        )
    }

    fn stalemate_words(&self) -> &'static str {
        match self.end.stalemate {
            Stalemate::Draw => "and not in check: a draw",
            Stalemate::Loses => "and not in check: that side loses",
            Stalemate::Wins => "and not in check: that side wins",
        }
    }

    fn bare_king_words(&self) -> &'static str {
        match self.end.bare_king {
            BareKing::None => "play goes on",
            BareKing::Loses => "loses at once",
            BareKing::LosesUnlessBaredBack => {
                "loses, unless its very next move bares the other side too, which draws"
            }
        }
    }
}

fn kind_words(kind: &KindDef) -> String {
    let mut text = format!("{} {}", kind.letter, kind.name);
    if kind.name != kind.key {
        let _ = write!(text, " [{}]", kind.key);
    }
    if let Some(pips) = kind.pips {
        let _ = write!(text, ", {pips} {}", if pips == 1 { "pip" } else { "pips" });
    }
    if kind.royal {
        text.push_str(", royal");
    }
    if kind.pawn {
        text.push_str(", promotes");
    }
    let _ = write!(text, ": {} = {}", kind.betza.text, describe(&kind.betza.atoms));
    if let Some(first) = &kind.first_move {
        let _ = write!(text, "; until it has moved instead {} = {}", first.text, describe(&first.atoms));
    }
    text
}
