use crate::rules::Reading;
use crate::types::{Color, SQUARES};

/// Mean number of squares that a moved piece of this kind (an index into the ruleset's kinds) attacks on an empty
/// board, over all squares it may stand on.
#[must_use]
pub fn empty_mobility(reading: &Reading, kind: usize) -> f64 {
    crowded_mobility(reading, kind, 0.0)
}

/// The same when every other square is occupied with probability `density` (0 to 1): a path over n squares is open
/// with probability `(1 - density)^n`. Of several paths to one square only the shortest counts.
///
/// # Source
/// Ralph Betza, "About the Values of Chess Pieces" (1996): crowded-board mobility.
#[must_use]
pub fn crowded_mobility(reading: &Reading, kind: usize, density: f64) -> f64 {
    let mover = &reading.tables.kinds[kind].movers[Color::White.index()];
    let mut open = [1.0; SQUARES];
    for n in 1..SQUARES {
        open[n] = open[n - 1] * (1.0 - density);
    }
    let mut sum = 0.0;
    for target in reading.tables.board {
        for from in mover.reach[target.index()] {
            let passed =
                mover.between.as_ref().map_or(0, |b| b[target.index() * SQUARES + from.index()].count());
            sum += open[passed as usize];
        }
    }
    sum / f64::from(reading.tables.board.count())
}
