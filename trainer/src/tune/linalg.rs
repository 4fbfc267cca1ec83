//! Small dense symmetric matrices: Cholesky and Jacobi, with sums in a fixed order.

use ndarray::{Array1, Array2};

/// Lower Cholesky factor of a symmetric matrix, `None` unless it is safely positive definite.
pub(super) fn cholesky(a: &Array2<f64>) -> Option<Array2<f64>> {
    let n = a.nrows();
    let mut l = Array2::<f64>::zeros((n, n));
    for i in 0..n {
        for j in 0..=i {
            let mut sum = a[[i, j]];
            for k in 0..j {
                sum -= l[[i, k]] * l[[j, k]];
            }
            if i == j {
                // A pivot lost in rounding means a singular matrix.
                if sum.is_nan() || sum <= a[[i, i]].abs() * 1e-13 {
                    return None;
                }
                l[[i, i]] = sum.sqrt();
            } else {
                l[[i, j]] = sum / l[[j, j]];
            }
        }
    }
    Some(l)
}

/// Solves L L' x = b.
pub(super) fn solve(l: &Array2<f64>, b: &Array1<f64>) -> Array1<f64> {
    let n = l.nrows();
    let mut x = b.clone();
    for i in 0..n {
        for k in 0..i {
            x[i] -= l[[i, k]] * x[k];
        }
        x[i] /= l[[i, i]];
    }
    for i in (0..n).rev() {
        for k in i + 1..n {
            x[i] -= l[[k, i]] * x[k];
        }
        x[i] /= l[[i, i]];
    }
    x
}

/// The inverse of L L'.
pub(super) fn inverse(l: &Array2<f64>) -> Array2<f64> {
    let n = l.nrows();
    let mut out = Array2::zeros((n, n));
    for j in 0..n {
        let mut unit = Array1::zeros(n);
        unit[j] = 1.0;
        out.column_mut(j).assign(&solve(l, &unit));
    }
    out
}

/// Plain product, summed in index order.
pub(super) fn multiply(a: &Array2<f64>, b: &Array2<f64>) -> Array2<f64> {
    let mut out = Array2::zeros((a.nrows(), b.ncols()));
    for i in 0..a.nrows() {
        for j in 0..b.ncols() {
            let mut sum = 0.0;
            for k in 0..a.ncols() {
                sum += a[[i, k]] * b[[k, j]];
            }
            out[[i, j]] = sum;
        }
    }
    out
}

/// Eigenvalues and eigenvectors (columns) of a symmetric matrix, in no particular order.
/// Source: Jacobi's cyclic method, Golub and Van Loan, Matrix Computations, 3rd ed. 1996, section 8.4.
pub(super) fn eigen(a: &Array2<f64>) -> (Array1<f64>, Array2<f64>) {
    let n = a.nrows();
    let mut a = a.clone();
    let mut v = Array2::<f64>::eye(n);
    let scale: f64 = a.iter().map(|x| x * x).sum();
    for _ in 0..60 {
        let mut off = 0.0;
        for i in 0..n {
            for j in 0..i {
                off += a[[i, j]] * a[[i, j]];
            }
        }
        if off.is_nan() || off <= scale * 1e-30 {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                rotate(&mut a, &mut v, p, q);
            }
        }
    }
    (a.diag().to_owned(), v)
}

fn rotate(a: &mut Array2<f64>, v: &mut Array2<f64>, p: usize, q: usize) {
    if a[[p, q]] == 0.0 {
        return;
    }
    let theta = (a[[q, q]] - a[[p, p]]) / (2.0 * a[[p, q]]);
    let sign = if theta >= 0.0 { 1.0 } else { -1.0 };
    let t = sign / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    for k in 0..a.nrows() {
        let (x, y) = (a[[k, p]], a[[k, q]]);
        a[[k, p]] = c * x - s * y;
        a[[k, q]] = s * x + c * y;
    }
    for k in 0..a.nrows() {
        let (x, y) = (a[[p, k]], a[[q, k]]);
        a[[p, k]] = c * x - s * y;
        a[[q, k]] = s * x + c * y;
        let (x, y) = (v[[k, p]], v[[k, q]]);
        v[[k, p]] = c * x - s * y;
        v[[k, q]] = s * x + c * y;
    }
}

/// `a` scaled to a unit diagonal; rows with a diagonal of 0 become 0.
pub(super) fn unit_diagonal(a: &Array2<f64>) -> Array2<f64> {
    let d: Vec<f64> = a.diag().iter().map(|&x| if x > 0.0 { 1.0 / x.sqrt() } else { 0.0 }).collect();
    Array2::from_shape_fn(a.dim(), |(i, j)| a[[i, j]] * d[i] * d[j])
}

/// Largest over smallest eigenvalue of `a` scaled to a unit diagonal; infinite when singular, 1 for an empty matrix.
pub(super) fn condition(a: &Array2<f64>) -> f64 {
    if a.is_empty() {
        return 1.0;
    }
    let (values, _) = eigen(&unit_diagonal(a));
    let (mut low, mut high) = (f64::INFINITY, 0.0f64);
    for &v in &values {
        low = low.min(v);
        high = high.max(v);
    }
    if low > 0.0 { high / low } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn cholesky_solves_and_inverts() {
        let a = array![[4.0, 2.0, 0.6], [2.0, 5.0, 1.0], [0.6, 1.0, 3.0]];
        let l = cholesky(&a).unwrap();
        let product = multiply(&a, &inverse(&l));
        for ((i, j), v) in product.indexed_iter() {
            assert!((v - f64::from(u8::from(i == j))).abs() < 1e-14);
        }
        assert!(cholesky(&array![[1.0, 1.0], [1.0, 1.0]]).is_none());
    }

    #[test]
    fn eigenvalues_known() {
        // Eigenvalues of [[2, 1], [1, 2]] are 1 and 3.
        let (v, _) = eigen(&array![[2.0, 1.0], [1.0, 2.0]]);
        let mut v = v.to_vec();
        v.sort_by(f64::total_cmp);
        assert!((v[0] - 1.0).abs() < 1e-14 && (v[1] - 3.0).abs() < 1e-14);
        assert!((condition(&array![[2.0, 1.0], [1.0, 2.0]]) - 3.0).abs() < 1e-12);
        // Scaling a variable does not change the scaled condition number.
        assert!((condition(&array![[200.0, 10.0], [10.0, 2.0]]) - 3.0).abs() < 1e-12);
    }
}
