use std::fs;

use acedrex_engine::cli;
use acedrex_engine::rules::{builtin_text, known_ids};

use super::common::{data, reading, readings};

/// What a command did: its exit status and what it printed.
struct Ran {
    code: u8,
    out: String,
    err: String,
}

fn acedrex(arguments: &[&str]) -> Ran {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = cli::run([&["acedrex"], arguments].concat(), &mut out, &mut err);
    Ran { code, out: String::from_utf8(out).unwrap(), err: String::from_utf8(err).unwrap() }
}

/// What a command that goes well prints.
#[track_caller]
pub fn good(arguments: &[&str]) -> String {
    let ran = acedrex(arguments);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{arguments:?}");
    ran.out
}

#[track_caller]
pub fn last_line(arguments: &[&str]) -> String {
    good(arguments).lines().last().unwrap().to_owned()
}

/// The error of a command that fails with this exit status, prints nothing else and says all of `parts`.
#[track_caller]
pub fn bad(code: u8, arguments: &[&str], parts: &[&str]) -> String {
    let ran = acedrex(arguments);
    assert_eq!((ran.code, ran.out.as_str()), (code, ""), "{arguments:?}: {}", ran.err);
    for part in parts {
        assert!(ran.err.contains(part), "{arguments:?}: no {part:?} in {}", ran.err);
    }
    ran.err
}

const COMMANDS: [&str; 9] =
    ["rulesets", "check", "show", "moves", "outcome", "perft", "search", "weights", "bench"];

/// Two kings far apart, for what the pieces do not matter to.
const KINGS: &str = "k11/12/12/12/12/12/12/12/12/12/12/K11 w - 0 1";
/// White is stalemated.
const STALEMATE: &str = "k11/12/12/12/12/12/12/12/12/1r10/11r/K11 w - 0 1";

mod commands {
    use super::*;

    #[test]
    fn every_help_is_complete_and_has_an_example() {
        let help = good(&["--help"]);
        assert!(help.contains("Example: acedrex "), "{help}");
        for command in COMMANDS {
            assert!(help.contains(&format!("\n  {command} ")), "{command} is not in {help}");
            let help = good(&[command, "--help"]);
            assert!(help.contains(&format!("Example: acedrex {command}")), "{help}");
            assert!(help.contains(&format!("Usage: acedrex {command}")), "{help}");
        }
        for (command, options) in [
            ("show", &["--ruleset <R>", "--fen <FEN>"][..]),
            ("moves", &["--ruleset <R>", "--fen <FEN>", "--die <N>"]),
            ("outcome", &["--ruleset <R>", "--fen <FEN>", "--moves <MOVES>"]),
            ("perft", &["--ruleset <R>", "--fen <FEN>", "--divide", "--threads <N>", "--suite <FILE>"]),
            ("perft", &["--max-nodes <N>"]),
            ("search", &["--ruleset <R>", "--fen <FEN>", "--nodes <N>", "--depth <D>", "--movetime <MS>"]),
            ("search", &["--die <N>"]),
        ] {
            let help = good(&[command, "--help"]);
            for option in options {
                assert!(help.contains(option), "no {option} in {help}");
            }
        }
        assert!(good(&["--version"]).starts_with("acedrex "));
    }

    /// The example of each help, but for the bench, which has a test of its own, does what it says.
    #[test]
    fn the_examples_of_the_helps_run() {
        for command in COMMANDS.into_iter().filter(|command| *command != "bench") {
            let help = good(&[command, "--help"]);
            let example = help.lines().find_map(|line| line.strip_prefix("Example: acedrex ")).unwrap();
            // The one pair of quotation marks is around the last word.
            let (plain, quoted) = example.split_once(" \"").unwrap_or((example, ""));
            let file = super::super::common::root().join("data/rulesets/murray.toml");
            let mut words: Vec<&str> = plain
                .split(' ')
                .map(|word| if word.ends_with("murray.toml") { file.to_str().unwrap() } else { word })
                .collect();
            words.extend(quoted.strip_suffix('"'));
            // The same, with less to do.
            let short: Vec<&str> =
                words.iter().map(|word| if matches!(*word, "4" | "6") { "2" } else { *word }).collect();
            assert!(!good(&short).is_empty(), "{short:?}");
        }
    }

