//! Pixels, shapes and text on an SVG.

use super::PlotError;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Colour of axes and text.
pub(super) const INK: RGBColor = RGBColor(40, 40, 40);
/// Colour of grid lines.
pub(super) const GRID: RGBColor = RGBColor(222, 222, 222);
/// Colour of quiet remarks.
pub(super) const QUIET: RGBColor = RGBColor(110, 110, 110);
/// Size of ordinary text in pixels.
pub(super) const TEXT: i32 = 13;
/// Size of titles in pixels.
pub(super) const TITLE: i32 = 16;

/// Okabe and Ito's palette without its yellow, which is too pale on white.
const PALETTE: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(0, 0, 0),
];

/// Colour of series `i`.
pub(super) fn colour(i: usize) -> RGBColor {
    PALETTE[i % PALETTE.len()]
}

/// Nearest pixel, within +-100000.
#[expect(clippy::cast_possible_truncation, reason = "rounded and clamped to a range that fits")]
pub(super) fn px(value: f64) -> i32 {
    if value.is_nan() { 0 } else { value.round().clamp(-1e5, 1e5) as i32 }
}

/// A length as a pixel count, at most 100000.
pub(super) fn count_px(count: usize) -> i32 {
    i32::try_from(count.min(100_000)).unwrap_or(100_000)
}

/// Estimated width of `text` at `size` pixels in a sans-serif face, on the wide side.
pub(super) fn text_width(text: &str, size: i32) -> i32 {
    px(text.chars().count() as f64 * f64::from(size) * 0.58)
}

/// `text` cut to about `width` pixels at the ordinary size, with an ellipsis.
pub(super) fn shorten(text: &str, width: i32) -> String {
    if text_width(text, TEXT) <= width {
        return text.to_string();
    }
    let mut out = String::new();
    for c in text.chars() {
        if text_width(&out, TEXT) + 2 * TEXT > width {
            break;
        }
        out.push(c);
    }
    out.push('\u{2026}');
    out
}

/// Where a text is held horizontally; vertically it is centred.
#[derive(Debug, Clone, Copy)]
pub(super) enum Hold {
    Left,
    Middle,
    Right,
}

/// An SVG being drawn.
pub(super) struct Canvas<'a> {
    area: DrawingArea<SVGBackend<'a>, Shift>,
}

/// Draws an SVG of the given size with a white ground.
pub(super) fn draw(
    width: i32,
    height: i32,
    paint: impl FnOnce(&Canvas) -> Result<(), PlotError>,
) -> Result<String, PlotError> {
    let size = (width.max(1).unsigned_abs(), height.max(1).unsigned_abs());
    let mut svg = String::new();
    {
        let canvas = Canvas { area: SVGBackend::with_string(&mut svg, size).into_drawing_area() };
        canvas.area.fill(&WHITE).map_err(backend)?;
        paint(&canvas)?;
        canvas.area.present().map_err(backend)?;
    }
    Ok(svg)
}

fn backend(e: impl std::fmt::Display) -> PlotError {
    PlotError::Backend(e.to_string())
}

impl Canvas<'_> {
    pub fn line(&self, points: &[(i32, i32)], colour: RGBColor, width: u32) -> Result<(), PlotError> {
        self.area.draw(&PathElement::new(points.to_vec(), colour.stroke_width(width))).map_err(backend)
    }

    pub fn rectangle(&self, a: (i32, i32), b: (i32, i32), colour: RGBColor) -> Result<(), PlotError> {
        self.area.draw(&Rectangle::new([a, b], colour.filled())).map_err(backend)
    }

    pub fn polygon(&self, points: &[(i32, i32)], colour: RGBColor) -> Result<(), PlotError> {
        self.area.draw(&Polygon::new(points.to_vec(), colour.filled())).map_err(backend)
    }

    pub fn text(
        &self,
        text: &str,
        at: (i32, i32),
        size: i32,
        colour: RGBColor,
        hold: Hold,
    ) -> Result<(), PlotError> {
        let hold = match hold {
            Hold::Left => HPos::Left,
            Hold::Middle => HPos::Center,
            Hold::Right => HPos::Right,
        };
        // The SVG backend divides font sizes by 1.24.
        let style = ("sans-serif", f64::from(size) * 1.24)
            .into_font()
            .color(&colour)
            .pos(Pos::new(hold, VPos::Center));
        self.area.draw(&Text::new(text.to_string(), at, style)).map_err(backend)
    }

    /// The marker of series `i`: disc, square, triangle or diamond in its colour.
    pub fn marker(&self, i: usize, (x, y): (i32, i32)) -> Result<(), PlotError> {
        let c = colour(i);
        match i % 4 {
            0 => self.area.draw(&Circle::new((x, y), 4, c.filled())).map_err(backend),
            1 => self.rectangle((x - 4, y - 4), (x + 4, y + 4), c),
            2 => self.polygon(&[(x, y - 5), (x + 5, y + 4), (x - 5, y + 4)], c),
            _ => self.polygon(&[(x, y - 5), (x + 5, y), (x, y + 5), (x - 5, y)], c),
        }
    }

    /// The title, left of the top edge.
    pub fn title(&self, text: &str, width: i32) -> Result<(), PlotError> {
        let text = shorten(text, (width - 32) * TEXT / TITLE);
        self.text(&text, (16, 20), TITLE, INK, Hold::Left)
    }
}
