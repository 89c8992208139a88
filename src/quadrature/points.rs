//! Quadrature points as points for ParaView.

use std::ops::Range;

use super::{Mapped, Physical};
use crate::error::Result;
use crate::io::{Array, Dataset};
use crate::volume::class_number;

/// Quadrature points of some leaves as points for ParaView. Point arrays: `cell`,
/// `class`, `u`, `v`, `w` (of the element), `weight`, `det_j`, `measure` (their product, or
/// minus it if all cells are left-handed),
/// `inverse_jacobian` (9 components, `[uvw][xyz]`) and `remainder`, 1 where the point lies
/// in a remainder; of a quadrature of the boundary also `normal` (3 components) and `face`, and
/// `measure` is that of the surface. Basis functions are in the archive only.
///
/// # Errors
/// If a device fails.
pub fn points(mapping: &dyn Physical<'_>, pieces: &[(usize, Range<usize>)]) -> Result<Dataset> {
    let quadrature = mapping.quadrature();
    let solid = quadrature.solid();
    let mut mapped = Mapped::default();
    let (mut positions, mut inverses) = (Vec::<[f64; 3]>::new(), Vec::new());
    let (mut cells, mut classes, mut remainders) = (Vec::new(), Vec::new(), Vec::new());
    let (mut normals, mut faces) = (Vec::new(), Vec::new());
    let dimension = if quadrature.is_boundary() { 2 } else { 3 };
    let mut columns: [Vec<f64>; 6] = Default::default();
    for (b, leaves) in pieces {
        mapping.map(*b, leaves.clone(), &mut mapped)?;
        positions.extend_from_slice(&mapped.points);
        inverses.extend_from_slice(mapped.inverse_jacobians.as_flattened().as_flattened());
        normals.extend_from_slice(mapped.normals.as_flattened());
        let (nodes, parameters) = (quadrature.nodes(*b), quadrature.parameters(*b));
        let batch = &quadrature.batches()[*b];
        if quadrature.is_boundary() {
            for &face in &batch.faces[leaves.clone()] {
                faces.extend(std::iter::repeat_n(face as i32, nodes.len()));
            }
        }
        let size = f64::from(quadrature.kind(*b).1).exp2().recip();
        for &leaf in &batch.leaves[leaves.clone()] {
            let (cell, origin) = (quadrature.element(leaf).cell, quadrature.origin(leaf));
            let class = class_number(solid.classes()[cell as usize]);
            for (s, local) in parameters.iter().enumerate() {
                cells.push(cell as i32);
                classes.push(class);
                remainders.push(u8::from(s >= nodes.exact));
                (0..3).for_each(|d| columns[d].push(origin[d] + size * local[d]));
                columns[3].push(size.powi(dimension) * nodes.weights[s]);
            }
        }
        columns[4].extend_from_slice(&mapped.determinants);
        columns[5].extend_from_slice(&mapped.measures);
    }
    let mut dataset = Dataset::point_cloud(positions);
    let names = ["u", "v", "w", "weight", "det_j", "measure"];
    dataset.point_arrays = vec![Array::new("cell", 1, cells), Array::new("class", 1, classes)];
    let columns = names.into_iter().zip(columns);
    dataset.point_arrays.extend(columns.map(|(name, values)| Array::new(name, 1, values)));
    dataset.point_arrays.push(Array::new("inverse_jacobian", 9, inverses));
    dataset.point_arrays.push(Array::new("remainder", 1, remainders));
    if quadrature.is_boundary() {
        dataset.point_arrays.push(Array::new("normal", 3, normals));
        dataset.point_arrays.push(Array::new("face", 1, faces));
    }
    Ok(dataset)
}
