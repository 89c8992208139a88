//! The CPU's kernel against plain loops: every level of vector instructions, numbers of
//! leaves and samples that fill no vector, permuted leaves, missing layers.

use subsolid::basis::bspline::{self, Order};
use subsolid::basis::{MissingLayers, gauss};
use subsolid::limit::AxisPermutation;
use subsolid::simd::{AxisWeights, LeafMap, LeafMapOutput, LeafMapScratch, LeafSource, Simd};

use crate::oracle::random::Random;

/// Results of some leaves, `[leaf][sample]` each.
#[derive(Default)]
struct Arrays {
    points: Vec<f64>,
    jacobians: Vec<f64>,
    determinants: Vec<f64>,
    measures: Vec<f64>,
    inverses: Vec<f64>,
    second: Vec<f64>,
}

const SECOND_AXES: [[usize; 2]; 6] = [[0, 0], [1, 1], [2, 2], [0, 1], [0, 2], [1, 2]];

fn evaluate(map: &LeafMap<'_>, simd: Simd, points: &[f64], nets: &[u32]) -> Arrays {
    let count = nets.len() / map.source.controls() * map.weights.len();
    let zeros = |width: usize| vec![f64::NAN; width * count];
    let mut out = Arrays {
        points: zeros(3),
        jacobians: zeros(9),
        determinants: zeros(1),
        measures: zeros(1),
        inverses: zeros(9),
        second: zeros(if map.second { 18 } else { 0 }),
    };
    let places = LeafMapOutput {
        points: &mut out.points,
        jacobians: &mut out.jacobians,
        determinants: &mut out.determinants,
        measures: &mut out.measures,
        inverses: &mut out.inverses,
        second: &mut out.second,
    };
    map.evaluate(simd, &mut LeafMapScratch::default(), points, nets, places);
    out
}

fn near(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (i, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= tolerance * (1.0 + b.abs()), "{i}: {a} {b}");
    }
}

/// A table of random basis functions; `[sample][row][control]`, rows of N, 3 and 6.
fn tables(random: &mut Random, controls: usize, samples: usize) -> [Vec<f64>; 3] {
    [1, 3, 6].map(|rows| (0..rows * controls * samples).map(|_| random.unit() - 0.5).collect())
}

#[test]
fn maps_of_tables_equal_explicit_sums_at_every_simd_level() {
    let mut random = Random::new(3);
    let points: Vec<f64> = (0..300).map(|_| 5.0 + random.unit()).collect();
    for (controls, samples, leaves) in [(8, 1, 1), (11, 7, 13), (20, 16, 8), (9, 27, 3)] {
        let [values, gradients, second] = tables(&mut random, controls, samples);
        let nets: Vec<u32> = (0..controls * leaves).map(|_| random.below(100) as u32).collect();
        let weights: Vec<f64> = (0..samples).map(|_| random.unit()).collect();
        for permutation in (0..8).flat_map(AxisPermutation::to_corner) {
            let source = LeafSource::Table {
                controls,
                values: &values,
                gradients: &gradients,
                second: &second,
            };
            let map = LeafMap { source, weights: &weights, permutation, second: true };
            let mut expected = Arrays::default();
            let axes = permutation.axes.map(usize::from);
            let signs = permutation.flips.map(|flip| if flip { -1.0 } else { 1.0 });
            for (leaf, s) in (0..leaves).flat_map(|leaf| (0..samples).map(move |s| (leaf, s))) {
                let net = &nets[leaf * controls..][..controls];
                let origin: [f64; 3] = std::array::from_fn(|d| points[3 * net[0] as usize + d]);
                let row = |table: &[f64], at: usize| -> [f64; 3] {
                    let row = &table[at * controls..][..controls];
                    std::array::from_fn(|d| {
                        let terms = row.iter().zip(net);
                        terms.map(|(n, &id)| n * (points[3 * id as usize + d] - origin[d])).sum()
                    })
                };
                let p = row(&values, s);
                expected.points.extend((0..3).map(|d| origin[d] + p[d]));
                let mut j = [[0.0; 3]; 3];
                for d in 0..3 {
                    let column = row(&gradients, 3 * s + d);
                    (0..3).for_each(|c| j[c][axes[d]] = signs[d] * column[c]);
                }
                let minor = |r: usize, c: usize| {
                    let ([a, b], [d, e]) = ([(r + 1) % 3, (r + 2) % 3], [(c + 1) % 3, (c + 2) % 3]);
                    j[a][d] * j[b][e] - j[a][e] * j[b][d]
                };
                let determinant: f64 = (0..3).map(|c| j[0][c] * minor(0, c)).sum();
                expected.jacobians.extend(j.as_flattened());
                expected.determinants.push(determinant);
                expected.measures.push(weights[s] * determinant);
                let inverse = (0..9).map(|i| minor(i % 3, i / 3) / determinant);
                expected.inverses.extend(inverse);
                let mut all = [[0.0; 3]; 6];
                for (k, [d, e]) in SECOND_AXES.into_iter().enumerate() {
                    let pair = [axes[d].min(axes[e]), axes[d].max(axes[e])];
                    let to = SECOND_AXES.iter().position(|&axes| axes == pair).unwrap();
                    all[to] = row(&second, 6 * s + k).map(|x| signs[d] * signs[e] * x);
                }
                expected.second.extend(all.as_flattened());
            }
            for simd in Simd::available() {
                let found = evaluate(&map, simd, &points, &nets);
                near(&found.points, &expected.points, 1e-14);
                near(&found.jacobians, &expected.jacobians, 1e-13);
                near(&found.determinants, &expected.determinants, 1e-12);
                near(&found.measures, &expected.measures, 1e-12);
                near(&found.inverses, &expected.inverses, 1e-9);
                near(&found.second, &expected.second, 1e-13);
            }
        }
    }
}

