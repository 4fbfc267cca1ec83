use acedrex_engine::game::{FenWriter, Position};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::cli::{bad, good, last_line};
use super::common::{random_game, reading, readings, scattered};

const START: &str = "rlugcakcgulr/12/12/pppppppppppp/12/12/12/12/PPPPPPPPPPPP/12/12/RLUGCAKCGULR";
const MURRAY: &str = "rlugckacgulr/12/12/pppppppppppp/12/12/12/12/PPPPPPPPPPPP/12/12/RLUGCKACGULR";

/// The FEN that this one reads as.
#[track_caller]
fn reads(id: &str, fen: &str) -> String {
    Position::from_fen(&reading(id), fen).unwrap_or_else(|error| panic!("{fen}: {error}")).fen()
}

/// The FEN is refused, by the command line too, and the error says all of `parts`.
#[track_caller]
fn refused(id: &str, fen: &str, parts: &[&str]) {
    let parts = [&["FEN ", ": found ", ", expected "], parts].concat();
    bad(1, &["show", "--ruleset", id, "--fen", fen], &parts);
}

#[test]
fn the_starts_are_those_of_the_rules() {
    for (id, fen) in [
        ("cazaux-musser", format!("{START} w g1g12 0 1")),
        ("murray", format!("{MURRAY} w c1f1j1c12f12j12 0 1")),
    ] {
        assert_eq!(Position::start(&reading(id)).fen(), fen);
        assert_eq!(reads(id, &fen), fen);
    }
    for reading in readings() {
        let start = Position::start(&reading);
        assert_eq!(Position::from_fen(&reading, &start.fen()).unwrap().board(), start.board());
    }
}

#[test]
fn a_writer_forgets_no_man_that_moved() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for reading in readings() {
        let mut writer = FenWriter::new();
        let mut reads_back = |position: &Position| {
            let read = Position::from_fen(&reading, writer.fen(position)).unwrap();
            assert_eq!(read.board(), position.board());
        };
        let mut game = random_game(&reading, 200, &mut rng);
        loop {
            reads_back(&game);
            if !game.undo() {
                break;
            }
        }
        reads_back(&scattered(&reading, &mut rng));
    }
}

#[test]
fn rank_12_comes_first_and_a_run_is_one_decimal_number() {
    let position =
        Position::from_fen(&reading("cazaux-musser"), "k10R/12/12/12/12/12/12/12/12/12/12/K11 b - 0 1")
            .unwrap();
    assert!(position.diagram().starts_with("12  k . . . . . . . . . . R\n"));
    refused("cazaux-musser", "k11/12/12/12/12/12/12/12/12/12/K11 w - 0 1", &["11 ranks", "12 ranks"]);
    refused("cazaux-musser", "k11/12/12/12/12/12/12/12/12/12/12/12/K11 w - 0 1", &["13 ranks", "12 ranks"]);
    for (rank, found) in [
        ("57", "\"57\""),
        ("13", "\"13\""),
        ("0", "\"0\""),
        ("012", "\"012\""),
        ("11", "11 squares"),
        ("R12", "13 squares"),
        ("12R", "13 squares"),
        ("", "0 squares"),
        ("PPPPPPPPPPPPP", "13 squares"),
        ("11x", "\"x\""),
        ("11é", "\"é\""),
        ("99999999999999999999999999", "99999"),
    ] {
        let fen = format!("k11/12/{rank}/12/12/12/12/12/12/12/12/K11 w - 0 1");
        refused("cazaux-musser", &fen, &["field 1 (placement), rank 10", found]);
    }
}

#[test]
fn every_problem_is_named_at_once() {
    let fen = "k12/12/12/12/12/12/x11/12/12/12/12/K11 w - z 0";
    refused(
        "cazaux-musser",
        fen,
        &["rank 12", "rank 6", "field 4 (halfmove clock)", "field 5 (move number)"],
    );
    let fen = "kk9P/12/12/12/12/12/12/12/12/12/12/12 w a1g1 0 1";
    refused(
        "cazaux-musser",
        fen,
        &["2 black kings", "0 white kings", "a pawn on l12", "a1, an empty", "g1, an empty"],
    );
}

#[test]
fn fairy_max_s_8_for_an_empty_rank_is_refused_with_what_is_wrong() {
    let fen = START.replacen("/12/", "/8/", 1);
    refused("cazaux-musser", &format!("{fen} w KQkq - 0 1"), &["rank 11", "Fairy-Max", "write 12 instead"]);
}

#[test]
fn rights_are_written_white_s_rank_first_then_by_file() {
    assert_eq!(
        reads("murray", &format!("{MURRAY} w j12g1f12c12j1f1c1 0 1").replace("g1f", "f")),
        format!("{MURRAY} w c1f1j1c12f12j12 0 1")
    );
    assert_eq!(reads("cazaux-musser", &format!("{START} b g12g1 3 4")), format!("{START} b g1g12 3 4"));
    assert_eq!(reads("cazaux-musser", &format!("{START} w - 0 1")), format!("{START} w - 0 1"));
    assert_eq!(reads("cazaux-musser", &format!("{START} w g12 0 1")), format!("{START} w g12 0 1"));
}

