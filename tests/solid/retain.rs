//! Plans of some leaves only.

use subsolid::limit::{Leaf, LeafKind, Solid};
use subsolid::mesh::shape::Shape;
use subsolid::plan::{BatchKind, Location, Samples, Want};

#[test]
fn a_plan_retains_one_class() {
    let car = Shape::Box { cells: [2, 2, 6] }.build().unwrap();
    let solid = Solid::new(&car).unwrap();
    let is_layered = |_: &Solid, leaf: &Leaf| matches!(leaf.kind, LeafKind::Layered(..));

    let mut plan = solid.plan(&Samples::grid(3), Want::POSITION).unwrap();
    plan.retain(is_layered);
    let leaves = || plan.batches().iter().flat_map(|batch| &batch.leaves);
    assert_eq!(leaves().count(), 16);
    assert!(leaves().all(|&leaf| is_layered(&solid, &solid.leaves()[leaf as usize])));
    assert!(plan.batches().iter().all(|batch| matches!(batch.kind, BatchKind::Layered(_))));

    let everywhere = (0..24).map(|element| Location { element, parameters: [0.5; 3] });
    let mut plan = solid.plan(&Samples::Points(everywhere.collect()), Want::POSITION).unwrap();
    plan.retain(is_layered);
    assert_eq!(plan.points().len(), 16);
}
