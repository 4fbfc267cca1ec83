//! Samples from games written down by hand.

use acedrex_engine::cli::load_reading;
use acedrex_engine::eval::Weights;
use acedrex_engine::rules::Reading;
use acedrex_engine::types::Square;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::selfplay::{Ply, play_in_memory};

/// White: king l1, rook a1, pawn i11. Black: king a12, pawn a4.
const START: &str = "k11/8P3/12/12/12/12/12/12/p11/12/12/R10K w - 0 1";

/// A game from [`START`] of moves with their scores for White.
fn game(reading: &Arc<Reading>, moves: &[(&str, Option<i16>)], opening: u16, result: GameResult) -> Record {
    let mut position = Position::from_fen(reading, START).unwrap();
    let ply = |&(text, score_white_cp): &(&str, Option<i16>)| {
        let mv = position.parse_move(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        position.play(mv);
        Ply { mv, score_white_cp, die: None }
    };
    Record {
        stream: 0,
        game: 0,
        start: Some(START.to_owned()),
        opening_plies: opening,
        openings_tried: 1,
        plies: moves.iter().map(ply).collect(),
        result,
        end: End::PlyCap,
        final_hash: [0; 8],
    }
}

fn sample(reading: &Arc<Reading>, records: &[Record]) -> Sample {
    Sample::collect("hand", reading, records, false, None).unwrap()
}

#[test]
fn quiet_positions_are_neither_checks_nor_captures_promotions_openings_nor_forced_ends() {
    let reading = load_reading("cazaux-musser").unwrap();
    let line = [
        ("a1a2", None),            // of the opening
        ("a12b12", Some(20)),      // quiet
        ("a2b2", Some(20)),        // quiet: it gives check, but is in none
        ("b12c12", Some(20)),      // in check
        ("i11i12", Some(20)),      // promotes
        ("c12c11", Some(31_900)),  // mate announced
        ("b2b3", Some(-31_900)),   // the other side's
        ("a4b3", Some(20)),        // captures
        ("l1l2", None),            // not searched
        ("c11b11", Some(-31_700)), // quiet: a large score, but no announced mate
    ];
    let line = line.map(|(mv, score)| (mv.trim(), score));
    let full = sample(&reading, &[game(&reading, &line, 1, GameResult::Draw)]);
    let [game_] = &full.games[..] else { panic!() };
    assert_eq!((game_.plies, game_.choices, game_.captures, game_.promotions), (10, 9, 1, 1));
    let sides: Vec<i8> = game_.quiet.iter().map(|quiet| quiet.side).collect();
    assert_eq!(sides, [-1, 1, -1]);
    let pawn = reading.rules.kinds.iter().position(|kind| kind.pawn).unwrap();
    let pawns: Vec<i8> = game_.quiet.iter().map(|quiet| quiet.material[pawn]).collect();
    assert_eq!(pawns, [0, 0, -1]);

    let unfinished = sample(&reading, &[game(&reading, &line, 1, GameResult::Unfinished)]);
    assert!(unfinished.games[0].quiet.is_empty() && unfinished.games[0].captures == 1);
    assert!(matches!(unfinished.design(), Err(TuneError::NoPositions)));
}

#[test]
fn a_won_game_with_dice_is_no_quiet_position() {
    let reading = load_reading("cazaux-musser").unwrap();
    let with_die = |score| {
        let mut record = game(&reading, &[("a1a2", Some(score))], 0, GameResult::WhiteWins);
        record.plies[0].die = Some(5);
        sample(&reading, &[record]).games[0].quiet.len()
    };
    assert_eq!((with_die(4_999), with_die(5_000), with_die(-5_000)), (1, 0, 0));
    let without = game(&reading, &[("a1a2", Some(5_000))], 0, GameResult::WhiteWins);
    assert_eq!(sample(&reading, &[without]).games[0].quiet.len(), 1);
}

#[test]
fn moved_and_unmoved_unicorns_are_one_kind() {
    let reading = load_reading("murray").unwrap();
    let mut position = Position::start(&reading);
    let plies = ["c1d3", "a9a8", "a4a5", "a8a7"].map(|text| {
        let mv = position.parse_move(text).unwrap();
        position.play(mv);
        Ply { mv, score_white_cp: Some(0), die: None }
    });
    let kinds = position.board().kinds().count();
    assert!(kinds > reading.rules.kinds.len(), "the board knows unmoved unicorns as a kind of their own");
    let record = Record {
        stream: 0,
        game: 0,
        start: None,
        opening_plies: 0,
        openings_tried: 1,
        plies: plies.to_vec(),
        result: GameResult::Draw,
        end: End::AdjudicatedKings,
        final_hash: [0; 8],
    };
    let sample = sample(&reading, &[record]);
    assert_eq!(sample.kinds().iter().filter(|kind| **kind == "rhinoceros").count(), 1);
    assert_eq!(sample.games[0].quiet.len(), 4);
    assert!(sample.games[0].quiet.iter().all(|quiet| quiet.material.iter().all(|&n| n == 0)));
    let design = sample.design().unwrap();
    assert_eq!(design.columns().len(), 1 + sample.kinds().len());

    // Black without his unicorns, White with one moved and one not: two up.
    let fen = "rl1gckacg1lr/12/12/pppppppppppp/12/12/12/12/PPPPPPPPPPPP/3U8/12/RL1GCKACGULR w j1 0 1";
    let quiet = Quiet::of(&Position::from_fen(&reading, fen).unwrap(), None);
    let rhinoceros = reading.rules.kinds.iter().position(|kind| kind.key == "rhinoceros").unwrap();
    assert_eq!(quiet.material[rhinoceros], 2);
}

#[test]
fn coefficients_times_weights_is_the_evaluation_up_to_rounding() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    for id in ["murray", "cazaux-musser", "shatranj"] {
        let reading = load_reading(id).unwrap();
        let mut weights = Weights::from_mobility(&reading);
        for index in 0..weights.features().len() {
            let mut draw = || f64::from(rng.random_range(-90..=90));
            weights.set_at(index, [draw(), draw()]);
        }
        let evaluator = Evaluator::new(&reading, &weights);
        let config = Config { games: 12, nodes: 10, max_plies: 120, ..Config::default() };
        let (records, _) = play_in_memory(&reading, &evaluator, &config, 1).unwrap();
        let mut compared = 0;
        for record in &records {
            let mut replay = record.replay(&reading).unwrap();
            while let Some(step) = replay.next_step().unwrap() {
                let quiet = Quiet::of(step.position, Some(&evaluator));
                let flat: Vec<f64> = weights.values().iter().flatten().copied().collect();
                let score: f64 = quiet
                    .coefficients
                    .iter()
                    .map(|&(index, count)| f64::from(count) * flat[usize::try_from(index).unwrap()])
                    .sum();
                let board = step.position.board();
                let exact = evaluator.evaluate(&reading, board) * board.side().sign();
                assert!((score - f64::from(exact)).abs() <= 1.01, "{score} {exact}: {}", step.position.fen());
                compared += 1;
            }
        }
        assert!(compared > 100, "{compared}");
    }
}

