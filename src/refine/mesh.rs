//! Refinement of whole meshes, positions and attributes included.

use super::{hexahedra, refine};
use crate::error::{Error, Result};
use crate::memory;
use crate::mesh::{Attribute, Cells, Creases, FaceGroup, SolidMesh, check_value_count};
use crate::numbers::{by_count, counted};
use crate::scheme::{Stencils, VertexRule};
use crate::topology::{Sharpness, Topology, stars};

/// Maximum number of cells that a refinement makes, so that every index fits.
const MAX_CELLS: u128 = Cells::MAX as u128;
/// Memory that refinement and setup need, in bytes per cell.
const BYTES_A_CELL: u128 = 700;

/// The connectivity of a refined mesh and how its vertices come from the control
/// points, reusable for any positions and attributes of the same mesh.
#[derive(Clone, Debug)]
pub struct MeshRefinement {
    levels: Vec<Stencils>,
    cells: Vec<[u32; 8]>,
    creases: Creases,
    // of the mesh given
    vertices: usize,
    // [cell of the finest level]: the cell of the mesh given that it comes from
    parents: Vec<u32>,
    // of the finest level
    face_groups: Vec<FaceGroup>,
}

impl MeshRefinement {
    /// Refines the connectivity of `mesh` `levels` ≥ 1 times. Ghosts are refined where the limit of
    /// the solid depends on their children.
    ///
    /// # Errors
    /// [`Error::Request`] for 0 levels, or if the result would have more than 2²⁸ cells;
    /// [`Error::Mesh`] for cells, creases or groups that are not valid.
    pub fn new(mesh: &SolidMesh, levels: usize, rule: VertexRule) -> Result<Self> {
        check_request(mesh, levels)?;
        Self::with_topology(mesh, Topology::of_mesh(mesh)?, levels, rule)
    }

    /// Refines the connectivity of a mesh whose topology ([`Topology::of_mesh`]) is known.
    ///
    /// # Errors
    /// As [`MeshRefinement::new`].
    pub fn with_topology(
        mesh: &SolidMesh,
        mut topology: Topology,
        levels: usize,
        rule: VertexRule,
    ) -> Result<Self> {
        check_request(mesh, levels)?;
        topology.validate(&mesh.points)?;
        let mut result = Self {
            levels: Vec::new(),
            cells: Vec::new(),
            creases: mesh.creases.clone(),
            vertices: mesh.points.len(),
            parents: (0..mesh.cells.len() as u32).collect(),
            face_groups: mesh.face_groups.clone(),
        };
        for level in 0..levels {
            let sharpness = Sharpness::resolve(&result.creases, &topology)?;
            let stars = stars(&topology, &sharpness);
            // of ghosts the children that the limit of the solid depends on
            let region = topology.solid_cells();
            let step = refine(&topology, &sharpness, &stars, rule, region.as_deref());
            result.face_groups = step.face_groups(&topology, &result.face_groups)?;
            result.creases = step.creases;
            result.cells = step.cells;
            if level + 1 < levels {
                let parents = step.parents.iter().map(|&(parent, _)| parent);
                let cells = hexahedra(&result.cells);
                topology = topology.of_children(cells, step.stencils.len(), parents)?;
            }
            let parents = step.parents.iter().map(|&(parent, _)| result.parents[parent as usize]);
            result.parents = parents.collect();
            result.levels.push(step.stencils);
        }
        Ok(result)
    }

    /// Stencils from level to level.
    pub fn stencils(&self) -> &[Stencils] {
        &self.levels
    }

    /// Cells of the finest level; see [`super::Refinement::cells`] for the order.
    pub fn cells(&self) -> &[[u32; 8]] {
        &self.cells
    }

    /// Refines `values` (`[control point][component]`) down to the finest level.
    ///
    /// # Errors
    /// [`Error::Request`] if they are not `width` ≥ 1 values for every control point.
    pub fn apply(&self, values: &[f64], width: usize) -> Result<Vec<f64>> {
        check_value_count(values, width, self.vertices)?;
        let mut values = values.to_vec();
        for stencils in &self.levels {
            values = stencils.apply(&values, width);
        }
        Ok(values)
    }

