//! Leaves of an archive: where they are, and their control points.

use std::io::{self, Seek, Write};

use super::outline::ArchiveOutline;
use crate::io::Archive;
use crate::limit::AxisPermutation;
use crate::quadrature::{Quadrature, QuadratureBatch, Regions};

/// Writes the leaves, table by table.
pub(super) fn push<W: Write + Seek>(
    archive: &mut Archive<W>,
    quadrature: &Quadrature<'_>,
    outline: &ArchiveOutline,
) -> io::Result<()> {
    let leaves = || quadrature.batches().iter().flat_map(|batch| batch.leaves.iter().copied());
    let count = leaves().count();
    let cells: Vec<u32> = leaves().map(|leaf| quadrature.element(leaf).cell).collect();
    archive.push("leaf/cell", "u4", &[count], bytemuck::cast_slice(&cells))?;
    let corner = |leaf| quadrature.element(leaf).corner.map_or(-1, i32::from);
    let corners: Vec<i32> = leaves().map(corner).collect();
    archive.push("leaf/corner", "i4", &[count], bytemuck::cast_slice(&corners))?;

    archive.begin("leaf/origin", "f8", &[count, 3])?;
    for batch in quadrature.batches() {
        let local = frame(batch).0;
        let origin = |&leaf: &u32| {
            let lowest = quadrature.origin(leaf);
            [0, 1, 2].map(|d| lowest[d] + local[d])
        };
        let origins: Vec<[f64; 3]> = batch.leaves.iter().map(origin).collect();
        archive.append(bytemuck::cast_slice(&origins))?;
    }
    archive.begin("leaf/frame", "f8", &[count, 3, 3])?;
    for batch in quadrature.batches() {
        archive.append(bytemuck::cast_slice(&vec![frame(batch).1; batch.leaves.len()]))?;
    }
    let controls: usize = outline.parts.iter().map(|part| part.leaves * part.controls).sum();
    archive.begin("leaf/controls", "u4", &[controls])?;
    for part in &outline.parts {
        for batch in &quadrature.batches()[part.batches.clone()] {
            let controls = outline.controls(quadrature.layout(), part.table, &batch.leaves);
            archive.append(bytemuck::cast_slice(&controls))?;
        }
    }
    Ok(())
}

/// Writes the faces of the mesh that leaves of the boundary lie in, and their sides.
pub(super) fn push_faces<W: Write + Seek>(
    archive: &mut Archive<W>,
    quadrature: &Quadrature<'_>,
    regions: &Regions<'_>,
) -> io::Result<()> {
    let faces: Vec<u32> =
        quadrature.batches().iter().flat_map(|batch| batch.faces.iter().copied()).collect();
    archive.push("leaf/face", "u4", &[faces.len()], bytemuck::cast_slice(&faces))?;
    let sides: Vec<u32> = faces.iter().map(|&face| regions.sides()[face as usize]).collect();
    archive.push("leaf/side", "u4", &[sides.len()], bytemuck::cast_slice(&sides))
}

/// How the local axes of a batch's leaves lie in their elements: the local origin from the lowest
/// parameters of the leaf, and d(u, v, w)/d(ξ, η, ζ).
fn frame(batch: &QuadratureBatch) -> ([f64; 3], [[f64; 3]; 3]) {
    let size = f64::from(batch.depth).exp2().recip();
    let AxisPermutation { axes, flips } = batch.permutation;
    let (mut origin, mut columns) = ([0.0; 3], [[0.0; 3]; 3]);
    for d in 0..3 {
        let axis = usize::from(axes[d]);
        columns[axis][d] = if flips[d] { -size } else { size };
        origin[axis] = if flips[d] { size } else { 0.0 };
    }
    (origin, columns)
}