#[test]
fn pawns_are_never_listed_and_keep_their_double_step_by_their_rank() {
    let fen = format!("{START} w g1g12 0 1");
    assert_eq!(Position::start(&reading("chess-variant-pages")).fen(), fen);
    let without = format!("{START} w - 0 1");
    assert_eq!(
        good(&["moves", "--ruleset", "chess-variant-pages", "--fen", &without]).lines().count(),
        71 - 3
    );
    // A pawn's square among the rights says nothing, so it is dropped.
    assert_eq!(reads("chess-variant-pages", &format!("{START} w a4g1g12 0 1")), fen);
}

#[test]
fn a_right_off_the_array_square_is_an_error() {
    let fen = "6k5/12/12/12/12/12/12/12/12/12/5K6/12";
    refused(
        "cazaux-musser",
        &format!("{fen} w f2g12 0 1"),
        &["field 3 (first-move rights)", "f2", "array square (g1)"],
    );
    refused("cazaux-musser", &format!("{fen} w g1 0 1"), &["g1, an empty square"]);
    refused("cazaux-musser", &format!("{fen} w KQkq - 0 1"), &["g1, an empty square"]);
    refused(
        "murray",
        &format!("{} w d2 0 1", MURRAY.replacen("12/RL", "3U8/RL", 1)),
        &["d2", "array square (c1 j1)"],
    );
    // White's king on Black's array square has no right there.
    refused("cazaux-musser", "6K5/12/12/12/12/12/12/12/12/12/12/6k5 w g12 0 1", &["g12", "white king"]);
}

#[test]
fn a_right_the_reading_does_not_know_is_dropped() {
    // Cazaux' rhinoceros has none, a rook nowhere, a shatranj king neither.
    assert_eq!(reads("cazaux-musser", &format!("{START} w c1f1a1g1g12 0 1")), format!("{START} w g1g12 0 1"));
    let shatranj = Position::start(&reading("shatranj")).fen();
    let placement = shatranj.split(' ').next().unwrap();
    for rights in ["e1e8", "KQkq", "Dd", "-"] {
        assert_eq!(reads("shatranj", &format!("{placement} w {rights} 0 1")), shatranj, "{rights}");
    }
}

#[test]
fn text_that_is_no_right_is_an_error() {
    for rights in ["x", "g13", "g1g", "Gg12", "g1g1", "KQkqx", "Hh", "g1-", "--", "é", "M1", "0", "G1"] {
        refused("cazaux-musser", &format!("{START} w {rights} 0 1"), &["field 3 (first-move rights)"]);
    }
    refused("shatranj", "4k3/8/8/8/8/8/8/4K3 w l12 0 1", &["l12, outside the board"]);
    // However long the field is, each square is named once.
    let fen = format!("{START} w {} 0 1", "a2b2".repeat(50_000));
    assert_eq!(Position::from_fen(&reading("cazaux-musser"), &fen).unwrap_err().problems.len(), 4);
}

#[test]
fn three_five_and_six_fields_are_read_and_five_written() {
    let five = format!("{START} w g1g12 0 1");
    assert_eq!(reads("cazaux-musser", &format!("{START} w g1g12")), five);
    assert_eq!(reads("cazaux-musser", &five), five);
    assert_eq!(reads("cazaux-musser", &format!("{START} w g1g12 - 0 1")), five);
    assert_eq!(
        reads("cazaux-musser", &format!("  {START}   w\tg1g12 - 17 40\n")),
        format!("{START} w g1g12 17 40")
    );
    for fields in ["", " w", " w g1g12 0", " w g1g12 - 0 1 2"] {
        refused("cazaux-musser", &format!("{START}{fields}"), &["3, 5 or 6 fields"]);
    }
    refused("cazaux-musser", "", &["0 fields"]);
    refused("cazaux-musser", &format!("{START} w g1g12 a6 0 1"), &["field 4", "\"a6\"", "no en passant"]);
    refused("cazaux-musser", &format!("{START} W g1g12 0 1"), &["field 2 (side to move)", "w or b"]);
    for (clock, number) in [("-1", "1"), ("x", "1"), ("99999", "1"), ("+1", "1"), ("1.5", "1")] {
        refused("cazaux-musser", &format!("{START} w - {clock} {number}"), &["field 4 (halfmove clock)"]);
        refused("cazaux-musser", &format!("{START} w - - {clock} {number}"), &["field 5 (halfmove clock)"]);
    }
    for number in ["0", "-1", "x", "999999999999"] {
        refused("cazaux-musser", &format!("{START} w - 0 {number}"), &["field 5 (move number)"]);
    }
}

