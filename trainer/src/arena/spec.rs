use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use acedrex_engine::cli::load_weights;
use acedrex_engine::eval::Evaluator;
use acedrex_engine::rules::{Reading, hex};
use sha2::{Digest, Sha256};

use super::limit::Limit;
use super::player::Loaded;
use crate::selfplay::weights_id;

/// An engine as the command line names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineSpec {
    text: String,
    limit: Option<Limit>,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Internal { weights: Option<PathBuf>, hash_mib: u16 },
    Process(Launch),
}

/// What a process speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// The Universal Chess Interface.
    Uci,
    /// The Chess Engine Communication Protocol, of XBoard and WinBoard.
    Cecp,
}

/// How a process is started and made ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// What it speaks.
    pub protocol: Protocol,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The name of the variant that it is told, instead of the reading's id.
    pub variant: Option<String>,
    /// Options that it is told, each with its value; a button has none.
    pub options: Vec<(String, Option<String>)>,
}

impl Launch {
    /// True if the command or an option names a ruleset file, as for this project's own engine.
    pub(super) fn tells_rules(&self) -> bool {
        let word = |word: &String| word == "--ruleset" || word.starts_with("--ruleset=");
        self.command.iter().any(word) || self.sets("RulesetFile")
    }

    /// True if the options hold one of this name.
    pub(super) fn sets(&self, name: &str) -> bool {
        self.options.iter().any(|(own, _)| own.eq_ignore_ascii_case(name))
    }

    /// Checks that the engine has all the options that it is to be told.
    pub(super) fn expect(&self, known: &[String], same: fn(&str, &str) -> bool) -> Result<(), String> {
        match self.options.iter().find(|(name, _)| !known.iter().any(|known| same(known, name))) {
            None => Ok(()),
            Some((name, _)) if known.is_empty() => Err(format!("it has no option {name:?}: it lists none")),
            Some((name, _)) => {
                Err(format!("it has no option {name:?}, expected one of: {}", known.join(", ")))
            }
        }
    }

    /// What an answer to an option complains of, if it does.
    pub(super) fn complaint(&self, line: &str) -> Option<String> {
        let text = line.trim();
        let said = text.strip_prefix("info string ").unwrap_or(text).trim_start();
        let lower = said.to_ascii_lowercase();
        let about = |(name, value): &(String, Option<String>)| {
            let named = said.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with(':'));
            let value = value.as_deref().filter(|value| !value.is_empty());
            let bad = ["cannot", "expected", "invalid", "not found", "no such"]
                .iter()
                .any(|word| lower.contains(word));
            named || bad && value.is_some_and(|value| said.contains(value))
        };
        let refused = ["error", "rejected", "no such option", "unknown option"];
        let complains = refused.iter().any(|word| lower.starts_with(word)) || self.options.iter().any(about);
        complains.then(|| format!("it does not take its options: {said:?}"))
    }

    /// SHA-256 of the program's file, or `unknown` if it may not be read. Files that the command's other words name
    /// are not looked at.
    ///
    /// # Errors
    /// If there is no such program.
    pub fn program_hash(&self) -> Result<String, String> {
        let name = self.command.first().map_or("", String::as_str);
        let path = std::env::var_os("PATH").filter(|_| !name.contains('/')).unwrap_or_default();
        let places = std::env::split_paths(&path).map(|folder| folder.join(name));
        let own = name.contains('/').then(|| PathBuf::from(name));
        let file = places.chain(own).find(|path| path.is_file());
        let file = file.ok_or_else(|| format!("there is no program {name:?}"))?;
        Ok(std::fs::read(file)
            .map_or_else(|_| "unknown".to_owned(), |bytes| hex(&Sha256::digest(bytes).into())))
    }
}

/// Table of an internal engine that names none, in MiB.
const HASH_MIB: u16 = 16;

impl FromStr for EngineSpec {
    type Err = String;

