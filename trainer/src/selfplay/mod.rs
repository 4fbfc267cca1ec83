//! In: a reading, weights and a configuration. Out: games, the same ones on any machine with any number of threads.

mod adjudicate;
mod config;
mod dice;
mod game;
mod opening;
mod record;
mod replay;
mod schedule;

pub use adjudicate::{Referee, Verdict, only_kings};
pub use config::{Adjudication, Config, ConfigError, OpeningConfig, OpeningKind};
pub(crate) use dice::below;
pub use dice::{may_pass, needs_pips};
pub use game::{Played, play_game};
pub use opening::MAX_TRIES;
pub use record::{Counts, End, GameResult, Ply, Record, final_hash};
pub use replay::{Replay, ReplayError, Step};
pub use schedule::{SelfplayError, Summary, play_all, play_in_memory, weights_id};

#[cfg(test)]
mod tests;
