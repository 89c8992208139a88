//! Quadrature points as points for ParaView.

use std::iter::repeat_n;
use std::ops::Range;

use rayon::prelude::*;

use super::pieces::{PieceCut, runs};
use super::{LeafQuantities, Mapping};
use crate::error::Result;
use crate::interrupt::stop_point;
use crate::io::{Array, Dataset};

/// Quadrature points that are evaluated before they are put in order.
const BLOCK_POINTS: usize = 1 << 18;

/// Quadrature points of a run of leaves as points for ParaView, in the order of the leaves (of the
/// sides of a leaf for a quadrature of the boundary). Point arrays: `cell`, of solids with cells
/// other than hexahedra `corner` (of the cell, whose hexahedral child the element is, or −1),
/// `class`, `u`, `v`, `w` (of the element), `weight`, `det_j`, `measure` (their product, or
/// minus it if all cells are left-handed),
/// `inverse_jacobian` (9 components, `[uvw][xyz]`) and `remainder`, 1 where the point lies
/// in a remainder; of a quadrature of the boundary also `normal` (3 components) and `face`, and
/// `measure`: of the surface. Basis functions are in the archive only.
///
/// # Errors
/// If a device fails.
pub fn points(mapping: &Mapping<'_>, leaves: Range<usize>) -> Result<Dataset> {
    let samples = mapping.quadrature().leaf_samples(leaves.clone());
    let quadrature = mapping.quadrature();
    let (is_boundary, has_corners) = (quadrature.is_boundary(), quadrature.solid().has_corners());
    let mut columns = PointColumns::with_capacity(samples.iter().sum(), is_boundary, has_corners);
    for (_, run) in runs(&samples, PieceCut::new(BLOCK_POINTS, 0), 0) {
        columns.add(mapping, leaves.start + run.start..leaves.start + run.end)?;
    }
    Ok(columns.into_dataset(is_boundary))
}

struct PointColumns {
    positions: Vec<[f64; 3]>,
    cells: Vec<i32>,
    corners: Option<Vec<i32>>,
    classes: Vec<u8>,
    // u, v, w, weight, det_j, measure
    numbers: [Vec<f64>; 6],
    inverses: Vec<f64>,
    remainders: Vec<u8>,
    normals: Vec<f64>,
    faces: Vec<i32>,
}

impl PointColumns {
    fn with_capacity(count: usize, is_boundary: bool, has_corners: bool) -> Self {
        let on_boundary = if is_boundary { count } else { 0 };
        Self {
            positions: Vec::with_capacity(count),
            cells: Vec::with_capacity(count),
            corners: has_corners.then(|| Vec::with_capacity(count)),
            classes: Vec::with_capacity(count),
            numbers: std::array::from_fn(|_| Vec::with_capacity(count)),
            inverses: Vec::with_capacity(9 * count),
            remainders: Vec::with_capacity(count),
            normals: Vec::with_capacity(3 * on_boundary),
            faces: Vec::with_capacity(on_boundary),
        }
    }

    /// Adds the points of a run of leaves.
    fn add(&mut self, mapping: &Mapping<'_>, leaves: Range<usize>) -> Result<()> {
        let quadrature = mapping.quadrature();
        let pieces = quadrature.pieces_of(leaves, BLOCK_POINTS);
        let evaluate = |(batch, leaves)| {
            stop_point();
            let mut mapped = LeafQuantities::default();
            mapping.evaluate(batch, leaves, &mut mapped).map(|()| mapped)
        };
        let all = pieces.into_par_iter().map(evaluate).collect::<Result<Vec<LeafQuantities>>>()?;
        let places = all.iter().map(|mapped| quadrature.parameters(mapped.batch));
        let parameters: Vec<Vec<[f64; 3]>> = places.collect();
        let mut rows = Vec::new();
        for (piece, mapped) in all.iter().enumerate() {
            let batch = &quadrature.batches()[mapped.batch];
            let own = batch.leaves[mapped.leaves.clone()].iter().enumerate();
            rows.extend(own.map(|(row, &leaf)| (leaf, batch.side, piece, row)));
        }
        rows.par_sort_unstable();
        for (leaf, _, piece, row) in rows {
            self.add_leaf(mapping, leaf, &all[piece], row, &parameters[piece]);
        }
        Ok(())
    }

    /// Adds the points of one leaf, or of a face of one.
    fn add_leaf(
        &mut self,
        mapping: &Mapping<'_>,
        leaf: u32,
        mapped: &LeafQuantities,
        row: usize,
        parameters: &[[f64; 3]],
    ) {
        let quadrature = mapping.quadrature();
        let nodes = quadrature.leaf_points(mapped.batch);
        let count = nodes.len();
        let own = row * count..(row + 1) * count;
        let (element, origin) = (quadrature.element(leaf), quadrature.origin(leaf));
        let cell = element.cell;
        let size = f64::from(quadrature.kind(mapped.batch).1).exp2().recip();
        self.positions.extend_from_slice(&mapped.points[own.clone()]);
        self.cells.extend(repeat_n(cell as i32, count));
        let corner = element.corner.map_or(-1, i32::from);
        self.corners.iter_mut().for_each(|corners| corners.extend(repeat_n(corner, count)));
        let class = quadrature.solid().classes()[cell as usize].number();
        self.classes.extend(repeat_n(class, count));
        for (axis, column) in self.numbers[..3].iter_mut().enumerate() {
            column.extend(parameters.iter().map(|local| origin[axis] + size * local[axis]));
        }
        let dimension = if quadrature.is_boundary() { 2 } else { 3 };
        self.numbers[3].extend(nodes.weights.iter().map(|weight| size.powi(dimension) * weight));
        self.numbers[4].extend_from_slice(&mapped.determinants[own.clone()]);
        self.numbers[5].extend_from_slice(&mapped.measures[own.clone()]);
        let inverses = mapped.inverse_jacobians[own.clone()].as_flattened().as_flattened();
        self.inverses.extend_from_slice(inverses);
        self.remainders.extend((0..count).map(|sample| u8::from(sample >= nodes.exact)));
        if quadrature.is_boundary() {
            let face = quadrature.batches()[mapped.batch].faces[mapped.leaves.start + row];
            self.normals.extend_from_slice(mapped.normals[own].as_flattened());
            self.faces.extend(repeat_n(face as i32, count));
        }
    }

    fn into_dataset(self, is_boundary: bool) -> Dataset {
        let mut dataset = Dataset::point_cloud(self.positions);
        dataset.point_arrays.push(Array::new("cell", 1, self.cells));
        dataset.point_arrays.extend(self.corners.map(|own| Array::new("corner", 1, own)));
        dataset.point_arrays.push(Array::new("class", 1, self.classes));
        let names = ["u", "v", "w", "weight", "det_j", "measure"];
        let numbers = names.into_iter().zip(self.numbers);
        dataset.point_arrays.extend(numbers.map(|(name, values)| Array::new(name, 1, values)));
        dataset.point_arrays.push(Array::new("inverse_jacobian", 9, self.inverses));
        dataset.point_arrays.push(Array::new("remainder", 1, self.remainders));
        if is_boundary {
            dataset.point_arrays.push(Array::new("normal", 3, self.normals));
            dataset.point_arrays.push(Array::new("face", 1, self.faces));
        }
        dataset
    }
}
