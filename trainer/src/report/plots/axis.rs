//! A linear axis with round ticks.

use super::canvas::px;

/// Maps values to pixels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    from_px: i32,
    to_px: i32,
}

impl Axis {
    /// An axis from `low` to `high`; widened if they are equal, 0 to 1 if they are not finite.
    pub fn new(low: f64, high: f64, from_px: i32, to_px: i32) -> Self {
        let (low, high) = if low.is_finite() && high.is_finite() { (low, high) } else { (0.0, 1.0) };
        let (low, high) = if high - low > 1e-12 * (1.0 + low.abs()) {
            (low, high)
        } else {
            (low - 0.5 - low.abs() * 1e-3, low + 0.5 + low.abs() * 1e-3)
        };
        Axis { low, high, from_px, to_px }
    }

    /// Pixel of `value`, clamped to the axis.
    pub fn at(&self, value: f64) -> i32 {
        let share = ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        self.from_px + px(share * f64::from(self.to_px - self.from_px))
    }

    /// Whether `value` lies on the axis.
    pub fn holds(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// About `wanted` round ticks with their labels.
    pub fn ticks(&self, wanted: u32) -> Vec<(f64, String)> {
        let step = round_step((self.high - self.low) / f64::from(wanted.max(1)));
        let decimals = decimals(step);
        let mut out = Vec::new();
        let mut n = (self.low / step - 1e-9).ceil();
        while out.len() < 100 {
            let value = n * step;
            if value > self.high + 1e-9 * step {
                break;
            }
            out.push((value, crate::report::table::number(value, decimals)));
            n += 1.0;
        }
        out
    }
}

/// The smallest of 1, 2, 5 times a power of ten that is at least `least`.
pub(super) fn round_step(least: f64) -> f64 {
    if !(least.is_finite() && least > 0.0) {
        return 1.0;
    }
    let power = libm::exp10(libm::floor(libm::log10(least)));
    for factor in [1.0, 2.0, 5.0] {
        if factor * power >= least * (1.0 - 1e-9) {
            return factor * power;
        }
    }
    10.0 * power
}

fn decimals(step: f64) -> usize {
    (0..9).find(|&d| step >= libm::exp10(-f64::from(d)) * (1.0 - 1e-9)).map_or(9, |d| d as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        let labels = |low, high| {
            Axis::new(low, high, 0, 100).ticks(5).into_iter().map(|t| t.1).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(labels(0.0, 1.0), "0.0 0.2 0.4 0.6 0.8 1.0");
        assert_eq!(labels(-0.3, 1.7), "0.0 0.5 1.0 1.5");
        assert_eq!(labels(0.0, 437.0), "0 100 200 300 400");
        assert_eq!(labels(5.0, 5.0), "4.5 5.0 5.5");
        assert_eq!(labels(f64::NAN, 1.0), "0.0 0.2 0.4 0.6 0.8 1.0");
    }
}
