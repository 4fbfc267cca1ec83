use std::fmt;
use std::time::Duration;

use serde::Serialize;

/// What an engine may use for its moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Limit {
    /// Search nodes for each move, at least 1.
    Nodes(u64),
    /// Search depth for each move in plies, at least 1.
    Depth(u32),
    /// Milliseconds for each move, at least 1.
    Movetime(u64),
    /// Milliseconds for the game, and what each move adds.
    Clock {
        /// At the start, at least 1.
        base_ms: u64,
        /// For each move.
        increment_ms: u64,
    },
}

impl Limit {
    /// A clock from seconds for the game and seconds that each move adds, such as `10+0.1`.
    ///
    /// # Errors
    /// If the text is no such thing, or there is no time at all.
    pub fn clock(text: &str) -> Result<Limit, String> {
        let ms = |text: &str| {
            let seconds: f64 = text.parse().ok()?;
            // A day is more than any game needs.
            let within = (0.0..=86_400.0).contains(&seconds);
            within.then(|| Duration::from_secs_f64(seconds).as_millis()).and_then(|ms| u64::try_from(ms).ok())
        };
        let (base, increment) = text.split_once('+').unwrap_or((text, "0"));
        match ms(base).zip(ms(increment)) {
            Some((base_ms, increment_ms)) if base_ms > 0 => Ok(Limit::Clock { base_ms, increment_ms }),
            _ => Err("expected seconds and an increment, such as 10+0.1".into()),
        }
    }

    /// The limit that an option of an engine names; `None` if the option is about something else.
    ///
    /// # Errors
    /// If the value is none: what was expected.
    pub(super) fn of_option(name: &str, value: &str) -> Option<Result<Limit, String>> {
        let number = |most: u64| {
            let number = value.parse().ok().filter(|number| (1..=most).contains(number));
            number.ok_or_else(|| format!("expected 1 to {most}"))
        };
        Some(match name {
            "nodes" => number(1_000_000_000).map(Limit::Nodes),
            "depth" => number(64).map(|depth| Limit::Depth(u32::try_from(depth).unwrap_or(64))),
            "movetime" => number(3_600_000).map(Limit::Movetime),
            "tc" => Limit::clock(value),
            _ => return None,
        })
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Nodes(nodes) => write!(f, "{nodes} nodes"),
            Limit::Depth(depth) => write!(f, "depth {depth}"),
            Limit::Movetime(ms) => write!(f, "{ms} ms a move"),
            Limit::Clock { base_ms, increment_ms } => write!(f, "{base_ms} ms + {increment_ms} ms a move"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_read_and_refused() {
        let clock = |base_ms, increment_ms| Ok(Limit::Clock { base_ms, increment_ms });
        assert_eq!(Limit::clock("10+0.1"), clock(10_000, 100));
        assert_eq!(Limit::clock("0.2+0.002"), clock(200, 2));
        assert_eq!(Limit::clock("60"), clock(60_000, 0));
        for text in ["", "+", "0+1", "-1+0", "1+x", "nan", "1e9"] {
            assert!(Limit::clock(text).is_err(), "{text}");
        }
    }
}
