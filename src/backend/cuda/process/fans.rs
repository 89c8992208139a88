//! The fans of faces around vertices, in slices of a warp, and normals by them.

use cudarc::driver::DeviceRepr;

use super::ResidentSurface;
use super::slices::{Fans, RowSlices};
use crate::backend::cuda::driver::program::Kernels;
use crate::backend::cuda::driver::sources::{SLICES, Variant};
use crate::backend::cuda::query::steps::{THREADS, array, number};
use crate::backend::cuda::query::{Attribute, AttributeLayout};
use crate::error::Result;
use crate::numbers::Real;
use crate::query::Op;
use crate::topology::order::EntityKind;

impl<T: Real + DeviceRepr> ResidentSurface<T> {
    /// Stores the fans, if they are not there.
    pub(super) fn store_fans(&mut self) -> Result<()> {
        if self.fans.is_some() {
            return Ok(());
        }
        self.query.store(Op::VF)?;
        let size = self.faces().uniform_size().unwrap_or(0);
        let corner_count = self.faces().vertices().len();
        let face_vertices = self.query.mesh.face_vertices.words();
        let (steps, faces) = self.query.steps_and_lists(Op::VF)?;
        let count = faces.count;
        let corners = steps.empty::<[u32; 2]>(corner_count)?;
        let more = steps.empty::<u32>(count)?;
        let variant = Variant::new(&SLICES, T::PRECISION);
        let arguments = vec![
            faces.words(),
            face_vertices,
            number(size),
            number(count),
            array(&corners),
            array(&more),
        ];
        let kernels = Kernels::new(&steps.functions, variant.clone());
        steps.enqueue(&[kernels.items("fill_corners", count, THREADS, arguments)?])?;
        let slices = RowSlices::of(steps, &faces.starts, count, Some(&more))?;
        let items = steps.empty::<u32>(slices.items)?;
        let arguments = vec![
            array(&faces.starts),
            array(&corners),
            number(count),
            array(&slices.starts),
            array(&items),
        ];
        let kernels = Kernels::new(&steps.functions, variant);
        steps.enqueue(&[kernels.items("fill_fans", count, THREADS, arguments)?])?;
        self.fans = Some(Fans { slices, items });
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
        let normals = self.device_normals()?;
        Ok(self.query.read(&normals)?.as_chunks().0.to_vec())
    }

    /// Like [`ResidentSurface::normals`], with the result left on the device in the order of the
    /// query, with a width of 3.
    ///
    /// # Errors
    /// As [`ResidentSurface::normals`].
    pub fn device_normals(&mut self) -> Result<Attribute<T>> {
        self.store_fans()?;
        let normals =
            self.query.empty_attribute::<T>(EntityKind::Vertex, 3, AttributeLayout::Interleaved)?;
        let count = self.query.count(EntityKind::Vertex);
        let fans = self.fans()?;
        let arguments = vec![
            array(&fans.slices.starts),
            array(&fans.items),
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

    /// The fans, which are stored.
    pub(super) fn fans(&self) -> Result<&Fans> {
        let fans = self.fans.as_ref();
        fans.ok_or_else(|| crate::error::Error::request("no fans are stored"))
    }
}
