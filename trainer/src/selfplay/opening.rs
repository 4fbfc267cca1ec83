use std::sync::Arc;

use acedrex_engine::eval::Evaluator;
use acedrex_engine::game::{Outcome, Position};
use acedrex_engine::rules::Reading;
use acedrex_engine::search::{Limits, Search, search_dice};
use acedrex_engine::types::{Color, Move, Score, Square};
use rand::Rng;

use super::dice::{below, sorted_moves, throw};
use super::game::stream;
use super::{Config, OpeningKind, Ply, Record, Referee, ReplayError, Start};

/// Openings that are drawn for one game before the run gives up.
pub const MAX_TRIES: u16 = 2_000;

/// An opening that was kept.
pub(super) struct Opening {
    pub(super) position: Position,
    /// The FEN it begins from, if that is not the array.
    pub(super) start: Option<String>,
    pub(super) plies: Vec<Ply>,
    pub(super) tried: u16,
    pub(super) nodes: u64,
}

/// Openings to draw for one game: where nothing is random one is as good as many.
pub(super) fn tries(config: &Config) -> u16 {
    let random = config.opening.plies > 0 || matches!(config.opening.start, Start::Deletions(_));
    if random { MAX_TRIES } else { 1 }
}

/// Draws openings until one is kept; `None` if none of [`tries`] is.
pub(super) fn find(
    reading: &Arc<Reading>,
    evaluator: &Evaluator,
    config: &Config,
    search: &mut Search,
    rng: &mut impl Rng,
    game: u64,
) -> Option<Opening> {
    let mut nodes = 0;
    for tried in 1..=tries(config) {
        let Some((start, first)) = draw_start(reading, config, rng, game) else { continue };
        let Some((position, plies)) = draw(first, config, rng) else { continue };
        if config.opening.kind == OpeningKind::Balanced {
            let (score, used) = score(&position, evaluator, config, search);
            nodes += used;
            let within = |score: Score| score.unsigned_abs() <= u32::from(config.opening.margin_cp);
            if !score.is_some_and(within) {
                continue;
            }
        }
        return Some(Opening { position, start, plies, tried, nodes });
    }
    None
}

/// Start and random plies of a record must be those that its stream draws. A book that is known by its hash alone allows
/// any start.
///
/// # Errors
/// What the record says, and what the stream draws.
pub fn expect_opening(record: &Record, config: &Config, reading: &Arc<Reading>) -> Result<(), ReplayError> {
    let fault = |ply: usize, found: String, expected: String| {
        Err(ReplayError { game: record.game, ply, found, expected })
    };
    let tried = record.openings_tried;
    if !(1..=MAX_TRIES).contains(&tried) {
        return fault(0, format!("{tried} openings drawn"), format!("1 to {MAX_TRIES}"));
    }
    let mut rng = stream(reading, config.seed, record.game);
    let mut last = None;
    for _ in 0..tried {
        let start = match &config.opening.start {
            Start::Book(book) if book.fen(record.game).is_none() => {
                let first = record.start.as_deref().map(|fen| Position::from_fen(reading, fen).ok());
                first
                    .unwrap_or_else(|| Some(Position::start(reading)))
                    .map(|first| (record.start.clone(), first))
            }
            _ => draw_start(reading, config, &mut rng, record.game),
        };
        last = start.and_then(|(start, first)| Some((start, draw(first, config, &mut rng)?.1)));
    }
    let Some((start, plies)) = last else {
        return fault(
            0,
            format!("opening {tried} of its stream"),
            "an opening after which the game goes on".into(),
        );
    };
    if start != record.start {
        let named = |start: &Option<String>| start.clone().unwrap_or_else(|| "the array".into());
        let found = format!("the start {}", named(&record.start));
        return fault(0, found, format!("{}, which its stream draws", named(&start)));
    }
    for (ply, (drawn, found)) in plies.iter().zip(&record.plies).enumerate() {
        if drawn.mv != found.mv {
            return fault(ply, found.mv.to_string(), format!("{}, which its stream draws", drawn.mv));
        }
        if drawn.die != found.die {
            let named = |die: Option<u8>| die.map_or("no die".to_owned(), |die| format!("die {die}"));
            return fault(ply, named(found.die), format!("{}, which its stream draws", named(drawn.die)));
        }
    }
    Ok(())
}

