//! The quartic box spline.

use subsolid::basis::box_spline::{LATTICE, weights};

/// The spline of one control point by Loop's rules alone: its values at the lattice
/// refined 6 times, where the control points are limit points but for 4⁻⁶ of a
/// second difference, which the limit mask (1/2, 1/12 …) takes away.
fn refined_values(levels: u32) -> impl Fn(i32, i32) -> f64 {
    use std::collections::HashMap;
    const AROUND: [[i32; 2]; 6] = [[1, 0], [0, 1], [-1, 1], [-1, 0], [0, -1], [1, -1]];
    let mut values = HashMap::from([([0, 0], 1.0)]);
    for _ in 0..levels {
        let mut fine: HashMap<[i32; 2], f64> = HashMap::new();
        for (&[i, j], value) in &values {
            // the mask of a control point: 10, 6 to the edges, 1 to its neighbors, 2 across
            let mut add = |di: i32, dj: i32, weight: f64| {
                *fine.entry([2 * i + di, 2 * j + dj]).or_default() += value * weight / 16.0;
            };
            add(0, 0, 10.0);
            for (k, [x, y]) in AROUND.into_iter().enumerate() {
                let [p, q] = AROUND[(k + 1) % 6];
                add(x, y, 6.0);
                add(2 * x, 2 * y, 1.0);
                add(x + p, y + q, 2.0);
            }
        }
        values = fine;
    }
    move |i, j| {
        let at = |[x, y]: [i32; 2]| values.get(&[i + x, j + y]).copied().unwrap_or(0.0);
        at([0, 0]) / 2.0 + AROUND.map(at).iter().sum::<f64>() / 12.0
    }
}

#[test]
fn values_equal_refinement() {
    let (levels, n) = (5, 32);
    let spline = refined_values(levels);
    for u in 0..=n {
        for v in 0..=n - u {
            let found = weights([0, 0], [u, v].map(|x| f64::from(x) / f64::from(n)));
            assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-15);
            for (weight, [i, j]) in found.iter().zip(LATTICE) {
                let exact = spline(u - n * i, v - n * j);
                assert!((weight - exact).abs() < 1e-14, "{u} {v}: {i} {j}");
            }
        }
    }
}

#[test]
fn derivatives_equal_differences() {
    let h = 1e-3;
    let points = [[0.0, 0.0], [1.0, 0.0], [0.2, 0.3], [0.1, 0.9], [1.0 / 3.0, 0.6]];
    for p in points {
        for orders in [[0, 0], [1, 0], [0, 1]] {
            for d in 0..2 {
                let mut higher = orders;
                higher[d] += 1;
                let derivative = weights(higher, p);
                // exact for quartics: five points
                let at = |steps: f64| {
                    let mut q = p;
                    q[d] += steps * h;
                    weights(orders, q)
                };
                let [a, b, c, e] = [-2.0, -1.0, 1.0, 2.0].map(at);
                for k in 0..12 {
                    let difference = (a[k] - e[k] + 8.0 * (c[k] - b[k])) / (12.0 * h);
                    assert!((difference - derivative[k]).abs() < 1e-12, "{p:?} {orders:?}");
                }
            }
        }
    }
}
