//! A lower bound of det J over the whole limit.
//!
//! det J = ∂u · (∂v × ∂w) of a tricubic piece is a polynomial of degree 8 in each parameter;
//! it is nowhere less than its least Bézier coefficient (convex hull).

use nalgebra::Vector3;
use rayon::prelude::*;
use serde::Serialize;

use crate::bezier::Pieces;
use crate::error::Result;
use crate::interrupt::stop_point;
use crate::limit::Solid;
use crate::mesh::SolidMesh;
use crate::refine::reorient;

/// Determinants below this part of the product of the lengths that derivatives have, and below that
/// what coordinates lose, are rounding.
const DETERMINANT_ROUNDING: f64 = 1e-12;

/// Rings of exact pieces around extraordinary edges and vertices.
const RINGS: usize = 2;

/// The least Bézier coefficient of det J.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct LeastDeterminant {
    /// Least Bézier coefficient, in cubed length units: a lower bound of det J with respect to the
    /// parameters of elements; 0 if it is 0 up to rounding.
    pub bound: f64,
    /// The element with this coefficient; in a mesh of hexahedra alone, the cell.
    pub element: u32,
    /// Number of elements with a coefficient that is not positive up to rounding: those that may be
    /// folded, and those with a point where det J is 0, such as on the smooth edges of a box.
    pub non_positive: usize,
    /// Number of elements with a negative coefficient: those that may be folded.
    pub negative: usize,
}

/// A lower bound of det J over the limit of a mesh, its cells taken right-handed however they are
/// listed; around extraordinary edges and vertices, inside two rings, that of the tricubic
/// interpolation of the limit.
///
/// # Errors
/// Those of [`Solid::new`] and [`reorient`].
pub fn least_determinant(mesh: &SolidMesh) -> Result<LeastDeterminant> {
    let mut oriented = mesh.clone();
    reorient(&mut oriented)?;
    let mesh = &oriented;
    let solid = Solid::new(mesh)?;
    Ok(LeastDeterminant::of_elements(&ElementBounds::new(&solid)?.of(&mesh.points)))
}

impl LeastDeterminant {
    /// Of the bounds of all elements.
    pub(super) fn of_elements(bounds: &[f64]) -> Self {
        let mut found = Self { bound: f64::INFINITY, element: 0, non_positive: 0, negative: 0 };
        for (element, &least) in (0..).zip(bounds) {
            found.non_positive += usize::from(least <= 0.0);
            found.negative += usize::from(least < 0.0);
            if least < found.bound {
                (found.bound, found.element) = (least, element);
            }
        }
        found
    }
}

/// Lower bounds of det J on the elements of a solid, for any control points.
pub(super) struct ElementBounds<'s> {
    solid: &'s Solid,
    pieces: Pieces<'s>,
}

impl<'s> ElementBounds<'s> {
    pub fn new(solid: &'s Solid) -> Result<Self> {
        Ok(Self { solid, pieces: Pieces::new(solid, RINGS)? })
    }

    /// The bound of each element.
    pub fn of(&self, points: &[[f64; 3]]) -> Vec<f64> {
        let points = self.solid.refined_points(points.as_flattened(), 3);
        let of_leaf = |leaf: &crate::limit::Leaf| {
            stop_point();
            let values = self.pieces.points(leaf, &points, 3);
            let each = self.pieces.of(leaf).zip(values.chunks_exact(192));
            each.map(|(piece, values)| least(values) / piece.size.iter().product::<f64>())
                .fold(f64::INFINITY, f64::min)
        };
        let leaves: Vec<f64> = self.solid.leaves().par_iter().map(of_leaf).collect();
        let of_element = |element: usize| {
            leaves[self.solid.leaf_range(element)].iter().copied().fold(f64::INFINITY, f64::min)
        };
        (0..self.solid.elements().len()).map(of_element).collect()
    }
}

