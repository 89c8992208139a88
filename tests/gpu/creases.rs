//! Creases with fractional sharpness, corners, boundaries and non-manifold places.

use subsolid::backend::cuda::{FriendRun, Refiner};
use subsolid::backend::{Precision, runs_on_gpu};
use subsolid::mesh::TriangleRule;
use subsolid::surface::{Method, SurfaceOptions, SurfacePlan};

use super::gpu;

#[path = "../common/opensubdiv/mod.rs"]
mod tables;

/// The surfaces whose points and limits the CPU shares with OpenSubdiv are refined to the bits
/// of the CPU, in both precisions and by both layouts; but for smooth triangles, which are refused.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn creased_surfaces_are_those_of_the_cpu() {
    let gpu = gpu(Precision::F64);
    let mut compared = 0;
    for case in tables::cases() {
        let mesh = &case.mesh;
        let single: Vec<[f32; 3]> = mesh.points.iter().map(|p| p.map(|x| x as f32)).collect();
        for (method, levels) in [
            (Method::Matrix, 1),
            (Method::Matrix, 4),
            (Method::EdgeFriend, 2),
            (Method::EdgeFriend, 4),
        ] {
            let options = SurfaceOptions { scheme: case.scheme, levels, method, crease_rule: None };
            let what = format!("{}, {options:?}", case.name);
            // edge-friend takes oriented manifolds
            let Ok(plan) = SurfacePlan::new(mesh, &options) else { continue };
            if mesh.triangle_rule == TriangleRule::Smooth {
                assert!(!runs_on_gpu(mesh, &options), "{what}");
                let refused = Refiner::<f64>::new(mesh, &options, &gpu).err().unwrap();
                assert!(refused.to_string().contains("smooth triangles"), "{what}: {refused}");
                continue;
            }
            let mut double = Refiner::<f64>::new(mesh, &options, &gpu).unwrap();
            let found = double.refine(mesh).unwrap();
            assert!(found == plan.refine(mesh).unwrap(), "{what}");
            assert_eq!(double.notices(), plan.notices(), "{what}");
            let mut device = Refiner::<f32>::new(mesh, &options, &gpu).unwrap();
            device.set_controls(&single).unwrap();
            device.run(FriendRun::Both).unwrap();
            let (found, expected) = (device.points().unwrap(), plan.evaluate(&single).unwrap());
            for &v in plan.corners() {
                assert!(found[v as usize] == expected[v as usize], "{what}, {v}");
            }
            compared += 1;
        }
    }
    assert!(compared >= 250, "{compared}");
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn single_precision_is_within_4_units_in_the_last_place_of_opensubdiv() {
    let compared = tables::expect_single_precision(&gpu(Precision::F32));
    assert!(compared > 1_000, "{compared}");
}
