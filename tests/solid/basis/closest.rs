//! The closest places of Bézier curves and patches.

use nalgebra::Vector3;
use subsolid::basis::{BicubicPoints, closest_on_curve, closest_on_patch};

use crate::oracle::random::Random;
use crate::support::bezier::bernstein;

fn on_curve(curve: &[[f64; 3]; 4], t: f64) -> Vector3<f64> {
    bernstein(t).into_iter().zip(curve).map(|(b, &p)| b * Vector3::from(p)).sum()
}

fn on_patch(patch: &BicubicPoints, p: [f64; 2]) -> Vector3<f64> {
    let [s, t] = p.map(bernstein);
    (0..16).map(|i| s[i % 4] * t[i / 4] * patch[i]).sum()
}

#[test]
fn no_sample_of_a_curve_is_closer() {
    let curve = [[0.0, 0.0, 0.0], [1.0, 2.0, 0.5], [2.0, -2.0, 0.1], [3.0, 0.5, 1.0]];
    let mut random = Random::new(3);
    for _ in 0..200 {
        let [x, y, z] = random.parameters();
        let x = [4.0 * x - 0.5, 2.0 * y - 1.0, z];
        let (t, away) = closest_on_curve(&curve, x);
        let distance = away.norm();
        let at = |t: f64| (on_curve(&curve, t) - Vector3::from(x)).norm();
        assert!((at(t) - distance).abs() < 1e-15);
        let samples = (0..=4000).map(|i| at(f64::from(i) / 4000.0));
        let least = samples.fold(f64::INFINITY, f64::min);
        assert!(distance <= least && distance > least - 1e-5, "{x:?} {t} {distance} {least}");
    }
    // on the curve it is found to rounding
    for i in 0..=20 {
        let t = f64::from(i) / 20.0;
        let (found, away) = closest_on_curve(&curve, on_curve(&curve, t).into());
        let distance = away.norm();
        assert!((found - t).abs() < 1e-13 && distance < 1e-14, "{t} {found} {distance}");
    }
}

/// A patch over the unit square, bent by `amount`.
fn bent(amount: f64, random: &mut Random) -> BicubicPoints {
    std::array::from_fn(|i| {
        let [s, t] = [i % 4, i / 4].map(|i| i as f64 / 3.0);
        Vector3::new(s, t, 0.0) + amount * Vector3::from_fn(|_, _| random.unit() - 0.5)
    })
}

/// No sample of the patch is closer, from points near, far, above hollows and beside.
#[test]
fn no_sample_of_a_patch_is_closer() {
    let mut random = Random::new(7);
    for amount in [0.0, 0.1, 0.5, 2.0] {
        for case in 0..60 {
            let patch = bent(amount, &mut random);
            let distance = [0.3, 1.0, 5.0][case % 3];
            let x = Vector3::from_fn(|_, _| 0.5 + distance * (2.0 * random.unit() - 1.0));
            let found = closest_on_patch(&patch, x, f64::INFINITY, Vector3::zeros(), 1e-12)
                .expect("no limit");
            let distance = |p: [f64; 2]| (on_patch(&patch, p) - x).norm();
            assert!((distance(found.parameters) - found.distance).abs() < 1e-13);
            let n = 60;
            let place = |i: usize| [i % (n + 1), i / (n + 1)].map(|i| i as f64 / n as f64);
            let least = (0..(n + 1) * (n + 1)).map(|i| distance(place(i)));
            let least = least.fold(f64::INFINITY, f64::min);
            assert!(found.distance <= least + 1e-12, "{amount} {x:?}: {found:?}, {least}");
        }
    }
}

/// From far above a place of a bulge the place is found again, as exactly as the point says it.
#[test]
fn feet_of_far_normals_are_found() {
    // heights are quadratic in s and t
    let height = |[s, t]: [f64; 2]| 0.3 * (s - s * s) + 0.2 * (t - t * t) + 0.05 * s * t;
    let raised = |i: usize| [0.0, 0.0, 1.0, 3.0][i] / 3.0; // Bézier points of the square of s
    let patch: BicubicPoints = std::array::from_fn(|i| {
        let ([a, b], [s, t]) = ([i % 4, i / 4], [i % 4, i / 4].map(|i| i as f64 / 3.0));
        let z = 0.3 * (s - raised(a)) + 0.2 * (t - raised(b)) + 0.05 * s * t;
        Vector3::new(s, t, z)
    });
    for k in 0..60 {
        let p = [0.1 + 0.013 * f64::from(k), 0.9 - 0.012 * f64::from(k)];
        let [s, t] = p;
        let foot = Vector3::new(s, t, height(p));
        let slopes = [0.3 - 0.6 * s + 0.05 * t, 0.2 - 0.4 * t + 0.05 * s];
        let normal = Vector3::new(-slopes[0], -slopes[1], 1.0).normalize();
        for distance in [0.1, 1.0, 10.0, 100.0, 1000.0] {
            let x = foot + distance * normal;
            let found =
                closest_on_patch(&patch, x, f64::INFINITY, Vector3::zeros(), 1e-12).unwrap();
            let off = (0..2).map(|d| (found.parameters[d] - p[d]).abs()).fold(0.0, f64::max);
            assert!(off < 1e-13 * (1.0 + distance), "{p:?}, {distance}: off by {off:e}");
        }
    }
}

#[test]
fn what_is_no_nearer_is_not_looked_for() {
    let patch = bent(0.0, &mut Random::new(1));
    let x = Vector3::new(0.25, 0.5, 2.0);
    let found = closest_on_patch(&patch, x, 3.0, Vector3::zeros(), 0.0).expect("2 is less than 3");
    assert!((found.distance - 2.0).abs() < 1e-15);
    assert!((found.parameters[0] - 0.25).abs() < 1e-12);
    assert!(closest_on_patch(&patch, x, 1.9, Vector3::zeros(), 0.0).is_none());
}
