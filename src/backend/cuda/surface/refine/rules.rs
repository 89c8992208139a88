//! Rules that refine the mesh matrix: how many elements they make, and what their kernels need
//! beside the levels.

use super::boundary_edges::BoundaryEdges;
use super::four_triangles::FourTriangles;
use super::matrix::{SurfaceMatrix, TABLED};
use super::step::LevelCounts;
use super::three_triangles::ThreeTriangles;
use crate::backend::cuda::driver::buffer::Buffer;
use crate::error::{Error, Result, option};

/// Rules that refine the mesh matrix.
#[derive(Clone, Copy, Debug)]
pub enum MatrixScheme {
    /// Quads from polygons.
    Quads,
    /// Four triangles from one; `beta` is the weight of each of `n` neighbors.
    FourTriangles {
        /// The weight as a function of the number of neighbors.
        beta: fn(usize) -> f64,
    },
    /// Three triangles from one, reversed; `alpha` is the weight of all of `n` neighbors.
    ThreeTriangles {
        /// The weight as a function of the number of neighbors.
        alpha: fn(usize) -> f64,
        /// Whether vertices of one face stay where the surface ends.
        keeps_corners: bool,
    },
}

impl LevelCounts {
    /// The counts of the level after one of this depth.
    pub fn refined(self, scheme: MatrixScheme, depth: usize) -> Self {
        let edges = 2 * self.edges + self.corners;
        match scheme {
            MatrixScheme::Quads => Self {
                vertices: self.vertices + self.faces + self.edges,
                faces: self.corners,
                edges,
                corners: 4 * self.corners,
                boundary: 0,
            },
            MatrixScheme::FourTriangles { .. } => Self {
                vertices: self.vertices + self.edges,
                faces: 4 * self.faces,
                edges,
                corners: 4 * self.corners,
                boundary: 0,
            },
            // at every second level boundary edges are cut in three
            MatrixScheme::ThreeTriangles { .. } => {
                let (cut, boundary) = if depth % 2 == 1 {
                    (self.boundary, 3 * self.boundary)
                } else {
                    (0, self.boundary)
                };
                Self {
                    vertices: self.vertices + self.faces + cut,
                    faces: self.corners,
                    edges: (3 * self.corners + boundary) / 2,
                    corners: 3 * self.corners,
                    boundary,
                }
            }
        }
    }
}

/// Kernels of a scheme, and what they need beside the levels.
pub(super) enum SchemeKernels {
    Quads,
    FourTriangles(Box<FourTriangles>),
    ThreeTriangles(Box<ThreeTriangles>),
}

impl SchemeKernels {
    pub fn new(matrix: &SurfaceMatrix, scheme: MatrixScheme, levels: usize) -> Result<Self> {
        let (stream, found) = (&matrix.stream, matrix.counts());
        let valence = found.valence.max(TABLED);
        match scheme {
            MatrixScheme::Quads => Ok(Self::Quads),
            _ if matrix.size() != 3 => Err(Error::request("Loop and √3 refine triangles only")
                .with_help("cut the faces into triangles first")),
            MatrixScheme::FourTriangles { beta } => {
                // a vertex has at most two neighbors per face
                let betas: Vec<f64> = (0..=2 * valence).map(beta).collect();
                Ok(Self::FourTriangles(Box::new(FourTriangles {
                    neighbors: matrix.neighbors()?,
                    betas: Buffer::of(stream, &betas)?,
                })))
            }
            MatrixScheme::ThreeTriangles { alpha, keeps_corners } => {
                if !found.is_manifold() || found.folds > 0 {
                    return Err(Error::request(
                        "√3-subdivision on a GPU of a surface that is not an oriented manifold, or \
                         has vertices in a ring of two faces",
                    )
                    .with_help(message!(
                        "refine it on the CPU, or use ",
                        option("scheme", "loop")
                    )));
                }
                let boundary = found.boundary > 0;
                // where the surface ends there is one neighbor more than faces
                let alphas: Vec<f64> = (0..=valence + 1).map(alpha).collect();
                Ok(Self::ThreeTriangles(Box::new(ThreeTriangles {
                    neighbors: matrix.neighbors()?,
                    alphas: Buffer::of(stream, &alphas)?,
                    opposites: Buffer::empty(stream, matrix.vertices.len())?,
                    boundary_edges: boundary
                        .then(|| BoundaryEdges::new(matrix, levels, keeps_corners))
                        .transpose()?,
                })))
            }
        }
    }
}
