//! Processes that speak UCI.

use std::time::{Duration, Instant};

use acedrex_engine::game::Position;
use acedrex_engine::rules::Reading;
use acedrex_engine::types::{MATE, Score};

use super::limit::Limit;
use super::player::{Answer, Choice, Failure, Fault, Turn};
use super::process::{Dialogue, GRACE, PATIENCE, Process};
use super::spec::Launch;

struct Uci {
    process: Process,
    /// True if the engine can be told the variant.
    variant: bool,
}

/// The handshake, the variant and the options.
pub(super) fn start(
    mut process: Process,
    reading: &Reading,
    launch: &Launch,
) -> Result<Box<dyn Dialogue>, Failure> {
    process.say("uci")?;
    let mut options = Vec::new();
    let mut variants = None;
    process.await_line("uciok", &mut |line| {
        let Some((name, about)) =
            line.strip_prefix("option name ").and_then(|rest| rest.split_once(" type "))
        else {
            return Ok(());
        };
        if name.trim() == VARIANT {
            variants = Some(Variants::of(about));
        }
        options.push(name.trim().to_owned());
        Ok(())
    })?;
    let refuse = |why: String| (Fault::Crash, why);
    launch.expect(&options, |known, name| known.eq_ignore_ascii_case(name)).map_err(refuse)?;
    let mut told = String::new();
    // What the options say of the rules is not taken back.
    let by_option = launch.sets(VARIANT) || launch.sets("RulesetFile");
    match (&variants, &launch.variant) {
        (None, Some(name)) => return Err(refuse(format!("it has no {VARIANT} that could be {name:?}"))),
        (Some(variants), name) if !by_option || name.is_some() => {
            let told_name = name.as_deref().unwrap_or(&reading.rules.id);
            variants.expect(told_name).map_err(refuse)?;
            // An engine that was started with a ruleset file plays by it, and may know no other way to it.
            if variants.default != told_name || name.is_some() {
                told.push_str(&format!("setoption name {VARIANT} value {told_name}\n"));
            }
        }
        _ => {}
    }
    for (name, value) in &launch.options {
        match value {
            Some(value) => told.push_str(&format!("setoption name {name} value {value}\n")),
            None => told.push_str(&format!("setoption name {name}\n")),
        }
    }
    process.say(&format!("{told}isready"))?;
    process.await_line("readyok", &mut |line| match launch.complaint(line) {
        Some(why) if !launch.options.is_empty() => Err((Fault::Crash, why)),
        _ => Ok(()),
    })?;
    Ok(Box::new(Uci { process, variant: variants.is_some() }))
}

/// The option for the rules.
const VARIANT: &str = "UCI_Variant";

/// The variants that an engine says it knows.
struct Variants {
    default: String,
    /// `None` if it may know any.
    listed: Option<Vec<String>>,
}

impl Variants {
    /// From what follows `type`.
    fn of(about: &str) -> Variants {
        let (mut words, mut default, mut listed) = (about.split_whitespace(), String::new(), Vec::new());
        let combo = words.next() == Some("combo");
        while let Some(word) = words.next() {
            match word {
                "default" => default = words.next().unwrap_or("").to_owned(),
                "var" => listed.extend(words.next().map(str::to_owned)),
                _ => {}
            }
        }
        if !listed.contains(&default) && !default.is_empty() {
            listed.push(default.clone());
        }
        Variants { default, listed: combo.then_some(listed) }
    }

    fn expect(&self, name: &str) -> Result<(), String> {
        match &self.listed {
            Some(listed) if !listed.iter().any(|known| known == name) => Err(format!(
                "it does not know the variant {name:?}, expected one of: {}. An acedrex engine is told a ruleset file \
                 by --ruleset FILE in its command",
                listed.join(", ")
            )),
            _ => Ok(()),
        }
    }
}

impl Dialogue for Uci {
    fn new_game(&mut self, _: &Reading) -> Result<(), Failure> {
        self.process.say("ucinewgame\nisready")?;
        self.process.await_line("readyok", &mut |_| Ok(()))
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<Answer, Failure> {
        let start = if self.variant {
            "startpos".to_owned()
        } else {
            let start = Position::start(turn.position.reading());
            format!("fen {}", start.fen())
        };
        let moves =
            if turn.moves.is_empty() { String::new() } else { format!(" moves {}", turn.moves.join(" ")) };
        let ([white, black], [winc, binc]) = (turn.left_ms, turn.increment_ms);
        let (go, patience) = match turn.limit {
            Limit::Nodes(nodes) => (format!("nodes {nodes}"), PATIENCE),
            Limit::Depth(depth) => (format!("depth {depth}"), PATIENCE),
            Limit::Movetime(ms) => (format!("movetime {ms}"), Duration::from_millis(ms) + GRACE),
            Limit::Clock { .. } => (
                format!("wtime {white} btime {black} winc {winc} binc {binc}"),
                Duration::from_millis(turn.left_ms[turn.position.board().side().index()]) + GRACE,
            ),
        };
        self.process.say(&format!("position {start}{moves}\ngo {go}"))?;
        let deadline = Instant::now() + patience;
        let (mut score_cp, mut depth) = (None, None);
        loop {
            let line = self.process.line(deadline)?;
            let mut words = line.split_whitespace();
            match words.next() {
                Some("info") => {
                    let words: Vec<&str> = words.collect();
                    score_cp = score_of(&words).or(score_cp);
                    depth = number_after(&words, "depth").or(depth);
                }
                Some("bestmove") => {
                    let text = words.next().unwrap_or("");
                    if matches!(text, "(none)" | "0000" | "none") {
                        return Ok(Answer::Resigns(format!("bestmove {text} in a game that goes on")));
                    }
                    let mv = turn.position.parse_move(text);
                    let mv = mv.map_err(|error| (Fault::IllegalMove, error.to_string()))?;
                    return Ok(Answer::Plays(Choice { mv, score_cp, depth }));
                }
                _ => {}
            }
        }
    }

    fn process(&self) -> &Process {
        &self.process
    }
}

fn number_after<T: std::str::FromStr>(words: &[&str], name: &str) -> Option<T> {
    let at = words.iter().position(|&word| word == name)?;
    words.get(at + 1)?.parse().ok()
}

fn score_of(words: &[&str]) -> Option<Score> {
    if let Some(moves) = number_after::<i32>(words, "mate").filter(|moves| moves.unsigned_abs() < 128) {
        return Some(if moves > 0 { MATE - 2 * moves + 1 } else { -MATE - 2 * moves });
    }
    number_after::<Score>(words, "cp").map(|cp| cp.clamp(-MATE, MATE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_that_are_listed() {
        let combo = Variants::of("combo default mine var murray var ludii");
        assert_eq!(combo.default, "mine");
        assert!(combo.expect("ludii").is_ok() && combo.expect("mine").is_ok());
        assert!(combo.expect("chess").unwrap_err().contains("murray, ludii, mine"));
        assert!(Variants::of("string default chess").expect("anything").is_ok());
        assert!(Variants::of("combo").expect("anything").is_err());
    }

    #[test]
    fn scores_of_info_lines() {
        let score = |text: &str| score_of(&text.split(' ').collect::<Vec<_>>());
        assert_eq!(score("depth 3 score cp -17 nodes 5"), Some(-17));
        assert_eq!(score("score mate 1"), Some(MATE - 1));
        assert_eq!(score("score mate -1"), Some(2 - MATE));
        assert_eq!(score("depth 3"), None);
        assert_eq!(score("score cp"), None);
    }
}
