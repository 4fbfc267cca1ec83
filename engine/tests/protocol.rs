//! The real `acedrex` over pipes: whole games, and lines of rubbish.
#![allow(clippy::unwrap_used, reason = "a test that meets an error has failed")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use acedrex_engine::cli::load_reading;
use acedrex_engine::game::{Outcome, Position};
use acedrex_engine::types::Color;

/// A running engine; killed when it is dropped.
struct Engine {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Engine {
    fn start(arguments: &[&str]) -> Engine {
        Engine::run(Command::new(env!("CARGO_BIN_EXE_acedrex")).args(arguments))
    }

    fn run(command: &mut Command) -> Engine {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Engine { input: child.stdin.take(), child, lines }
    }

    fn say(&mut self, text: &str) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{text}").unwrap();
        input.flush().unwrap();
    }

    /// Waits for a line that begins so: its rest.
    fn rest(&self, start: &str) -> String {
        loop {
            let line = self.lines.recv_timeout(Duration::from_secs(120));
            let line = line.unwrap_or_else(|_| panic!("no {start:?}"));
            if let Some(rest) = line.strip_prefix(start) {
                return rest.trim().to_owned();
            }
        }
    }

    fn status(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }

    /// Memory in use, in KiB, where the system tells.
    fn memory_kib(&self) -> Option<u64> {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = text.lines().find(|line| line.starts_with("VmRSS:"))?;
        line.split_whitespace().nth(1)?.parse().ok()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One game at 5 ms a move, one side by each protocol; the library says what is legal and when it is over.
fn whole_game(ruleset: &str, uci_plays: Color) {
    let mut uci = Engine::start(&["uci", "--ruleset", ruleset, "--hash", "4"]);
    let mut cecp = Engine::start(&[]);
    uci.say("uci\nisready");
    uci.rest("readyok");
    cecp.say(&format!("xboard\nprotover 2\nnew\nvariant {ruleset}\nmemory 4\nst 0.005"));
    let mut position = Position::start(&load_reading(ruleset).unwrap());
    let mut moves = String::new();
    if uci_plays == Color::Black {
        cecp.say("go");
    }
    while position.outcome() == Outcome::Ongoing {
        let text = if position.board().side() == uci_plays {
            let moves = if moves.is_empty() { String::new() } else { format!(" moves{moves}") };
            uci.say(&format!("position startpos{moves}\ngo movetime 5"));
            let best = uci.rest("bestmove ");
            best.split(' ').next().unwrap().to_owned()
        } else {
            cecp.rest("move ")
        };
        let mv = position.parse_move(&text).unwrap_or_else(|error| panic!("{}: {error}", position.fen()));
        if position.board().side() == uci_plays {
            cecp.say(&format!("usermove {text}"));
        }
        position.play(mv);
        moves.push(' ');
        moves.push_str(&text);
    }
    let claim = match position.outcome() {
        Outcome::Win(Color::White, _) => "1-0 {",
        Outcome::Win(Color::Black, _) => "0-1 {",
        _ => "1/2-1/2 {",
    };
    cecp.rest(claim);
    uci.say("quit");
    assert_eq!(uci.status(), Some(0));
    // The end of the input ends it as well.
    cecp.input = None;
    assert_eq!(cecp.status(), Some(0));
}

#[test]
fn a_whole_game_through_both_protocols() {
    whole_game("cazaux-musser", Color::White);
    whole_game("murray", Color::Black);
}

#[test]
fn a_closed_output_ends_it_quietly() {
    let mut engine = Engine::start(&["xboard"]);
    let (_, nothing) = channel();
    // The thread that reads the output ends at the next line, and closes the pipe.
    engine.lines = nothing;
    engine.say("post\nanalyze");
    assert_eq!(engine.status(), Some(0));
}

#[test]
fn without_a_word_it_prints_help() {
    let mut engine = Engine::start(&[]);
    engine.input = None;
    assert_eq!(engine.status(), Some(2));
}

#[test]
fn a_table_that_does_not_fit_leaves_the_old_one() {
    let start = |protocol: &str| {
        let limited = format!("ulimit -v 2000000; exec {} {protocol}", env!("CARGO_BIN_EXE_acedrex"));
        Engine::run(Command::new("sh").args(["-c", &limited]))
    };
    let mut engine = start("uci");
    engine.say("setoption name Hash value 8\nsetoption name Hash value 60000");
    assert_eq!(engine.rest("info string "), "Hash: 60000 MiB are more than there is, 8 MiB are used");
    engine.say("ucinewgame\nposition startpos\ngo nodes 50");
    engine.rest("bestmove ");
    let mut engine = start("xboard");
    engine.say("xboard\nmemory 60000\nsd 1\nusermove a4a5");
    engine.rest("move ");
}

/// Numbers that look random, the same on every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }
}

/// Known lines and spoilt ones: the engine neither ends nor hangs, and its memory stays flat.
fn rubbish(arguments: &[&str], known: &[&str], sync: &str, answer: &str) {
    let lines = std::env::var("ACEDREX_FUZZ").ok().and_then(|text| text.parse().ok()).unwrap_or(2_000);
    let mut engine = Engine::start(arguments);
    let mut numbers = Numbers(20);
    let mut early = None;
    for number in 0..lines {
        let mut line = known[numbers.below(known.len())].as_bytes().to_vec();
        for _ in 0..numbers.below(4) {
            let at = numbers.below(line.len() + 1);
            let byte = u8::try_from(numbers.below(256)).unwrap();
            match numbers.below(4) {
                0 => line.insert(at, byte),
                1 => line.truncate(at),
                2 => line.extend(line.clone()),
                _ if at < line.len() => line[at] = byte,
                _ => {}
            }
        }
        line.retain(|byte| *byte != b'\n');
        line.push(b'\n');
        engine.input.as_mut().unwrap().write_all(&line).unwrap();
        if number % 200 == 199 {
            engine.say(sync);
            engine.rest(answer);
            if number >= lines / 4 && early.is_none() {
                early = engine.memory_kib();
            }
        }
    }
    engine.say(sync);
    engine.rest(answer);
    if let Some((early, late)) = early.zip(engine.memory_kib()) {
        println!("{lines} lines: {early} KiB, then {late} KiB");
        assert!(late < early + 16 * 1024, "{early} KiB, then {late} KiB");
    }
    engine.say("quit");
    assert_eq!(engine.status(), Some(0));
}

#[test]
fn uci_stands_rubbish() {
    let known = [
        "position startpos moves a4a5 a9a8",
        "position fen k11/10R1/12/12/12/12/12/12/12/12/12/4K6R w - 0 1",
        "go nodes 100",
        "go infinite",
        "go ponder movetime 1",
        "go perft 2",
        "stop",
        "ponderhit",
        "ucinewgame",
        "isready",
        "uci",
        "d",
        "eval",
        "setoption name MultiPV value 2",
        "setoption name UCI_Variant value shatranj",
        "setoption name WeightsFile value nowhere",
    ];
    rubbish(&["uci", "--hash", "1"], &known, "isready", "readyok");
}

#[test]
fn cecp_stands_rubbish() {
    let known = [
        "new",
        "variant murray",
        "variant grande-acedrex",
        "protover 2",
        "usermove a4a5",
        "a9a8",
        "b4b5",
        "go",
        "sd 1",
        "st 0.001",
        "level 40 0:01 0.01",
        "time 1",
        "?",
        "force",
        "playother",
        "analyze",
        "exit",
        "undo",
        "remove",
        "hard",
        "easy",
        "post",
        "edit",
        "Pa4",
        "c",
        "#",
        ".",
        "setboard k11/10R1/12/12/12/12/12/12/12/12/12/4K6R w - 0 1",
        "option WeightsFile=nowhere",
    ];
    rubbish(&["xboard", "--hash", "1"], &known, ".\nping 31415", "pong 31415");
}
