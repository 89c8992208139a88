//! Mesh queries on the device, by `kernels/query`.
//!
//! A [`DeviceQuery`] brings a mesh to a GPU, sorts its elements there ([`ElementOrder`], with the
//! ids of the CPU) and stores rows of neighbors when an operator is first used. Attributes lie in
//! the order, so that neighbors are near in memory, whatever the order of the file.
//! An [`Operator`] visits every element with its row: users write it in CUDA C++
//! (`kernels/query/query.cuh` says how).
//!
//! ```no_run
//! use subsolid::backend::cuda::query::{AttributeLayout, DeviceQuery};
//! use subsolid::backend::{Cuda, Precision};
//! use subsolid::query::{Op, QueryStrategy};
//! use subsolid::topology::order::EntityKind;
//!
//! let gpu = Cuda::new(0, Precision::F32)?;
//! let mesh = subsolid::read("models/bracket.vtk")?;
//! let mut query = DeviceQuery::of_solid(&gpu, &mesh, QueryStrategy::Rows)?;
//! let ones = vec![1.0_f32; mesh.points.len()];
//! let ones = query.attribute(EntityKind::Vertex, 1, AttributeLayout::Interleaved, &ones)?;
//! let corners = query.empty_attribute::<f32>(EntityKind::Cell, 1, AttributeLayout::Interleaved)?;
//! let sum = query.operator(
//!     Op::CV,
//!     "struct Arguments { Attribute<const float> values; Attribute<float> sums; };
//!      template <class Row>
//!      __device__ void visit(unsigned id, const Row& row, const Arguments& arguments) {
//!          float sum = 0;
//!          row.each([&](unsigned vertex) { sum += arguments.values(vertex); });
//!          arguments.sums(id) = sum;
//!      }",
//!     2,
//! )?;
//! query.run(&sum, &[(&ones).into(), (&corners).into()])?;
//! assert!(query.read(&corners)?.iter().all(|&corners| corners == 8.0));
//! # Ok::<(), subsolid::Error>(())
//! ```

mod attribute;
pub(in crate::backend::cuda) mod incidence;
pub(in crate::backend::cuda) mod operator;
mod order;
mod patches;
mod rows;
mod smooth;
pub(in crate::backend::cuda) mod steps;

pub use attribute::{Attribute, AttributeLayout};
pub(in crate::backend::cuda) use operator::variants;
pub use operator::{Operator, OperatorArgument};

use super::Cuda;
use crate::backend::cuda::driver::buffer::timed_event;
use crate::error::{Error, Result};
use crate::mesh::{SolidMesh, SurfaceMesh, check_point_count};
use crate::query::{Op, Query, QueryStrategy, topology};
use crate::topology::Rows;
use crate::topology::order::{DownwardIncidence, ElementOrder, EntityKind, PATCH_SIZE};
use incidence::{Incidence, Lists};
use order::Order;
use patches::Patches;
use rows::StoredRows;
use steps::SortStream;

/// Answers queries about one mesh on a GPU.
pub struct DeviceQuery {
    pub(in crate::backend::cuda) steps: SortStream,
    // in the order
    pub(in crate::backend::cuda) mesh: Incidence,
    order: Option<Order>,
    patches: Option<Patches>,
    // [op]
    rows: [Option<StoredRows>; 16],
    // [k - 2]: rows of vertices up to k edges away
    rings: Vec<StoredRows>,
}

impl DeviceQuery {
    /// Queries of a surface: manifold or not, of any polygons, holes included. Edges, order and
    /// rows are found on the device.
    ///
    /// # Errors
    /// As [`SurfaceMesh::check`]; [`Error::Request`] for a mesh without faces, an element with too
    /// many neighbors for [`QueryStrategy::Patches`], or too little memory.
    pub fn of_surface(gpu: &Cuda, mesh: &SurfaceMesh, strategy: QueryStrategy) -> Result<Self> {
        mesh.check()?;
        mesh.check_control()?;
        let steps = SortStream::new(gpu)?;
        let (incidence, _) = Incidence::of_surface(gpu, &steps, mesh)?;
        let host = || Query::of_surface(mesh, strategy);
        Self::of_incidence(steps, incidence, &mesh.points, strategy, host)
    }

