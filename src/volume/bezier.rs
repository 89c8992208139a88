//! Limit volumes as tricubic Bézier hexahedra.

use std::borrow::Cow;
use std::ops::Range;

use rayon::prelude::*;

use super::arrays::corner_array;
use crate::backend::check_controls;
use crate::bezier::{Piece, Pieces};
use crate::error::{Error, Result};
use crate::interrupt::stop_point;
use crate::io::{Array, Dataset, DatasetCells, hexahedron_order, vtk_type};
use crate::limit::{Leaf, Solid};
use crate::memory;
use crate::mesh::{Attribute, Controls};
use crate::numbers::Precision;
use crate::plan::Want;

/// A solid's Bézier cells, for any control points.
#[derive(Debug)]
pub struct Bezier<'s> {
    pieces: Pieces<'s>,
    // VTK's nodes as grid positions, u fastest
    order: Vec<usize>,
}

/// Control points and attributes at the points of all levels: made once for all pieces.
#[derive(Debug)]
pub struct BezierInput<'a> {
    positions: Cow<'a, [f64]>,
    attributes: Vec<(&'a Attribute, Cow<'a, [f64]>)>,
}

/// The Bézier cells of some elements.
#[derive(Debug)]
pub struct BezierPiece {
    /// Cells of 64 points each, none shared. Cell arrays: `cell`, `class`,
    /// `origin` and `size` (the box of the element's parameters it covers), and
    /// `error_bound`, 0 where the cell is exact up to rounding; else estimated from
    /// the largest distance to the limit at 8 × 8 × 8 samples, in length units.
    pub dataset: Dataset,
    /// Largest `error_bound`.
    pub error_bound: f64,
    /// Number of exact cells.
    pub exact: usize,
}

impl<'s> Bezier<'s> {
    /// Prepares the cells of `solid` with 0 to [`MAX_EXACT_RINGS`](crate::bezier::MAX_EXACT_RINGS)
    /// rings.
    ///
    /// # Errors
    /// [`Error::Request`] for more rings.
    pub fn new(solid: &'s Solid, rings: usize) -> Result<Self> {
        let order = hexahedron_order(3).into_iter().map(|[i, j, k]| i + 4 * (j + 4 * k)).collect();
        Ok(Self { pieces: Pieces::new(solid, rings)?, order })
    }

