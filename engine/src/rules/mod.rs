//! In: the vocabulary and the text of ruleset files. Out: a checked [`Ruleset`].

mod betza;
mod betza_parse;
mod betza_steps;
mod betza_words;
pub(crate) mod builtin;
mod check;
mod check_board;
mod check_pieces;
mod explain;
mod file;
mod fingerprint;
mod model;
mod paths;
mod problem;
mod resolve;
mod schema;
mod slides;
mod tables;

pub use betza::{Atom, Betza, BetzaError, Motion, Ride, UNLIMITED, is_outward};
pub use betza_words::{canonical, describe};
pub use builtin::{BUILTIN, builtin, builtin_text, known_ids};
pub use file::Loader;
pub use fingerprint::{Fingerprint, hex};
pub use model::{
    BareKing, Confidence, DiceRule, EndRules, KindDef, LeapRule, NoMove, Ruleset, Source, Stalemate,
};
pub use problem::{Problem, Problems};
pub use resolve::{ResolveError, is_path, resolve, resolve_file};
pub use tables::{
    After, KindTable, Mover, Moves, Path, PerSquare, Reading, Shape, Slides, Tables, Threat, family,
};

#[cfg(test)]
mod tests;