    /// The refined mesh of `mesh`, which must have the connectivity given to
    /// [`MeshRefinement::new`]; its points and attributes may have changed.
    ///
    /// # Errors
    /// [`Error::Request`] for another number of points, or of an attribute's values.
    pub fn mesh(&self, mesh: &SolidMesh) -> Result<SolidMesh> {
        let flat: Vec<f64> = mesh.points.iter().flatten().copied().collect();
        let points = self.apply(&flat, 3)?.chunks_exact(3).map(|p| [p[0], p[1], p[2]]).collect();
        let refined = |attribute: &Attribute| {
            Ok(Attribute {
                name: attribute.name.clone(),
                width: attribute.width,
                values: self.apply(&attribute.values, attribute.width)?,
            })
        };
        let attributes = mesh.attributes.iter().map(refined).collect::<Result<_>>()?;
        Ok(SolidMesh {
            points,
            cells: hexahedra(&self.cells),
            creases: self.creases.clone(),
            attributes,
            cell_data: mesh.cell_data.iter().map(|a| a.of_cells(self.parents())).collect(),
            face_groups: self.face_groups.clone(),
            is_fitted: mesh.is_fitted,
            periods: mesh.periods.clone(),
        })
    }

    /// The cell of the mesh given that each finest cell comes from.
    pub fn parents(&self) -> impl Iterator<Item = u32> {
        self.parents.iter().copied()
    }
}

fn check_request(mesh: &SolidMesh, levels: usize) -> Result<()> {
    if levels == 0 {
        return Err(Error::request("0 levels of refinement")
            .with_help("ask for 1 or more: 0 levels are the mesh itself"));
    }
    check_levels(mesh.cells.len(), child_count(mesh), levels)
}

/// Number of cells of `mesh` refined `levels` times; saturates.
pub fn refined_cell_count(mesh: &SolidMesh, levels: usize) -> u128 {
    count_after(mesh.cells.len(), child_count(mesh), levels)
}

/// Number of cells of a mesh refined once: one at each corner of a cell.
pub(crate) fn child_count(mesh: &SolidMesh) -> u64 {
    (0..mesh.cells.len()).map(|c| mesh.cells.vertices(c).len() as u64).sum()
}

/// Number of cells after `levels` refinements, of which the first makes `children`.
fn count_after(cells: usize, children: u64, levels: usize) -> u128 {
    if levels == 0 {
        return cells as u128;
    }
    let more = u32::try_from(levels - 1).ok().and_then(|more| 8_u128.checked_pow(more));
    more.map_or(u128::MAX, |n| u128::from(children).saturating_mul(n))
}

/// Refuses `levels` refinements of `cells` cells, of which the first makes `children`, if they make
/// too many.
pub(crate) fn check_levels(cells: usize, children: u64, levels: usize) -> Result<()> {
    let fits = |&level: &usize| count_after(cells, children, level) <= MAX_CELLS;
    if fits(&levels) {
        return Ok(());
    }
    let fit = (0..levels).take_while(fits).last().unwrap_or(0);
    let levels = counted(levels, "level");
    Err(Error::request(format!("{levels} of refinement would make more than {MAX_CELLS} cells"))
        .with_help(message!("ask for at most ", counted(fit, "level"), " of this mesh")))
}

/// Refuses `levels` refinements of a mesh whose cells would fill the memory, when the result is
/// analyzed as a solid.
///
/// # Errors
/// [`Error::Request`] with the number of levels that fit.
pub fn check_memory(mesh: &SolidMesh, levels: usize) -> Result<()> {
    let children = child_count(mesh);
    let count = |levels| count_after(mesh.cells.len(), children, levels);
    let help = |memory: u128| {
        let most = MAX_CELLS.min(memory / BYTES_A_CELL);
        let fit = (0..levels).take_while(|&level| count(level) <= most).last().unwrap_or(0);
        message!("ask for at most ", counted(fit, "level"), " of this mesh")
    };
    let all = memory::free_memory().map_or(u128::MAX, u128::from);
    check_levels(mesh.cells.len(), children, levels).map_err(|e| e.with_help(help(all)))?;
    let what = format!("{} {}", counted(levels, "level"), by_count(levels, "needs", "need"));
    memory::check(what, count(levels) * BYTES_A_CELL, help)
}

/// Refines a mesh `levels` times; 0 levels give the mesh itself.
///
/// # Errors
/// As [`MeshRefinement::new`].
pub fn refine_mesh(mesh: &SolidMesh, levels: usize, rule: VertexRule) -> Result<SolidMesh> {
    if levels == 0 {
        return Ok(mesh.clone());
    }
    MeshRefinement::new(mesh, levels, rule)?.mesh(mesh)
}
