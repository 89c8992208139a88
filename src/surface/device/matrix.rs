//! Refinement by the mesh matrix on a GPU: what is sharp comes from the host.

use crate::backend::Cuda;
use crate::backend::cuda::edge_friend::Real;
use crate::backend::cuda::surface::{
    DeviceLevels, DeviceMatrix, FaceArrays, MatrixScheme, SharpArrays,
};
use crate::error::Result;
use crate::mesh::{BoundaryRule, CreaseRule, SurfaceMesh};
use crate::surface::Scheme;
use crate::surface::manifold::touching_vertices;
use crate::surface::matrix::{Columns, MeshMatrix};
use crate::surface::sharpness::{NonManifold, SharpEdge, Sharpness};
use crate::surface::sqrt3::alpha;
use crate::surface::triangles::beta;
use crate::surface::triangulate::triangulate;
use crate::topology::NONE;

/// The mesh matrix of a surface, its edges found on a GPU.
///
/// # Errors
/// Those of [`SurfaceMesh::check`]; [`crate::Error::Request`] for a mesh without faces, or too
/// little memory.
pub fn device_matrix(mesh: &SurfaceMesh, gpu: &Cuda) -> Result<DeviceMatrix> {
    mesh.check()?;
    let columns = Columns::of(mesh.faces.ends());
    let tables;
    let (size, ends, faces) = match &columns {
        Columns::Uniform(size @ (3 | 4)) => (*size, &[][..], &[][..]),
        Columns::Uniform(size) => {
            let corners = 0..mesh.faces.vertices().len() as u32;
            let faces: Vec<u32> = corners.map(|c| c / size).collect();
            tables = faces;
            (0, mesh.faces.ends(), &tables[..])
        }
        Columns::Polygons { ends, faces } => (0, &ends[..], &faces[..]),
    };
    let vertices = mesh.faces.vertices();
    DeviceMatrix::new(
        gpu,
        FaceArrays { vertex_count: mesh.points.len(), size, ends, faces, vertices },
    )
}

/// The matrix on the host, as the device built it.
pub(super) fn host_matrix(mesh: &SurfaceMesh, matrix: &DeviceMatrix) -> Result<MeshMatrix> {
    Ok(MeshMatrix {
        vertex_count: mesh.points.len(),
        face_count: mesh.faces.len(),
        columns: Columns::of(mesh.faces.ends()),
        vertices: mesh.faces.vertices().to_vec(),
        edges: matrix.edges()?,
        edge_corners: matrix.edge_corners()?,
        crowded_edges: matrix.crowded_edges()?.iter().map(|row| row[0]).collect(),
    })
}

/// Whether a GPU refines a surface by √3: whether it is, cut into triangles, an oriented manifold
/// without rings of two triangles.
pub(super) fn can_turn(mesh: &SurfaceMesh) -> bool {
    if mesh.check().is_err() {
        return false;
    }
    let mesh = triangulate(mesh).mesh;
    let vertices = mesh.faces.vertices().to_vec();
    let matrix = MeshMatrix::build(mesh.points.len(), Columns::of(mesh.faces.ends()), vertices);
    let is_inner = |c: u32| matrix.edge_corners[matrix.edges[c as usize] as usize][1] != NONE;
    let inner = |c: u32| is_inner(c) && is_inner(matrix.columns.previous(c));
    let folds = |row: &[u32]| row.len() == 2 && row.iter().all(|&c| inner(c));
    matrix.is_oriented()
        && touching_vertices(&matrix).is_empty()
        && !matrix.vertex_corners().iter().any(folds)
}

/// What is sharp at every level but the last; nothing if all is smooth.
#[derive(Default)]
pub(super) struct Sharp {
    levels: Vec<Sharpness>,
    /// Edges that stay sharp after the last level by their tags.
    pub remaining: Vec<SharpEdge>,
    /// Whether vertices of one face stay where the surface ends.
    keeps_corners: bool,
}

impl Sharp {
    /// Of a mesh that has triangles only, if the scheme is Loop's.
    pub fn new(
        mesh: &SurfaceMesh,
        matrix: &DeviceMatrix,
        scheme: Scheme,
        levels: usize,
        rule: CreaseRule,
    ) -> Result<Self> {
        let counts = matrix.counts();
        let keeps_corners = mesh.boundary == BoundaryRule::EdgesAndCorners;
        let smooth = match scheme {
            // edges of many faces are smoothed over two of them
            Scheme::Loop => counts.open == 0,
            _ => counts.is_closed_manifold(),
        };
        // corners that the boundary rule keeps are ends of open edges
        if scheme == Scheme::Sqrt3 || mesh.creases.is_empty() && smooth {
            return Ok(Self { keeps_corners, ..Self::default() });
        }
        let non_manifold = match scheme {
            Scheme::Loop => NonManifold::FirstTwo,
            _ => NonManifold::Sharp,
        };
        let host = host_matrix(mesh, matrix)?;
        let mut all = vec![Sharpness::of(mesh, &host, non_manifold)?];
        let (mut vertices, mut faces) = (host.vertex_count, host.face_count);
        let (mut edges, mut corners) = (host.edge_count(), host.vertices.len());
        for level in 0..levels {
            let first_edge_point = vertices + if scheme == Scheme::Loop { 0 } else { faces };
            all.push(all[level].refined(first_edge_point as u32, rule));
            vertices = first_edge_point + edges;
            faces = corners;
            edges = 2 * edges + corners;
            corners *= 4;
        }
        let mut remaining = all.pop().map_or(Vec::new(), |last| last.edges);
        remaining.retain(|sharp| {
            // a half of edge e is 2e or 2e + 1: those of the control mesh stand above
            let control = sharp.edge >> levels;
            let open = host.edge_corners[control as usize][1] == NONE;
            let crowded = host.crowded_edges.binary_search(&control).is_ok();
            !(open || crowded && scheme != Scheme::Loop)
        });
        Ok(Self { levels: all, remaining, keeps_corners })
    }

    /// All levels on the device.
    pub fn levels<T: Real>(
        &self,
        matrix: DeviceMatrix,
        scheme: Scheme,
        levels: usize,
    ) -> Result<DeviceLevels<T>> {
        let arrays: Vec<SharpArrays> = self.levels.iter().map(arrays).collect();
        let scheme = match scheme {
            Scheme::CatmullClark => MatrixScheme::CatmullClark,
            Scheme::Loop => MatrixScheme::Loop { beta },
            Scheme::Sqrt3 => MatrixScheme::Sqrt3 { alpha, keeps_corners: self.keeps_corners },
        };
        DeviceLevels::new(matrix, scheme, levels, &arrays)
    }
}

fn arrays(sharpness: &Sharpness) -> SharpArrays {
    let (edges, held) = (&sharpness.edges, &sharpness.held);
    SharpArrays {
        edges: edges.iter().map(|sharp| sharp.edge).collect(),
        edge_ends: edges.iter().map(|sharp| sharp.ends).collect(),
        sharpness: edges.iter().map(|sharp| sharp.sharpness).collect(),
        held: held.iter().map(|held| held.vertex).collect(),
        held_ends: held.iter().map(|held| held.ends).collect(),
        weights: held.iter().map(|held| [held.smooth, held.along, held.still]).collect(),
    }
}
