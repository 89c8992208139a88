//! Products without matrices against those with assembled ones.

use subsolid::Quadrature;
use subsolid::assembly::{CellOperators, Matrix, MatrixFree, Operator, assemble_by_cells};
use subsolid::extend::extend;
use subsolid::limit::Solid;
use subsolid::mesh::SolidMesh;
use subsolid::plan::Want;
use subsolid::quadrature::{Mapping, QuadratureScheme};

use super::assembly::{ALL, largest, vector};
use super::solve::{creased, distance};
use crate::support::meshes::{block, fan, mixed, perturbed};
use crate::support::refused;

/// Boxes with and without sharp edges, far away and left-handed, extraordinary edges, wedges and
/// tetrahedra, ghosts; and how many regular leaves are among theirs at least.
fn meshes() -> Vec<(&'static str, SolidMesh, usize)> {
    let sharp = creased(perturbed(&block([4, 3, 3]), 0.02, 1));
    let mut left = sharp.clone();
    left.points.iter_mut().for_each(|p| p[0] = -p[0]);
    vec![
        ("smooth box", perturbed(&block([3, 3, 3]), 0.05, 1), 1),
        ("sharp box", sharp.clone(), 36),
        ("far box", moved(sharp, 1e6), 36),
        ("left-handed box", left, 36),
        ("fan", creased(fan(5, 2, 2)), 10),
        ("mixed", mixed(), 0),
        ("ghosts", extend(&perturbed(&block([2, 2, 2]), 0.02, 3), 40.0).unwrap().0, 8),
    ]
}

fn moved(mut mesh: SolidMesh, by: f64) -> SolidMesh {
    mesh.points.iter_mut().for_each(|p| p[1] += by);
    mesh
}

/// Calls with both forms of an operator.
fn with_both(
    mesh: &SolidMesh,
    scheme: QuadratureScheme,
    operators: &CellOperators,
    call: impl FnOnce(&Matrix, &MatrixFree<'_>),
) {
    let solid = Solid::new(mesh).unwrap();
    let quadrature = Quadrature::new(&solid, scheme, Want::FIRST).unwrap();
    let mapping = Mapping::new(&quadrature, mesh.controls()).unwrap();
    let matrix = assemble_by_cells(&mapping, operators, |_| ()).unwrap();
    let free = MatrixFree::new(&mapping, operators, |_| ()).unwrap();
    assert_eq!(free.size(), matrix.size());
    call(&matrix, &free);
}

fn times(free: &MatrixFree<'_>, x: &[f64]) -> Vec<f64> {
    let mut y = vec![f64::NAN; x.len()];
    free.apply(x, &mut y);
    y
}

#[test]
fn products_are_those_of_matrices() {
    for (name, mesh, regular) in meshes() {
        for gauss in [1, 2, 5] {
            if gauss == 5 && regular < 36 {
                continue; // many points around extraordinary edges
            }
            let scheme = QuadratureScheme { gauss, rings: Some(1) };
            for operator in ALL {
                with_both(&mesh, scheme, &operator.into(), |matrix, free| {
                    assert!(free.leaf_count() >= regular, "{name}: {}", free.leaf_count());
                    let x = vector(matrix.size());
                    let expected = matrix.times(&x);
                    let error = distance(&times(free, &x), &expected) / largest(&expected);
                    // a box far away has control points of fewer digits
                    let most = if name == "far box" { 1e-10 } else { 1e-13 };
                    assert!(error < most, "{name}, {gauss}, {}: {error:e}", operator.name());
                });
            }
        }
    }
}

#[test]
fn products_of_a_part_are_those_of_its_matrix() {
    let mesh = creased(subsolid::read("models/bracket.vtk").unwrap());
    let scheme = QuadratureScheme { gauss: 2, rings: Some(0) };
    let operator = Operator::Stiffness { conductivity: 3.0 };
    with_both(&mesh, scheme, &operator.into(), |matrix, free| {
        assert!(free.leaf_count() > mesh.cells.len() / 4, "{}", free.leaf_count());
        let x = vector(matrix.size());
        let expected = matrix.times(&x);
        assert!(distance(&times(free, &x), &expected) < 1e-13 * largest(&expected));
    });
}

#[test]
fn diagonals_and_blocks_are_those_of_matrices() {
    let scheme = QuadratureScheme { gauss: 2, rings: Some(0) };
    for (name, mesh, _) in meshes() {
        let is_used: Vec<bool> = (0..mesh.points.len()).map(|v| v % 5 < 2).collect();
        for operator in ALL {
            with_both(&mesh, scheme, &operator.into(), |matrix, free| {
                let expected = matrix.diagonal();
                let error = distance(&free.diagonal().unwrap(), &expected) / largest(&expected);
                assert!(error < 1e-13, "{name}, {}: {error:e}", operator.name());
                let dense = |block: subsolid::numbers::Csr| {
                    let mut all = vec![0.0; matrix.size() * matrix.size()];
                    for row in 0..block.rows() {
                        for (column, value) in block.row(row) {
                            all[row * matrix.size() + column as usize] += value;
                        }
                    }
                    all
                };
                let expected = dense(matrix.block(&is_used));
                let found = dense(free.block(&is_used).unwrap());
                let error = distance(&found, &expected) / largest(&expected);
                assert!(error < 1e-13, "{name}, {}: {error:e}", operator.name());
            });
        }
    }
}

#[test]
fn products_are_symmetric_and_keep_rigid_motions() {
    let scheme = QuadratureScheme { gauss: 2, rings: Some(1) };
    for (name, mesh, _) in meshes() {
        for operator in ALL {
            with_both(&mesh, scheme, &operator.into(), |matrix, free| {
                let x = vector(matrix.size());
                let y: Vec<f64> = x.iter().rev().map(|x| x * x - 0.3).collect();
                let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
                let [ax, ay] = [times(free, &x), times(free, &y)];
                let scale = dot(&ax, &ax).sqrt() * dot(&y, &y).sqrt();
                let error = (dot(&ax, &y) - dot(&x, &ay)).abs() / scale;
                assert!(error < 1e-14, "{name}, {}: {error:e}", operator.name());
                if let Operator::Mass { .. } = operator {
                    return;
                }
                let still = largest(&times(free, &vec![1.0; matrix.size()]));
                assert!(still < 1e-13 * largest(matrix.values()), "{name}: {still:e}");
            });
        }
    }
}

#[test]
fn threads_and_runs_change_no_bit() {
    let mesh = creased(fan(5, 4, 5));
    let solid = Solid::new(&mesh).unwrap();
    let scheme = QuadratureScheme { gauss: 2, rings: Some(0) };
    let quadrature = Quadrature::new(&solid, scheme, Want::FIRST).unwrap();
    let mapping = Mapping::new(&quadrature, mesh.controls()).unwrap();
    let operator = Operator::Elasticity { young: 10.0, poisson: 0.3 };
    let of = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let free = MatrixFree::new(&mapping, &operator.into(), |_| ()).unwrap();
            assert!(free.leaf_count() > 200);
            let x = vector(free.size());
            let found = times(&free, &x);
            (0..100).for_each(|_| assert!(times(&free, &x) == found));
            found
        })
    };
    let one = of(1);
    assert!(of(3) == one && of(16) == one);
}

