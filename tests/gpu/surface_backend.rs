//! The CUDA backend passes the tests of surfaces that every backend passes.

use subsolid::backend::Precision;
use subsolid::backend::cuda::{
    DeviceRun, DeviceStaticRefinement, DeviceSurface, DeviceSurfaceGrid, DeviceSurfacePoints,
    DeviceVertexLimits,
};
use subsolid::mesh::SurfaceMesh;
use subsolid::plan::Want;
use subsolid::surface::limit::{LimitSurface, SurfaceLocation};
use subsolid::surface::{Method, StaticRefinement, SurfaceOptions};

use super::gpu;
use crate::conformance::surface::{Limits, Refines};
use crate::oracle::vector::Point;
use crate::surface_conformance;

fn double<T: Copy + Into<f64>>(points: &[[T; 3]]) -> Vec<Point> {
    points.iter().map(|p| p.map(Into::into)).collect()
}

/// All operations on the device in one precision.
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
                let mut device = DeviceSurface::<$real>::new(mesh, options, &gpu).unwrap();
                let controls: Vec<[$real; 3]> =
                    mesh.points.iter().map(|p| p.map(|x| x as $real)).collect();
                device.set_controls(&controls).unwrap();
                device.run(DeviceRun::Both).unwrap();
                (device.corners().unwrap(), double(&device.points().unwrap()))
            }

            fn static_points(
                &self,
                refinement: &StaticRefinement,
                controls: &[Point],
            ) -> Vec<Point> {
                let gpu = gpu(Precision::F64);
                let mut device = DeviceStaticRefinement::<$real>::new(refinement, &gpu).unwrap();
                device.set_controls(controls).unwrap();
                device.evaluate().unwrap();
                double(&device.points().unwrap())
            }
        }

        impl Limits for $name {
            fn grid(&self, surface: &LimitSurface, n: usize, controls: &[Point]) -> Vec<Point> {
                let gpu = gpu(Precision::F64);
                let grid = surface.grid(n, false).unwrap();
                let mut device = DeviceSurfaceGrid::<$real>::new(&grid, &gpu).unwrap();
                device.set_controls(controls).unwrap();
                device.evaluate().unwrap();
                double(&device.read().unwrap().positions)
            }

            fn scattered(
                &self,
                surface: &LimitSurface,
                places: &[SurfaceLocation],
                controls: &[Point],
            ) -> Vec<Point> {
                let gpu = gpu(Precision::F64);
                let mut device =
                    DeviceSurfacePoints::<$real>::new(surface, places, Want::POSITION, &gpu)
                        .unwrap();
                device.set_controls(controls).unwrap();
                device.evaluate().unwrap();
                double(&device.read().unwrap()[0])
            }

            fn vertices(&self, surface: &LimitSurface, controls: &[Point]) -> Vec<Point> {
                let gpu = gpu(Precision::F64);
                let masks = surface.vertex_masks();
                let mut device = DeviceVertexLimits::<$real>::new(&masks, &gpu).unwrap();
                device.set_controls(controls).unwrap();
                device.evaluate().unwrap();
                double(&device.read().unwrap()[0])
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
    [refinement static_refinement grids scattered vertices]
);
surface_conformance!(
    #[ignore = "needs an NVIDIA GPU"]
    gpu_f64,
    DoubleDevice,
    1e-12,
    [refinement static_refinement grids scattered vertices]
);
