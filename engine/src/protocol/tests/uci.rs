use super::{Builtin, Ending, Loader, Protocol, Talk};
use crate::game::Position;
use crate::protocol::MAX_LINE;

const START: &str = "rlugcakcgulr/12/12/pppppppppppp/12/12/12/12/PPPPPPPPPPPP/12/12/RLUGCAKCGULR w g1g12 0 1";
const MATE_IN_ONE: &str = "k11/10R1/12/12/12/12/12/12/12/12/12/4K6R w - 0 1";
const MATED: &str = "k10R/10R1/12/12/12/12/12/12/12/12/12/4K7 b - 0 1";

fn uci() -> Talk {
    Talk::new(Protocol::Uci)
}

fn ask(talk: &Talk, lines: &str) -> Vec<String> {
    talk.ask(lines, "isready", "readyok")
}

fn fen(talk: &Talk) -> String {
    let lines = ask(talk, "d");
    lines.into_iter().find(|line| line.contains('/')).unwrap()
}

fn start() -> Position {
    Position::start(&Builtin.reading("cazaux-musser").unwrap())
}

/// The word after this one.
fn after<'a>(line: &'a str, word: &str) -> &'a str {
    let mut words = line.split(' ').skip_while(|found| *found != word);
    words.next();
    words.next().unwrap_or_else(|| panic!("no {word} in {line}"))
}

#[test]
fn it_introduces_itself() {
    let talk = uci();
    talk.say("uci");
    let text = talk.until("uciok").join("\n");
    for name in
        ["Hash", "Threads", "UCI_Variant", "RulesetFile", "WeightsFile", "MultiPV", "UCI_ShowWDL", "Ponder"]
    {
        assert!(text.contains(&format!("\noption name {name} type ")), "{name}: {text}");
    }
    assert!(text.contains("default cazaux-musser var cazaux-musser var murray "), "{text}");
    assert_eq!(ask(&talk, "  frobnicate\tit "), ["info string Unknown command: frobnicate it"]);
}

#[test]
fn positions_are_set_and_kept() {
    let talk = uci();
    assert_eq!(fen(&talk), START);
    assert!(ask(&talk, "position startpos moves a4a5 a9a8").is_empty());
    let here = fen(&talk);
    assert!(here.starts_with("rlugcakcgulr/12/12/1ppppppppppp/p11/"), "{here}");
    for bad in
        ["position", "position fen", "position here", "position fen 12/12 w - 0 1", "position startposmoves"]
    {
        let lines = ask(&talk, bad);
        assert!(lines.len() == 1 && lines[0].starts_with("info string "), "{bad}: {lines:?}");
        assert_eq!(fen(&talk), here, "{bad}");
    }
    let lines = ask(&talk, "position startpos moves a4a5 a9a8 a5a7 b4b5");
    assert!(lines[0].starts_with("info string Illegal move: a5a7 is not legal here"), "{lines:?}");
    assert_eq!(fen(&talk), here);
    ask(&talk, &format!("position fen {MATED}"));
    assert_eq!(fen(&talk), MATED);
    ask(&talk, "ucinewgame");
    assert_eq!(fen(&talk), START);
    let text = ask(&talk, "d").join("\n");
    assert!(text.contains("Legal moves: 59\nState: ongoing"), "{text}");
    assert!(ask(&talk, "eval")[0].starts_with("Evaluation: "));
    assert!(ask(&talk, "bench")[0].starts_with("bench 42 nodes "));
}

#[test]
fn every_limit_ends_a_search_with_a_legal_move() {
    let talk = uci();
    for go in [
        "go depth 3",
        "go nodes 2000",
        "go movetime 5",
        "go wtime 100 btime 100 winc 10 binc 10",
        "go wtime 1 btime 1",
        "go wtime -20 btime 5",
        "go wtime 1000 btime 1000 movestogo 1 depth 2",
        "go mate 3 depth 2",
        "go depth 0",
        "go nodes 0",
    ] {
        talk.say(go);
        let best = talk.rest("bestmove");
        let mv = best.split(' ').next().unwrap();
        assert!(start().parse_move(mv).is_ok(), "{go}: {best}");
    }
    talk.say("go depth 3");
    let lines = talk.until("bestmove");
    for (depth, line) in (1..).zip(&lines[..lines.len() - 1]) {
        assert!(line.starts_with(&format!("info depth {depth} seldepth ")), "{line}");
        for word in ["multipv", "cp", "nodes", "nps", "hashfull", "time"] {
            after(line, word).parse::<i64>().unwrap();
        }
        assert!(start().parse_move(after(line, "pv")).is_ok());
    }
    assert_eq!(lines.len(), 4);
    let best = lines.last().unwrap();
    assert_eq!(after(best, "bestmove"), after(&lines[2], "pv"));
    assert!(best.contains(" ponder "), "{best}");
}

