//! Refined surfaces.

use subsolid::backend::{Backend, Cuda, Precision};
use subsolid::surface::{DeviceRun, DeviceSurface, Method, SurfaceOptions};

use super::{REPEATS, median};

/// Edge-friend on the boundary of a cow, 1,504 quads: topology and points from the corners of
/// the control mesh on, and points alone, beside the time of writing the last level.
pub fn time() -> subsolid::Result<()> {
    let mesh = subsolid::read_surface("models/surfaces/cow_boundary.obj")?;
    let gpu = Cuda::new(0, Precision::F32)?;
    let controls: Vec<[f32; 3]> = mesh.points.iter().map(|p| p.map(|x| x as f32)).collect();
    for levels in [3, 5, 6, 7, 8] {
        let options =
            SurfaceOptions { levels, method: Method::EdgeFriend, ..SurfaceOptions::default() };
        let mut device = DeviceSurface::<f32>::new(&mesh, &options, &gpu)?;
        device.set_controls(&controls)?;
        let quads = device.face_count();
        for (run, bytes) in [(DeviceRun::Both, 28 * quads), (DeviceRun::Points, 12 * quads)] {
            let times =
                (0..REPEATS).map(|_| device.run(run)).collect::<subsolid::Result<Vec<_>>>()?;
            let seconds = median(times);
            let floor = median(gpu.time_writing(bytes, REPEATS)?);
            println!(
                "surface, level {levels}, {quads} quads, {run:?}: {:.1} µs, {:.1} Gfaces/s; writing \
                 the last level {:.1} µs ({:.1}%)",
                seconds * 1e6,
                quads as f64 / seconds * 1e-9,
                floor * 1e6,
                100.0 * floor / seconds
            );
        }
    }
    Ok(())
}
