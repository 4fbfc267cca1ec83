use acedrex_engine::eval::{Evaluator, Weights};
use acedrex_engine::game::Position;
use acedrex_engine::search::{DICE_WIN, Limits, Search, SearchResult, search_dice};
use acedrex_engine::types::{MATE, mate_in_plies};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::common::{data, random_reading, reading, readings, scattered};

fn search(id: &str, fen: &str, limits: Limits) -> SearchResult {
    let reading = reading(id);
    let position = Position::from_fen(&reading, fen).unwrap();
    let evaluator = Evaluator::new(&reading, &Weights::from_mobility(&reading));
    Search::new(4).run(&position, &evaluator, &limits, |_| {})
}

fn depth(depth: u32) -> Limits {
    Limits::depth(depth)
}

fn nodes(nodes: u64) -> Limits {
    Limits::nodes(nodes)
}

#[test]
fn mates_and_other_forced_ends_are_found() {
    // (reading, position, best move, plies to the end)
    let cases = [
        ("murray", "k11/12/12/11p/12/12/2R9/1R10/12/12/12/11K w - 0 1", "c6a6", 1),
        ("cazaux-musser", "11k/12/12/12/12/12/12/12/12/R11/1R10/11K w - 0 1", "a3a11", 3),
        // Taking the last man bares the king, which wins where the rule says so.
        ("wikipedia-2023", "12/12/12/12/12/4R7/4p7/4k7/12/12/12/11K w - 0 1", "e7e6", 1),
    ];
    for (id, fen, best, plies) in cases {
        let result = search(id, fen, depth(6));
        assert_eq!(mate_in_plies(result.score), Some(plies), "{id} {fen} {result:?}");
        if plies == 1 {
            assert_eq!(result.best.unwrap().to_string(), best, "{id} {fen}");
        }
    }
    assert_eq!(
        search("murray", "k11/12/12/11p/12/12/2R9/1R10/12/12/12/11K w - 0 1", depth(1)).score,
        MATE - 1
    );
}

#[test]
fn a_stalemate_that_draws_is_avoided() {
    let result = search("cazaux-musser", "k11/12/12/12/12/11p/11P/5R6/12/1R10/12/11K w - 0 1", depth(4));
    assert_ne!(result.best.unwrap().to_string(), "f5f11");
    assert!(result.score > 500);
}

/// The files are of `scripts/solve.py find`: of every position a search of a million nodes says that one move wins.
#[test]
fn the_one_winning_move_is_found() {
    let (mut positions, mut missed) = (0, Vec::new());
    for id in ["cazaux-musser", "chess-variant-pages", "codex-literal", "murray"] {
        let path = data(&format!("solve/{id}.epd"));
        for line in std::fs::read_to_string(path).unwrap().lines() {
            let (epd, rest) = line.split_once(" bm ").unwrap();
            let (best, _) = rest.split_once(';').unwrap();
            let result = search(id, epd, nodes(20_000));
            positions += 1;
            if result.best.unwrap().to_string() != best {
                missed.push(line.to_owned());
            }
        }
    }
    assert_eq!(positions, 100);
    assert!(missed.len() <= 5, "{}", missed.join("\n"));
}

#[test]
fn a_leaf_looks_at_quiet_checks() {
    // After the pawn's move the crocodile checks from i9, and takes the rook behind the king.
    let fen = "k11/12/12/12/12/12/5K5c/12/12/2R9/10P1/12 w - 0 1";
    let pawn = Position::from_fen(&reading("cazaux-musser"), fen).unwrap().parse_move("k2k3").unwrap();
    let result = search("cazaux-musser", fen, Limits { moves: vec![pawn], ..depth(1) });
    assert!(result.score < -100, "{result:?}");
}

/// Every capture of every square was searched to its end: depth 1 took minutes.
#[test]
fn a_board_where_everything_takes_everything_is_searched_to_depth_one() {
    for fen in [
        "aaaaakaaaaaa/aaaaaaaaaaaa/12/12/12/12/12/12/12/12/AAAAAAAAAAAA/AAAAAKAAAAAA w - 0 1",
        "krrrrrrrrrrr/uuuuuuuuuuuu/12/12/12/12/12/12/12/12/UUUUUUUUUUUU/KRRRRRRRRRRR w - 0 1",
        "kaaaaaaaaaaa/aaaaaaaaaaaa/uuuuuuuuuuuu/rrrrrrrrrrrr/12/12/12/12/RRRRRRRRRRRR/UUUUUUUUUUUU/AAAAAAAAAAAA/KAAAAAAAAAAA w - 0 1",
    ] {
        let result = search("cazaux-musser", fen, Limits { depth: Some(1), ..nodes(1_000_000) });
        assert!(result.depth == 1 && result.nodes < 1_000_000, "{fen} {result:?}");
    }
}

