//! Arrays of limit values at chosen results.

use rayon::prelude::*;

use crate::backend::{DerivedQuantity, Limit, Values};
use crate::io::{Array, ArrayData, Points, name_attributes_apart};
use crate::limit::{Element, Solid};
use crate::mesh::Attribute;
use crate::plan::WantedQuantity;

/// Names of the derivatives, in the order of [`Limit::derivatives`].
pub const DERIVATIVES: [&str; 9] = ["u", "v", "w", "uu", "vv", "ww", "uv", "uw", "vw"];

/// Which results become points: all of them in their order, or those listed.
#[derive(Clone, Copy)]
pub(crate) enum PointSelection<'a> {
    All,
    Listed(&'a [u32]),
}

/// Positions of the picked results.
pub fn positions(limit: &Limit, pick: PointSelection<'_>) -> Points {
    match &limit.positions {
        Values::F32(values) => Points::F32(pick_rows(bytemuck::cast_slice(values), pick)),
        Values::F64(values) => Points::F64(pick_rows(bytemuck::cast_slice(values), pick)),
    }
}

/// Point arrays of the picked results, after the arrays of `places`; see [`super`] for their names.
pub fn point_arrays(
    limit: &Limit,
    attributes: &[Attribute],
    pick: PointSelection<'_>,
    places: Vec<Array>,
) -> Vec<Array> {
    let mut arrays = places;
    let first = arrays.len();
    for (attribute, values) in attributes.iter().zip(&limit.attributes) {
        let width = attribute.width;
        arrays.push(Array { name: attribute.name.clone(), width, data: data(values, width, pick) });
    }
    for (name, values) in DERIVATIVES.iter().zip(&limit.derivatives) {
        arrays.push(Array { name: format!("d_{name}"), width: 3, data: data(values, 3, pick) });
    }
    for (attribute, all) in attributes.iter().zip(&limit.attribute_derivatives) {
        let (name, width) = (&attribute.name, attribute.width);
        for (derivative, values) in DERIVATIVES.iter().zip(all) {
            let name = format!("d_{derivative}_{name}");
            arrays.push(Array { name, width, data: data(values, width, pick) });
        }
    }
    let per_result = |derived: &&DerivedQuantity| !derived.wanted.quantity.is_per_element();
    for derived in limit.quantities.iter().filter(per_result) {
        arrays.push(quantity_array(derived, attributes, pick));
    }
    let has_derivatives = limit.attribute_derivatives.iter().any(|all| !all.is_empty());
    let has_derived = limit.quantities.iter().any(|derived| per_result(&derived));
    if !limit.derivatives.is_empty() || has_derivatives || has_derived {
        let undefined = limit.undefined_derivatives();
        arrays.push(Array::new("undefined_derivative", 1, pick_rows(&undefined, pick)));
    }
    name_attributes_apart(&mut arrays, first..first + limit.attributes.len());
    arrays
}

/// The array `corner` of hexahedra in these elements: the corner of the cell, and −1 in cells that
/// are hexahedra themselves. `None` if all of the solid's are.
pub(super) fn corner_array<'e>(
    solid: &Solid,
    elements: impl Iterator<Item = &'e Element>,
) -> Option<Array> {
    let corner = |element: &Element| element.corner.map_or(-1, i32::from);
    solid.has_corners().then(|| Array::new("corner", 1, elements.map(corner).collect::<Vec<_>>()))
}

/// Arrays of the elements: quantities that have one row each, every row `times`.
pub(crate) fn element_arrays(limit: &Limit, attributes: &[Attribute], times: usize) -> Vec<Array> {
    let rows: Vec<u32> =
        (0..limit.elements.len() as u32).flat_map(|e| std::iter::repeat_n(e, times)).collect();
    let per_element = limit.quantities.iter().filter(|d| d.wanted.quantity.is_per_element());
    per_element
        .map(|derived| quantity_array(derived, attributes, PointSelection::Listed(&rows)))
        .collect()
}

fn quantity_array(
    derived: &DerivedQuantity,
    attributes: &[Attribute],
    pick: PointSelection<'_>,
) -> Array {
    let DerivedQuantity { wanted: WantedQuantity { quantity, attribute, width }, values } = derived;
    let name = quantity.name(attribute.map(|a| &attributes[a].name[..]));
    Array { name, width: *width, data: data(values, *width, pick) }
}

fn data(values: &Values, width: usize, pick: PointSelection<'_>) -> ArrayData {
    match values {
        Values::F32(values) => pick_wide(values, width, pick).into(),
        Values::F64(values) => pick_wide(values, width, pick).into(),
    }
}

fn pick_rows<T: Copy + Send + Sync>(rows: &[T], pick: PointSelection<'_>) -> Vec<T> {
    match pick {
        PointSelection::All => rows.to_vec(),
        PointSelection::Listed(listed) => listed.par_iter().map(|&i| rows[i as usize]).collect(),
    }
}

fn pick_wide<T: Copy + Default + Send + Sync>(
    values: &[T],
    width: usize,
    pick: PointSelection<'_>,
) -> Vec<T> {
    match pick {
        PointSelection::All => values.to_vec(),
        PointSelection::Listed(listed) if width == 1 => {
            pick_rows(values, PointSelection::Listed(listed))
        }
        PointSelection::Listed(listed) => {
            let mut picked = vec![T::default(); listed.len() * width];
            picked.par_chunks_exact_mut(width).zip(listed).for_each(|(row, &i)| {
                row.copy_from_slice(&values[i as usize * width..][..width]);
            });
            picked
        }
    }
}