#[test]
fn a_go_that_is_not_understood_is_answered_too() {
    let talk = uci();
    for (bad, word) in [
        ("go depth", "depth: found \"nothing\""),
        ("go depth x", "depth: found \"x\""),
        ("go movetime 1.5", "movetime: found \"1.5\""),
        ("go movetime -1", "movetime: found \"-1\""),
        ("go wtime btime 1000", "wtime: found \"nothing\""),
        ("go mate +", "mate: found \"+\""),
        ("go perft no", "perft: found \"no\""),
    ] {
        talk.say(bad);
        let lines = talk.until("bestmove");
        assert!(
            lines[0].starts_with(&format!("info string go {word}, expected a whole number")),
            "{lines:?}"
        );
        assert!(lines.len() == 3 && lines[1].starts_with("info depth 1 "), "{bad}: {lines:?}");
    }
    for odd in ["go nowhere depth 2", "go depth 2 nowhere fast"] {
        talk.say(odd);
        let lines = talk.until("bestmove");
        assert!(lines[0].starts_with("info string go: \"nowhere\" is ignored"), "{lines:?}");
        assert!(lines.len() == 4 && lines[2].starts_with("info depth 2 "), "{odd}: {lines:?}");
    }
    // What is too large to hold is as good as no limit.
    talk.say("go nodes 99999999999999999999999 depth 2 mate 99999999999 movetime 99999999999999999999");
    assert_eq!(talk.until("bestmove").len(), 3);
}

#[test]
fn a_go_whose_limit_is_misspelt_does_not_search_without_end() {
    let talk = uci();
    for (bad, word) in [
        ("go foo", "foo"),
        ("go dept 5", "dept"),
        ("go movetimes 100 winc 5", "movetimes"),
        ("go depth -1 dept 5", "depth"),
    ] {
        talk.say(bad);
        let lines = talk.until("bestmove");
        assert!(lines[0].starts_with("info string go") && lines[0].contains(word), "{lines:?}");
        assert!(lines[0].ends_with("; the search is one ply deep"), "{lines:?}");
        assert!(lines.len() == 3 && lines[1].starts_with("info depth 1 "), "{bad}: {lines:?}");
    }
    // Where an end is said, or that there is none, the word is passed over.
    talk.say("go nowhere infinite");
    talk.until("info depth 2 ");
    talk.say("stop");
    talk.until("bestmove");
}

#[test]
fn a_search_is_ended_by_what_follows() {
    let talk = uci();
    talk.say("go infinite");
    talk.until("info depth 2 ");
    // It answers while it thinks.
    talk.say("isready\nnonsense");
    talk.until("readyok");
    talk.until("info string Unknown command");
    talk.say("stop");
    talk.until("bestmove");
    // Every `go` has one answer.
    for end in ["ucinewgame", "position startpos", "setoption name Hash value 2", "go depth 1", "bench"] {
        talk.say("go");
        talk.until("info depth 1 ");
        talk.say(end);
        talk.until("bestmove");
    }
    ask(&talk, "stop\nstop\nponderhit");
    talk.say("go infinite\nquit");
    let (ending, lines) = talk.end();
    assert_eq!(ending, Ending::Quit);
    assert!(!lines.iter().any(|line| line.starts_with("bestmove")), "{lines:?}");
}

#[test]
fn an_infinite_search_holds_its_answer_until_stop() {
    let talk = uci();
    talk.say("go infinite depth 1");
    talk.until("info depth 1 ");
    for _ in 0..20 {
        assert!(ask(&talk, "").is_empty());
    }
    talk.say("stop");
    talk.until("bestmove");
}

#[test]
fn a_ponder_search_holds_its_answer_until_the_hit() {
    let talk = uci();
    talk.say("go ponder depth 2");
    talk.until("info depth 2 ");
    for _ in 0..20 {
        assert!(ask(&talk, "").is_empty());
    }
    talk.say("ponderhit");
    talk.until("bestmove");
    // Time runs from the hit: without it this would go on.
    talk.say("go ponder wtime 50 btime 50");
    talk.until("info depth 1 ");
    talk.say("ponderhit");
    talk.until("bestmove");
    talk.say("go ponder movetime 5");
    talk.until("info depth 2 ");
    talk.say("stop");
    talk.until("bestmove");
    talk.say("go ponder infinite depth 1");
    talk.until("info depth 1 ");
    assert!(ask(&talk, "ponderhit").is_empty());
    talk.say("stop");
    talk.until("bestmove");
}

