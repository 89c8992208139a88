//! Uniform cubic B-splines.

use crate::oracle::spline;
use subsolid::basis::bspline::{Order, cubic, end, weights};

#[test]
fn agrees_with_cox_de_boor() {
    for step in 0..32 {
        let u = f64::from(step) / 32.0;
        for order in Order::ALL {
            let b = weights(order, u);
            let single = weights(order, u as f32);
            for (i, exact) in spline::weights(order.degree(), u).into_iter().enumerate() {
                assert!((b[i] - exact).abs() < 4e-16, "{order:?} {i} {u}");
                assert!((f64::from(single[i]) - exact).abs() < 3e-7, "{order:?} {i} {u}");
            }
        }
    }
}

#[test]
fn spans_join_twice_differentiably() {
    for order in Order::ALL {
        let (end, start) = (weights(order, 1.0_f64), weights(order, 0.0_f64));
        assert!(end[0].abs() < 1e-16 && start[3].abs() < 1e-16);
        assert!((0..3).all(|i| (end[i + 1] - start[i]).abs() < 1e-15));
    }
}

#[test]
fn folded_ends_equal_phantoms() {
    let p: [f64; 4] = [7.0, -1.25, 0.5, 3.0];
    for (low, high) in [(false, false), (true, false), (false, true), (true, true)] {
        let mut q = p;
        if low {
            q[0] = 2.0 * p[1] - p[2];
        }
        if high {
            q[3] = 2.0 * p[2] - p[1];
        }
        for order in Order::ALL {
            let dot = |b: [f64; 4], p: [f64; 4]| (0..4).map(|i| b[i] * p[i]).sum::<f64>();
            let b = weights(order, 0.3);
            let folded = end(b, low, high);
            assert!((dot(b, q) - dot(folded, p)).abs() < 1e-14);
            assert!((!low || folded[0] == 0.0) && (!high || folded[3] == 0.0));
        }
    }
    // A natural end interpolates its control point, without curvature.
    assert_eq!(end(cubic(0.0), true, false), [0.0, 1.0, 0.0, 0.0]);
    assert_eq!(end(weights(Order::Second, 0.0), true, false), [0.0; 4]);
}
