//! Quadratures.

use subsolid::backend::{Backend, Cuda, Precision};
use subsolid::limit::Solid;
use subsolid::mesh::SolidMesh;
use subsolid::mesh::shape::Shape;
use subsolid::plan::Want;
use subsolid::quadrature::{Mapping, Quadrature, QuadratureScheme};
use subsolid::refine::crease_by_angle;

use super::{REPEATS, median};

/// Physical quantities, and derivatives in space, beside the time that writing as many bytes
/// takes: regular cells at 4 x 4 x 4 Gauss points, and cells along an extraordinary edge of
/// valence 5.
pub fn time() -> subsolid::Result<()> {
    let gpu = Cuda::new(0, Precision::F64)?;
    let mut block = Shape::parse("box", &[47, 47, 47])?.build()?;
    crease_by_angle(&mut block, 40.0)?;
    let scheme = QuadratureScheme { gauss: 4, rings: None };
    for (name, want, derivatives) in [
        ("physical quantities", Want::FIRST, false),
        ("with derivatives in space", Want::FIRST, true),
        ("with second derivatives of the position", Want::SECOND, false),
    ] {
        measure(&gpu, "box", &block, scheme, want, name, derivatives)?;
    }
    let mut block = Shape::parse("box", &[30, 30, 30])?.build()?;
    crease_by_angle(&mut block, 40.0)?;
    let name = "with first and second derivatives in space";
    measure(&gpu, "box", &block, scheme, Want::SECOND, name, true)?;
    let fan = Shape::parse("fan", &[5, 400, 2])?.build()?;
    measure(&gpu, "fan", &fan, scheme, Want::FIRST, "physical quantities", false)
}

fn measure(
    gpu: &Cuda,
    shape: &str,
    mesh: &SolidMesh,
    scheme: QuadratureScheme,
    want: Want,
    name: &str,
    derivatives: bool,
) -> subsolid::Result<()> {
    let solid = Solid::new(mesh)?;
    let quadrature = Quadrature::new(&solid, scheme, want)?;
    let device = Mapping::on(gpu, &quadrature, mesh.controls(), None)?;
    let has_second = want.contains(Want::SECOND);
    let (mut bytes, mut runs) = (0, Vec::new());
    for _run in 0..REPEATS / 3 {
        let mut seconds = 0.0;
        bytes = 0;
        for (index, batch) in quadrature.batches().iter().enumerate() {
            seconds += device.time(index, 0..batch.leaves.len(), derivatives)?;
            let rows = if has_second { 9 } else { 3 };
            let numbers = 23
                + if has_second { 18 } else { 0 }
                + if derivatives { rows * batch.controls } else { 0 };
            bytes += 8 * batch.leaves.len() * quadrature.samples(index) * numbers;
        }
        runs.push(seconds);
    }
    let seconds = median(runs.split_off(1));
    let writing = median(gpu.time_writing(bytes, 5)?);
    println!(
        "quadrature, {shape} of {} cells, {:.1} M points, {} batches, {name}: {:.0} µs, {:.2} GB, \
         {:.0} GB/s; writing the bytes {:.0} µs ({:.1}%)",
        mesh.cells.len(),
        quadrature.sample_count() as f64 * 1e-6,
        quadrature.batches().len(),
        seconds * 1e6,
        bytes as f64 * 1e-9,
        bytes as f64 / seconds * 1e-9,
        writing * 1e6,
        100.0 * writing / seconds
    );
    Ok(())
}
