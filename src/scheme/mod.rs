//! Subdivision schemes: refinement rules and nothing else.
//!
//! A [`Scheme`] is what a user chooses. Its [`SurfaceScheme`] says what faces it takes and
//! makes, and its masks. Other code asks for these facts and never which scheme it is.
//! [`crease`] has the rules for sharp edges and vertices, which all schemes share.

mod bilinear;
pub(crate) mod catmull_clark;
pub mod crease;
pub(crate) mod loop_scheme;
pub(crate) mod point;
pub(crate) mod solid;
pub(crate) mod sqrt3;
mod stencils;

pub use point::Point;
pub use solid::VertexRule;
pub use stencils::{RowBuilder, Stencils};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::mesh::SurfaceMesh;

/// A subdivision scheme for surfaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scheme {
    /// Quads from any polygons (Catmull and Clark 1978).
    #[default]
    CatmullClark,
    /// Four triangles from one (Loop 1987).
    Loop,
    /// Three triangles from one, with its edges flipped (Kobbelt 2000).
    Sqrt3,
    /// Quads from any polygons, linear in their edges.
    Bilinear,
}

impl Scheme {
    /// All schemes.
    pub const ALL: [Self; 4] = [Self::CatmullClark, Self::Loop, Self::Sqrt3, Self::Bilinear];

    /// The scheme of layers and views of a surface for which none is asked for: facets are shown as
    /// they are.
    pub fn of_mesh(mesh: &SurfaceMesh) -> Self {
        if mesh.faceted { Self::Bilinear } else { Self::default() }
    }

    /// The scheme of boundaries of solids.
    pub const OF_BOUNDARIES: Self = Self::CatmullClark;

    /// The word that files have for the scheme: it stays, whatever the code calls the variant.
    pub(crate) const fn stored_name(self) -> &'static str {
        match self {
            Self::CatmullClark => "CatmullClark",
            Self::Loop => "Loop",
            Self::Sqrt3 => "Sqrt3",
            Self::Bilinear => "Bilinear",
        }
    }

    /// The names of the schemes that can do something, for messages: "A, B or C".
    pub(crate) fn names(can: impl Fn(Self) -> bool) -> String {
        let able: Vec<_> = Self::ALL.into_iter().filter(|&scheme| can(scheme)).collect();
        let names: Vec<_> = able.iter().map(|scheme| scheme.rules().name()).collect();
        match names.split_last() {
            Some((last, others)) if !others.is_empty() => {
                format!("{} or {last}", others.join(", "))
            }
            _ => names.concat(),
        }
    }

    /// The scheme that options name so; see [`SurfaceScheme::option_names`].
    ///
    /// # Errors
    /// [`Error::Request`] for another name; the help lists those that there are.
    pub fn named(name: &str) -> Result<Self> {
        let of = |scheme: &Self| scheme.rules().option_names().contains(&name);
        Self::ALL.into_iter().find(of).ok_or_else(|| {
            let names = Self::ALL.map(|scheme| format!("{:?}", scheme.option_name()));
            Error::request(format!("unknown scheme {name:?}"))
                .with_help(format!("give one of {}", names.join(", ")))
        })
    }

    /// Its name in options; [`SurfaceScheme::option_names`] has further spellings.
    pub fn option_name(self) -> &'static str {
        self.rules().option_names()[0]
    }

    /// The facts and masks of the scheme.
    pub fn rules(self) -> &'static dyn SurfaceScheme {
        match self {
            Self::CatmullClark => &catmull_clark::CatmullClark,
            Self::Loop => &loop_scheme::Loop,
            Self::Sqrt3 => &sqrt3::Sqrt3,
            Self::Bilinear => &bilinear::Bilinear,
        }
    }

    /// How a face splits.
    pub fn split(self) -> Split {
        self.rules().split()
    }

    /// Whether every vertex stays where it is; see [`SurfaceScheme::is_linear`].
    pub fn is_linear(self) -> bool {
        self.rules().is_linear()
    }

    /// Whether the limit is known at every place.
    pub fn has_limit(self) -> bool {
        self.rules().limit().is_some()
    }

    /// Whether the limit is known at every place, and bicubic where quads are regular.
    pub fn is_bicubic(self) -> bool {
        self.has_limit() && !self.is_linear() && self.split() == Split::Quads
    }

    /// The shape of the faces that the scheme makes.
    pub fn shape(self) -> FaceShape {
        self.split().shape()
    }
}

/// How one step splits a face.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Split {
    /// A polygon into one quad per corner.
    Quads,
    /// A triangle into four.
    FourTriangles,
    /// A triangle into three around its face point; inner edges are flipped.
    ThreeTriangles,
}

