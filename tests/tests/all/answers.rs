use std::fs;

use acedrex_engine::cli;
use acedrex_engine::game::Position;

use super::common::{amount, data, reading};

fn run(arguments: &[&str]) -> (u8, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = cli::run([&["acedrex"], arguments].concat(), &mut out, &mut err);
    assert!(err.is_empty(), "{}", String::from_utf8_lossy(&err));
    (code, String::from_utf8(out).unwrap())
}

#[test]
fn every_perft_file_passes() {
    let most = amount("ACEDREX_PERFT", 400_000).to_string();
    let mut positions = 0;
    for entry in fs::read_dir(data("perft")).unwrap() {
        let path = entry.unwrap().path();
        let file = path.to_str().unwrap();
        let (code, out) = run(&["perft", "--suite", file, "--max-nodes", &most, "--threads", "2"]);
        assert_eq!(code, 0, "{out}");
        let last = out.lines().last().unwrap();
        positions += last.split(' ').next().unwrap().parse::<usize>().unwrap();
        assert!(last.ends_with(" passed, 0 failed"), "{last}");
    }
    assert_eq!(positions, 801);
}

/// `win white bare` in the answers is `white wins: bare-king` in ours.
fn our_words(status: &str) -> String {
    let words: Vec<&str> = status.split(' ').collect();
    let reason = |word: &str| word.replace("bare", "bare-king").replace("noprogress", "no-progress");
    match words[..] {
        ["ongoing"] => "ongoing".to_owned(),
        ["win", winner, why] => format!("{winner} wins: {}", reason(why)),
        ["draw", why] => format!("draw: {}", reason(why)),
        _ => panic!("{status}"),
    }
}

#[test]
fn every_ending_is_judged_as_the_answers_say() {
    let text = fs::read_to_string(data("endings.tsv")).unwrap();
    let cases: Vec<Vec<&str>> =
        text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect()).collect();
    assert_eq!(cases.len(), 59);
    for case in cases {
        let moves = if case[2] == "-" { "" } else { case[2] };
        let (_, out) = run(&["outcome", "--ruleset", case[0], "--fen", case[1], "--moves", moves]);
        assert_eq!(out.lines().last(), Some(our_words(case[3]).as_str()), "{case:?}");
    }
}

#[test]
fn every_throw_of_the_dice_allows_what_the_answers_say() {
    let text = fs::read_to_string(data("dice.tsv")).unwrap();
    let cases: Vec<Vec<&str>> =
        text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect()).collect();
    assert_eq!(cases.len(), 20);
    for case in cases {
        let (_, out) = run(&["moves", "--ruleset", case[1], "--fen", case[0], "--die", case[2]]);
        let moves: Vec<&str> = out.lines().collect();
        let expected = if case[3] == "-" { Vec::new() } else { case[3].split(' ').collect() };
        assert_eq!(moves, expected, "{case:?}");
    }
}

#[test]
fn empty_board_reach_from_f6_and_mean_mobility_are_those_of_the_rules() {
    use acedrex_engine::eval::empty_mobility;
    let mobility = |id: &str, key: &str| {
        let reading = reading(id);
        let kind = reading.rules.kinds.iter().position(|kind| kind.key == key).unwrap();
        (empty_mobility(&reading, kind) * 100.0).round() / 100.0
    };
    for (key, mean) in [
        ("aanca", 36.97),
        ("rhinoceros", 24.44),
        ("rook", 22.0),
        ("crocodile", 14.06),
        ("lion", 8.5),
        ("giraffe", 5.0),
        ("king", 7.03),
    ] {
        assert_eq!(mobility("cazaux-musser", key), mean, "{key}");
    }
    assert_eq!(mobility("murray", "lion"), 3.0);
    assert_eq!(mobility("murray-33", "lion"), 5.25);
    assert_eq!(mobility("murray", "giraffe"), 4.89);
    let reading = reading("cazaux-musser");
    for (letter, reach) in [('A', 40), ('U', 36), ('C', 21), ('L', 12), ('G', 8)] {
        let fen = format!("7k4/12/12/12/12/12/5{letter}6/12/12/12/12/2K9 w - 0 1");
        let position = Position::from_fen(&reading, &fen).unwrap();
        let moves = position.legal_moves().into_iter().filter(|mv| mv.from().to_string() == "f6").count();
        assert_eq!(moves, reach, "{letter}");
    }
}

