//! Products of operators without matrices.

use subsolid::assembly::{CellOperators, MatrixFree, Operator, Orthotropic};
use subsolid::backend::Precision;
use subsolid::limit::Solid;
use subsolid::mesh::SolidMesh;
use subsolid::plan::Want;
use subsolid::quadrature::{Mapping, Quadrature, QuadratureScheme};
use subsolid::refine::crease_by_angle;

use super::{gpu, shape};

const ALL: [Operator; 4] = [
    Operator::Mass { density: 2.5 },
    Operator::Stiffness { conductivity: 3.0 },
    Operator::Elasticity { young: 10.0, poisson: 0.3 },
    ORTHOTROPIC,
];

pub const ORTHOTROPIC: Operator = Operator::Orthotropic(Orthotropic {
    young: [14.0, 5.0, 3.0],
    shear: [4.0, 1.5, 2.5],
    poisson: [0.3, 0.4, 0.2],
    axes: [[0.6, 0.8, 0.0], [-0.48, 0.36, 0.8], [0.64, -0.48, 0.6]],
});

fn with_both(
    mesh: &SolidMesh,
    gauss: usize,
    operators: &CellOperators,
    call: impl FnOnce(&MatrixFree<'_>, &MatrixFree<'_>),
) {
    let solid = Solid::new(mesh).unwrap();
    let scheme = QuadratureScheme { gauss, rings: Some(1) };
    let quadrature = Quadrature::new(&solid, scheme, Want::FIRST).unwrap();
    let mapping = Mapping::new(&quadrature, mesh.controls()).unwrap();
    let own = || MatrixFree::new(&mapping, operators, |_| ()).unwrap();
    call(&own(), &own().on(&gpu(Precision::F64)).unwrap());
}

fn times(operator: &MatrixFree<'_>, x: &[f64]) -> Vec<f64> {
    let mut y = vec![f64::NAN; x.len()];
    operator.apply(x, &mut y);
    y
}

/// Creased, turned and of two materials.
pub fn block(cells: &[usize]) -> SolidMesh {
    let mut mesh = shape("box", cells);
    crease_by_angle(&mut mesh, 40.0).unwrap();
    for p in &mut mesh.points {
        *p = [p[0] + 0.1 * (p[1] + p[2]).sin(), p[1] - 0.2 * p[0], p[2] + 0.05 * p[0] * p[1]];
    }
    mesh
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn products_are_those_of_the_cpu() {
    let mut left = block(&[5, 4, 3]);
    left.points.iter_mut().for_each(|p| p[2] = -p[2]);
    for mesh in [block(&[9, 8, 7]), left, shape("box", &[4, 4, 4]), shape("fan", &[5, 4, 3])] {
        for gauss in 1..=8 {
            for operator in ALL {
                with_both(&mesh, gauss, &operator.into(), |cpu, gpu| {
                    let x: Vec<f64> = (0..cpu.size()).map(|i| (i as f64 * 1.7).sin()).collect();
                    let (expected, found) = (times(cpu, &x), times(gpu, &x));
                    let size = expected.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                    let pairs = expected.iter().zip(&found);
                    let off = pairs.fold(0.0_f64, |m, (a, b)| m.max((a - b).abs())) / size;
                    assert!(off <= 1e-13, "{operator:?}, {gauss}: off by {off:e}");
                    assert!(found.iter().all(|x| x.is_finite()));
                    (0..100).for_each(|run| assert!(times(gpu, &x) == found, "run {run}"));
                });
            }
        }
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn materials_are_those_of_cells() {
    let mesh = block(&[5, 4, 3]);
    let materials = [1.0, 7.0].map(|young| Operator::Elasticity { young, poisson: 0.3 });
    let of_cells = (0..mesh.cells.len() as u32).map(|cell| cell % 2).collect();
    with_both(&mesh, 4, &CellOperators::new(materials.to_vec(), of_cells), |cpu, gpu| {
        let x: Vec<f64> = (0..cpu.size()).map(|i| (i as f64 * 1.7).sin()).collect();
        let (expected, found) = (times(cpu, &x), times(gpu, &x));
        let size = expected.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        assert!(expected.iter().zip(&found).all(|(a, b)| (a - b).abs() <= 1e-13 * size));
    });
}

/// Unknowns a second of a box of a million cells, as the conjugate gradients see it.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn speed_of_products() {
    let mesh = block(&[100, 100, 100]);
    for gauss in [4, 5] {
        for operator in &ALL[1..] {
            with_both(&mesh, gauss, &(*operator).into(), |cpu, gpu| {
                let x: Vec<f64> = (0..cpu.size()).map(|i| (i as f64 * 1.7).sin()).collect();
                let mut y = vec![0.0; x.len()];
                for (name, own) in [("cpu", cpu), ("gpu", gpu)] {
                    own.apply(&x, &mut y);
                    let start = std::time::Instant::now();
                    (0..5).for_each(|_| own.apply(&x, &mut y));
                    let seconds = start.elapsed().as_secs_f64() / 5.0;
                    let rate = x.len() as f64 / seconds * 1e-6;
                    println!("{name}, {gauss} points, {}: {rate:.0} M unknowns/s", operator.name());
                }
                assert!(y.iter().all(|x| x.is_finite()));
            });
        }
    }
}
