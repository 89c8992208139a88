//! The published method's data against the weights themselves.

use std::collections::BTreeMap;
use std::ops::Range;

use super::layout::{LaunchBlock, LeafGroups, MatrixTile, PublishedFamily};
use crate::backend::DeviceInfo;
use crate::backend::cuda::solid::layout::PlanLayout;
use crate::basis::MissingLayers;
use crate::basis::bspline::{self, Order};
use crate::limit::{LeafKind, Solid};
use crate::mesh::SolidMesh;
use crate::mesh::shape::Shape;
use crate::plan::{BatchKind, Kernel, Samples, Strategy, Want, wanted_orders};
use crate::refine::crease_by_angle;

fn device() -> DeviceInfo {
    DeviceInfo {
        ordinal: 0,
        name: String::new(),
        compute_capability: (9, 0),
        multiprocessors: 132,
        memory: 80 << 30,
        shared_memory: 227 << 10,
        bandwidth: None,
    }
}

fn meshes() -> Vec<SolidMesh> {
    let mut creased = Shape::Box { cells: [3; 3] }.build().unwrap();
    crease_by_angle(&mut creased, 30.0).unwrap();
    let boxes = Shape::Box { cells: [2, 3, 5] }.build().unwrap();
    let fan = Shape::Fan { valence: 5, layers: 3, rings: 3 }.build().unwrap();
    vec![boxes, creased, fan]
}

/// Weights of a leaf's net for each output at each result, summed over tiles as the
/// kernels do: `[output][result][control point]`.
fn sum_of_tiles(
    all: &LeafGroups<f64>,
    outputs: usize,
    results: usize,
    tiles: Range<u32>,
    kind: BatchKind,
) -> Vec<Vec<Vec<f64>>> {
    let group = |tile: MatrixTile| &all.groups[tile[0] as usize];
    let net = match kind {
        BatchKind::Regular => 64,
        _ => group(all.tiles[tiles.start as usize]).net as usize,
    };
    let mut sums = vec![vec![vec![0.0; net]; results]; outputs];
    for &tile in &all.tiles[tiles.start as usize..tiles.end as usize] {
        let group = group(tile);
        let controls = group.controls as usize;
        let rows = PublishedFamily::of(kind, group.controls, MissingLayers::NONE).size();
        let rows = tile[1] as usize..(tile[1] as usize + rows).min(controls);
        for sample in &all.samples[group.first as usize..][..group.count as usize] {
            for (output, sums) in sums.iter_mut().enumerate() {
                let axis = |d: usize| match group.basis[output] >> (2 * d) & 3 {
                    3 => [1.0, 0.0, 0.0, 0.0],
                    order => bspline::weights(Order::ALL[order as usize], sample.local[d]),
                };
                let [u, v, w] = [0, 1, 2].map(axis);
                let sums = &mut sums[sample.result as usize];
                let e = &all.structures[group.structures[output] as usize..];
                let scale = group.scales[output];
                let function = |j: usize| u[j % 4] * v[j / 4 % 4] * w[j / 16];
                match kind {
                    BatchKind::Regular => {
                        for (j, sum) in sums.iter_mut().enumerate() {
                            *sum += scale * function(j);
                        }
                    }
                    BatchKind::Layered(_) => {
                        for r in rows.clone() {
                            let weight: f64 =
                                (0..16).map(|j| e[r * 16 + j] * u[j % 4] * v[j / 4]).sum();
                            for l in 0..4 {
                                sums[l * controls + r] += scale * weight * w[l];
                            }
                        }
                    }
                    BatchKind::Irregular(_) => {
                        let columns = tile[2] as usize..tile[2] as usize + 32;
                        for r in rows.clone() {
                            let own = columns.clone().map(|j| e[r * 64 + j] * function(j));
                            sums[r] += scale * own.sum::<f64>();
                        }
                    }
                }
            }
        }
    }
    sums
}

#[test]
fn tiles_sum_to_the_weights() {
    let (mut compared, mut undefined) = (0, 0);
    for mesh in meshes() {
        let solid = Solid::new(&mesh).unwrap();
        let parameters = vec![0.0, 0.1, 0.5, 0.75, 1.0];
        let want = Want::FIRST | Want::SECOND;
        let plan = solid.plan(&Samples::Tensor(parameters.clone()), want).unwrap();
        let layout = PlanLayout::<f64>::new(&plan, Strategy::Thread, &device()).unwrap();
        let all = LeafGroups::<f64>::new(&plan, &layout.batches, &layout.kernels);
        let orders = wanted_orders(want);
        for (batch, tiles) in plan.batches().iter().zip(&all.batches) {
            if tiles.is_empty() {
                continue;
            }
            let leaf = &solid.leaves()[batch.leaves[0] as usize];
            let found = sum_of_tiles(&all, orders.len(), 125, tiles.clone(), batch.kind);
            for result in 0..125 {
                let p = [result % 5, result / 5 % 5, result / 25].map(|i| parameters[i]);
                // weights with phantoms, of a leaf that misses no layer
                let expected = |orders| match leaf.kind {
                    LeafKind::Regular(_) => Some(crate::limit::tensor_weights(3, p, orders)),
                    LeafKind::Layered(s, permutation, _) => {
                        let planar = &solid.planar_structures()[s as usize];
                        crate::limit::layered_weights(planar, permutation, p, orders)
                    }
                    LeafKind::Irregular(..) => solid.weights(leaf, p, orders),
                };
                for (output, &orders) in orders.iter().enumerate() {
                    let found = &found[output][result];
                    let Some(expected) = expected(orders) else {
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
    assert!(compared > 10_000 && undefined > 0);
}

#[test]
fn every_cell_has_the_paper_s_kernel() {
    for mesh in meshes() {
        let solid = Solid::new(&mesh).unwrap();
        let plan = solid.plan(&Samples::grid(3), Want::POSITION).unwrap();
        let layout = PlanLayout::<f32>::new(&plan, Strategy::Warp, &device()).unwrap();
        let all = LeafGroups::<f32>::new(&plan, &layout.batches, &layout.kernels);
        let count = solid.elements().len();
        let (blocks, elements) = all.blocks(&plan, &layout.kernels, &(0..count));
        let mut cells: BTreeMap<String, usize> = BTreeMap::new();
        for (&(family, kernel), blocks) in &blocks {
            assert_eq!(kernel, Kernel::PublishedWarp);
            // one per cell has the first tile of its first group
            let first = |block: &&LaunchBlock| all.batches.iter().any(|b| b.start == block[0]);
            let own = blocks.iter().filter(first).count();
            *cells.entry(family.name().into()).or_default() += own;
        }
        let mut expected: BTreeMap<String, usize> = BTreeMap::new();
        for leaf in solid.leaves().iter().filter(|leaf| leaf.depth == 0) {
            let name = crate::limit::kernel_name(&solid, leaf);
            let beyond = name.starts_with("REG") && name != "REG48";
            *expected.entry(if beyond { "REG64".into() } else { name }).or_default() += 1;
        }
        assert_eq!(cells, expected);
        let tiled = |name: &&String| !name.starts_with("REG");
        let sums: usize = expected.keys().filter(tiled).map(|name| expected[name]).sum();
        assert_eq!(elements.len(), sums);
    }
}
