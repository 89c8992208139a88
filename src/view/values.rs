//! Values of attributes, in single precision about bases of their own.

use super::channel::{finite_range, range};
use super::scene::Blob;
use crate::basis::bernstein;

/// Values of a patch, which have one base.
const GROUP: usize = 16;

/// Adds values as (base + difference) · 2^exponent, so that close values far from 0 stay apart, as
/// do small ones beside large ones: section `name` of the differences, `name base` of one base for
/// each 16 values, and `name exponent`. What is not finite is NaN or an infinite difference.
pub fn push_values(blob: &mut Blob, name: &str, values: &[f64]) {
    let (low, high) = range(values.iter().copied());
    let largest = low.abs().max(high.abs());
    let exponent = if largest > 0.0 { largest.log2().floor() } else { 0.0 };
    let scale = exponent.exp2();
    let (mut bases, mut differences) = (Vec::new(), Vec::with_capacity(values.len()));
    for group in values.chunks(GROUP) {
        let base = range(group.iter().map(|x| x / scale)).0 as f32;
        bases.push(base);
        differences.extend(group.iter().map(|x| match x / scale - f64::from(base) {
            // one NaN, whatever made it
            difference if difference.is_nan() => f32::NAN,
            difference => difference as f32,
        }));
    }
    blob.push_split(name, &differences);
    blob.push(&format!("{name} base"), &bases);
    blob.push(&format!("{name} exponent"), &[exponent as i32]);
}

/// Least and greatest of the finite values of Bézier patches (2 axes) or pieces (3) at 0, 1/3, 2/3 and
/// 1 along each axis: control values are not values of the limit.
pub fn range_at_thirds(points: &[f64], axes: u32) -> Option<(f64, f64)> {
    let patches = points.chunks_exact(4_usize.pow(axes)).flat_map(|patch| {
        let mut values = [f64::NAN; 64];
        values[..patch.len()].copy_from_slice(patch);
        for stride in (0..axes).map(|axis| 4_usize.pow(axis)) {
            for line in (0..patch.len()).filter(|i| (i / stride).is_multiple_of(4)) {
                let line = |i: usize| line + i * stride;
                let thirds = bernstein::at_thirds(std::array::from_fn(|i| values[line(i)]));
                (1..3).for_each(|i| values[line(i)] = thirds[i]);
            }
        }
        values
    });
    finite_range(patches)
}