    #[test]
    fn rulesets_lists_all_with_title_and_confidence() {
        let out = good(&["rulesets"]);
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(lines.len(), 12);
        for ((line, id), reading) in lines.iter().zip(known_ids()).zip(readings()) {
            assert_eq!(line.split(' ').next(), Some(id));
            assert!(line.contains(&reading.rules.title), "{line}");
            assert!(
                ["(attested)", "(reconstructed)", "(conjecture)"].iter().any(|c| line.ends_with(c)),
                "{line}"
            );
        }
    }

    #[test]
    fn rulesets_explains_a_reading_in_words() {
        for id in known_ids() {
            let text = good(&["rulesets", id]);
            for kind in &reading(id).rules.kinds {
                assert!(text.contains(&kind.name), "{id}: no {} in {text}", kind.name);
            }
            assert!(text.contains(&reading(id).rules.source.citation), "{text}");
        }
        bad(1, &["rulesets", "chess"], &["no ruleset \"chess\""]);
    }

    #[test]
    fn check_reports_every_problem_of_every_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let (fine, bad, gone) = (path("fine.toml"), path("bad.toml"), path("gone.toml"));
        fs::write(&fine, builtin_text("cazaux-musser").unwrap()).unwrap();
        fs::write(&bad, "id = \"mine\"\nextends = \"murray\"\ntitel = \"x\"\n[end]\nstalemate = \"lost\"\n")
            .unwrap();
        let only = good(&["check", &fine]);
        assert!(only.starts_with(&format!("{fine}: ok: cazaux-musser, ")), "{only}");
        let ran = acedrex(&["check", &bad, &gone, &fine]);
        assert_eq!((ran.code, ran.err.as_str()), (1, ""));
        let lines: Vec<&str> = ran.out.lines().collect();
        assert_eq!(lines.len(), 4, "{}", ran.out);
        assert!(
            lines[0].starts_with(&format!("{bad}:3: found unknown key \"titel\", expected ")),
            "{}",
            lines[0]
        );
        assert!(lines[0].ends_with("did you mean title?"), "{}", lines[0]);
        assert!(lines[1].starts_with(&format!("{bad}:5: found stalemate = \"lost\", expected draw or ")));
        assert!(lines[2].starts_with(&format!("{gone}: cannot be read: ")), "{}", lines[2]);
        assert_eq!(format!("{}\n", lines[3]), only);
    }

    #[test]
    fn show_has_board_side_count_and_outcome() {
        let out = good(&["show"]);
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(lines[1], "12  r l u g c a k c g u l r");
        assert_eq!(lines[12], " 1  R L U G C A K C G U L R");
        assert_eq!(lines[13], "    a b c d e f g h i j k l");
        assert_eq!(lines[15..], ["white to move", "59 legal moves", "ongoing"]);
        let checked = good(&["show", "--fen", "k11/12/12/12/12/12/12/12/12/12/12/K4r6 w - 0 1"]);
        assert!(checked.contains("white to move, in check\n"), "{checked}");
        assert!(good(&["show", "--fen", STALEMATE]).ends_with("0 legal moves\ndraw: stalemate\n"));
    }

    #[test]
    fn moves_are_sorted_bytewise_and_ignore_end_rules() {
        let out = good(&["moves", "--ruleset", "murray"]);
        let moves: Vec<&str> = out.lines().collect();
        assert_eq!(moves.len(), 57);
        assert!(moves.is_sorted());
        let text = good(&["moves", "--fen", "12/8P3/12/12/12/12/12/k11/12/12/12/6K5 w - 0 1"]);
        assert!(text.contains("i11i12g\n"), "{text}");
        // Bare kings and a full count end the game, not the list.
        assert_eq!(
            good(&["moves", "--ruleset", "murray", "--fen", &KINGS.replace("0 1", "200 1")]),
            "a1a2\na1b1\na1b2\n"
        );
    }

    #[test]
    fn moves_prints_nothing_if_there_are_none() {
        assert_eq!(good(&["moves", "--fen", STALEMATE]), "");
        assert_eq!(good(&["moves", "--die", "7", "--fen", KINGS]), "");
        assert_eq!(good(&["moves", "--die", "8", "--fen", KINGS]), "a1a2\na1b1\na1b2\n");
    }

    #[test]
    fn dice_name_one_kind() {
        let die = |n: &str| good(&["moves", "--die", n]).lines().count();
        let counts = ["1", "2", "3", "4", "5", "6", "7", "8"].map(die);
        assert_eq!((counts[0], counts[4], counts.iter().sum::<usize>()), (12, 4, 59));
        for n in ["0", "9", "-1", "x"] {
            bad(2, &["moves", "--die", n], &[n]);
            bad(2, &["search", "--die", n], &[n]);
        }
        bad(1, &["moves", "--ruleset", "shatranj", "--die", "8"], &["face 8", "shatranj"]);
    }

    #[test]
    fn outcome_ends_with_the_words_of_the_issue() {
        let is = |id: &str, fen: &str, outcome: &str| {
            assert_eq!(last_line(&["outcome", "--ruleset", id, "--fen", fen]), outcome, "{id} {fen}");
        };
        is("murray", KINGS, "draw: bare-king");
        is("cazaux-musser", KINGS, "ongoing");
        is("cazaux-musser", &KINGS.replace("0 1", "200 1"), "draw: no-progress");
        is("cazaux-musser", STALEMATE, "draw: stalemate");
        is("chess-variant-pages", STALEMATE, "draw: stalemate");
        is("cazaux-musser", "k10R/10R1/12/12/12/12/12/12/12/12/12/K11 b - 0 1", "white wins: checkmate");
        is("cazaux-musser", "k11/12/12/12/12/12/12/12/12/12/10r1/K10r w - 0 1", "black wins: checkmate");
        is("wikipedia-2023", "k10r/12/12/12/12/12/12/12/12/12/12/K11 w - 0 1", "black wins: bare-king");
        assert_eq!(last_line(&["outcome"]), "ongoing");
        let shuffle = "a1b2 a12b11 b2a1 b11a12 ".repeat(2);
        assert_eq!(last_line(&["outcome", "--fen", KINGS, "--moves", &shuffle]), "draw: repetition");
        assert_eq!(
            last_line(&["outcome", "--fen", KINGS, "--moves", &shuffle[..shuffle.len() - 8]]),
            "ongoing"
        );
    }

    #[test]
    fn outcome_refuses_a_move_that_is_not_legal_and_says_which() {
        assert_eq!(last_line(&["outcome", "--moves", "a4a5 a9a8"]), "ongoing");
        assert_eq!(last_line(&["outcome", "--moves", "  a4a5\t a9a8 "]), "ongoing");
        bad(
            1,
            &["outcome", "--moves", "a4a5 a4a6"],
            &["move 2", "a4a6 is not legal here", "no man stands on a4"],
        );
        bad(1, &["outcome", "--moves", "a4a5 xx"], &["move 2", "found \"xx\", expected a move such as"]);
        bad(1, &["outcome", "--moves", "a9a8"], &["white is to move"]);
        bad(1, &["outcome", "--moves", "a4a6"], &["the pawn on a4 does not go to a6"]);
        bad(1, &["outcome", "--moves", "a4a5r"], &["it is no promotion"]);
    }

    #[test]
    fn perft_ends_with_the_count_whatever_the_threads() {
        for (id, depth, nodes) in [
            ("cazaux-musser", "0", 1),
            ("cazaux-musser", "1", 59),
            ("cazaux-musser", "2", 3_481),
            ("cazaux-musser", "3", 206_209),
            ("murray", "3", 182_115),
            ("chess-variant-pages", "2", 5_041),
            ("shatranj", "4", 68_122),
        ] {
            for threads in ["1", "2"] {
                let out = good(&["perft", depth, "--ruleset", id, "--threads", threads]);
                let lines: Vec<&str> = out.lines().collect();
                assert_eq!(lines.len(), 2, "{out}");
                assert!(lines[0].contains(" M nodes/s"), "{out}");
                assert_eq!(lines[1], format!("nodes {nodes}"));
            }
        }
        assert_eq!(last_line(&["perft", "2", "--fen", STALEMATE]), "nodes 0");
    }

    #[test]
    fn perft_divide_adds_up() {
        for threads in ["1", "2"] {
            let out = good(&["perft", "3", "--ruleset", "murray", "--divide", "--threads", threads]);
            let lines: Vec<&str> = out.lines().collect();
            let counts: Vec<(&str, u64)> = lines[..lines.len() - 2]
                .iter()
                .map(|line| line.split_once(' ').unwrap())
                .map(|(mv, count)| (mv, count.parse().unwrap()))
                .collect();
            assert_eq!(counts.len(), 57);
            assert!(counts.is_sorted_by_key(|(mv, _)| *mv));
            assert_eq!(counts.iter().map(|(_, count)| count).sum::<u64>(), 182_115);
            assert_eq!(lines.last(), Some(&"nodes 182115"));
        }
        assert_eq!(good(&["perft", "1", "--divide", "--fen", KINGS]).lines().count(), 3 + 2);
    }

    #[test]
    fn perft_suites_count_positions_and_fail_on_a_mismatch() {
        let folder = tempfile::tempdir().unwrap();
        let suite = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            path.to_str().unwrap().to_owned()
        };
        let two =
            format!("# two\n\nid a\nepd {KINGS}\nperft 1 3\nperft 2 9\n\nid b\nepd {KINGS}\nperft 1 3\n");
        assert_eq!(good(&["perft", "--suite", &suite("murray.perft", &two)]), "2 passed, 0 failed\n");
        // The ruleset is the file's stem unless it is named.
        // A position none of whose counts is small enough was not checked.
        assert_eq!(
            good(&["perft", "--suite", &suite("murray.perft", &two), "--max-nodes", "0"]),
            "0 passed, 0 failed\n"
        );
        let other = suite("other.perft", &two);
        bad(1, &["perft", "--suite", &other], &["no ruleset \"other\"", "--ruleset", "murray"]);
        assert_eq!(good(&["perft", "--suite", &other, "--ruleset", "ludii"]), "2 passed, 0 failed\n");
        let wrong = suite("murray.perft", &two.replace("perft 2 9", "perft 2 10"));
        let ran = acedrex(&["perft", "--suite", &wrong]);
        assert_eq!((ran.code, ran.err.as_str()), (1, ""));
        assert_eq!(ran.out, format!("{wrong}:4: a: perft 2: found 9, expected 10\n1 passed, 1 failed\n"));
        // A larger line is skipped, wrong or not.
        assert_eq!(good(&["perft", "--suite", &wrong, "--max-nodes", "9"]), "2 passed, 0 failed\n");
        // A position that does not read fails, and the others are still counted.
        let illegal = suite("murray.perft", &two.replacen("/K11 w", "/11 w", 1));
        let ran = acedrex(&["perft", "--suite", &illegal]);
        assert_eq!(ran.code, 1);
        assert!(
            ran.out.ends_with("\n1 passed, 1 failed\n") && ran.out.contains("rank 1: found"),
            "{}",
            ran.out
        );
        bad(1, &["perft", "--suite", &suite("murray.perft", "")], &["found no position"]);
        bad(
            1,
            &["perft", "--suite", &suite("murray.perft", "perft 1 3")],
            &[":1: found perft before any position"],
        );
        bad(1, &["perft", "--suite", &suite("murray.perft", "epd x\nfoo")], &[":2: found \"foo\""]);
        bad(1, &["perft", "--suite", "no-such.perft"], &["cannot read the suite no-such.perft"]);
        let started = data("perft/murray.perft");
        let limited = good(&["perft", "--suite", started.to_str().unwrap(), "--max-nodes", "100"]);
        assert!(limited.ends_with(" passed, 0 failed\n"), "{limited}");
    }

    #[test]
    fn a_suite_s_depth_is_bounded_so_that_its_count_ends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("murray.perft");
        fs::write(&path, format!("epd {KINGS}\nperft 4294967295 1\n")).unwrap();
        bad(1, &["perft", "--suite", path.to_str().unwrap()], &[":2: found", "the depth at most 64"]);
    }

    #[test]
    fn search_ends_with_a_legal_best_move() {
        let moves = good(&["moves", "--ruleset", "murray"]);
        for limit in [["--nodes", "2000"], ["--depth", "2"], ["--movetime", "20"]] {
            let out = good(&[&["search", "--ruleset", "murray", "--hash", "1"], &limit[..]].concat());
            let lines: Vec<&str> = out.lines().collect();
            let (last, info) = lines.split_last().unwrap();
            let best = last.strip_prefix("bestmove ").unwrap();
            assert!(moves.lines().any(|mv| mv == best), "{out}");
            assert!(!info.is_empty() && info.iter().all(|line| line.starts_with("info depth ")), "{out}");
        }
        assert_eq!(last_line(&["search", "--fen", STALEMATE]), "bestmove none");
        let capture = "k11/12/12/12/12/12/12/12/12/12/p11/K11 w - 0 1";
        assert_eq!(last_line(&["search", "--nodes", "500", "--fen", capture]), "bestmove a1a2");
    }

    #[test]
    fn search_with_dice_plays_the_kind_that_was_thrown() {
        let out = last_line(&["search", "--die", "4", "--nodes", "2000"]);
        let moves = good(&["moves", "--die", "4"]);
        assert!(moves.lines().any(|mv| out == format!("bestmove {mv}")), "{out}");
        assert_eq!(last_line(&["search", "--die", "7", "--nodes", "100", "--fen", KINGS]), "bestmove none");
    }

    #[test]
    fn the_same_nodes_give_the_same_move() {
        let search = || last_line(&["search", "--ruleset", "ludii", "--nodes", "3000", "--hash", "2"]);
        assert_eq!(search(), search());
    }

    #[test]
    fn weights_are_printed_as_a_file_that_search_takes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("w.toml");
        for arguments in
            [&["weights", "--ruleset", "murray"][..], &["weights", "--ruleset", "murray", "--from-mobility"]]
        {
            fs::write(&path, good(arguments)).unwrap();
            let search =
                ["search", "--nodes", "200", "--ruleset", "murray", "--weights", path.to_str().unwrap()];
            assert!(last_line(&search).starts_with("bestmove "));
        }
    }

    #[test]
    fn bench_ends_with_nodes_and_speed() {
        let last = last_line(&["bench"]);
        let words: Vec<&str> = last.split(' ').collect();
        assert_eq!((words.len(), words[0], words[2], words[4]), (5, "bench", "nodes", "nps"), "{last}");
        assert!(words[1].parse::<u64>().unwrap() > 10_000 && words[3].parse::<u64>().unwrap() > 0, "{last}");
    }
}

