//! The CPU backend passes the tests that every backend passes, in both precisions.

use subsolid::mesh::SurfaceMesh;
use subsolid::plan::Want;
use subsolid::surface::limit::{GridLimit, LimitSurface, SurfaceLocation};
use subsolid::surface::{StaticRefinement, SurfaceOptions, SurfacePlan};

use crate::conformance::surface::{Limits, Refines};
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

            fn static_points(
                &self,
                refinement: &StaticRefinement,
                controls: &[Point],
            ) -> Vec<Point> {
                let controls: Vec<[$real; 3]> =
                    controls.iter().map(|p| p.map(|x| x as $real)).collect();
                let points = refinement.evaluate(&controls).unwrap();
                points.iter().map(|p| p.map(f64::from)).collect()
            }
        }
    };
}

refines!(Single, f32);
refines!(Double, f64);

/// Limits, which the CPU has in double precision only.
impl Limits for Double {
    fn grid(&self, surface: &LimitSurface, n: usize, controls: &[Point]) -> Vec<Point> {
        let refined = surface.refined_points(controls).unwrap();
        let mut limit = GridLimit::default();
        let grid = surface.grid(n, false).unwrap();
        grid.evaluate(&refined, 0..surface.elements().len(), &mut limit).unwrap();
        limit.positions.as_chunks().0.to_vec()
    }

    fn scattered(
        &self,
        surface: &LimitSurface,
        places: &[SurfaceLocation],
        controls: &[Point],
    ) -> Vec<Point> {
        surface.evaluate(controls, places, Want::POSITION).unwrap().positions
    }

    fn vertices(&self, surface: &LimitSurface, controls: &[Point]) -> Vec<Point> {
        surface.vertex_masks().limit_positions(controls).unwrap()
    }
}

surface_conformance!(cpu_f32, Single, 4e-6, [refinement static_refinement]);
surface_conformance!(
    cpu_f64,
    Double,
    1e-12,
    [refinement static_refinement grids scattered vertices]
);
