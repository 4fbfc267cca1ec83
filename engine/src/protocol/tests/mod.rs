//! Conversations with the engine in this process. Nothing waits for time to pass: each step waits for an answer.

mod cecp;
mod fuzz;
mod uci;

use std::io::{self, BufReader, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::{Ending, Loader, Protocol, Setup, run};
use crate::eval::{Evaluator, Weights};
use crate::rules::{Reading, builtin};

/// Knows the built-in readings, and no files.
struct Builtin;

impl Loader for Builtin {
    fn reading(&self, id: &str) -> Result<Arc<Reading>, String> {
        builtin(id).map(Reading::new).ok_or_else(|| format!("no ruleset {id}"))
    }

    fn evaluator(&self, reading: &Reading, weights: Option<&Path>) -> Result<Evaluator, String> {
        match weights {
            None => Ok(Evaluator::new(reading, &Weights::from_mobility(reading))),
            Some(path) if path.ends_with("good") => {
                Ok(Evaluator::new(reading, &Weights::from_mobility(reading)))
            }
            Some(path) => Err(format!("no weights in {}\nat all", path.display())),
        }
    }

    fn bench(&self) -> Result<u64, String> {
        Ok(42)
    }
}

struct Input(Receiver<Vec<u8>>, Vec<u8>);

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.1.is_empty() {
            match self.0.recv() {
                Ok(bytes) => self.1 = bytes,
                Err(_) => return Ok(0),
            }
        }
        let count = buffer.len().min(self.1.len());
        buffer[..count].copy_from_slice(&self.1[..count]);
        self.1.drain(..count);
        Ok(count)
    }
}

struct Output(Sender<String>, Vec<u8>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.1.extend_from_slice(bytes);
        while let Some(end) = self.1.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = self.1.drain(..=end).collect();
            let line = String::from_utf8(line).unwrap().trim_end().to_owned();
            self.0.send(line).map_err(|_| io::ErrorKind::BrokenPipe)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A conversation.
struct Talk {
    to: Option<Sender<Vec<u8>>>,
    from: Option<Receiver<String>>,
    engine: JoinHandle<io::Result<Ending>>,
}

impl Talk {
    fn new(which: Protocol) -> Talk {
        let mut setup = Setup::new(Box::new(Builtin));
        (setup.hash_mib, setup.max_hash_mib, setup.max_threads) = (1, 4, 2);
        let ((to, input), (output, from)) = (channel(), channel());
        let input = BufReader::new(Input(input, Vec::new()));
        let engine = std::thread::spawn(move || run(input, Output(output, Vec::new()), which, setup));
        Talk { to: Some(to), from: Some(from), engine }
    }

    fn say(&self, lines: &str) {
        let bytes = format!("{lines}\n").into_bytes();
        self.to.as_ref().unwrap().send(bytes).unwrap();
    }

    /// Waits for a line that begins so: all lines up to it.
    fn until(&self, start: &str) -> Vec<String> {
        let mut lines = Vec::new();
        let end = Instant::now() + Duration::from_secs(120);
        loop {
            let rest = end.saturating_duration_since(Instant::now());
            let line = self.from.as_ref().unwrap().recv_timeout(rest);
            let Ok(line) = line else { panic!("no {start:?} after {lines:#?}") };
            lines.push(line);
            if lines.last().unwrap().starts_with(start) {
                return lines;
            }
        }
    }

    /// Waits for a line that begins so: its rest.
    fn rest(&self, start: &str) -> String {
        self.until(start).pop().unwrap()[start.len()..].trim().to_owned()
    }

    /// Says something and gives all that is answered at once.
    fn ask(&self, lines: &str, sync: &str, answer: &str) -> Vec<String> {
        self.say(lines);
        self.say(sync);
        let mut lines = self.until(answer);
        lines.pop();
        lines
    }

    /// Closes the input: how the conversation ended, and what was said last.
    fn end(mut self) -> (Ending, Vec<String>) {
        self.to = None;
        let ending = self.engine.join().unwrap().unwrap();
        (ending, self.from.unwrap().iter().collect())
    }
}

#[test]
fn the_first_line_says_which_protocol() {
    let talk = Talk::new(Protocol::Detect);
    talk.say("\nhello");
    assert_eq!(talk.rest("Error"), "(unknown command): hello; say uci or xboard first");
    talk.say("uci");
    talk.until("uciok");
    assert_eq!(talk.end().0, Ending::Closed);
    let talk = Talk::new(Protocol::Detect);
    talk.say("xboard\nping 1");
    talk.until("pong 1");
    talk.say("quit");
    assert_eq!(talk.end().0, Ending::Quit);
    assert_eq!(Talk::new(Protocol::Detect).end().0, Ending::Unused);
}

#[test]
fn a_closed_output_ends_it() {
    for (which, go) in [(Protocol::Uci, "go infinite"), (Protocol::Cecp, "analyze")] {
        let mut talk = Talk::new(which);
        talk.say(go);
        talk.from = None;
        let error = talk.engine.join().unwrap().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}

#[test]
fn a_closed_input_ends_it_while_it_thinks() {
    for (which, go) in [(Protocol::Uci, "go infinite"), (Protocol::Cecp, "st 100000\ngo")] {
        let talk = Talk::new(which);
        talk.say(go);
        assert_eq!(talk.end().0, Ending::Closed);
        let talk = Talk::new(which);
        talk.say(go);
        talk.say("quit");
        assert_eq!(talk.end().0, Ending::Quit);
    }
}

#[test]
fn what_cannot_be_loaded_is_an_error_at_once() {
    let mut setup = Setup::new(Box::new(Builtin));
    setup.ruleset = "unheard-of".to_owned();
    let error = run(io::empty(), io::sink(), Protocol::Uci, setup).unwrap_err();
    assert_eq!(error.to_string(), "no ruleset unheard-of");
}
