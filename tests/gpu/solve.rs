//! Systems whose vectors stay on the device, against the same iteration on the CPU.

use subsolid::assembly::{BoundaryBasis, CellOperators, MatrixFree, Operator};
use subsolid::backend::Precision;
use subsolid::extend::extend;
use subsolid::jobs::solve::{OperatorForm, SolveRequest};
use subsolid::limit::Solid;
use subsolid::mesh::SolidMesh;
use subsolid::plan::Want;
use subsolid::quadrature::{Mapping, Quadrature, QuadratureScheme, Regions};
use subsolid::refine::crease_by_angle;
use subsolid::solve::{
    Constraints, LimitPreconditioner, Solution, UnknownSystem, VertexSolver, on_device, solve,
};

use super::products::{ORTHOTROPIC, block};
use super::{gpu, shape};

const OPERATORS: [Operator; 3] = [
    Operator::Stiffness { conductivity: 3.0 },
    Operator::Elasticity { young: 10.0, poisson: 0.3 },
    ORTHOTROPIC,
];

/// Solutions held at the first side, for a rough load: on the CPU, and several on the device.
fn solutions(
    mesh: &SolidMesh,
    operators: &CellOperators,
    runs: usize,
) -> (Solution, Vec<Solution>) {
    let solid = Solid::new(mesh).unwrap();
    let scheme = QuadratureScheme { gauss: 3, rings: Some(1) };
    let quadrature = Quadrature::new(&solid, scheme, Want::FIRST).unwrap();
    let mapping = Mapping::new(&quadrature, mesh.controls()).unwrap();
    let regions = Regions::new(&solid, mesh).unwrap();
    let basis = BoundaryBasis::new(&regions).unwrap();
    let width = operators.width();
    let mut constraints = Constraints::none(&solid, width);
    let held = basis.held(&solid, &regions.find_side(0).unwrap()).unwrap();
    for (v, is_bend) in held.unknowns.iter().map(|&v| (v, basis.is_bend()[v as usize])) {
        (0..width).for_each(|d| constraints.fix(v, d, if is_bend { 0.0 } else { 0.1 * d as f64 }));
    }
    let own = || MatrixFree::new(&mapping, operators, |_| ()).unwrap();
    let (cpu, device) = (own(), own().on(&gpu(Precision::F64)).unwrap());
    assert!(device.leaf_count() > 0);
    let system = UnknownSystem::new(&cpu, &basis);
    system.fix_empty(&mut constraints).unwrap();
    let mut preconditioner = LimitPreconditioner::of_unknowns(
        (&solid, &mesh.points),
        &system,
        operators,
        &constraints,
        VertexSolver::Multigrid,
    )
    .unwrap();
    let load: Vec<f64> = (0..cpu.size()).map(|i| (i as f64 * 12.9898).sin()).collect();
    assert!(on_device(&system, &constraints, &preconditioner).unwrap().is_none());
    let expected = solve(&system, &load, &constraints, &mut preconditioner, 1e-12).unwrap();
    let system = UnknownSystem::new(&device, &basis);
    assert!(on_device(&system, &constraints, &preconditioner).unwrap().is_some());
    let found = (0..runs)
        .map(|_| solve(&system, &load, &constraints, &mut preconditioner, 1e-12).unwrap())
        .collect();
    (expected, found)
}

fn are_those_of_the_cpu(name: &str, mesh: &SolidMesh, operators: &CellOperators) {
    let (expected, found) = solutions(mesh, operators, 2);
    let size = expected.values.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let pairs = expected.values.iter().zip(&found[0].values);
    let error = pairs.fold(0.0_f64, |most, (a, b)| most.max((a - b).abs())) / size;
    println!(
        "{name}, width {}: {} and {} iterations, {error:.1e}",
        operators.width(),
        expected.iterations,
        found[0].iterations
    );
    assert!(error < 1e-10, "{name}: {error:e}");
    // sums of another order: some hundred iterations end a few apart
    let apart = expected.iterations.abs_diff(found[0].iterations);
    assert!(apart <= 1 + expected.iterations / 100, "{name}: {apart}");
    assert!((found[0].energy / expected.energy - 1.0).abs() < 1e-10, "{name}");
    assert!(found[0].residual < 1e-9 && size > 0.0, "{name}: {}", found[0].residual);
    assert!(found[0] == found[1], "{name}: two runs differ");
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn solutions_are_those_of_the_cpu() {
    let mut fan = shape("fan", &[5, 12, 5]);
    crease_by_angle(&mut fan, 40.0).unwrap();
    for (name, mesh) in
        [("block", block(&[14, 13, 12])), ("small block", block(&[4, 4, 4])), ("fan", fan)]
    {
        for operator in OPERATORS {
            are_those_of_the_cpu(name, &mesh, &operator.into());
        }
    }
}

/// Unknowns are values on the boundary and bends, some of which the host solves for.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn ghosts_are_those_of_the_cpu() {
    let mesh = extend(&shape("box", &[9, 8, 10]), 40.0).unwrap().0;
    for operator in OPERATORS {
        are_those_of_the_cpu("ghosts", &mesh, &operator.into());
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn materials_are_those_of_cells() {
    let mesh = block(&[14, 13, 12]);
    let cells = 0..mesh.cells.len() as u32;
    let materials = [1.0, 20.0].map(|conductivity| Operator::Stiffness { conductivity });
    let of_cells = cells.clone().map(|cell| u32::from(cell % 14 > 6)).collect();
    are_those_of_the_cpu("two materials", &mesh, &CellOperators::new(materials.into(), of_cells));
    let materials = vec![Operator::Elasticity { young: 5.0, poisson: 0.2 }, ORTHOTROPIC];
    let of_cells = cells.map(|cell| u32::from(cell % 14 > 6)).collect();
    are_those_of_the_cpu("two solids", &mesh, &CellOperators::new(materials, of_cells));
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn jobs_are_those_of_the_cpu() {
    let mesh = block(&[14, 13, 12]);
    let solid = Solid::new(&mesh).unwrap();
    let request = SolveRequest {
        elasticity: vec!["200,0.3".parse().unwrap()],
        fix: vec!["side:0".parse().unwrap()],
        total_force: vec!["side:5=1,0,3".parse().unwrap()],
        scheme: QuadratureScheme { gauss: 3, rings: Some(1) },
        operator: OperatorForm::MatrixFree,
        ..SolveRequest::default()
    };
    let run = |backend: &str| {
        let request = SolveRequest { backend: backend.parse().unwrap(), ..request.clone() };
        request.run(&mesh, &solid, &mut ()).unwrap().1
    };
    let [cpu, device] = ["cpu", "cuda"].map(run);
    assert_eq!((cpu.preconditioner, device.preconditioner), ("factor", "multigrid"));
    assert!((cpu.energy / device.energy - 1.0).abs() < 1e-9);
}
