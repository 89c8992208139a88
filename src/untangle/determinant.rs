//! Bézier coefficients of det J of a tricubic piece, of degree 8 in each parameter.
//!
//! Coefficients times the binomials of their places multiply as coefficients of monomials do. Each
//! component of a derivative has an array of its own, of rows along u as long as registers are: most
//! of the time of bounds goes by here.

use pulp::Arch;

/// Coefficients along each axis of a determinant.
pub(super) const ORDER: usize = 9;

/// Degrees of the derivatives along u, v, w.
const DERIVATIVES: [[usize; 3]; 3] = [[2, 3, 3], [3, 2, 3], [3, 3, 2]];

/// The determinant of the derivatives of a piece.
pub(super) struct Determinant {
    /// Bézier coefficients, `[w][v][u]`.
    pub coefficients: Vec<f64>,
    /// Length of the longest Bézier coefficient of the derivative along each axis.
    pub longest: [f64; 3],
}

impl Determinant {
    /// Of a piece, `[w][v][u][3]`.
    pub fn new(points: &[f64]) -> Self {
        Arch::new().dispatch(
            #[inline(always)]
            || Self::of(points),
        )
    }

    #[inline(always)]
    fn of(points: &[f64]) -> Self {
        let mut derivatives = [[[0.0; 48]; 3]; 3];
        let mut longest = [0.0; 3];
        for axis in 0..3 {
            let degrees = DERIVATIVES[axis];
            let mut most = 0.0_f64;
            for (i, [u, v, w]) in places(degrees).enumerate() {
                let low = 16 * w + 4 * v + u;
                let high = low + [1, 4, 16][axis];
                let [x, y, z] =
                    [0, 1, 2].map(|d| 3.0 * (points[3 * high + d] - points[3 * low + d]));
                most = most.max(x * x + y * y + z * z);
                let times = binomials(degrees, [u, v, w]);
                [x, y, z].iter().zip(&mut derivatives[axis]).for_each(|(x, to)| to[i] = times * x);
            }
            longest[axis] = most.sqrt();
        }
        let [along_u, along_v, along_w] = &derivatives;
        let scaled = times_rows(along_u, &cross_product(along_v, along_w));
        let coefficients = places([ORDER - 1; 3])
            .map(|[u, v, w]| {
                scaled[(w * ORDER + v) * PADDED + u] / binomials([ORDER - 1; 3], [u, v, w])
            })
            .collect();
        Self { coefficients, longest }
    }
}

/// Rows of the cross product of the derivatives along v and w, which has degrees 6, 5, 5: 7
/// coefficients and one that is 0.
type CrossRows = [[f64; 8]; 36];

/// Length of the rows of a determinant: 9 coefficients, and what whole registers reach beyond them.
const PADDED: usize = 10;

#[inline(always)]
fn cross_product(along_v: &[[f64; 48]; 3], along_w: &[[f64; 48]; 3]) -> [CrossRows; 3] {
    let mut cross = [[[0.0; 8]; 36]; 3];
    for (a, [i, j, k]) in places(DERIVATIVES[1]).enumerate() {
        for row in 0..12 {
            let to_row = (k + row / 4) * 6 + j + row % 4;
            for (d, cross) in cross.iter_mut().enumerate() {
                let [e, f] = [(d + 1) % 3, (d + 2) % 3];
                let (x, y) = (along_v[e][a], along_v[f][a]);
                let [from_e, from_f] = [e, f].map(|c| &along_w[c][4 * row..][..4]);
                let to = &mut cross[to_row][i..i + 4];
                for s in 0..4 {
                    to[s] += x * from_f[s] - y * from_e[s];
                }
            }
        }
    }
    cross
}

/// The scalar product of the derivative along u and the cross product, rows of [`PADDED`].
#[inline(always)]
fn times_rows(
    along_u: &[[f64; 48]; 3],
    [cross_x, cross_y, cross_z]: &[CrossRows; 3],
) -> [f64; PADDED * ORDER * ORDER] {
    let mut scaled = [0.0; PADDED * ORDER * ORDER];
    for (a, [i, j, k]) in places(DERIVATIVES[0]).enumerate() {
        let [x, y, z] = [0, 1, 2].map(|d| along_u[d][a]);
        for (row, ((p, q), r)) in cross_x.iter().zip(cross_y).zip(cross_z).enumerate() {
            let first = ((k + row / 6) * ORDER + j + row % 6) * PADDED + i;
            let to = &mut scaled[first..first + 8];
            for s in 0..8 {
                to[s] += x * p[s] + y * q[s] + z * r[s];
            }
        }
    }
    scaled
}

/// Places of coefficients, u fastest.
#[inline(always)]
fn places([u, v, w]: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    (0..=w).flat_map(move |k| (0..=v).flat_map(move |j| (0..=u).map(move |i| [i, j, k])))
}

/// Binomials of degrees up to the degree of det J, `[n][k]`.
const BINOMIALS: [[f64; ORDER]; ORDER] = {
    let mut rows = [[0.0; ORDER]; ORDER];
    let mut n = 0;
    while n < ORDER {
        rows[n][0] = 1.0;
        let mut k = 1;
        while k <= n {
            rows[n][k] = rows[n - 1][k - 1] + rows[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    rows
};

#[inline(always)]
fn binomials(degrees: [usize; 3], at: [usize; 3]) -> f64 {
    (0..3).map(|d| BINOMIALS[degrees[d]][at[d]]).product()
}
