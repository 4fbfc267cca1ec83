//! Comparisons of samples written down by hand.

use std::sync::Arc;

use acedrex_engine::cli::load_reading;
use acedrex_engine::game::Reason;
use acedrex_engine::rules::Reading;

use super::*;
use crate::sample::{Game, Sample};
use crate::selfplay::{End, GameResult};
use crate::stats::holm;

fn game(result: GameResult, end: End, plies: u32, line: u64) -> Game {
    let (choices, legal_moves) = (plies - 8, u64::from(plies - 8) * (30 + line % 5));
    Game {
        result,
        end,
        plies,
        choices,
        legal_moves,
        captures: plies / 10,
        promotions: 0,
        line,
        quiet: Vec::new(),
    }
}

/// 4 wins, 2 draws, 3 losses, 1 unfinished.
fn ten(name: &str, reading: &Arc<Reading>) -> Sample {
    let mate = End::Rule(Reason::Checkmate);
    let results = [
        (GameResult::WhiteWins, mate, 4),
        (GameResult::Draw, End::Rule(Reason::Repetition), 2),
        (GameResult::BlackWins, mate, 3),
        (GameResult::Unfinished, End::PlyCap, 1),
    ];
    let mut games = Vec::new();
    for (result, end, count) in results {
        for _ in 0..count {
            let number = games.len() as u64;
            games.push(game(result, end, 20 + 10 * u32::try_from(number).unwrap(), number));
        }
    }
    Sample {
        name: name.to_owned(),
        reading: Arc::clone(reading),
        games,
        balanced: false,
        conditions: Vec::new(),
        known: crate::sample::Known::default(),
    }
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 6e-4 * expected.abs().max(1.0), "{found} {expected}");
}

#[test]
fn figures_of_a_hand_made_sample() {
    let metrics = Metrics::of(&ten("ten", &load_reading("murray").unwrap())).unwrap();
    assert_eq!((metrics.games, metrics.wdl.games(), metrics.unfinished, metrics.repeats), (10, 9, 1, 0));
    let check = |name: &str, value: f64, low: f64, high: f64, games: u64| {
        let figure = metrics.figure(name).unwrap();
        near(figure.value, value);
        near(figure.interval.low, low);
        near(figure.interval.high, high);
        assert_eq!(figure.games, games, "{name}");
    };
    // By hand, Wilson's formula with z = 1.959964.
    check("White wins", 4.0 / 9.0, 0.1888, 0.7333, 9);
    check("draws", 2.0 / 9.0, 0.0632, 0.5474, 9);
    check("unfinished", 0.1, 0.0179, 0.4042, 10);
    check("ended by checkmate", 0.7, 0.3968, 0.8922, 10);
    // Never seen in ten games is not never.
    check("ended by stalemate", 0.0, 0.0, 0.2775, 10);
    // 20, 30 .. 110: mean 65, variance 8250 / 9, t(9) = 2.2622.
    check("length, plies", 65.0, 65.0 - 2.2622 * 9.5743, 65.0 + 2.2622 * 9.5743, 10);
    near(metrics.figure("White's score").unwrap().value, 5.0 / 9.0);
    // Games that are all alike do not say how far the next may lie.
    assert!(metrics.figure("promotions a game").unwrap().interval.low.is_nan());
    let table = metrics_table(&[metrics]).plain();
    assert!(table.contains("finished games, in the scores"), "{table}");
    assert!(table.contains("ended by repetition") && !table.contains("stalemate"), "{table}");
}

