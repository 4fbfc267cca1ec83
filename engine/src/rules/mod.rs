//! In: the vocabulary and the text of ruleset files. Out: a checked [`Ruleset`].

mod betza;
mod model;
mod tables;

pub use betza::{Atom, Betza, BetzaError, Motion, Ride, UNLIMITED};
pub use model::{
    BareKing, Confidence, DiceRule, EndRules, KindDef, LeapRule, NoMove, Ruleset, Source, Stalemate,
};
pub use tables::{KindTable, Mover, Moves, Path, PerSquare, Reading, Slides, Tables, family};
