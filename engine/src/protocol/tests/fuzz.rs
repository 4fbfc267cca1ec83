use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::{Protocol, Talk};

const UCI: &[&str] = &[
    "uci",
    "isready",
    "ucinewgame",
    "position startpos",
    "position startpos moves a4a5 a9a8 c1b3",
    "position fen k11/10R1/12/12/12/12/12/12/12/12/12/4K6R w - 0 1 moves l1l11",
    "go depth 2",
    "go nodes 300 searchmoves a4a5 b4b5",
    "go movetime 1",
    "go wtime 10 btime 10 winc 1 binc 1 movestogo 3",
    "go infinite",
    "go ponder wtime 5 btime 5",
    "go mate 1 depth 2",
    "go perft 2",
    "stop",
    "ponderhit",
    "d",
    "eval",
    "bench",
    "setoption name Hash value 2",
    "setoption name Threads value 2",
    "setoption name MultiPV value 3",
    "setoption name UCI_Variant value murray",
    "setoption name UCI_ShowWDL value true",
    "setoption name WeightsFile value x/good",
    "setoption name RulesetFile value courier",
    "setoption name MoveOverhead value 3",
];

const CECP: &[&str] = &[
    "xboard",
    "protover 2",
    "new",
    "variant murray",
    "variant grande-acedrex",
    "variant courier",
    "setboard k11/10R1/12/12/12/12/12/12/12/12/12/4K6R w - 0 1",
    "edit",
    "#",
    "c",
    "Pa4",
    "xa4",
    ".",
    "force",
    "go",
    "playother",
    "level 40 0:01 0.01",
    "st 0.01",
    "sd 2",
    "time 5",
    "otim 5",
    "?",
    "undo",
    "remove",
    "result 1-0 {x}",
    "analyze",
    "exit",
    "post",
    "nopost",
    "hard",
    "easy",
    "memory 2",
    "cores 2",
    "option MultiPV=2",
    "option RulesetFile=ludii",
    "option WeightsFile=x/good",
    "ping 3",
    "usermove a4a5",
    "a9a8",
    "usermove c1b3",
    "hint",
    "draw",
];

/// A line: as it should be, changed in a few places, or anything at all.
fn line(known: &'static [&'static str]) -> impl Strategy<Value = String> {
    let change = (0..6u8, any::<Index>(), any::<char>(), "[a-l0-9 /:.=-]{1,3}");
    let changed = (select(known), vec(change, 1..4)).prop_map(|(line, changes)| {
        let mut chars: Vec<char> = line.chars().collect();
        for (sort, at, any, usual) in changes {
            let at = at.index(chars.len() + 1);
            match sort {
                0 => drop(chars.splice(at..(at + 1).min(chars.len()), [])),
                1 => chars.insert(at, any),
                2 => drop(chars.splice(at..at, usual.chars())),
                3 => chars.truncate(at),
                4 => drop(chars.splice(at..(at + 1).min(chars.len()), usual.chars())),
                _ => chars.extend(chars.clone()),
            }
        }
        chars.into_iter().collect()
    });
    prop_oneof![4 => select(known).prop_map(str::to_owned), 5 => changed, 1 => any::<String>()]
}

const LINES: usize = 40;

/// 4,000 lines, or as many as the environment asks for.
fn conversations() -> ProptestConfig {
    let lines = std::env::var("ACEDREX_FUZZ").ok().and_then(|text| text.parse::<u32>().ok()).unwrap_or(4_000);
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(lines / 40) }
}

fn converse(which: Protocol, lines: &[String], sync: &str, answer: &str) {
    let talk = Talk::new(which);
    for line in lines {
        let line = line.replace(['\n', '\r'], " ");
        if line.trim() != "quit" {
            talk.say(&line);
        }
    }
    talk.say(sync);
    talk.until(answer);
    talk.say("quit");
    talk.end();
}

proptest! {
    #![proptest_config(conversations())]

    #[test]
    fn uci_survives_any_line(lines in vec(line(UCI), LINES)) {
        converse(Protocol::Uci, &lines, "isready\neval", "Evaluation: ");
    }

    #[test]
    fn cecp_survives_any_line(lines in vec(line(CECP), LINES)) {
        // The stop leaves edit mode.
        converse(Protocol::Cecp, &lines, ".\nping 987654", "pong 987654");
    }
}
