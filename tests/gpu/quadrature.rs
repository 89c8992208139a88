//! Quadratures.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::path::Path;

use npyz::NpyFile;
use subsolid::backend::Precision;
use subsolid::limit::Solid;
use subsolid::plan::Want;
use subsolid::quadrature::{
    ExportOptions, LeafQuantities, Mapping, PhysicalDerivatives, Quadrature, QuadratureScheme,
    Report, Store, physical_derivatives, write_npz,
};

use super::{gpu, shape};
use crate::npz::Npz;
use crate::oracle::vector::greater;

/// Physical quantities of a quadrature and derivatives in space, beside the CPU's: rings, cells
/// refined inside, permuted cells, moved control points.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn quadrature_is_that_of_the_cpu() {
    let gpu = gpu(Precision::F64);
    let meshes = [
        (shape("tripod", &[]), 3),
        (shape("link-3444555", &[]), 4),
        (subsolid::read("models/solids/cad9.mesh").unwrap(), 2),
    ];
    for (mut mesh, gauss) in meshes {
        let solid = Solid::new(&mesh).unwrap();
        let quadrature =
            Quadrature::new(&solid, QuadratureScheme { gauss, rings: Some(2) }, Want::SECOND)
                .unwrap();
        let mut device = Mapping::on(&gpu, &quadrature, mesh.controls(), None).unwrap();
        mesh.points.iter_mut().for_each(|p| *p = [1.5 * p[0] + 0.1 * p[1], p[1], 0.5 * p[2]]);
        device.move_controls(mesh.controls()).unwrap();
        let mapping = Mapping::new(&quadrature, mesh.controls()).unwrap();
        let (mut found, mut expected) = (LeafQuantities::default(), LeafQuantities::default());
        let mut derivatives = [PhysicalDerivatives::default(), PhysicalDerivatives::default()];
        for (batch, leaves) in quadrature.pieces(5_000) {
            mapping.evaluate(batch, leaves.clone(), &mut expected).unwrap();
            physical_derivatives(&quadrature.basis(batch), &expected, &mut derivatives[0]);
            let [_, own] = &mut derivatives;
            device.evaluate_derivatives(batch, leaves, &mut found, own).unwrap();
            // relative to the largest number of each; inverses to what determinants allow
            let near = |a: &[f64], b: &[f64], tolerance: f64| {
                assert_eq!(a.len(), b.len());
                let size = b.iter().fold(f64::MIN_POSITIVE, |m, x| m.max(x.abs()));
                let pairs = a.iter().zip(b);
                pairs.fold(0.0_f64, |m, (a, b)| greater(m, (a - b).abs())) <= tolerance * size
            };
            let flat = |m: &[[[f64; 3]; 3]]| m.as_flattened().as_flattened().to_vec();
            assert!(near(found.points.as_flattened(), expected.points.as_flattened(), 1e-14));
            assert!(near(&flat(&found.jacobians), &flat(&expected.jacobians), 1e-13));
            assert!(near(&found.determinants, &expected.determinants, 1e-12));
            assert!(near(&found.measures, &expected.measures, 1e-12));
            let inverses = (flat(&found.inverse_jacobians), flat(&expected.inverse_jacobians));
            assert!(near(&inverses.0, &inverses.1, 1e-10));
            let second = [&found, &expected].map(|m| m.second.as_flattened().as_flattened());
            assert!(near(second[0], second[1], 1e-13));
            assert!(near(&derivatives[1].gradients, &derivatives[0].gradients, 1e-10));
            assert!(near(&derivatives[1].second, &derivatives[0].second, 1e-9));
        }
    }
}

/// The numbers of every array of an archive, by name; integers by their bytes alone.
fn arrays(path: &Path) -> BTreeMap<String, Result<Vec<f64>, Vec<u8>>> {
    let mut archive = Npz::open(path);
    let read = |name: String| {
        let numbers = NpyFile::new(Cursor::new(archive.bytes(&name))).unwrap().into_vec::<f64>();
        let numbers = numbers.map_err(|_| archive.bytes(&name));
        (name, numbers)
    };
    Npz::open(path).names().into_iter().map(read).collect()
}

/// Files and reports are those of the CPU to rounding, second derivatives among them.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn archives_of_quadratures_are_those_of_the_cpu() {
    let gpu = gpu(Precision::F64);
    let folder = tempfile::tempdir().unwrap();
    for (mesh, want) in [
        (shape("tripod", &[]), Want::FIRST | Want::SECOND),
        (shape("link-3444555", &[]), Want::FIRST | Want::SECOND),
        (subsolid::read("models/bracket.vtk").unwrap(), Want::FIRST),
    ] {
        let solid = Solid::new(&mesh).unwrap();
        let quadrature =
            Quadrature::new(&solid, QuadratureScheme { gauss: 3, rings: Some(1) }, want).unwrap();
        let on_cpu = Mapping::new(&quadrature, mesh.controls()).unwrap();
        let on_gpu = Mapping::on(&gpu, &quadrature, mesh.controls(), None).unwrap();
        let [expected, found] = ["cpu.npz", "gpu.npz"].map(|name| folder.path().join(name));
        let mut volumes = Vec::new();
        for (mapping, path) in [on_cpu, on_gpu].iter().zip([&expected, &found]) {
            let report = Report::new(mapping).unwrap();
            let options = ExportOptions {
                store: Store::All,
                physical_derivatives: true,
                ..Default::default()
            };
            write_npz(path, mapping, mesh.controls(), &report, options).unwrap();
            volumes.push(report.volume);
        }
        assert!((volumes[0] - volumes[1]).abs() <= 1e-13 * volumes[0].abs());
        let (expected, found) = (arrays(&expected), arrays(&found));
        assert!(expected.keys().eq(found.keys()));
        assert!(
            expected.keys().any(|name| name.contains("physical/second")) == (want != Want::FIRST)
        );
        for (name, expected) in &expected {
            match (expected, &found[name]) {
                (Err(expected), Err(found)) => assert!(expected == found, "{name}"),
                (Ok(expected), Ok(found)) => {
                    assert_eq!(expected.len(), found.len(), "{name}");
                    let size = expected.iter().fold(f64::MIN_POSITIVE, |m, x| m.max(x.abs()));
                    let pairs = expected.iter().zip(found);
                    let off = pairs.fold(0.0_f64, |m, (a, b)| greater(m, (a - b).abs())) / size;
                    assert!(off <= 1e-10, "{name}: {off:e}");
                }
                _ => panic!("{name}"),
            }
        }
    }
}
