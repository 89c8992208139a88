//! Weight tables times nets: any numbers of leaves, samples and components.

use subsolid::backend::{Backend, Cpu, Precision};
use subsolid::limit::Solid;
use subsolid::mesh::{Attribute, SolidMesh};
use subsolid::plan::{Samples, Want};

use super::{distance, gpu, shape};
use crate::conformance::solid::shake;
use crate::oracle::vector::greater;

const TOLERANCES: [(Precision, f64); 2] = [(Precision::F32, 4e-6), (Precision::F64, 1e-13)];

/// Copies of a mesh around the origin, all in the same place, so that batches are filled.
fn copies(mesh: &SolidMesh, count: usize) -> SolidMesh {
    let mut points = Vec::new();
    let mut cells = Vec::new();
    for _ in 0..count {
        let first = points.len() as u32;
        points.extend(&mesh.points);
        let own = (0..mesh.cells.len()).filter_map(|c| mesh.cells.hexahedron(c));
        cells.extend(own.map(|corners| corners.map(|v| v + first)));
    }
    let mut mesh = SolidMesh::from_hexahedra(points, &cells);
    shake(&mut mesh, 0.03);
    mesh
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn tables_of_any_size() {
    for (precision, tolerance) in TOLERANCES {
        let gpu = gpu(precision);
        for (name, count) in
            [("link-tetrahedron", 1), ("link-tetrahedron", 8), ("link-icosahedron", 1)]
        {
            let mut mesh = copies(&shape(name, &[2]), count);
            for width in [1, 2, 4, 6] {
                let own = mesh.points.iter().flat_map(|p| {
                    (0..width).map(move |i| p[i % 3] + 0.1 * i as f64 * p[(i + 1) % 3])
                });
                let values = own.collect();
                mesh.attributes.push(Attribute { name: format!("a{width}"), width, values });
            }
            let solid = Solid::new(&mesh).unwrap();
            for (samples, want) in [
                (1, Want::POSITION),
                (2, Want::FIRST | Want::SECOND),
                (3, Want::POSITION),
                (8, Want::POSITION),
                (9, Want::POSITION),
            ] {
                let plan = solid.plan(&Samples::grid(samples), want).unwrap();
                let found = gpu.evaluate(&plan, mesh.controls()).unwrap();
                let expected = Cpu::default().evaluate(&plan, mesh.controls()).unwrap();
                let error = distance(&found, &expected);
                assert!(error <= tolerance, "{count} {name}, {samples} samples: {error:e}");
                for (found, expected) in found.attributes.iter().zip(&expected.attributes) {
                    for i in 0..expected.len() {
                        let (a, b) = (found.get(i), expected.get(i));
                        assert!((a - b).abs() <= tolerance, "{count} {name}, {samples}: {a} {b}");
                    }
                }
            }
        }
    }
}

/// Single precision: errors stay those of rounding, by the largest coordinate of the model.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn tables_cost_no_accuracy() {
    let gpu = gpu(Precision::F32);
    for (name, count) in [("link-tetrahedron", 20), ("link-icosahedron", 5), ("link-3444555", 20)] {
        let mesh = copies(&shape(name, &[2]), count);
        let solid = Solid::new(&mesh).unwrap();
        let plan = solid.plan(&Samples::grid(8), Want::POSITION).unwrap();
        let size = mesh.points.as_flattened().iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let ulp = f64::from(f32::EPSILON) * 2_f64.powf(size.log2().floor());
        let found = gpu.evaluate(&plan, mesh.controls()).unwrap();
        let expected = Cpu::default().evaluate(&plan, mesh.controls()).unwrap();
        let errors = (0..expected.positions.len())
            .map(|i| (found.positions.get(i) - expected.positions.get(i)).abs());
        let (count, sum, most) = errors
            .fold((0_usize, 0.0, 0.0_f64), |(n, sum, most), e| (n + 1, sum + e, greater(most, e)));
        println!("{name}: mean {:.4}, most {:.3} ulp", sum / count as f64 / ulp, most / ulp);
        assert!(most <= 2.0 * ulp, "{name}: {most:e}");
    }
}
