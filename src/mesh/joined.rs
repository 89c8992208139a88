//! Which vertices are at one position: those within a distance of each other, and of others in
//! turn.

use rayon::prelude::*;

use super::components::{UnionFind, components};
use super::positions::{GridBox, PointGrid, equal_groups};
use super::{Attribute, numbered};
use crate::error::{Error, Result};
use crate::interrupt::stop_point;
use crate::numbers::vector::{difference, squared_norm};

/// Which vertices are joined to which.
pub(crate) struct JoinedVertices {
    /// For each vertex, the first vertex at its position.
    first: Vec<u32>,
    /// The first vertices of all positions.
    pub kept: Vec<u32>,
    /// For each first vertex, its number among the first vertices.
    numbers: Vec<u32>,
}

/// Vertices of a cell that are compared one by one, though some may lie in one place.
const MAX_COMPARED_VERTICES: usize = 16;

/// Width of the boxes of the grid, as a fraction of the distance: their diagonal is a little below
/// it.
const BOX_WIDTH: f64 = 0.577;

/// A box of the grid, and a vertex in it.
type GridVertex = (GridBox, u32);

impl JoinedVertices {
    /// The vertices of `used` within `distance`; all others stay.
    pub fn new(points: &[[f64; 3]], used: &[bool], distance: f64) -> Result<Self> {
        check_distance(points, used, distance)?;
        let known = (0..points.len() as u32).into_par_iter().filter(|&v| used[v as usize]);
        if distance == 0.0 {
            let mut sets = UnionFind::new(points.len());
            equal_groups(
                known,
                |v| points[v as usize],
                |equal| {
                    equal.iter().for_each(|&v| _ = sets.join(equal[0], v));
                },
            );
            return Ok(Self::of(sets.roots()));
        }
        let grid = PointGrid { width: BOX_WIDTH * distance };
        let mut keys: Vec<GridVertex> =
            known.map(|v| (grid.place(points[v as usize]), v)).collect();
        keys.par_sort_unstable();
        // all vertices of a cell are joined, and then two cells where two of their vertices are
        // near
        let cells: Vec<&[GridVertex]> = keys.chunk_by(|a, b| a.0 == b.0).collect();
        let find = |cell: GridBox| cells.binary_search_by_key(&cell, |keys| keys[0].0).ok();
        let is_near = |a: u32, b: u32| {
            let [a, b] = [a, b].map(|v| points[v as usize]);
            squared_norm(difference(a, b)) <= distance * distance
        };
        // one vertex of each place: many may lie in one
        let distinct = |cell: &[GridVertex]| {
            let mut ids: Vec<u32> = cell.iter().map(|key| key.1).collect();
            if ids.len() > MAX_COMPARED_VERTICES {
                let bits = |v: u32| points[v as usize].map(f64::to_bits);
                ids.sort_unstable_by_key(|&v| (bits(v), v));
                ids.dedup_by_key(|v| bits(*v));
            }
            ids
        };
        let link = |cell: &[GridVertex], ids: &[u32], offset: GridBox| {
            let other = distinct(cells[find(std::array::from_fn(|d| cell[0].0[d] + offset[d]))?]);
            let mut pairs = ids.iter().flat_map(|&a| other.iter().map(move |&b| [a, b]));
            pairs.find(|&[a, b]| is_near(a, b))
        };
        let offsets = offsets();
        let links_of = |cell: &&[GridVertex]| -> Vec<[u32; 2]> {
            stop_point();
            let ids = distinct(cell);
            offsets.iter().filter_map(|&offset| link(cell, &ids, offset)).collect()
        };
        let links: Vec<[u32; 2]> = cells.par_iter().flat_map_iter(links_of).collect();
        let ids: Vec<u32> = keys.iter().map(|key| key.1).collect();
        let mut start = 0;
        let within = cells.iter().map(|cell| {
            start += cell.len();
            &ids[start - cell.len()..start]
        });
        let groups = within.chain(links.iter().map(|link| &link[..]));
        Ok(Self::of(components(points.len(), groups)))
    }

    /// Vertices with the first one that each is joined to.
    pub fn of(first: Vec<u32>) -> Self {
        let (kept, numbers) = numbered((0..).zip(&first).map(|(v, &first)| v == first));
        Self { first, kept, numbers }
    }

    pub fn removed(&self) -> usize {
        self.first.len() - self.kept.len()
    }

    /// The first vertex at the position of one; a vertex that does not exist stays.
    pub fn first(&self, v: u32) -> u32 {
        self.first.get(v as usize).copied().unwrap_or(v)
    }

    /// The new number of a vertex.
    pub fn number(&self, v: u32) -> u32 {
        self.numbers.get(self.first(v) as usize).copied().unwrap_or(v)
    }

    /// Keeps the values of the first vertices; returns the names of attributes in which others
    /// differ.
    pub fn take(&self, attributes: &mut [Attribute]) -> Vec<String> {
        let mut differing = Vec::new();
        for attribute in attributes {
            let row = |v: u32| &attribute.values[v as usize * attribute.width..][..attribute.width];
            let is_same = |(a, b): (&f64, &f64)| a == b || a.is_nan() && b.is_nan();
            let differ = |v: u32, first: u32| !row(v).iter().zip(row(first)).all(is_same);
            if (0..).zip(&self.first).any(|(v, &first)| differ(v, first)) {
                differing.push(attribute.name.clone());
            }
            *attribute = attribute.of_vertices(&self.kept);
        }
        differing
    }
}

/// Refuses distances that coordinates do not resolve.
fn check_distance(points: &[[f64; 3]], used: &[bool], distance: f64) -> Result<()> {
    let refused = |help: String| {
        // not hundreds of zeros
        let distance = match distance.abs() {
            1e-6..1e9 => distance.to_string(),
            _ => format!("{distance:e}"),
        };
        Err(Error::request(format!("a welding distance of {distance}: out of range"))
            .with_help(help))
    };
    if !(distance.is_finite() && distance >= 0.0) {
        return refused("give 0 for equal coordinates, or a length".into());
    }
    let used_points = points.iter().zip(used).filter(|(_, used)| **used).flat_map(|(p, _)| p);
    let largest = used_points.fold(0.0_f64, |largest, x| largest.max(x.abs()));
    if distance > 0.0 && largest / (BOX_WIDTH * distance) > 2_f64.powi(52) {
        let least = largest * 2_f64.powi(-50);
        return refused(format!(
            "coordinates of {largest:.2e} are not as fine: give 0 for equal coordinates, or {least:.0e} or \
             more"
        ));
    }
    Ok(())
}

/// One of each pair of opposite offsets of boxes that vertices within the distance may be in.
fn offsets() -> Vec<GridBox> {
    let along = || -2..=2;
    let all = along().flat_map(|x| along().flat_map(move |y| along().map(move |z| [x, y, z])));
    all.filter(|&offset| offset > [0; 3]).collect()
}
