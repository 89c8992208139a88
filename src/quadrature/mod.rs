//! Quadrature for isogeometric analysis: what a solver needs to integrate over a
//! Catmull-Clark solid, with the vertices of its control mesh as degrees of freedom.
//!
//! # Theory
//! The limit of a cell is x(u, v, w) = Σ N_c(u, v, w) p_c over the control points p_c
//! around it; the same functions N_c carry the unknowns of a solver. On regular cells
//! they are tricubic polynomials, integrated by Gauss points. Toward an extraordinary
//! edge or vertex they are tricubic by parts only, on boxes that halve from ring to
//! ring: each box has Gauss points of its own.
//!
//! Rings shrink geometrically. So a few of them stand for all (`series.rs`): the first ones
//! for themselves, and four or five further in, with weights > 0, for the *remainder*, all
//! that lies within. How many it takes to have integrals right to [`RING_TOLERANCE`]
//! follows from the largest eigenvalue of the leaf's structure: ten rings at an interior
//! edge of valence 3, thirteen at any valence. The smaller the share of a box, the fewer Gauss
//! points it has. A given number of rings ([`QuadratureScheme::rings`]) leaves one box at the edge
//! or vertex itself as the remainder instead, whose Gauss points integrate approximately: the
//! error falls by 6 a ring at interior edges of valence 3, by 3 at 5, by 2.3 at 11 and by 8
//! at smooth edges of boxes. Either way the parameter volume of the remainder and its
//! volume are reported for every cell.
//!
//! The determinant of the Jacobian of a tricubic map has degree 8 in each of u, v, w, so
//! that 5 Gauss points integrate it exactly, and 4 nearly so: volumes by
//! [`QuadratureScheme::default`] equal the flux through the boundary to 10⁻⁸ at any valence, those
//! by 4 points to 10⁻⁷ (see `tests/jobs/quadrature`).
//!
//! # Boundaries
//! On the boundary N depends on the boundary's own control points only, and the second
//! derivative across it is 0 (p₋₁ = 2p₀ − p₁). Boundary values that are 0 or linear in
//! space are imposed exactly as coefficients; solutions that bend across the boundary
//! converge with less than the full order 4.
//!
//! # Practice
//! [`Quadrature`] sorts the leaves of a solid into [`QuadratureBatch`]es of equal [`BasisValues`]:
//! one table for all cells of a batch, and of all batches whose leaves evaluate alike on their own
//! nets, however large and turned they are. It depends on connectivity and [`QuadratureScheme`]
//! only; its [`QuadratureLayout`] says beforehand how large it is. For given control points,
//! [`Mapping`] gives the physical quantities ([`LeafQuantities`]) leaf range by leaf range, so that
//! memory stays bounded, and [`Report`] the volume, the remainders and the quality. [`write_npz`]
//! and [`points()`] make files. Programs that each hold a part of a mesh join what they find
//! ([`ReportShare`]) and write the pieces of one file ([`PieceCut`]).
//!
//! A *leaf* is a whole cell, or a dyadic descendant of a cell that is refined inside before it
//! evaluates (see [`crate::limit`]); its basis belongs to the vertices of the mesh all the
//! same, by the stencils of the refinement.
//!
//! ```
//! use subsolid::{Quadrature, Solid, Want, quadrature::{LeafQuantities, Mapping, QuadratureScheme}};
//! let mesh = subsolid::read("models/bracket.vtk")?;
//! let solid = Solid::new(&mesh)?;
//! let quadrature = Quadrature::new(&solid, QuadratureScheme { gauss: 4, rings: None }, Want::FIRST)?;
//! let mapping = Mapping::new(&quadrature, mesh.controls())?;
//! let (mut mapped, mut volume) = (LeafQuantities::default(), 0.0);
//! for (batch, leaves) in quadrature.pieces(100_000) {
//!     mapping.evaluate(batch, leaves, &mut mapped)?;
//!     volume += mapped.measures.iter().sum::<f64>();
//! }
//! assert!(volume > 0.0);
//! # Ok::<(), subsolid::Error>(())
//! ```