mod mistakes {
    use super::*;

    #[test]
    fn unknown_flags_and_commands_exit_with_2() {
        for command in COMMANDS {
            bad(2, &[command, "--nope"], &["--nope", "Usage: acedrex"]);
        }
        bad(2, &["serach"], &["serach", "search"]);
        bad(2, &[], &["Usage: acedrex"]);
        bad(2, &["check"], &["<FILE>"]);
        bad(2, &["perft"], &["<DEPTH>"]);
        bad(2, &["perft", "-1"], &[]);
        bad(2, &["perft", "x"], &["invalid value 'x'"]);
        bad(2, &["perft", "65"], &["0..=64"]);
        bad(2, &["perft", "1", "--threads", "0"], &["--threads"]);
        bad(2, &["perft", "1", "--max-nodes", "5"], &["cannot be used with"]);
        bad(2, &["perft", "--max-nodes", "5"], &["--suite <FILE>"]);
        bad(2, &["perft", "1", "--suite", "x.perft"], &["cannot be used with"]);
        bad(2, &["perft", "--suite", "x.perft", "--divide"], &["cannot be used with"]);
        bad(2, &["search", "--nodes", "5", "--depth", "1"], &["cannot be used with"]);
        bad(2, &["search", "--nodes", "0"], &["--nodes"]);
        bad(2, &["moves", "--fen"], &["--fen"]);
        bad(2, &["moves", "--ruleset", "murray", "--ruleset", "ludii"], &["--ruleset"]);
    }

