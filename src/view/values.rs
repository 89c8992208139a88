//! Values of attributes, in single precision about bases of their own.

use super::channel::range;
use super::scene::Blob;

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