#[test]
fn rights_may_be_kqkq_or_the_kings_file_letters() {
    let (white, black, both) =
        (format!("{START} w g1 0 1"), format!("{START} w g12 0 1"), format!("{START} w g1g12 0 1"));
    for (rights, fen) in [
        ("KQkq", &both),
        ("Kk", &both),
        ("Gg", &both),
        ("Qq", &both),
        ("gG", &both),
        ("KQ", &white),
        ("G", &white),
        ("kq", &black),
        ("g", &black),
    ] {
        assert_eq!(&reads("cazaux-musser", &format!("{START} w {rights} - 0 1")), fen, "{rights}");
    }
    // In Murray's reading the letters speak of the kings alone.
    assert_eq!(reads("murray", &format!("{MURRAY} w Ff - 0 1")), format!("{MURRAY} w f1f12 0 1"));
    assert_eq!(reads("murray", &format!("{MURRAY} w KQkq - 0 1")), format!("{MURRAY} w f1f12 0 1"));
    refused("murray", &format!("{MURRAY} w Gg - 0 1"), &["KQkq or f"]);
}

#[test]
fn more_material_than_a_game_could_give_is_no_error() {
    let fen = "k11/12/12/12/12/12/12/12/12/AAAAAAAAAAAA/RRRRRRRRRRRR/K11 b - 0 1";
    assert_eq!(
        reads("cazaux-musser", &fen.replace("AAAAAAAAAAAA", "1AAAAA6").replace("RRRRRRRRRRRR", "12")),
        fen.replace("AAAAAAAAAAAA", "1AAAAA6").replace("RRRRRRRRRRRR", "12")
    );
    assert_eq!(reads("cazaux-musser", fen), fen);
}

#[test]
fn kings_other_than_one_a_side_are_an_error() {
    refused("cazaux-musser", "12/12/12/12/12/12/12/12/12/12/12/K11 w - 0 1", &["0 black kings"]);
    refused("cazaux-musser", "k11/12/12/12/12/12/12/12/12/12/12/12 w - 0 1", &["0 white kings"]);
    refused("cazaux-musser", "k11/12/12/12/12/12/12/12/12/12/12/KK10 w - 0 1", &["2 white kings"]);
}

#[test]
fn a_side_not_to_move_that_is_in_check_is_an_error() {
    let fen = "k10R/12/12/12/12/12/12/12/12/12/12/K11";
    refused("cazaux-musser", &format!("{fen} w - 0 1"), &["field 2 (side to move)", "black's king in check"]);
    assert_eq!(reads("cazaux-musser", &format!("{fen} b - 0 1")), format!("{fen} b - 0 1"));
    refused("cazaux-musser", "12/12/12/12/12/12/12/12/12/12/12/Kk10 w - 0 1", &["in check"]);
}

#[test]
fn pawns_on_the_first_or_last_rank_are_an_error() {
    for (fen, place) in [
        ("k10P/12/12/12/12/12/12/12/12/12/12/K11 w - 0 1", "a pawn on l12"),
        ("k10p/12/12/12/12/12/12/12/12/12/12/K11 w - 0 1", "a pawn on l12"),
        ("k11/12/12/12/12/12/12/12/12/12/12/K10P w - 0 1", "a pawn on l1"),
        ("k11/12/12/12/12/12/12/12/12/12/12/K10p w - 0 1", "a pawn on l1"),
    ] {
        refused("cazaux-musser", fen, &["field 1 (placement)", place]);
    }
}

#[test]
fn the_promotion_letter_is_written_and_may_be_left_out() {
    let fen = "12/P11/12/12/12/12/12/k11/12/12/12/6K5 w - 0 1";
    let position = Position::from_fen(&reading("cazaux-musser"), fen).unwrap();
    let mv = position.parse_move("a11a12r").unwrap();
    assert_eq!(position.format_move(mv), "a11a12r");
    assert_eq!(position.parse_move("a11a12"), Ok(mv));
    assert_eq!(position.parse_move("a11a12R"), Ok(mv));
    for text in ["a11a12q", "a11a12a", "a11a12k"] {
        let error = position.parse_move(text).unwrap_err().to_string();
        assert!(error.contains("not legal here: a pawn that arrives on this file becomes 'r'"), "{error}");
    }
    for text in
        ["", "a11", "a11a13", "a11a12rr", "a11-a12", "a11a12=r", "m1a1", "A11A12", "a0a1", "é1a1", " a11a12"]
    {
        let error = position.parse_move(text).unwrap_err().to_string();
        assert!(error.contains("expected a move such as a4a5"), "{text}: {error}");
    }
    assert_eq!(last_line(&["outcome", "--fen", fen, "--moves", "a11a12r"]), "ongoing");
    assert!(position.parse_move("g1g3").unwrap_err().to_string().contains("does not go to"));
}
