use crate::board::Board;
use crate::rules::Tables;
use crate::types::{Bitboard, Color, Kind, Move, Score, Square};

/// Static exchange evaluation: true if the exchange that `mv` starts on its square of arrival wins at least `threshold`
/// centipawns, both sides capturing with their cheapest man. `values` are centipawns by compiled kind, `order` lists the
/// compiled kinds from cheap to dear, the royal ones last: [`Evaluator::piece_values`](crate::eval::Evaluator::piece_values)
/// and [`Evaluator::cheap_first`](crate::eval::Evaluator::cheap_first). Pins and promotions are not seen.
#[must_use]
pub fn see_at_least(
    tables: &Tables,
    board: &Board,
    values: &[Score],
    order: &[Kind],
    mv: Move,
    threshold: Score,
) -> bool {
    let worth = |square: Square| board.piece_at(square).map_or(0, |piece| values[piece.kind().index()]);
    let mut balance = worth(mv.to()) - threshold;
    if balance < 0 {
        return false;
    }
    balance = worth(mv.from()) - balance;
    if balance <= 0 {
        return true;
    }
    let mut occupied = board.occupied().without(mv.from()).with(mv.to());
    let mut side = board.side();
    let mut wins = true;
    loop {
        side = !side;
        let Some((kind, from)) = cheapest(tables, board, order, mv.to(), side, occupied) else { return wins };
        if tables.kind(kind).royal {
            // The royal piece may only take what nobody defends.
            let defended = cheapest(tables, board, order, mv.to(), !side, occupied.without(from)).is_some();
            return if defended { wins } else { !wins };
        }
        wins = !wins;
        balance = values[kind.index()] - balance;
        if balance < Score::from(wins) {
            return wins;
        }
        occupied = occupied.without(from);
    }
}

fn cheapest(
    tables: &Tables,
    board: &Board,
    order: &[Kind],
    target: Square,
    side: Color,
    occupied: Bitboard,
) -> Option<(Kind, Square)> {
    order.iter().find_map(|&kind| {
        let men = board.pieces(side, kind) & occupied & !Bitboard::of(target);
        if men.is_empty() {
            return None;
        }
        let from = tables.mover(kind, side).attackers_among(men, target, occupied).first()?;
        Some((kind, from))
    })
}
