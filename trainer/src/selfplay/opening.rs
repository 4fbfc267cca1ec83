use std::sync::Arc;

use acedrex_engine::eval::Evaluator;
use acedrex_engine::game::Position;
use acedrex_engine::rules::Reading;
use acedrex_engine::search::{Limits, Search, search_dice};
use acedrex_engine::types::{Move, Score};
use rand::Rng;

use super::dice::{below, sorted_moves, throw};
use super::{Config, OpeningKind, Ply, Referee};

/// Openings that are drawn for one game before the run gives up.
pub const MAX_TRIES: u16 = 2_000;

/// An opening that was kept.
pub(super) struct Opening {
    pub(super) position: Position,
    pub(super) plies: Vec<Ply>,
    pub(super) tried: u16,
    pub(super) nodes: u64,
}

/// Draws openings until one is kept; `None` if none of [`MAX_TRIES`] is.
pub(super) fn find(
    reading: &Arc<Reading>,
    evaluator: &Evaluator,
    config: &Config,
    search: &mut Search,
    rng: &mut impl Rng,
) -> Option<Opening> {
    let mut nodes = 0;
    for tried in 1..=MAX_TRIES {
        let Some((position, plies)) = draw(reading, config, rng) else { continue };
        if config.opening.kind == OpeningKind::Balanced {
            let (score, used) = score(&position, evaluator, config, search);
            nodes += used;
            let within = |score: Score| score.unsigned_abs() <= u32::from(config.opening.margin_cp);
            if !score.is_some_and(within) {
                continue;
            }
        }
        return Some(Opening { position, plies, tried, nodes });
    }
    None
}

/// Random plies from the array; `None` if the game ends with them.
fn draw(reading: &Arc<Reading>, config: &Config, rng: &mut impl Rng) -> Option<(Position, Vec<Ply>)> {
    let mut position = Position::start(reading);
    let mut referee = Referee::new(config);
    let mut plies = Vec::with_capacity(config.opening.plies.into());
    if position.legal_moves().is_empty() {
        return None;
    }
    for _ in 0..config.opening.plies {
        let (die, moves) = if config.dice {
            let (die, moves) = throw(rng, &position);
            (Some(die), moves)
        } else {
            (None, sorted_moves(&position))
        };
        let count = u32::try_from(moves.len()).unwrap_or(u32::MAX);
        let mv = if moves.is_empty() { Move::NONE } else { moves[below(rng, count) as usize] };
        position.play(mv);
        plies.push(Ply { mv, score_white_cp: None, die });
        if referee.after(&position, None).is_some() {
            return None;
        }
    }
    Some((position, plies))
}

/// The score of an opening for the side to move, and the nodes it took; no score if these were too few to look at
/// every move. With dice: the mean over the faces that call something that can move, each with its share of the nodes.
fn score(
    position: &Position,
    evaluator: &Evaluator,
    config: &Config,
    search: &mut Search,
) -> (Option<Score>, u64) {
    let nodes = config.opening.check_nodes;
    if !config.dice {
        search.clear();
        let limits = Limits::nodes(nodes);
        let result = search.run(position, evaluator, &limits, |_| {});
        return ((result.depth > 0).then_some(result.score), result.nodes);
    }
    let limits = Limits::nodes((nodes / 8).max(1));
    let results = (1..=8).map(|die| search_dice(position, evaluator, die, &limits, |_| {}));
    let (mut sum, mut faces, mut used, mut judged) = (0, 0, 0, true);
    for result in results.filter(|result| result.best.is_some()) {
        sum += result.score;
        faces += 1;
        used += result.nodes;
        judged &= result.depth > 0;
    }
    ((judged && faces > 0).then_some(sum / faces.max(1)), used)
}
