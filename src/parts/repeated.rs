//! Vertices that the pieces of a file repeat, joined by ranks that each have a block of them.
//!
//! # Data flow
//! points → the ranks of their places in space → which earlier point each repeats → ids without
//! the repeated points → cells, creases and corners by these ids.
//!
//! Few points lie within rounding of a plane between places; rank 0 looks at these, and at all
//! points in the places around them. So the points that a rank looks at have no equal or near ones
//! elsewhere, and the result is that of one program ([`repeated`]).

use std::collections::{BTreeMap, HashSet};

use super::exchange::{
    Holders, batch, check_ended, fetch, gather_count, ids, next_id, next_ids, next_number,
    next_numbers, rounds,
};
use crate::cluster::Ranks;
use crate::error::{Error, Result};
use crate::io::MeshBlock;
use crate::mesh::{SolidMesh, WeldGrid, WeldNearness, WeldPlace, WeldPoint, repeated, shorten};
use crate::numbers::sorted_unique;

/// Points that a rank looks at in one pass, about.
const PASS_POINTS: usize = 1 << 22;

/// Width of a place, as a multiple of the rounding.
const PLACE_WIDTH_ROUNDINGS: f64 = 1024.0;

/// A point of the file.
#[derive(Clone, Copy)]
struct FilePoint {
    id: u32,
    own: WeldPoint,
}

impl FilePoint {
    fn push(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.id.to_ne_bytes());
        let WeldPoint { place: [x, y, z], piece, tolerance } = self.own;
        bytes.extend(piece.to_ne_bytes());
        bytes.extend([x, y, z, tolerance].map(f64::to_ne_bytes).as_flattened());
    }

    fn push_all(mut bytes: &[u8], points: &mut Vec<Self>) -> Result<()> {
        while !bytes.is_empty() {
            let [id, piece] = next_ids(&mut bytes)?;
            let [x, y, z, tolerance] = next_numbers(&mut bytes)?;
            points.push(Self { id, own: WeldPoint { place: [x, y, z], piece, tolerance } });
        }
        Ok(())
    }
}

/// The mesh of a block without repeated vertices, and who has which of the rest.
pub(super) fn joined(ranks: &Ranks<'_>, block: MeshBlock) -> Result<(SolidMesh, Holders)> {
    let MeshBlock { mut mesh, vertices, pieces, is_single, .. } = block;
    let before = Holders::of_blocks(vertices, ranks.size());
    let tolerances = tolerances(ranks, &mesh, &before, is_single)?;
    let first = first_of_each(ranks, &mesh.points, &tolerances, &before, &pieces)?;
    let start = before.range(ranks.rank()).start as u32;
    let is_kept: Vec<bool> = (start..).zip(&first).map(|(v, &first)| v == first).collect();
    let count = is_kept.iter().filter(|&&kept| kept).count();
    let after = Holders::of_counts(gather_count(ranks, count)?.into_iter());

    // ids of what is kept, then of what repeats it
    let mut new_ids = vec![u32::MAX; first.len()];
    let kept = new_ids.iter_mut().zip(&is_kept).filter(|(_, kept)| **kept);
    for ((id, _), new) in kept.zip(after.range(ranks.rank()).start as u32..) {
        *id = new;
    }
    let repeats = first.iter().zip(&is_kept).filter(|(_, kept)| !**kept).map(|(&first, _)| first);
    let of_kept = Renaming::fetch(ranks, &before, repeats.collect(), &new_ids)?;
    for (id, first) in new_ids.iter_mut().zip(&first).filter(|(id, _)| **id == u32::MAX) {
        *id = of_kept.name(*first);
    }

    let corners = (0..mesh.cells.len()).flat_map(|c| mesh.cells.vertices(c)).copied();
    let creased = mesh.creases.edges.iter().flat_map(|crease| crease.edge().map(|v| v.0));
    let names = Renaming::fetch(ranks, &before, corners.chain(creased).collect(), &new_ids)?;
    mesh.cells.renumber(|v| names.name(v));
    mesh.creases.edges.iter_mut().for_each(|crease| crease.renumber(|v| names.name(v)));
    mesh.creases.corners.retain_mut(|corner| {
        let own = (corner.vertex.0 - start) as usize;
        corner.vertex.0 = new_ids[own];
        is_kept[own]
    });
    retain(&mut mesh.points, 1, &is_kept);
    mesh.attributes.iter_mut().for_each(|a| retain(&mut a.values, a.width, &is_kept));
    Ok((mesh, after))
}

fn retain<T>(values: &mut Vec<T>, width: usize, is_kept: &[bool]) {
    let mut at = 0..;
    values.retain(|_| at.next().is_some_and(|i: usize| is_kept[i / width]));
}

