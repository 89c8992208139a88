//! The CPU backend passes the tests that every backend passes, in both precisions.

use subsolid::backend::{Cpu, Precision};
use subsolid::mesh::SurfaceMesh;
use subsolid::surface::{SurfaceOptions, SurfacePlan};

use crate::conformance::surface::Refines;
use crate::oracle::vector::Point;
use crate::surface_conformance;

/// Refinement on the CPU in one precision.
macro_rules! refines {
    ($name:ident, $real:ty) => {
        struct $name;

        impl Refines for $name {
            fn refine(
                &self,
                mesh: &SurfaceMesh,
                options: &SurfaceOptions,
            ) -> (Vec<u32>, Vec<Point>) {
                let plan = SurfacePlan::new(mesh, options).unwrap();
                let controls: Vec<[$real; 3]> =
                    mesh.points.iter().map(|p| p.map(|x| x as $real)).collect();
                let points = plan.evaluate(&controls).unwrap();
                (plan.corners().to_vec(), points.iter().map(|p| p.map(f64::from)).collect())
            }
        }
    };
}

refines!(Single, f32);
refines!(Double, f64);

surface_conformance!(cpu_f32, Single, 4e-6, [refinement]);
surface_conformance!(cpu_f64, Double, 1e-12, [refinement]);
surface_conformance!(
    cpu_evaluators_f32,
    Cpu::new(Precision::F32),
    4e-6,
    [stencils grids scattered vertices derivatives]
);
surface_conformance!(
    cpu_evaluators_f64,
    Cpu::new(Precision::F64),
    1e-12,
    [stencils grids scattered vertices derivatives]
);