#[test]
fn mirror_images_give_the_same_design() {
    let reading = load_reading("murray").unwrap();
    let mirror = Reading::new(reading.rules.mirrored());
    let evaluator = |reading: &Arc<Reading>| Evaluator::new(reading, &Weights::default_for(reading));
    let config = Config { games: 6, nodes: 20, max_plies: 90, ..Config::default() };
    let (mut records, _) = play_in_memory(&reading, &evaluator(&reading), &config, 1).unwrap();
    for record in &mut records {
        // As if all were finished, so that there is something to compare.
        record.result = GameResult::WhiteWins;
    }
    let files = reading.rules.files;
    let flip = |square: Square| Square::new(files - 1 - square.file(), square.rank());
    let mut images = records.clone();
    for ply in images.iter_mut().flat_map(|record| &mut record.plies) {
        ply.mv = Move::new(flip(ply.mv.from()), flip(ply.mv.to()));
    }
    let collect = |reading: &Arc<Reading>, records: &[Record]| {
        Sample::collect("x", reading, records, false, Some(&evaluator(reading))).unwrap()
    };
    let (a, b) = (collect(&reading, &records), collect(&mirror, &images));
    assert_eq!(a.kinds(), b.kinds());
    assert_eq!(a.design().unwrap().columns(), b.design().unwrap().columns());
    let rows = |sample: &Sample| -> Vec<(usize, i8, Vec<i8>)> {
        let games = sample.games.iter().enumerate();
        games.flat_map(|(i, g)| g.quiet.iter().map(move |q| (i, q.side, q.material.clone()))).collect()
    };
    assert!(rows(&a).len() > 100);
    assert_eq!(rows(&a), rows(&b));
    for (x, y) in a.games.iter().zip(&b.games) {
        assert_eq!((x.legal_moves, x.choices, x.captures), (y.legal_moves, y.choices, y.captures));
        for (x, y) in x.quiet.iter().zip(&y.quiet) {
            assert_eq!(x.coefficients, y.coefficients);
        }
    }
    assert!(same_game(&reading, &mirror) && same_game(&mirror, &reading));
    assert!(!same_game(&reading, &load_reading("ludii").unwrap()));
}

