//! Weights that structures give in tables and eigenstructures, against those of single points.

use faer::Mat;
use subsolid::basis::bspline;
use subsolid::basis::bspline::Order;
use subsolid::io::read;
use subsolid::limit::{Basis, Solid};
use subsolid::mesh::shape::Shape;
use subsolid::plan::BatchKind;
use subsolid::plan::Samples;
use subsolid::plan::Want;
use subsolid::plan::wanted_orders;
use subsolid::refine::crease_by_angle;

/// E b, from E and the parameters alone.
fn product(matrix: &Mat<f64>, basis: [Basis; 3], local: [f64; 3]) -> Vec<f64> {
    let axis = |d: usize| match basis[d] {
        Basis::Spline(order) => bspline::weights(order, local[d]),
        Basis::Constant => [1.0, 0.0, 0.0, 0.0],
    };
    let [u, v, w] = [0, 1, 2].map(axis);
    let function = |j: usize| {
        let plane = u[j % 4] * v[j / 4 % 4];
        if matrix.ncols() == 64 { plane * w[j / 16] } else { plane }
    };
    let row = |i: usize| (0..matrix.ncols()).map(|j| matrix[(i, j)] * function(j)).sum();
    (0..matrix.nrows()).map(row).collect()
}

#[test]
fn eigenstructures_give_the_weights() {
    let meshes = [
        Shape::Box { cells: [2, 2, 6] }.build().unwrap(),
        Shape::Fan { valence: 5, layers: 3, rings: 2 }.build().unwrap(),
    ];
    let all = [Order::Value, Order::First, Order::Second];
    let (mut compared, mut undefined, mut nested) = (0, 0, 0);
    for mesh in meshes {
        let solid = Solid::new(&mesh).unwrap();
        let structures = solid.spatial_structures().iter().map(|s| (3, s));
        for (dimension, structure) in
            structures.chain(solid.planar_structures().iter().map(|s| (2, s)))
        {
            let steps = [0.0, 1e-3, 1.0 / 7.0, 0.5, 0.6, 1.0];
            for at in 0..steps.len().pow(dimension) {
                let p = [0, 1, 2].map(|d| steps[at / steps.len().pow(d) % steps.len()]);
                let p = if dimension == 2 { [p[0], p[1], 0.0] } else { p };
                let (part, local) = structure.spline_part(p);
                nested += usize::from(dimension == 3 && !part.is_point() && !part.is_plain());
                for o in 0..27 {
                    let orders = [all[o % 3], all[o / 3 % 3], all[o / 9]];
                    let total: usize = orders.iter().map(|o| o.degree()).sum();
                    if total > 2 || dimension == 2 && orders[2] != Order::Value {
                        continue;
                    }
                    let matrix = structure.eigenstructure(part, orders);
                    let found = product(&matrix, structure.basis(part, orders), local);
                    let Some(expected) = structure.weights(p, orders) else {
                        assert!(found.iter().all(|w| w.is_nan()), "{p:?} {orders:?}");
                        undefined += 1;
                        continue;
                    };
                    let size = expected.iter().fold(1.0_f64, |m, w| m.max(w.abs()));
                    for (found, expected) in found.iter().zip(&expected) {
                        let error = (found - expected).abs();
                        assert!(error <= 1e-12 * size, "{p:?} {orders:?}: {error:e}");
                    }
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 1000 && undefined > 0 && nested > 0);
}

/// Tables of a plan against weights point by point: at several depths, on the seams of siblings and
/// at the extraordinary point; for second derivatives, which magnify the rounding of linear parts by
/// 2^depth, none as deep.
fn compare_tables(solid: &Solid, want: Want, axis: &[f64]) -> [usize; 2] {
    let plan = solid.plan(&Samples::Tensor(axis.to_vec()), want).unwrap();
    let wanted = wanted_orders(want);
    let (mut compared, mut large) = (0, 0);
    for batch in plan.batches() {
        let (structure, dimension) = match batch.kind {
            BatchKind::Regular => continue,
            BatchKind::Layered(s) => (&solid.planar_structures()[s as usize], 2),
            BatchKind::Irregular(s) => (&solid.spatial_structures()[s as usize], 3),
        };
        let axes = batch.axes.map(|axis| &plan.patterns().axes[axis as usize]);
        for (&id, orders) in batch.tables.iter().zip(&wanted) {
            let table = &plan.tables()[id as usize];
            let mut orders = batch.permutation.axes.map(|axis| orders[axis as usize]);
            if dimension == 2 {
                orders[2] = Order::Value;
            }
            let degree: usize = orders.iter().map(|order| order.degree()).sum();
            let scale: f64 =
                (0..dimension).map(|d| axes[d].factor.powi(orders[d].degree() as i32)).product();
            let bound = if degree == 2 { 1e-10 } else { 2e-13 };
            for sample in 0..table.samples {
                let mut rest = sample;
                let mut p = [0.0; 3];
                for d in 0..dimension {
                    let parameters = &axes[d].parameters;
                    p[d] = parameters[rest % parameters.len()];
                    rest /= parameters.len();
                }
                let found = (0..table.controls).map(|j| table.weights[j * table.samples + sample]);
                let Some(expected) = structure.weights(p, orders) else {
                    assert!(found.into_iter().all(f64::is_nan), "{p:?}");
                    continue;
                };
                let size = scale * expected.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
                for (found, x) in found.zip(expected) {
                    let error = (found - scale * x).abs();
                    assert!(error <= bound * size, "{p:?} {orders:?}: {error:e} of {size:e}");
                }
                compared += 1;
                large += usize::from(table.controls > 256);
            }
        }
    }
    [compared, large]
}

#[test]
fn tables_equal_single_weights() {
    let mut meshes: Vec<_> =
        [[1, 1, 1], [2, 2, 6]].map(|cells| Shape::Box { cells }.build().unwrap()).into();
    // creased all round, its nets lack a layer that nets of its children have
    let mut fan = Shape::Fan { valence: 5, layers: 1, rings: 1 }.build().unwrap();
    crease_by_angle(&mut fan, 30.0).unwrap();
    meshes.push(fan);
    meshes.push(read("models/solids/rod_hex.vtk").unwrap());
    let (mut compared, mut large, mut stepped) = (0, 0, 0);
    for mesh in meshes {
        let solid = Solid::new(&mesh).unwrap();
        let structures = solid.planar_structures().iter().chain(solid.spatial_structures());
        stepped += structures.filter(|structure| structure.first_steps() > 0).count();
        for (want, axis) in [
            (Want::FIRST, &[0.0, 1e-20, 1e-12, 0.003, 0.3, 0.5, 1.0][..]),
            (Want::FIRST | Want::SECOND, &[0.0, 0.02, 0.125, 0.3, 0.7, 1.0]),
        ] {
            compared += compare_tables(&solid, want, axis)[0];
        }
    }
    let fan = Shape::Fan { valence: 140, layers: 2, rings: 2 }.build().unwrap();
    let solid = Solid::new(&fan).unwrap();
    large += compare_tables(&solid, Want::FIRST, &[0.0, 1e-9, 0.3])[1];
    assert!(compared > 10_000 && large > 0 && stepped > 0, "{compared} {large} {stepped}");
}

/// Far down, products with a large matrix equal products of the matrix beside others.
#[test]
fn powers_of_large_matrices_are_products() {
    let solid =
        Solid::new(&Shape::Fan { valence: 128, layers: 2, rings: 2 }.build().unwrap()).unwrap();
    let structures = solid.planar_structures().iter().filter(|s| s.controls() > 256);
    let structure = structures.clone().next().expect("a large structure");
    let (powers, a) = (structure.powers(), structure.powers().matrix());
    let n = a.nrows();
    // a row of the power, by sums that lose nothing
    let mut exact = vec![0.0; n];
    exact[7] = 1.0;
    for power in 1..=40 {
        exact = (0..n).map(|j| sum((0..n).map(|i| exact[i] * a[(i, j)]))).collect();
        let mut x = vec![0.0; n];
        x[7] = 1.0;
        powers.apply_transposed(power, &mut x, 1.0);
        for (j, x) in x.iter().enumerate() {
            let error = (x - exact[j]).abs();
            assert!(error < 1e-13, "power {power}, entry {j}: {error:e}");
        }
    }
}

/// A sum without what rounding loses from each term (Neumaier).
fn sum(terms: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (0.0_f64, 0.0);
    for term in terms {
        let next = sum + term;
        lost += if sum.abs() > term.abs() { sum - next + term } else { term - next + sum };
        sum = next;
    }
    sum + lost
}
