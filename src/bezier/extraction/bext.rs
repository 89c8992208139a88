//! An extraction as a patch of Bézier elements, for `.bext`.

use std::collections::HashMap;

use super::{BEZIER_POINTS, Extraction, ExtractionOperator};
use crate::error::{Error, Result};
use crate::io::BezierPatch;
use crate::mesh::check_point_count;

impl Extraction {
    /// All pieces as elements over the vertices at `positions`. Control points without
    /// weight on a piece are left out of it; coefficient vectors that are equal are one.
    ///
    /// # Errors
    /// [`Error::Request`] if there are refined points among the control points (see
    /// [`Extraction::expanded`]), or the positions are not one per vertex.
    pub fn patch<'p>(&self, positions: &'p [[f64; 3]]) -> Result<BezierPatch<'p>> {
        check_point_count(positions.len(), self.vertices)?;
        if !self.refined.is_empty() {
            return Err(Error::request("control points that are not vertices of the mesh")
                .with_help("expand the extraction first"));
        }
        let mut patch = BezierPatch::new(positions, [3; 3]);
        let mut known: HashMap<[u64; BEZIER_POINTS], u32> = HashMap::new();
        // [operator][column]: its vector; none where all weights are 0
        let mut columns: Vec<Option<Vec<Option<u32>>>> = vec![None; self.operator_count()];
        for piece in 0..self.pieces.len() {
            let operator = self.operator(piece);
            let columns = columns[operator.id as usize].get_or_insert_with(|| {
                let number = |column| {
                    let vector = coefficients(&operator, column);
                    let is_zero = vector.iter().all(|&w| w == 0.0);
                    (!is_zero).then(|| {
                        *known.entry(vector.map(f64::to_bits)).or_insert_with(|| {
                            patch.push_vector(&vector);
                            patch.vector_count() as u32 - 1
                        })
                    })
                };
                (0..operator.controls.len()).map(number).collect()
            });
            let pairs = operator.controls.iter().zip(columns.iter());
            let pairs = pairs.filter_map(|(&control, &vector)| Some((control, vector?)));
            patch.push_element(pairs.collect());
        }
        Ok(patch)
    }
}

/// Weights of one control point for the 64 Bézier points.
fn coefficients(operator: &ExtractionOperator<'_>, column: usize) -> [f64; BEZIER_POINTS] {
    let count = operator.controls.len();
    // a zero has one form, so that equal vectors have equal bits
    std::array::from_fn(|row| operator.weights[row * count + column] + 0.0)
}
