use std::fmt;

/// How a piece moves: the union of its atoms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Betza {
    /// The text it was read from.
    pub text: String,
    /// Its parts.
    pub atoms: Vec<Atom>,
}

/// One part of a movement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Atom {
    /// Only while the piece has not moved (`i`).
    pub initial: bool,
    /// May end on an empty square.
    pub quiet: bool,
    /// May end on an enemy, and so attacks.
    pub capture: bool,
    /// Where it goes.
    pub motion: Motion,
}

/// The geometry of an atom. Steps are `(dx, dy)` with `dy > 0` up the board for the side that moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Motion {
    /// A leap or a ride.
    Ride(Ride),
    /// A leap that needs the squares it passes empty (`n`): the squares in line, or for (1,2) the orthogonal neighbour.
    Lame(Vec<(i8, i8)>),
    /// `t[XY]`: X, then, from an empty square, optionally Y going on outward.
    Then(Ride, Ride),
}

/// The same step up to `max` times, every square before the last empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ride {
    /// Distinct steps, sorted.
    pub steps: Vec<(i8, i8)>,
    /// 1 for a leaper, [`UNLIMITED`] for an unlimited rider.
    pub max: u8,
}

/// [`Ride::max`] of a rider that only the edge stops.
pub const UNLIMITED: u8 = u8::MAX;

/// Why a movement string was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BetzaError {
    /// 1-based column in the movement string.
    pub column: usize,
    /// What stands there.
    pub found: String,
    /// What could stand there.
    pub expected: String,
}

impl fmt::Display for BetzaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}: found {}, expected {}", self.column, self.found, self.expected)
    }
}

impl std::error::Error for BetzaError {}