#[test]
fn several_lines_and_chosen_moves() {
    let talk = uci();
    talk.say("setoption name MultiPV value 3\ngo depth 3");
    let lines = talk.until("bestmove");
    let infos = &lines[..lines.len() - 1];
    assert_eq!(infos.len(), 9);
    for (at, line) in infos.iter().enumerate() {
        assert_eq!(after(line, "multipv"), (at % 3 + 1).to_string());
    }
    let mut firsts: Vec<&str> = infos[6..].iter().map(|line| after(line, "pv")).collect();
    firsts.sort_unstable();
    firsts.dedup();
    assert_eq!(firsts.len(), 3);
    talk.say("setoption name multipv value 1\ngo searchmoves b4b5 a4a5 depth 3");
    let best = talk.rest("bestmove");
    assert!(best.starts_with("b4b5") || best.starts_with("a4a5"), "{best}");
    let lines = {
        talk.say("go depth 1 searchmoves b4b9 c4c5");
        talk.until("bestmove c4c5")
    };
    assert!(lines[0].starts_with("info string searchmoves: b4b9 is not legal"), "{lines:?}");
}

#[test]
fn mates_are_found_and_mated_sides_have_no_move() {
    let talk = uci();
    talk.say(&format!("position fen {MATE_IN_ONE}\ngo mate 1"));
    let lines = talk.until("bestmove");
    assert!(lines[lines.len() - 2].contains(" score mate 1 "), "{lines:?}");
    assert!(lines.last().unwrap().starts_with("bestmove l1l12"), "{lines:?}");
    for go in ["go depth 3", "go infinite", "go ponder", "go wtime 100"] {
        talk.say(&format!("position fen {MATED}\n{go}"));
        assert_eq!(talk.rest("bestmove"), "(none)", "{go}");
    }
}

#[test]
fn options_are_checked() {
    let talk = uci();
    ask(&talk, "setoption name UCI_Variant value murray");
    assert!(fen(&talk).ends_with("w c1f1j1c12f12j12 0 1"));
    for good in [
        "setoption name Hash value 99999999999",
        "setoption name Threads value 2",
        "setoption name UCI_ShowWDL value true",
        "setoption name WeightsFile value a/good",
        "setoption name WeightsFile value <empty>",
        "setoption name Ponder value true",
        "setoption name MoveOverhead value 5",
        "setoption name ClearHash",
    ] {
        assert_eq!(ask(&talk, good), Vec::<String>::new(), "{good}");
    }
    for bad in [
        "setoption",
        "setoption name",
        "setoption name Nonesuch value 3",
        "setoption name Hash value many",
        "setoption name Hash",
        "setoption name UCI_Variant value chess",
        "setoption name UCI_ShowWDL value perhaps",
        "setoption name Threads value 3",
        "setoption name RulesetFile value no/such/file",
        "setoption name WeightsFile value no/such/file",
    ] {
        let lines = ask(&talk, bad);
        assert!(lines.len() == 1 && lines[0].starts_with("info string "), "{bad}: {lines:?}");
    }
    assert!(fen(&talk).ends_with("w c1f1j1c12f12j12 0 1"));
    talk.say("go depth 2");
    let lines = talk.until("bestmove");
    let wdl = lines.iter().find(|line| line.contains(" wdl ")).unwrap();
    let words: Vec<&str> = wdl.split(' ').skip_while(|word| *word != "wdl").skip(1).take(3).collect();
    assert_eq!(words.iter().map(|word| word.parse::<u32>().unwrap()).sum::<u32>(), 1_000);
    ask(&talk, "setoption name RulesetFile value <empty>");
    assert_eq!(fen(&talk), START);
}

#[test]
fn fairy_max_s_name_of_a_variant_is_taken_too() {
    let talk = uci();
    talk.say("uci");
    assert!(talk.until("uciok").iter().any(|line| line.ends_with(" var courier var grande-acedrex")));
    ask(&talk, "setoption name UCI_Variant value murray");
    assert_ne!(fen(&talk), START);
    assert_eq!(ask(&talk, "setoption name UCI_Variant value grande-acedrex"), Vec::<String>::new());
    assert_eq!(fen(&talk), START);
}

#[test]
fn perft_counts_and_can_be_stopped() {
    let talk = uci();
    talk.say("go perft 3");
    let lines = talk.until("Nodes searched:");
    assert_eq!(lines.last().unwrap(), "Nodes searched: 206209");
    assert_eq!(lines.len(), 61);
    talk.say("go perft 0");
    assert_eq!(talk.rest("Nodes searched:"), "1");
    talk.say("go perft 4000000000\nisready");
    talk.until("readyok");
    talk.say("stop");
    let lines = talk.until("Nodes searched:");
    assert!(lines.iter().any(|line| line.contains("perft was stopped")));
}

#[test]
fn long_lines_are_dropped_and_long_games_are_read() {
    let talk = uci();
    let lines = ask(&talk, &"x".repeat(MAX_LINE + 1));
    assert_eq!(lines, [format!("info string line dropped: longer than {MAX_LINE} bytes")]);
    let moves = "c1b3 c12b10 b3c1 b10c12 ".repeat(2_000);
    assert!(ask(&talk, &format!("position startpos moves {moves}")).is_empty());
    assert!(fen(&talk).ends_with(" 8000 4001"), "{}", fen(&talk));
    talk.say("go depth 2");
    talk.until("bestmove");
}
