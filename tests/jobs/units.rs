//! Results do not depend on the length unit: of a mesh that is scaled by a power of 2 they are those
//! of the mesh itself, bit by bit, up to the sizes that are taken.

use subsolid::SolidMesh;
use subsolid::process::solid::{BoundaryMotion, untangle};

use crate::support::meshes::{block, perturbed};

/// Micrometers in a meter, and near both ends of what is taken.
const SCALES: [f64; 3] = [-225.0, 20.0, 225.0];

fn scaled(points: &[[f64; 3]], scale: f64) -> Vec<[f64; 3]> {
    points.iter().map(|p| p.map(|x| x * scale)).collect()
}

fn in_units(mesh: &SolidMesh, scales: &[f64]) -> Vec<(f64, SolidMesh)> {
    let in_unit = |&power: &f64| {
        let scale = power.exp2();
        (scale, SolidMesh { points: scaled(&mesh.points, scale), ..mesh.clone() })
    };
    scales.iter().map(in_unit).collect()
}

#[test]
fn untangled_cells() {
    let mut folded = perturbed(&block([2, 2, 2]), 0.02, 3);
    let inner = folded.points.iter().position(|p| (0..3).all(|d| (p[d] - 1.0).abs() < 0.3));
    folded.points[inner.expect("a vertex near (1, 1, 1)")][2] += 1.1;
    for (boundary, scales) in
        [(BoundaryMotion::Fixed, &SCALES[..]), (BoundaryMotion::Slide, &SCALES[1..2])]
    {
        let mut plain = folded.clone();
        let report = untangle(&mut plain, boundary, |_| ()).expect("hexahedra");
        assert!(report.before.non_positive > 0 && report.after.non_positive == 0);
        for (scale, mut mesh) in in_units(&folded, scales) {
            let other = untangle(&mut mesh, boundary, |_| ()).expect("hexahedra");
            assert!(mesh.points == scaled(&plain.points, scale), "{scale:e}");
            assert_eq!(other.after, report.after, "{scale:e}");
            assert_eq!(other.deviation, report.deviation * scale, "{scale:e}");
        }
    }
}
