//! Processing of surfaces on the device, by `kernels/process`: what
//! [`process::surface`](crate::process::surface) does on the CPU.
//!
//! A [`ResidentSurface`] keeps a mesh with its rows and weights on a GPU, so that jobs after the
//! first cost what they compute. Results come back in the ids of the mesh; they have the same bits
//! in every run, and differ from the CPU by rounding, since sums are taken in another
//! order.
//!
//! ```no_run
//! use subsolid::backend::cuda::process::ResidentSurface;
//! use subsolid::backend::{Cuda, Precision};
//!
//! let gpu = Cuda::new(0, Precision::F64)?;
//! let mesh = subsolid::read_surface("scan.ply")?;
//! let mut surface = ResidentSurface::<f64>::new(&gpu, &mesh)?;
//! let normals = surface.normals()?;
//! let distances = surface.toplesets(&[17])?;
//! println!("{} normals; the last job took {} s", normals.len(), surface.seconds());
//! # Ok::<(), subsolid::Error>(())
//! ```

mod cotangents;
mod fans;
mod filters;
mod flow;
mod heat;
mod heat_system;
mod multigrid;
mod slices;
mod solver;
mod toplesets;

use cudarc::driver::{CudaEvent, DeviceRepr};

use super::query::operator::variant;
use super::query::{Attribute, AttributeLayout, DeviceQuery};
use super::{Cuda, Precision};
use crate::backend::SurfaceProcessor;
use crate::backend::cuda::driver::buffer::timed_event;
use crate::backend::cuda::driver::sources::{
    AGGREGATES, COTANGENTS, DENOISE, HEAT, MULTIGRID, REACH, SLICES, TOPLESETS, Variant,
};
use crate::error::Result;
use crate::mesh::{Polygons, SurfaceMesh};
use crate::numbers::Real;
use crate::process::surface::{Cotangents, triangles};
use crate::query::{Op, QueryStrategy};
use crate::topology::order::EntityKind;
use heat_system::Heat;
use slices::Fans;
use solver::WeightMatrix;

/// Numbers of a point on the device: x, y, z and one that pads it.
const POINT: usize = 4;

/// A surface on a GPU, for processing.
pub struct ResidentSurface<T> {
    query: DeviceQuery,
    points: Attribute<T>,
    // its points are as before jobs moved them, until they are asked for
    mesh: SurfaceMesh,
    // without the holes, if the mesh has any
    seen: Option<Polygons>,
    moved: bool,
    fans: Option<Fans>,
    cotangents: Option<WeightMatrix<T>>,
    heat: Option<Heat>,
    seconds: f64,
    iterations: usize,
}

impl<T: Real + DeviceRepr> ResidentSurface<T> {
    /// Brings a surface of any polygons to the device.
    ///
    /// # Errors
    /// As [`DeviceQuery::of_surface`].
    pub fn new(gpu: &Cuda, mesh: &SurfaceMesh) -> Result<Self> {
        mesh.check()?;
        let seen = mesh.without_holes();
        let query = DeviceQuery::of_surface(gpu, &seen, QueryStrategy::Rows)?;
        let seen = (!mesh.holes.is_empty()).then(|| seen.into_owned().faces);
        let padded: Vec<[T; POINT]> =
            mesh.points.iter().map(|p| [p[0], p[1], p[2], 0.0].map(T::from_f64)).collect();
        let points = query.attribute(
            EntityKind::Vertex,
            POINT,
            AttributeLayout::Interleaved,
            bytemuck::cast_slice(&padded),
        )?;
        let mesh = mesh.clone();
        Ok(Self {
            query,
            points,
            mesh,
            seen,
            moved: false,
            fans: None,
            cotangents: None,
            heat: None,
            seconds: 0.0,
            iterations: 0,
        })
    }

    /// Seconds of the last job on the device, without copies from and to the host (but for those
    /// between the systems of a heat distance), nor rows and
    /// weights, which the first job that needs them stores.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// Iterations of conjugate gradients in the last job, of all systems together; 0 if it
    /// solved none.
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// The points, `[vertex]`, as jobs have moved them.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) if the copy fails.
    pub fn points(&self) -> Result<Vec<[T; 3]>> {
        let points = self.query.read(&self.points)?;
        Ok(points.as_chunks::<POINT>().0.iter().map(|&[x, y, z, _]| [x, y, z]).collect())
    }

    /// The faces but for holes.
    fn faces(&self) -> &Polygons {
        self.seen.as_ref().unwrap_or(&self.mesh.faces)
    }

    /// The ids of vertices in the order.
    fn ids(&self, vertices: &[u32]) -> Result<Vec<u32>> {
        let mut marks = vec![0_u32; self.mesh.points.len()];
        vertices.iter().for_each(|&v| marks[v as usize] = 1);
        let marks =
            self.query.attribute(EntityKind::Vertex, 1, AttributeLayout::Interleaved, &marks)?;
        let marks = marks.values.read(&self.query.steps.stream)?;
        Ok((0..).zip(marks).filter(|&(_, mark)| mark > 0).map(|(v, _)| v).collect())
    }

    /// Refuses all but triangles with an area, where the points are now.
    fn check_triangles(&mut self) -> Result<()> {
        if self.moved {
            self.mesh.points = self.points()?.into_iter().map(|p| p.map(T::to_f64)).collect();
            self.moved = false;
        }
        triangles(&self.mesh).map(drop)
    }

    /// Notes that the points have moved: weights of the old ones are dropped.
    fn note_moved(&mut self) {
        self.moved = true;
        self.cotangents = None;
        self.heat = None;
    }

    fn start(&self) -> Result<CudaEvent> {
        timed_event(&self.query.steps.stream)
    }

    /// Notes the time since an event; waits for the stream.
    fn note_time(&mut self, start: &CudaEvent) -> Result<()> {
        self.seconds = self.query.steps.seconds_since(start)?;
        Ok(())
    }
}

/// The variants that are compiled for processing.
pub(super) fn variants(precision: Precision) -> Vec<Variant> {
    let mut variants = vec![
        Variant::new(&SLICES, precision),
        variant(Op::VV, REACH.text, filters::REACH_WORDS, precision),
        variant(Op::VV, DENOISE.text, filters::DENOISE_WORDS, precision),
        Variant::new(&COTANGENTS, precision),
        Variant::new(&TOPLESETS, precision),
    ];
    for cotangents in [Cotangents::Stored, Cotangents::Recomputed] {
        variants.extend([1, 3].map(|columns| solver::variant(precision, columns, cotangents)));
    }
    if precision == Precision::F64 {
        variants.extend([&HEAT, &AGGREGATES, &MULTIGRID].map(|s| Variant::new(s, precision)));
    }
    variants
}

/// Jobs by the names of the trait.
impl SurfaceProcessor for ResidentSurface<f64> {
    fn points(&self) -> Result<Vec<[f64; 3]>> {
        self.points()
    }

    fn normals(&mut self) -> Result<Vec<[f64; 3]>> {
        self.normals()
    }

    fn flow(&mut self, time: f64, cotangents: Cotangents) -> Result<()> {
        self.flow(time, cotangents)
    }

    fn denoise(&mut self, rings: usize) -> Result<()> {
        self.denoise(rings)
    }

    fn heat_distance(&mut self, sources: &[u32]) -> Result<Vec<f64>> {
        self.heat_distance(sources)
    }

    fn toplesets(&mut self, sources: &[u32]) -> Result<Vec<f64>> {
        self.toplesets(sources)
    }
}