#[test]
fn scores_that_nobody_has_are_not_measured_rather_than_zero() {
    let reading = load_reading("murray").unwrap();
    let mut none = ten("none", &reading);
    none.games.retain(|game| game.result == GameResult::Unfinished);
    let all = [Metrics::of(&ten("ten", &reading)).unwrap(), Metrics::of(&none).unwrap()];
    let table = metrics_table(&all).plain();
    let row = table.lines().find(|line| line.starts_with("White's score")).unwrap();
    assert!(row.ends_with("not measured"), "{table}");
    let found = contrasts(&all, 1);
    assert!(found[0].p.is_nan() && found[0].difference.is_none());
    assert!(contrasts_table(&found).plain().contains('-'));
    none.games.clear();
    assert!(Metrics::of(&none).is_err());
}

#[test]
fn holm_is_over_all_contrasts_of_the_report() {
    let reading = load_reading("murray").unwrap();
    let mut all = Vec::new();
    for shift in [0u32, 6, 40] {
        let mut sample = ten(&format!("by {shift}"), &reading);
        for game in &mut sample.games {
            game.plies += shift;
            game.captures += shift / 3;
            game.promotions = (game.plies / 10) % 3;
        }
        all.push(Metrics::of(&sample).unwrap());
    }
    let found = contrasts(&all, 1);
    assert_eq!(found.len(), 27, "9 tests of each of 3 pairs");
    let p: Vec<f64> = found.iter().map(|contrast| contrast.p).collect();
    let expected = holm::adjust(&p);
    for (contrast, expected) in found.iter().zip(&expected) {
        assert!(contrast.p_holm == *expected || (contrast.p_holm.is_nan() && expected.is_nan()));
    }
    let tests = p.iter().filter(|p| !p.is_nan()).count();
    let least = (0..p.len()).filter(|&i| !p[i].is_nan()).min_by(|&a, &b| p[a].total_cmp(&p[b])).unwrap();
    near(found[least].p_holm, (p[least] * tests as f64).min(1.0));
    assert!(contrasts_note(&found).starts_with(&format!("{tests} tests")));
    // 20 .. 110 against 60 .. 150: t = -40 / sqrt(2 x 91.667) with 18 degrees of freedom; g = J(18) t sqrt(1 / 5).
    let length = found.iter().find(|c| c.metric == "length, plies" && c.samples.1 == "by 40").unwrap();
    near(length.difference.unwrap().0, -40.0);
    near(length.p, 0.0084);
    near(length.effect.unwrap(), 0.957_65 * -2.9542 * 0.2f64.sqrt());
    assert_eq!((length.effect_name, length.games), ("Hedges g", 20));
    let score = found.iter().find(|c| c.metric == "White's score").unwrap();
    assert_eq!((score.effect_name, score.games, score.p), ("Hedges g", 18, 1.0));
}

#[test]
fn permuted_p_values_can_survive_the_correction_over_many_readings() {
    let mate = End::Rule(Reason::Checkmate);
    let reading = load_reading("murray").unwrap();
    let sample = |i: u64, result| Sample {
        name: i.to_string(),
        reading: Arc::clone(&reading),
        games: (0..30).map(|n| game(result, mate, 20, n)).collect(),
        balanced: false,
        conditions: Vec::new(),
        known: crate::sample::Known::default(),
    };
    let mut all: Vec<Metrics> =
        (0..9).map(|i| Metrics::of(&sample(i, GameResult::WhiteWins)).unwrap()).collect();
    let mut other = sample(9, GameResult::Draw);
    other.games[0].result = GameResult::BlackWins;
    all.push(Metrics::of(&other).unwrap());
    let found = contrasts(&all, 1);
    let table = found.iter().find(|c| c.metric == "win, draw, loss" && c.samples.1 == "9").unwrap();
    assert_eq!(table.test, "chi-square, permuted");
    assert!(table.p_holm < 0.05, "{table:?}");
}

