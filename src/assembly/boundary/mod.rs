//! Another basis of the space of a solid with ghosts: values on the boundary, and bends across it.
//!
//! # Theory
//! Across a side control values P₋₁ (of a ghost), P₀, P₁ have the trace (P₋₁ + 4 P₀ + P₁)/6. With the
//! bend g = P₋₁ − (2 P₀ − P₁), which natural ends set to 0, it is P₀ + g/6. So in place of P₋₁ and P₀
//! the unknowns are g and V = P₀ + g/6:
//!
//! > P₀ = V − g/6, P₋₁ = 2 P₀ − P₁ + g.
//!
//! Functions of bends and of vertices inside are 0 on the side: to give V its values imposes values on
//! the side exactly. Beyond sharp edges lines cross those of other sides, and both changes are made, one
//! after the other: the product of matrices is the tensor product. [`BoundaryBasis`] has control values
//! as sparse rows over the unknowns, which have the numbers of the vertices: V that of its vertex of
//! the boundary, g that of its ghost.
//!
//! Where a solid is cut between groups of cells ([`split_groups`](crate::extend::split_groups)) values
//! are continuous: both sides have their own bends, and one V. Relations between the unknowns of both
//! sides, which make their limits on the cut the same, follow from the functions on each pair of faces;
//! where lines are those of grids they say V = V.
//!
//! Where stars are not regular, as at concave edges, whose ghosts two sides share, there is no V. Ghosts
//! have bends there all the same, from all lines that lead to them, so that natural ends are where all
//! bends are 0; [`BoundaryBasis::held`] finds and names the faces where values are not exact.

mod changes;
mod condition;
mod held;
mod interfaces;
mod lines;

pub use condition::BasisCondition;
pub use held::{BoundaryValues, HeldUnknowns};
pub use interfaces::join_interfaces;

use std::collections::HashMap;

use crate::error::Result;
use crate::mesh::Creases;
use crate::numbers::Csr;
use crate::quadrature::{Regions, sides};
use crate::scheme::Stencils;
use crate::topology::Topology;
use changes::{BasisChanges, csr};
use interfaces::Interfaces;
use lines::Lines;

/// Control values of a solid over unknowns, some of which are values on the boundary.
///
/// ```
/// use subsolid::assembly::BoundaryBasis;
/// use subsolid::mesh::shape::Shape;
/// use subsolid::quadrature::Regions;
/// use subsolid::{Solid, extend::extend};
///
/// let (mesh, _) = extend(&Shape::Box { cells: [2, 2, 2] }.build()?, 40.0)?;
/// let solid = Solid::new(&mesh)?;
/// let regions = Regions::new(&solid, &mesh)?;
/// let basis = BoundaryBasis::new(&regions)?;
/// let held = basis.held(&solid, &regions.find_side(0)?)?;
/// assert_eq!((held.unknowns.len(), held.inexact_faces.len()), (25, 0));
/// # Ok::<(), subsolid::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct BoundaryBasis {
    // [vertex] over [unknown]
    matrix: Csr,
    transposed: Csr,
    // [unknown]
    is_bend: Vec<bool>,
    // [face]
    sheets: Vec<u32>,
    lines: Lines,
    // [vertex] of a periodic solid or one of groups: the vertex whose value it has
    images: Option<Vec<u32>>,
    // [unknown]: others that have its value
    aliases: HashMap<u32, Vec<u32>>,
}

impl BoundaryBasis {
    /// The basis of a solid with these sides; without ghosts the unknowns are the control values.
    /// Of a periodic solid vertices that are images of each other have one value, that of their
    /// first in the solid; unknowns of the others have no function, and count as bends. So do those
    /// that follow from others where groups of cells meet.
    ///
    /// # Errors
    /// As [`SolidMesh::periodic_vertices`](crate::mesh::SolidMesh::periodic_vertices);
    /// [`Error::Mesh`](crate::Error::Mesh) for a face between groups of cells without one in its
    /// place, and one that is no side of a hexahedron.
    pub fn new(regions: &Regions<'_>) -> Result<Self> {
        let topology = regions.solid().topology();
        if let Some(images) = regions.mesh().periodic_vertices()? {
            let rows = images.iter().map(|&image| vec![(image, 1.0)]).collect();
            let is_bend = (0..).zip(&images).map(|(v, image)| v != *image).collect();
            let own = Self::of_rows(rows, is_bend, regions.sheets(), Lines::default());
            return Ok(Self { images: Some(images), ..own });
        }
        let own = Self::of_sheets(topology, regions.sheets());
        match Interfaces::new(regions, None)? {
            Some(interfaces) => own.joined(&interfaces, regions),
            None => Ok(own),
        }
    }

