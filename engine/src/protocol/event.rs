use std::io::{self, BufRead};
use std::sync::mpsc::{Receiver, Sender, sync_channel};
use std::time::Duration;

use super::MAX_LINE;
use crate::search::Info;
use crate::types::{Move, Score};

/// What the loop hears of.
#[derive(Debug)]
pub(super) enum Event {
    /// A line of input, without its end.
    Line(String),
    /// A line beyond [`MAX_LINE`], dropped.
    TooLong,
    /// The input has ended.
    Closed,
    /// A finished iteration of the search with this number.
    Report(u64, Report),
    /// The search with this number has ended: its result waits to be collected.
    Done(u64),
}

/// What a finished iteration found: an [`Info`] that owns its line.
#[derive(Clone, Debug)]
pub(super) struct Report {
    pub(super) depth: u32,
    pub(super) seldepth: u32,
    pub(super) line: usize,
    pub(super) score: Score,
    pub(super) nodes: u64,
    pub(super) time: Duration,
    pub(super) hashfull: usize,
    pub(super) pv: Vec<Move>,
}

impl Report {
    pub(super) fn new(info: &Info<'_>) -> Report {
        Report {
            depth: info.depth,
            seldepth: info.seldepth,
            line: info.line,
            score: info.score,
            nodes: info.nodes,
            time: info.time,
            hashfull: info.hashfull,
            pv: info.pv.to_vec(),
        }
    }
}

/// Lines that may wait for the loop.
const WAITING_LINES: usize = 256;

/// Reads lines in a thread of their own. The loop takes one item from the receiver for each line it has taken, which
/// makes room for another: so no more than [`WAITING_LINES`] wait, and a search is never kept from reporting.
pub(super) fn read_lines(
    mut input: impl BufRead + Send + 'static,
    events: Sender<Event>,
) -> io::Result<Receiver<()>> {
    let (place, places) = sync_channel(WAITING_LINES);
    let read = move || {
        loop {
            let event = match next_line(&mut input) {
                Ok(Some(event)) => event,
                // What cannot be read any more has ended.
                Ok(None) | Err(_) => Event::Closed,
            };
            let last = matches!(event, Event::Closed);
            if place.send(()).is_err() || events.send(event).is_err() || last {
                return;
            }
        }
    };
    std::thread::Builder::new().name("input".to_owned()).spawn(read)?;
    Ok(places)
}

/// The next line, or `None` at the end of the input; a last line without an end counts.
fn next_line(input: &mut impl BufRead) -> io::Result<Option<Event>> {
    let mut line = Vec::new();
    let (mut any, mut long) = (false, false);
    loop {
        let bytes = match input.fill_buf() {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        any |= !bytes.is_empty();
        let end = bytes.iter().position(|&byte| byte == b'\n');
        let part = &bytes[..end.unwrap_or(bytes.len())];
        long |= line.len() + part.len() > MAX_LINE;
        if long {
            line = Vec::new();
        } else {
            line.extend_from_slice(part);
        }
        let used = part.len() + usize::from(end.is_some());
        let ended = end.is_some() || bytes.is_empty();
        input.consume(used);
        if ended {
            break;
        }
    }
    if !any {
        return Ok(None);
    }
    if long {
        return Ok(Some(Event::TooLong));
    }
    Ok(Some(Event::Line(String::from_utf8_lossy(&line).trim_end_matches('\r').to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_bounded_and_read_to_the_end() {
        let mut text = b"one\r\n\n".to_vec();
        text.extend(vec![b'x'; MAX_LINE + 1]);
        text.extend(b"\ntwo\xff\nlast");
        // A small buffer, so that long lines come in many parts.
        let mut input = io::BufReader::with_capacity(7, &text[..]);
        let mut seen = Vec::new();
        while let Some(event) = next_line(&mut input).unwrap() {
            seen.push(match event {
                Event::Line(line) => line,
                other => format!("{other:?}"),
            });
        }
        assert_eq!(seen, ["one", "", "TooLong", "two\u{fffd}", "last"]);
    }
}
