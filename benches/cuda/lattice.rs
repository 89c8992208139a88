//! Layers of lattices.

use std::time::Instant;

use subsolid::Solid;
use subsolid::backend::{Backend, Cuda, Precision};
use subsolid::mesh::Controls;
use subsolid::slice::{
    Graded, LatticeSize, LayerSource, PixelGrid, Sampling, SliceOptions, Slicer, SolidSource, Tile,
    TileLattice,
};

use super::{median, sharp_box};

const REPEATS: usize = 7;

/// A layer of 9.2 million pixels of a box with 10⁶ tiles, in 10³ cells and in 50³: on the
/// device, with the outline and the CPU's share, and on the CPU's threads.
pub fn time() -> subsolid::Result<()> {
    let gpu = Cuda::new(0, Precision::F64)?;
    for (cells, per_cell) in [(10, 10), (50, 2)] {
        let mesh = sharp_box(cells)?;
        let solid = Solid::new(&mesh)?;
        let controls = Controls { positions: &mesh.points, attributes: &[] };
        let (low, high) = mesh.bounds().unwrap_or_default();
        let side = high[0] - low[0];
        let pitch = 0.033 * side / 100.0;
        let count = (side / pitch).ceil() as usize;
        let grid = PixelGrid { origin: [low[0], low[1]], pitch: [pitch; 2], size: [count; 2] };
        let tile = side / 100.0;
        let ways = [
            ("level 0", LatticeSize::Level(Graded::Constant(0.0)), Sampling::Center),
            (
                "thickness, antialiased",
                LatticeSize::Thickness(Graded::Constant(0.2 * tile)),
                Sampling::Area,
            ),
        ];
        for (what, size, sampling) in ways {
            let lattice = TileLattice { tile: Tile::SchwarzP, per_cell, size, skin: 0.0 };
            let source = || {
                let slicer = Slicer::new(&solid, controls, SliceOptions::default())?;
                let mut source = SolidSource::with_cell_data(&solid, controls, &[], slicer)?;
                source.set_lattice(lattice.clone(), &[], None)?;
                Ok::<_, subsolid::Error>(source)
            };
            let (cpu, mut device) = (source()?, source()?);
            device.bring(&gpu)?;
            let height = |k: usize| low[2] + side * (k as f64 + 0.37) / (REPEATS + 1) as f64;
            let (mut kernels, mut whole, mut outline) = (Vec::new(), Vec::new(), Vec::new());
            for k in 0..=REPEATS {
                let start = Instant::now();
                kernels.extend(device.time_lattice(&[height(k)], &grid, sampling)?);
                whole.push(start.elapsed().as_secs_f64());
                let start = Instant::now();
                device.slicer().coverage::<u16>(&[height(k)], &grid, sampling)?;
                outline.push(start.elapsed().as_secs_f64());
            }
            let [kernels, whole, outline] =
                [kernels, whole, outline].map(|mut all| median(all.split_off(1)));
            let start = Instant::now();
            let expected = cpu.coverage(&[height(0)], &grid, sampling)?;
            let of_cpu = start.elapsed().as_secs_f64();
            let found = device.coverage(&[height(0)], &grid, sampling)?;
            let others = expected.iter().zip(&found).filter(|(a, b)| a != b).count();
            let writing = median(gpu.time_writing(2 * count * count, 5)?);
            println!(
                "lattice, {what}, {cells}³ cells, {per_cell} tiles an edge, {count}² pixels: {:.2} \
                 ms a layer ({:.2} of them the outline), kernel {:.3} ms ({:.1} % of the write bandwidth); CPU, \
                 {} threads {:.2} s; {others} pixels differ",
                1e3 * whole,
                1e3 * outline,
                1e3 * kernels,
                100.0 * writing / kernels,
                rayon::current_num_threads(),
                of_cpu
            );
        }
    }
    Ok(())
}