    /// Seconds that it takes on the device from the corners and points of a surface there to its
    /// edges, their order and the incidence in it, for timing.
    ///
    /// # Errors
    /// As [`DeviceQuery::of_surface`].
    pub fn time_order(gpu: &Cuda, mesh: &SurfaceMesh) -> Result<f64> {
        mesh.check()?;
        mesh.check_control()?;
        let mut steps = SortStream::new(gpu)?;
        let points = steps.of(&mesh.points)?;
        let (incidence, of_edges) = Incidence::of_surface(gpu, &steps, mesh)?;
        let start = timed_event(&steps.stream)?;
        let order = Order::new(&mut steps, &incidence, &points, PATCH_SIZE)?;
        order.renumber(&mut steps, &incidence)?;
        Ok(of_edges + steps.seconds_since(&start)?)
    }

    /// Queries of a solid of any cells ([`topology`]). The host finds the faces and edges, the
    /// device the order and the rows.
    ///
    /// # Errors
    /// As [`topology`]; [`Error::Request`] for an element with too
    /// many neighbors for [`QueryStrategy::Patches`], or too little memory.
    pub fn of_solid(gpu: &Cuda, mesh: &SolidMesh, strategy: QueryStrategy) -> Result<Self> {
        Self::new(gpu, &DownwardIncidence::of_solid(&topology(mesh)?), &mesh.points, strategy)
    }

    /// Queries of any incidence over `points`.
    ///
    /// # Errors
    /// [`Error::Request`] if there is not one point for each vertex, an element has too many
    /// neighbors for [`QueryStrategy::Patches`], or for too little memory.
    pub fn new(
        gpu: &Cuda,
        mesh: &DownwardIncidence,
        points: &[[f64; 3]],
        strategy: QueryStrategy,
    ) -> Result<Self> {
        let steps = SortStream::new(gpu)?;
        let incidence = Incidence::of(&steps, mesh)?;
        let host = || Query::new(mesh.clone(), points, strategy);
        Self::of_incidence(steps, incidence, points, strategy, host)
    }

    fn of_incidence(
        mut steps: SortStream,
        mesh: Incidence,
        points: &[[f64; 3]],
        strategy: QueryStrategy,
        host: impl FnOnce() -> Result<Query>,
    ) -> Result<Self> {
        check_point_count(points.len(), mesh.vertex_count)?;
        let sorted = |steps: &mut SortStream, size| {
            let points = steps.of(points)?;
            let order = Order::new(steps, &mesh, &points, size)?;
            Ok((order.renumber(steps, &mesh)?, Some(order)))
        };
        let mut patches = None;
        let (mesh, order) = match strategy {
            QueryStrategy::Unordered => (mesh, None),
            QueryStrategy::Rows => sorted(&mut steps, PATCH_SIZE)?,
            QueryStrategy::Patches => {
                // the host finds the ribbons
                let host = host()?;
                patches = Some(Patches::new(&steps, host.packed_patches())?);
                sorted(&mut steps, host.order().map_or(PATCH_SIZE, ElementOrder::patch_size))?
            }
        };
        steps.synchronize()?;
        let (rows, rings) = (Default::default(), Vec::new());
        Ok(Self { steps, mesh, order, patches, rows, rings })
    }

    /// The order of the elements, copied to the host; none for [`QueryStrategy::Unordered`].
    ///
    /// # Errors
    /// [`Error::Request`] if a copy fails.
    pub fn order(&self) -> Result<Option<ElementOrder>> {
        self.order.as_ref().map(|order| order.read(&self.steps)).transpose()
    }

