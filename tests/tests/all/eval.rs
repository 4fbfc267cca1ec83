use acedrex_engine::eval::{EvalMemory, Evaluator, Feature, Features, Weights};
use acedrex_engine::game::Position;
use acedrex_engine::movegen::attackers;
use acedrex_engine::rules::{Reading, builtin};
use acedrex_engine::types::{Bitboard, Color};
use rand::RngExt;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::common::{random_game, random_reading, reading, readings, scattered};

/// Weights without pattern, so that no term can hide.
fn random_weights(reading: &Reading, rng: &mut ChaCha8Rng) -> Weights {
    let mut weights = Weights::from_mobility(reading);
    for index in 0..weights.features().len() {
        weights.set_at(index, [rng.random_range(-90.0..90.0), rng.random_range(-90.0..90.0)]);
    }
    weights
}

#[test]
fn coefficients_times_weights_is_the_evaluation() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let made_up: Vec<_> = (0..20).map(|_| random_reading(&mut rng)).collect();
    for reading in readings().into_iter().chain(made_up) {
        let evaluator = Evaluator::new(&reading, &random_weights(&reading, &mut rng));
        for i in 0..60 {
            let position = if i % 2 == 0 {
                random_game(&reading, 2 * i, &mut rng)
            } else {
                scattered(&reading, &mut rng)
            };
            let board = position.board();
            let score = evaluator.evaluate(&reading, board) * board.side().sign();
            assert_eq!(evaluator.coefficients(&reading, board).dot(&evaluator), score, "{}", position.fen());
        }
    }
}

#[test]
fn colours_are_worth_the_same() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let mut compared = 0;
    for reading in readings() {
        let evaluator = Evaluator::new(&reading, &random_weights(&reading, &mut rng));
        for _ in 0..20 {
            let position = scattered(&reading, &mut rng);
            let fen = position.epd();
            let fields: Vec<&str> = fen.split(' ').collect();
            let swapped: Vec<String> = fields[0].split('/').rev().map(swap_case).collect();
            let side = if fields[1] == "w" { 'b' } else { 'w' };
            // The array is symmetric, but not every scattered right has a twin: leave all of them out.
            let Ok(plain) = Position::from_fen(&reading, &format!("{} {} -", fields[0], fields[1])) else {
                continue;
            };
            let turned = Position::from_fen(&reading, &format!("{} {side} -", swapped.join("/"))).unwrap();
            compared += 1;
            assert_eq!(
                evaluator.evaluate(&reading, plain.board()),
                evaluator.evaluate(&reading, turned.board()),
                "{fen}"
            );
        }
    }
    assert!(compared > 150, "{compared}");
}

fn swap_case(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_ascii_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() })
        .collect()
}

#[test]
fn start_values_follow_mobility() {
    let reading = Reading::new(builtin("cazaux-musser").unwrap());
    let evaluator = Evaluator::new(&reading, &Weights::from_mobility(&reading));
    let value = |key: &str| {
        let kind = reading.rules.kinds.iter().position(|kind| kind.key == key).unwrap();
        evaluator.piece_values()[kind]
    };
    assert_eq!(value("rook"), 500);
    let order = ["aanca", "rhinoceros", "rook", "lion", "crocodile", "giraffe", "pawn"].map(value);
    assert!(order.windows(2).all(|pair| pair[0] > pair[1]), "{order:?}");
}

#[test]
fn weights_files_read_back_and_refuse_other_rules() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for reading in readings() {
        let weights = random_weights(&reading, &mut rng);
        let text = weights.to_toml(&reading.rules, "made by a test");
        let again = Weights::from_toml(&reading.rules, "w.toml", &text).unwrap();
        for (a, b) in weights.values().iter().zip(again.values()) {
            assert!((a[0] - b[0]).abs() < 1e-4 && (a[1] - b[1]).abs() < 1e-4);
        }
        let refused = |old: &str, new: &str, place: &str| {
            let error =
                Weights::from_toml(&reading.rules, "w.toml", &text.replacen(old, new, 1)).unwrap_err();
            assert!(error.place.contains(place), "{error}");
        };
        // A list must hold numbers alone, and every key must be known.
        refused("tempo = [", "tempo = [\"x\", ", "tempo");
        refused("material = [", "material = [nan, ", "material");
        refused("mobility = [", "mobilty = [1, 2]\nmobility = [", "mobilty");
        let other = builtin(if reading.rules.id == "murray" { "ludii" } else { "murray" }).unwrap();
        let error = Weights::from_toml(&other, "w.toml", &text).unwrap_err().to_string();
        assert!(error.contains("w.toml") && error.contains("fingerprint"), "{error}");
    }
}

