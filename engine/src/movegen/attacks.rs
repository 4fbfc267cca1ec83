use super::lines;
use crate::board::Board;
use crate::rules::{Mover, Moves, Shape, Tables, family};
use crate::types::{Bitboard, Color, SQUARES, Square};

/// Where a piece on `from` may go in one mode: up to and with the first occupied square of each path, whoever
/// stands there. May hold squares outside a board smaller than 12 x 12.
#[inline]
#[must_use]
pub fn targets(moves: &Moves, from: Square, occupied: Bitboard) -> Bitboard {
    match moves.shape {
        Shape::None => Bitboard::EMPTY,
        Shape::Leaps => moves.leaps(from),
        Shape::Orthogonal => lines::orthogonal(from, occupied),
        Shape::Diagonal => lines::diagonal(from, occupied),
        Shape::Aanca => lines::aanca(from, occupied),
        Shape::Rhino => lines::rhino(from, occupied),
        Shape::Mixed => mixed(moves, from, occupied),
    }
}

#[inline(never)]
fn mixed(moves: &Moves, from: Square, occupied: Bitboard) -> Bitboard {
    let mut to = moves.leaps(from);
    let slides = moves.slides;
    if slides.all != 0 {
        to |= slide(slides.all, from, occupied);
    }
    if slides.up != 0 {
        to |= slide(slides.up, from, occupied) & lines::above(from.rank());
    }
    if slides.down != 0 {
        to |= slide(slides.down, from, occupied) & lines::below(from.rank());
    }
    if let Some(paths) = &moves.paths {
        for path in &paths[from.index()] {
            for &(square, stop) in &path.squares {
                if stop {
                    to.insert(square);
                }
                if occupied.has(square) {
                    break;
                }
            }
        }
    }
    to
}

fn slide(families: u8, from: Square, occupied: Bitboard) -> Bitboard {
    let mut to = Bitboard::EMPTY;
    if families & family::ORTHOGONAL != 0 {
        to |= lines::orthogonal(from, occupied);
    }
    if families & family::DIAGONAL != 0 {
        to |= lines::diagonal(from, occupied);
    }
    if families & family::AANCA != 0 {
        to |= lines::aanca(from, occupied);
    }
    if families & family::RHINO != 0 {
        to |= lines::rhino(from, occupied);
    }
    to
}

impl Mover {
    /// Where the piece on `from` may go: `enemy` squares by capture, others of `allowed` without one.
    #[inline(always)]
    #[must_use]
    pub fn destinations(
        &self,
        from: Square,
        occupied: Bitboard,
        enemy: Bitboard,
        allowed: Bitboard,
    ) -> Bitboard {
        if self.uniform {
            targets(&self.quiet, from, occupied) & allowed
        } else if self.leaper {
            ((self.capture.leaps(from) & enemy) | (self.quiet.leaps(from) & !enemy)) & allowed
        } else {
            ((targets(&self.capture, from, occupied) & enemy)
                | (targets(&self.quiet, from, occupied) & !enemy))
                & allowed
        }
    }

    /// Those of `candidates` that attack `target`, given the occupied squares.
    #[inline]
    #[must_use]
    pub fn attackers_among(&self, candidates: Bitboard, target: Square, occupied: Bitboard) -> Bitboard {
        let reaching = candidates & self.reach[target.index()];
        let Some(between) = &self.between else { return reaching };
        if reaching.is_empty() {
            return reaching;
        }
        let row = &between[target.index() * SQUARES..][..SQUARES];
        let mut attackers = Bitboard::EMPTY;
        for from in reaching {
            let open = if self.multipath {
                targets(&self.capture, from, occupied).has(target)
            } else {
                (row[from.index()] & occupied).is_empty()
            };
            if open {
                attackers.insert(from);
            }
        }
        attackers
    }
}

/// All men of `by` that attack `target` when the squares of `occupied` are. Men outside `occupied` do not attack.
#[must_use]
pub fn attackers(tables: &Tables, board: &Board, target: Square, by: Color, occupied: Bitboard) -> Bitboard {
    let mut found = Bitboard::EMPTY;
    for kind in board.kinds() {
        let mover = tables.mover(kind, by);
        let candidates = board.pieces(by, kind) & occupied;
        if mover.attacks && candidates.any() {
            found |= mover.attackers_among(candidates, target, occupied);
        }
    }
    found
}

/// True if some man of `by` attacks `target`.
#[inline]
#[must_use]
pub fn is_attacked(tables: &Tables, board: &Board, target: Square, by: Color, occupied: Bitboard) -> bool {
    board.kinds().any(|kind| {
        let mover = tables.mover(kind, by);
        let candidates = board.pieces(by, kind) & occupied;
        mover.attacks && candidates.any() && mover.attackers_among(candidates, target, occupied).any()
    })
}
