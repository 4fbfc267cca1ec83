use acedrex_engine::board::Board;
use acedrex_engine::game::Position;
use acedrex_engine::movegen::MoveGen;
use acedrex_engine::movegen::reference::Slow;
use acedrex_engine::rules::Reading;
use acedrex_engine::types::{Move, Square};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::common::{amount, random_game, random_reading, readings, scattered};
use rand::RngExt;

/// Moves, check, hash and make/unmake of one position against the slow generator and against themselves.
fn agree(position: &Position) {
    let reading: &Reading = position.reading();
    let (tables, board) = (&reading.tables, position.board());
    let slow = Slow::new(&reading.rules, tables, board);
    let generator = MoveGen::new(tables, board);
    let mut moves = generator.moves();
    moves.sort();
    let told = || format!("{} {}", reading.rules.explain(), position.fen());
    assert_eq!(moves, slow.legal_moves(), "{}", told());
    assert_eq!(generator.in_check(), slow.in_check(), "{}", told());
    assert_eq!(generator.count(), u64::try_from(moves.len()).unwrap());
    assert_eq!(generator.any(), !moves.is_empty());
    assert_eq!(board.hash(), board.hash_from_scratch());
    assert_eq!(&Position::from_fen(position.reading(), &position.fen()).unwrap().fen(), &position.fen());
    for &mv in &moves {
        let mut after: Board = board.clone();
        let undo = after.make(tables, mv);
        assert_eq!(after.hash(), after.hash_from_scratch(), "{} {mv}", told());
        let text = position.format_move(mv);
        assert_eq!(position.parse_move(&text), Ok(mv), "{} {text}", told());
        after.unmake(tables, mv, undo);
        assert_eq!(&after, board, "{} {mv}", told());
    }
}

/// `is_legal` over all pairs of squares names exactly the generated moves.
fn legality_agrees(position: &Position) {
    let generator = position.generator();
    let squares: Vec<Square> = position.reading().tables.board.into_iter().collect();
    let pairs = squares.iter().flat_map(|&from| squares.iter().map(move |&to| Move::new(from, to)));
    let mut legal: Vec<Move> = pairs.filter(|&mv| generator.is_legal(mv)).collect();
    let mut moves = generator.moves();
    legal.sort();
    moves.sort();
    assert_eq!(legal, moves, "{}", position.fen());
}

#[test]
fn fast_and_slow_generators_agree_in_every_reading() {
    let mut rng = ChaCha8Rng::seed_from_u64(1283);
    let readings = readings();
    let each = amount("ACEDREX_REFERENCE", 2_400) / 2 / readings.len();
    for reading in &readings {
        for i in 0..each {
            let position = if i % 2 == 0 {
                let plies = rng.random_range(0..160);
                random_game(reading, plies, &mut rng)
            } else {
                scattered(reading, &mut rng)
            };
            agree(&position);
            if i % 16 == 0 {
                legality_agrees(&position);
            }
        }
    }
}

#[test]
fn fast_and_slow_generators_agree_in_rulesets_made_up_at_random() {
    let mut rng = ChaCha8Rng::seed_from_u64(81);
    let rulesets = amount("ACEDREX_REFERENCE", 2_400) / 2 / 16;
    let mut multipath = 0;
    for _ in 0..rulesets {
        let reading = random_reading(&mut rng);
        multipath += usize::from(reading.tables.any_multipath);
        for i in 0..16 {
            let position = if i % 4 == 0 {
                let plies = rng.random_range(0..60);
                random_game(&reading, plies, &mut rng)
            } else {
                scattered(&reading, &mut rng)
            };
            agree(&position);
        }
    }
    assert!(
        multipath * 10 > rulesets,
        "too few of {rulesets} rulesets have pieces with several paths: {multipath}"
    );
}
