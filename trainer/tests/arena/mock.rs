use std::io::{BufRead, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

use acedrex_engine::cli::load_reading;
use acedrex_engine::game::Position;

use super::{MODE, PIDS};

fn note(ending: &str, text: &str) {
    let path = std::env::var(PIDS).unwrap() + ending;
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
    writeln!(file.unwrap(), "{text}").unwrap();
}

/// In mode `gate`: waits for ever once as many games have begun as the file with `.gate` allows.
fn gate(mode: &str) {
    if mode != "gate" {
        return;
    }
    note(".games", "");
    let pids = std::env::var(PIDS).unwrap();
    let begun = std::fs::read_to_string(pids.clone() + ".games").unwrap().lines().count();
    let allowed = std::fs::read_to_string(pids + ".gate").unwrap().trim().parse().unwrap();
    if begun > allowed {
        loop {
            std::thread::park();
        }
    }
}

/// No test of its own: the other tests run this program as a UCI engine by naming it.
#[test]
#[expect(clippy::zombie_processes, reason = "that the match kills it is what is tested")]
fn uci_engine_of_these_tests() {
    let Ok(mode) = std::env::var(MODE) else { return };
    let reading = load_reading("murray").unwrap();
    let mut position = Position::start(&reading);
    let mut out = std::io::stdout();
    let mut say = |text: &str| writeln!(out, "{text}").and_then(|()| out.flush()).unwrap();
    // A process of its own, that must end with it.
    let child = Command::new("sleep").arg("600").stdout(Stdio::null()).spawn().unwrap();
    note("", &format!("{}\n{}", std::process::id(), child.id()));
    let mut fresh = true;
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
        if !["position", "isready"].contains(&word) {
            note(".said", &line);
        }
        match word {
            "uci" => {
                say("id name mock\noption name Move Style type string default calm");
                say(match mode.as_str() {
                    "combo" => "option name UCI_Variant type combo default chess var chess var ludii",
                    "told" => "option name UCI_Variant type combo default murray var chess",
                    _ => "option name UCI_Variant type string default chess",
                });
                say("uciok");
            }
            "isready" => say("readyok"),
            "setoption" if rest.ends_with("value bad") => say("info string Error: no such style"),
            "ucinewgame" => fresh = true,
            "position" => {
                position = Position::start(&reading);
                let moves = rest.strip_prefix("startpos moves ").unwrap();
                for mv in moves.split(' ') {
                    position.play(position.parse_move(mv).unwrap());
                }
            }
            "go" => {
                if std::mem::take(&mut fresh) {
                    gate(&mode);
                }
                match mode.as_str() {
                    "legal" | "told" | "gate" | "slow" => {
                        if mode == "slow" {
                            std::thread::sleep(Duration::from_millis(60));
                        }
                        let mv = *position.legal_moves().iter().min().unwrap();
                        say(&format!("info depth 3 score cp -12\nbestmove {}", position.format_move(mv)));
                    }
                    "illegal" => say("bestmove a1a12"),
                    "none" => say("bestmove (none)"),
                    "crash" => std::process::exit(3),
                    "hang" => loop {
                        std::thread::park();
                    },
                    "flood" => {
                        let lines = "info depth 1 score cp 3 pv a4a5\n".repeat(2_000);
                        loop {
                            say(lines.trim_end());
                        }
                    }
                    other => panic!("{other}"),
                }
            }
            _ => {}
        }
    }
}

/// No test of its own either: an engine that speaks CECP, as Fairy-Max does.
#[test]
fn cecp_engine_of_these_tests() {
    let Ok(mode) = std::env::var(MODE) else { return };
    let reading = load_reading("murray").unwrap();
    let mut position = Position::start(&reading);
    let mut out = std::io::stdout();
    let mut say = |text: &str| writeln!(out, "{text}").and_then(|()| out.flush()).unwrap();
    note("", &std::process::id().to_string());
    let mut forced = true;
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
        let mut asked = false;
        match word {
            "protover" => {
                say("feature ping=1 variants=\"normal,murray\" option=\"Move Style -string calm\"");
                say("feature option=\"Claim draw after -spin 50 0 200\" done=1");
            }
            "ping" => say(&format!("pong {rest}")),
            "new" => position = Position::start(&reading),
            "force" => forced = true,
            "go" => (forced, asked) = (false, true),
            "option" if rest.ends_with("=bad") => say("Error (no such style): bad"),
            "xboard" | "post" | "easy" | "variant" | "option" | "level" | "sd" | "st" | "time" | "otim" => {
                note(".said", &line);
                continue;
            }
            _ => {
                position.play(position.parse_move(word).unwrap());
                asked = true;
            }
        }
        if forced || !asked {
            continue;
        }
        let white = position.board().side() == acedrex_engine::types::Color::White;
        match mode.as_str() {
            "cecp-claim" => say("1/2-1/2 {Draw by repetition}"),
            "cecp-win" => say(if white { "1-0" } else { "0-1" }),
            "cecp-lose" => say(if white { "0-1 {mated soon}" } else { "1-0" }),
            "cecp-resign" => say("resign"),
            "cecp-refuse" => say(&format!("Illegal move (no such move): {word}")),
            _ => {
                let mv = *position.legal_moves().iter().min().unwrap();
                say(&format!("1 -12 0 35 a1a2\nmove {}", position.format_move(mv)));
                position.play(mv);
            }
        }
    }
}

/// The real engine, for a command that ends in ` -- ` and its arguments.
#[test]
fn acedrex_of_these_tests() {
    let mut arguments = std::env::args().skip_while(|argument| argument != "--");
    let Some(_) = arguments.next().filter(|_| std::env::var(MODE).as_deref() == Ok("acedrex")) else {
        return;
    };
    let arguments = std::iter::once("acedrex".to_owned()).chain(arguments);
    acedrex_engine::cli::run(arguments, &mut std::io::stdout(), &mut std::io::stderr());
}
