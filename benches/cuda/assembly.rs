//! Assembled matrices.

use std::time::Instant;

use subsolid::assembly::{Operator, assemble, assemble_with_progress, cost};
use subsolid::backend::{Cpu, Cuda, Precision};
use subsolid::limit::Solid;
use subsolid::mesh::SolidMesh;
use subsolid::mesh::shape::Shape;
use subsolid::plan::Want;
use subsolid::quadrature::{Quadrature, QuadratureScheme};
use subsolid::refine::{crease_by_angle, refine_mesh};
use subsolid::scheme::VertexRule;

use super::median;

/// Multiply-adds a second of an H200 in double precision, without tensor cores.
const PEAK: f64 = 16.7e12;

/// Mass, stiffness and elasticity matrices of a box of regular cells and of a real model, host to
/// host: on the device, and on the CPU with all its threads. The kernels alone stand beside the
/// time of the products at the device's peak, half of each matrix.
pub fn time() -> subsolid::Result<()> {
    let gpu = Cuda::new(0, Precision::F64)?;
    let mut block = Shape::parse("box", &[47, 47, 47])?.build()?;
    crease_by_angle(&mut block, 40.0)?;
    let rod = subsolid::read("models/solids/rod_hex.vtk")?;
    let rod = refine_mesh(&rod, 2, VertexRule::default())?;
    measure(&gpu, "box", &block)?;
    measure(&gpu, "rod", &rod)
}

fn measure(gpu: &Cuda, name: &str, mesh: &SolidMesh) -> subsolid::Result<()> {
    let solid = Solid::new(mesh)?;
    let quadrature = Quadrature::new(&solid, QuadratureScheme::default(), Want::FIRST)?;
    let controls = mesh.controls();
    for (operator, products, form) in [
        (Operator::Mass { density: 1.0 }, 1, "mass"),
        (Operator::Stiffness { conductivity: 1.0 }, 3, "stiffness"),
        (Operator::Elasticity { young: 1.0, poisson: 0.3 }, 9, "elasticity"),
    ] {
        let operators = [operator];
        let (mut cpu, mut whole, mut kernels) = (Vec::new(), Vec::new(), Vec::new());
        let mut entries = 0;
        for _ in 0..3 {
            let start = Instant::now();
            let (matrices, seconds) =
                assemble_with_progress(gpu, &quadrature, controls, &operators, |_| ())?;
            whole.push(start.elapsed().as_secs_f64());
            kernels.push(seconds);
            entries = matrices[0].len();
            drop(matrices);
            let start = Instant::now();
            assemble(&Cpu::default(), &quadrature, controls, &operators)?;
            cpu.push(start.elapsed().as_secs_f64());
        }
        let [cpu, whole, kernels] = [cpu, whole, kernels].map(median);
        let pairs: usize = quadrature
            .batches()
            .iter()
            .enumerate()
            .map(|(b, batch)| {
                let pairs = batch.controls * (batch.controls + 1) / 2;
                batch.leaves.len() * quadrature.samples(b) * pairs
            })
            .sum();
        let least = (products * pairs) as f64 / PEAK;
        let (estimate, threads) = (cost(&quadrature, &operators), rayon::current_num_threads());
        println!(
            "assembly, {name} of {} cells, {} leaves, {:.1} M points, {form}, {:.2} GB: {:.1} ms, \
             kernels {:.2} ms, products at the peak {:.2} ms ({:.1}%); CPU {:.1} ms, {:.1} times; \
             estimates {:.1}, {:.1} ms",
            mesh.cells.len(),
            solid.leaves().len(),
            quadrature.sample_count() as f64 * 1e-6,
            entries as f64 * 8e-9,
            whole * 1e3,
            kernels * 1e3,
            least * 1e3,
            100.0 * least / kernels,
            cpu * 1e3,
            cpu / whole,
            estimate.on_gpu(threads) * 1e3,
            estimate.on_cpu(threads) * 1e3,
        );
    }
    Ok(())
}
