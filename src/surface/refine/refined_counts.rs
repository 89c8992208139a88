//! What a refinement will take, said before anything is allocated.

use crate::error::{Error, Result};
use crate::memory;
use crate::mesh::SurfaceMesh;
use crate::numbers::{by_count, counted};
use crate::scheme::{FaceShape, Split};
use crate::surface::options::{Method, SurfaceOptions};

/// Elements of the result, in 128 bits: no level overflows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Vertices of the result, at most.
    pub vertices: u128,
    /// Faces of the result, holes included.
    pub faces: u128,
    /// Corners of its faces, the ghosts of edge-friend included.
    corners: u128,
}

/// Predicts the elements of the refined mesh. Exact but for the vertices, which are
/// counted as if no two faces shared an edge in the control mesh.
pub fn refined_counts(mesh: &SurfaceMesh, options: &SurfaceOptions) -> Counts {
    let corners = mesh.faces.vertices().len() as u128;
    let control_faces = mesh.faces.len() as u128;
    let mut vertices = mesh.points.len() as u128;
    let triangles = corners.saturating_sub(2 * control_faces);
    // (faces, edges) of the present level
    let (mut faces, mut edges, size) = match options.scheme.shape() {
        FaceShape::Quad => (control_faces, corners, 4),
        FaceShape::Triangle => (triangles, 3 * triangles, 3),
    };
    let control_corners = if size == 4 { corners } else { 3 * triangles };
    let mut corners = control_corners;
    for _ in 0..options.levels {
        if corners == 0 || corners == u128::MAX {
            break; // nothing changes, however many levels follow
        }
        match options.scheme.split() {
            Split::Quads => {
                vertices = vertices.saturating_add(faces).saturating_add(edges);
                edges = edges.saturating_mul(2).saturating_add(corners);
                faces = corners;
            }
            Split::FourTriangles => {
                vertices = vertices.saturating_add(edges);
                edges = edges.saturating_mul(2).saturating_add(corners);
                faces = faces.saturating_mul(4);
            }
            Split::ThreeTriangles => {
                vertices = vertices.saturating_add(faces).saturating_add(edges);
                faces = faces.saturating_mul(3);
                edges = edges.saturating_mul(3);
            }
        }
        corners = faces.saturating_mul(size);
    }
    if options.method == Method::EdgeFriend {
        // a boundary edge of the control mesh has one ghost corner
        corners = corners.saturating_mul(2);
    }
    Counts { vertices, faces, corners }
}

/// Memory that refinement of points and attributes needs at its peak, in bytes.
pub fn refinement_bytes(mesh: &SurfaceMesh, options: &SurfaceOptions) -> u128 {
    let counts = refined_counts(mesh, options);
    let attributes: usize = mesh.attributes.iter().map(|a| a.width.div_ceil(3)).sum();
    // the coarser levels add up to a third: points and vertex lists of two levels, edges
    // and their corners of all but the last, then the result
    let columns = 1 + attributes as u128;
    let points = counts.vertices.saturating_mul(24 * (2 + columns));
    let a_corner = match (options.scheme.split(), options.method) {
        // the level before the last has no lists
        (Split::Quads, Method::Auto | Method::Matrix | Method::Static)
            if !options.scheme.rules().is_linear() =>
        {
            10
        }
        _ => 18,
    };
    let lists = counts.corners.saturating_mul(a_corner + if mesh.uv.is_some() { 14 } else { 0 });
    let method = match options.method {
        Method::Auto => Method::of(options.scheme),
        method => method,
    };
    let matrix = match method {
        // rows of the product: about 16 control points, 12 bytes each; both its factors take less
        Method::Single => {
            counts.vertices.saturating_mul(2 * 16 * 12).saturating_add(dense_bytes(mesh, options))
        }
        // points in slots, and which slot is which vertex
        Method::Static => counts.vertices.saturating_mul(24 + 28),
        _ => 0,
    };
    points.saturating_add(lists).saturating_add(matrix)
}

