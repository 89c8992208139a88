//! Rows of every query from the downward incidence: unions, transposes and products.

use rayon::prelude::*;

use super::Op;
use crate::error::{Error, Result};
use crate::interrupt::stop_point;
use crate::topology::Rows;
use crate::topology::order::{DownwardIncidence, EntityKind};

/// Elements that a thread gathers at a time.
const TASK_ELEMENTS: usize = 4096;

/// The rows of `op`, each ascending.
///
/// # Errors
/// [`Error::Request`] if all rows together could have 2³² entries or more.
pub(super) fn rows(mesh: &DownwardIncidence, op: Op) -> Result<Rows> {
    let (from, to) = (op.from(), op.to());
    if from > to {
        return down(mesh, op, from, to);
    }
    if from < to {
        return Ok(down(mesh, op, to, from)?.transpose(mesh.count(from)));
    }
    // adjacent: through the elements of one kind that two have in common
    let via = op.common();
    let (there, back) = if from > via {
        let there = down(mesh, op, from, via)?;
        let back = there.transpose(mesh.count(via));
        (there, back)
    } else {
        let back = down(mesh, op, via, from)?;
        (back.transpose(mesh.count(from)), back)
    };
    // each element at `common` is next to the others: before memory fills
    let pairs = back.iter().map(|near| near.len() as u64 * near.len().saturating_sub(1) as u64);
    if pairs.sum::<u64>() > u64::from(u32::MAX) {
        return Err(too_many(&op.to_string()));
    }
    gather(op, mesh.count(from), |id, row| {
        for &common in there.row(id as usize) {
            row.extend(back.row(common as usize).iter().filter(|&&other| other != id));
        }
    })
}

/// What elements of a kind have of a lower one.
fn down(mesh: &DownwardIncidence, op: Op, from: EntityKind, to: EntityKind) -> Result<Rows> {
    gather(op, mesh.count(from), |id, row| match (from, to) {
        (EntityKind::Edge, _) => row.extend(mesh.edge_vertices[id as usize]),
        (EntityKind::Face, EntityKind::Edge) => row.extend(mesh.face_edges.row(id as usize)),
        (EntityKind::Face, _) => row.extend(mesh.face_vertices.row(id as usize)),
        (_, EntityKind::Face) => row.extend(mesh.cell_faces.row(id as usize)),
        _ => mesh.closure(from, id, &mut |kind, element| {
            if kind == to {
                row.push(element);
            }
        }),
    })
}

/// Rows that `fill` writes in any order, with repetitions.
fn gather(op: Op, count: usize, fill: impl Fn(u32, &mut Vec<u32>) + Sync) -> Result<Rows> {
    let chunk = |chunk: usize| {
        stop_point();
        let (mut lengths, mut items, mut row) = (Vec::new(), Vec::new(), Vec::new());
        for id in chunk * TASK_ELEMENTS..count.min((chunk + 1) * TASK_ELEMENTS) {
            row.clear();
            fill(id as u32, &mut row);
            row.sort_unstable();
            row.dedup();
            lengths.push(row.len());
            items.extend_from_slice(&row);
        }
        (lengths, items)
    };
    let chunks: Vec<_> = (0..count.div_ceil(TASK_ELEMENTS)).into_par_iter().map(chunk).collect();
    if chunks.iter().map(|(_, items)| items.len()).sum::<usize>() > u32::MAX as usize {
        return Err(too_many(&op.to_string()));
    }
    let mut end = 0;
    let ends = chunks.iter().flat_map(|(lengths, _)| lengths).map(|length| {
        end += *length as u32;
        end
    });
    let ends = ends.collect();
    let items: Vec<&[u32]> = chunks.iter().map(|(_, items)| items.as_slice()).collect();
    Ok(Rows::from_parts(ends, items.concat()))
}

/// Rows that 32 bits do not number.
pub(crate) fn too_many(name: &str) -> Error {
    Error::request(format!("the rows of {name} have 2^32 entries or more"))
        .with_help("some element has very many neighbors; visit them by two other queries in turn")
}
