//! The measured values of one sample, and the eval weights fitted to it.

use acedrex_engine::eval::Weights;

use super::{
    TuneError,
    order::{PairOrder, PawnScale, RankAgreement, adjacent_pairs, pawn_scale, rank_agreement},
    uncertainty::Replicates,
    values::{self, Undetermined, ValuesFit},
    weights_fit::{self, WeightsFit, fit_weights},
};
use crate::report::table::{Align, Table, number, p_value, with_interval};
use crate::sample::{Sample, spreads};
use crate::stats::holm;

/// What one sample says the pieces are worth, with all uncertainty.
#[derive(Debug, Clone)]
pub struct Measured {
    /// The regression.
    pub fit: ValuesFit,
    /// Values in hundredths of a pawn, if the pawn's worth is known well enough.
    pub scale: PawnScale,
    /// The adjacent pairs of the pips, from the highest down; empty without pips.
    pub pairs: Vec<PairOrder>,
    /// Holm-adjusted p-values of the pairs, over the pairs of this sample until [`adjust_together`] widens the family; NaN
    /// where there is none.
    pub pairs_holm: Vec<f64>,
    /// Agreement with the pips; `None` if fewer than two kinds with pips have a value.
    pub agreement: Option<RankAgreement>,
    /// Bootstrap replicates drawn, and how many of them did not converge.
    pub replicates: (usize, usize),
    /// The keys of the kinds, in the ruleset's order.
    pub kinds: Vec<String>,
}

/// Fits the measured values of a sample and draws `replicates` game-bootstrap replicates.
///
/// # Errors
/// If the sample holds too little: no quiet position, fewer than two games, or only one result.
pub fn measure(sample: &Sample, replicates: u32, seed: u64) -> Result<Measured, TuneError> {
    let fit = values::fit(&sample.design()?, &values::Options::default())?;
    let draws = Replicates::draw(&fit, replicates, seed);
    let kinds = sample.kinds();
    let pips = sample.pips();
    let order: Vec<&str> = pips.iter().map(|(key, _)| *key).collect();
    let ranks: Vec<(&str, f64)> = pips.iter().map(|(key, pips)| (*key, f64::from(*pips))).collect();
    let pairs = adjacent_pairs(&fit, &draws, &order);
    let p: Vec<f64> = pairs.iter().map(|pair| pair.p.unwrap_or(f64::NAN)).collect();
    Ok(Measured {
        scale: match sample.pawn() {
            Some(pawn) => pawn_scale(&fit, &draws, &kinds, pawn),
            None => PawnScale::Undetermined { pawn: None },
        },
        pairs_holm: holm::adjust(&p),
        pairs,
        agreement: rank_agreement(&fit, &draws, &ranks).ok(),
        replicates: (draws.len(), draws.unconverged),
        kinds: kinds.into_iter().map(str::to_owned).collect(),
        fit,
    })
}

/// Corrects the p-values of the pairs of all samples of a report together: they are one family.
pub fn adjust_together(all: &mut [Option<Measured>]) {
    let p: Vec<f64> = all
        .iter()
        .flatten()
        .flat_map(|measured| &measured.pairs)
        .map(|pair| pair.p.unwrap_or(f64::NAN))
        .collect();
    let mut adjusted = holm::adjust(&p).into_iter();
    for measured in all.iter_mut().flatten() {
        measured.pairs_holm = adjusted.by_ref().take(measured.pairs.len()).collect();
    }
}

impl Measured {
    /// The value of a kind on the pawn scale, if there is one.
    #[must_use]
    pub fn scaled(&self, kind: &str) -> Option<&super::order::ScaledValue> {
        match &self.scale {
            PawnScale::Scaled(values) => values.iter().find(|value| value.name == kind),
            PawnScale::Undetermined { .. } => None,
        }
    }

    /// theta of a kind, or why there is none.
    #[must_use]
    pub fn theta(&self, kind: &str) -> Option<Result<values::Coefficient, Undetermined>> {
        self.fit.column(kind).map(|column| column.coefficient)
    }

    /// A row a kind: theta with its clustered interval, the value in hundredths of a pawn, games with an imbalance.
    #[must_use]
    pub fn table(&self) -> Table {
        let mut table = Table::new(&[
            ("kind", Align::Left),
            ("theta (log-odds a piece)", Align::Right),
            ("100 theta / theta pawn", Align::Right),
            ("games with an imbalance", Align::Right),
        ]);
        for column in &self.fit.columns {
            let theta = match &column.coefficient {
                Ok(c) => with_interval(c.theta(), c.clustered.interval, 3),
                Err(why) => why.to_string(),
            };
            let is_kind = self.kinds.contains(&column.name);
            let scaled = match (self.scaled(&column.name), &self.scale) {
                (Some(value), _) => with_interval(value.value, value.interval, 0),
                (None, PawnScale::Undetermined { .. }) if is_kind => self.scale.to_string(),
                _ => String::new(),
            };
            let games = if is_kind { column.imbalance_games.to_string() } else { String::new() };
            table.row(&[column.name.clone(), theta, scaled, games]);
        }
        table
    }

    /// A row an adjacent pair of the pips: share of the bootstrap replicates in that order, difference, two-sided p-values.
    #[must_use]
    pub fn pairs_table(&self) -> Table {
        let mut table = Table::new(&[
            ("pair", Align::Left),
            ("probability", Align::Right),
            ("difference of theta", Align::Right),
            ("p", Align::Right),
            ("p (Holm)", Align::Right),
        ]);
        for (pair, holm) in self.pairs.iter().zip(&self.pairs_holm) {
            let none = || "undetermined".to_owned();
            table.row(&[
                format!("{} > {}", pair.above, pair.below),
                pair.probability.map_or_else(none, |p| number(p, 3)),
                pair.difference.map_or_else(none, |d| with_interval(d.value, d.interval, 3)),
                pair.p.map_or_else(none, p_value),
                if holm.is_nan() { none() } else { p_value(*holm) },
            ]);
        }
        table
    }
}

/// Fits the eval weights to a sample that was collected with coefficients: piece values, or with `all` every weight.
///
/// # Errors
/// As [`fit_weights`].
pub fn fit_eval_weights(
    sample: &Sample,
    start: &Weights,
    all: bool,
    options: &weights_fit::Options,
    progress: &mut dyn FnMut(weights_fit::Progress),
) -> Result<(Weights, WeightsFit), TuneError> {
    let features = start.features().clone();
    let flat: Vec<f64> = start.values().iter().flatten().copied().collect();
    let spread = spreads(start, sample, all);
    let fit = fit_weights(&sample.sparse_rows()?, &flat, &spread, options, progress)?;
    let mut weights = start.clone();
    for feature in 0..features.len() {
        let of = |phase| fit.weights[Sample::weight_index(feature, phase)];
        weights.set_at(feature, [of(0), of(1)]);
    }
    Ok((weights, fit))
}

/// One line on how well weights fit.
#[must_use]
pub fn fit_line(fit: &WeightsFit) -> String {
    let bound = if fit.k_at_bound { " (at its bound: the start weights say nothing of results)" } else { "" };
    format!(
        "K {} per 100 cp{bound}; validation loss {} -> {} nats on {} games with {} positions, best of {} epochs: {}",
        number(fit.k, 3),
        number(fit.validation_loss_before, 5),
        number(fit.validation_loss_after, 5),
        fit.validation.0,
        fit.validation.1,
        fit.epochs,
        fit.best_epoch
    )
}
