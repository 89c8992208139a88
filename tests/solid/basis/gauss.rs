//! Gauss rules.

use subsolid::basis::gauss::{MAX_POINTS, rule};

#[test]
fn integrates_every_degree_it_promises() {
    for count in 1..=MAX_POINTS {
        let rule = rule(count).unwrap();
        assert!(rule.points.is_sorted_by(|a, b| a < b), "{count}");
        for degree in 0..2 * count {
            let sum: f64 =
                (0..count).map(|i| rule.weights[i] * rule.points[i].powi(degree as i32)).sum();
            let exact = 1.0 / (degree as f64 + 1.0);
            assert!((sum - exact).abs() < 5e-15, "{count} {degree}: {sum} {exact}");
        }
        // Its error shows one degree further, where that is still visible.
        if count < 8 {
            let sum: f64 =
                (0..count).map(|i| rule.weights[i] * rule.points[i].powi(2 * count as i32)).sum();
            assert!((sum - 1.0 / (2.0 * count as f64 + 1.0)).abs() > 1e-10);
        }
    }
}

#[test]
fn refuses_other_counts() {
    assert!(rule(0).is_err() && rule(MAX_POINTS + 1).is_err());
}
