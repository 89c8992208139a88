//! Quadratures.

use subsolid::backend::{Backend, Cuda, Precision};
use subsolid::limit::Solid;
use subsolid::mesh::shape::Shape;
use subsolid::plan::Want;
use subsolid::quadrature::{DeviceQuadrature, Quadrature, Scheme};
use subsolid::refine::crease_by_angle;

use super::{REPEATS, median};

/// Regular cells at 4 x 4 x 4 Gauss points: physical quantities, and derivatives in space, beside
/// the time that copying as many bytes on the device takes at best: reading and writing them.
pub fn time() -> subsolid::Result<()> {
    let mut mesh = Shape::parse("box", &[47, 47, 47])?.build()?;
    crease_by_angle(&mut mesh, 40.0)?;
    let solid = Solid::new(&mesh)?;
    let quadrature = Quadrature::new(&solid, Scheme { gauss: 4, rings: Some(0) }, Want::FIRST)?;
    let gpu = Cuda::new(0, Precision::F64)?;
    let mut device = DeviceQuadrature::new(&quadrature, mesh.controls(), &gpu)?;
    for (name, derivatives) in [("physical quantities", false), ("derivatives in space", true)] {
        let (mut bytes, mut runs) = (0, Vec::new());
        for _run in 0..REPEATS / 3 {
            let mut seconds = 0.0;
            bytes = 0;
            for (index, batch) in quadrature.batches().iter().enumerate() {
                seconds += device.evaluate(index, 0..batch.leaves.len(), derivatives)?;
                let numbers = 23 + if derivatives { 3 * batch.controls } else { 0 };
                bytes += 8 * batch.leaves.len() * quadrature.samples(index) * numbers;
            }
            runs.push(seconds);
        }
        let seconds = median(runs.split_off(1));
        let floor = median(gpu.time_writing(bytes, 5)?);
        println!(
            "quadrature, {} cells at 4³, {name}: {:.0} µs, {:.2} GB, {:.0} GB/s; writing the bytes {:.0} µs \
             ({:.1}%), copying them at least twice that",
            mesh.cells.len(),
            seconds * 1e6,
            bytes as f64 * 1e-9,
            bytes as f64 / seconds * 1e-9,
            floor * 1e6,
            100.0 * floor / seconds
        );
    }
    Ok(())
}