#[test]
fn weights_that_ship_are_those_of_the_mobility_formula_or_say_that_they_are_tuned() {
    for reading in readings() {
        let text = Weights::builtin_text(&reading.rules).unwrap();
        if ["cazaux-musser", "shatranj"].contains(&&*reading.rules.id) {
            let about = format!("# Eval weights of {}, tuned by Texel's method", reading.rules.id);
            assert!(text.starts_with(&about), "{text}");
            continue;
        }
        let computed = Weights::from_mobility(&reading).to_toml(&reading.rules, Weights::ABOUT_MOBILITY);
        assert_eq!(text, computed, "{}: print it with acedrex weights --from-mobility", reading.rules.id);
    }
}

/// How often features count for White in a position of the default reading, in the order given.
fn counts(fen: &str, wanted: &[(&str, &dyn Fn(usize) -> Feature)]) -> Vec<i32> {
    let reading = Reading::new(builtin("cazaux-musser").unwrap());
    let weights = Weights::from_mobility(&reading);
    let position = Position::from_fen(&reading, fen).unwrap();
    let counts = Evaluator::new(&reading, &weights).coefficients(&reading, position.board());
    let count = |(key, feature): &(&str, &dyn Fn(usize) -> Feature)| {
        let kind = reading.rules.kinds.iter().position(|kind| kind.key == *key).unwrap();
        let index = weights.features().index(feature(kind));
        counts.nonzero().find(|(i, _)| *i == index).map_or(0, |(_, count)| count)
    };
    wanted.iter().map(count).collect()
}

#[test]
fn pawn_terms_count_what_they_say() {
    // White: a4, b5, a6, h4, h6, k9. Black: i10.
    let fen = "k11/12/8p3/10P1/12/12/P6P4/1P10/P6P4/12/12/K11 w - - 0 1";
    let passed = |rank| move |kind| Feature::Passed(kind, rank);
    let (p3, p5, p8) = (passed(3), passed(5), passed(8));
    let found = counts(
        fen,
        &[
            ("pawn", &|_| Feature::Connected),
            ("pawn", &|_| Feature::Isolated),
            ("pawn", &|_| Feature::Doubled),
            ("rook", &p5),
            ("rook", &p3),
            ("giraffe", &p5),
            ("lion", &p8),
        ],
    );
    // Isolated are h4, h6 and k9, and Black's pawn. The a-file promotes to a rook, but a4 stands behind a6; i10 guards h
    // and j; the k-file promotes to a lion.
    assert_eq!(found, [2, 2, 2, 1, 0, 0, 1], "{fen}");
}

#[test]
fn threats_count_cheaper_attackers_and_the_undefended() {
    // Black's pawn g8 attacks the rook f7; the rook a12 attacks the giraffe a5, defended by b4, and nobody defends l9,
    // which the rook l12 attacks.
    let fen = "r2k7r/12/12/11G/6p5/5R6/12/G11/1P10/12/12/K11 w - - 0 1";
    let found = counts(
        fen,
        &[
            ("rook", &Feature::Threatened),
            ("giraffe", &Feature::Threatened),
            ("giraffe", &Feature::Hanging),
            ("rook", &Feature::Hanging),
        ],
    );
    assert_eq!(found, [1, 0, 1, 0], "{fen}");
}

#[test]
fn men_near_the_enemy_king_are_counted() {
    // The rook f1 looks along the f-file past the king g12 at f11 and f12; the crocodile at a1 sees k11 and l12 alone.
    let fen = "6k5/12/12/12/12/12/12/12/12/12/12/C4R5K w - - 0 1";
    let attackers = |count| move |_| Feature::KingAttackers(count);
    let found = counts(
        fen,
        &[
            ("rook", &Feature::KingAttack),
            ("crocodile", &Feature::KingAttack),
            ("king", &attackers(1)),
            ("king", &attackers(0)),
        ],
    );
    assert_eq!(found, [2, 0, 1, -1], "{fen}");
}

#[test]
fn remembered_evaluations_are_the_same() {
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let made_up: Vec<_> = (0..20).map(|_| random_reading(&mut rng)).collect();
    for reading in readings().into_iter().chain(made_up) {
        let evaluator = Evaluator::new(&reading, &random_weights(&reading, &mut rng));
        let mut memory = EvalMemory::new();
        for i in 0..8 {
            let mut position =
                if i % 4 == 0 { scattered(&reading, &mut rng) } else { Position::start(&reading) };
            for _ in 0..40 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                position.play(moves[rng.random_range(0..moves.len())]);
                let board = position.board();
                let placed = evaluator.placed(board);
                let fresh = evaluator.evaluate(&reading, board);
                assert_eq!(
                    evaluator.evaluate_with(&reading, board, placed, &mut memory),
                    fresh,
                    "{} {}",
                    reading.rules.id,
                    position.fen()
                );
            }
        }
    }
}

