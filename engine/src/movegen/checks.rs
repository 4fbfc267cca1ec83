use super::attacks::attackers;
use crate::board::Board;
use crate::rules::Tables;
use crate::types::{Bitboard, Color, SQUARES};

/// The checks and pins of one position, to be kept while moves are tried on its board.
#[derive(Clone, Debug)]
pub struct Checks {
    pub(super) checkers: Bitboard,
    /// Where other men than the royal may end, as far as checks go.
    pub(super) evasions: Bitboard,
    pub(super) pinned: Bitboard,
    /// The enemies that pin them.
    pub(super) pinners: Bitboard,
    /// The kinds of enemy, as bits, that may attack the royal piece or a square it might go to.
    pub(super) near: u32,
    pub(super) test_each: bool,
}

impl Checks {
    /// Those of the side to move.
    #[inline(always)]
    pub(super) fn of(tables: &Tables, board: &Board) -> Checks {
        let us = board.side();
        let mut checks = Checks {
            checkers: Bitboard::EMPTY,
            evasions: tables.board,
            pinned: Bitboard::EMPTY,
            pinners: Bitboard::EMPTY,
            near: 0,
            test_each: false,
        };
        let (sets, threats) = (board.sets(!us), tables.threats(!us, board.royal(us)));
        // All are tested before any is looked at: mostly there are few, and which they are no processor can guess.
        for (kind, (men, threat)) in sets.iter().zip(threats).enumerate() {
            checks.near |= u32::from(men.meets(threat.zone)) << kind;
        }
        let occupied = board.occupied();
        if tables.any_multipath
            && board.kinds().any(|k| tables.mover(k, !us).multipath && board.pieces(!us, k).any())
        {
            checks.test_each = true;
            checks.checkers = attackers(tables, board, board.royal(us), !us, occupied);
        } else {
            for kind in bits(checks.near) {
                checks.find(tables, board, us, kind, occupied);
            }
        }
        checks
    }

    /// Sorts the men of one kind that reach the king's square on an empty board into checkers, pinners and others.
    #[inline]
    fn find(&mut self, tables: &Tables, board: &Board, us: Color, kind: usize, occupied: Bitboard) {
        let king = board.royal(us);
        let ours = board.men(us);
        let reaching = board.sets(!us)[kind] & tables.threats(!us, king)[kind].reach;
        let mover = &tables.kinds[kind].movers[(!us).index()];
        let Some(between) = &mover.between else {
            for from in reaching {
                self.checkers.insert(from);
                self.evasions &= Bitboard::of(from);
            }
            return;
        };
        let row = &between[king.index() * SQUARES..][..SQUARES];
        for from in reaching {
            let path = row[from.index()];
            let blockers = path & occupied;
            if blockers.is_empty() {
                self.checkers |= Bitboard::of(from);
                self.evasions &= path.with(from);
            } else if blockers.is_single() && (blockers & ours).any() {
                self.pinned |= blockers;
                self.pinners |= Bitboard::of(from);
            }
        }
    }
}

/// The bits that are set, from the lowest up.
#[inline]
pub(super) fn bits(mut set: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = set.trailing_zeros() as usize;
        set &= set.wrapping_sub(1);
        (bit < 32).then_some(bit)
    })
}
