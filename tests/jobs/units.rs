//! Results do not depend on the length unit: of a mesh that is scaled by a power of 2 they are
//! those of the mesh itself, bit by bit, up to the sizes that are taken.

use subsolid::backend::{Backend, Cpu, Precision};
use subsolid::process::surface::{Geodesics, curvature_flow, toplesets};
use subsolid::quadrature::{Mapping, QuadratureScheme, Report};
use subsolid::refine::crease_by_angle;
use subsolid::untangle::{BoundaryMotion, untangle};
use subsolid::volume::Quality;
use subsolid::{Quadrature, Samples, Solid, SolidMesh, Want};

use crate::support::meshes::{block, mixed, perturbed};
use crate::triangles::sphere;

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
fn untangling_does_not_depend_on_the_unit() {
    let mut folded = perturbed(&block([2, 2, 2]), 0.02, 3);
    let inner = folded.points.iter().position(|p| (0..3).all(|d| (p[d] - 1.0).abs() < 0.3));
    folded.points[inner.expect("a vertex near (1, 1, 1)")][2] += 1.1;
    for (boundary, scales) in
        [(BoundaryMotion::Fixed, &SCALES[..]), (BoundaryMotion::Slide, &SCALES[1..2])]
    {
        let mut plain = folded.clone();
        let report = untangle(&mut plain, boundary, |_| Ok(())).expect("hexahedra");
        assert!(report.before.non_positive > 0 && report.after.non_positive == 0);
        for (scale, mut mesh) in in_units(&folded, scales) {
            let other = untangle(&mut mesh, boundary, |_| Ok(())).expect("hexahedra");
            assert!(mesh.points == scaled(&plain.points, scale), "{scale:e}");
            assert_eq!(other.after, report.after, "{scale:e}");
            assert_eq!(other.deviation, report.deviation * scale, "{scale:e}");
        }
    }
}

#[test]
fn creases_and_jacobians_do_not_depend_on_the_unit() {
    for plain in [perturbed(&block([3, 2, 2]), 0.02, 4), mixed()] {
        let of = |mesh: &SolidMesh| {
            let mut mesh = mesh.clone();
            crease_by_angle(&mut mesh, 30.0).expect("a solid");
            let solid = Solid::new(&mesh).expect("a solid");
            let plan = solid.plan(&Samples::gauss(2).expect("2 points"), Want::QUALITY);
            let plan = plan.expect("a plan");
            let limit = Cpu::new(Precision::F64).evaluate(&plan, mesh.controls()).expect("a limit");
            let mut quality = Quality::default();
            quality.add(&plan, &limit);
            let quadrature =
                Quadrature::new(&solid, QuadratureScheme { gauss: 2, rings: Some(1) }, Want::FIRST);
            let quadrature = quadrature.expect("a quadrature");
            let report = Report::new(&Mapping::new(&quadrature, mesh.controls()).expect("points"));
            let report = report.expect("a report");
            let jacobians = [quality, report.quality].map(|quality| {
                let least = quality.least_scaled_jacobian.map(|found| (found.cell, found.value));
                (quality.non_positive.len(), least)
            });
            (mesh.creases, jacobians, report.volume)
        };
        let (creases, jacobians, volume) = of(&plain);
        assert!(!creases.is_empty() && jacobians.iter().all(|found| found.0 == 0));
        for (scale, mesh) in in_units(&plain, &SCALES) {
            let other = of(&mesh);
            assert!(other.0 == creases, "{scale:e}");
            assert_eq!(other.1, jacobians, "{scale:e}");
            assert_eq!(other.2, volume * scale.powi(3), "{scale:e}");
        }
    }
}

#[test]
fn distances_and_flow_on_surfaces_do_not_depend_on_the_unit() {
    let plain = sphere(2);
    let heat = Geodesics::new(&plain).expect("triangles").distance(&[0]).expect("a sphere");
    let steps = toplesets(&plain, &[0]).expect("triangles");
    let flow = curvature_flow(&plain, 0.01, Default::default()).expect("triangles");
    for scale in SCALES.map(f64::exp2) {
        let mut mesh = plain.clone();
        mesh.points = scaled(&plain.points, scale);
        let times = |distance: &[f64]| distance.iter().map(|d| d * scale).collect::<Vec<_>>();
        let found = Geodesics::new(&mesh).expect("triangles").distance(&[0]).expect("a sphere");
        assert!(found == times(&heat), "{scale:e}");
        let found = toplesets(&mesh, &[0]).expect("triangles");
        assert!(found == times(&steps), "{scale:e}");
        let found = curvature_flow(&mesh, 0.01 * scale * scale, Default::default());
        assert!(found.expect("triangles") == scaled(&flow, scale), "{scale:e}");
    }
}
