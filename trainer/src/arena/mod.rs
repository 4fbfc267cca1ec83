//! Matches between two engines. In: a reading, two engines and limits. Out: games, and how sure it is who is stronger.

mod cecp;
pub mod elo;
mod pair;
pub mod pentanomial;
mod pgn;
mod player;
mod process;
mod schedule;
pub mod sprt;
mod summary;
mod uci;

pub use elo::{Figure, Strength};
pub use pair::{ArenaGame, ArenaPly, Ending, MARGIN_MS, Pair, Terms};
pub use pentanomial::Pentanomial;
pub use pgn::pgn;
pub use player::{Choice, EngineSpec, Failure, Fault, Limit, Loaded, Player, Protocol, Turn};
pub use schedule::{ArenaError, play_match};
pub use sprt::{EloModel, Sprt, SprtVerdict};
pub use summary::{Faults, MatchSummary, Participant, SprtStatus};
