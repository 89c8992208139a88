//! What a summary says of a solid, by figures of the paper.

use std::collections::BTreeMap;

use subsolid::limit::{EvaluationSummary, Solid, Summary};
use subsolid::mesh::SolidMesh;
use subsolid::mesh::shape::Shape;
use subsolid::refine::{crease_by_angle, refine_mesh};
use subsolid::scheme::VertexRule;

/// The counts, which are also the solid's, and how it evaluates.
fn summary(mesh: &SolidMesh) -> (Summary, EvaluationSummary) {
    let solid = Solid::new(mesh).unwrap();
    let counts = Summary::new(mesh, solid.topology()).unwrap();
    assert!(counts.evaluation.is_none());
    let with = counts.clone().with_evaluation(&solid);
    let evaluation = with.evaluation.clone().unwrap();
    assert_eq!(Summary { evaluation: None, ..with }, counts);
    (counts, evaluation)
}

#[test]
fn the_car_of_the_paper() {
    let car = Shape::Box { cells: [2, 2, 6] }.build().unwrap();
    // REG64, REG48, layered, irregular
    for (level, expected) in
        [[0, 0, 16, 8], [40, 88, 56, 8], [792, 600, 136, 8]].into_iter().enumerate()
    {
        let mesh = refine_mesh(&car, level, VertexRule::default()).unwrap();
        let (summary, evaluation) = summary(&mesh);
        let classes = summary.classes;
        let found = [evaluation.kernels["REG64"], evaluation.kernels["REG48"]];
        assert_eq!([found[0], found[1], classes.layered, classes.irregular], expected);
        assert_eq!(evaluation.kernels.values().sum::<usize>(), summary.cells);
        let EvaluationSummary { depth, leaves, .. } = evaluation;
        assert_eq!((classes.refined, depth, leaves), (0, 0, summary.cells));
        let users: usize = evaluation.structures.iter().map(|s| s.cells).sum();
        assert_eq!(users, classes.layered + classes.irregular);
    }
}

#[test]
fn a_creased_box_is_regular_with_fewer_layers() {
    let mut mesh = Shape::Box { cells: [3; 3] }.build().unwrap();
    crease_by_angle(&mut mesh, 30.0).unwrap();
    let (summary, evaluation) = summary(&mesh);
    assert_eq!(summary.classes.regular, 27);
    let kernels = ["REG64", "REG48", "REG36", "REG27"].map(|k| evaluation.kernels[k]);
    assert_eq!(kernels, [1, 6, 12, 8]);
    assert_eq!(summary.sharp_valences, BTreeMap::from([(2, 36)]));
    assert!(evaluation.structures.is_empty());
}
