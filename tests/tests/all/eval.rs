use acedrex_engine::eval::{Evaluator, Weights};
use acedrex_engine::game::Position;
use acedrex_engine::rules::{Reading, builtin};
use rand::RngExt;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::common::{random_game, random_reading, readings, scattered};

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
fn weights_that_ship_are_those_of_the_mobility_formula() {
    for reading in readings() {
        let text = Weights::builtin_text(&reading.rules).unwrap();
        let computed = Weights::from_mobility(&reading).to_toml(&reading.rules, Weights::ABOUT_MOBILITY);
        assert_eq!(text, computed, "{}: print it with acedrex weights --from-mobility", reading.rules.id);
    }
}
