//! Limit positions and normals at the vertices of a mesh.

use std::borrow::Cow;

use super::connectivity::{SurfaceTags, check_faces, masks_of};
use super::faces::Faces;
use super::surface::LimitSurface;
use crate::error::Result;
use crate::memory;
use crate::mesh::{Attribute, BoundaryRule, CreaseRule, SurfaceMesh, TriangleRule};
use crate::scheme::Scheme;
use crate::surface::refine::sharpness::boundary_corners;
use crate::topology::surface::SurfaceTopology;

/// Bytes that the analysis of a mesh and its masks take for each vertex, as measured.
const BYTES_A_VERTEX: u128 = 600;

/// The limit at the vertices of a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct VertexLimits {
    /// Limit position of each vertex, in length units.
    pub positions: Vec<[f64; 3]>,
    /// Unit normals; NaN where there is no tangent plane.
    pub normals: Vec<[f64; 3]>,
    /// Attributes, with the weights of the positions; without normals of the mesh, which are not
    /// normal to the limit.
    pub attributes: Vec<Attribute>,
}

impl VertexLimits {
    /// Moves the vertices of `refined` and their attributes to the limit, which is no control mesh
    /// any more: without holes, and by no rules; or gives them its normals, or both.
    pub fn apply(self, refined: &mut SurfaceMesh, points: bool, normals: bool) {
        if points {
            let seen = refined.without_holes().into_owned();
            *refined = SurfaceMesh {
                points: self.positions,
                attributes: self.attributes,
                crease_rule: CreaseRule::default(),
                boundary: BoundaryRule::default(),
                triangle_rule: TriangleRule::default(),
                ..seen
            };
        }
        if normals {
            refined.set_normals(self.normals);
        }
    }
}

/// The limit that further refinement of `mesh` takes its vertices to.
///
/// Faces that are holes still serve their neighbors: give the mesh with them.
///
/// # Errors
/// As [`LimitSurface::new`]; [`Error::Request`](crate::Error::Request) for √3, whose limit has no
/// masks here, and for more vertices than the memory holds; [`Error::Mesh`](crate::Error::Mesh) for
/// attributes of the wrong length.
pub fn vertex_limits(mesh: &SurfaceMesh, scheme: Scheme) -> Result<VertexLimits> {
    let vertices = mesh.points.len();
    let need = vertices as u128 * BYTES_A_VERTEX;
    memory::check(format!("the limits of {vertices} vertices need"), need, |memory| {
        format!("refine to at most {} vertices", memory / BYTES_A_VERTEX).into()
    })?;
    let masks = LimitSurface::of_mesh(mesh, scheme)?.vertex_masks();
    let (positions, normals) =
        (masks.limit_positions(&mesh.points)?, masks.limit_normals(&mesh.points)?);
    let attributes = limit_attributes(mesh, |values| masks.limit_positions(values))?;
    Ok(VertexLimits { positions, normals, attributes })
}

/// The attributes that go to the limit as positions do, by what `evaluate` makes of positions.
pub(in crate::surface) fn limit_attributes(
    mesh: &SurfaceMesh,
    evaluate: impl Fn(&[[f64; 3]]) -> Result<Vec<[f64; 3]>>,
) -> Result<Vec<Attribute>> {
    let attributes = mesh.attributes.iter().filter(|attribute| !attribute.is_normals());
    let evaluated = |attribute: &Attribute| {
        attribute.check(mesh.points.len())?;
        attribute.evaluated(&evaluate)
    };
    attributes.map(evaluated).collect()
}

impl LimitSurface {
    /// Analyzes a mesh with all its tags: creases, corners, and the rules of boundaries and
    /// triangles. Holes are analyzed like other faces.
    ///
    /// # Errors
    /// As [`LimitSurface::new`].
    pub fn of_mesh(mesh: &SurfaceMesh, scheme: Scheme) -> Result<Self> {
        let topology = limit_topology(mesh, scheme)?;
        limit_surface(mesh, &topology, scheme, mesh.crease_rule, 0)
    }
}

/// The topology of a mesh whose limit is wanted.
///
/// # Errors
/// As [`LimitSurface::new`], for its faces.
pub(in crate::surface) fn limit_topology(
    mesh: &SurfaceMesh,
    scheme: Scheme,
) -> Result<SurfaceTopology> {
    masks_of(scheme)?;
    mesh.check_control()?;
    let ends = mesh.faces.ends().map(|end| end as u32);
    let offsets: Vec<u32> = std::iter::once(0).chain(ends).collect();
    let faces = Faces {
        vertex_count: mesh.points.len(),
        offsets: &offsets,
        corners: mesh.faces.vertices(),
        creases: &mesh.creases,
        crease_rule: mesh.crease_rule,
        triangle_rule: mesh.triangle_rule,
    };
    check_faces(&faces, scheme)?;
    Ok(SurfaceTopology::of(mesh))
}

/// The limit of a mesh of this topology with all its tags, refined around features to
/// `isolation` levels.
pub(in crate::surface) fn limit_surface(
    mesh: &SurfaceMesh,
    topology: &SurfaceTopology,
    scheme: Scheme,
    rule: CreaseRule,
    isolation: usize,
) -> Result<LimitSurface> {
    masks_of(scheme)?;
    let mut creases = Cow::Borrowed(&mesh.creases);
    let ends = boundary_corners(mesh, topology);
    if !ends.is_empty() {
        let creases = creases.to_mut();
        ends.into_iter().for_each(|v| creases.push_corner(v, f64::INFINITY));
    }
    let tags =
        SurfaceTags { creases: &creases, crease_rule: rule, triangle_rule: mesh.triangle_rule };
    LimitSurface::of_topology(topology, &tags, scheme, isolation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::{SurfaceOptions, refine_surface};

    #[test]
    fn refinement_does_not_move_the_limit() {
        let mesh = crate::io::read_surface("models/surfaces/cubes_semisharp.obj").unwrap();
        let refined = |levels| {
            let options = SurfaceOptions { levels, ..SurfaceOptions::default() };
            let fine = refine_surface(&mesh, &options).unwrap();
            vertex_limits(&fine, Scheme::default()).unwrap()
        };
        let (coarse, fine) = (refined(1), refined(2));
        // vertices of a level are found in the next
        for (p, n) in coarse.positions.iter().zip(&coarse.normals) {
            let distance = |q: &[f64; 3]| (0..3).map(|d| (p[d] - q[d]).powi(2)).sum::<f64>().sqrt();
            let nearest = (0..fine.positions.len())
                .min_by(|&a, &b| {
                    distance(&fine.positions[a]).total_cmp(&distance(&fine.positions[b]))
                })
                .unwrap();
            assert!(distance(&fine.positions[nearest]) < 1e-12);
            let length: f64 = n.iter().map(|x| x * x).sum();
            assert!(n[0].is_nan() || (length - 1.0).abs() < 1e-12);
        }
        for scheme in Scheme::ALL.into_iter().filter(|scheme| !scheme.has_limit()) {
            assert!(vertex_limits(&mesh, scheme).is_err());
        }
    }
}
