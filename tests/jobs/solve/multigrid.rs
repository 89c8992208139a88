//! The V-cycle that stands in for a factor of K₁.

use subsolid::assembly::Operator;
use subsolid::mesh::SolidMesh;
use subsolid::refine::refine_mesh;
use subsolid::scheme::VertexRule;
use subsolid::solve::VertexSolver;

use super::iterations::{iterations, sharp};
use super::sharp_box;

const HEAT: Operator = Operator::Stiffness { conductivity: 1.0 };
const ELASTICITY: Operator = Operator::Elasticity { young: 1.0, poisson: 0.3 };

fn model(name: &str) -> SolidMesh {
    sharp(subsolid::read(format!("models/{name}")).unwrap())
}

/// Iterations are at most `most`.
fn check(mesh: &SolidMesh, operator: Operator, most: usize) {
    let found = iterations(mesh, operator, VertexSolver::Multigrid);
    println!("{} cells, width {}: {found}", mesh.cells.len(), operator.width());
    assert!(found <= most, "{} cells: {found} iterations, at most {most}", mesh.cells.len());
}

/// Couplings of linear elements on cubes are 1/16 and 1/32 of the diagonal: all of them join nodes.
/// Largest eigenvalues that are taken a tenth too small need 25 and more iterations of heat.
#[test]
fn cubes_need_as_many_iterations_as_with_a_factor() {
    check(&sharp_box([18; 3]), HEAT, 24);
    check(&sharp_box([9; 3]), ELASTICITY, 30);
}

/// Cells that are thin across a wall join along it last.
#[test]
fn parts_with_thin_cells_need_a_few_more() {
    check(&model("bracket.vtk"), HEAT, 31);
    let fine = refine_mesh(&model("bracket.vtk"), 1, VertexRule::default()).unwrap();
    check(&fine, HEAT, 30);
    check(&model("bracket.vtk"), ELASTICITY, 39);
    check(&model("solids/tripod.vtk"), ELASTICITY, 57);
}
