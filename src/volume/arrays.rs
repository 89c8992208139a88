//! Arrays of limit values at chosen results.

use rayon::prelude::*;

use crate::backend::{Limit, Values};
use crate::io::{Array, ArrayData, Points};
use crate::mesh::Attribute;

/// Names of the derivatives, in the order of [`Limit::derivatives`].
pub const DERIVATIVES: [&str; 9] = ["u", "v", "w", "uu", "vv", "ww", "uv", "uw", "vw"];

/// Which results become points: all of them in their order, or those listed.
#[derive(Clone, Copy)]
pub enum Pick<'a> {
    All,
    Listed(&'a [u32]),
}

/// Positions of the picked results.
pub fn positions(limit: &Limit, pick: Pick<'_>) -> Points {
    match &limit.positions {
        Values::F32(values) => Points::F32(pick_rows(bytemuck::cast_slice(values), pick)),
        Values::F64(values) => Points::F64(pick_rows(bytemuck::cast_slice(values), pick)),
    }
}

/// Point arrays of the picked results; see [`super`] for their names.
pub fn point_arrays(limit: &Limit, attributes: &[Attribute], pick: Pick<'_>) -> Vec<Array> {
    let mut arrays = Vec::new();
    for (attribute, values) in attributes.iter().zip(&limit.attributes) {
        let width = attribute.width;
        arrays.push(Array { name: attribute.name.clone(), width, data: data(values, width, pick) });
    }
    for (name, values) in DERIVATIVES.iter().zip(&limit.derivatives) {
        arrays.push(Array { name: format!("d_{name}"), width: 3, data: data(values, 3, pick) });
    }
    if let Some(determinants) = limit.jacobian_determinants() {
        arrays.push(Array::new("det_j", 1, pick_rows(&determinants, pick)));
    }
    if !limit.derivatives.is_empty() {
        let undefined = limit.undefined_derivatives();
        arrays.push(Array::new("undefined_derivative", 1, pick_rows(&undefined, pick)));
    }
    arrays
}

fn data(values: &Values, width: usize, pick: Pick<'_>) -> ArrayData {
    match values {
        Values::F32(values) => pick_wide(values, width, pick).into(),
        Values::F64(values) => pick_wide(values, width, pick).into(),
    }
}

fn pick_rows<T: Copy + Send + Sync>(rows: &[T], pick: Pick<'_>) -> Vec<T> {
    match pick {
        Pick::All => rows.to_vec(),
        Pick::Listed(listed) => listed.par_iter().map(|&i| rows[i as usize]).collect(),
    }
}

fn pick_wide<T: Copy + Send + Sync>(values: &[T], width: usize, pick: Pick<'_>) -> Vec<T> {
    match pick {
        Pick::All => values.to_vec(),
        Pick::Listed(listed) => {
            let row = |&i: &u32| &values[i as usize * width..][..width];
            listed.par_iter().flat_map_iter(|i| row(i).iter().copied()).collect()
        }
    }
}