/// The position before the random plies, and its FEN if it is not the array; `None` if no game can begin there.
fn draw_start(
    reading: &Arc<Reading>,
    config: &Config,
    rng: &mut impl Rng,
    game: u64,
) -> Option<(Option<String>, Position)> {
    let fen = match &config.opening.start {
        Start::Array => return Some((None, Position::start(reading))),
        Start::Deletions(most) => without(reading, &deletions(reading, *most, rng)),
        Start::Book(book) => book.fen(game)?.to_owned(),
    };
    let position = Position::from_fen(reading, &fen).ok()?;
    let start = position.fen();
    Some(((start != Position::start(reading).fen()).then_some(start), position))
}

/// Squares of the array whose men are taken off: of each side 0 to `most`, each number and each man equally likely.
fn deletions(reading: &Reading, most: u8, rng: &mut impl Rng) -> Vec<Square> {
    let rules = &reading.rules;
    let mut squares = Vec::new();
    for color in Color::ALL {
        let men = rules.start.iter().filter(|man| man.1 == color && !rules.kinds[man.2].royal);
        let mut men: Vec<Square> = men.map(|man| man.0).collect();
        // The order of the array's squares, not that of a file.
        men.sort_unstable();
        for _ in 0..below(rng, u32::from(most) + 1) {
            let Some(count) = u32::try_from(men.len()).ok().filter(|&count| count > 0) else { break };
            squares.push(men.remove(below(rng, count) as usize));
        }
    }
    squares
}

/// The FEN of the array without the men on these squares.
fn without(reading: &Arc<Reading>, squares: &[Square]) -> String {
    let fen = Position::start(reading).fen();
    let fields: Vec<&str> = fen.split(' ').collect();
    let [placement, side, rights, ..] = fields[..] else { return fen };
    let mut rows: Vec<String> = Vec::new();
    for (row, rank) in placement.split('/').zip((0..reading.rules.ranks).rev()) {
        let men = expand(row);
        let gone = |file: usize| squares.iter().any(|s| s.rank() == rank && usize::from(s.file()) == file);
        rows.push(compress(men.iter().enumerate().map(|(file, &man)| man.filter(|_| !gone(file)))));
    }
    let mut kept = String::new();
    let mut rest = rights;
    while let Some((square, used)) = Square::parse_prefix(rest) {
        if !squares.contains(&square) {
            kept.push_str(&rest[..used]);
        }
        rest = &rest[used..];
    }
    let rights = if kept.is_empty() { "-" } else { &kept };
    format!("{} {side} {rights} 0 1", rows.join("/"))
}

/// The men of a FEN's row by file.
fn expand(row: &str) -> Vec<Option<char>> {
    let (mut men, mut run) = (Vec::new(), 0);
    for letter in row.chars() {
        if let Some(digit) = letter.to_digit(10) {
            run = run * 10 + digit as usize;
        } else {
            men.resize(men.len() + run, None);
            run = 0;
            men.push(Some(letter));
        }
    }
    men.resize(men.len() + run, None);
    men
}

/// The reverse of [`expand`].
fn compress(men: impl Iterator<Item = Option<char>>) -> String {
    let (mut row, mut run) = (String::new(), 0);
    for man in men {
        let Some(letter) = man else {
            run += 1;
            continue;
        };
        if run > 0 {
            row.push_str(&run.to_string());
        }
        run = 0;
        row.push(letter);
    }
    if run > 0 {
        row.push_str(&run.to_string());
    }
    row
}

/// Random plies from a position; `None` if the game ends with them, or has ended before.
fn draw(mut position: Position, config: &Config, rng: &mut impl Rng) -> Option<(Position, Vec<Ply>)> {
    let mut referee = Referee::new(config);
    let mut plies = Vec::with_capacity(config.opening.plies.into());
    if position.outcome() != Outcome::Ongoing {
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
