//! Forest plot: values with intervals, several readings side by side.

use super::{
    PlotError,
    axis::Axis,
    canvas::{Canvas, GRID, Hold, INK, QUIET, TEXT, colour, count_px, draw, shorten, text_width},
};
use crate::stats::Interval;

/// One value of a forest plot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ForestValue {
    /// The estimate.
    pub value: f64,
    /// Its interval.
    pub interval: Interval,
}

/// What a reading has to say of a kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ForestCell {
    /// Nothing: the reading has no such kind.
    Absent,
    /// That its value is undetermined.
    Undetermined,
    /// Its value; one that is not finite shows as undetermined.
    Value(ForestValue),
}

impl ForestCell {
    fn value(&self) -> Option<&ForestValue> {
        match self {
            ForestCell::Value(value) => Some(value).filter(|v| finite(v)),
            _ => None,
        }
    }
}

/// The values of one reading.
#[derive(Debug, Clone, PartialEq)]
pub struct ForestSeries {
    /// Name in the legend.
    pub name: String,
    /// A cell per kind, in the order of the kinds.
    pub values: Vec<ForestCell>,
}

const WIDTH: i32 = 760;
const LINE: i32 = 15;

/// Draws `series` for each of `kinds` (top down); `unit` labels the axis. Interval ends far outside the values are cut, with an
/// arrow.
///
/// # Errors
/// No kinds, no series or no value.
pub fn forest(title: &str, unit: &str, kinds: &[&str], series: &[ForestSeries]) -> Result<String, PlotError> {
    if kinds.is_empty() {
        return Err(PlotError::Empty("kinds"));
    }
    if series.is_empty() {
        return Err(PlotError::Empty("readings"));
    }
    if !series.iter().flat_map(|s| &s.values).any(|cell| cell.value().is_some()) {
        return Err(PlotError::Empty("values"));
    }
    let left = kinds.iter().map(|k| text_width(k, TEXT)).max().unwrap_or(0).clamp(40, 200) + 28;
    let (legend, legend_rows) = legend_places(series);
    let top = 44 + legend_rows * 20;
    let band = count_px(series.len()) * LINE + 12;
    let bottom = top + band * count_px(kinds.len());
    let (low, high) = range(series);
    let axis = Axis::new(low, high, left, WIDTH - 24);
    draw(WIDTH, bottom + 56, |c| {
        c.title(title, WIDTH)?;
        for (i, (s, at)) in series.iter().zip(&legend).enumerate() {
            c.line(&[(at.0, at.1), (at.0 + 24, at.1)], colour(i), 2)?;
            c.marker(i, (at.0 + 12, at.1))?;
            c.text(&shorten(&s.name, 300), (at.0 + 32, at.1), TEXT, INK, Hold::Left)?;
        }
        for (value, label) in axis.ticks(8) {
            let x = axis.at(value);
            c.line(&[(x, top), (x, bottom)], GRID, 1)?;
            c.text(&label, (x, bottom + 14), TEXT, INK, Hold::Middle)?;
        }
        if axis.holds(0.0) {
            c.line(&[(axis.at(0.0), top), (axis.at(0.0), bottom)], QUIET, 1)?;
        }
        for (k, kind) in kinds.iter().enumerate() {
            let y = top + count_px(k) * band;
            c.line(&[(16, y), (WIDTH - 24, y)], GRID, 1)?;
            c.text(&shorten(kind, 200), (left - 12, y + band / 2), TEXT, INK, Hold::Right)?;
            for (i, s) in series.iter().enumerate() {
                let y = y + 6 + count_px(i) * LINE + LINE / 2;
                match s.values.get(k) {
                    None | Some(ForestCell::Absent) => {}
                    Some(cell) => whisker(c, &axis, i, y, cell.value(), left)?,
                }
            }
        }
        c.line(&[(left, bottom), (WIDTH - 24, bottom)], INK, 1)?;
        c.text(unit, ((left + WIDTH - 24) / 2, bottom + 38), TEXT, INK, Hold::Middle)
    })
}

fn whisker(
    c: &Canvas,
    axis: &Axis,
    i: usize,
    y: i32,
    value: Option<&ForestValue>,
    left: i32,
) -> Result<(), PlotError> {
    let Some(v) = value else {
        c.marker(i, (left + 10, y))?;
        return c.text("undetermined", (left + 20, y), TEXT - 2, QUIET, Hold::Left);
    };
    let (a, b) = (axis.at(v.interval.low), axis.at(v.interval.high));
    c.line(&[(a, y), (b, y)], colour(i), 2)?;
    if axis.holds(v.interval.low) {
        c.line(&[(a, y - 4), (a, y + 4)], colour(i), 2)?;
    } else {
        c.polygon(&[(a, y), (a + 8, y - 5), (a + 8, y + 5)], colour(i))?;
    }
    if axis.holds(v.interval.high) {
        c.line(&[(b, y - 4), (b, y + 4)], colour(i), 2)?;
    } else {
        c.polygon(&[(b, y), (b - 8, y - 5), (b - 8, y + 5)], colour(i))?;
    }
    c.marker(i, (axis.at(v.value), y))
}

fn finite(v: &ForestValue) -> bool {
    v.value.is_finite() && !v.interval.low.is_nan() && !v.interval.high.is_nan()
}

/// Axis range: 0, all values, and their intervals as far as 0.6 spans of the values beyond them.
fn range(series: &[ForestSeries]) -> (f64, f64) {
    let shown = || series.iter().flat_map(|s| &s.values).filter_map(ForestCell::value);
    let low = shown().map(|v| v.value).fold(0.0, f64::min);
    let high = shown().map(|v| v.value).fold(0.0, f64::max);
    let span = 0.6 * (high - low).max(1e-9);
    let bottom = shown().map(|v| v.interval.low).fold(low, f64::min).max(low - span);
    let top = shown().map(|v| v.interval.high).fold(high, f64::max).min(high + span);
    let air = 0.03 * (top - bottom);
    (bottom - if bottom < 0.0 { air } else { 0.0 }, top + if top > 0.0 { air } else { 0.0 })
}

/// Positions of the legend entries and the number of lines they take.
fn legend_places(series: &[ForestSeries]) -> (Vec<(i32, i32)>, i32) {
    let (mut x, mut row) = (20, 0);
    let places = series
        .iter()
        .map(|s| {
            let width = text_width(&shorten(&s.name, 300), TEXT) + 56;
            if x + width > WIDTH - 16 && x > 20 {
                (x, row) = (20, row + 1);
            }
            let at = (x, 46 + row * 20);
            x += width;
            at
        })
        .collect();
    (places, row + 1)
}
