//! Gradients at results become gradients at control points.

use subsolid::Solid;
use subsolid::mesh::shape::Shape;
use subsolid::plan::{Adjoint, Location, Samples, Want, wanted_orders};

/// Against the rows of the basis, transposed in plain loops.
#[test]
fn gradients_go_back_by_the_transposed_rows() {
    let mut fan = Shape::Fan { valence: 5, layers: 1, rings: 1 }.build().unwrap();
    fan.creases.push_edge(0, 1, 2.5);
    let car = Shape::Box { cells: [2, 2, 3] }.build().unwrap();
    for mesh in [fan, car] {
        let solid = Solid::new(&mesh).unwrap();
        let elements = solid.elements().len();
        let tensor = vec![0.1, 0.45, 0.9];
        let grid: Vec<Location> = (0..elements * 27)
            .map(|i| {
                let parameters = [i % 3, i / 3 % 3, i / 9 % 3].map(|k| tensor[k]);
                Location { element: (i / 27) as u32, parameters }
            })
            .collect();
        for samples in [Samples::Tensor(tensor.clone()), Samples::Points(grid.clone())] {
            let plan = solid.plan(&samples, Want::SECOND | Want::FIRST).unwrap();
            let orders = wanted_orders(plan.want());
            let wave = |i: usize| (i as f64 * 0.7).sin();
            let gradients: Vec<Vec<f64>> = (0..orders.len())
                .map(|o| (0..2 * grid.len()).map(|i| wave(i + 1000 * o)).collect())
                .collect();
            let slices: Vec<&[f64]> = gradients.iter().map(Vec::as_slice).collect();
            let found = Adjoint::new(&plan).unwrap().apply(&slices, 2).unwrap();
            let mut expected = vec![0.0; 2 * mesh.points.len()];
            let mut sizes = expected.clone();
            for (orders, gradient) in orders.into_iter().zip(&gradients) {
                let rows = solid.basis_rows(&grid, orders).unwrap();
                for r in 0..grid.len() {
                    for (vertex, weight) in rows.row(r) {
                        for k in 0..2 {
                            let term = weight * gradient[2 * r + k];
                            expected[2 * vertex as usize + k] += term;
                            sizes[2 * vertex as usize + k] += term.abs();
                        }
                    }
                }
            }
            for ((found, expected), size) in found.iter().zip(&expected).zip(&sizes) {
                assert!((found - expected).abs() <= 1e-13 * size, "{found} {expected}");
            }
        }
    }
}

#[test]
fn wrong_gradients_are_refused() {
    let solid = Solid::new(&Shape::Box { cells: [1, 1, 1] }.build().unwrap()).unwrap();
    let plan = solid.plan(&Samples::grid(2), Want::POSITION).unwrap();
    let adjoint = Adjoint::new(&plan).unwrap();
    assert!(adjoint.apply(&[&[0.0; 24]], 3).is_ok());
    assert!(adjoint.apply(&[&[0.0; 23]], 3).is_err());
    assert!(adjoint.apply(&[&[0.0; 24], &[0.0; 24]], 3).is_err());
}

/// Rows reproduce the evaluation.
#[test]
fn rows_times_control_points_are_the_limit() {
    let mesh = subsolid::io::read("models/bracket.vtk").unwrap();
    let solid = Solid::new(&mesh).unwrap();
    let places: Vec<Location> = (0..solid.elements().len() as u32)
        .map(|element| Location { element, parameters: [0.3, 0.6, 0.05] })
        .collect();
    let want = Want::FIRST | Want::SECOND;
    let plan = solid.plan(&Samples::Points(places.clone()), want).unwrap();
    let limit = subsolid::backend::Backend::evaluate(
        &subsolid::backend::Cpu::default(),
        &plan,
        mesh.controls(),
    );
    let limit = limit.unwrap();
    let values = std::iter::once(&limit.positions).chain(&limit.derivatives);
    for (orders, values) in wanted_orders(want).into_iter().zip(values) {
        let rows = solid.basis_rows(&places, orders).unwrap();
        for r in 0..places.len() {
            for d in 0..3 {
                let sum: f64 = rows.row(r).map(|(v, w)| w * mesh.points[v as usize][d]).sum();
                let size: f64 = rows.row(r).map(|(_, w)| w.abs()).sum();
                assert!((sum - values.get(3 * r + d)).abs() < 1e-13 * (1.0 + size) * 10.0);
            }
        }
    }
}
