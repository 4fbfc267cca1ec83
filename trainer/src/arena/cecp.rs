//! Processes that speak version 2 of the Chess Engine Communication Protocol, with `setboard` or without.

use std::time::{Duration, Instant};

use acedrex_engine::rules::Reading;
use acedrex_engine::types::MATE;

use super::limit::Limit;
use super::player::{Answer, Choice, Failure, Fault, Turn};
use super::process::{Dialogue, GRACE, PATIENCE, Process, READY};
use super::spec::Launch;

/// Fairy-Max's name of the rules that these readings describe.
const FAIRY_MAX: (&str, [&str; 2]) = ("grande-acedrex", ["cazaux-musser", "shamax"]);
/// Fairy-Max's option for the moves without progress that make a draw.
const CLAIM: &str = "Claim draw after";

struct Cecp {
    process: Process,
    /// What it is told; `None` if its command or options say it.
    variant: Option<String>,
    /// True if moves are preceded by `usermove`.
    usermove: bool,
    ping: bool,
    claim: bool,
    pings: u32,
    /// Moves of the game that the engine knows.
    known: usize,
    /// True once it plays: it then answers a move without being asked.
    playing: bool,
}

/// The handshake and the options.
pub(super) fn start(
    mut process: Process,
    reading: &Reading,
    launch: &Launch,
) -> Result<Box<dyn Dialogue>, Failure> {
    process.say("xboard\nprotover 2")?;
    let deadline = Instant::now() + READY;
    let mut features = String::new();
    while !features.contains("done=1") {
        let line = process.line(deadline)?;
        if let Some(more) = line.trim().strip_prefix("feature ") {
            features.push(' ');
            features.push_str(more);
        }
    }
    let options = options(&features);
    let refuse = |why: String| (Fault::Crash, why);
    launch.expect(&options, |known, name| known == name).map_err(refuse)?;
    let mut cecp = Cecp {
        process,
        variant: variant(&features, &options, &reading.rules.id, launch).map_err(refuse)?,
        usermove: features.contains(" usermove=1"),
        ping: features.contains(" ping=1"),
        claim: options.iter().any(|name| name == CLAIM) && !launch.sets(CLAIM),
        pings: 0,
        known: 0,
        playing: false,
    };
    for (name, value) in &launch.options {
        let value = value.as_ref().map_or_else(String::new, |value| format!("={value}"));
        cecp.process.say(&format!("option {name}{value}"))?;
    }
    cecp.settle(&mut |line| match launch.complaint(line) {
        Some(why) if !launch.options.is_empty() => Err((Fault::Crash, why)),
        _ => Ok(()),
    })?;
    Ok(Box::new(cecp))
}

/// The names of the options among the features.
fn options(features: &str) -> Vec<String> {
    let texts = features.split(" option=\"").skip(1).filter_map(|rest| rest.split('"').next());
    texts.map(|text| text.split_once(" -").map_or(text, |(name, _)| name).trim().to_owned()).collect()
}

/// The variant that the engine is to be told, if any.
fn variant(features: &str, options: &[String], id: &str, launch: &Launch) -> Result<Option<String>, String> {
    let known =
        features.split_once(" variants=\"").and_then(|(_, rest)| rest.split('"').next()).unwrap_or("");
    let known: Vec<&str> = known.split(',').map(str::trim).collect();
    let has = |name: &str| known.contains(&name);
    let unknown = |name: &str| {
        Err(format!(
            "it does not know the variant {name:?}, expected one of: {}. An acedrex engine is told a ruleset file by \
             --ruleset FILE in its command",
            known.join(", ")
        ))
    };
    if let Some(name) = &launch.variant {
        return if has(name) { Ok(Some(name.clone())) } else { unknown(name) };
    }
    // A variant's name would take back what the command says of the rules. Only this project's engine says that it
    // knows files.
    if launch.tells_rules() && options.iter().any(|name| name == "RulesetFile") {
        return Ok(None);
    }
    if has(id) {
        Ok(Some(id.to_owned()))
    } else if FAIRY_MAX.1.contains(&id) && has(FAIRY_MAX.0) {
        Ok(Some(FAIRY_MAX.0.to_owned()))
    } else {
        unknown(id)
    }
}

impl Cecp {
    /// Waits until it has done all that it was told; `other` sees what it says.
    fn settle(&mut self, other: &mut dyn FnMut(&str) -> Result<(), Failure>) -> Result<(), Failure> {
        if !self.ping {
            return Ok(());
        }
        self.pings += 1;
        self.process.say(&format!("ping {}", self.pings))?;
        self.process.await_line(&format!("pong {}", self.pings), other)
    }
}

