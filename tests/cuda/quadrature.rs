//! Quadratures.

use subsolid::backend::Precision;
use subsolid::limit::Solid;
use subsolid::plan::Want;
use subsolid::quadrature::{
    DeviceQuadrature, Mapped, Mapping, PhysicalDerivatives, Quadrature, Scheme,
    physical_derivatives,
};

use super::{gpu, shape};

/// Physical quantities of a quadrature and derivatives in space, beside the CPU's: rings, cells
/// refined inside, turned cells, moved control points.
#[test]
fn quadrature_is_that_of_the_cpu() {
    let Some(gpu) = gpu(Precision::F64) else { return };
    let meshes = [
        (shape("tripod", &[]), 3),
        (shape("link-3444555", &[]), 4),
        (subsolid::read("models/solids/cad9.mesh").unwrap(), 2),
    ];
    for (mut mesh, gauss) in meshes {
        let solid = Solid::new(&mesh).unwrap();
        let quadrature = Quadrature::new(&solid, Scheme { gauss, rings: 2 }, Want::FIRST).unwrap();
        let mut device = DeviceQuadrature::new(&quadrature, mesh.controls(), &gpu).unwrap();
        mesh.points.iter_mut().for_each(|p| *p = [1.5 * p[0] + 0.1 * p[1], p[1], 0.5 * p[2]]);
        device.move_controls(mesh.controls()).unwrap();
        let mapping = Mapping::new(&quadrature, mesh.controls()).unwrap();
        let (mut found, mut expected) = (Mapped::default(), Mapped::default());
        let mut derivatives = [PhysicalDerivatives::default(), PhysicalDerivatives::default()];
        for (batch, leaves) in quadrature.pieces(5_000) {
            mapping.evaluate(batch, leaves.clone(), &mut expected);
            physical_derivatives(&quadrature.basis(batch), &expected, &mut derivatives[0]);
            device.evaluate(batch, leaves.clone(), true).unwrap();
            device.read(&mut found, &mut derivatives[1]).unwrap();
            // relative to the largest number of each; inverses to what determinants allow
            let near = |a: &[f64], b: &[f64], tolerance: f64| {
                assert_eq!(a.len(), b.len());
                let size = b.iter().fold(f64::MIN_POSITIVE, |m, x| m.max(x.abs()));
                let pairs = a.iter().zip(b);
                pairs.fold(0.0_f64, |m, (a, b)| m.max((a - b).abs())) <= tolerance * size
            };
            let flat = |m: &[[[f64; 3]; 3]]| m.as_flattened().as_flattened().to_vec();
            assert!(near(found.points.as_flattened(), expected.points.as_flattened(), 1e-14));
            assert!(near(&flat(&found.jacobians), &flat(&expected.jacobians), 1e-13));
            assert!(near(&found.determinants, &expected.determinants, 1e-12));
            assert!(near(&found.measures, &expected.measures, 1e-12));
            let inverses = (flat(&found.inverse_jacobians), flat(&expected.inverse_jacobians));
            assert!(near(&inverses.0, &inverses.1, 1e-10));
            assert!(near(&derivatives[1].gradients, &derivatives[0].gradients, 1e-10));
        }
    }
}
