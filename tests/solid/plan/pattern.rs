//! Samples of elements in the frames of their leaves.

use subsolid::Solid;
use subsolid::mesh::shape::Shape;
use subsolid::plan::{Samples, Want};

/// Whole elements, turned in any way, list all samples once; parts of elements list their own.
#[test]
fn orders_permute_all_samples() {
    for name in ["fan", "tripod", "link-3444555"] {
        let solid = Solid::new(&Shape::parse(name, &[]).unwrap().build().unwrap()).unwrap();
        let plan = solid.plan(&Samples::grid(3), Want::POSITION).unwrap();
        let mut turned = 0;
        let mut seen = vec![0; 27 * solid.elements().len()];
        for batch in plan.batches() {
            let order = &plan.patterns().orders[batch.order as usize];
            assert_eq!(order.is_identity, (0..27).eq(order.indices.iter().copied()));
            turned += usize::from(order.indices.len() == 27 && !order.is_identity);
            for &leaf in &batch.leaves {
                let first = 27 * solid.leaves()[leaf as usize].element;
                order.indices.iter().for_each(|i| seen[(first + i) as usize] += 1);
            }
        }
        assert!(turned > 0 && seen.iter().all(|&count| count == 1), "{name}");
    }
}

/// A grid and its mirror images are sampled by the same weights: of all eight leaves of a cell that
/// is refined, half a grid each.
#[test]
fn mirrored_grids_share_an_axis() {
    let solid = Solid::new(&Shape::Box { cells: [1; 3] }.build().unwrap()).unwrap();
    let plan = solid.plan(&Samples::grid(8), Want::POSITION).unwrap();
    assert_eq!(solid.leaves().len(), 8);
    let axes = &plan.patterns().axes;
    assert_eq!(axes.len(), 1);
    let close = |(k, &u): (usize, &f64)| (u - 2.0 * k as f64 / 7.0).abs() < 1e-15;
    assert!(axes[0].parameters.len() == 4 && axes[0].parameters.iter().enumerate().all(close));
}