    #[test]
    fn an_unknown_id_lists_the_known_ones_wherever_it_stands() {
        for command in [&["show"][..], &["moves"], &["outcome"], &["perft", "1"], &["search"]] {
            let error = bad(1, &[command, &["--ruleset", "muray"]].concat(), &["no ruleset \"muray\""]);
            assert!(error.contains("did you mean murray?"), "{error}");
            assert!(known_ids().all(|id| error.contains(id)), "{error}");
        }
        bad(1, &["show", "--ruleset", ""], &["cazaux-musser"]);
        bad(
            1,
            &["show", "--ruleset", "no/such.toml"],
            &["cannot read the ruleset file no/such.toml", "os error"],
        );
    }

    #[test]
    fn a_user_s_file_works_wherever_an_id_does() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            path.to_str().unwrap().to_owned()
        };
        // A built-in text under another id; a child of a built-in; a child of a file beside it.
        let whole =
            builtin_text("cazaux-musser").unwrap().replace("id = \"cazaux-musser\"", "id = \"whole\"");
        let whole = write("whole.toml", &whole);
        let child =
            write("child.toml", "id = \"child\"\nextends = \"cazaux-musser\"\n[end]\nstalemate = \"wins\"\n");
        let beside =
            write("beside.toml", "id = \"beside\"\nextends = \"./child.toml\"\ntitle = \"Beside\"\n");
        for path in [&whole, &child, &beside] {
            assert!(good(&["rulesets", path]).contains("rhinoceros"));
            assert!(good(&["check", path]).contains(": ok: "));
            assert!(good(&["show", "--ruleset", path]).contains("59 legal moves"));
            assert_eq!(good(&["moves", "--ruleset", path]), good(&["moves"]));
            assert_eq!(last_line(&["perft", "2", "--ruleset", path]), "nodes 3481");
            assert!(last_line(&["search", "--nodes", "200", "--ruleset", path]).starts_with("bestmove "));
            let suite = write("any.perft", &format!("epd {KINGS}\nperft 1 3\n"));
            assert_eq!(good(&["perft", "--suite", &suite, "--ruleset", path]), "1 passed, 0 failed\n");
        }
        let outcome = |path: &str| last_line(&["outcome", "--fen", STALEMATE, "--ruleset", path]);
        assert_eq!(outcome(&whole), "draw: stalemate");
        assert_eq!(
            (outcome(&child), outcome(&beside)),
            ("white wins: stalemate".into(), "white wins: stalemate".into())
        );
        let broken =
            write("broken.toml", "id = \"broken\"\nextends = \"cazaux-musser\"\n[board]\nfiles = 13\n");
        bad(1, &["moves", "--ruleset", &broken], &["broken.toml:4: found files = 13, expected 1 to 12"]);
    }

    #[test]
    fn a_weights_file_is_read_and_one_of_other_rules_refused() {
        use acedrex_engine::eval::Weights;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("w.toml");
        let murray = reading("murray");
        fs::write(&path, Weights::from_mobility(&murray).to_toml(&murray.rules, "a test")).unwrap();
        let search =
            |id| acedrex(&["search", "--nodes", "200", "--ruleset", id, "--weights", path.to_str().unwrap()]);
        assert_eq!(search("murray").code, 0);
        let other = search("ludii");
        assert_eq!((other.code, other.out.as_str()), (1, ""));
        assert!(other.err.contains("fingerprint"), "{}", other.err);
        bad(1, &["search", "--weights", "no-such.toml"], &["cannot read the weights file no-such.toml"]);
    }
}
