//! Laplace smoothing of attributes.

use subsolid::process::smooth_attribute;
use subsolid::query::{Query, QueryStrategy};

use crate::support::meshes::block;
use crate::support::refused;

/// Linear values inside a box are means of their neighbors'; a jump spreads.
#[test]
fn smoothing_keeps_linear_attributes_and_spreads_jumps() {
    let mesh = block([4, 4, 4]);
    let inner = |v: u32| mesh.points[v as usize].iter().all(|&x| x > 0.0 && x < 4.0);
    for strategy in [QueryStrategy::Rows, QueryStrategy::Unordered] {
        let query = Query::of_solid(&mesh, strategy).unwrap();
        let linear: Vec<f64> = mesh.points.iter().flat_map(|p| [p[0] - 2.0 * p[2], p[1]]).collect();
        let same = smooth_attribute(&query, &linear, 2, 5, 0.7, |v| !inner(v)).unwrap();
        assert!(linear.iter().zip(same).all(|(a, b)| (a - b).abs() < 1e-13));
        let mut jump = vec![0.0; mesh.points.len()];
        let center = mesh.points.iter().position(|p| *p == [2.0; 3]).unwrap();
        jump[center] = 6.0;
        let spread = smooth_attribute(&query, &jump, 1, 1, 0.5, |_| false).unwrap();
        assert_eq!(spread[center], 3.0);
        let beside = mesh.points.iter().position(|p| *p == [3.0, 2.0, 2.0]).unwrap();
        assert_eq!(spread[beside], 0.5);
        refused(
            smooth_attribute(&query, &jump, 2, 1, 0.5, |_| false),
            "125 values of width 2 for 125",
        );
        refused(smooth_attribute(&query, &jump, 1, 1, 1.5, |_| false), "a smoothing factor of 1.5");
    }
}
