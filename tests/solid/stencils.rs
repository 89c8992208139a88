//! Rows of weights, and weights of axes.

use subsolid::scheme::Stencils;
use subsolid::simd::AxisWeights;

#[test]
fn equal_columns_add_up() {
    let stencils = Stencils::build(3000, |r, row| {
        for v in 0..100 {
            row.add((r as u32 + v) % 50, 0.01);
        }
    });
    assert_eq!(stencils.len(), 3000);
    for (_, weight) in stencils.row(2999) {
        assert!((weight - 0.02).abs() < 1e-15);
    }
    assert_eq!(stencils.row(7).count(), 50);
    let values: Vec<f64> = (0..50).map(|v| 1e6 + f64::from(v)).collect();
    assert!((stencils.apply(&values, 1)[2999] - (1e6 + 24.5)).abs() < 1e-9);
}

#[test]
fn refuses_what_it_cannot_sample() {
    assert!(AxisWeights::new(&[]).is_err());
    assert!(AxisWeights::new(&[0.5; 65]).is_err());
    for wrong in [-0.1, 1.1, f64::NAN] {
        assert!(AxisWeights::new(&[0.0, wrong]).is_err());
    }
    assert_eq!(AxisWeights::new(&[0.0, 1.0]).unwrap().samples(), 2);
}