/// Least Bézier coefficient of the determinant of a piece, `[w][v][u][3]`.
fn least(points: &[f64]) -> f64 {
    let at = |[u, v, w]: [usize; 3]| {
        Vector3::from_column_slice(&points[3 * (16 * w + 4 * v + u)..][..3])
    };
    let [u, v, w] = [0, 1, 2].map(|axis| ScaledPolynomial::derivative(axis, at));
    let cross = v.product(&w, |a, b| a.cross(&b));
    let determinant = u.product(&cross, |a, b| a.dot(&b));
    let least = determinant.least();
    let [a, b, c] = [&u, &v, &w].map(ScaledPolynomial::longest);
    // a derivative is three times the difference of two points
    let lost = 64.0 * f64::EPSILON * points.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    let rounding = DETERMINANT_ROUNDING * a * b * c + lost * (a * b + b * c + c * a);
    if least.abs() <= rounding { 0.0 } else { least }
}

/// A polynomial by its Bézier coefficients times the binomials of their places, which multiply
/// as those of monomials do.
struct ScaledPolynomial<T> {
    degrees: [usize; 3],
    // [w][v][u]
    scaled: Vec<T>,
}

impl ScaledPolynomial<Vector3<f64>> {
    /// The derivative of a tricubic.
    fn derivative(axis: usize, at: impl Fn([usize; 3]) -> Vector3<f64>) -> Self {
        let mut degrees = [3; 3];
        degrees[axis] = 2;
        let scaled = places(degrees)
            .map(|low| {
                let mut high = low;
                high[axis] += 1;
                (at(high) - at(low)) * (3.0 * binomials(degrees, low))
            })
            .collect();
        Self { degrees, scaled }
    }

    /// Length of the longest Bézier coefficient.
    fn longest(&self) -> f64 {
        let coefficients = places(self.degrees).zip(&self.scaled);
        coefficients.map(|(at, x)| x.norm() / binomials(self.degrees, at)).fold(0.0, f64::max)
    }
}

impl<T: Copy> ScaledPolynomial<T> {
    fn product<U: Copy, V>(
        &self,
        other: &ScaledPolynomial<U>,
        times: impl Fn(T, U) -> V,
    ) -> ScaledPolynomial<V>
    where
        V: Copy + std::ops::AddAssign + Zero,
    {
        let degrees: [usize; 3] = std::array::from_fn(|d| self.degrees[d] + other.degrees[d]);
        let [across, along] = [degrees[0] + 1, degrees[1] + 1];
        let mut scaled = vec![V::zero(); across * along * (degrees[2] + 1)];
        for (a, &x) in places(self.degrees).zip(&self.scaled) {
            // rows of u: most of the time of the bound goes by here
            for (row, from) in other.scaled.chunks_exact(other.degrees[0] + 1).enumerate() {
                let (j, k) = (row % (other.degrees[1] + 1), row / (other.degrees[1] + 1));
                let first = ((a[2] + k) * along + a[1] + j) * across + a[0];
                let to = &mut scaled[first..][..from.len()];
                to.iter_mut().zip(from).for_each(|(to, &y)| *to += times(x, y));
            }
        }
        ScaledPolynomial { degrees, scaled }
    }
}

impl ScaledPolynomial<f64> {
    fn least(&self) -> f64 {
        let coefficients = places(self.degrees).zip(&self.scaled);
        coefficients.map(|(at, x)| x / binomials(self.degrees, at)).fold(f64::INFINITY, f64::min)
    }
}

/// What sums begin with.
trait Zero {
    fn zero() -> Self;
}
impl Zero for f64 {
    fn zero() -> Self {
        0.0
    }
}
impl Zero for Vector3<f64> {
    fn zero() -> Self {
        Self::zeros()
    }
}

/// Places of coefficients, u fastest.
fn places([u, v, w]: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    (0..=w).flat_map(move |k| (0..=v).flat_map(move |j| (0..=u).map(move |i| [i, j, k])))
}

fn binomials(degrees: [usize; 3], at: [usize; 3]) -> f64 {
    (0..3).map(|d| binomial(degrees[d], at[d])).product()
}

fn binomial(n: usize, k: usize) -> f64 {
    (0..k).fold(1.0, |c, i| c * (n - i) as f64 / (i + 1) as f64)
}
