use std::sync::Arc;

use acedrex_engine::eval::Evaluator;
use acedrex_engine::rules::Reading;
use acedrex_engine::search::{Limits, Search, SearchResult, search_dice};
use acedrex_engine::types::Move;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};

use super::dice::throw;
use super::opening::{self, Opening};
use super::{Config, OpeningKind, Ply, Record, Referee, SelfplayError, Start, final_hash, softmax};

/// A game, and what it took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// The game.
    pub record: Record,
    /// Nodes searched, those that judged openings included.
    pub nodes: u64,
}

/// The key of a run's random streams: a seed gives each ruleset streams of its own, so that readings which share one do
/// not play the same games.
fn key(reading: &Reading, seed: u64) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(seed.to_le_bytes());
    hash.update(reading.fingerprint());
    hash.finalize().into()
}

/// The random stream of one game.
pub(super) fn stream(reading: &Reading, seed: u64, game: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::from_seed(key(reading, seed));
    rng.set_stream(game);
    rng
}

/// Plays one game. It depends on the rules, the weights, the configuration (but not its number of games) and the
/// game's number alone: `search` is cleared first, and only its size matters.
///
/// # Errors
/// If no opening could be kept, or the configuration's book is not loaded. The configuration must have passed
/// [`Config::check`].
pub fn play_game(
    reading: &Arc<Reading>,
    evaluator: &Evaluator,
    config: &Config,
    search: &mut Search,
    game: u64,
) -> Result<Played, SelfplayError> {
    let mut rng = stream(reading, config.seed, game);
    let Some(opening) = opening::find(reading, evaluator, config, search, &mut rng, game) else {
        let from = match &config.opening.start {
            Start::Array => "the array".to_owned(),
            Start::Deletions(_) => "randomised arrays".to_owned(),
            Start::Book(book) => format!("the book's position {}", book.fen(game).unwrap_or("(not loaded)")),
        };
        let found = match opening::tries(config) {
            1 => format!("that a game cannot begin from {from}"),
            tries => format!("that none of {tries} random openings from {from} can be kept"),
        };
        let hint = match config.opening.kind {
            _ if matches!(&config.opening.start, Start::Book(book) if book.fen(game).is_none()) => {
                "the book is known by its hash alone: load it".to_owned()
            }
            OpeningKind::Balanced => format!(
                "the margin of {} cp is too narrow, or {} nodes are too few to judge by: raise them, take uniform openings, or \
                 begin from other positions",
                config.opening.margin_cp, config.opening.check_nodes
            ),
            OpeningKind::Uniform => {
                format!("games end within {} random plies: draw fewer", config.opening.plies)
            }
        };
        return Err(SelfplayError::Opening { game, found, hint });
    };
    let Opening { mut position, start, mut plies, tried, mut nodes } = opening;
    let mut referee = Referee::new(config);
    let limits = Limits { soft_nodes: config.soft_nodes, ..Limits::nodes(config.nodes) };
    search.clear();
    let (result, end) = loop {
        let side = position.board().side();
        let (die, found) = if config.dice {
            let (die, moves) = throw(&mut rng, &position);
            let found = (!moves.is_empty()).then(|| search_dice(&position, evaluator, die, &limits, |_| {}));
            (Some(die), found)
        } else {
            let drawn = usize::from(config.opening.plies);
            let found = match config.softmax {
                Some(rule) if plies.len() < drawn + usize::from(rule.plies) => {
                    softmax::search(search, &position, evaluator, &limits, rule, &mut rng)
                }
                _ => search.run(&position, evaluator, &limits, |_| {}),
            };
            (None, Some(found))
        };
        let (mv, score_white_cp) = match found {
            // A pass.
            None => (Move::NONE, None),
            Some(SearchResult { best, score, nodes: used, .. }) => {
                nodes += used;
                let score = (score * side.sign()).clamp(-i32::from(i16::MAX), i16::MAX.into());
                (best.unwrap_or(Move::NONE), i16::try_from(score).ok())
            }
        };
        position.play(mv);
        plies.push(Ply { mv, score_white_cp, die });
        if let Some(verdict) = referee.after(&position, score_white_cp) {
            break verdict;
        }
    };
    let opening_plies = config.opening.plies;
    let record = Record {
        stream: 0,
        game,
        start,
        opening_plies,
        openings_tried: tried,
        plies,
        result,
        end,
        final_hash: final_hash(&position),
    };
    Ok(Played { record, nodes })
}
