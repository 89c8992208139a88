//! Tables of an archive, and the refined points that their leaves use.

use std::io::{self, Seek, Write};

use super::Store;
use super::outline::{ArchiveOutline, ArchiveTable};
use crate::io::Archive;
use crate::limit::LeafKind;
use crate::plan::Want;
use crate::quadrature::Quadrature;

/// Writes what leaves share.
pub(super) fn push<W: Write + Seek>(
    archive: &mut Archive<W>,
    quadrature: &Quadrature<'_>,
    outline: &ArchiveOutline,
    store: Store,
) -> io::Result<()> {
    push_refined(archive, quadrature, outline)?;
    let parts = &outline.parts;
    let table = |part: &ArchiveTable| &quadrature.layout.tables[part.table];
    let count = [parts.len()];
    let bytes = |of: &dyn Fn(&ArchiveTable) -> u8| parts.iter().map(of).collect::<Vec<u8>>();
    archive.push("table/kind", "u1", &count, &bytes(&|p| kind_number(table(p).key.kind)))?;
    if quadrature.is_boundary() {
        let face = |part: &ArchiveTable| table(part).key.face;
        archive.push("table/axis", "u1", &count, &bytes(&|p| face(p).map_or(0, |f| f.axis)))?;
        archive.push("table/end", "u1", &count, &bytes(&|p| face(p).map_or(0, |f| f.end)))?;
    }
    let integers = |of: &dyn Fn(&ArchiveTable) -> usize| -> Vec<i32> {
        parts.iter().map(|part| of(part) as i32).collect()
    };
    for (name, column) in [
        ("controls", integers(&|p| p.controls)),
        ("exact_samples", integers(&|p| table(p).points.exact)),
    ] {
        archive.push(&format!("table/{name}"), "i4", &count, bytemuck::cast_slice(&column))?;
    }
    type Length = fn(&ArchiveTable) -> usize;
    let lengths: [(&str, Length); 5] = [
        ("leaf", |p| p.leaves),
        ("control", |p| p.leaves * p.controls),
        ("sample", |p| p.samples),
        ("basis", |p| p.samples * p.controls),
        ("point", |p| p.leaves * p.samples),
    ];
    for (name, length) in lengths {
        let offsets = outline.offsets(length);
        let name = format!("table/{name}_offsets");
        archive.push(&name, "i8", &[offsets.len()], bytemuck::cast_slice(&offsets))?;
    }
    let samples: usize = parts.iter().map(|part| part.samples).sum();
    archive.begin("table/parameters", "f8", &[samples, 3])?;
    for part in parts {
        archive.append(bytemuck::cast_slice(&table(part).points.parameters))?;
    }
    archive.begin("table/weights", "f8", &[samples])?;
    for part in parts {
        archive.append(bytemuck::cast_slice(&table(part).points.weights))?;
    }
    if store.has_tables() {
        push_bases(archive, quadrature, outline)?;
    }
    Ok(())
}

fn push_bases<W: Write + Seek>(
    archive: &mut Archive<W>,
    quadrature: &Quadrature<'_>,
    outline: &ArchiveOutline,
) -> io::Result<()> {
    let numbers: usize = outline.parts.iter().map(|part| part.samples * part.controls).sum();
    let bases = || outline.parts.iter().map(|part| &quadrature.bases[part.table]);
    archive.begin("table/basis", "f8", &[numbers])?;
    for basis in bases() {
        archive.append(bytemuck::cast_slice(&basis.values))?;
    }
    archive.begin("table/gradients", "f8", &[numbers, 3])?;
    for basis in bases() {
        let rows = by_control(&basis.gradients, 3, basis.controls);
        archive.append(bytemuck::cast_slice(&rows))?;
    }
    if quadrature.want().contains(Want::SECOND) {
        archive.begin("table/second", "f8", &[numbers, 6])?;
        for basis in bases() {
            let rows = by_control(&basis.second, 6, basis.controls);
            archive.append(bytemuck::cast_slice(&rows))?;
        }
    }
    Ok(())
}

/// `[sample][row][control]` as `[sample][control][row]`.
pub(super) fn by_control(values: &[f64], rows: usize, controls: usize) -> Vec<f64> {
    let mut turned = Vec::with_capacity(values.len());
    for sample in values.chunks_exact(rows * controls) {
        for control in 0..controls {
            turned.extend((0..rows).map(|row| sample[row * controls + control]));
        }
    }
    turned
}

/// Refined points over the vertices, as compressed sparse rows.
fn push_refined<W: Write + Seek>(
    archive: &mut Archive<W>,
    quadrature: &Quadrature<'_>,
    outline: &ArchiveOutline,
) -> io::Result<()> {
    let rows = || outline.refined_rows(quadrature.layout());
    let mut offsets = vec![0_i64];
    offsets.extend(rows().scan(0, |end, row| {
        *end += row.count() as i64;
        Some(*end)
    }));
    let entries = offsets[outline.refined_count()] as usize;
    archive.push("refined_offsets", "i8", &[offsets.len()], bytemuck::cast_slice(&offsets))?;
    archive.begin("refined_vertices", "u4", &[entries])?;
    for row in rows() {
        let vertices: Vec<u32> = row.map(|(vertex, _)| vertex).collect();
        archive.append(bytemuck::cast_slice(&vertices))?;
    }
    archive.begin("refined_weights", "f8", &[entries])?;
    for row in rows() {
        let weights: Vec<f64> = row.map(|(_, weight)| weight).collect();
        archive.append(bytemuck::cast_slice(&weights))?;
    }
    Ok(())
}

/// Number of a kind in `table/kind`.
fn kind_number(kind: LeafKind) -> u8 {
    match kind {
        LeafKind::Regular(_) => 0,
        LeafKind::Layered(..) => 1,
        LeafKind::Irregular(..) => 2,
    }
}
