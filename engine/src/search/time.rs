use std::time::Duration;

use crate::types::{Move, Score};

/// What the clock of the side to move shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLeft {
    /// Time left.
    pub remaining: Duration,
    /// Time added after each move.
    pub increment: Duration,
    /// Moves until more time is added, at least 1; `None` if the time is for the rest of the game.
    pub moves_to_go: Option<u32>,
}

/// How much of it one move may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The [soft time](super::Limits::soft_time) of the search.
    pub soft: Duration,
    /// The search ends at this. Always positive.
    pub hard: Duration,
    /// Most nodes, if so little time is left that the clock is too coarse.
    pub nodes: Option<u64>,
}

/// The moves that a game is thought to last on.
const MOVES_LEFT: u32 = 40;
/// The shortest time that a move is given.
const LEAST: Duration = Duration::from_millis(1);
/// Nodes that take well under a millisecond.
const FEW_NODES: u64 = 128;

/// The part of `time` that is kept back: the overhead and a fiftieth.
fn margin(time: Duration, overhead: Duration) -> Duration {
    overhead.saturating_add(time / 50)
}

/// Time for one move of a game with a clock. `hard` stays below the time left less what is kept back for the moves to come
/// (twice `overhead` and a fiftieth of the time left). If less than that is left it is a sixteenth of what is left, or one
/// millisecond, and so few nodes are searched that a move takes less than that.
#[must_use]
pub fn budget(clock: &TimeLeft, overhead: Duration) -> Budget {
    let kept = margin(clock.remaining, overhead.saturating_mul(2));
    let usable = clock.remaining.saturating_sub(kept);
    if usable.is_zero() {
        let hard = (clock.remaining / 16).max(LEAST);
        return Budget { soft: Duration::ZERO, hard, nodes: Some(FEW_NODES) };
    }
    let moves = clock.moves_to_go.unwrap_or(MOVES_LEFT).clamp(1, MOVES_LEFT);
    let share = (usable / moves).saturating_add(clock.increment.saturating_mul(3) / 4);
    // The last move before more time comes may use nearly all; others leave something for the next.
    let most = if moves == 1 { usable / 10 * 9 } else { usable / 2 };
    let hard = share.saturating_mul(3).min(most);
    // An iteration takes several times as long as the one before it.
    let soft = (share * 3 / 5).min(hard);
    let nodes = (hard < 2 * LEAST).then_some(FEW_NODES);
    Budget { soft, hard: hard.max(Duration::from_micros(1)), nodes }
}

/// The time that a search may take if a move may take `most`: `most` less the margin, or half of it if that is more.
#[must_use]
pub fn fixed_time(most: Duration, overhead: Duration) -> Duration {
    most.saturating_sub(margin(most, overhead)).max(most / 2).max(Duration::from_micros(500))
}

/// How settled the choice of a move is.
#[derive(Debug, Default)]
pub(super) struct Pace {
    last: Option<(Move, Score)>,
    /// Iterations since the best move last changed.
    same: u32,
}

/// The least and the most that the soft time is stretched.
const STRETCH: [f64; 2] = [0.4, 2.5];
/// A fall of the score by so many centipawns, or more, stretches it by half.
const FALL: f64 = 120.0;

