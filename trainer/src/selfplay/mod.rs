//! In: a reading, weights and a configuration. Out: games, the same ones on any machine with any number of threads.

mod adjudicate;
mod book;
mod config;
mod cuts;
mod dice;
mod game;
mod opening;
mod record;
mod replay;
mod schedule;
mod shard;
mod softmax;

pub use adjudicate::{Referee, Verdict, only_kings};
pub use book::{Book, BookError};
pub use config::{
    Adjudication, Config, ConfigError, DrawRule, OpeningConfig, OpeningKind, Resignation, Softmax, Start,
};
pub use cuts::{Cut, Cuts};
pub(crate) use dice::below;
pub use dice::{may_pass, needs_pips};
pub use game::{Played, play_game};
pub use opening::{MAX_TRIES, expect_opening};
pub use record::{Counts, End, GameResult, Ply, Record, final_hash};
pub use replay::{Replay, ReplayError, Step};
pub use schedule::{SelfplayError, Summary, play_all, play_as_they_come, play_in_memory, weights_id};
pub use shard::{Shard, Whole};

#[cfg(test)]
mod tests;
