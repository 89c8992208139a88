//! Refined surfaces.

use subsolid::backend::Precision;
use subsolid::surface::{DeviceRun, DeviceSurface, Method, SurfaceOptions, SurfacePlan};

use super::gpu;

/// Refined surfaces are those of the CPU, bit by bit: closed, with boundaries, creases of all
/// kinds, polygons; in both precisions, in one pass and in two, and again after moving.
#[test]
fn surfaces_are_those_of_the_cpu() {
    let Some(gpu) = gpu(Precision::F64) else { return };
    let names =
        ["cow_boundary", "bishop", "cubes_semisharp", "rook", "helmet", "dodecahedron_poly"];
    for name in names {
        for chaikin in [false, true] {
            let mut mesh = subsolid::read_surface(format!("models/surfaces/{name}.obj")).unwrap();
            if chaikin {
                mesh.crease_rule = subsolid::mesh::CreaseRule::Chaikin;
            }
            let levels = 4;
            let options =
                SurfaceOptions { levels, method: Method::EdgeFriend, ..SurfaceOptions::default() };
            let plan = SurfacePlan::new(&mesh, &options).unwrap();
            let mut device = DeviceSurface::<f32>::new(&mesh, &options, &gpu).unwrap();
            let mut double = DeviceSurface::<f64>::new(&mesh, &options, &gpu).unwrap();
            for scale in [1.0, 1.25] {
                let points: Vec<[f64; 3]> =
                    mesh.points.iter().map(|p| p.map(|x| scale * x)).collect();
                let single: Vec<[f32; 3]> = points.iter().map(|p| p.map(|x| x as f32)).collect();
                device.set_controls(&single).unwrap();
                device.run(DeviceRun::Both).unwrap();
                double.set_controls(&points).unwrap();
                double.run(DeviceRun::Topology).unwrap();
                double.run(DeviceRun::Points).unwrap();
                let corners = device.corners().unwrap();
                assert!(corners == double.corners().unwrap());
                let real = plan.corners();
                assert!(corners[..real.len()] == *real, "{name}");
                let (found, expected) = (device.points().unwrap(), plan.evaluate(&single).unwrap());
                let (found_double, expected_double) =
                    (double.points().unwrap(), plan.evaluate(&points).unwrap());
                for &v in real {
                    let v = v as usize;
                    assert!(found[v] == expected[v], "{name}, {v}");
                    assert!(found_double[v] == expected_double[v], "{name}, {v}");
                }
            }
        }
    }
}
