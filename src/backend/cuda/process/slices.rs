//! Rows of vertices in slices of a warp, and the corners of faces as such rows.

use cudarc::driver::DeviceRepr;

use super::DeviceProcessor;
use crate::backend::Precision;
use crate::backend::cuda::memory::Buffer;
use crate::backend::cuda::program::Kernels;
use crate::backend::cuda::query::incidence::Lists;
use crate::backend::cuda::query::steps::{Steps, THREADS, array, number};
use crate::backend::cuda::query::{DeviceAttribute, Layout};
use crate::backend::cuda::sources::{SLICES, Variant};
use crate::error::Result;
use crate::numbers::Real;
use crate::query::Op;
use crate::topology::order::Element;

/// Rows of a slice: a warp.
const LANES: usize = 32;

/// Where the rows of each slice start, in entries a row; `kernels/process/slices.cuh`.
pub(super) struct Slices {
    pub starts: Buffer<u32>,
    /// Items of all slices, those that fill up their rows included.
    pub items: usize,
}

impl Slices {
    /// Slices for rows as long as these.
    pub fn of(steps: &mut Steps, rows: &Lists) -> Result<Self> {
        let count = rows.count.div_ceil(LANES);
        let starts = steps.empty::<u32>(count + 1)?;
        let arguments = vec![array(&rows.starts), number(rows.count), array(&starts)];
        let kernels = Kernels::new(&steps.functions, Variant::new(&SLICES, Precision::F64));
        steps.enqueue(&[kernels.items("measure_slices", rows.count, THREADS, arguments)?])?;
        steps.scan(&starts, count)?;
        let items = starts.read_at(&steps.stream, count)? as usize * LANES;
        Ok(Self { starts, items })
    }
}

/// For each vertex and face at it the vertices after and before it in the face.
pub(super) struct Corners {
    pub slices: Slices,
    pub items: Buffer<[u32; 2]>,
}

impl<T: Real + DeviceRepr> DeviceProcessor<T> {
    /// Stores the corners, if they are not there.
    pub(super) fn store_corners(&mut self) -> Result<()> {
        if self.corners.is_some() {
            return Ok(());
        }
        self.query.store(Op::VF)?;
        let (steps, faces) = self.query.steps_and_lists(Op::VF)?;
        let slices = Slices::of(steps, faces)?;
        let items = steps.empty::<[u32; 2]>(slices.items)?;
        let count = faces.count;
        let arguments = vec![
            faces.words(),
            self.query.mesh.face_vertices.words(),
            number(self.mesh.faces.uniform_size().unwrap_or(0)),
            number(count),
            array(&slices.starts),
            array(&items),
        ];
        self.query.steps.enqueue(&[self.slice_kernels().items(
            "fill_corners",
            count,
            THREADS,
            arguments,
        )?])?;
        self.corners = Some(Corners { slices, items });
        Ok(())
    }

    fn slice_kernels(&self) -> Kernels<'_> {
        Kernels::new(&self.query.steps.functions, Variant::new(&SLICES, T::PRECISION))
    }

    /// Unit normals `[vertex]`, as [`vertex_normals`](crate::process::surface::vertex_normals).
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) if the device has too little memory or a kernel
    /// fails.
    pub fn normals(&mut self) -> Result<Vec<[T; 3]>> {
        let normals = self.find_normals()?;
        Ok(self.query.read(&normals)?.as_chunks().0.to_vec())
    }

    pub(super) fn find_normals(&mut self) -> Result<DeviceAttribute<T>> {
        self.store_corners()?;
        let normals = self.query.empty_attribute::<T>(Element::Vertex, 3, Layout::Interleaved)?;
        let count = self.query.count(Element::Vertex);
        let corners = self.corners()?;
        let arguments = vec![
            array(&corners.slices.starts),
            array(&corners.items),
            array(&self.points.values),
            number(count),
            array(&normals.values),
        ];
        let launch = self.slice_kernels().items("find_normals", count, THREADS, arguments)?;
        let start = self.start()?;
        self.query.steps.enqueue(&[launch])?;
        self.note_time(&start)?;
        self.iterations = 0;
        Ok(normals)
    }

    /// The corners, which are stored.
    pub(super) fn corners(&self) -> Result<&Corners> {
        let corners = self.corners.as_ref();
        corners.ok_or_else(|| crate::Error::request("no corners are stored"))
    }
}
