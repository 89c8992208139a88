//! Sorting, and surfaces refined by the mesh matrix.

use subsolid::backend::cuda::sort::RadixSort;
use subsolid::backend::cuda::{FriendRun, Refiner, device_matrix};
use subsolid::backend::{Backend, Cuda, Precision};
use subsolid::surface::{Scheme, SurfaceOptions};

use super::{REPEATS, median};

/// Sorts of ten million keys; edges from corners; Loop, Catmull-Clark and √3 by the mesh matrix
/// with topology from the corners of the control mesh on, and points alone, beside the time to
/// write the last level.
pub fn time() -> subsolid::Result<()> {
    let gpu = Cuda::new(0, Precision::F32)?;
    for bits in [16, 32, 48] {
        let count = 10_000_000;
        let key = |i: u64| (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits);
        let keys: Vec<u64> = (0..count).map(key).collect();
        let values: Vec<u32> = (0..count as u32).collect();
        let mut sort = RadixSort::new(&gpu, &keys, &values, bits)?;
        let times = (0..9).map(|_| sort.sort(bits)).collect::<subsolid::Result<Vec<_>>>()?;
        let seconds = median(times);
        println!(
            "matrix, sort of {count} keys of {bits} bits: {:.1} µs, {:.2} Gkeys/s",
            seconds * 1e6,
            count as f64 / seconds * 1e-9
        );
    }
    for name in ["cow_boundary", "spot_quadrangulated", "wrench_boundary"] {
        let mesh = subsolid::read_surface(format!("models/surfaces/{name}.obj"))?;
        let mut matrix = device_matrix(&mesh, &gpu)?;
        let times = (0..REPEATS).map(|_| matrix.build()).collect::<subsolid::Result<Vec<_>>>()?;
        println!(
            "matrix, edges of {} corners: {:.1} µs",
            mesh.faces.vertices().len(),
            median(times) * 1e6
        );
    }
    let spot = ("spot_quadrangulated", Scheme::Loop, [1, 3, 5, 6].as_slice());
    let cow = ("cow_boundary", Scheme::CatmullClark, [1, 3, 5, 6, 7, 8].as_slice());
    let rotated = ("spot_quadrangulated", Scheme::Sqrt3, [1, 4, 6, 8].as_slice());
    for (name, scheme, all) in [spot, cow, rotated] {
        let mesh = subsolid::read_surface(format!("models/surfaces/{name}.obj"))?;
        let controls: Vec<[f32; 3]> = mesh.points.iter().map(|p| p.map(|x| x as f32)).collect();
        for &levels in all {
            let options = SurfaceOptions { scheme, levels, ..SurfaceOptions::default() };
            let mut device = Refiner::<f32>::new(&mesh, &options, &gpu)?;
            device.set_controls(&controls)?;
            let faces = device.face_count();
            let (corners, points) = match scheme {
                Scheme::Loop | Scheme::Sqrt3 => (12 * faces, 6 * faces),
                _ => (16 * faces, 12 * faces),
            };
            for (run, bytes) in [
                (FriendRun::Both, corners + points),
                (FriendRun::Topology, corners),
                (FriendRun::Points, points),
            ] {
                device.run(run)?;
                let times =
                    (0..REPEATS).map(|_| device.run(run)).collect::<subsolid::Result<Vec<_>>>()?;
                let seconds = median(times);
                let writing = median(gpu.time_writing(bytes, REPEATS)?);
                println!(
                    "matrix, {scheme:?}, level {levels}, {faces} faces, {run:?}: {:.1} µs, {:.2} \
                     Gfaces/s; writing the last level {:.1} µs ({:.1}%)",
                    seconds * 1e6,
                    faces as f64 / seconds * 1e-9,
                    writing * 1e6,
                    100.0 * writing / seconds
                );
            }
        }
    }
    Ok(())
}
