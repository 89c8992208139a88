//! Limit positions and normals at the vertices of a mesh.

use super::surface::LimitSurface;
use crate::error::Result;
use crate::memory;
use crate::mesh::{Attribute, BoundaryRule, CreaseRule, SurfaceMesh, TriangleRule};
use crate::scheme::Scheme;

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
/// As [`LimitSurface::of_mesh`]; [`Error::Request`](crate::Error::Request) for √3, whose limit has no
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