/// New ids of some vertices.
struct Renaming {
    wanted: Vec<u32>,
    names: Vec<u32>,
}

impl Renaming {
    /// The new ids of the vertices `wanted`, from their holders' `new_ids`.
    fn fetch(
        ranks: &Ranks<'_>,
        holders: &Holders,
        wanted: Vec<u32>,
        new_ids: &[u32],
    ) -> Result<Self> {
        let wanted = sorted_unique(wanted);
        let mut names = Vec::with_capacity(wanted.len());
        let answer = |place: usize, bytes: &mut Vec<u8>| bytes.extend(new_ids[place].to_ne_bytes());
        fetch(ranks, holders, &wanted, answer, |bytes| {
            names.extend(ids(bytes)?);
            Ok(())
        })?;
        if names.len() != wanted.len() {
            return Err(Error::broken_message());
        }
        Ok(Self { wanted, names })
    }

    fn name(&self, vertex: u32) -> u32 {
        self.wanted.binary_search(&vertex).map_or(u32::MAX, |at| self.names[at])
    }
}

/// The vertex that each vertex of this rank is: another one if it repeats it.
fn first_of_each(
    ranks: &Ranks<'_>,
    points: &[[f64; 3]],
    tolerances: &[f64],
    holders: &Holders,
    pieces: &[usize],
) -> Result<Vec<u32>> {
    let reach = largest(ranks, tolerances.iter().fold(0.0, |most, t| t.max(most)))?;
    let grid = WeldGrid::new(if reach > 0.0 { PLACE_WIDTH_ROUNDINGS * reach } else { 1.0 });
    let own = holders.range(ranks.rank());
    let point = |v: usize| FilePoint {
        id: (own.start + v) as u32,
        own: WeldPoint {
            place: points[v],
            piece: pieces.partition_point(|&start| start <= own.start + v) as u32,
            tolerance: tolerances[v],
        },
    };
    let places = |v: usize| grid.places(points[v], reach);
    let is_between = |v: usize| places(v).nth(1).is_some();
    let between: Vec<usize> = (0..points.len()).filter(|&v| is_between(v)).collect();
    let ambiguous = ambiguous_places(ranks, between.iter().flat_map(|&v| places(v)))?;

    let mut found = Vec::new();
    // of points that rank 0 looks at
    let mut for_first: Vec<FilePoint> = between.into_iter().map(point).collect();
    let passes = holders.count().div_ceil(PASS_POINTS * ranks.size()).max(1);
    for pass in 0..passes {
        let mut here = Vec::new();
        for round in 0..rounds(ranks, points.len())? {
            let mut to = vec![Vec::new(); ranks.size()];
            let batch = batch(points.len(), round);
            for (v, &at) in batch.clone().zip(&points[batch]) {
                let hash = hash(grid.place(at));
                if hash as usize / ranks.size() % passes == pass && !is_between(v) {
                    point(v).push(&mut to[hash as usize % ranks.size()]);
                }
            }
            let from = ranks.all_to_all(Ok(to))?;
            from.iter().try_for_each(|bytes| FilePoint::push_all(bytes, &mut here))?;
        }
        let (away, mut here): (Vec<FilePoint>, Vec<FilePoint>) =
            here.into_iter().partition(|point| ambiguous.contains(&grid.place(point.own.place)));
        for_first.extend(away);
        here.sort_unstable_by_key(|point| (grid.place(point.own.place), point.id));
        for near in here.chunk_by(|a, b| grid.place(a.own.place) == grid.place(b.own.place)) {
            push_repeated(near, &mut found);
        }
    }
    let mut to = vec![Vec::new(); ranks.size()];
    for_first.iter().for_each(|point| point.push(&mut to[0]));
    let mut all: Vec<FilePoint> = Vec::new();
    let from = ranks.all_to_all(Ok(to))?;
    from.iter().try_for_each(|bytes| FilePoint::push_all(bytes, &mut all))?;
    all.sort_unstable_by_key(|point| point.id);
    push_repeated(&all, &mut found);

    let mut to = vec![Vec::new(); ranks.size()];
    for [vertex, first] in found {
        to[holders.holder(vertex)].extend([vertex, first].map(u32::to_ne_bytes).as_flattened());
    }
    let mut first: Vec<u32> = own.clone().map(|v| v as u32).collect();
    for bytes in ranks.all_to_all(Ok(to))? {
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let [vertex, of] = next_ids(&mut rest)?;
            first[holders.place(vertex, ranks.rank())?] = of;
        }
    }
    Ok(first)
}