#[test]
fn no_legal_move_means_no_best_move() {
    let result = search("murray", "k10R/ll10/12/12/12/12/12/12/12/12/12/K11 b - 0 1", nodes(1_000));
    assert_eq!((result.best, result.nodes), (None, 0));
}

#[test]
fn fixed_nodes_are_kept_and_give_the_same_again() {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    for reading in readings() {
        let evaluator = Evaluator::new(&reading, &Weights::from_mobility(&reading));
        let mut search = Search::new(2);
        for _ in 0..3 {
            let position = scattered(&reading, &mut rng);
            for most in [1, 2, 57, 3_000] {
                search.clear();
                let first = search.run(&position, &evaluator, &nodes(most), |_| {});
                assert!(first.nodes <= most);
                let legal = position.legal_moves();
                assert_eq!(first.best.is_none(), legal.is_empty());
                assert!(first.best.is_none_or(|best| legal.contains(&best)), "{}", position.fen());
                search.clear();
                assert_eq!(search.run(&position, &evaluator, &nodes(most), |_| {}), first);
            }
        }
    }
}

#[test]
fn made_up_rulesets_and_crowded_boards_are_searched_without_a_slip() {
    let mut rng = ChaCha8Rng::seed_from_u64(10);
    for _ in 0..40 {
        let reading = random_reading(&mut rng);
        let evaluator = Evaluator::new(&reading, &Weights::from_mobility(&reading));
        let position = scattered(&reading, &mut rng);
        let result = Search::new(1).run(&position, &evaluator, &nodes(2_000), |_| {});
        let mut line = position.clone();
        for &mv in &result.pv {
            assert!(line.generator().is_legal(mv), "{} {:?}", position.fen(), result.pv);
            line.play(mv);
        }
    }
}

#[test]
fn the_third_occurrence_is_seen_as_a_draw() {
    // White, a rook down, can hold by shuffling only because the position repeats.
    let reading = reading("cazaux-musser");
    let evaluator = Evaluator::new(&reading, &Weights::from_mobility(&reading));
    let mut position =
        Position::from_fen(&reading, "k11/12/12/12/12/12/12/2R9/12/12/12/11K w - 0 1").unwrap();
    for text in ["c5c6", "a12b12", "c6c5", "b12a12", "c5c6", "a12b12", "c6c5"] {
        let mv = position.parse_move(text).unwrap();
        position.play(mv);
    }
    let result = Search::new(1).run(&position, &evaluator, &depth(3), |_| {});
    assert_eq!(result.score, 0, "Black repeats: {result:?}");
}

/// A plain expectimax without bounds, to hold the pruned one against.
fn expectimax(position: &Position, evaluator: &Evaluator, depth: u32, ply: i32) -> i32 {
    use acedrex_engine::game::Outcome;
    match position.outcome() {
        Outcome::Win(winner, _) if winner == position.board().side() => return DICE_WIN - ply,
        Outcome::Win(..) => return ply - DICE_WIN,
        Outcome::Draw(_) => return 0,
        Outcome::Ongoing => {}
    }
    if depth == 0 {
        let most = DICE_WIN - 100;
        return evaluator.evaluate(position.reading(), position.board()).clamp(-most, most);
    }
    let faces: Vec<Vec<_>> = (1..=8).map(|die| position.dice_moves(die)).filter(|m| !m.is_empty()).collect();
    let best = |moves: &Vec<acedrex_engine::types::Move>| {
        let after = |&mv: &acedrex_engine::types::Move| {
            let mut next = position.clone();
            next.play(mv);
            -expectimax(&next, evaluator, depth - 1, ply + 1)
        };
        moves.iter().map(after).max().unwrap()
    };
    faces.iter().map(best).sum::<i32>() / i32::try_from(faces.len()).unwrap()
}

#[test]
fn expectimax_with_bounds_finds_what_it_finds_without() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let reading = reading("murray");
    let evaluator = Evaluator::new(&reading, &Weights::from_mobility(&reading));
    let mut tried = 0;
    while tried < 12 {
        let position = scattered(&reading, &mut rng);
        if position.board().occupied().count() > 30 {
            continue;
        }
        for die in 1..=8 {
            let moves = position.dice_moves(die);
            let result = search_dice(&position, &evaluator, die, &depth(2), |_| {});
            assert_eq!(result.best.is_none(), moves.is_empty());
            let Some(best) = result.best else { continue };
            assert!(moves.contains(&best));
            let plain = moves.iter().map(|&mv| {
                let mut next = position.clone();
                next.play(mv);
                -expectimax(&next, &evaluator, 1, 1)
            });
            assert_eq!(result.score, plain.max().unwrap(), "{} {die}", position.fen());
            tried += 1;
        }
    }
}
