//! A layer of ghost cells around a solid.
//!
//! # Theory
//! At the boundary the natural end condition limits the space of splines to order 2.5, and creases
//! fold the volume at concave edges. Cells outside give both what they lack: around a boundary edge
//! with c cells inside and g ghosts outside, the cells inside take c/(c + g) of the turn in the
//! characteristic map, and a linear map keeps "less than half" and "more than half". So a smooth edge
//! wants c = g, a convex sharp one c < g, a concave one c > g.
//!
//! The cells at a boundary vertex are a disc of corners (its link); ghosts complete it to a sphere with
//! the wanted numbers on its rim. Cones, with two ghosts at each edge, always do: they are the
//! fallback, which the report names.
//!
//! # Data flow
//! ```text
//! mesh ─degrees▶ ghosts wanted at each edge ─link▶ corners at each vertex ─cubes▶ cells ─points▶ mesh
//! ```
//! Points of ghosts are the natural extrapolation, p₋₁ = 2p₀ − p₁ along each line of cells, so that the
//! limit of regular parts stays as it was, creased at convex edges.
//!
//! A solid that is cut between groups of cells ([`split_groups`]) has ghosts on both sides of the cut.
//!
//! Ghosts of a periodic solid are images of its own cells instead ([`extend_periodic`]).

mod cubes;
mod degrees;
mod groups;
mod link;
mod periodic;
mod points;
mod report;

use crate::error::{Error, IdKind, Result};
use crate::mesh::{Attribute, CellArray, CellKind, Creases, SolidMesh};
use crate::topology::{Orientation, Topology};

use cubes::GhostCubes;
use degrees::GhostDegrees;
use link::Rims;

pub(crate) use points::{across, extrapolations};

pub use groups::{SplitSolid, split_groups};
pub use periodic::extend_periodic;
pub use report::{EdgeFallback, ExtensionReport, FallbackReason};

/// Adds a layer of ghost cells around a solid; edges are sharp where the normals of their faces differ
/// by more than `degrees`, and where they are infinitely sharp creases. Creases and corners are
/// gone: the ghosts shape the edges. Faces of groups stay; cell arrays of ghosts have the values of the
/// cell beside them, groups of cells have no ghosts.
///
/// # Errors
/// [`Error::Request`] for an angle outside [0, 180] and a mesh that has ghosts already;
/// [`Error::Mesh`] for a defect of the mesh, a boundary face that is not a quad, and semi-sharp
/// creases, which ghosts cannot stand for.
pub fn extend(mesh: &SolidMesh, degrees: f64) -> Result<(SolidMesh, ExtensionReport)> {
    check_angle(degrees)?;
    let topology = Topology::of_mesh(mesh)?;
    check_no_ghosts(&topology)?;
    topology.validate(&mesh.points)?;
    topology.check_has_boundary()?;
    check_quads(&topology)?;
    check_creases(&mesh.creases)?;
    let orientation = Orientation::new(&topology, &mesh.points)?;
    let rims = Rims::new(&topology, &orientation);
    let mut wanted = GhostDegrees::new(mesh, &topology, &orientation, degrees);
    let cubes = GhostCubes::complete(&topology, &orientation, &rims, &mut wanted)?;
    let report = ExtensionReport {
        ghosts: cubes.cells.len(),
        vertices: cubes.vertices,
        ..wanted.report(&topology)
    };
    Ok((extended(mesh, &cubes)?, report))
}

fn check_no_ghosts(topology: &Topology) -> Result<()> {
    if topology.has_ghosts() {
        return Err(Error::request("the mesh has ghost cells already")
            .with_help("take the mesh without them"));
    }
    Ok(())
}

/// Refuses an angle outside [0, 180] degrees.
pub(crate) fn check_angle(degrees: f64) -> Result<()> {
    if (0.0..=180.0).contains(&degrees) {
        return Ok(());
    }
    Err(Error::request(format!("an angle of {degrees} degrees: out of range"))
        .with_help("give an angle from 0 to 180, for instance 40"))
}

/// The mesh with the cubes as ghost cells.
fn extended(mesh: &SolidMesh, cubes: &GhostCubes) -> Result<SolidMesh> {
    let mut own = mesh.clone();
    let first = mesh.cells.len() as u32;
    for cube in &cubes.cells {
        own.cells.push(CellKind::Hexahedron, &cube.corners);
    }
    let mut is_known = vec![true; mesh.points.len()];
    is_known.resize(mesh.points.len() + cubes.vertices, false);
    let rules = extrapolations(&own.cells, is_known);
    if !rules.are_complete() {
        return Err(Error::mesh("no line of cells leads to some ghost vertex")
            .with_help("refine the mesh once"));
    }
    let values = rules.extend(mesh.points.as_flattened(), 3);
    own.points = values.as_chunks::<3>().0.to_vec();
    let extended = |a: &Attribute| Attribute {
        name: a.name.clone(),
        width: a.width,
        values: rules.extend(&a.values, a.width),
    };
    own.attributes = mesh.attributes.iter().map(extended).collect();
    for array in &mut own.cell_data {
        let is_group = array.group_name().is_some();
        for cube in &cubes.cells {
            let row = &array.values[cube.beside as usize * array.width..][..array.width];
            let row: Vec<f64> = if is_group { vec![0.0; array.width] } else { row.to_vec() };
            array.values.extend(row);
        }
    }
    let cells = own.cells.len();
    own.cell_data.push(CellArray::ghosts(cells, first..cells as u32));
    own.creases = Creases::default();
    // its ghosts are no images
    own.periods.clear();
    Ok(own)
}

fn check_quads(topology: &Topology) -> Result<()> {
    let faces = 0..topology.face_count() as u32;
    let other = faces
        .filter(|&f| topology.is_boundary_face(f))
        .find(|&f| topology.face_vertices(f).len() != 4);
    match other {
        None => Ok(()),
        Some(face) => {
            let vertices = IdKind::Vertex.ids(topology.face_vertices(face).iter().copied());
            Err(Error::mesh(message!("the boundary face of ", vertices, " is not a quad"))
                .with_help("refine the mesh once: ghosts stand beside hexahedra"))
        }
    }
}

fn check_creases(creases: &Creases) -> Result<()> {
    let semi_sharp = |sharpness: f64| sharpness > 0.0 && sharpness.is_finite();
    match creases.edges.iter().find(|crease| semi_sharp(crease.sharpness)) {
        None => Ok(()),
        Some(crease) => {
            let ends = IdKind::Vertex.ids(crease.edge().map(|v| v.0));
            Err(Error::mesh(message!(
                "the edge of ",
                ends,
                " is semi-sharp, for which ghosts cannot stand"
            ))
            .with_help("make it smooth or infinitely sharp"))
        }
    }
}
