//! Cotangent weights beside the rows of neighbors.

use cudarc::driver::DeviceRepr;

use super::ResidentSurface;
use super::slices::{Fans, RowSlices};
use super::solver::{MatrixProducts, WeightMatrix, apply};
use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::program::Kernels;
use crate::backend::cuda::driver::sources::{COTANGENTS, Variant};
use crate::backend::cuda::query::steps::{THREADS, array, number};
use crate::backend::cuda::query::{Attribute, AttributeLayout};
use crate::error::{Error, Result};
use crate::numbers::Real;
use crate::process::surface::Cotangents;
use crate::query::Op;
use crate::topology::order::EntityKind;

/// For each vertex, the sum of its weights, and its mass.
pub(super) struct CotangentSums<T> {
    diagonal: Buffer<T>,
    masses: Buffer<T>,
}

impl<T: Real + DeviceRepr> ResidentSurface<T> {
    /// Stores the weights of the points, if they are not there.
    pub(super) fn weigh(&mut self) -> Result<()> {
        if self.cotangents.is_some() {
            return Ok(());
        }
        self.check_triangles()?;
        self.store_fans()?;
        self.query.store(Op::VV)?;
        let (steps, neighbors) = self.query.steps_and_lists(Op::VV)?;
        let count = neighbors.count;
        let slices = RowSlices::of(steps, &neighbors.starts, count, None)?;
        let (ids, weights) = (steps.empty(slices.items)?, steps.empty(slices.items)?);
        let (diagonal, masses) = (steps.empty(count)?, steps.empty(count)?);
        let words = neighbors.words();
        let fans = self.fans()?;
        let arguments = vec![
            words,
            array(&fans.slices.starts),
            array(&fans.items),
            array(&self.points.values),
            number(count),
            array(&slices.starts),
            array(&ids),
            array(&weights),
            array(&diagonal),
            array(&masses),
        ];
        let steps = &self.query.steps;
        let kernels = Kernels::new(&steps.functions, Variant::new(&COTANGENTS, T::PRECISION));
        steps.enqueue(&[kernels.items("weigh_edges", count, THREADS, arguments)?])?;
        self.cotangents = Some(WeightMatrix { slices, ids, weights, diagonal, masses });
        Ok(())
    }

    /// The weights, which are stored.
    pub(super) fn weights(&self) -> Result<&WeightMatrix<T>> {
        self.cotangents.as_ref().ok_or_else(|| Error::request("no weights are stored"))
    }

    /// Stores weights, or the fans that products find them from; then also what
    /// [`ResidentSurface::products`] needs beside these.
    pub(super) fn prepare(&mut self, cotangents: Cotangents) -> Result<Option<CotangentSums<T>>> {
        if cotangents == Cotangents::Stored {
            return self.weigh().map(|()| None);
        }
        self.check_triangles()?;
        self.store_fans()?;
        let (steps, fans) = (&self.query.steps, self.fans()?);
        let count = self.query.count(EntityKind::Vertex);
        let sums = CotangentSums { diagonal: steps.empty(count)?, masses: steps.empty(count)? };
        let arguments = vec![
            array(&fans.slices.starts),
            array(&fans.items),
            array(&self.points.values),
            number(count),
            array(&sums.diagonal),
            array(&sums.masses),
        ];
        let kernels = Kernels::new(&steps.functions, Variant::new(&COTANGENTS, T::PRECISION));
        steps.enqueue(&[kernels.items("weigh_vertices", count, THREADS, arguments)?])?;
        Ok(Some(sums))
    }

    /// Products with stored weights, or with weights from the points.
    pub(super) fn products<'m>(
        &'m self,
        sums: Option<&'m CotangentSums<T>>,
    ) -> Result<MatrixProducts<'m, T>> {
        let Some(CotangentSums { diagonal, masses }) = sums else {
            return Ok(self.weights()?.products());
        };
        let Fans { slices, items: ids } = self.fans()?;
        let (weights, cotangents) = (&self.points.values, Cotangents::Recomputed);
        Ok(MatrixProducts { slices, ids, weights, diagonal, masses, cotangents })
    }

    /// 1 at the ends of edges that have not two faces, else 0.
    pub(super) fn ends(&mut self) -> Result<Buffer<u32>> {
        self.query.store(Op::EF)?;
        let sides = self.query.lists(Op::EF)?;
        let steps = &self.query.steps;
        let fixed = Buffer::<u32>::zeros(&steps.stream, self.query.count(EntityKind::Vertex))?;
        let arguments = vec![
            array(&sides.starts),
            array(&self.query.mesh.edge_vertices),
            number(sides.count),
            array(&fixed),
        ];
        let kernels = Kernels::new(&steps.functions, Variant::new(&COTANGENTS, T::PRECISION));
        steps.enqueue(&[kernels.items("fix_boundary", sides.count, THREADS, arguments)?])?;
        Ok(fixed)
    }

    /// An attribute of vertices, of width 1, or 3 in rows of 4 numbers, for
    /// [`ResidentSurface::laplacian`].
    ///
    /// # Errors
    /// [`Error::Request`] if there is not one row of values per vertex, or too little memory.
    pub fn attribute(&self, width: usize, values: &[T]) -> Result<Attribute<T>> {
        self.query.attribute(EntityKind::Vertex, width, AttributeLayout::Interleaved, values)
    }

    /// L times values, `[vertex][component]`: the positive semidefinite cotangent matrix (Pinkall
    /// and Polthier 1993), as integrals over the cells around vertices. `values` have a width of 1,
    /// or of 4, of which the last is not read.
    ///
    /// # Errors
    /// [`Error::Mesh`] for a face that is not a triangle or has no area; [`Error::Request`] for
    /// other attributes, too little memory, or if a kernel fails.
    pub fn laplacian(&mut self, values: &Attribute<T>, cotangents: Cotangents) -> Result<Vec<T>> {
        let product = self.device_laplacian(values, cotangents)?;
        self.query.read(&product)
    }

    /// Like [`ResidentSurface::laplacian`], with the result left on the device in the order of the
    /// query.
    ///
    /// # Errors
    /// As [`ResidentSurface::laplacian`].
    pub fn device_laplacian(
        &mut self,
        values: &Attribute<T>,
        cotangents: Cotangents,
    ) -> Result<Attribute<T>> {
        let columns = match (values.kind(), values.width(), values.layout()) {
            (EntityKind::Vertex, 1, AttributeLayout::Interleaved) => 1,
            (EntityKind::Vertex, 4, AttributeLayout::Interleaved) => 3,
            _ => {
                return Err(Error::request("the Laplacian of such an attribute").with_help(
                    "give values of vertices, of width 1, or 4 for three side by side",
                ));
            }
        };
        self.query.check_attribute(values.kind, values.count)?;
        let sums = self.prepare(cotangents)?;
        let product = self.query.empty_attribute::<T>(
            EntityKind::Vertex,
            columns,
            AttributeLayout::Interleaved,
        )?;
        let launch = apply(
            &self.query.steps,
            self.products(sums.as_ref())?,
            columns,
            1.0,
            None,
            &values.values,
            &product.values,
        )?;
        let start = self.start()?;
        self.query.steps.enqueue(&[launch])?;
        self.note_time(&start)?;
        self.iterations = 0;
        Ok(product)
    }
}