    /// `internal[:OPTION,...]`, `uci[,OPTION...]:COMMAND` or `cecp[,OPTION...]:COMMAND`. Every engine may have a limit of
    /// its own: `nodes=N`, `depth=N`, `movetime=MS` or `tc=BASE+INC`. An internal one may have `weights=FILE` and
    /// `hash=MIB`, a process `variant=NAME` and `option.NAME=VALUE`. No value holds a comma, and none before a command a
    /// colon.
    fn from_str(text: &str) -> Result<EngineSpec, String> {
        let known = [("internal", None), ("uci", Some(Protocol::Uci)), ("cecp", Some(Protocol::Cecp))];
        let found = known.into_iter().find_map(|(name, protocol)| {
            let rest = text.strip_prefix(name)?;
            (rest.is_empty() || rest.starts_with([':', ','])).then_some((name, protocol, rest))
        });
        let Some((name, protocol, rest)) = found else {
            return Err(format!(
                "found {text:?}, expected internal[:OPTION,...], uci[,OPTION...]:COMMAND or cecp[,OPTION...]:COMMAND"
            ));
        };
        let (options, command) = match protocol {
            None => (rest.strip_prefix(':').unwrap_or(rest), ""),
            Some(_) => rest.split_once(':').unwrap_or((rest, "")),
        };
        let mut spec = EngineSpec {
            text: text.to_owned(),
            limit: None,
            kind: match protocol {
                None => Kind::Internal { weights: None, hash_mib: HASH_MIB },
                Some(protocol) => {
                    let command: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
                    if command.is_empty() {
                        return Err(format!(
                            "found no command, expected one after a colon, such as {name}:acedrex {name}"
                        ));
                    }
                    Kind::Process(Launch { protocol, command, variant: None, options: Vec::new() })
                }
            },
        };
        let mut names = Vec::new();
        // Nothing after a colon is no option; nothing after a comma is one without a name.
        let options = options.strip_prefix(',').or(Some(options).filter(|options| !options.is_empty()));
        for option in options.into_iter().flat_map(|options| options.split(',')) {
            let (name, value) =
                option.split_once('=').map_or((option, None), |(name, value)| (name, Some(value)));
            if names.contains(&name) {
                return Err(format!("{name}: found it twice, expected one value"));
            }
            names.push(name);
            spec.set(name, value)?;
        }
        Ok(spec)
    }
}

impl fmt::Display for EngineSpec {
    /// As it was given.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl EngineSpec {
    fn set(&mut self, name: &str, value: Option<&str>) -> Result<(), String> {
        let text = value.unwrap_or("");
        let bad = |expected: &str| Err(format!("{name}: found {text:?}, {expected}"));
        if name.contains(char::is_control) || text.contains(char::is_control) {
            return bad("expected no control characters");
        }
        if let Some(limit) = Limit::of_option(name, text) {
            return match (limit, self.limit) {
                (Err(expected), _) => bad(&expected),
                (Ok(_), Some(other)) => bad(&format!("expected one limit, and {other} is given already")),
                (Ok(limit), None) => {
                    self.limit = Some(limit);
                    Ok(())
                }
            };
        }
        match (&mut self.kind, name) {
            (Kind::Internal { .. }, "weights") if text.is_empty() => return bad("expected a file"),
            (Kind::Internal { weights, .. }, "weights") => *weights = Some(PathBuf::from(text)),
            (Kind::Internal { hash_mib, .. }, "hash") => {
                match text.parse().ok().filter(|mib| (1..=1_024).contains(mib)) {
                    Some(mib) => *hash_mib = mib,
                    None => return bad("expected 1 to 1024"),
                }
            }
            (Kind::Process(_), "variant") if text.trim().is_empty() => return bad("expected a name"),
            (Kind::Process(launch), "variant") => launch.variant = Some(text.trim().to_owned()),
            (Kind::Process(launch), _)
                if name.strip_prefix("option.").is_some_and(|own| !own.trim().is_empty()) =>
            {
                let own = name.trim_start_matches("option.").trim();
                launch.options.push((own.to_owned(), value.map(str::to_owned)));
            }
            (Kind::Internal { .. }, _) => {
                return Err(format!(
                    "found the option {name:?}, expected weights, hash, nodes, depth, movetime or tc"
                ));
            }
            (Kind::Process(_), _) => {
                return Err(format!(
                    "found the option {name:?}, expected nodes, depth, movetime, tc, variant or option.NAME"
                ));
            }
        }
        Ok(())
    }