    /// The controls at the points of all levels.
    ///
    /// # Errors
    /// [`Error::Request`] if they are not the solid's.
    pub fn input<'a>(&self, controls: Controls<'a>) -> Result<BezierInput<'a>> {
        let solid = self.pieces.solid();
        check_controls(solid, Want::POSITION, controls, Precision::F64)?;
        let refined = |a: &'a Attribute| (a, solid.refined_points(&a.values, a.width));
        Ok(BezierInput {
            positions: solid.refined_points(controls.positions.as_flattened(), 3),
            attributes: controls.attributes.iter().map(refined).collect(),
        })
    }

    /// The cells of the elements in `range`.
    ///
    /// # Errors
    /// [`Error::Request`] if the controls or the range are not the
    /// solid's, or if the cells need more than half of the machine's memory.
    pub fn piece(&self, controls: Controls<'_>, range: Range<usize>) -> Result<BezierPiece> {
        self.piece_of(&self.input(controls)?, range)
    }

    /// The same of controls that are refined already.
    ///
    /// # Errors
    /// As [`Bezier::piece`].
    pub fn piece_of(&self, input: &BezierInput<'_>, range: Range<usize>) -> Result<BezierPiece> {
        let solid = self.pieces.solid();
        let elements = solid.elements().len();
        if range.start > range.end || range.end > elements {
            return Err(Error::request(format!("elements {range:?} of {elements}"))
                .with_help("ask for elements of the solid, from 0 on"));
        }
        let leaves: Vec<&Leaf> = range.flat_map(|e| solid.element_leaves(e)).collect();
        let cells: usize = leaves.iter().map(|leaf| self.pieces.count(leaf)).sum();
        let widths: usize = input.attributes.iter().map(|(attribute, _)| attribute.width).sum();
        let bytes = (cells * cell_bytes(widths)) as u128;
        memory::check_half(format!("{cells} Bézier cells at once need"), bytes, |_| {
            "make fewer of them at a time, or ask for fewer rings".into()
        })?;
        let mut positions = vec![[0.0; 3]; 64 * cells];
        self.fill_nodes(&leaves, &input.positions, 3, positions.as_flattened_mut());
        let points = &input.positions;
        let errors: Vec<f64> =
            leaves.par_iter().flat_map_iter(|leaf| self.pieces.errors(leaf, points)).collect();
        let arrays = input.attributes.iter().map(|(attribute, values)| {
            let mut nodes = vec![0.0; 64 * attribute.width * cells];
            self.fill_nodes(&leaves, values, attribute.width, &mut nodes);
            Array::new(&attribute.name, attribute.width, nodes)
        });
        let connectivity = (0..positions.len() as u32).collect();
        let cells =
            DatasetCells::Uniform { vtk_type: vtk_type::BEZIER_HEXAHEDRON, size: 64, connectivity };
        let mut dataset = Dataset::new(positions, cells);
        dataset.point_arrays = arrays.collect();
        let pieces: Vec<Piece> = leaves.iter().flat_map(|leaf| self.pieces.of(leaf)).collect();
        dataset.cell_arrays = cell_arrays(solid, &pieces);
        let error_bound = errors.iter().copied().fold(0.0, f64::max);
        let exact = pieces.iter().filter(|piece| piece.exact).count();
        dataset.cell_arrays.push(Array::new("error_bound", 1, errors));
        Ok(BezierPiece { dataset, error_bound, exact })
    }

    /// Number of cells of all elements.
    pub fn cell_count(&self) -> usize {
        let solid = self.pieces.solid();
        solid.leaves().par_iter().map(|leaf| self.pieces.count(leaf)).sum()
    }

    /// Number of cells of some elements.
    pub fn cells_of(&self, elements: Range<usize>) -> usize {
        let leaves = elements.flat_map(|e| self.pieces.solid().element_leaves(e));
        leaves.map(|leaf| self.pieces.count(leaf)).sum()
    }

    /// Splits the elements into ranges of at most `cells` cells (at least one element each).
    pub fn ranges(&self, cells: usize) -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        let mut sum = 0;
        for element in 0..self.pieces.solid().elements().len() {
            let own = self.cells_of(element..element + 1);
            match ranges.last_mut().filter(|_| sum + own <= cells) {
                Some(range) => range.end += 1,
                None => {
                    ranges.push(element..element + 1);
                    sum = 0;
                }
            }
            sum += own;
        }
        ranges
    }

    /// Writes the Bézier points of the leaves' pieces, `[piece][node in VTK's order][width]`.
    fn fill_nodes(&self, leaves: &[&Leaf], values: &[f64], width: usize, mut nodes: &mut [f64]) {
        let mut work = Vec::with_capacity(leaves.len());
        for &leaf in leaves {
            let (own, rest) = nodes.split_at_mut(64 * width * self.pieces.count(leaf));
            work.push((leaf, own));
            nodes = rest;
        }
        work.into_par_iter().for_each(|(leaf, own)| {
            stop_point();
            let points = self.pieces.points(leaf, values, width);
            let pieces = points.chunks_exact(64 * width).zip(own.chunks_exact_mut(64 * width));
            for (piece, own) in pieces {
                for (node, &place) in own.chunks_exact_mut(width).zip(&self.order) {
                    node.copy_from_slice(&piece[place * width..][..width]);
                }
            }
        });
    }
}

/// Bytes of a cell in a dataset, with attributes of `widths` components in all: of its 64 points,
/// their numbers in the cell, and its arrays.
fn cell_bytes(widths: usize) -> usize {
    64 * (8 * (3 + widths) + 4) + 200
}

fn cell_arrays(solid: &Solid, pieces: &[Piece]) -> Vec<Array> {
    let element = |piece: &Piece| &solid.elements()[piece.element as usize];
    let cell = |piece: &Piece| element(piece).cell;
    let class = |piece: &Piece| solid.classes()[cell(piece) as usize].number();
    let ids: Vec<i32> = pieces.iter().map(|p| cell(p) as i32).collect();
    let mut arrays = vec![Array::new("cell", 1, ids)];
    arrays.extend(corner_array(solid, pieces.iter().map(element)));
    arrays.extend([
        Array::new("class", 1, pieces.iter().map(class).collect::<Vec<_>>()),
        Array::new("origin", 3, pieces.iter().flat_map(|p| p.origin).collect::<Vec<_>>()),
        Array::new("size", 3, pieces.iter().flat_map(|p| p.size).collect::<Vec<_>>()),
    ]);
    arrays
}
