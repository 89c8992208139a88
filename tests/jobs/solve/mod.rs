//! Solutions against analytic ones.

mod analytic;
mod ghosts;
mod groups;
mod iterations;
mod multigrid;
mod operators;
mod orthotropic;
mod spaces;

use subsolid::assembly::{BoundaryBasis, Operator, assemble};
use subsolid::backend::Cpu;
use subsolid::jobs::solve::{SolveReport, SolveRequest};
use subsolid::mesh::shape::Shape;
use subsolid::mesh::{FaceGroup, Polygons, SolidMesh};
use subsolid::quadrature::{Mapping, Quadrature, QuadratureScheme, Regions};
use subsolid::refine::crease_by_angle;
use subsolid::solve::{Constraints, LimitPreconditioner, Solution, VertexSolver, solve};
use subsolid::topology::Topology;
use subsolid::{Solid, Want};

/// A box of unit cells with sharp edges.
fn sharp_box(cells: [usize; 3]) -> SolidMesh {
    let mut mesh = Shape::Box { cells }.build().unwrap();
    crease_by_angle(&mut mesh, 40.0).unwrap();
    mesh
}

/// Names the boundary faces whose vertices are all in a region.
fn group(mesh: &mut SolidMesh, name: &str, is_in: impl Fn([f64; 3]) -> bool) {
    let topology = Topology::of_mesh(mesh).unwrap();
    let mut faces = Polygons::default();
    for face in (0..topology.face_count() as u32).filter(|&f| topology.bounds_solid(f)) {
        let vertices = topology.face_vertices(face);
        if vertices.iter().all(|&v| is_in(mesh.points[v as usize])) {
            faces.push(vertices);
        }
    }
    assert!(!faces.is_empty(), "{name}");
    mesh.face_groups.push(FaceGroup::new(name, faces));
}

/// The control points that values on a group of faces depend on.
fn held(mesh: &SolidMesh, solid: &Solid, name: &str) -> Vec<u32> {
    let regions = Regions::new(solid, mesh).unwrap();
    let basis = BoundaryBasis::new(&regions).unwrap();
    basis.held(solid, &regions.find_named(name).unwrap()).unwrap().unknowns
}

/// Runs a job; also the values of an attribute at the control points.
fn run(mesh: &SolidMesh, request: &SolveRequest) -> (SolidMesh, SolveReport) {
    request.run(mesh, &Solid::new(mesh).unwrap(), &mut ()).unwrap()
}

/// Solves an operator with loads and constraints of the test's own.
fn solved(
    mesh: &SolidMesh,
    operator: Operator,
    load: impl FnOnce(&Mapping<'_>) -> Vec<f64>,
    constrain: impl FnOnce(&Solid, &mut Constraints),
) -> Solution {
    let solid = Solid::new(mesh).unwrap();
    let quadrature = Quadrature::new(&solid, QuadratureScheme::default(), Want::FIRST).unwrap();
    let mapping = Mapping::new(&quadrature, mesh.controls()).unwrap();
    let matrix =
        assemble(&Cpu::default(), &quadrature, mesh.controls(), &[operator]).unwrap().remove(0);
    let mut constraints = Constraints::none(&solid, operator.width());
    constrain(&solid, &mut constraints);
    let mut preconditioner = LimitPreconditioner::new(
        &solid,
        &mesh.points,
        &operator.into(),
        &constraints,
        VertexSolver::Auto,
    )
    .unwrap();
    solve(&matrix, &load(&mapping), &constraints, &mut preconditioner, 1e-12).unwrap()
}