#[test]
fn sum_factorized_grids_equal_tables_of_their_products() {
    let mut random = Random::new(4);
    let points: Vec<f64> = (0..600).map(|_| random.unit()).collect();
    for (n, leaves, ends) in
        [(1, 3, 0), (3, 9, 0b01_00_10), (4, 17, 0b11_01_10), (5, 8, 0b11_11_11)]
    {
        let ends = MissingLayers::from_bits(ends);
        let rule = gauss::rule(n).unwrap();
        let axis = AxisWeights::new(&rule.points).unwrap().sped_up(2.0);
        let samples = n.pow(3);
        let weights: Vec<f64> = (0..samples).map(|_| random.unit()).collect();
        let nets: Vec<u32> = (0..64 * leaves).map(|_| random.below(200) as u32).collect();
        // missing layers have no weight, their phantoms' goes to the others
        let folded = |order: usize, u: f64, d: usize| {
            let weights = bspline::weights(Order::ALL[order], u);
            let ends = ends.axis(d);
            bspline::end(weights, ends.low(), ends.high()).map(|w| w * 2.0_f64.powi(order as i32))
        };
        let table = |orders: &[[usize; 3]]| -> Vec<f64> {
            let mut table = Vec::new();
            for s in 0..samples {
                let place = [s % n, s / n % n, s / n / n].map(|i| rule.points[i]);
                for orders in orders {
                    let axes: [[f64; 4]; 3] =
                        std::array::from_fn(|d| folded(orders[d], place[d], d));
                    let weight = |c: usize| axes[0][c % 4] * axes[1][c / 4 % 4] * axes[2][c / 16];
                    // the table's origin is its first control point, whose weight stays
                    table.extend((0..64).map(weight));
                }
            }
            table
        };
        let values = table(&[[0; 3]]);
        let gradients = table(&[[1, 0, 0], [0, 1, 0], [0, 0, 1]]);
        let second = table(&[[2, 0, 0], [0, 2, 0], [0, 0, 2], [1, 1, 0], [1, 0, 1], [0, 1, 1]]);
        let of = |source| LeafMap {
            source,
            weights: &weights,
            permutation: AxisPermutation::IDENTITY,
            second: true,
        };
        let (values, gradients, second) = (&values[..], &gradients[..], &second[..]);
        let tables = of(LeafSource::Table { controls: 64, values, gradients, second });
        let grid = of(LeafSource::Grid { axis: &axis, ends });
        for simd in Simd::available() {
            let expected = evaluate(&tables, simd, &points, &nets);
            let found = evaluate(&grid, simd, &points, &nets);
            near(&found.points, &expected.points, 1e-13);
            near(&found.jacobians, &expected.jacobians, 1e-12);
            near(&found.measures, &expected.measures, 1e-11);
            near(&found.second, &expected.second, 1e-11);
        }
        let first = LeafMap { second: false, ..grid };
        let found = evaluate(&first, Simd::detect(), &points, &nets);
        near(&found.jacobians, &evaluate(&grid, Simd::detect(), &points, &nets).jacobians, 1e-15);
    }
}
