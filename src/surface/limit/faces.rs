//! What a limit needs of a control mesh: its faces and creases, borrowed.

use crate::mesh::{CreaseRule, Creases, TriangleRule};

/// Faces of a surface control mesh as flat arrays, lent by whoever owns them.
///
/// A boundary edge, of one face, is infinitely sharp, and so is an edge of three or more faces, or
/// of two that are inconsistently oriented. A vertex where the faces form no fan stays in place,
/// but for those inside a line where sheets meet.
#[derive(Clone, Copy, Debug)]
pub struct Faces<'a> {
    /// Number of control points; points of no face take no part in anything.
    pub vertex_count: usize,
    /// Where each face starts among `corners`, then the number of corners:
    /// `[face count + 1]`.
    pub offsets: &'a [u32],
    /// Vertex cycles of all faces. A quad's parameters run u along corners 0→1 and v
    /// along 0→3, a triangle's u along 0→1 and v along 0→2.
    pub corners: &'a [u32],
    /// Sharp edges and vertices; both kinds of sharpness fall by 1 at every level.
    pub creases: &'a Creases,
    /// Whether the sharpness of an edge first blends with its neighbors'.
    pub crease_rule: CreaseRule,
    /// How edges of triangles are refined, by Catmull-Clark.
    pub triangle_rule: TriangleRule,
}
