//! Volumes by quadrature against the flux of x / 3 through the boundary, which other code
//! evaluates as a surface.

use std::sync::LazyLock;

use rayon::prelude::*;

use subsolid::Quadrature;
use subsolid::limit::Solid;
use subsolid::mesh::SolidMesh;
use subsolid::plan::Want;
use subsolid::quadrature::{Mapping, QuadratureScheme, Report};

use crate::oracle::{convert, flux};
use crate::support::meshes::{
    INF, block, crease_box_edges, fan, folded_block, models, perturbed, shapes,
};

fn report(mesh: &SolidMesh, scheme: QuadratureScheme) -> Report {
    let solid = Solid::new(mesh).unwrap();
    let quadrature = Quadrature::new(&solid, scheme, Want::FIRST).unwrap();
    Report::new(&Mapping::new(&quadrature, mesh.controls()).unwrap()).unwrap()
}

/// Refinements of the boundary; the rest is wrong by less than 1e-11 of the volume.
const LEVELS: usize = 16;

/// Meshes with their names and the volumes that the flux through their boundaries gives.
pub static VOLUMES: LazyLock<Vec<(String, SolidMesh, f64)>> = LazyLock::new(|| {
    let with_volume = |(name, mesh)| {
        let volume = flux::volume(&convert::solid(&mesh).skin(), LEVELS);
        (name, mesh, volume)
    };
    all().into_par_iter().map(with_volume).collect()
});

/// Shapes and models as they are, and some with their points moved at random.
fn all() -> Vec<(String, SolidMesh)> {
    let mut all = shapes();
    all.extend(models());
    all.extend([3, 6, 8, 11].map(|n| (format!("fan of valence {n}"), fan(n, 2, 2))));
    // one of each kind of extraordinary edges and vertices
    let kinds = |name: &str| name.ends_with("1 rings") || name.starts_with("fan of valence");
    let moved = all.iter().filter(|(name, _)| kinds(name)).zip(1..);
    let moved =
        moved.map(|((name, mesh), seed)| (format!("{name}, moved"), perturbed(mesh, 0.02, seed)));
    all.extend(moved.collect::<Vec<_>>());
    all
}

#[test]
fn volumes_equal_the_flux_through_the_boundary() {
    VOLUMES.par_iter().enumerate().for_each(|(i, (name, mesh, expected))| {
        // 4 Gauss points do not quite integrate det J, which has degree 8
        let schemes = [
            (QuadratureScheme::default(), 1e-8),
            (QuadratureScheme { gauss: 4, rings: None }, 1e-7),
        ];
        let (scheme, bound) = schemes[i % 2];
        let report = report(mesh, scheme);
        let error = report.volume / expected - 1.0;
        let samples = report.samples / mesh.cells.len();
        println!("{name}, {} points: {error:.1e}, {samples} samples per cell", scheme.gauss);
        assert!(error.abs() < bound, "{name}: {error:e}");
        let sum: f64 = report.cells.iter().map(|cell| cell.volume).sum();
        assert!((sum / report.volume - 1.0).abs() < 1e-13);
    });
}

/// With a given number of rings what they leave is integrated by Gauss points of its own.
#[test]
fn volumes_converge_with_the_number_of_rings() {
    for (valence, ratio) in [(3, 0.2), (5, 0.35), (8, 0.45), (11, 0.48)] {
        let mesh = fan(valence, 2, 2);
        let expected = flux::volume(&convert::solid(&mesh).skin(), LEVELS);
        let error = |rings| {
            let report = report(&mesh, QuadratureScheme { gauss: 5, rings: Some(rings) });
            (report.volume / expected - 1.0).abs()
        };
        let errors = [2, 4, 6].map(error);
        println!("valence {valence}: {errors:?}");
        let falls = |pair: &[f64]| pair[1] < ratio * ratio * pair[0];
        assert!(errors.windows(2).all(falls), "valence {valence}: {errors:?}");
    }
}

#[test]
fn a_creased_box_has_the_volume_of_a_box() {
    let mut mesh = block([3, 2, 4]);
    crease_box_edges(&mut mesh, INF);
    let report = report(&mesh, QuadratureScheme { gauss: 3, rings: Some(4) });
    assert!((report.volume - 24.0).abs() < 1e-12, "{}", report.volume);
    assert_eq!(report.remainder_parameter_volume, 0.0);
    assert_eq!(report.samples, 24 * 27);
    assert!(report.quality.non_positive.is_empty());
    assert!((report.quality.least_determinant.unwrap().value - 1.0).abs() < 1e-13);
}

#[test]
fn remainders_are_told_of_every_cell() {
    let mesh = block([2, 2, 6]);
    let rings = 3;
    let report = report(&mesh, QuadratureScheme { gauss: 4, rings: Some(rings) });
    for (cell, found) in report.cells.iter().enumerate() {
        let edge = 0.25_f64.powi(rings as i32);
        // the end cells have three extraordinary edges and an extraordinary vertex
        let expected = match cell / 4 {
            0 | 5 => {
                let edges = (1..=3).map(|r| 0.125_f64.powi(r) * 0.25_f64.powi(3 - r));
                0.125_f64.powi(3) + 3.0 * edges.sum::<f64>()
            }
            _ => edge,
        };
        let parameter = found.remainder_parameter_volume;
        assert!((parameter - expected).abs() < 1e-15, "cell {cell}: {parameter} {expected}");
        assert!(0.0 < found.remainder_volume && found.remainder_volume < expected);
    }
}

#[test]
fn poor_geometry_is_found_with_its_place() {
    let mesh = folded_block();
    let report = report(&mesh, QuadratureScheme { gauss: 4, rings: Some(2) });
    let worst = report.quality.least_determinant.unwrap();
    assert!(worst.value < 0.0, "{worst:?}");
    // the fold runs along y = 1 through the cells in the middle of the rows along x
    for (&cell, found) in &report.quality.non_positive {
        assert!(cell % 3 == 1 && found.samples > 0 && found.worst.value <= 0.0, "{cell}");
        assert!((found.worst.point[1] - 1.0).abs() < 0.5, "{found:?}");
    }
    assert!(report.quality.non_positive.contains_key(&worst.cell));
}

#[test]
fn schemes_out_of_range_are_refused() {
    let solid = Solid::new(&block([3, 3, 3])).unwrap();
    let refused =
        Quadrature::new(&solid, QuadratureScheme { gauss: 4, rings: Some(21) }, Want::FIRST);
    assert!(refused.unwrap_err().to_string().contains("21 rings"));
    assert!(
        Quadrature::new(&solid, QuadratureScheme { gauss: 0, rings: Some(2) }, Want::FIRST)
            .is_err()
    );
}
