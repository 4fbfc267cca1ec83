//! Incomplete beta and gamma functions, for the t and chi-square distributions.

const MAX_TERMS: u32 = 100_000;
const TINY: f64 = 1e-300;

/// Regularised incomplete beta I_x(a, b), with `y = 1 - x` given apart so that neither end loses digits.
/// a, b > 0; 0 <= x <= 1. Source: DLMF 8.17.22 (continued fraction), 8.17.4 (symmetry); evaluated by Lentz's method.
pub(super) fn beta_inc(a: f64, b: f64, x: f64, y: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if y <= 0.0 {
        return 1.0;
    }
    // The fraction converges fast only left of the mean.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - beta_inc_left(b, a, y, x);
    }
    beta_inc_left(a, b, x, y)
}

fn beta_inc_left(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let ln_front =
        libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b) + a * libm::log(x) + b * libm::log(y);
    let mut c = 1.0;
    let mut d = 1.0 / guard(1.0 - (a + b) * x / (a + 1.0));
    let mut h = d;
    for m in 1..MAX_TERMS {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / guard(1.0 + even * d);
        c = guard(1.0 + even / c);
        h *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / guard(1.0 + odd * d);
        c = guard(1.0 + odd / c);
        let step = d * c;
        h *= step;
        if (step - 1.0).abs() < 1e-16 {
            break;
        }
    }
    libm::exp(ln_front) * h / a
}

/// Regularised upper incomplete gamma Q(a, x), a > 0, x >= 0.
/// Source: DLMF 8.7.1 (series) below a + 1, 8.9.2 (continued fraction) above.
pub(super) fn gamma_q(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    if x == f64::INFINITY {
        return 0.0;
    }
    let front = libm::exp(a * libm::log(x) - x - libm::lgamma(a));
    if x < a + 1.0 {
        let (mut term, mut sum, mut n) = (1.0 / a, 1.0 / a, a);
        for _ in 0..MAX_TERMS {
            n += 1.0;
            term *= x / n;
            sum += term;
            if term < sum * 1e-17 {
                break;
            }
        }
        return (1.0 - front * sum).clamp(0.0, 1.0);
    }
    let mut b = x + 1.0 - a;
    let mut c = 1.0 / TINY;
    let mut d = 1.0 / guard(b);
    let mut h = d;
    for i in 1..MAX_TERMS {
        let i = f64::from(i);
        let an = -i * (i - a);
        b += 2.0;
        d = 1.0 / guard(an * d + b);
        c = guard(b + an / c);
        let step = d * c;
        h *= step;
        if (step - 1.0).abs() < 1e-16 {
            break;
        }
    }
    (front * h).clamp(0.0, 1.0)
}

fn guard(v: f64) -> f64 {
    if v.abs() < TINY { TINY } else { v }
}
