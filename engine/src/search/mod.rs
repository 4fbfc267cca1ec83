//! In: a position, weights and limits. Out: the best move, its score and line.

mod dice;
mod history;
mod limits;
mod negamax;
mod node;
mod params;
mod picker;
mod quiescence;
mod see;
mod tactics;
mod threads;
mod time;
mod tt;
mod worker;

pub use dice::{DICE_WIN, search_dice};
pub use limits::{Control, Info, Limits, SearchResult};
pub use see::see_at_least;
pub use threads::Search;
pub use time::{Budget, TimeLeft, budget, fixed_time};
