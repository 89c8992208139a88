//! Layers of slices.

use subsolid::backend::{Cuda, Precision};
use subsolid::limit::Solid;
use subsolid::mesh::{Polygons, SurfaceMesh};
use subsolid::slice::{Axis, ClosedSurface, PixelGrid, Sampling, SliceOptions, Slicer};
use subsolid::surface::Scheme;

use super::{gpu, shape};

/// Pixels of layers are those of the CPU, bit by bit: smooth and creased solids, flat faces,
/// rows that do not fill whole vectors, images that the solid leaves.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn layers_are_those_of_the_cpu() {
    let gpu = gpu(Precision::F64);
    let mut block = shape("box", &[3, 2, 4]);
    subsolid::refine::crease_by_angle(&mut block, 40.0).unwrap();
    let bracket = subsolid::read("models/bracket.vtk").unwrap();
    for (mesh, axis) in [
        (shape("tripod", &[]), Axis::Z),
        (shape("torus", &[]), Axis::X),
        (block, Axis::Z),
        (bracket, Axis::Y),
    ] {
        let solid = Solid::new(&mesh).unwrap();
        let options = SliceOptions { axis, tolerance: None };
        compare(|| Slicer::new(&solid, mesh.controls(), options).unwrap(), &gpu);
    }
}

/// The same of closed surfaces: triangles as they are, in shells that overlap and one inside
/// another, fitted patches of Loop's, and Catmull-Clark's.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn layers_of_surfaces_are_those_of_the_cpu() {
    let gpu = gpu(Precision::F64);
    let read = |name: &str| subsolid::read_surface(format!("models/surfaces/{name}.obj")).unwrap();
    let octahedron = |center: f64, size: f64, inward: bool| {
        let ends = (0..6).map(|k: usize| {
            let mut p = [center; 3];
            p[k / 2] += if k.is_multiple_of(2) { size } else { -size };
            p
        });
        let around = [[0_u32, 2], [2, 1], [1, 3], [3, 0]];
        let faces = around.iter().flat_map(|&[a, b]| {
            let [up, down] = [[a, b, 4], [b, a, 5]];
            if inward { [[b, a, 4], [a, b, 5]] } else { [up, down] }
        });
        (ends.collect::<Vec<_>>(), faces.collect::<Vec<_>>())
    };
    let mut shells = SurfaceMesh::default();
    let mut corners = Vec::new();
    for (center, size, inward) in [(0.0, 1.0, false), (0.4, 0.9, false), (0.1, 0.4, true)] {
        let (points, faces) = octahedron(center, size, inward);
        let start = shells.points.len() as u32;
        corners.extend(faces.as_flattened().iter().map(|v| v + start));
        shells.points.extend(points);
    }
    shells.faces = Polygons::uniform(3, corners);
    for (mesh, scheme, axis) in [
        (shells, Scheme::Bilinear, Axis::Z),
        (read("dodecahedron_poly"), Scheme::Loop, Axis::X),
        (read("torus_creases0"), Scheme::CatmullClark, Axis::Y),
    ] {
        let surface = ClosedSurface::new(&mesh, scheme).unwrap();
        let options = SliceOptions { axis, tolerance: None };
        compare(|| Slicer::of_surface(&surface, &mesh.points, options).unwrap(), &gpu);
    }
}

fn compare(make: impl Fn() -> Slicer, gpu: &Cuda) {
    let (slicer, mut device) = (make(), make());
    device.bring(gpu).unwrap();
    let [low, high] = slicer.heights();
    let [corner, far] = slicer.plane_box();
    let side = (far[0] - corner[0]).max(far[1] - corner[1]);
    // the second leaves a part of the solid outside
    for (size, part) in [([333, 250], 1.02), ([64, 97], 0.4)] {
        let pitch = part * side / size[0] as f64;
        let grid = PixelGrid { origin: corner.map(|x| x + 0.05 * side), pitch: [pitch; 2], size };
        for (sampling, planes) in
            [(Sampling::Area, 1), (Sampling::Center, 1), (Sampling::Area, 4), (Sampling::Area, 15)]
        {
            let count = 12;
            let height = |k: usize| low + (high - low) * k as f64 / (count * planes - 1) as f64;
            let heights: Vec<f64> = (0..count * planes).map(height).collect();
            for (layer, heights) in heights.chunks_exact(planes).enumerate() {
                let what = format!("layer {layer}, {sampling:?}, {planes} planes");
                let [found, expected] = [&device, &slicer]
                    .map(|own| own.coverage::<u16>(heights, &grid, sampling).unwrap());
                assert!(found == expected, "{what}");
                let [found, expected] = [&device, &slicer]
                    .map(|own| own.coverage::<u8>(heights, &grid, sampling).unwrap());
                assert!(found == expected, "{what}");
            }
            // many images at once
            assert!(device.time_coverage::<u16>(&heights, planes, &grid, sampling).unwrap() > 0.0);
        }
    }
}
