//! Whole games: the same on any number of threads, ended by the rules and labelled.

use std::sync::Arc;

use acedrex_engine::cli::{load_evaluator, load_reading};
use acedrex_engine::eval::Evaluator;
use acedrex_engine::game::{Outcome, Position};
use acedrex_engine::rules::{DiceRule, NoMove, Reading};
use acedrex_engine::search::{Limits, Search};

use super::*;

fn load(id: &str) -> (Arc<Reading>, Evaluator) {
    let reading = load_reading(id).unwrap();
    let evaluator = load_evaluator(&reading, None).unwrap();
    (reading, evaluator)
}

/// Short and quick games.
fn quick() -> Config {
    Config { games: 5, nodes: 25, seed: 7, max_plies: 50, ..Config::default() }
}

fn play(id: &str, config: &Config, threads: usize) -> (Vec<Record>, Summary) {
    let (reading, evaluator) = load(id);
    play_in_memory(&reading, &evaluator, config, threads).unwrap()
}

#[test]
fn games_are_the_same_on_one_thread_and_on_two() {
    for (id, dice) in [
        ("cazaux-musser", false),
        ("cazaux-musser", true),
        ("murray", false),
        ("murray", true),
        ("ludii", false),
        ("shatranj", false),
    ] {
        let config = Config { dice, ..quick() };
        let one = play(id, &config, 1);
        assert_eq!(one, play(id, &config, 2), "{id}");
        assert_eq!(one.0.len(), 5);
        assert!(one.0.iter().enumerate().all(|(number, record)| record.game == number as u64));
        let other = play(id, &Config { seed: 8, ..config }, 2);
        assert_ne!(one.0[0].plies, other.0[0].plies, "{id}");
    }
}

#[test]
fn readings_with_one_seed_do_not_play_the_same_games() {
    // These two differ in the ends of games alone.
    let (a, b) = (play("cazaux-musser", &quick(), 2).0, play("shamax", &quick(), 2).0);
    assert!(a.iter().zip(&b).all(|(a, b)| a.plies != b.plies));
}

#[test]
fn a_game_does_not_depend_on_how_many_are_asked_for_or_on_the_shard() {
    for kind in [OpeningKind::Uniform, OpeningKind::Balanced] {
        let opening = OpeningConfig { kind, check_nodes: 300, ..OpeningConfig::default() };
        let config = Config { opening, ..quick() };
        let all = play("murray", &config, 2).0;
        assert_eq!(play("murray", &Config { games: 2, ..config.clone() }, 1).0, all[..2]);
        assert_eq!(play("murray", &Config { games: 2, first_game: 3, ..config }, 2).0, all[3..]);
    }
}

#[test]
fn games_differ_from_one_another() {
    let records = play("cazaux-musser", &quick(), 2).0;
    for (at, record) in records.iter().enumerate() {
        assert!(records[..at].iter().all(|other| other.plies[..8] != record.plies[..8]));
    }
}

#[test]
fn games_end_where_the_rules_end_them_and_the_rest_is_unfinished() {
    let mut ends = Counts::default();
    for (id, dice, max_plies) in [
        ("cazaux-musser", false, 50),
        ("shatranj", false, 400),
        ("murray", true, 120),
        ("wikipedia-2023", true, 400),
    ] {
        let (reading, _) = load(id);
        for record in play(id, &Config { dice, max_plies, ..quick() }, 2).0 {
            ends.add(&record);
            let mut replay = record.replay(&reading).unwrap();
            while let Some(step) = replay.next_step().unwrap() {
                assert_eq!(step.position.outcome(), Outcome::Ongoing);
                assert_eq!(step.opening, step.ply < 8);
                assert_eq!(step.score_white_cp.is_none(), step.opening || step.mv.is_none());
                assert_eq!(step.die.is_some(), dice);
                assert_eq!(step.in_check, step.position.in_check());
            }
            match record.end {
                End::Rule(_) => {
                    assert_eq!(End::of(replay.position().outcome()), Some((record.result, record.end)));
                }
                End::PlyCap => {
                    assert_eq!(record.result, GameResult::Unfinished);
                    assert_eq!(record.plies.len(), usize::from(max_plies));
                    assert_eq!(replay.position().outcome(), Outcome::Ongoing);
                }
                End::AdjudicatedKings => assert!(only_kings(replay.position().board())),
                End::AdjudicatedScore => panic!("no adjudication was asked for"),
            }
        }
    }
    assert!(
        ends.with_end(End::PlyCap) > 0 && ends.with_result(GameResult::Unfinished) < ends.games,
        "{ends}"
    );
    assert_eq!(ends.with_end(End::PlyCap), ends.with_result(GameResult::Unfinished));
}