    /// Files that the engine reads, as far as it is known: its weights, or what a command and its options name.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        match &self.kind {
            Kind::Internal { weights, .. } => weights.iter().cloned().collect(),
            Kind::Process(launch) => {
                let values = launch.options.iter().filter_map(|(_, value)| value.as_ref());
                let after_equals = |word: &String| word.split_once('=').map(|(_, value)| value.to_owned());
                let words = launch.command.iter().chain(values);
                let names = words.flat_map(|word| [Some(word.clone()), after_equals(word)]).flatten();
                names.map(PathBuf::from).filter(|path| path.is_file()).collect()
            }
        }
    }

    /// The engine's own limit, or that of the match.
    #[must_use]
    pub fn limit(&self, of_match: Limit) -> Limit {
        self.limit.unwrap_or(of_match)
    }

    /// Checks that the engine can be held to a limit.
    ///
    /// # Errors
    /// For CECP engines: they have no limit of nodes, and with less than a second a move Fairy-Max searches one ply.
    pub fn check(&self, limit: Limit) -> Result<(), String> {
        let Kind::Process(Launch { protocol: Protocol::Cecp, .. }) = self.kind else { return Ok(()) };
        match limit {
            Limit::Nodes(_) => {
                Err(format!("{self}: CECP has no limit of nodes: give --depth, --movetime or --tc"))
            }
            Limit::Movetime(ms) if ms < 1_000 => {
                Err(format!("{self}: a CECP engine needs a --movetime of 1000 or more; or give --depth"))
            }
            _ => Ok(()),
        }
    }

    /// Reads what the engine needs from files, once for all its players.
    ///
    /// # Errors
    /// If its weights cannot be read, or are of other rules.
    pub fn load(&self, reading: &Arc<Reading>) -> anyhow::Result<Loaded> {
        Ok(match &self.kind {
            Kind::Internal { weights, hash_mib } => {
                let weights = load_weights(reading, weights.as_deref())?;
                Loaded::Internal {
                    evaluator: Arc::new(Evaluator::new(reading, &weights)),
                    weights: weights_id(&reading.rules, &weights),
                    hash_mib: *hash_mib,
                }
            }
            Kind::Process(launch) => Loaded::Process(launch.clone()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(text: &str) -> Result<EngineSpec, String> {
        text.parse()
    }

    #[test]
    fn specs_of_internal_engines() {
        let plain = spec("internal").unwrap();
        assert_eq!(plain.limit(Limit::Depth(3)), Limit::Depth(3));
        assert_eq!(plain.kind, Kind::Internal { weights: None, hash_mib: HASH_MIB });
        let full = spec("internal:weights=a b.toml,hash=4,nodes=70").unwrap();
        assert_eq!(full.limit(Limit::Depth(3)), Limit::Nodes(70));
        assert_eq!(full.kind, Kind::Internal { weights: Some(PathBuf::from("a b.toml")), hash_mib: 4 });
        assert_eq!(spec("internal,hash=4").unwrap().kind, spec("internal:hash=4").unwrap().kind);
        assert_eq!(full.to_string(), "internal:weights=a b.toml,hash=4,nodes=70");
        let clock = Limit::Clock { base_ms: 2_000, increment_ms: 50 };
        assert_eq!(spec("internal:tc=2+0.05").unwrap().limit(Limit::Depth(3)), clock);
        assert!(plain.check(Limit::Nodes(5)).is_ok());
    }

    #[test]
    fn specs_of_processes() {
        let launch = |text: &str| match spec(text).unwrap().kind {
            Kind::Process(launch) => launch,
            Kind::Internal { .. } => panic!("{text}"),
        };
        let plain = launch("uci:acedrex uci");
        assert_eq!((plain.protocol, plain.variant, plain.options), (Protocol::Uci, None, Vec::new()));
        assert_eq!(plain.command, ["acedrex", "uci"]);
        let text =
            "cecp,depth=4,variant=grande-acedrex,option.Claim draw after=0,option.Info:./fairymax a:b,c=d";
        let full = launch(text);
        assert_eq!((full.protocol, full.variant.as_deref()), (Protocol::Cecp, Some("grande-acedrex")));
        let options = [("Claim draw after".to_owned(), Some("0".to_owned())), ("Info".to_owned(), None)];
        assert_eq!(full.options, options);
        assert_eq!(full.command, ["./fairymax", "a:b,c=d"]);
        assert_eq!(spec(text).unwrap().limit(Limit::Nodes(1)), Limit::Depth(4));
        let empty = launch("uci,option.SyzygyPath=:x").options;
        assert_eq!(empty, [("SyzygyPath".to_owned(), Some(String::new()))]);
        let fairy_max = spec("cecp:fairymax").unwrap();
        assert!(fairy_max.check(Limit::Nodes(5)).is_err() && fairy_max.check(Limit::Movetime(999)).is_err());
        assert!(fairy_max.check(Limit::Depth(5)).is_ok());
    }

    #[test]
    fn a_bad_spec_has_one_error_that_says_where_what_and_what_instead() {
        for (text, hint) in [
            ("cecp:", "found no command"),
            ("uci: ", "found no command"),
            ("uci", "found no command"),
            ("uci,nodes=5", "found no command"),
            ("internals", "expected internal"),
            ("ucix:a", "expected internal"),
            ("", "expected internal"),
            ("internal:hash=0", "hash: found \"0\", expected 1 to 1024"),
            ("internal:nodes=many", "nodes: found \"many\", expected 1 to 1000000000"),
            ("internal:weights", "weights: found \"\", expected a file"),
            ("internal:speed=9", "\"speed\", expected weights"),
            ("internal:variant=x", "\"variant\", expected weights"),
            ("internal:hash=4,", "found the option \"\", expected weights"),
            ("uci,depth=65:a", "depth: found \"65\", expected 1 to 64"),
            ("uci,movetime=0:a", "movetime: found \"0\", expected 1 to 3600000"),
            ("uci,tc=x:a", "tc: found \"x\", expected seconds"),
            ("uci,depth=1,nodes=1:a", "nodes: found \"1\", expected one limit, and depth 1"),
            ("uci,depth=1,depth=1:a", "depth: found it twice"),
            ("uci,option.A=1,option.A=2:a", "option.A: found it twice"),
            ("uci,option.=1:a", "\"option.\", expected nodes"),
            ("uci,option.A=1\nquit:a", "control"),
            ("uci,weights=w:a", "\"weights\", expected nodes"),
            ("uci,:a", "found the option \"\", expected nodes"),
            ("cecp,variant= :a", "variant: found \" \", expected a name"),
        ] {
            let error = spec(text).unwrap_err();
            assert!(error.contains(hint), "{text}: {error}");
        }
    }

    #[test]
    fn complaints_about_options() {
        let options = vec![("Hash".to_owned(), Some("x".to_owned()))];
        let launch = Launch { protocol: Protocol::Uci, command: Vec::new(), variant: None, options };
        for line in [
            "Error (unknown option): option X=1",
            "rejected option",
            "info string Hash: found \"x\", expected a whole number",
            "No such option: Hash",
            "info string cannot read x: no such file",
            "info string Unknown option: Hash",
        ] {
            assert!(launch.complaint(line).is_some(), "{line}");
        }
        for line in ["readyok", "info string Hash table of 16 MiB", "pong 1", ""] {
            assert!(launch.complaint(line).is_none(), "{line}");
        }
    }
}
