//! Bézier extraction: the pieces of a solid as fixed weights of its control points.
//!
//! # Theory
//! On a piece the limit is Σᵢ Bᵢ(t) bᵢ with the 64 tricubic Bernstein polynomials B
//! and Bézier points b = C p: the *extraction operator* C `[64][control]` over the
//! control points p of the piece's *net*. The functions that belong to the control
//! points are N = Cᵀ B, which is all that a finite-element program needs of them
//! (Borden, Scott, Evans and Hughes, 2011).
//!
//! # Practice
//! Operators depend on connectivity and creases only. Pieces of equal local topology
//! share one; each brings its own net. Missing layers at the boundary are folded into
//! those that exist, so that a regular cell has 64, 48, 36, 27, … columns. The net of
//! a cell that is refined inside has *refined points*, which are fixed combinations
//! of vertices too: ids from the number of vertices on, with sparse rows
//! ([`Extraction::refined`]). This is compact; [`Extraction::expanded`] multiplies the
//! rows into the operators, so that all control points are vertices of the mesh.
//!
//! ```
//! use subsolid::Solid;
//! use subsolid::bezier::{Extraction, Pieces};
//! let mesh = subsolid::read("models/bracket.vtk")?;
//! let solid = Solid::new(&mesh)?;
//! let extraction = Extraction::new(&Pieces::new(&solid, 2)?)?.expanded(1 << 30)?;
//! let operator = extraction.operator(0);
//! let bezier_points = operator.apply(mesh.points.as_flattened(), 3)?; // [w][v][u][xyz]
//! assert_eq!(bezier_points.len(), 64 * 3);
//! # Ok::<(), subsolid::Error>(())
//! ```
//!
//! All arrays are flat and without pointers; see [`Extraction::arrays`] for the
//! layout in files.

mod arrays;
mod bext;
mod expand;
mod operators;
mod size;

use super::{Piece, Pieces};
use crate::error::{Error, Result};
use crate::limit::Solid;
use crate::scheme::Stencils;

/// Bézier points of a tricubic piece.
pub(crate) const BEZIER_POINTS: usize = 64;

/// The extraction operators of a solid; see the module's introduction.
#[derive(Clone, Debug)]
pub struct Extraction {
    // ids below are vertices of the mesh, above refined points
    vertices: usize,
    pieces: Vec<Piece>,
    // [piece]
    piece_operators: Vec<u32>,
    piece_nets: Vec<u32>,
    // net n: controls[net_offsets[n]..net_offsets[n + 1]]
    net_offsets: Vec<usize>,
    controls: Vec<u32>,
    // operator o: weights[operator_offsets[o]..operator_offsets[o + 1]], [w][v][u][control]
    operator_offsets: Vec<usize>,
    weights: Vec<f64>,
    refined: Stencils,
}

/// The operator of one piece.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExtractionOperator<'e> {
    /// Number of the operator: pieces with equal numbers share their weights.
    pub id: u32,
    /// Control points, each once; see [`Extraction::refined`] for those that are no
    /// vertices.
    pub controls: &'e [u32],
    /// `[w][v][u][control]`: 64 rows along the element's axes, each of sum 1.
    pub weights: &'e [f64],
}

impl ExtractionOperator<'_> {
    /// Bézier points `[w][v][u][width]` from `values` `[control id][width]`.
    ///
    /// # Errors
    /// [`Error::Request`] if a control id has no value, or the width is 0.
    pub fn apply(&self, values: &[f64], width: usize) -> Result<Vec<f64>> {
        let least = self.controls.iter().max().map_or(0, |&id| id as usize + 1);
        if width == 0 || least.checked_mul(width).is_none_or(|least| values.len() < least) {
            let count = values.len();
            return Err(Error::request(format!(
                "{count} values of width {width} for {least} control points"
            ))
            .with_help("give every control point a row of values, of width 1 or more"));
        }
        let mut points = vec![0.0; BEZIER_POINTS * width];
        let rows = self.weights.chunks_exact(self.controls.len());
        for (row, point) in rows.zip(points.chunks_exact_mut(width)) {
            for (&weight, &id) in row.iter().zip(self.controls) {
                let value = &values[id as usize * width..][..width];
                point.iter_mut().zip(value).for_each(|(p, v)| *p += weight * v);
            }
        }
        Ok(points)
    }
}

impl Extraction {
    /// The operators of all pieces, in the order of the solid's leaves.
    ///
    /// # Errors
    /// [`Error::Request`] for more than 2³² pieces, and for operators that need more than half of
    /// the machine's memory.
    pub fn new(pieces: &Pieces<'_>) -> Result<Self> {
        let solid = pieces.solid();
        let vertices = solid.topology().vertex_count();
        let mut extraction = operators::extract(pieces, vertices)?;
        extraction.refined = refined_rows(solid);
        extraction.merge_repeated();
        Ok(extraction)
    }

    /// All pieces, in the order of their leaves.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Number of distinct operators.
    pub fn operator_count(&self) -> usize {
        self.operator_offsets.len() - 1
    }

    /// The operator of a piece.
    ///
    /// # Panics
    /// If there is no such piece.
    pub fn operator(&self, piece: usize) -> ExtractionOperator<'_> {
        let [id, net] = [self.piece_operators[piece], self.piece_nets[piece]];
        let [o, n] = [id as usize, net as usize];
        ExtractionOperator {
            id,
            controls: &self.controls[self.net_offsets[n]..self.net_offsets[n + 1]],
            weights: &self.weights[self.operator_offsets[o]..self.operator_offsets[o + 1]],
        }
    }

    /// The refined points over the vertices of the mesh: row r is control point
    /// `vertex_count() + r`. Without rows after [`Extraction::expanded`], and where no
    /// cell is refined inside.
    pub fn refined(&self) -> &Stencils {
        &self.refined
    }

    /// Bytes of all arrays.
    pub fn bytes(&self) -> usize {
        let words = self.piece_operators.len() + self.piece_nets.len() + self.controls.len();
        let offsets = self.net_offsets.len() + self.operator_offsets.len();
        size_of_val(self.pieces.as_slice())
            + 4 * words
            + 8 * (offsets + self.weights.len())
            + 8 * (self.refined.len() + 1)
            + 12 * self.refined.entries()
    }
}

/// Rows of the points of all levels but the mesh's own.
fn refined_rows(solid: &Solid) -> Stencils {
    Stencils::joined(solid.vertex_stencils())
}