#[test]
fn old_weights_files_mean_what_they_meant() {
    let reading = Reading::new(builtin("murray").unwrap());
    let text = Weights::from_mobility(&reading).to_toml(&reading.rules, "");
    let later = ["connected", "isolated", "doubled", "king_att", "threatened", "hanging", "passed_"];
    let old: String = text
        .lines()
        .filter(|line| !later.iter().any(|key| line.starts_with(key)))
        .map(|line| format!("{line}\n"))
        .collect();
    let weights = Weights::from_toml(&reading.rules, "old.toml", &old).unwrap();
    let new = Weights::from_toml(&reading.rules, "new.toml", &text).unwrap();
    for (index, (old, new)) in weights.values().iter().zip(new.values()).enumerate() {
        match weights.features().at(index) {
            Feature::Tempo
            | Feature::Material(_)
            | Feature::Mobility(_)
            | Feature::Rank(..)
            | Feature::File(..) => assert_eq!(old, new),
            _ => assert_eq!(*old, [0.0; 2]),
        }
    }
}

#[test]
fn attacked_squares_are_those_that_have_attackers() {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let made_up: Vec<_> = (0..20).map(|_| random_reading(&mut rng)).collect();
    for reading in readings().into_iter().chain(made_up) {
        let evaluator = Evaluator::new(&reading, &Weights::from_mobility(&reading));
        let mut memory = EvalMemory::new();
        for i in 0..20 {
            let position = if i % 2 == 0 {
                random_game(&reading, 4 * i, &mut rng)
            } else {
                scattered(&reading, &mut rng)
            };
            let (tables, board) = (&reading.tables, position.board());
            let attacked = evaluator.attacked(&reading, board, &mut memory);
            let (order, values) = (evaluator.cheap_first(), evaluator.piece_values());
            let enemy = !board.side();
            for square in tables.board {
                let by = Color::ALL.map(|color| attackers(tables, board, square, color, board.occupied()));
                for color in Color::ALL {
                    let found = by[color.index()].any();
                    assert_eq!(attacked.by(color).has(square), found, "{square} {}", position.fen());
                }
                for &kind in order.iter().filter(|kind| !tables.kind(**kind).royal) {
                    let cheaper = order.iter().filter(|other| {
                        !tables.kind(**other).royal && values[other.index()] < values[kind.index()]
                    });
                    let men = cheaper.fold(Bitboard::EMPTY, |men, other| men | board.of_kind(*other));
                    let (found, fen) = (by[enemy.index()].meets(men), position.fen());
                    assert_eq!(attacked.by_cheaper(kind).has(square), found, "{square} {kind:?} {fen}");
                }
            }
        }
    }
}

#[test]
fn men_of_the_same_worth_are_not_cheaper_than_one_another() {
    // Murray's unicorn and crocodile move alike.
    let reading = reading("murray");
    let evaluator = Evaluator::new(&reading, &Weights::from_mobility(&reading));
    let (rules, tables) = (&reading.rules, &reading.tables);
    let def = |name| rules.kinds.iter().position(|kind| kind.name == name).unwrap();
    let twins = [def("unicorn"), def("crocodile")];
    let alike: Vec<_> = tables.all_kinds().filter(|&kind| twins.contains(&tables.kind(kind).def)).collect();
    let worth: Vec<_> = alike.iter().map(|kind| evaluator.piece_values()[kind.index()]).collect();
    assert!(alike.len() > 2 && worth.iter().all(|&value| value == worth[0]), "{worth:?}");
    for fen in
        ["k11/12/12/5c6/12/7U4/12/12/12/12/12/11K w - 0 1", "k11/12/12/5u6/12/7C4/12/12/12/12/12/11K w - 0 1"]
    {
        let position = Position::from_fen(&reading, fen).unwrap();
        let coefficients = evaluator.coefficients(&reading, position.board());
        for twin in twins {
            let index = Features::new(rules).index(Feature::Threatened(twin));
            assert!(coefficients.nonzero().all(|(found, _)| found != index), "{fen}");
        }
        let attacked = evaluator.attacked(&reading, position.board(), &mut EvalMemory::new());
        let square = "h7".parse().unwrap();
        assert!(attacked.by(Color::Black).has(square), "the men look at one another");
        assert!(alike.iter().all(|&kind| !attacked.by_cheaper(kind).has(square)), "{fen}");
    }
}
