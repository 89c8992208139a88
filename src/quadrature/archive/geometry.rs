//! Physical quantities of an archive, which differ from leaf to leaf.

use std::io::{self, Seek, Write};
use std::ops::Range;

use super::ExportOptions;
use super::outline::ArchiveOutline;
use super::tables::by_control;
use crate::io::Archive;
use crate::limit::AxisPermutation;
use crate::plan::Want;
use crate::quadrature::{
    BasisValues, LeafQuantities, Mapping, PhysicalDerivatives, QuadratureBatch,
    physical_derivatives,
};

/// Numbers of a streamed array that are in memory at a time.
const PIECE_NUMBERS: usize = 1 << 23;

/// Writes one array after the other, each evaluated as it is written: evaluating anew costs less
/// than keeping all.
pub(super) fn push<W: Write + Seek>(
    archive: &mut Archive<W>,
    mapping: &Mapping<'_>,
    outline: &ArchiveOutline,
    options: ExportOptions<'_>,
) -> io::Result<()> {
    let quadrature = mapping.quadrature();
    let count = quadrature.sample_count();
    type GeometryValues = fn(&mut LeafQuantities, &QuadratureBatch) -> Vec<f64>;
    let arrays: [(&str, &[usize], GeometryValues); 4] = [
        ("position", &[3], |m, _| std::mem::take(&mut m.points).into_flattened()),
        ("measure", &[], |m, _| std::mem::take(&mut m.measures)),
        ("inverse_jacobian", &[3, 3], local_inverses),
        ("normal", &[3], |m, _| std::mem::take(&mut m.normals).into_flattened()),
    ];
    let mut mapped = LeafQuantities::default();
    if options.store.has_geometry() {
        let arrays = &arrays[..if quadrature.is_boundary() { 4 } else { 3 }];
        for &(name, inner, values) in arrays {
            archive.begin(&format!("point/{name}"), "f8", &[&[count], inner].concat())?;
            for (b, batch) in quadrature.batches().iter().enumerate() {
                for leaves in ranges(batch.leaves.len(), 23 * quadrature.samples(b)) {
                    mapping.evaluate(b, leaves, &mut mapped).map_err(io::Error::other)?;
                    archive.append(bytemuck::cast_slice(&values(&mut mapped, batch)))?;
                }
            }
        }
    }
    if options.physical_derivatives {
        push_derivatives(archive, mapping, outline, &mut mapped)?;
    }
    Ok(())
}

/// The derivatives of the basis functions in space.
fn push_derivatives<W: Write + Seek>(
    archive: &mut Archive<W>,
    mapping: &Mapping<'_>,
    outline: &ArchiveOutline,
    mapped: &mut LeafQuantities,
) -> io::Result<()> {
    let quadrature = mapping.quadrature();
    let offsets = outline.offsets(|part| part.leaves * part.samples * part.controls);
    archive.push("physical/offsets", "i8", &[offsets.len()], bytemuck::cast_slice(&offsets))?;
    let count = offsets[outline.parts.len()] as usize;
    type Derivatives = fn(&PhysicalDerivatives) -> &[f64];
    let arrays: [(&str, usize, Derivatives); 2] =
        [("gradients", 3, |d| &d.gradients), ("second", 6, |d| &d.second)];
    let arrays = &arrays[..if quadrature.want().contains(Want::SECOND) { 2 } else { 1 }];
    let mut derivatives = PhysicalDerivatives::default();
    for &(name, rows, values) in arrays {
        archive.begin(&format!("physical/{name}"), "f8", &[count, rows])?;
        for part in &outline.parts {
            for b in part.batches.clone() {
                let batch = &quadrature.batches()[b];
                // of the leaf's own control points, by the parameters of its element
                let basis: BasisValues =
                    quadrature.bases[part.table].within(batch.permutation, batch.depth);
                let numbers = (23 + 9 * part.controls) * part.samples;
                for leaves in ranges(batch.leaves.len(), numbers) {
                    mapping.evaluate(b, leaves, mapped).map_err(io::Error::other)?;
                    physical_derivatives(&basis, mapped, &mut derivatives);
                    let turned = by_control(values(&derivatives), rows, part.controls);
                    archive.append(bytemuck::cast_slice(&turned))?;
                }
            }
        }
    }
    Ok(())
}

/// d(ξ, η, ζ)/d(x, y, z) from d(u, v, w)/d(x, y, z).
fn local_inverses(mapped: &mut LeafQuantities, batch: &QuadratureBatch) -> Vec<f64> {
    let speed = f64::from(batch.depth).exp2();
    let AxisPermutation { axes, flips } = batch.permutation;
    let signs = flips.map(|flip| if flip { -speed } else { speed });
    let local = |inverse: &[[f64; 3]; 3]| -> [[f64; 3]; 3] {
        [0, 1, 2].map(|d| inverse[usize::from(axes[d])].map(|x| signs[d] * x))
    };
    let inverses: Vec<[[f64; 3]; 3]> = mapped.inverse_jacobians.iter().map(local).collect();
    inverses.into_flattened().into_flattened()
}

/// Ranges of leaves, by the numbers that each leaf makes.
fn ranges(leaves: usize, numbers: usize) -> impl Iterator<Item = Range<usize>> {
    let step = (PIECE_NUMBERS / numbers).max(1);
    (0..leaves).step_by(step).map(move |start| start..(start + step).min(leaves))
}