#[test]
fn balanced_openings_keep_within_the_margin_and_are_counted() {
    let (reading, evaluator) = load("murray");
    let opening = OpeningConfig {
        kind: OpeningKind::Balanced,
        margin_cp: 20,
        check_nodes: 300,
        ..OpeningConfig::default()
    };
    let config = Config { opening, games: 20, max_plies: 9, ..quick() };
    let (records, summary) = play_in_memory(&reading, &evaluator, &config, 2).unwrap();
    let mut search = Search::new(1);
    for record in &records {
        let mut position = Position::start(&reading);
        record.plies[..8].iter().for_each(|ply| position.play(ply.mv));
        search.clear();
        let limits = Limits::nodes(300);
        let score = search.run(&position, &evaluator, &limits, |_| {}).score;
        assert!(score.abs() <= 20, "{score}");
    }
    assert!(summary.counts.openings_tried > 20, "{summary:?}");
    let tried: u64 = records.iter().map(|record| u64::from(record.openings_tried)).sum();
    assert_eq!(tried, summary.counts.openings_tried);
    let uniform = play("murray", &Config { opening: OpeningConfig::default(), ..config }, 2).1;
    assert_eq!(uniform.counts.openings_tried, 20);
}

#[test]
fn openings_that_cannot_be_kept_are_an_error_that_says_why() {
    let (reading, evaluator) = load("murray");
    // One node looks at no move at all.
    let opening = OpeningConfig { kind: OpeningKind::Balanced, plies: 2, margin_cp: 10, check_nodes: 1 };
    let mut search = Search::new(1);
    let config = Config { opening, ..quick() };
    let error = play_game(&reading, &evaluator, &config, &mut search, 3).unwrap_err().to_string();
    assert!(error.contains("game 3") && error.contains("margin of 10 cp is too narrow"), "{error}");
    let mut rules = reading.rules.clone();
    rules.end.no_progress_plies = 1;
    let reading = Reading::new(rules);
    let config = quick();
    let error = play_in_memory(&reading, &evaluator, &config, 2).unwrap_err();
    assert!(error.to_string().starts_with("game 0: none of 2000 random openings"), "{error}");
}

#[test]
fn a_long_lead_is_adjudicated_and_labelled() {
    let rule = Adjudication { score_cp: 200, plies: 3 };
    let config = Config { adjudication: Some(rule), max_plies: 300, ..quick() };
    let records = play("cazaux-musser", &config, 2).0;
    let adjudicated: Vec<_> = records.iter().filter(|record| record.end == End::AdjudicatedScore).collect();
    assert!(!adjudicated.is_empty());
    for record in adjudicated {
        let last = &record.plies[record.plies.len() - 3..];
        let white = record.result == GameResult::WhiteWins;
        assert!(last.iter().all(|ply| {
            let score = ply.score_white_cp.unwrap();
            if white { score >= 200 } else { score <= -200 }
        }));
    }
}

#[test]
fn a_throw_that_moves_nothing_passes_where_the_rules_say_so() {
    let (reading, evaluator) = load("cazaux-musser");
    let mut rules = reading.rules.clone();
    rules.dice = DiceRule { no_move: NoMove::Pass };
    let pass = Reading::new(rules);
    let config = Config { dice: true, max_plies: 150, games: 3, ..quick() };
    let passes = |reading: &Arc<Reading>| {
        let records = play_in_memory(reading, &evaluator, &config, 2).unwrap().0;
        for record in &records {
            let mut replay = record.replay(reading).unwrap();
            while replay.next_step().unwrap().is_some() {}
        }
        records.iter().flat_map(|record| &record.plies).filter(|ply| ply.mv.is_none()).count()
    };
    assert_eq!(passes(&reading), 0);
    assert!(passes(&pass) > 0);
}

#[test]
fn a_game_that_breaks_the_rules_is_refused_by_number_and_ply() {
    let (reading, _) = load("murray");
    let record = play("murray", &quick(), 1).0.remove(1);
    let fault = |change: &dyn Fn(&mut Record)| {
        let mut record = record.clone();
        change(&mut record);
        let mut replay = match record.replay(&reading) {
            Ok(replay) => replay,
            Err(error) => return error,
        };
        loop {
            match replay.next_step() {
                Ok(step) => assert!(step.is_some(), "no fault was found"),
                Err(error) => return error,
            }
        }
    };
    let mv = record.plies[4].mv;
    let error = fault(&|record| record.plies.insert(5, record.plies[4]));
    assert_eq!((error.game, error.ply), (1, 5));
    assert!(error.to_string().starts_with(&format!("game 1, ply 5: found {mv}")), "{error}");
    assert_eq!(fault(&|record| record.plies[3].mv = acedrex_engine::types::Move::NONE).ply, 3);
    assert_eq!(
        fault(&|record| record.plies[0].die = Some(if record.plies[0].die.is_none() { 0 } else { 1 })).ply,
        0
    );
    assert!(fault(&|record| record.start = Some("nonsense".into())).to_string().contains("nonsense"));
}

#[test]
fn the_hash_of_weights_is_that_of_their_values() {
    use acedrex_engine::eval::{Feature, Weights};
    let (reading, _) = load("murray");
    let mut weights = Weights::default_for(&reading);
    let id = weights_id(&reading.rules, &weights);
    assert_eq!(id.len(), 64);
    assert_eq!(id, weights_id(&reading.rules, &weights.clone()));
    weights.set(Feature::Tempo, [1.0, 2.0]);
    assert_ne!(id, weights_id(&reading.rules, &weights));
}
