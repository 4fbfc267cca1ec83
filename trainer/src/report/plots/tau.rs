//! Bars of Kendall's tau-b over bootstrap replicates, one panel a reading.

use super::{
    PlotError,
    axis::Axis,
    canvas::{Canvas, GRID, Hold, INK, QUIET, TEXT, colour, count_px, draw, shorten},
};
use crate::report::table::{number, percent, with_interval};
use crate::stats::kendall::TauDistribution;

/// The tau-b of one reading.
#[derive(Debug, Clone, PartialEq)]
pub struct TauSeries {
    /// Name of the panel.
    pub name: String,
    /// tau-b of the estimates themselves, if known.
    pub observed: Option<f64>,
    /// Its bootstrap distribution; `None` shows as undetermined.
    pub distribution: Option<TauDistribution>,
}

const WIDTH: i32 = 760;
const PANEL: i32 = 110;
const GAP: i32 = 44;
const LEFT: i32 = 64;
const RIGHT: i32 = WIDTH - 32;
const TOP: i32 = 20;

/// Draws the share of replicates at each tau-b, -1 to 1, with the observed tau-b marked by a triangle.
///
/// # Errors
/// No readings.
pub fn tau(title: &str, series: &[TauSeries]) -> Result<String, PlotError> {
    if series.is_empty() {
        return Err(PlotError::Empty("readings"));
    }
    let tallest = series
        .iter()
        .filter_map(|s| s.distribution.as_ref())
        .flat_map(|d| d.table.iter().map(|t| t.1))
        .fold(0.0, f64::max);
    // Without a bar any height will do, but none would put the panels anywhere.
    let tallest = if tallest > 0.0 { tallest } else { 1.0 };
    let x = Axis::new(-1.05, 1.05, LEFT, RIGHT);
    let height = TOP + count_px(series.len()) * (PANEL + GAP) + 62;
    draw(WIDTH, height, |c| {
        c.title(title, WIDTH)?;
        let mut bottom = TOP;
        for (i, s) in series.iter().enumerate() {
            bottom = TOP + count_px(i + 1) * (PANEL + GAP);
            panel(c, i, s, &x, &Axis::new(0.0, tallest, bottom, bottom - PANEL))?;
        }
        for (value, label) in x.ticks(11) {
            c.line(&[(x.at(value), bottom), (x.at(value), bottom + 4)], INK, 1)?;
            c.text(&label, (x.at(value), bottom + 20), TEXT, INK, Hold::Middle)?;
        }
        let middle = (LEFT + RIGHT) / 2;
        c.text("Kendall's tau-b with the pips", (middle, bottom + 38), TEXT, INK, Hold::Middle)?;
        let note = "Bars: share of game-bootstrap replicates, with their 95 % percentile interval. Triangle: the estimates themselves.";
        c.text(note, (middle, bottom + 55), TEXT - 2, QUIET, Hold::Middle)
    })
}

fn panel(c: &Canvas, i: usize, s: &TauSeries, x: &Axis, y: &Axis) -> Result<(), PlotError> {
    let bottom = y.at(0.0);
    c.text(&shorten(&s.name, 300), (LEFT, bottom - PANEL - 14), TEXT, INK, Hold::Left)?;
    let Some(d) = &s.distribution else {
        c.line(&[(LEFT, bottom), (RIGHT, bottom)], INK, 1)?;
        return c.text("undetermined", (RIGHT, bottom - PANEL - 14), TEXT, QUIET, Hold::Right);
    };
    for (value, _) in y.ticks(3) {
        c.line(&[(LEFT, y.at(value)), (RIGHT, y.at(value))], GRID, 1)?;
        let label = percent(value, usize::from(value > 0.0 && value < 0.01));
        c.text(&label, (LEFT - 8, y.at(value)), TEXT - 1, INK, Hold::Right)?;
    }
    for &(value, share) in &d.table {
        let at = x.at(value);
        c.rectangle((at - 6, y.at(share)), (at + 6, bottom), colour(i))?;
    }
    c.line(&[(x.at(0.0), bottom - PANEL), (x.at(0.0), bottom)], QUIET, 1)?;
    c.line(&[(LEFT, bottom), (RIGHT, bottom)], INK, 1)?;
    let mut note = format!("bootstrap mean {}", with_interval(d.mean, d.interval, 2));
    if let Some(observed) = s.observed.filter(|o| o.is_finite()) {
        let at = x.at(observed);
        c.polygon(&[(at, bottom + 1), (at + 6, bottom + 11), (at - 6, bottom + 11)], INK)?;
        note = format!("tau-b {}, {note}", number(observed, 2));
    }
    c.text(&note, (RIGHT, bottom - PANEL - 14), TEXT, QUIET, Hold::Right)
}