/// "What others got wrong", one by one.
mod traps {
    use super::{Position, reading};

    fn moves(id: &str, fen: &str, from: &str) -> Vec<String> {
        let position = Position::from_fen(&reading(id), fen).unwrap();
        let mut moves: Vec<String> = position
            .legal_moves()
            .into_iter()
            .filter(|mv| mv.from().to_string() == from)
            .map(|mv| position.format_move(mv))
            .collect();
        moves.sort();
        moves
    }

    #[test]
    fn an_aanca_does_not_slide_past_an_enemy_on_its_first_square() {
        let moves = moves("cazaux-musser", "11k/12/12/12/12/12/12/12/12/12/1p10/A10K w - 0 1", "a1");
        assert_eq!(moves, ["a1b2"]);
    }

    #[test]
    fn a_rhinoceros_captures_on_its_knight_square() {
        let moves = moves("cazaux-musser", "11k/12/12/12/12/12/12/12/12/1p10/2P9/U10K w - 0 1", "a1");
        assert_eq!(moves, ["a1b3"]);
    }

    #[test]
    fn a_lion_has_twelve_leaps() {
        assert_eq!(moves("cazaux-musser", "11k/12/12/12/12/12/5L6/12/12/12/12/K11 w - 0 1", "f6").len(), 12);
    }

    #[test]
    fn a_first_capture_does_not_end_the_other_directions() {
        let moves = moves("cazaux-musser", "11k/12/12/12/12/12/12/12/p11/12/12/R1g8K w - 0 1", "a1");
        assert_eq!(moves, ["a1a2", "a1a3", "a1a4", "a1b1", "a1c1"]);
    }

    #[test]
    fn the_king_leaps_once_and_for_black_down_the_board() {
        let start = "6k5/12/12/12/12/12/12/12/12/12/12/6K5";
        assert_eq!(moves("ludii", &format!("{start} b g12 0 1"), "g12").len(), 5 + 3);
        assert_eq!(moves("ludii", &format!("{start} b - 0 1"), "g12").len(), 5);
    }

    #[test]
    fn a_pawn_becomes_what_its_file_of_arrival_says_and_never_a_king() {
        let fen = "8r3/7P4/12/12/12/12/12/k11/12/12/12/6K5 w - 0 1";
        assert_eq!(moves("cazaux-musser", fen, "h11"), ["h11h12c", "h11i12g"]);
        let fen = "12/5PP5/12/12/12/12/12/k11/12/12/12/K11 w - 0 1";
        assert_eq!(moves("cazaux-musser", fen, "f11"), ["f11f12a"]);
        assert_eq!(moves("cazaux-musser", fen, "g11"), ["g11g12a"]);
    }

    #[test]
    fn a_pawn_keeps_no_double_step_after_moving() {
        let fen = "11k/12/12/12/12/12/12/1P10/P11/12/12/K11 w - 0 1";
        assert_eq!(moves("chess-variant-pages", fen, "a4"), ["a4a5", "a4a6"]);
        assert_eq!(moves("chess-variant-pages", fen, "b5"), ["b5b6"]);
    }

    #[test]
    fn check_follows_the_checker_s_own_path() {
        // The aanca on b5 reaches a1 by a4, a3, a2; a man on a3 stops it, one on b2 does not.
        let check = |fen: &str| Position::from_fen(&reading("cazaux-musser"), fen).unwrap().in_check();
        assert!(check("11k/12/12/12/12/12/12/1a10/12/12/12/K11 w - 0 1"));
        assert!(check("11k/12/12/12/12/12/12/1a10/12/12/1P10/K11 w - 0 1"));
        assert!(!check("11k/12/12/12/12/12/12/1a10/12/P11/12/K11 w - 0 1"));
    }
}
