use std::fmt;
use std::ops::Range;

use super::Run;

/// The games of a run that are not there: their number, and the first of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Missing {
    /// Games that the run has, those of all its shards; `None` if that is not known.
    pub of: Option<Range<u64>>,
    /// How many of them are missing. Those that were dropped as duplicates are not.
    pub games: u64,
    /// Their numbers, or the lowest of them if they are many ranges; those of dropped games among them where it is not known
    /// which were dropped.
    pub ranges: Vec<Range<u64>>,
    /// The parts that are complete: a game of theirs that is not there was dropped as a duplicate.
    complete: Vec<Range<u64>>,
    /// Games that the other parts have dropped: they are among those of `ranges`, nobody knows which.
    dropped: u64,
    /// Games of all ranges.
    gaps: u64,
    /// The number that comes next.
    next: u64,
}

impl Missing {
    /// Ranges to keep.
    const RANGES: usize = 10;

    /// Nothing of a run is there yet; `parts` are what files have of it.
    pub(super) fn new<'a>(run: &Run, parts: impl Iterator<Item = &'a Run>) -> Missing {
        let (whole, others): (Vec<&Run>, Vec<&Run>) = parts.partition(|part| part.complete);
        let dropped = others.iter().map(|part| part.duplicates_dropped).sum();
        let mut complete: Vec<_> = whole.into_iter().filter_map(Run::games).collect();
        complete.sort_by_key(|games| games.start);
        let of = run.whole();
        let next = of.as_ref().map_or(0, |of| of.start);
        Missing { of, complete, dropped, next, ..Missing::default() }
    }

    /// This game is there. Games come in order.
    pub(super) fn found(&mut self, game: u64) {
        self.gap(game);
        self.next = self.next.max(game.saturating_add(1));
    }

    /// No more games are there.
    pub(super) fn end(&mut self) {
        if let Some(of) = self.of.clone() {
            self.gap(of.end);
        }
        self.games = self.gaps.saturating_sub(self.dropped);
        if self.games == 0 {
            self.ranges.clear();
        }
    }

    /// No game is there from the next one to that before `end`.
    fn gap(&mut self, end: u64) {
        let mut start = self.next;
        for part in &self.complete {
            if part.start >= end {
                break;
            }
            if part.start > start {
                self.gaps += part.start - start;
                self.ranges.push(start..part.start);
            }
            start = start.max(part.end);
        }
        if start < end {
            self.gaps += end - start;
            self.ranges.push(start..end);
        }
        self.ranges.truncate(Missing::RANGES);
    }
}

impl fmt::Display for Missing {
    /// Which games the run has, and which are missing.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(of) = &self.of else { return f.write_str("numbers not known") };
        write!(f, "numbers {}", Numbers(of))?;
        if self.games == 0 {
            return f.write_str(", all there");
        }
        let all = of.end - of.start;
        write!(f, ", {} of {all} there, missing ", all.saturating_sub(self.games))?;
        if self.games < self.gaps {
            write!(f, "{} of ", self.games)?;
        }
        for (at, range) in self.ranges.iter().enumerate() {
            write!(f, "{}{}", if at > 0 { ", " } else { "" }, Numbers(range))?;
        }
        let said: u64 = self.ranges.iter().map(|range| range.end - range.start).sum();
        f.write_str(if said < self.gaps { " and more" } else { "" })
    }
}

struct Numbers<'a>(&'a Range<u64>);

impl fmt::Display for Numbers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0.start, self.0.end.saturating_sub(1)) {
            (first, last) if first == last => write!(f, "{first}"),
            (first, last) => write!(f, "{first} to {last}"),
        }
    }
}
