//! Matches between two engines. In: a reading, two engines and limits. Out: games, and how sure it is who is stronger.

mod cecp;
pub mod elo;
pub mod journal;
mod kept;
mod limit;
mod pair;
pub mod pentanomial;
mod pgn;
mod player;
mod process;
mod schedule;
mod spec;
pub mod sprt;
mod summary;
mod uci;

pub use elo::{Figure, Strength};
pub use journal::{Journal, JournalError};
pub use limit::Limit;
pub use pair::{ArenaGame, ArenaPly, Ending, MARGIN_MS, Pair, Terms};
pub use pentanomial::Pentanomial;
pub use pgn::pgn;
pub use player::{Answer, Choice, Failure, Fault, Loaded, Player, Turn};
pub use schedule::{ArenaError, Sink, play_match};
pub use spec::{EngineSpec, Launch, Protocol};
pub use sprt::{EloModel, Sprt, SprtVerdict};
pub use summary::{Faults, MatchSummary, Participant, SprtStatus};
