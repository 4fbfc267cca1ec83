//! Histograms of game lengths, one panel a reading, on one axis.

use super::{
    PlotError,
    axis::{Axis, round_step},
    canvas::{Canvas, GRID, Hold, INK, QUIET, TEXT, colour, count_px, draw, px, shorten},
};
use crate::stats::quantile::quantile;

/// Game lengths of one reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LengthSeries {
    /// Name of the panel.
    pub name: String,
    /// Length of each game, plies; of an unfinished one, the plies it had.
    pub lengths: Vec<u32>,
    /// How many of them are unfinished.
    pub unfinished: u64,
}

const WIDTH: i32 = 760;
const PANEL: i32 = 120;
const GAP: i32 = 34;
const LEFT: i32 = 64;
const RIGHT: i32 = WIDTH - 24;
const TOP: i32 = 26;

/// Draws the share of games per length, all panels on the same axes, with the median marked.
///
/// # Errors
/// No readings, or no game in any of them.
pub fn lengths(title: &str, series: &[LengthSeries]) -> Result<String, PlotError> {
    let longest = series.iter().flat_map(|s| s.lengths.iter()).max().copied();
    let Some(longest) = longest else { return Err(PlotError::Empty("games")) };
    let width = round_step((f64::from(longest) + 1.0) / 40.0).max(1.0);
    let bins = bin(f64::from(longest), width) + 1;
    let shares: Vec<Vec<f64>> = series.iter().map(|s| histogram(&s.lengths, width, bins)).collect();
    let tallest = shares.iter().flatten().copied().fold(0.0, f64::max);
    let x = Axis::new(0.0, bins as f64 * width, LEFT, RIGHT);
    let height = TOP + count_px(series.len()) * (PANEL + GAP) + 40;
    draw(WIDTH, height, |c| {
        c.title(title, WIDTH)?;
        let mut bottom = TOP;
        for (i, (s, shares)) in series.iter().zip(&shares).enumerate() {
            bottom = TOP + count_px(i + 1) * (PANEL + GAP);
            panel(c, i, s, shares, width, &x, &Axis::new(0.0, tallest, bottom, bottom - PANEL))?;
        }
        for (value, label) in x.ticks(8) {
            c.line(&[(x.at(value), bottom), (x.at(value), bottom + 4)], INK, 1)?;
            c.text(&label, (x.at(value), bottom + 15), TEXT, INK, Hold::Middle)?;
        }
        c.text("game length (plies)", ((LEFT + RIGHT) / 2, bottom + 32), TEXT, INK, Hold::Middle)
    })
}

fn panel(
    c: &Canvas,
    i: usize,
    series: &LengthSeries,
    shares: &[f64],
    width: f64,
    x: &Axis,
    y: &Axis,
) -> Result<(), PlotError> {
    let bottom = y.at(0.0);
    for (value, _) in x.ticks(8) {
        c.line(&[(x.at(value), bottom - PANEL), (x.at(value), bottom)], GRID, 1)?;
    }
    for (value, _) in y.ticks(3) {
        c.line(&[(LEFT, y.at(value)), (RIGHT, y.at(value))], GRID, 1)?;
        let label = crate::report::table::percent(value, usize::from(value > 0.0 && value < 0.01));
        c.text(&label, (LEFT - 8, y.at(value)), TEXT - 1, INK, Hold::Right)?;
    }
    for (b, &share) in shares.iter().enumerate() {
        if share > 0.0 {
            let (from, to) = (x.at(b as f64 * width), x.at((b + 1) as f64 * width));
            c.rectangle((from, y.at(share)), ((to - 1).max(from + 1), bottom), colour(i))?;
        }
    }
    let plies: Vec<f64> = series.lengths.iter().map(|&l| f64::from(l)).collect();
    let mut note = format!("{} games", plies.len());
    if let Some(median) = quantile(&plies, 0.5) {
        note.push_str(&format!(", median {}", crate::report::table::number(median, 0)));
        let at = x.at(median);
        c.line(&[(at, bottom - PANEL), (at, bottom)], INK, 2)?;
    }
    if series.unfinished > 0 {
        note.push_str(&format!(", {} unfinished", series.unfinished));
    }
    c.line(&[(LEFT, bottom), (RIGHT, bottom)], INK, 1)?;
    c.text(&shorten(&series.name, 380), (LEFT, bottom - PANEL - 14), TEXT, INK, Hold::Left)?;
    c.text(&note, (RIGHT, bottom - PANEL - 14), TEXT, QUIET, Hold::Right)
}

fn histogram(lengths: &[u32], width: f64, bins: usize) -> Vec<f64> {
    let mut counts = vec![0u32; bins];
    for &l in lengths {
        counts[bin(f64::from(l), width).min(bins - 1)] += 1;
    }
    let n = lengths.len().max(1) as f64;
    counts.into_iter().map(|c| f64::from(c) / n).collect()
}

fn bin(length: f64, width: f64) -> usize {
    usize::try_from(px(libm::floor(length / width))).unwrap_or(0)
}
