//! The surface that bounds a solid.

use crate::error::{Error, Result};
use crate::mesh::{FaceGroup, Polygons, SolidMesh, SurfaceMesh, numbered};
use crate::topology::{Orientation, Topology};

/// The boundary faces of a solid, outward whatever the corner order of its cells, with its
/// creases, corners and attributes.
///
/// Vertices keep their order, those inside the solid are left out. Refined as a
/// Catmull-Clark surface it is the boundary of the refined solid, and so in the limit.
///
/// # Errors
/// [`Error::Mesh`](crate::Error::Mesh) for cells that are not valid or without a common
/// orientation, a crease or corner inside the solid, and a solid without a boundary;
/// [`Error::Request`](crate::Error::Request) for a solid with ghosts.
pub fn boundary_surface(solid: &SolidMesh) -> Result<SurfaceMesh> {
    boundary_with_topology(solid, &Topology::of_mesh(solid)?)
}

/// The boundary faces of a solid whose topology ([`Topology::of_mesh`]) is known, as
/// [`boundary_surface`] finds them.
///
/// # Errors
/// As [`boundary_surface`].
pub fn boundary_with_topology(solid: &SolidMesh, topology: &Topology) -> Result<SurfaceMesh> {
    refuse_ghosts(topology)?;
    topology.validate(&solid.points)?;
    topology.check_has_boundary()?;
    let orientation = Orientation::new(topology, &solid.points)?;
    crate::topology::Sharpness::resolve(&solid.creases, topology)?;
    let vertices = 0..topology.vertex_count() as u32;
    let (kept, numbers) = numbered(vertices.map(|v| topology.is_boundary_vertex(v)));
    let mut faces = Polygons::default();
    for f in (0..topology.face_count() as u32).filter(|&f| topology.is_boundary_face(f)) {
        let cycle = orientation.outward_cycle(topology, f).map(|v| numbers[v as usize]);
        faces.push(&cycle.collect::<Vec<u32>>());
    }
    let points = kept.iter().map(|&v| solid.points[v as usize]).collect();
    let mut surface = SurfaceMesh::new(points, faces);
    for crease in solid.creases.edges.iter().filter(|crease| crease.sharpness > 0.0) {
        let [a, b] = crease.edge().map(|v| numbers[v.index()]);
        surface.creases.push_edge(a, b, crease.sharpness);
    }
    for corner in solid.creases.corners.iter().filter(|corner| corner.sharpness > 0.0) {
        surface.creases.push_corner(numbers[corner.vertex.index()], corner.sharpness);
    }
    surface.attributes = solid.attributes.iter().map(|a| a.of_vertices(&kept)).collect();
    surface.check()?;
    Ok(surface)
}

/// Refuses a solid with ghosts.
fn refuse_ghosts(topology: &Topology) -> Result<()> {
    if !topology.has_ghosts() {
        return Ok(());
    }
    Err(Error::request("the boundary of a solid with ghost cells is no subdivision surface: its limit depends on control points inside")
        .with_help("take samples of it: an evaluation, or a .glb file of its view"))
}

/// Groups of faces of a solid on its boundary, as the faces of [`boundary_surface`], by their names;
/// without those that have no face there. Also the number of faces of groups that are not there.
pub fn boundary_groups(solid: &SolidMesh, topology: &Topology) -> (Vec<(String, Vec<u32>)>, usize) {
    let mut next = 0..;
    let mut place = |f| if topology.is_boundary_face(f) { next.next() } else { None };
    let places: Vec<Option<u32>> = (0..topology.face_count() as u32).map(&mut place).collect();
    let mut inner = 0;
    let mut of_group = |group: &FaceGroup| {
        let place = |face: &[u32]| places[topology.face_with(face)? as usize];
        let mut members: Vec<u32> = group.faces.iter().filter_map(place).collect();
        inner += group.faces.len() - members.len();
        members.sort_unstable();
        members.dedup();
        (!members.is_empty()).then(|| (group.name.clone(), members))
    };
    let groups = solid.face_groups.iter().filter_map(&mut of_group).collect();
    (groups, inner)
}

/// The cell that each face of [`boundary_surface`] belongs to.
pub fn boundary_cells(topology: &Topology) -> Vec<u32> {
    let faces = (0..topology.face_count() as u32).filter(|&f| topology.is_boundary_face(f));
    faces.map(|f| topology.face_cells(f)[0]).collect()
}
