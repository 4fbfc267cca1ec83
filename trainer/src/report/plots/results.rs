//! Stacked bars of wins, draws and losses, one a reading.

use super::{
    PlotError,
    axis::Axis,
    canvas::{Canvas, GRID, Hold, INK, QUIET, TEXT, count_px, draw, shorten, text_width},
};
use crate::report::table::{number, with_interval};
use crate::stats::{Interval, wdl::Wdl};
use plotters::style::{RGBColor, WHITE};

/// Results of one reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultBar {
    /// Name of the bar.
    pub name: String,
    /// Results from White's view.
    pub wdl: Wdl,
}

const WIDTH: i32 = 760;
const BAR: i32 = 38;
const ROW: i32 = 72;
const WIN: RGBColor = RGBColor(0, 114, 178);
const DRAW: RGBColor = RGBColor(205, 205, 205);
const LOSS: RGBColor = RGBColor(230, 159, 0);
const LEVEL: f64 = 0.95;

/// Draws a bar a reading: shares of White's wins, draws and losses with counts, 95 % Wilson intervals of the win share and the
/// loss share as whiskers at their ends, and the mean score with its interval above.
///
/// # Errors
/// No readings.
pub fn results(title: &str, bars: &[ResultBar]) -> Result<String, PlotError> {
    if bars.is_empty() {
        return Err(PlotError::Empty("readings"));
    }
    let (left, right) = (24, WIDTH - 32);
    let top = 66;
    let bottom = top + ROW * count_px(bars.len());
    let axis = Axis::new(0.0, 1.0, left, right);
    draw(WIDTH, bottom + 68, |c| {
        c.title(title, WIDTH)?;
        let mut x = left;
        for (label, colour) in [("White wins", WIN), ("draw", DRAW), ("Black wins", LOSS)] {
            c.rectangle((x, 40), (x + 14, 52), colour)?;
            c.text(label, (x + 20, 46), TEXT, INK, Hold::Left)?;
            x += 44 + text_width(label, TEXT);
        }
        for (value, label) in axis.ticks(5) {
            c.line(&[(axis.at(value), top), (axis.at(value), bottom)], GRID, 1)?;
            c.text(&label, (axis.at(value), bottom + 14), TEXT, INK, Hold::Middle)?;
        }
        for (i, bar) in bars.iter().enumerate() {
            row(c, &axis, bar, top + count_px(i) * ROW)?;
        }
        c.line(&[(left, bottom), (right, bottom)], INK, 1)?;
        c.text("share of finished games", ((left + right) / 2, bottom + 34), TEXT, INK, Hold::Middle)?;
        let note = "Whiskers: 95 % Wilson intervals of White's wins (upper) and Black's wins (lower).";
        c.text(note, ((left + right) / 2, bottom + 54), TEXT - 2, QUIET, Hold::Middle)
    })
}

fn row(c: &Canvas, axis: &Axis, bar: &ResultBar, y: i32) -> Result<(), PlotError> {
    let (from, to) = (axis.at(0.0), axis.at(1.0));
    c.text(&shorten(&bar.name, 280), (from, y + 12), TEXT, INK, Hold::Left)?;
    let Ok(summary) = bar.wdl.summary(LEVEL) else {
        return c.text("no finished games", (to, y + 12), TEXT, QUIET, Hold::Right);
    };
    let score = format!(
        "{} finished games, score {}",
        summary.games,
        with_interval(summary.score.value, summary.score.interval, 3)
    );
    c.text(&score, (to, y + 12), TEXT, INK, Hold::Right)?;
    let (upper, lower) = (y + 24, y + 24 + BAR);
    let (w, d) = (summary.wins.value, summary.draws.value);
    let parts = [
        (0.0, w, bar.wdl.wins, WIN, WHITE),
        (w, w + d, bar.wdl.draws, DRAW, INK),
        (w + d, 1.0, bar.wdl.losses, LOSS, INK),
    ];
    for (start, end, count, colour, ink) in parts {
        let (a, b) = (axis.at(start), axis.at(end));
        if count == 0 {
            continue;
        }
        c.rectangle((a, upper), (b, lower), colour)?;
        let label = number(count as f64, 0);
        // Counts keep to the middle third of the bar, whiskers to the outer ones.
        if text_width(&label, TEXT) + 12 < b - a {
            c.text(&label, ((a + b) / 2, (upper + lower) / 2), TEXT, ink, Hold::Middle)?;
        }
    }
    whisker(c, axis, summary.wins.interval, upper + 6)?;
    let l = summary.losses.interval;
    whisker(c, axis, Interval { low: 1.0 - l.high, high: 1.0 - l.low }, lower - 6)
}

fn whisker(c: &Canvas, axis: &Axis, interval: Interval, y: i32) -> Result<(), PlotError> {
    let (a, b) = (axis.at(interval.low), axis.at(interval.high));
    // A white edge keeps the whisker visible on every colour.
    for (colour, width) in [(WHITE, 4), (INK, 2)] {
        c.line(&[(a, y), (b, y)], colour, width)?;
        c.line(&[(a, y - 3), (a, y + 3)], colour, width)?;
        c.line(&[(b, y - 3), (b, y + 3)], colour, width)?;
    }
    Ok(())
}
