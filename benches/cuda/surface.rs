//! Refined surfaces.

use std::time::Instant;

use subsolid::backend::cuda::{FriendRun, Refiner};
use subsolid::backend::{Backend, Cuda, Precision};
use subsolid::surface::{Method, SurfaceOptions};

use super::{REPEATS, median};

/// Edge-friend on the boundary of a cow, 1,504 quads: topology and points from the corners of
/// the control mesh on, and points alone, beside the time to write the last level.
pub fn time() -> subsolid::Result<()> {
    let mesh = subsolid::read_surface("models/surfaces/cow_boundary.obj")?;
    let gpu = Cuda::new(0, Precision::F32)?;
    let controls: Vec<[f32; 3]> = mesh.points.iter().map(|p| p.map(|x| x as f32)).collect();
    for levels in [3, 5, 6, 7, 8] {
        let options =
            SurfaceOptions { levels, method: Method::EdgeFriend, ..SurfaceOptions::default() };
        let mut device = Refiner::<f32>::new(&mesh, &options, &gpu)?;
        device.set_controls(&controls)?;
        let quads = device.face_count();
        for (run, bytes) in [(FriendRun::Both, 28 * quads), (FriendRun::Points, 12 * quads)] {
            let times =
                (0..REPEATS).map(|_| device.run(run)).collect::<subsolid::Result<Vec<_>>>()?;
            let seconds = median(times);
            let writing = median(gpu.time_writing(bytes, REPEATS)?);
            println!(
                "surface, level {levels}, {quads} quads, {run:?}: {:.1} µs, {:.1} Gfaces/s; writing \
                 the last level {:.1} µs ({:.1}%)",
                seconds * 1e6,
                quads as f64 / seconds * 1e-9,
                writing * 1e6,
                100.0 * writing / seconds
            );
        }
    }
    Ok(())
}

/// From an edit of the connectivity to points at level 4: two faces change places, which leaves
/// all counts, or a face becomes one of its own and leaves a hole, which needs new rooms; beside a
/// fresh setup. Closed, open with creases, large.
pub fn time_edits() -> subsolid::Result<()> {
    let gpu = Cuda::new(0, Precision::F32)?;
    for name in ["cow_boundary", "rook", "wrench_boundary"] {
        let mut mesh = subsolid::read_surface(format!("models/surfaces/{name}.obj"))?;
        let spare = mesh.points.len() as u32;
        mesh.points.extend([[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]]);
        let options =
            SurfaceOptions { levels: 4, method: Method::EdgeFriend, ..SurfaceOptions::default() };
        let controls: Vec<[f32; 3]> = mesh.points.iter().map(|p| p.map(|x| x as f32)).collect();
        let start = Instant::now();
        let mut device = Refiner::<f32>::new(&mesh, &options, &gpu)?;
        device.set_controls(&controls)?;
        device.run(FriendRun::Both)?;
        let fresh = start.elapsed().as_secs_f64();
        let original = mesh.faces.vertices().to_vec();
        let mut exchanged = original.clone();
        (0..4).for_each(|i| exchanged.swap(i, 4 + i));
        let mut alone = original.clone();
        (0..4).for_each(|i| alone[i] = spare + i as u32);
        for (what, edited) in [("two faces change places", &exchanged), ("a hole", &alone)] {
            let (mut wall, mut on_device) = (Vec::new(), Vec::new());
            for repeat in 0..REPEATS {
                let corners = if repeat % 2 == 0 { edited } else { &original };
                let start = Instant::now();
                device.set_corners(corners)?;
                let Ok(seconds) = device.run(FriendRun::Both) else { break };
                wall.push(start.elapsed().as_secs_f64());
                on_device.push(seconds);
            }
            if wall.is_empty() {
                println!("surface edits, {name}: {what}: refused");
                continue;
            }
            println!(
                "surface edits, {name}, level 4, {} quads: {what}: points after {:.1} µs, {:.1} of \
                 them on the device; fresh setup {:.1} µs",
                device.face_count(),
                median(wall) * 1e6,
                median(on_device) * 1e6,
                fresh * 1e6
            );
        }
    }
    Ok(())
}
