//! Linear systems whose vectors stay on the device.

use std::time::Instant;

use subsolid::assembly::{BoundaryBasis, MatrixFree, Operator};
use subsolid::backend::{Cuda, Precision};
use subsolid::limit::Solid;
use subsolid::numbers::{Iterates, iterate};
use subsolid::plan::Want;
use subsolid::quadrature::{Mapping, Quadrature, QuadratureScheme, Regions};
use subsolid::solve::{
    Constraints, LimitPreconditioner, LinearOperator, UnknownSystem, VertexSolver, on_device,
};

use super::sharp_box;

/// Products and preconditioners that are timed together.
const REPEATS: usize = 10;

/// Heat conduction and elasticity in boxes held at one side, to 8 digits: `SUBSOLID_SOLVE=215,100` has
/// the numbers of cells along an axis.
pub fn time() -> subsolid::Result<()> {
    let sizes = std::env::var("SUBSOLID_SOLVE").unwrap_or("100,60".into());
    let sizes: Vec<usize> = sizes.split(',').filter_map(|n| n.parse().ok()).collect();
    let [heat, elasticity] = sizes[..] else {
        panic!("SUBSOLID_SOLVE=HEAT,ELASTICITY: cells along an axis")
    };
    for gauss in [4, 5] {
        time_box(heat, gauss, Operator::Stiffness { conductivity: 1.0 })?;
    }
    time_box(elasticity, 4, Operator::Elasticity { young: 1.0, poisson: 0.3 })
}

fn time_box(n: usize, gauss: usize, operator: Operator) -> subsolid::Result<()> {
    let begin = Instant::now();
    let gpu = Cuda::new(0, Precision::F64)?;
    let mut mesh = sharp_box(n)?;
    mesh.points.iter_mut().for_each(|p| *p = p.map(|x| x / n as f64));
    let solid = Solid::new(&mesh)?;
    let scheme = QuadratureScheme { gauss, rings: Some(0) };
    let quadrature = Quadrature::new(&solid, scheme, Want::FIRST)?;
    let mapping = Mapping::new(&quadrature, mesh.controls())?;
    let regions = Regions::new(&solid, &mesh)?;
    let basis = BoundaryBasis::new(&regions)?;
    let operators = operator.into();
    let free = MatrixFree::new(&mapping, &operators, |_| ())?.on(&gpu)?;
    let mut constraints = Constraints::none(&solid, operator.width());
    for v in basis.held(&solid, &regions.find_side(0)?)?.unknowns {
        (0..operator.width()).for_each(|d| constraints.fix(v, d, 0.0));
    }
    let system = UnknownSystem::new(&free, &basis);
    let parts = begin.elapsed().as_secs_f64();
    let begin = Instant::now();
    let preconditioner = LimitPreconditioner::of_unknowns(
        (&solid, &mesh.points),
        &system,
        &operators,
        &constraints,
        VertexSolver::Multigrid,
    )?;
    let levels = begin.elapsed().as_secs_f64();
    let begin = Instant::now();
    let device = on_device(&system, &constraints, &preconditioner)?;
    let mut device = device.expect("leaves on the device");
    let upload = begin.elapsed().as_secs_f64();

    let source = |[x, y, z]: [f64; 3]| x.exp() * (3.0 * y).cos() * (1.0 + z);
    let width = operator.width();
    let mut rhs: Vec<f64> = (0..system.size()).map(|i| source(mesh.points[i / width])).collect();
    constraints.clear(&mut rhs);
    let found = iterate(&mut *device, &rhs, 1e-8)?.expect("a positive definite system");
    let begin = Instant::now();
    let again = iterate(&mut *device, &rhs, 1e-8)?.expect("a positive definite system");
    let seconds = begin.elapsed().as_secs_f64();
    assert!(found == again, "two runs differ");
    let product = time_step(&mut *device, Iterates::multiply)?;
    let precondition = time_step(&mut *device, Iterates::precondition)?;
    println!(
        "solve, {}, box of {n}³ cells, {gauss}³ points: {} unknowns, {} iterations, {seconds:.3} s; \
         product {:.2} ms, {:.0} M unknowns/s; preconditioner {:.2} ms; set-up on the host {parts:.1} \
         and {levels:.1} s, upload {upload:.1} s",
        operator.name(),
        constraints.free_count(),
        again.steps,
        product * 1e3,
        system.size() as f64 / product * 1e-6,
        precondition * 1e3,
    );
    Ok(())
}

/// Seconds of a step of an iteration.
fn time_step<I: Iterates<Error = subsolid::Error> + ?Sized>(
    device: &mut I,
    step: impl Fn(&mut I) -> subsolid::Result<()>,
) -> subsolid::Result<f64> {
    step(device)?;
    device.numbers()?;
    let begin = Instant::now();
    (0..REPEATS).try_for_each(|_| step(device))?;
    device.numbers()?;
    Ok(begin.elapsed().as_secs_f64() / REPEATS as f64)
}
