use super::evaluator::Sum;
use super::{Evaluator, Feature, Trace};
use crate::rules::Tables;
use crate::types::{Bitboard, Color};

/// What pawns are worth by their structure: middle game and end game, in units, for White.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PawnTerms {
    pub(super) sum: Sum,
}

/// One rank ahead of a colour.
#[inline]
pub(super) fn ahead(set: Bitboard, color: Color) -> Bitboard {
    if color == Color::White { set.up() } else { set.down() }
}

/// All squares ahead on the same files.
fn span(set: Bitboard, color: Color, ranks: u8) -> Bitboard {
    let mut all = Bitboard::EMPTY;
    let mut next = set;
    for _ in 1..ranks {
        next = ahead(next, color);
        all |= next;
    }
    all
}

impl Evaluator {
    /// Counts the terms that depend on the pawns alone.
    pub(super) fn pawn_terms(
        &self,
        tables: &Tables,
        pawns: [Bitboard; 2],
        trace: &mut impl Trace,
    ) -> PawnTerms {
        let mut sum = Sum::default();
        for color in Color::ALL {
            let (own, enemy, sign) = (pawns[color.index()], pawns[(!color).index()], color.sign());
            let count = |set: Bitboard| i32::try_from(set.count()).unwrap_or(0) * sign;
            let beside = |set: Bitboard| (set.left() | set.right()) & tables.board;
            let column = |set: Bitboard| {
                set | span(set, Color::White, tables.ranks) | span(set, Color::Black, tables.ranks)
            };
            let connected = count(own & (beside(own) | ahead(beside(own), color)));
            let isolated = count(own & !beside(column(own) & tables.board));
            let doubled = count(own & span(own, !color, tables.ranks));
            sum += self.connected * connected;
            sum += self.isolated * isolated;
            sum += self.doubled * doubled;
            trace.add(|| Feature::Connected, connected);
            trace.add(|| Feature::Isolated, isolated);
            trace.add(|| Feature::Doubled, doubled);
            let guarded = span(enemy | beside(enemy), !color, tables.ranks);
            for square in own & !guarded & !span(own, !color, tables.ranks) {
                let rank =
                    if color == Color::White { square.rank() } else { tables.ranks - 1 - square.rank() };
                let becomes = tables.kind(tables.promotion[usize::from(square.file())]).def;
                sum += self.passed[usize::from(square.file())][usize::from(rank)] * sign;
                trace.add(|| Feature::Passed(becomes, usize::from(rank)), sign);
            }
        }
        PawnTerms { sum }
    }
}
