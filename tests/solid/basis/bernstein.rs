//! Bernstein polynomials.

use subsolid::basis::bernstein::{FROM_BSPLINE, cubic};
use subsolid::basis::bspline;

#[test]
fn bezier_form_is_the_same_curve() {
    for step in 0..=16 {
        let u = f64::from(step) / 16.0;
        let (bezier, spline) = (cubic(u), bspline::cubic(u));
        assert!((bezier.iter().sum::<f64>() - 1.0).abs() < 1e-15);
        for (j, expected) in spline.iter().enumerate() {
            let folded: f64 = (0..4).map(|i| bezier[i] * FROM_BSPLINE[i][j]).sum();
            assert!((folded - expected).abs() < 2e-16, "{u} {j}");
        }
    }
}
