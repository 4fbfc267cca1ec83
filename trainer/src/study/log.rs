//! In: what a run does. Out: `run.log`, which has all that results must not depend on: command line, threads, times.

use std::fs::File;
use std::io::Write;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// The log of one run, appended to those of earlier ones. That it cannot be written is no reason to stop.
pub(super) struct Log {
    file: File,
    started: Instant,
    step: Option<(String, Instant)>,
}

impl Log {
    /// Begins a block.
    pub(super) fn begin(file: File, program: &str, command_line: &str, threads: usize) -> Log {
        let mut log = Log { file, started: Instant::now(), step: None };
        log.line(&format!("run of {program}, {}", utc(SystemTime::now())));
        log.line(&format!("command: {command_line}"));
        log.line(&format!("threads: {threads}"));
        log
    }

    fn line(&mut self, line: &str) {
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        let _ = writeln!(self.file, "{line}");
    }

    /// A step goes on, or a new one begins.
    pub(super) fn step(&mut self, label: &str) {
        if self.step.as_ref().is_none_or(|(known, _)| known != label) {
            self.end_step();
            self.step = Some((label.to_owned(), Instant::now()));
        }
    }

    fn end_step(&mut self) {
        if let Some((label, started)) = self.step.take() {
            self.line(&format!("{label}: {:.1} s", started.elapsed().as_secs_f64()));
        }
    }

    /// Ends the block.
    pub(super) fn end(mut self, result: &str) {
        self.end_step();
        let seconds = self.started.elapsed().as_secs_f64();
        self.line(&format!("{result} after {seconds:.1} s, {}", utc(SystemTime::now())));
        let _ = writeln!(self.file);
    }
}

/// A time as `2024-02-29 23:59:59 UTC`.
fn utc(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Days in years that begin in March, so that a leap day is the last of its year; 400 years have 146 097 days.
    let shifted = days + 719_468;
    let (era, day) = (shifted / 146_097, shifted % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, carry) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = 400 * era + year + carry;
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn dates() {
        let at = |seconds| utc(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(at(951_782_399), "2000-02-28 23:59:59 UTC");
        assert_eq!(at(951_782_400), "2000-02-29 00:00:00 UTC");
        assert_eq!(at(1_709_251_199), "2024-02-29 23:59:59 UTC");
        assert_eq!(at(4_102_444_800), "2100-01-01 00:00:00 UTC");
        assert_eq!(at(4_107_542_400), "2100-03-01 00:00:00 UTC");
    }
}
