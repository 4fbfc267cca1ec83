use super::params;
use crate::board::Board;
use crate::eval::Attacked;
use crate::rules::Tables;
use crate::types::{Bitboard, Kind, MAX_KINDS, Piece, Score, Square};

/// Enemy officers looked at: as many as the built-in arrays have and more. Further ones are left out.
const MOST: usize = 24;

/// What quiet moves of a node may be about besides what its histories know: men in danger, checks, and attacks on men
/// that are dearer or undefended.
pub(super) struct Tactics<'a> {
    tables: &'a Tables,
    board: &'a Board,
    /// Centipawns by compiled kind.
    values: &'a [Score],
    attacked: &'a Attacked,
    /// Attacked by the enemy and by none of ours: a man that attacks where it goes counts as a defender.
    loose: Bitboard,
    /// The enemy's officers: where, what each is worth, and whether it is defended.
    prey: [(Square, bool, Score); MOST],
    count: usize,
    /// By kind of our men, the squares from which one may attack what is worth attacking.
    posts: [Bitboard; MAX_KINDS],
}

impl<'a> Tactics<'a> {
    #[inline]
    pub(super) fn new(
        tables: &'a Tables,
        board: &'a Board,
        values: &'a [Score],
        attacked: &'a Attacked,
    ) -> Tactics<'a> {
        let (us, them) = (board.side(), !board.side());
        let mut tactics = Tactics {
            tables,
            board,
            values,
            attacked,
            loose: attacked.by(them) & !attacked.by(us),
            prey: [(board.royal(them), true, 0); MOST],
            count: 0,
            posts: [Bitboard::EMPTY; MAX_KINDS],
        };
        let officer = |kind: &Kind| !tables.kind(*kind).royal && !tables.kind(*kind).pawn;
        for kind in board.kinds().filter(officer) {
            for square in board.pieces(them, kind) {
                if let Some(place) = tactics.prey.get_mut(tactics.count) {
                    *place = (square, attacked.by(them).has(square), values[kind.index()]);
                    tactics.count += 1;
                }
            }
        }
        for kind in board.kinds().filter(|&kind| board.pieces(us, kind).any()) {
            let reach = &tables.mover(tables.after(kind).kind, us).reach;
            for &(square, defended, value) in &tactics.prey[..tactics.count] {
                if tactics.gain(kind, defended, value) > 0 {
                    tactics.posts[kind.index()] |= reach[square.index()];
                }
            }
        }
        tactics
    }

    /// What speaks for or against the quiet moves of a man from a square to those of `to`: for all of them, and by
    /// `add` for those to some squares.
    #[inline]
    pub(super) fn judge(
        &self,
        piece: Piece,
        from: Square,
        to: Bitboard,
        mut add: impl FnMut(Bitboard, i32),
    ) -> i32 {
        let &Tactics { tables, board, values, .. } = self;
        let kind = piece.kind();
        let mover = tables.mover(tables.after(kind).kind, board.side());
        let (mut leave, mut safe) = (0, to);
        if !tables.kind(kind).royal {
            let value = values[kind.index()].min(params::DANGER_MOST);
            let cheaper = self.attacked.by_cheaper(kind);
            if cheaper.has(from) || self.loose.has(from) {
                leave = value * params::DANGER;
            }
            safe = to & !(cheaper | self.loose);
            if safe != to {
                add(to & cheaper, -value * params::DANGER);
                add(to & self.loose & !cheaper, -value * params::LOOSE);
            }
        }
        let king = board.royal(!board.side());
        if to.meets(mover.reach[king.index()]) {
            add(mover.attackers_among(to, king, board.occupied().without(from)), params::CHECK);
        }
        if safe.meets(self.posts[kind.index()]) {
            for &(square, defended, value) in &self.prey[..self.count] {
                let gain = self.gain(kind, defended, value).min(params::ATTACK_MOST);
                if gain > 0 && safe.meets(mover.reach[square.index()]) {
                    let ends = mover.attackers_among(safe, square, board.occupied().without(from));
                    add(ends, gain * params::ATTACK);
                }
            }
        }
        leave
    }

    /// What a man of this kind would win, if it took a man of that worth.
    #[inline]
    fn gain(&self, kind: Kind, defended: bool, value: Score) -> Score {
        match defended {
            false => value,
            true if self.tables.kind(kind).royal => 0,
            true => value - self.values[kind.index()],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{EvalMemory, Evaluator, Weights};
    use crate::game::Position;
    use crate::movegen::MoveGen;
    use crate::rules::{Reading, builtin};

    /// What is added to each quiet move of the man on `from`, zeros left out.
    fn judged(fen: &str, from: &str) -> Vec<(String, i32)> {
        let reading = Reading::new(builtin("cazaux-musser").unwrap());
        let position = Position::from_fen(&reading, fen).unwrap();
        let (tables, board) = (&reading.tables, position.board());
        let evaluator = Evaluator::new(&reading, &Weights::from_mobility(&reading));
        let attacked = evaluator.attacked(&reading, board, &mut EvalMemory::new());
        let tactics = Tactics::new(tables, board, evaluator.piece_values(), &attacked);
        let mut all = Vec::new();
        MoveGen::new(tables, board).for_each(!board.occupied(), |man, to| {
            if man.to_string() == from {
                let mut sums = [0; crate::types::SQUARES];
                let leave = tactics.judge(board.piece_at(man).unwrap(), man, to, |ends, bonus| {
                    ends.into_iter().for_each(|end| sums[end.index()] += bonus);
                });
                let ends = to.into_iter().map(|end| (end.to_string(), leave + sums[end.index()]));
                all.extend(ends.filter(|(_, sum)| *sum != 0));
            }
        });
        all
    }

    /// What a man is worth by the formula's weights.
    fn worth(name: &str) -> Score {
        let rules = builtin("cazaux-musser").unwrap();
        let kind = rules.kinds.iter().position(|kind| kind.name == name).unwrap();
        let reading = Reading::new(rules);
        Evaluator::new(&reading, &Weights::from_mobility(&reading)).piece_values()[kind]
    }

    fn named(moves: &[(&str, i32)]) -> Vec<(String, i32)> {
        moves.iter().map(|&(mv, sum)| (mv.to_owned(), sum)).collect()
    }

    #[test]
    fn moves_are_judged_by_what_they_meet_and_attack() {
        let (rook, crocodile) = (worth("rook"), worth("crocodile"));
        let (danger, attack) = (-params::DANGER * rook, params::ATTACK * crocodile);
        // A pawn on e7 and a cheaper crocodile on f9, which nobody defends, watch what they attack.
        assert_eq!(
            judged("k11/12/12/5c6/12/4p7/12/3R8/12/12/12/11K w - 0 1", "d5"),
            named(&[
                ("a5", params::CHECK),
                ("b5", danger),
                ("f5", attack),
                ("j5", danger),
                ("d6", danger),
                ("d7", danger),
                ("d9", attack),
                ("d11", danger),
                ("d12", params::CHECK),
            ])
        );
    }

    #[test]
    fn a_square_where_a_pawn_is_taken_for_nothing_counts_against_it() {
        // The rook on h9 attacks the pawn where it stands and the square ahead.
        let loose = -params::LOOSE * worth("pawn");
        assert_eq!(
            judged("k11/12/12/7r4/12/12/7P4/12/12/12/12/11K w - 0 1", "h6"),
            named(&[("h7", params::DANGER * worth("pawn") + loose)])
        );
    }

    #[test]
    fn a_man_that_a_cheaper_one_attacks_had_better_go() {
        let moves = judged("k11/12/12/12/12/12/2p9/3R8/12/12/12/11K w - 0 1", "d5");
        let leave = params::DANGER * worth("rook");
        assert!(moves.contains(&("d1".to_owned(), leave)), "{moves:?}");
        // On b5 it would be attacked as well.
        assert!(moves.iter().all(|(to, sum)| to != "b5" && *sum >= leave), "{moves:?}");
    }
}
