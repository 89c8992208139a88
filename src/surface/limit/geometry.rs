//! Normals and curvature from derivatives.

use nalgebra::Vector3;

/// Curvature of a surface at a point, positive where it bends toward the normal: a
/// sphere of radius r with its normal outward has the principal curvatures −1/r.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curvature {
    /// Principal curvatures, the smaller first; units of 1/length.
    pub principal: [f64; 2],
    /// Mean of the principal curvatures; 1/length.
    pub mean: f64,
    /// Product of the principal curvatures; 1/length².
    pub gaussian: f64,
}

impl Curvature {
    /// The curvature where there is none: NaN.
    pub(crate) const UNDEFINED: Self =
        Self { principal: [f64::NAN; 2], mean: f64::NAN, gaussian: f64::NAN };
}

/// The unit vector along a × b; NaN where that is 0 or not a number.
pub fn normal(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    // of unit vectors, so that neither small nor large ones are lost
    let c = unit(a.into()).cross(&unit(b.into()));
    let length = c.norm();
    // the cross product of parallel vectors is rounding
    if length > 1e-14 { (c / length).into() } else { [f64::NAN; 3] }
}

/// Σ weight · vector, 0 where that is rounding: a tangent that vanishes has no direction.
pub(super) fn tangent(terms: impl Iterator<Item = (f64, [f64; 3])>) -> [f64; 3] {
    let (mut sum, mut size) = ([0.0_f64; 3], 0.0_f64);
    for (w, vector) in terms {
        for (sum, x) in sum.iter_mut().zip(vector) {
            *sum += w * x;
            size = size.max((w * x).abs());
        }
    }
    let is_rounding = sum.iter().all(|x| x.abs() <= 1e-14 * size);
    if is_rounding { [0.0; 3] } else { sum }
}

/// Curvature from the first derivatives by u and v and the second ones by uu, uv and vv;
/// NaN where the first ones do not span a plane or anything is not a number.
pub fn curvature([u, v]: [[f64; 3]; 2], [uu, uv, vv]: [[f64; 3]; 3]) -> Curvature {
    let n = Vector3::from(normal(u, v));
    let [u, v, uu, uv, vv] = [u, v, uu, uv, vv].map(Vector3::from);
    // in lengths along u and v, so that the speed of the parameters does not matter
    let [lu, lv] = [u.norm(), v.norm()];
    let f = unit(u).dot(&unit(v));
    let (l, m, k) = (uu.dot(&n) / (lu * lu), uv.dot(&n) / (lu * lv), vv.dot(&n) / (lv * lv));
    let area = 1.0 - f * f;
    let gaussian = (l * k - m * m) / area;
    let mean = (l - 2.0 * f * m + k) / (2.0 * area);
    if !(mean.is_finite() && gaussian.is_finite()) {
        return Curvature::UNDEFINED;
    }
    // (k₁ − k₂)²/4 as a sum of squares: it cannot fall below 0
    let across = (m - f * l) / area.sqrt();
    let along = (k - 2.0 * f * m + f * f * l) / area - l;
    let half = (0.25 * along * along + across * across).sqrt();
    Curvature { principal: [mean - half, mean + half], mean, gaussian }
}

fn unit(a: Vector3<f64>) -> Vector3<f64> {
    let scaled = a / a.amax();
    scaled / scaled.norm()
}
