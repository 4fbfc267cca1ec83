use std::fmt;
use std::str::FromStr;

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

impl Betza {
    /// Reads a movement.
    ///
    /// The subset: atoms `W F D N A H C/L Z/J G K R B Q (m,n)`, a doubled letter for a rider (`NN`), a range after an
    /// atom (`W3`), modifiers `m c f b l r v s i n` in any order before it, and `t[XY]`. Directions are those of the side
    /// that moves. On orthogonal atoms they add up (`fsW` has three steps); on diagonal ones the vertical and the
    /// horizontal letters restrict each other (`flF` has one step). On oblique atoms one letter is a half plane, a doubled
    /// one the two leaps mainly that way (`ffN`), `v` the leaps longer in y and `s` those longer in x, and letters of
    /// these three groups restrict each other (`fsN` has two steps). `K` and `Q` follow both rules, each in its half.
    ///
    /// # Errors
    /// The first thing in `text` that does not fit, with its column.
    pub fn parse(text: &str) -> Result<Betza, BetzaError> {
        super::betza_parse::parse(text)
    }

    /// The movement seen in a mirror: left and right change places.
    #[must_use]
    pub fn mirrored(&self) -> Betza {
        let text = self.text.chars().map(|c| match c {
            'l' => 'r',
            'r' => 'l',
            other => other,
        });
        Betza { text: text.collect(), atoms: self.atoms.iter().map(Atom::mirrored).collect() }
    }
}

impl FromStr for Betza {
    type Err = BetzaError;

    fn from_str(text: &str) -> Result<Betza, BetzaError> {
        Betza::parse(text)
    }
}

impl fmt::Display for Betza {
    /// The text it was read from.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Atom {
    fn mirrored(&self) -> Atom {
        let motion = match &self.motion {
            Motion::Ride(ride) => Motion::Ride(ride.mirrored()),
            Motion::Lame(steps) => Motion::Lame(mirrored(steps)),
            Motion::Then(first, second) => Motion::Then(first.mirrored(), second.mirrored()),
        };
        Atom { motion, ..*self }
    }
}

impl Ride {
    fn mirrored(&self) -> Ride {
        Ride { steps: mirrored(&self.steps), max: self.max }
    }
}

fn mirrored(steps: &[(i8, i8)]) -> Vec<(i8, i8)> {
    let mut steps: Vec<_> = steps.iter().map(|&(dx, dy)| (-dx, dy)).collect();
    steps.sort_unstable();
    steps
}

/// True if a step in direction `on` leads outward after `step`: no component turns back, and some component goes on.
/// This is what `t[XY]` means by "then".
#[must_use]
pub const fn is_outward(step: (i8, i8), on: (i8, i8)) -> bool {
    let (x, y) = (step.0 as i32 * on.0 as i32, step.1 as i32 * on.1 as i32);
    x >= 0 && y >= 0 && x + y > 0
}
