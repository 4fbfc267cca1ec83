use super::{LEVEL, Metrics};
use crate::report::table::{number, p_value, with_interval};
use crate::sample::{Sample, same_game};
use crate::stats::estimate::{Equivalence, Estimate, equivalence};

/// Two samples that ought to agree: mirror images of one game, the same rules, or the same move set.
#[derive(Debug, Clone, PartialEq)]
pub struct Replication {
    /// The two samples.
    pub samples: (String, String),
    /// What they share.
    pub why: &'static str,
    /// True if they are the same game, so that White's scores must be equivalent.
    pub same_game: bool,
    /// Difference of White's scores, and the test that it lies within the margin; `None` where nothing varies.
    pub score: Option<(f64, Equivalence)>,
    /// Finished games of both.
    pub games: u64,
}

/// Difference of White's score within which two samples of the same game count as equivalent.
pub const SCORE_MARGIN: f64 = 0.05;
/// One-sided error rate of the equivalence test: its interval is that of 1 - 2 alpha, 90 %.
const ALPHA: f64 = 0.05;

impl Replication {
    /// What was found, as a sentence without a full stop.
    #[must_use]
    pub fn sentence(&self) -> String {
        let (a, b) = &self.samples;
        let mut text = format!("{a} and {b}: {}", self.why);
        match &self.score {
            Some((difference, test)) => text.push_str(&format!(
                "; White's scores {} within {} of each other (difference {}, 90 % interval; two one-sided tests at \
                 0.05, p {}, not corrected; {} finished games)",
                if test.equivalent { "lie" } else { "are not shown to lie" },
                number(test.margin, 2),
                with_interval(*difference, test.interval, 3),
                p_value(test.p),
                self.games,
            )),
            None if self.same_game => text.push_str("; too few games, or all alike: equivalence not tested"),
            None => {}
        }
        text
    }
}

/// The pairs of samples that replicate each other, with an equivalence test of White's score (TOST) for the same game.
#[must_use]
pub fn replications(samples: &[Sample], all: &[Metrics]) -> Vec<Replication> {
    let mut found = Vec::new();
    for i in 0..samples.len() {
        for j in i + 1..samples.len() {
            let (a, b) = (&samples[i].reading, &samples[j].reading);
            let same_rules = same_game(a, b);
            let same_game = same_rules && samples[i].conditions == samples[j].conditions;
            let why = if same_game {
                "the same game, or its mirror image"
            } else if same_rules {
                "the same game, or its mirror image, but played differently: their figures need not agree"
            } else if a.rules.officers_fingerprint() == b.rules.officers_fingerprint() {
                "one move set: agreement in piece values is replication, not evidence"
            } else {
                continue;
            };
            let score = |m: &Metrics| -> Option<Estimate> { m.wdl.score_estimate(LEVEL).ok() };
            let scores = score(&all[i]).zip(score(&all[j])).filter(|_| same_game);
            found.push(Replication {
                samples: (samples[i].name.clone(), samples[j].name.clone()),
                why,
                same_game,
                score: scores.and_then(|(x, y)| {
                    let difference = x.minus(&y, LEVEL).ok()?;
                    Some((difference.value, equivalence(&difference, SCORE_MARGIN, ALPHA).ok()?))
                }),
                games: all[i].wdl.games() + all[j].wdl.games(),
            });
        }
    }
    found
}