    /// The basis whose functions are continuous between groups of cells.
    fn joined(self, interfaces: &Interfaces, regions: &Regions<'_>) -> Result<Self> {
        let relations = interfaces.relations(regions.solid(), &self.matrix)?;
        let rows = (0..self.matrix.rows()).map(|v| relations.replaced(self.matrix.row(v)));
        let rows = rows.collect();
        let is_bend = (0..).zip(&self.is_bend).map(|(u, own)| *own || relations.has(u)).collect();
        let images = interfaces.images(&relations);
        let aliases = relations.aliases();
        let own = Self::of_rows(rows, is_bend, regions.sheets(), self.lines);
        Ok(Self { images: Some(images), aliases, ..own })
    }

    /// The basis by the cells alone, whatever creases, periods and groups the mesh has.
    pub(crate) fn of_ghosts(topology: &Topology) -> Self {
        Self::of_sheets(topology, &sides(topology, &Creases::default()).0)
    }

    fn of_sheets(topology: &Topology, sheets: &[u32]) -> Self {
        let (changes, is_bend, lines) = BasisChanges::new(topology, sheets);
        Self::of_rows(changes.rows(topology.vertex_count()), is_bend, sheets, lines)
    }

    fn of_rows(
        rows: Vec<Vec<(u32, f64)>>,
        is_bend: Vec<bool>,
        sheets: &[u32],
        lines: Lines,
    ) -> Self {
        let matrix = csr(rows);
        let (sheets, transposed) = (sheets.to_vec(), matrix.transposed());
        let (images, aliases) = (None, HashMap::new());
        Self { matrix, transposed, is_bend, sheets, lines, images, aliases }
    }

    /// Control values over the unknowns: sparse rows of the vertices, with columns that ascend.
    pub fn matrix(&self) -> &Csr {
        &self.matrix
    }

    /// [`Self::matrix`] and the transposed.
    pub(crate) fn matrices(&self) -> [&Csr; 2] {
        [&self.matrix, &self.transposed]
    }

    /// Whether each unknown is a bend across the boundary, 0 for constants; others are 1 for these.
    pub fn is_bend(&self) -> &[bool] {
        &self.is_bend
    }

    /// `[vertex]` of a periodic solid, or one of groups of cells: the vertex whose value it has.
    pub(crate) fn images(&self) -> Option<&[u32]> {
        self.images.as_deref()
    }

    /// Limits over unknowns where all bends are 0, from limits over control values; a bend stays.
    pub fn natural_limits(&self, limits: &Stencils) -> Stencils {
        Stencils::build(limits.len(), |vertex, row| {
            if self.is_bend[vertex] {
                return row.add(vertex as u32, 1.0);
            }
            for (control, weight) in limits.row(vertex) {
                self.natural(control).for_each(|(unknown, value)| row.add(unknown, weight * value));
            }
        })
    }

    /// The row of a control value over unknowns that are no bends.
    pub(crate) fn natural(&self, control: u32) -> impl Iterator<Item = (u32, f64)> + '_ {
        let row = self.matrix.row(control as usize);
        row.filter(|&(unknown, _)| !self.is_bend[unknown as usize])
    }

    /// Control values, `[vertex][width]`, of unknowns, `[unknown][width]`.
    ///
    /// # Panics
    /// If there are not `width` numbers for each unknown.
    pub fn control_values(&self, unknowns: &[f64], width: usize) -> Vec<f64> {
        let mut values = vec![0.0; unknowns.len()];
        self.matrix.apply_wide(unknowns, width, &mut values);
        values
    }

    /// Loads on unknowns, `[unknown][width]`, of those on control values: Cᵀ f.
    ///
    /// # Panics
    /// If there are not `width` numbers for each vertex.
    pub fn unknown_loads(&self, loads: &[f64], width: usize) -> Vec<f64> {
        let mut values = vec![0.0; loads.len()];
        self.transposed.apply_wide(loads, width, &mut values);
        values
    }
}
