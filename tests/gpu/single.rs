//! All levels as one sparse matrix.

use subsolid::backend::cuda::DeviceRepr;
use subsolid::backend::cuda::{FriendRun, Refiner, SingleEvaluator};
use subsolid::backend::{Cuda, Precision};
use subsolid::numbers::Real;
use subsolid::surface::{Method, Point, Scheme, SurfaceOptions, SurfacePlan};

use super::gpu;

const MODELS: [(&str, Scheme, usize); 6] = [
    ("bishop", Scheme::CatmullClark, 3),
    ("cow_boundary", Scheme::CatmullClark, 4),
    ("cubes_semisharp", Scheme::CatmullClark, 2),
    ("moebius", Scheme::CatmullClark, 1),
    ("spot_control_mesh", Scheme::Loop, 2),
    ("dodecahedron_poly", Scheme::Sqrt3, 3),
];

/// Products are those of the CPU, bit by bit, for any number of components, and again after
/// moving.
fn products_are_those_of_the_cpu<T: Real + DeviceRepr>(gpu: &Cuda) {
    for (name, scheme, levels) in MODELS {
        let mesh = subsolid::read_surface(format!("models/surfaces/{name}.obj")).unwrap();
        let options = SurfaceOptions { scheme, levels, ..SurfaceOptions::default() };
        let plan = SurfacePlan::new(&mesh, &options).unwrap();
        let matrix = plan.single_matrix::<T>().unwrap();
        let mut device = SingleEvaluator::new(&matrix, mesh.points.len(), gpu).unwrap();
        assert_eq!((device.len(), device.is_empty()), (matrix.len(), false));
        for (width, scale) in [(3, 1.0), (3, 1.25), (1, 1.0), (2, 1.0), (4, 1.0), (7, 1.0)] {
            // component c of a point from its coordinates
            let value = |p: &[f64; 3], c: usize| T::from_f64(scale * p[c % 3] + c as f64);
            let values: Vec<T> =
                mesh.points.iter().flat_map(|p| (0..width).map(|c| value(p, c))).collect();
            device.set_controls(&values, width).unwrap();
            device.run().unwrap();
            let found = device.results().unwrap();
            assert_eq!(found.len(), width * matrix.len());
            for c in 0..width {
                let controls: Vec<Point<T>> =
                    mesh.points.iter().map(|p| [value(p, c); 3]).collect();
                let expected = matrix.evaluate(&controls);
                let same = expected.iter().zip(found[c..].iter().step_by(width));
                assert!(same.into_iter().all(|(p, &x)| p[0] == x), "{name}, {c} of {width}");
            }
        }
        assert!(device.set_controls(&[], 0).is_err());
        assert!(device.set_controls(&[T::default(); 4], 3).is_err());
        assert!(SingleEvaluator::new(&matrix, 1, gpu).is_err());
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn single_matrices_are_those_of_the_cpu() {
    let gpu = gpu(Precision::F64);
    products_are_those_of_the_cpu::<f32>(&gpu);
    products_are_those_of_the_cpu::<f64>(&gpu);
}

/// Surfaces by one matrix: points, corners and faces of the plan.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn single_surfaces_are_those_of_plans() {
    let gpu = gpu(Precision::F64);
    for (name, scheme, levels) in MODELS {
        let mesh = subsolid::read_surface(format!("models/surfaces/{name}.obj")).unwrap();
        let options =
            SurfaceOptions { scheme, levels, method: Method::Single, ..SurfaceOptions::default() };
        let plan = SurfacePlan::new(&mesh, &options).unwrap();
        let mut device = Refiner::<f64>::new(&mesh, &options, &gpu).unwrap();
        device.set_controls(&mesh.points).unwrap();
        device.run(FriendRun::Both).unwrap();
        assert!(device.points().unwrap() == plan.evaluate(&mesh.points).unwrap(), "{name}");
        assert!(device.corners().unwrap() == plan.corners(), "{name}");
        let size = if scheme == Scheme::CatmullClark { 4 } else { 3 };
        assert_eq!(device.face_count() * size, plan.corners().len());
        assert!(device.set_corners(mesh.faces.vertices()).is_err());
    }
}
