//! The CUDA backend passes the tests of surfaces that every backend passes.

use subsolid::backend::Precision;
use subsolid::backend::cuda::{FriendRun, Refiner};
use subsolid::mesh::SurfaceMesh;
use subsolid::surface::{Method, SurfaceOptions};

use super::gpu;
use crate::conformance::surface::Refines;
use crate::oracle::vector::Point;
use crate::surface_conformance;

fn double<T: Copy + Into<f64>>(points: &[[T; 3]]) -> Vec<Point> {
    points.iter().map(|p| p.map(Into::into)).collect()
}

/// Refinement on the device in one precision.
macro_rules! device {
    ($name:ident, $real:ty) => {
        struct $name;

        impl Refines for $name {
            fn least_levels(&self, method: Method) -> usize {
                if method == Method::EdgeFriend { 2 } else { 1 }
            }

            fn refine(
                &self,
                mesh: &SurfaceMesh,
                options: &SurfaceOptions,
            ) -> (Vec<u32>, Vec<Point>) {
                let gpu = gpu(Precision::F64);
                let mut device = Refiner::<$real>::new(mesh, options, &gpu).unwrap();
                let controls: Vec<[$real; 3]> =
                    mesh.points.iter().map(|p| p.map(|x| x as $real)).collect();
                device.set_controls(&controls).unwrap();
                device.run(FriendRun::Both).unwrap();
                (device.corners().unwrap(), double(&device.points().unwrap()))
            }
        }
    };
}

device!(SingleDevice, f32);
device!(DoubleDevice, f64);

surface_conformance!(
    #[ignore = "needs an NVIDIA GPU"]
    gpu_f32,
    SingleDevice,
    4e-6,
    [refinement]
);
surface_conformance!(
    #[ignore = "needs an NVIDIA GPU"]
    gpu_f64,
    DoubleDevice,
    1e-12,
    [refinement]
);
surface_conformance!(
    #[ignore = "needs an NVIDIA GPU"]
    gpu_evaluators_f32,
    gpu(Precision::F32),
    4e-6,
    [stencils grids scattered vertices derivatives]
);
surface_conformance!(
    #[ignore = "needs an NVIDIA GPU"]
    gpu_evaluators_f64,
    gpu(Precision::F64),
    1e-12,
    [stencils grids scattered vertices derivatives]
);