#[test]
fn a_game_and_its_mirror_image_are_one_game_with_an_equivalence_test() {
    let reading = load_reading("cazaux-musser").unwrap();
    let mirror = Reading::new(reading.rules.mirrored());
    let samples = [ten("plain", &reading), ten("mirrored", &mirror)];
    let all = samples.each_ref().map(|sample| Metrics::of(sample).unwrap());
    let [found] = &replications(&samples, &all)[..] else { panic!() };
    let (difference, test) = found.score.unwrap();
    assert!(found.same_game && difference == 0.0 && !test.equivalent && found.games == 18);
    // se = sqrt(2 x s^2 / 9), s^2 = (4 (4/9)^2 + 2 (1/18)^2 + 3 (5/9)^2) / 8; t(16, 0.95) = 1.7459.
    near(test.interval.high, 1.7459 * (2.0 * 0.215_278 / 9.0f64).sqrt());
    let text = found.sentence();
    assert!(text.contains("mirror image; White's scores are not shown to lie within 0.05"), "{text}");
    assert!(text.contains("90 % interval") && text.contains("18 finished games"), "{text}");

    // One game, but with other nodes: nothing need agree.
    let mut apart = samples.clone();
    apart[1].conditions = vec!["400 nodes a move".to_owned()];
    let different = replications(&apart, &all).remove(0);
    assert!(!different.same_game && different.sentence().contains("played differently"));

    // With many games it is shown.
    let many = samples.map(|mut sample| {
        sample.games = sample.games.iter().cycle().take(10_000).cloned().collect();
        sample
    });
    let all = many.each_ref().map(|sample| Metrics::of(sample).unwrap());
    assert!(replications(&many, &all)[0].sentence().contains("White's scores lie within 0.05"));
    assert_eq!(all[0].repeats, 9_990);
    assert!(notes(&all).iter().any(|note| note.contains("9990 of 10000 games repeat")));
}

#[test]
fn readings_with_one_move_set_are_named() {
    let samples = ["cazaux-musser", "wikipedia-2023", "murray"].map(|id| ten(id, &load_reading(id).unwrap()));
    let all = samples.each_ref().map(|sample| Metrics::of(sample).unwrap());
    let found = replications(&samples, &all);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].samples, ("cazaux-musser".to_owned(), "wikipedia-2023".to_owned()));
    assert!(!found[0].same_game && found[0].score.is_none());
    assert!(
        found[0].sentence().ends_with("one move set: agreement in piece values is replication, not evidence")
    );
}

#[test]
fn the_csv_has_thirteen_columns_and_reads_back() {
    let reading = load_reading("murray").unwrap();
    let mirror = Reading::new(reading.rules.mirrored());
    let samples = [ten("a, \"quoted\"", &reading), ten("b", &mirror)];
    let all = samples.each_ref().map(|sample| Metrics::of(sample).unwrap());
    let (tests, pairs) = (contrasts(&all, 1), replications(&samples, &all));
    let mut bytes = Vec::new();
    write_csv(&mut bytes, &all, &[None, None], &tests, &pairs).unwrap();
    let mut csv = ::csv::Reader::from_reader(&bytes[..]);
    assert_eq!(csv.headers().unwrap().iter().collect::<Vec<_>>(), CSV_HEAD);
    let rows: Vec<::csv::StringRecord> = csv.records().map(Result::unwrap).collect();
    assert!(rows.iter().all(|row| row.len() == 13));
    let of = |section: &str| rows.iter().filter(|row| &row[0] == section).collect::<Vec<_>>();
    assert_eq!(of("figure").len(), all.iter().map(|metrics| metrics.figures.len()).sum::<usize>());
    assert_eq!((of("contrast").len(), of("replication").len()), (tests.len(), 1));
    assert_eq!(rows.len(), of("figure").len() + 10);
    for (row, figure) in of("figure").iter().zip(&all[0].figures) {
        assert_eq!((&row[1], &row[3]), ("a, \"quoted\"", figure.name));
        assert!((row[4].parse::<f64>().unwrap() - figure.value).abs() < 1e-6);
        assert_eq!(row[12], figure.games.to_string());
    }
    assert_eq!(&of("replication")[0][7], "TOST, margin 0.05, 90 % interval");
}
