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
    let opening = OpeningConfig {
        kind: OpeningKind::Balanced,
        plies: 2,
        margin_cp: 10,
        check_nodes: 1,
        start: Start::Array,
    };
    let mut search = Search::new(1);
    let config = Config { opening, ..quick() };
    let error = play_game(&reading, &evaluator, &config, &mut search, 3).unwrap_err().to_string();
    assert!(error.contains("game 3") && error.contains("margin of 10 cp is too narrow"), "{error}");
    let mut rules = reading.rules.clone();
    rules.end.no_progress_plies = 1;
    let reading = Reading::new(rules);
    let config = quick();
    let error = play_in_memory(&reading, &evaluator, &config, 2).unwrap_err();
    let says = "game 0: found that none of 2000 random openings from the array can be kept: ";
    assert!(error.to_string().starts_with(says), "{error}");
}

#[test]
fn a_position_of_a_book_that_no_game_begins_from_is_named_and_judged_once() {
    let (reading, evaluator) = load("murray");
    // White is two rooks up.
    let fen = "k11/12/12/p11/12/12/12/12/12/12/1R10/1R9K w - 0 1";
    let book = Book::parse(&reading, 7, "book.epd", fen).unwrap();
    let opening = OpeningConfig {
        kind: OpeningKind::Balanced,
        plies: 0,
        margin_cp: 10,
        check_nodes: 1_000,
        start: Start::Book(book),
    };
    let config = Config { opening, games: 1, ..quick() };
    let error = play_in_memory(&reading, &evaluator, &config, 1).unwrap_err().to_string();
    let says =
        format!("game 0: found that a game cannot begin from the book's position {fen}: the margin of 10 cp");
    assert!(error.starts_with(&says), "{error}");
    assert_eq!(opening::tries(&config), 1);
    let random = OpeningConfig { plies: 2, ..config.opening.clone() };
    assert_eq!(opening::tries(&Config { opening: random, ..config }), MAX_TRIES);
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

/// Plays with these changes to a quick configuration, and validates every opening.
fn play_checked(id: &str, config: &Config) -> Vec<Record> {
    let (reading, _) = load(id);
    let records = play(id, config, 2).0;
    assert_eq!(records, play(id, config, 1).0);
    for record in &records {
        expect_opening(record, config, &reading).unwrap();
        let mut replay = record.replay(&reading).unwrap();
        while replay.next_step().unwrap().is_some() {}
    }
    records
}

#[test]
fn randomised_arrays_lack_up_to_three_men_a_side_and_belong_to_their_game() {
    for (id, dice, kind) in [
        ("murray", false, OpeningKind::Uniform),
        ("cazaux-musser", true, OpeningKind::Uniform),
        ("shatranj", false, OpeningKind::Balanced),
    ] {
        let (reading, _) = load(id);
        let opening =
            OpeningConfig { start: Start::Deletions(3), kind, plies: 2, ..OpeningConfig::default() };
        let config = Config { games: 24, nodes: 2, max_plies: 3, dice, opening, ..quick() };
        let records = play_checked(id, &config);
        let array = Position::start(&reading);
        let mut seen = [[0; 4]; 2];
        for record in &records {
            let fen = record.start.clone().unwrap_or_else(|| array.fen());
            let start = Position::from_fen(&reading, &fen).unwrap();
            for color in acedrex_engine::types::Color::ALL {
                let (all, left) = (array.board().men(color), start.board().men(color));
                let gone: Vec<_> = all.into_iter().filter(|&square| !left.has(square)).collect();
                assert!(left.into_iter().all(|s| start.board().piece_at(s) == array.board().piece_at(s)));
                assert!(start.board().men(color).has(array.board().royal(color)));
                seen[color.index()][gone.len()] += 1;
            }
        }
        assert!(seen.iter().flatten().all(|&count| count > 0), "{seen:?}");
        let at = records.iter().position(|record| record.start.is_some()).unwrap();
        let (record, next) = (&records[at], &records[at + 1]);
        let fault = |change: &dyn Fn(&mut Record)| {
            let mut record = record.clone();
            change(&mut record);
            expect_opening(&record, &config, &reading).unwrap_err().to_string()
        };
        assert!(fault(&|record| record.start = None).contains("found the start the array"));
        assert!(fault(&|record| record.start = next.start.clone()).contains("its stream draws"));
        assert!(fault(&|record| record.plies[1] = next.plies[1]).contains(&format!("game {at}, ply 1")));
        let other = fault(&|record| record.plies[0].die = if dice { None } else { Some(1) });
        let (found, expected) = if dice { ("no die", "expected die") } else { ("die 1", "expected no die") };
        assert!(other.contains(&format!("found {found}, {expected}")), "{other}");
        assert!(fault(&|record| record.game = next.game).contains(&format!("game {}", at + 1)));
        assert!(fault(&|record| record.openings_tried = 0).contains("0 openings drawn"));
        assert!(fault(&|record| record.openings_tried = u16::MAX).contains("1 to 2000"));
    }
}

#[test]
fn games_begin_from_the_positions_of_a_book() {
    let (reading, evaluator) = load("murray");
    let mut position = Position::start(&reading);
    let mut text = String::new();
    for _ in 0..3 {
        position.play(position.legal_moves().into_iter().max().unwrap());
        text.push_str(&format!("{}\n", position.fen()));
    }
    let book = Book::parse(&reading, quick().seed, "book.epd", &text).unwrap();
    let opening = OpeningConfig { start: Start::Book(book), plies: 2, ..OpeningConfig::default() };
    let config = Config { opening, max_plies: 9, ..quick() };
    let records = play_checked("murray", &config);
    let mut starts: Vec<_> = records.iter().map(|record| record.start.clone().unwrap()).collect();
    assert_eq!((&starts[0], &starts[1]), (&starts[3], &starts[4]), "the book begins again");
    starts.truncate(3);
    starts.sort();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    assert_eq!(starts, lines);
    // As a dataset's header has it: any start may be the book's, and none can be played from.
    let known: Config = serde_json::from_str(&serde_json::to_string(&config).unwrap()).unwrap();
    assert_eq!(known, config);
    expect_opening(&records[0], &known, &reading).unwrap();
    let error = play_in_memory(&reading, &evaluator, &known, 1).unwrap_err().to_string();
    assert!(error.contains("load it"), "{error}");
}

#[test]
fn softmax_draws_moves_for_some_plies_and_none_after() {
    let rule = Softmax { temperature_cp: 100, plies: 6, lines: 4 };
    let opening = OpeningConfig { plies: 0, ..OpeningConfig::default() };
    let config = Config { softmax: Some(rule), opening, games: 8, nodes: 300, max_plies: 12, ..quick() };
    let records = play_checked("cazaux-musser", &config);
    let line = |record: &Record| record.plies.iter().take(6).map(|ply| ply.mv).collect::<Vec<_>>();
    assert!(records[1..].iter().any(|record| line(record) != line(&records[0])));
    assert!(records.iter().flat_map(|record| &record.plies).all(|ply| ply.score_white_cp.is_some()));
    // After the drawn plies the best move of a plain search follows, which remembers those before.
    let (reading, evaluator) = load("cazaux-musser");
    let (mut search, limits) = (Search::new(1), Limits::nodes(config.nodes));
    for record in &records {
        search.clear();
        let mut rng = game::stream(&reading, config.seed, record.game);
        let mut position = Position::start(&reading);
        for (number, ply) in record.plies.iter().enumerate() {
            let found = if number < 6 {
                softmax::search(&mut search, &position, &evaluator, &limits, rule, &mut rng)
            } else {
                search.run(&position, &evaluator, &limits, |_| {})
            };
            assert_eq!(found.best, Some(ply.mv), "game {}, ply {number}", record.game);
            position.play(ply.mv);
        }
    }
}

#[test]
fn soft_limits_end_searches_between_iterations() {
    let config = Config { nodes: 4_000, max_plies: 14, games: 2, ..quick() };
    for dice in [false, true] {
        let hard = play("murray", &Config { dice, ..config.clone() }, 1).1.nodes;
        let soft = play("murray", &Config { dice, soft_nodes: Some(200), ..config.clone() }, 1).1.nodes;
        assert!(soft < hard / 2 && soft > 200 * 2 * 6 / 2, "{soft} of {hard}");
    }
}

#[test]
fn cuts_are_what_a_run_that_cuts_games_short_does() {
    let (reading, _) = load("cazaux-musser");
    let whole = Config { games: 40, nodes: 40, max_plies: 300, ..quick() };
    let played_out = play("cazaux-musser", &whole, 2).0;
    let config = Config {
        adjudication: Some(Adjudication { score_cp: 600, plies: 6 }),
        draw: Some(DrawRule { score_cp: 25, plies: 4, from_ply: 40 }),
        resignation: Some(Resignation { score_cp: 700, moves: 2 }),
        ..whole
    };
    let mut cuts = Cuts::new(&config);
    played_out.iter().for_each(|record| cuts.add(record, &reading).unwrap());
    let names: Vec<_> = cuts.rules.iter().map(|(name, ..)| *name).collect();
    assert_eq!((names, cuts.games()), (vec!["win", "resignation", "draw", "together"], 40));
    for (_, config, cut) in &cuts.rules {
        let short = play("cazaux-musser", config, 2).0;
        let mut found = Cut::default();
        for (short, whole) in short.iter().zip(&played_out) {
            assert_eq!(short.plies, whole.plies[..short.plies.len()]);
            let saved = whole.plies.len() - short.plies.len();
            let known = whole.result != GameResult::Unfinished;
            found.called += u64::from(saved > 0);
            found.plies_saved.push(u32::try_from(saved).unwrap());
            found.unfinished += u64::from(saved > 0 && !known);
            found.changed += u64::from(saved > 0 && known && short.result != whole.result);
            assert_eq!(
                saved > 0,
                short.end == End::AdjudicatedScore && short.plies.len() < whole.plies.len()
            );
        }
        assert_eq!(found, *cut);
        assert!(found.called > 0, "{config:?}");
    }
}

/// The errors that data/README.md states for thresholds, on a smaller sample.
#[test]
fn thresholds_change_no_more_results_than_the_documentation_says() {
    for (id, games, nodes, score_cp, plies, moves, percent) in
        [("murray", 24, 1_000, 1_500, 8, 5, 4), ("cazaux-musser", 40, 60, 31_000, 1, 1, 0)]
    {
        let (reading, _) = load(id);
        let whole = Config { games, nodes, max_plies: 400, ..quick() };
        let config = Config {
            adjudication: Some(Adjudication { score_cp, plies }),
            resignation: Some(Resignation { score_cp, moves }),
            ..whole.clone()
        };
        let mut cuts = Cuts::new(&config);
        play(id, &whole, 2).0.iter().for_each(|record| cuts.add(record, &reading).unwrap());
        let (_, _, together) = cuts.rules.last().unwrap();
        assert!(together.called > 4 && together.changed * 100 <= percent * together.called, "{id}: {cuts:?}");
    }
}