impl Split {
    /// The shape of the faces that it makes.
    pub fn shape(self) -> FaceShape {
        match self {
            Self::Quads => FaceShape::Quad,
            Self::FourTriangles | Self::ThreeTriangles => FaceShape::Triangle,
        }
    }

    /// Whether faces of one step are children of a face of the step before.
    pub(crate) fn is_nested(self) -> bool {
        self != Self::ThreeTriangles
    }
}

/// The shape of a refined face, and of its parameter domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaceShape {
    /// Four corners, u and v from 0 to 1.
    Quad,
    /// Three corners, u and v from 0 to 1, and so u + v.
    Triangle,
}

/// Parameters (u, v) of the corners of a quad, and of a triangle.
pub(crate) const QUAD_CORNERS: [[f64; 2]; 4] = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
pub(crate) const TRIANGLE_CORNERS: [[f64; 2]; 3] = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];

impl FaceShape {
    /// Number of corners.
    pub fn sides(self) -> usize {
        self.corners().len()
    }

    /// Parameters (u, v) of the corners, in the order of the face.
    pub fn corners(self) -> &'static [[f64; 2]] {
        match self {
            Self::Quad => &QUAD_CORNERS,
            Self::Triangle => &TRIANGLE_CORNERS,
        }
    }
}

/// Weights of a smooth edge point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeMask {
    /// Weight of both ends together.
    pub ends: f64,
    /// Weight of the centroid of each of the two faces.
    pub face: f64,
    /// Weight of each vertex across, in triangles.
    pub across: f64,
}

/// Weights of a smooth vertex point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VertexMask {
    /// Weight of the centroid of each face at the vertex.
    pub face: f64,
    /// Weight of the midpoint of each edge at the vertex.
    pub midpoint: f64,
    /// Weight of each neighbor.
    pub neighbor: f64,
    /// Weight of the vertex itself.
    pub own: f64,
}

/// The rules of a scheme for surfaces.
pub trait SurfaceScheme: Sync {
    /// What messages call it.
    fn name(&self) -> &'static str;

    /// What options call it, in lower case with hyphens; the first name is the one that helps show.
    fn option_names(&self) -> &'static [&'static str];

    /// What it does, in a line of help.
    fn summary(&self) -> &'static str;

    /// How a face splits. Schemes for triangles take polygons cut into triangles.
    fn split(&self) -> Split;

    /// Whether every edge point is a midpoint and every vertex stays, so that creases have no
    /// effect: each edge and vertex counts as infinitely sharp.
    fn is_linear(&self) -> bool {
        false
    }

    /// Whether it has a rule for creases, and with it for their sharpness.
    fn has_creases(&self) -> bool {
        true
    }

    /// Whether the passes over the mesh matrix (`surface/refine`) know these masks. Without them
    /// every level is refined by its stencils, which take the masks of [`Self::limit`].
    fn has_matrix_pass(&self) -> bool {
        false
    }

    /// Whether edge-friend refines by these masks, which are written into it.
    fn has_edge_friend(&self) -> bool {
        false
    }

    /// Whether edges of triangles may have a smooth rule of their own
    /// ([`TriangleRule`](crate::mesh::TriangleRule)).
    fn has_triangle_rule(&self) -> bool {
        false
    }

    /// Whether static refinement knows the weights of every level.
    fn has_static_refinement(&self) -> bool {
        false
    }

    /// The masks and the local eigenanalysis, where the limit is known at every place.
    fn limit(&self) -> Option<&'static dyn LimitScheme> {
        None
    }
}

/// The rules of a scheme whose limit is known at every place. Valences and sectors belong
/// to the refined faces.
///
/// Regular faces are evaluated as bicubic splines (quads) and quartic box splines (triangles):
/// there the masks must be Catmull-Clark's or Loop's, unless the scheme is linear. Nothing
/// checks this.
pub trait LimitScheme: Sync {
    /// The mask of a smooth edge point.
    fn edge_mask(&self) -> EdgeMask;

    /// The mask of a smooth vertex point at `valence` edges and `faces` faces, at least one of
    /// each; its weights add up to `weight`.
    fn vertex_mask(&self, valence: usize, faces: usize, weight: f64) -> VertexMask;

    /// Eigenvalue of the ring of a vertex whose spokes go as cos iθ, `c` = cos θ.
    fn eigenvalue(&self, c: f64) -> f64;

    /// What a far corner of a quad has of each of its two spokes in that eigenvector; 0 for
    /// triangles.
    fn far_corner(&self, c: f64) -> f64;

    /// Most faces of a corner whose two edges span the tangent plane.
    fn corner_faces(&self) -> usize;

    /// Weights that refinement gives the end spoke and the vertex of a crease: of the first
    /// inner spoke, the first far corner, all inner spokes, all far corners.
    fn crease_ring(&self, inner: f64, far: f64, spokes: f64, fars: f64) -> [f64; 2];
}