impl Dialogue for Cecp {
    fn new_game(&mut self, reading: &Reading) -> Result<(), Failure> {
        // `force` first: an engine that thinks gives up its game.
        let variant = self.variant.as_ref().map_or_else(String::new, |name| format!("variant {name}\n"));
        self.process.say(&format!("force\nnew\n{variant}force\npost\neasy"))?;
        if self.claim {
            let moves = (reading.rules.end.no_progress_plies / 2).min(200);
            self.process.say(&format!("option {CLAIM}={moves}"))?;
        }
        (self.known, self.playing) = (0, false);
        self.settle(&mut |_| Ok(()))
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<Answer, Failure> {
        let side = turn.position.board().side().index();
        let mut text = String::new();
        let patience = match turn.limit {
            Limit::Nodes(_) => return Err((Fault::Crash, "the protocol has no limit of nodes".into())),
            // Without a clock that lasts, an engine may save time on one that it imagines.
            Limit::Depth(depth) => {
                if !self.playing {
                    text.push_str(&format!("level 0 600 0\nsd {depth}\n"));
                }
                PATIENCE
            }
            Limit::Movetime(ms) => {
                if !self.playing {
                    text.push_str(&format!("st {}\n", ms / 1_000));
                }
                Duration::from_millis(ms) + GRACE
            }
            Limit::Clock { base_ms, increment_ms } => {
                if !self.playing {
                    let (seconds, more) = (base_ms / 1_000, increment_ms as f64 / 1_000.0);
                    text.push_str(&format!("level 0 {}:{:02} {more}\n", seconds / 60, seconds % 60));
                }
                let [own, other] = [turn.left_ms[side] / 10, turn.left_ms[1 - side] / 10];
                text.push_str(&format!("time {own}\notim {other}\n"));
                Duration::from_millis(turn.left_ms[side]) + GRACE
            }
        };
        for mv in &turn.moves[self.known..] {
            text.push_str(if self.usermove { "usermove " } else { "" });
            text.push_str(mv);
            text.push('\n');
        }
        if !self.playing {
            text.push_str("go\n");
        }
        self.process.say(text.trim_end())?;
        (self.known, self.playing) = (turn.moves.len() + 1, true);
        let deadline = Instant::now() + patience;
        let (mut score_cp, mut depth) = (None, None);
        loop {
            let line = self.process.line(deadline)?;
            let line = line.trim();
            let words: Vec<&str> = line.split_whitespace().collect();
            match words.as_slice() {
                ["move", text, ..] => {
                    // What a pawn becomes is a matter of the file: a letter that names it otherwise changes nothing.
                    let squares = text.trim_end_matches(|c: char| !c.is_ascii_digit());
                    let mv = turn.position.parse_move(squares);
                    let mv = mv.map_err(|error| (Fault::IllegalMove, error.to_string()))?;
                    return Ok(Answer::Plays(Choice { mv, score_cp, depth }));
                }
                ["resign", ..] => return Ok(Answer::Resigns(line.to_owned())),
                // A claim that harms none but the one who makes it.
                ["0-1", ..] if side == 0 => return Ok(Answer::Resigns(line.to_owned())),
                ["1-0", ..] if side == 1 => return Ok(Answer::Resigns(line.to_owned())),
                ["1-0" | "0-1" | "1/2-1/2", ..] => {
                    return Err((Fault::WrongClaim, format!("{line:?} in a game that goes on")));
                }
                ["Illegal", "move", ..] | ["Illegal", "move:", ..] => {
                    return Err((Fault::WrongClaim, format!("{line:?} of a legal move")));
                }
                [plies, score, time, nodes, ..] => {
                    let numbers = time.parse::<u64>().is_ok() && nodes.parse::<u64>().is_ok();
                    if let (Ok(plies), Ok(score), true) = (plies.parse(), score.parse::<i32>(), numbers) {
                        (score_cp, depth) = (Some(score.clamp(-MATE, MATE)), Some(plies));
                    }
                }
                _ => {}
            }
        }
    }

    fn process(&self) -> &Process {
        &self.process
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::spec::Protocol;

    #[test]
    fn options_and_variants_of_features() {
        let features = " variants=\"normal,grande-acedrex\" option=\"Claim draw after -spin 50 0 200\" option=\"Info -button\"";
        let options = options(features);
        assert_eq!(options, ["Claim draw after", "Info"]);
        let launch = |command: &str, variant: Option<&str>| Launch {
            protocol: Protocol::Cecp,
            command: command.split(' ').map(str::to_owned).collect(),
            variant: variant.map(str::to_owned),
            options: Vec::new(),
        };
        let plain = launch("fairymax", None);
        let named = |id: &str, launch: &Launch| variant(features, &options, id, launch);
        assert_eq!(named("shamax", &plain), Ok(Some("grande-acedrex".into())));
        assert!(named("murray", &plain).unwrap_err().contains("normal, grande-acedrex"));
        assert_eq!(named("murray", &launch("fairymax", Some("normal"))), Ok(Some("normal".into())));
        assert!(named("murray", &launch("fairymax", Some("chess"))).is_err());
        // Only an engine that knows ruleset files is taken to have been told by its command.
        let told = launch("acedrex xboard --ruleset my.toml", None);
        assert!(named("mine", &told).is_err());
        assert_eq!(variant(features, &["RulesetFile".into()], "mine", &told), Ok(None));
    }
}
