//! What distances are measured to.

use crate::error::IdKind::Vertex;
use crate::error::{Command, Error, Result, option_name};
use crate::mesh::SolidMesh;
use crate::topology::{Sharpness, Topology};

/// A vertex whose distance is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seed {
    /// The vertex.
    pub vertex: u32,
    /// Distance of the vertex, at least 0; 0 on the target itself.
    pub distance: f64,
}

impl Seed {
    /// A vertex of the target.
    pub fn on(vertex: u32) -> Self {
        Self { vertex, distance: 0.0 }
    }
}

/// All vertices of the boundary.
///
/// # Errors
/// [`Error::Mesh`] for a mesh that is not valid or has no boundary.
pub fn boundary_seeds(mesh: &SolidMesh) -> Result<Vec<Seed>> {
    let topology = listed_topology(mesh)?;
    topology.check_has_boundary()?;
    let vertices = 0..mesh.points.len() as u32;
    Ok(vertices.filter(|&v| topology.is_boundary_vertex(v)).map(Seed::on).collect())
}

/// All vertices of sharp edges, and sharp vertices.
///
/// # Errors
/// As [`boundary_seeds`]; [`Error::Request`] if nothing is sharp.
pub fn crease_seeds(mesh: &SolidMesh) -> Result<Vec<Seed>> {
    let topology = listed_topology(mesh)?;
    Sharpness::resolve(&mesh.creases, &topology)?;
    let edges = mesh.creases.edges.iter().filter(|crease| crease.sharpness > 0.0);
    let corners = mesh.creases.corners.iter().filter(|corner| corner.sharpness > 0.0);
    let mut vertices: Vec<u32> = edges.flat_map(|c| c.edge().map(|v| v.0)).collect();
    vertices.extend(corners.map(|corner| corner.vertex.0));
    vertices.sort_unstable();
    vertices.dedup();
    if vertices.is_empty() {
        return Err(Error::request("the mesh has no creases to measure the distance to")
            .with_help(message!(
                "give ",
                option_name("creases"),
                " or ",
                option_name("crease_angle")
            )));
    }
    Ok(vertices.into_iter().map(Seed::on).collect())
}

/// All vertices of the sides of the boundary, as creases bound them, that `vertices` lie in or
/// on: the whole of a bore, of a flat side.
///
/// # Errors
/// As [`boundary_seeds`]; [`Error::Request`] for a vertex that does not exist or lies inside.
pub fn boundary_patches(mesh: &SolidMesh, vertices: &[u32]) -> Result<Vec<Seed>> {
    let topology = listed_topology(mesh)?;
    let sharpness = Sharpness::resolve(&mesh.creases, &topology)?;
    let mut seen = vec![false; topology.face_count()];
    let mut stack = Vec::new();
    for &v in vertices {
        if v as usize >= mesh.points.len() || !topology.is_boundary_vertex(v) {
            return Err(Error::request(message!(Vertex.id(v), " is not on the boundary"))
                .with_help("name vertices of the boundary"));
        }
        stack.extend(topology.vertex_faces(v).iter().filter(|&&f| topology.is_boundary_face(f)));
    }
    let mut reached = vec![false; mesh.points.len()];
    while let Some(face) = stack.pop() {
        if std::mem::replace(&mut seen[face as usize], true) {
            continue;
        }
        topology.face_vertices(face).iter().for_each(|&v| reached[v as usize] = true);
        for &edge in topology.face_edges(face) {
            if sharpness.edge(edge) == 0.0 {
                let faces = topology.edge_faces(edge).iter();
                stack.extend(faces.filter(|&&f| topology.is_boundary_face(f)));
            }
        }
    }
    let vertices = 0..mesh.points.len() as u32;
    Ok(vertices.filter(|&v| reached[v as usize]).map(Seed::on).collect())
}

/// All vertices of the faces and of the cells of the groups `name`
/// ([`FaceGroup`](crate::mesh::FaceGroup), [`CellArray::group`](crate::mesh::CellArray::group)).
/// Faces may lie between cells.
///
/// # Errors
/// As [`boundary_seeds`] and [`Topology::group_faces`]; [`Error::Request`] if there is no such
/// group, or it is empty.
pub fn group_seeds(mesh: &SolidMesh, name: &str) -> Result<Vec<Seed>> {
    let topology = listed_topology(mesh)?;
    let of_faces = mesh.face_groups.iter().find(|group| group.name == name);
    let of_cells = mesh.cell_data.iter().find(|array| array.group_name() == Some(name));
    if of_faces.is_none() && of_cells.is_none() {
        let groups = |kind, names: Vec<&str>| match &names[..] {
            [] => format!("no groups of {kind}"),
            _ => format!("the groups of {kind} {}", names.join(", ")),
        };
        let faces = mesh.face_groups.iter().map(|group| &group.name[..]).collect();
        let cells = mesh.cell_data.iter().filter_map(|array| array.group_name()).collect();
        return Err(Error::request(format!("no group is named \"{name}\"")).with_help(format!(
            "the mesh has {} and {}",
            groups("faces", faces),
            groups("cells", cells)
        )));
    }
    let mut reached = vec![false; mesh.points.len()];
    let faces = of_faces.map(|group| topology.group_faces(group)).transpose()?.unwrap_or_default();
    let faces = faces.iter().flat_map(|&face| topology.face_vertices(face));
    let cells = of_cells.into_iter().flat_map(|array| array.members());
    let cells = cells.flat_map(|cell| mesh.cells.vertices(cell as usize));
    faces.chain(cells).for_each(|&v| reached[v as usize] = true);
    let vertices = 0..mesh.points.len() as u32;
    let seeds: Vec<Seed> = vertices.filter(|&v| reached[v as usize]).map(Seed::on).collect();
    if seeds.is_empty() {
        return Err(Error::request(format!("the group \"{name}\" is empty")).with_help(message!(
            "name a group that has faces or cells (",
            Command::ListGroups,
            ")"
        )));
    }
    Ok(seeds)
}

pub(super) fn listed_topology(mesh: &SolidMesh) -> Result<Topology> {
    mesh.check()?;
    Topology::build(mesh.cells.clone(), mesh.points.len())
}