/// Appends the vertices among some points, ascending, that repeat one, and which.
fn push_repeated(points: &[FilePoint], found: &mut Vec<[u32; 2]>) {
    if points.len() < 2 {
        return;
    }
    let first = repeated(points.len(), |i| points[i].own);
    let repeated = first.iter().enumerate().filter(|(v, first)| *v != **first as usize);
    found.extend(repeated.map(|(v, &first)| [points[v].id, points[first as usize].id]));
}

/// Tolerance within which points repeat each vertex of this rank.
fn tolerances(
    ranks: &Ranks<'_>,
    mesh: &SolidMesh,
    holders: &Holders,
    is_single: bool,
) -> Result<Vec<f64>> {
    let largest = largest(ranks, WeldNearness::largest(&mesh.points))?;
    let nearness = WeldNearness::new(largest, is_single);
    let shortest = shortest_edges(ranks, mesh, holders)?;
    Ok(shortest.into_iter().map(|length| nearness.tolerance(length)).collect())
}

/// The largest of the numbers of all ranks.
fn largest(ranks: &Ranks<'_>, own: f64) -> Result<f64> {
    let all = ranks.all_gather(Ok(own.to_ne_bytes().to_vec()))?;
    all.iter().try_fold(0.0, |most: f64, bytes| Ok(most.max(next_number(&mut &bytes[..])?)))
}

/// The shortest edge of all cells at each vertex of this rank.
fn shortest_edges(ranks: &Ranks<'_>, mesh: &SolidMesh, holders: &Holders) -> Result<Vec<f64>> {
    let cells = &mesh.cells;
    let corners = (0..cells.len()).flat_map(|c| cells.vertices(c)).copied();
    let wanted = sorted_unique(corners.collect());
    let mut points: Vec<[f64; 3]> = Vec::with_capacity(wanted.len());
    let answer = |place: usize, bytes: &mut Vec<u8>| {
        bytes.extend(mesh.points[place].map(f64::to_ne_bytes).as_flattened());
    };
    fetch(ranks, holders, &wanted, answer, |mut bytes| {
        while !bytes.is_empty() {
            points.push(next_numbers(&mut bytes)?);
        }
        Ok(())
    })?;
    if points.len() != wanted.len() {
        return Err(Error::broken_message());
    }
    let mut lengths = vec![f64::INFINITY; wanted.len()];
    let local = |v: u32| wanted.binary_search(&v).ok();
    for cell in 0..cells.len() {
        cells.for_each_face(cell, |face| shorten(&mut lengths, &points, face, local));
    }
    let mut shortest = vec![f64::INFINITY; mesh.points.len()];
    for round in 0..rounds(ranks, wanted.len())? {
        let mut to = vec![Vec::new(); ranks.size()];
        let batch = batch(wanted.len(), round);
        for (&vertex, length) in wanted[batch.clone()].iter().zip(&lengths[batch]) {
            let bytes = &mut to[holders.holder(vertex)];
            bytes.extend(vertex.to_ne_bytes());
            bytes.extend(length.to_ne_bytes());
        }
        for bytes in ranks.all_to_all(Ok(to))? {
            let mut rest = &bytes[..];
            while !rest.is_empty() {
                let at = holders.place(next_id(&mut rest)?, ranks.rank())?;
                shortest[at] = shortest[at].min(next_number(&mut rest)?);
            }
        }
    }
    Ok(shortest)
}

/// The places whose points this rank looks at, and in which or next to which some rank has a point
/// that is within rounding of two places.
fn ambiguous_places(
    ranks: &Ranks<'_>,
    own: impl Iterator<Item = WeldPlace>,
) -> Result<HashSet<WeldPlace>> {
    let mut to: BTreeMap<usize, HashSet<WeldPlace>> = BTreeMap::new();
    own.for_each(|place| {
        to.entry(hash(place) as usize % ranks.size()).or_default().insert(place);
    });
    let bytes = |rank: usize| {
        let places = to.get(&rank).into_iter().flatten();
        places.flat_map(|place| place.map(i64::to_ne_bytes)).flatten().collect()
    };
    let place = |bytes: &[u8; 24]| {
        let numbers = bytes.as_chunks::<8>().0;
        [0, 1, 2].map(|d| i64::from_ne_bytes(numbers[d]))
    };
    let mut all = HashSet::new();
    for bytes in ranks.all_to_all(Ok((0..ranks.size()).map(bytes).collect()))? {
        let (places, rest) = bytes.as_chunks();
        check_ended(rest)?;
        all.extend(places.iter().map(place));
    }
    Ok(all)
}

/// Mixes the numbers of a place.
fn hash(place: WeldPlace) -> u64 {
    place.iter().fold(0, |hash: u64, &x| {
        let mixed = (hash ^ x.cast_unsigned()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^ (mixed >> 29)
    }) >> 8
}