/// Refuses a refinement that would fill the memory.
///
/// # Errors
/// [`Error::Request`] with the number of levels that fit.
pub fn check_memory(mesh: &SurfaceMesh, options: &SurfaceOptions) -> Result<()> {
    let need = |levels| refinement_bytes(mesh, &SurfaceOptions { levels, ..*options });
    let (levels, faces) = (options.levels, refined_counts(mesh, options).faces);
    let [make, need_them] = [("makes", "make"), ("needs", "need")];
    let [make, need_them] = [make, need_them].map(|(one, many)| by_count(levels, one, many));
    let what = format!("{} {make} {faces} faces and {need_them}", counted(levels, "level"));
    memory::check(what, need(levels), |memory| {
        // upward: a few levels fill any memory, however many are asked for
        let fit = (0..levels).take_while(|&level| need(level) <= memory).last().unwrap_or(0);
        message!("ask for at most ", counted(fit, "level"), " of this model")
    })
}

/// Weights in the single matrix that faces of many corners and vertices of many faces add:
/// every point beside the middle of one depends on all control points around it.
fn dense_bytes(mesh: &SurfaceMesh, options: &SurfaceOptions) -> u128 {
    const MIN_DENSE_CORNERS: usize = 16;
    let mut valences = vec![0; mesh.points.len()];
    for &v in mesh.faces.vertices() {
        if let Some(valence) = valences.get_mut(v as usize) {
            *valence += 1;
        }
    }
    let sizes = mesh.faces.iter().map(<[u32]>::len);
    let squares: u128 =
        sizes.chain(valences).filter(|&n| n > MIN_DENSE_CORNERS).map(|n| (n as u128).pow(2)).sum();
    let points = match options.scheme.split() {
        Split::ThreeTriangles => 3u128,
        _ => 4,
    };
    let levels = u32::try_from(options.levels).unwrap_or(u32::MAX);
    squares.saturating_mul(points.saturating_pow(levels.saturating_sub(1))).saturating_mul(12)
}

/// Refuses a refinement that 32-bit ids cannot number. Vertices are always listed by such ids,
/// but of the last level nothing refers to a corner: only those before need ids, a quarter as
/// many. Edge-friend has them at all levels.
///
/// # Errors
/// [`Error::Request`] with the level that still fits.
pub fn check_ids(mesh: &SurfaceMesh, options: &SurfaceOptions) -> Result<()> {
    if options.method == Method::EdgeFriend {
        return check_corner_ids(mesh, options);
    }
    check(mesh, options, |counts, coarse| counts.vertices.max(coarse.corners))
}

/// Refuses a refinement whose corners at the last level 32-bit ids cannot number: edge-friend and
/// GPUs have them.
///
/// # Errors
/// As [`check_ids`].
pub(crate) fn check_corner_ids(mesh: &SurfaceMesh, options: &SurfaceOptions) -> Result<()> {
    check(mesh, options, |counts, _| counts.corners.max(counts.vertices))
}

/// `most`: the largest id by the counts of a level and of the level before.
fn check(
    mesh: &SurfaceMesh,
    options: &SurfaceOptions,
    most: impl Fn(Counts, Counts) -> u128,
) -> Result<()> {
    let counts = |levels| refined_counts(mesh, &SurfaceOptions { levels, ..*options });
    let fits = |levels: usize| {
        most(counts(levels), counts(levels.saturating_sub(1))) < u128::from(u32::MAX)
    };
    if fits(options.levels) {
        return Ok(());
    }
    let most = (0..options.levels).take_while(|&level| fits(level)).last().unwrap_or(0);
    Err(Error::request(format!(
        "{} of refinement would make {} faces, more than ids of 32 bits can number",
        counted(options.levels, "level"),
        counts(options.levels).faces
    ))
    .with_help(format!("ask for at most {} of this model", counted(most, "level"))))
}
