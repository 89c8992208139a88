//! Refinement by the mesh matrix on a GPU: what is sharp comes from the host.

use crate::backend::Cuda;
use crate::backend::cuda::edge_friend::Real;
use crate::backend::cuda::surface::{
    DeviceLevels, DeviceMatrix, FaceArrays, MatrixScheme, SharpArrays,
};
use crate::error::Result;
use crate::mesh::{BoundaryRule, CreaseRule, SurfaceMesh};
use crate::surface::Scheme;
use crate::surface::matrix::{Columns, MeshMatrix};
use crate::surface::sharpness::{NonManifold, Sharpness};
use crate::surface::triangles::beta;

/// The mesh matrix of a surface, its edges found on a GPU.
///
/// # Errors
/// [`crate::Error::Request`] for a mesh without faces, or too little memory.
pub fn device_matrix(mesh: &SurfaceMesh, gpu: &Cuda) -> Result<DeviceMatrix> {
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

/// All levels of a mesh, which has triangles only for Loop's scheme.
pub(super) fn levels<T: Real>(
    mesh: &SurfaceMesh,
    scheme: Scheme,
    levels: usize,
    rule: CreaseRule,
    gpu: &Cuda,
) -> Result<DeviceLevels<T>> {
    let matrix = device_matrix(mesh, gpu)?;
    let sharpness = sharpness(mesh, &matrix, scheme, levels, rule)?;
    let arrays: Vec<SharpArrays> = sharpness.iter().map(arrays).collect();
    let scheme = match scheme {
        Scheme::Loop => MatrixScheme::Loop { beta },
        _ => MatrixScheme::CatmullClark,
    };
    DeviceLevels::new(matrix, scheme, levels, &arrays)
}

/// What is sharp at every level but the last; nothing if all is smooth.
fn sharpness(
    mesh: &SurfaceMesh,
    matrix: &DeviceMatrix,
    scheme: Scheme,
    levels: usize,
    rule: CreaseRule,
) -> Result<Vec<Sharpness>> {
    let counts = matrix.counts();
    let untagged = mesh.creases.is_empty() && mesh.boundary != BoundaryRule::EdgesAndCorners;
    let smooth = match scheme {
        // edges of many faces are smoothed over two of them
        Scheme::Loop => counts.open == 0,
        _ => counts.is_closed_manifold(),
    };
    if untagged && smooth {
        return Ok(Vec::new());
    }
    let non_manifold = match scheme {
        Scheme::Loop => NonManifold::FirstTwo,
        _ => NonManifold::Sharp,
    };
    let host = host_matrix(mesh, matrix)?;
    let mut sharpness = vec![Sharpness::of(mesh, &host, non_manifold)?];
    let (mut vertices, mut faces) = (host.vertex_count, host.face_count);
    let (mut edges, mut corners) = (host.edge_count(), host.vertices.len());
    for level in 1..levels {
        let first_edge_point = vertices + if scheme == Scheme::Loop { 0 } else { faces };
        sharpness.push(sharpness[level - 1].refined(first_edge_point as u32, rule));
        vertices = first_edge_point + edges;
        faces = corners;
        edges = 2 * edges + corners;
        corners *= 4;
    }
    Ok(sharpness)
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
