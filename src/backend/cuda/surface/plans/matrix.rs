//! Refinement by the mesh matrix on a GPU.

use crate::numbers::Real;
use cudarc::driver::DeviceRepr;
use std::collections::BTreeMap;

use crate::backend::cuda::Cuda;

use crate::backend::cuda::surface::refine::{
    CreaseTags, FaceArrays, MatrixScheme, RefinedLevels, SurfaceMatrix,
};
use crate::error::Result;
use crate::mesh::{BoundaryRule, CreaseRule, SurfaceMesh};
use crate::scheme::Split;
use crate::scheme::loop_scheme::beta;
use crate::scheme::sqrt3::alpha;
use crate::surface::SurfaceOptions;
use crate::surface::refine::sharpness::LevelSharpness;
use crate::topology::surface::{Columns, SurfaceTopology};

/// The mesh matrix of a surface, its edges found on a GPU.
///
/// # Errors
/// As [`SurfaceMesh::check`]; [`crate::Error::Request`] for a mesh without faces, or too
/// little memory.
pub fn device_matrix(mesh: &SurfaceMesh, gpu: &Cuda) -> Result<SurfaceMatrix> {
    mesh.check()?;
    mesh.check_control()?;
    let columns = Columns::of(&mesh.faces);
    let tables;
    let (size, ends, faces) = match &columns {
        Columns::Uniform(size @ (3 | 4)) => (*size, &[][..], &[][..]),
        Columns::Uniform(size) => {
            let corners = 0..mesh.faces.vertices().len() as u32;
            let ends = mesh.faces.ends().map(|end| end as u32);
            tables = (ends.collect::<Vec<_>>(), corners.map(|c| c / size).collect::<Vec<_>>());
            (0, &tables.0[..], &tables.1[..])
        }
        Columns::Polygons { ends, faces } => (0, &ends[..], &faces[..]),
    };
    let vertices = mesh.faces.vertices();
    SurfaceMatrix::new(
        gpu,
        FaceArrays { vertex_count: mesh.points.len(), size, ends, faces, vertices },
    )
}

/// The topology on the host, as the device built it.
pub(super) fn host_topology(mesh: &SurfaceMesh, matrix: &SurfaceMatrix) -> Result<SurfaceTopology> {
    let edge_corners = matrix.edge_corners()?;
    Ok(SurfaceTopology {
        vertex_count: mesh.points.len(),
        face_count: mesh.faces.len(),
        corner_count: mesh.faces.vertices().len(),
        columns: Columns::of(&mesh.faces),
        vertices: mesh.faces.vertices().to_vec(),
        edges: matrix.edges()?,
        edge_count: edge_corners.len(),
        edge_corners,
        non_manifold_edges: matrix.non_manifold_edges()?.iter().map(|row| row[0]).collect(),
    })
}

/// All levels of a mesh that has triangles only, if the scheme is not Catmull-Clark's.
pub(super) fn levels<T: Real + DeviceRepr>(
    mesh: &SurfaceMesh,
    matrix: SurfaceMatrix,
    options: &SurfaceOptions,
    rule: CreaseRule,
) -> Result<RefinedLevels<T>> {
    let scheme = match options.scheme.split() {
        Split::Quads => MatrixScheme::Quads,
        Split::FourTriangles => MatrixScheme::FourTriangles { beta },
        Split::ThreeTriangles => {
            MatrixScheme::ThreeTriangles { alpha, keeps_corners: keeps_corners(mesh) }
        }
    };
    let counts = matrix.counts();
    let smooth = match options.scheme.split() {
        Split::FourTriangles | Split::Quads => counts.is_closed_manifold(),
        // ends have rules of their own
        Split::ThreeTriangles => true,
    };
    if smooth && mesh.creases.is_empty() {
        return RefinedLevels::new(matrix, scheme, options.levels, None);
    }
    if has_lost_corner(mesh) {
        check_tags(mesh)?;
    }
    let tags = tags(mesh, rule);
    let levels = RefinedLevels::new(matrix, scheme, options.levels, Some(&tags))?;
    if levels.found_tags()? != tags.edges.len() {
        check_tags(mesh)?;
    }
    Ok(levels)
}

/// Refuses tags that have no vertex, or no edge, in the words of the CPU.
pub(super) fn check_tags(mesh: &SurfaceMesh) -> Result<()> {
    LevelSharpness::of(mesh, &SurfaceTopology::of(mesh), mesh.crease_rule).map(drop)
}

/// Whether a tag has no vertex.
pub(super) fn has_lost_corner(mesh: &SurfaceMesh) -> bool {
    mesh.creases.corners.iter().any(|corner| corner.vertex.index() >= mesh.points.len())
}

/// Whether vertices of one face stay where the surface ends.
fn keeps_corners(mesh: &SurfaceMesh) -> bool {
    mesh.boundary == BoundaryRule::EdgesAndCorners
}

/// Tags in order; of several at one edge or vertex the last counts.
pub(super) fn tags(mesh: &SurfaceMesh, rule: CreaseRule) -> CreaseTags {
    let edges = mesh.creases.edges.iter().map(|crease| {
        let [a, b] = crease.edge().map(|v| u64::from(v.0));
        (a.min(b) << 32 | a.max(b), crease.sharpness)
    });
    let edges: BTreeMap<u64, f64> = edges.collect();
    let corners = mesh.creases.corners.iter().map(|corner| (corner.vertex.0, corner.sharpness));
    let corners: BTreeMap<u32, f64> = corners.collect();
    let (edges, edge_sharpness) = edges.into_iter().unzip();
    let (vertices, vertex_sharpness) = corners.into_iter().unzip();
    let chaikin = rule == CreaseRule::Chaikin;
    CreaseTags {
        edges,
        edge_sharpness,
        vertices,
        vertex_sharpness,
        keeps_corners: keeps_corners(mesh),
        chaikin,
    }
}