#[test]
fn games_that_would_count_twice_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let reading = load_reading("shatranj").unwrap();
    let evaluator = Evaluator::new(&reading, &Weights::default_for(&reading));
    let file = |name: &str, first_game, games, seed| {
        let path = directory.path().join(name);
        let config = Config { games, first_game, nodes: 5, max_plies: 12, seed, ..Config::default() };
        crate::dataset::play_to_file(&reading, &evaluator, "w", &config, 1, &path, &mut |_| {}).unwrap();
        path
    };
    let (a, b, c, d) = (file("a", 0, 4, 1), file("b", 3, 2, 1), file("c", 4, 2, 1), file("d", 0, 4, 2));
    let read = |files: &[&PathBuf]| Sample::read("x", &reading, files, None).map(|sample| sample.games.len());
    assert_eq!(read(&[&a, &c, &d]).unwrap(), 10);
    for pair in [[&a, &a], [&a, &b], [&b, &c]] {
        let text = read(&pair).unwrap_err().to_string();
        assert!(text.contains("count twice"), "{text}");
    }
}

#[test]
fn samples_are_played_alike_only_if_they_end_and_draw_moves_alike() {
    use crate::selfplay::OpeningConfig;
    let base = Config::default();
    let softmax = |lines| Some(Softmax { temperature_cp: 50, plies: 8, lines });
    let balanced = |margin_cp, check_nodes| OpeningConfig {
        kind: OpeningKind::Balanced,
        margin_cp,
        check_nodes,
        ..OpeningConfig::default()
    };
    let configs = [
        base.clone(),
        Config { adjudication: Some(Adjudication { score_cp: 900, plies: 6 }), ..base.clone() },
        Config { adjudication: Some(Adjudication { score_cp: 900, plies: 8 }), ..base.clone() },
        Config { resignation: Some(Resignation { score_cp: 900, moves: 6 }), ..base.clone() },
        Config { draw: Some(DrawRule { score_cp: 9, plies: 6, from_ply: 80 }), ..base.clone() },
        Config { draw: Some(DrawRule { score_cp: 9, plies: 6, from_ply: 90 }), ..base.clone() },
        Config { max_plies: 300, ..base.clone() },
        Config { kings_draw: false, ..base.clone() },
        Config { softmax: softmax(4), ..base.clone() },
        Config { softmax: softmax(5), ..base.clone() },
        Config { opening: balanced(60, 1_000), ..base.clone() },
        Config { opening: balanced(50, 1_000), ..base.clone() },
        Config { opening: balanced(60, 2_000), ..base },
    ];
    let all: HashSet<String> = configs.iter().map(|config| conditions(Some(config))).collect();
    assert_eq!(all.len(), configs.len(), "{all:?}");
    // The number of games, their seed and a margin that nothing is measured by make no difference.
    let opening = OpeningConfig { margin_cp: 50, ..OpeningConfig::default() };
    let same = Config { games: 7, first_game: 3, seed: 5, opening, ..Config::default() };
    assert_eq!(conditions(Some(&same)), conditions(Some(&Config::default())));
}