#[test]
fn materials_are_those_of_cells() {
    let mesh = creased(perturbed(&block([4, 4, 3]), 0.02, 1));
    let cells = mesh.cells.len() as u32;
    let materials = [1.0, 7.0, 0.25].map(|conductivity| Operator::Stiffness { conductivity });
    let operators = CellOperators::new(materials.to_vec(), (0..cells).map(|c| c % 3).collect());
    let scheme = QuadratureScheme { gauss: 3, rings: Some(0) };
    with_both(&mesh, scheme, &operators, |matrix, free| {
        let x = vector(matrix.size());
        let expected = matrix.times(&x);
        assert!(distance(&times(free, &x), &expected) < 1e-13 * largest(&expected));
        let [found, expected] = [free.diagonal().unwrap(), matrix.diagonal()];
        assert!(distance(&found, &expected) < 1e-13 * largest(&expected));
    });
}

#[test]
fn regular_cells_take_little_memory() {
    let mesh = creased(block([16, 16, 16]));
    for operator in ALL {
        let solid = Solid::new(&mesh).unwrap();
        let scheme = QuadratureScheme { gauss: 2, rings: Some(0) };
        let quadrature = Quadrature::new(&solid, scheme, Want::FIRST).unwrap();
        let mapping = Mapping::new(&quadrature, mesh.controls()).unwrap();
        let free = MatrixFree::new(&mapping, &operator.into(), |_| ()).unwrap();
        assert_eq!(free.leaf_count(), mesh.cells.len());
        let bytes = free.bytes() / free.size();
        println!("{}: {bytes} bytes an unknown", operator.name());
        assert!(bytes < 300, "{}: {bytes}", operator.name());
    }
}

#[test]
fn numbers_that_overflow_are_refused() {
    let mut mesh = creased(block([2, 2, 2]));
    mesh.points.iter_mut().for_each(|p| *p = p.map(|x| 1e3 * x));
    let solid = Solid::new(&mesh).unwrap();
    let scheme = QuadratureScheme { gauss: 2, rings: Some(0) };
    let quadrature = Quadrature::new(&solid, scheme, Want::FIRST).unwrap();
    let mapping = Mapping::new(&quadrature, mesh.controls()).unwrap();
    let of = |operator: Operator| MatrixFree::new(&mapping, &operator.into(), |_| ()).map(|_| ());
    refused(of(Operator::Mass { density: 1e306 }), "overflow");
    refused(of(Operator::Stiffness { conductivity: 1e308 }), "overflow");
    refused(of(Operator::Mass { density: -1.0 }), "a density of -1");
}
