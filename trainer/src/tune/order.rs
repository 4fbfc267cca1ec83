//! The order of the measured values: pawn scale, adjacent pairs, agreement with the pips.

use super::{uncertainty::Replicates, values::ValuesFit};
use crate::stats::{
    Estimate, Interval, StatsError,
    kendall::{EXACT_LIMIT, TauDistribution, exact_p, tau_b},
    quantile::percentile_interval,
};

/// Values as 100 x theta / theta of the pawn.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub enum PawnScale {
    /// The pawn's clustered interval reaches 0 or below (or the pawn is undetermined), so the scale means nothing.
    Undetermined {
        /// The pawn's interval, natural log-odds, if it has one.
        pawn: Option<Interval>,
    },
    /// Scaled values.
    Scaled(Vec<ScaledValue>),
}

impl std::fmt::Display for PawnScale {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            PawnScale::Undetermined { .. } => f.write_str("pawn scale undetermined"),
            PawnScale::Scaled(values) => write!(f, "{} values in hundredths of a pawn", values.len()),
        }
    }
}

/// One value on the pawn scale.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct ScaledValue {
    /// Kind.
    pub name: String,
    /// 100 x theta / theta of the pawn.
    pub value: f64,
    /// Percentile interval over game-bootstrap replicates.
    pub interval: Interval,
}

/// Scales the determined columns among `kinds` to `pawn` = 100, with percentile intervals at the fit's level.
#[must_use]
pub fn pawn_scale(fit: &ValuesFit, replicates: &Replicates, kinds: &[&str], pawn: &str) -> PawnScale {
    let interval = fit
        .column(pawn)
        .and_then(|c| c.coefficient.as_ref().ok())
        .map(|c| c.clustered.interval)
        .filter(|i| !i.low.is_nan());
    let (Some(reach), Some(bottom)) = (interval, replicates.theta(fit, pawn)) else {
        return PawnScale::Undetermined { pawn: interval };
    };
    if reach.low <= 0.0 {
        return PawnScale::Undetermined { pawn: interval };
    }
    let mut values = Vec::new();
    for &kind in kinds {
        let Some(place) = fit.position(kind).zip(fit.position(pawn)) else { continue };
        let Some(top) = replicates.theta(fit, kind) else { continue };
        let ratios: Vec<f64> = top.iter().zip(&bottom).map(|(t, b)| 100.0 * t / b).collect();
        if let Some(interval) = percentile_interval(&ratios, fit.level) {
            let value = 100.0 * fit.theta[place.0] / fit.theta[place.1];
            values.push(ScaledValue { name: kind.to_string(), value, interval });
        }
    }
    PawnScale::Scaled(values)
}

/// Whether one kind is worth more than another.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct PairOrder {
    /// The kind said to be worth more.
    pub above: String,
    /// The kind said to be worth less.
    pub below: String,
    /// Share of the replicates that have both with theta(above) > theta(below); `None` if one is undetermined.
    pub probability: Option<f64>,
    /// Replicates counted.
    pub replicates: usize,
    /// theta(above) - theta(below) with its interval clustered by game, natural log-odds.
    pub difference: Option<Estimate>,
    /// Two-sided p-value of no difference (t, clusters - 1 degrees of freedom), before any correction.
    pub p: Option<f64>,
}

/// The adjacent pairs of `order`, from the kind ranked highest down.
#[must_use]
pub fn adjacent_pairs(fit: &ValuesFit, replicates: &Replicates, order: &[&str]) -> Vec<PairOrder> {
    order
        .windows(2)
        .map(|pair| {
            let (above, below) = (pair[0], pair[1]);
            let draws: Vec<bool> = match (replicates.theta(fit, above), replicates.theta(fit, below)) {
                (Some(a), Some(b)) => {
                    a.iter().zip(&b).filter(|(a, b)| !a.is_nan() && !b.is_nan()).map(|(a, b)| a > b).collect()
                }
                _ => Vec::new(),
            };
            let hits = draws.iter().filter(|&&h| h).count();
            let difference = fit.difference(above, below);
            PairOrder {
                above: above.to_string(),
                below: below.to_string(),
                probability: (!draws.is_empty()).then(|| hits as f64 / draws.len() as f64),
                replicates: draws.len(),
                difference,
                p: difference.map(|d| d.two_sided_p(0.0)),
            }
        })
        .collect()
}

/// Agreement of the measured order with a ranking given beforehand (the pips).
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct RankAgreement {
    /// Kinds compared: the determined ones.
    pub kinds: Vec<String>,
    /// Kinds of the ranking that the data do not determine.
    pub left_out: Vec<String>,
    /// tau-b of theta and the ranks.
    pub tau: f64,
    /// Exact p-value of tau, if few enough kinds: the share of all orders that agree at least as well (exchangeable null).
    pub exact_p: Option<f64>,
    /// tau-b over game-bootstrap replicates; `None` without a complete replicate.
    pub distribution: Option<TauDistribution>,
}

/// Compares theta with `ranks`, (kind, rank) pairs, a higher number ranking higher.
///
/// # Errors
/// Fewer than two determined kinds, or ranks all equal or not finite.
pub fn rank_agreement(
    fit: &ValuesFit,
    replicates: &Replicates,
    ranks: &[(&str, f64)],
) -> Result<RankAgreement, StatsError> {
    let (mut kinds, mut left_out, mut places, mut given) = (vec![], vec![], vec![], vec![]);
    for &(kind, rank) in ranks {
        match fit.position(kind) {
            Some(i) => {
                kinds.push(kind.to_string());
                places.push(i);
                given.push(rank);
            }
            None => left_out.push(kind.to_string()),
        }
    }
    let theta: Vec<f64> = places.iter().map(|&i| fit.theta[i]).collect();
    let tau = tau_b(&theta, &given)?;
    let columns: Vec<Vec<f64>> = kinds.iter().filter_map(|k| replicates.theta(fit, k)).collect();
    let taus: Vec<f64> = (0..replicates.len())
        .map(|r| {
            let draw: Vec<f64> = columns.iter().map(|c| c[r]).collect();
            tau_b(&draw, &given).unwrap_or(f64::NAN)
        })
        .collect();
    let exact = if kinds.len() <= EXACT_LIMIT { exact_p(&theta, &given).ok() } else { None };
    let distribution = TauDistribution::new(&taus, fit.level);
    Ok(RankAgreement { kinds, left_out, tau, exact_p: exact, distribution })
}