mod archive;
mod basis;
mod batch;
mod boxes;
mod gradients;
mod host;
mod layout;
mod leaf_points;
mod mapping;
mod own_nets;
mod pieces;
mod place_condition;
mod points;
mod pull;
mod report;
mod scheme;
mod series;
mod sides;
mod signs;
mod surface;
mod traces;

pub use crate::backend::operations::{BasisValues, LeafQuantities, PhysicalDerivatives};
pub use archive::{ExportOptions, Store, archive_bytes, write_boundary_npz, write_npz};
pub use batch::QuadratureBatch;
pub use boxes::LeafFace;
pub use gradients::physical_derivatives;
pub use layout::QuadratureLayout;
pub use leaf_points::LeafPoints;
pub use mapping::Mapping;
pub(crate) use own_nets::OwnBasis;
pub use pieces::PieceCut;
pub use place_condition::PlaceCondition;
pub use points::points;
pub use report::{CellReport, Report, ReportShare};
pub(crate) use scheme::RingAccuracy;
pub use scheme::{DEFAULT_GAUSS, MAX_QUADRATURE_RINGS, QuadratureScheme, RING_TOLERANCE};
pub(crate) use sides::turns_at_ghosts;
pub use sides::{BoundaryPart, Regions, face_vertices, side_vertices, sides};
pub use signs::{LEFT_HANDED, check_positive, jacobians};
pub use surface::{BoundaryReport, GroupReport, SideReport, SurfaceSums};
pub(crate) use traces::{FaceTraces, TraceRow};

use std::borrow::Cow;
use std::ops::Range;

use rayon::prelude::*;

use crate::error::{Error, Result, option};
use crate::limit::{AxisPermutation, Element, Leaf, LeafKind, Solid};
use crate::memory;
use crate::mesh::{Controls, Handedness, check_coordinates, check_point_count};
use crate::numbers::{Precision, by_count, counted};
use crate::plan::Want;

use batch::QuadratureItem;
use layout::{TableLayout, table_bytes};
use series::RingRules;

/// Quadrature points and basis functions of all cells of a solid, for any control
/// points; see the module's introduction.
#[derive(Debug)]
pub struct Quadrature<'s> {
    layout: QuadratureLayout<'s>,
    // [table]: what leaves share that evaluate alike on their own nets, by local axes
    bases: Vec<BasisValues>,
}

impl<'s> Quadrature<'s> {
    /// Makes the tables of basis functions of a layout.
    pub fn of(layout: QuadratureLayout<'s>) -> Self {
        let QuadratureLayout { solid, want, tables, .. } = &layout;
        let basis =
            |table: &TableLayout| BasisValues::new(solid, table.key.kind, &table.points, *want);
        let bases = tables.par_iter().map(basis).collect();
        Self { layout, bases }
    }

    /// Prepares the basis functions of a solid with first derivatives, and second ones if
    /// they are in `want`.
    ///
    /// # Errors
    /// [`Error::Request`] for Gauss points or rings out of range.
    pub fn new(solid: &'s Solid, scheme: QuadratureScheme, want: Want) -> Result<Self> {
        QuadratureLayout::new(solid, scheme, want).map(Self::of)
    }

    /// Prepares the basis functions on the boundary: on the faces of the mesh that `keep`
    /// returns true for. Leaves of the batches are then faces of leaves
    /// ([`QuadratureBatch::side`]), with weights of their own parameters, and a [`Mapping`] gives
    /// normals.
    ///
    /// # Errors
    /// [`Error::Request`] for Gauss points or rings out of range, and for tables that would fill
    /// the memory.
    pub fn boundary(
        solid: &'s Solid,
        scheme: QuadratureScheme,
        want: Want,
        keep: impl Fn(u32) -> bool,
    ) -> Result<Self> {
        QuadratureLayout::boundary(solid, scheme, want, keep).map(Self::of)
    }