impl Pace {
    /// By how much to stretch the soft time after an iteration that found this move and score, and spent this part of
    /// its nodes on the move: less than one if the move stood for long and took most of the work, more if it is new
    /// or the score fell.
    pub(super) fn stretch(&mut self, best: Move, score: Score, part: f64) -> f64 {
        let (same, fall) = match self.last.replace((best, score)) {
            Some((mv, last)) => (mv == best, last.saturating_sub(score)),
            None => (false, 0),
        };
        self.same = if same { self.same + 1 } else { 0 };
        let stable = 1.4 - 0.12 * f64::from(self.same.min(5));
        let work = 1.6 - 0.9 * part;
        let falls = 1.0 + 0.5 * (f64::from(fall) / FALL).clamp(0.0, 1.0);
        (stable * work * falls).clamp(STRETCH[0], STRETCH[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{MATE, Square};

    const OVERHEAD: Duration = Duration::from_millis(20);

    #[test]
    fn no_clock_is_overstepped() {
        let times = [
            0,
            1,
            5,
            19,
            20,
            21,
            22,
            25,
            40,
            41,
            42,
            50,
            100,
            200,
            1_000,
            10_000,
            60_000,
            3_600_000,
            1_000_000_000,
        ];
        for remaining in times {
            for increment in times {
                for moves_to_go in [None, Some(0), Some(1), Some(2), Some(3), Some(40), Some(u32::MAX)] {
                    let remaining = Duration::from_millis(remaining);
                    let increment = Duration::from_millis(increment);
                    let clock = TimeLeft { remaining, increment, moves_to_go };
                    let budget = budget(&clock, OVERHEAD);
                    assert!(!budget.hard.is_zero(), "{clock:?} {budget:?}");
                    assert!(budget.soft <= budget.hard, "{clock:?} {budget:?}");
                    let usable = remaining.saturating_sub(2 * OVERHEAD + remaining / 50);
                    if usable.is_zero() {
                        assert!(budget.hard <= (remaining / 16).max(LEAST), "{clock:?} {budget:?}");
                        assert!(budget.nodes.is_some());
                    } else {
                        assert!(budget.hard < usable, "{clock:?} {budget:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_game_is_not_played_away_and_not_slept_through() {
        for (base, increment) in [(200u64, 2u64), (1_000, 0), (10_000, 100), (300_000, 0), (60_000, 1_000)] {
            let mut left = Duration::from_millis(base);
            for _ in 0..300 {
                let increment = Duration::from_millis(increment);
                let clock = TimeLeft { remaining: left, increment, moves_to_go: None };
                let budget = budget(&clock, OVERHEAD);
                // The worst case; so few nodes take next to none.
                let used = match budget.nodes {
                    Some(_) => Duration::from_micros(100),
                    None => budget.hard,
                };
                assert!(used < left, "{clock:?}");
                left = left.saturating_sub(used) + increment;
            }
            assert!(left > Duration::ZERO);
        }
        let clock =
            TimeLeft { remaining: Duration::from_secs(60), increment: Duration::ZERO, moves_to_go: None };
        let budget = budget(&clock, OVERHEAD);
        assert!(budget.hard > Duration::from_secs(2) && budget.hard < Duration::from_secs(10), "{budget:?}");
        assert!(budget.soft > Duration::from_millis(300), "{budget:?}");
    }

    #[test]
    fn a_settled_choice_takes_less_time_than_a_new_one_or_a_falling_score() {
        let moves =
            [(0, 12), (1, 13)].map(|(from, to)| Move::new(Square::new(from, 0), Square::new(to - 12, 1)));
        let after = |played: &[(Move, Score, f64)]| {
            let mut pace = Pace::default();
            let mut last = f64::NAN;
            for &(mv, score, part) in played {
                last = pace.stretch(mv, score, part);
                assert!((STRETCH[0]..=STRETCH[1]).contains(&last));
            }
            last
        };
        let settled = after(&[(moves[0], 30, 0.9); 8]);
        let new = after(&[(moves[0], 30, 0.9), (moves[1], 30, 0.9)]);
        let falling = after(&[(moves[0], 30, 0.9), (moves[0], -300, 0.9)]);
        let disputed = after(&[(moves[0], 30, 0.3); 8]);
        assert!(
            settled < 0.7 && new > settled && disputed > settled && disputed < 1.1,
            "{settled} {new} {disputed}"
        );
        assert!(falling > after(&[(moves[0], 30, 0.9), (moves[0], 30, 0.9)]), "{falling}");
        // Scores of mates.
        after(&[(moves[0], MATE, 0.0), (moves[0], -MATE, 1.0), (moves[1], MATE, 0.0)]);
    }

    #[test]
    fn a_fixed_time_is_an_upper_bound() {
        for most in [1, 2, 5, 10, 20, 30, 40, 41, 50, 100, 1_000, 100_000, 1_000_000_000] {
            let most = Duration::from_millis(most);
            let used = fixed_time(most, OVERHEAD);
            assert!(used < most && !used.is_zero(), "{most:?} {used:?}");
            assert!(used >= most / 2);
        }
        assert_eq!(fixed_time(Duration::from_millis(1_000), OVERHEAD), Duration::from_millis(960));
        assert!(fixed_time(Duration::ZERO, OVERHEAD) < LEAST);
    }
}