    /// Number of elements of a kind; a surface has no cells.
    pub fn count(&self, kind: EntityKind) -> usize {
        self.mesh.count(kind)
    }

    /// The queries that the mesh has.
    pub fn ops(&self) -> &'static [Op] {
        Op::of_top(self.mesh.top())
    }

    /// Stores the rows of `op`, if they are not there yet.
    ///
    /// # Errors
    /// [`Error::Request`] if the mesh has no such query, its rows 2³² entries or more, or the
    /// device has too little memory.
    pub fn store(&mut self, op: Op) -> Result<()> {
        op.check_of(self.mesh.top())?;
        if self.rows[op as usize].is_none() {
            let lists = rows::rows(&mut self.steps, &self.mesh, op)?;
            self.rows[op as usize] = Some(StoredRows::new(&self.steps, lists)?);
        }
        Ok(())
    }

    /// Stores the rows of `op` again, for timing; returns the seconds that it took on the device.
    ///
    /// # Errors
    /// As [`DeviceQuery::store`].
    pub fn rebuild(&mut self, op: Op) -> Result<f64> {
        self.rows[op as usize] = None;
        let start = timed_event(&self.steps.stream)?;
        self.store(op)?;
        self.steps.seconds_since(&start)
    }

    /// Rows that are stored.
    pub(in crate::backend::cuda) fn stored(&self, op: Op) -> Result<&StoredRows> {
        let rows = self.rows[op as usize].as_ref();
        rows.ok_or_else(|| Error::request(format!("no rows of {op}")))
    }

    /// Ids of rows that are stored.
    pub(in crate::backend::cuda) fn lists(&self, op: Op) -> Result<&Lists> {
        self.stored(op).map(|rows| &rows.lists)
    }

    /// Steps, and ids of rows that are stored.
    pub(in crate::backend::cuda) fn steps_and_lists(
        &mut self,
        op: Op,
    ) -> Result<(&mut SortStream, &Lists)> {
        let rows = self.rows[op as usize].as_ref();
        let rows = rows.ok_or_else(|| Error::request(format!("no rows of {op}")))?;
        Ok((&mut self.steps, &rows.lists))
    }

    /// Stores the rows of the vertices one to `k` edges away, `k` ≥ 1.
    pub(in crate::backend::cuda) fn store_ring(&mut self, k: usize) -> Result<()> {
        self.store(Op::VV)?;
        while self.rings.len() + 1 < k {
            let neighbors = self.rows[Op::VV as usize].as_ref();
            let neighbors = neighbors.ok_or_else(|| Error::request("no rows of vertices"))?;
            let last = self.rings.last().unwrap_or(neighbors);
            let ring = rows::wider_ring(&mut self.steps, &last.lists, &neighbors.lists)?;
            self.rings.push(StoredRows::new(&self.steps, ring)?);
        }
        Ok(())
    }

    /// k-rings that are stored.
    pub(in crate::backend::cuda) fn stored_ring(&self, k: usize) -> Result<&StoredRows> {
        match k {
            1 => self.stored(Op::VV),
            _ => self.rings.get(k - 2).ok_or_else(|| Error::request("no rows of vertices")),
        }
    }

    /// All rows of `op` by ids of the order, copied to the host.
    ///
    /// # Errors
    /// As [`DeviceQuery::store`].
    pub fn rows(&mut self, op: Op) -> Result<Rows> {
        self.store(op)?;
        self.lists(op)?.read(&self.steps)
    }

    /// The k-ring of every vertex by ids of the order, copied to the host: the vertices one to
    /// `k` edges away.
    ///
    /// # Errors
    /// As [`DeviceQuery::store`]; [`Error::Request`] for 0 rings.
    pub fn rings(&mut self, k: usize) -> Result<Rows> {
        if k == 0 {
            return Err(Error::request("rings of 0 edges").with_help("ask for 1 or more"));
        }
        self.store_ring(k)?;
        self.stored_ring(k)?.lists.read(&self.steps)
    }
}