    /// What was known before the tables were made.
    pub fn layout(&self) -> &QuadratureLayout<'s> {
        &self.layout
    }

    /// The solid prepared for.
    pub fn solid(&self) -> &'s Solid {
        self.layout.solid()
    }

    /// The quadrature points that are used.
    pub fn scheme(&self) -> QuadratureScheme {
        self.layout.scheme()
    }

    /// The derivatives that the tables hold.
    pub fn want(&self) -> Want {
        self.layout.want
    }

    /// Bytes that the tables of a solid would need in memory, by a valid scheme
    /// ([`QuadratureScheme::check`]).
    pub fn estimate(solid: &Solid, scheme: QuadratureScheme, want: Want) -> usize {
        table_bytes(solid, &QuadratureItem::leaves(solid), scheme, want, RingAccuracy::EXACT)
    }

    /// Refuses tables that would fill the memory.
    ///
    /// # Errors
    /// [`Error::Request`] with the number of rings that fit, and for points or rings out of range.
    pub fn check_memory(solid: &Solid, scheme: QuadratureScheme, want: Want) -> Result<()> {
        Self::check_memory_to(solid, scheme, want, RingAccuracy::EXACT)
    }

    /// [`Quadrature::check_memory`] with another accuracy where the number of rings is not given.
    pub(crate) fn check_memory_to(
        solid: &Solid,
        scheme: QuadratureScheme,
        want: Want,
        accuracy: RingAccuracy,
    ) -> Result<()> {
        scheme.check()?;
        let items = QuadratureItem::leaves(solid);
        let need = |rings| {
            let scheme = QuadratureScheme { rings, ..scheme };
            table_bytes(solid, &items, scheme, want, accuracy) as u128
        };
        memory::check_half("tables of basis functions need", need(scheme.rings), |limit| {
            // more rings need more: the first number that does not fit
            let (mut fit, mut most) = (0, scheme.rings.unwrap_or(MAX_QUADRATURE_RINGS));
            while fit < most {
                let middle = fit + (most - fit) / 2;
                if need(Some(middle)) <= limit {
                    fit = middle + 1;
                } else {
                    most = middle;
                }
            }
            match fit {
                0 => "ask for fewer Gauss points".into(),
                _ => message!("ask for at most ", option("rings", fit - 1)),
            }
        })
    }

    /// Number of points that a solid would have, by a valid scheme ([`QuadratureScheme::check`]).
    pub fn point_count(solid: &Solid, scheme: QuadratureScheme) -> usize {
        let (keys, used) = batch::table_keys(solid, &QuadratureItem::leaves(solid));
        let rules = RingRules::new(RingAccuracy::EXACT);
        let count = |&key| leaf_points::sample_count(solid, key, scheme, &rules);
        let samples: Vec<usize> = keys.iter().map(count).collect();
        used.iter().map(|&table| samples[table]).sum()
    }

    /// All batches; together they hold every leaf once.
    pub fn batches(&self) -> &[QuadratureBatch] {
        &self.layout.batches
    }

    /// How the leaves of a batch evaluate, in their local axes, and how often they are
    /// split off their elements: they span 2⁻ᵈ of it along each axis.
    pub fn kind(&self, batch: usize) -> (LeafKind, u8) {
        (self.table(batch).key.kind, self.layout.batches[batch].depth)
    }

    /// Number of quadrature points of each leaf of a batch.
    pub fn samples(&self, batch: usize) -> usize {
        self.table(batch).points.len()
    }

    /// Quadrature points of a batch, by the local axes of its leaves.
    pub fn leaf_points(&self, batch: usize) -> &LeafPoints {
        &self.table(batch).points
    }

    /// Parameters of the quadrature points of a batch within its leaves, `[sample][3]`, by
    /// the axes of their elements. The element's are [`Quadrature::origin`] + 2⁻ᵈ times
    /// these.
    pub fn parameters(&self, batch: usize) -> Vec<[f64; 3]> {
        self.leaf_points(batch).permuted(self.layout.batches[batch].permutation)
    }

    /// The basis functions of a batch's control points: of [`QuadratureBatch::control_ids`]. Made
    /// on demand where a table does not have them.
    pub fn basis(&self, batch: usize) -> Cow<'_, BasisValues> {
        let mut basis = Cow::Borrowed(self.table_basis(batch));
        let (table, batch) = (self.table(batch), &self.layout.batches[batch]);
        if batch.is_pulled {
            let leaf = self.leaf(batch.leaves[0]);
            let net = batch::net(self.layout.solid, leaf, &table.slots);
            basis = Cow::Owned(
                basis.pulled(&self.layout.pull.columns(self.layout.solid, &net).weights),
            );
        }
        if (batch.permutation, batch.depth) != (AxisPermutation::IDENTITY, 0) {
            basis = Cow::Owned(basis.within(batch.permutation, batch.depth));
        }
        basis
    }

    /// Whether this is a [`Quadrature::boundary`].
    pub fn is_boundary(&self) -> bool {
        self.layout.is_boundary
    }

    /// Refuses a quadrature of the boundary.
    pub(crate) fn check_volume(&self) -> Result<()> {
        if !self.layout.is_boundary {
            return Ok(());
        }
        Err(Error::request("a quadrature of the boundary, where one of the volume is wanted")
            .with_help("make it with Quadrature::new"))
    }

    /// Refuses a quadrature of the volume.
    pub(crate) fn check_boundary(&self) -> Result<()> {
        if self.layout.is_boundary {
            return Ok(());
        }
        Err(Error::request("a quadrature of the volume, where one of the boundary is wanted")
            .with_help("make it with Quadrature::boundary"))
    }

    /// The element of a leaf.
    fn element(&self, leaf: u32) -> &'s Element {
        &self.layout.solid.elements()[self.layout.solid.leaves()[leaf as usize].element as usize]
    }

    /// The lowest parameters of a leaf in its element.
    pub fn origin(&self, leaf: u32) -> [f64; 3] {
        let leaf = self.leaf(leaf);
        leaf.origin.map(|x| f64::from(x) / f64::from(leaf.depth).exp2())
    }

    /// Number of quadrature points of all leaves.
    pub fn sample_count(&self) -> usize {
        self.layout.sample_count()
    }

    /// Bytes of all tables in memory.
    pub fn bytes(&self) -> usize {
        let bases = self.bases.iter().map(BasisValues::bytes).sum::<usize>();
        bases + self.layout.tables.iter().map(|table| 32 * table.points.len()).sum::<usize>()
    }

    /// Checks that a batch has such leaves.
    fn check_leaves(&self, batch: usize, leaves: &Range<usize>) -> Result<()> {
        let count = self.layout.batches.get(batch).map_or(0, |batch| batch.leaves.len());
        if batch < self.layout.batches.len() && leaves.start <= leaves.end && leaves.end <= count {
            return Ok(());
        }
        let are = by_count(self.layout.batches.len(), "is", "are");
        let batches = counted(self.layout.batches.len(), "batch");
        Err(Error::request(format!(
            "leaves {leaves:?} of batch {batch}, which has {count}; there {are} {batches}"
        ))
        .with_help("name a batch of the quadrature, and leaves that it has"))
    }

    /// Refuses control points that are not one for every vertex, or not finite.
    pub(crate) fn check_controls(&self, controls: Controls<'_>) -> Result<()> {
        check_point_count(controls.positions.len(), self.layout.solid.topology().vertex_count())?;
        check_coordinates(controls.positions, Precision::F64)
    }

    /// Whether all cells of the mesh are left-handed hexahedra at these control points.
    pub(crate) fn is_left_handed(&self, positions: &[[f64; 3]]) -> bool {
        Handedness::of(self.layout.solid.topology().cells(), positions).is_all_left()
    }

    fn table(&self, batch: usize) -> &TableLayout {
        &self.layout.tables[self.layout.batches[batch].table]
    }

    /// The basis of a batch's table.
    fn table_basis(&self, batch: usize) -> &BasisValues {
        &self.bases[self.layout.batches[batch].table]
    }

    fn leaf(&self, leaf: u32) -> &'s Leaf {
        self.layout.leaf(leaf)
    }
}
