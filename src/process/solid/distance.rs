//! Distance through a volume by local minima over the faces around each vertex.
//!
//! The distance u of a vertex x is the least of u(y) + |x − y| over the points y of the faces of
//! its cells that are opposite to it: Bornemann and Rasch, "Finite-element discretization of static
//! Hamilton-Jacobi equations based on a local variational principle" (2006), eq. (6), with both
//! pairs of triangles of each face. Vertices are settled in ascending order, as by Sethian's fast
//! marching; there the distance between vertices is quadratic along edges, by their directions,
//! which represents curved fronts more accurately than linear interpolation. Where fronts from
//! several sides meet at a vertex, it has the directions of all of them. Then further minima
//! lower what they can, which settling once does not reach in skewed cells.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use nalgebra::Vector3;
use rayon::prelude::*;

use super::trilinear::is_regular;
use super::update::{FrontNode, Fronts, Interpolation, Minimum, through};
use super::{Seed, hexahedra};
use crate::error::IdKind::{Cell, Vertex};
use crate::error::{Command, Error, Result};
use crate::interrupt::stop_point;
use crate::limit::VTK_CORNER;
use crate::mesh::SolidMesh;
use crate::process::components::{check_reach, leave_unused};
use crate::topology;

/// What a distance must fall by to be lowered, as a fraction of the greatest.
const MIN_DECREASE_FRACTION: f64 = 1e-10;

/// Distance of every vertex of the control mesh to the nearest seed, in its length unit,
/// through the trilinear volume of its hexahedra; NaN at vertices of no cell.
///
/// The greatest error falls with the length h of edges: at first order; around points and edges of
/// the target, where cells are skewed, as h log 1/h. In a box of cubes the distance to its sides is
/// exact up to rounding. Where the seeds are the whole boundary, it is the distance in space to the
/// boundary that is approximated, as nothing is in the way.
///
/// # Errors
/// [`Error::Mesh`] for cells that are not hexahedra, and those flat or folded at their Gauss
/// points, or that name vertices that do not exist; [`Error::Request`] for seeds that do not exist
/// or whose distances are negative or not finite, and for vertices that no cell joins to a seed.
pub fn volume_distance(mesh: &SolidMesh, seeds: &[Seed]) -> Result<Vec<f64>> {
    mesh.check()?;
    let hexes = hexahedra(mesh)?;
    let count = mesh.points.len();
    topology::check_cells(&mesh.cells, count)?;
    let is_distance = |seed: &&Seed| seed.distance.is_finite() && seed.distance >= 0.0;
    if let Some(&Seed { vertex, distance }) = seeds.iter().find(|seed| !is_distance(seed)) {
        return Err(Error::request(message!(Vertex.id(vertex), " has the distance {distance}"))
            .with_help("give finite distances of at least 0"));
    }
    check_reach(count, hexes.iter().map(|h| &h[..]), seeds.iter().map(|s| s.vertex))?;
    check_cells(mesh, hexes)?;
    let mut front = Front::new(mesh, hexes, seeds);
    front.march();
    front.lower();
    let mut distances: Vec<f64> = front.nodes.iter().map(|node| node.distance).collect();
    leave_unused(&mut distances, hexes.as_flattened());
    Ok(distances)
}

fn check_cells(mesh: &SolidMesh, hexes: &[[u32; 8]]) -> Result<()> {
    let is_bad = |hex: &[u32; 8]| !is_regular(&hex.map(|v| Vector3::from(mesh.points[v as usize])));
    let bad: Vec<usize> =
        hexes.par_iter().enumerate().filter(|(_, hex)| is_bad(hex)).map(|(c, _)| c).collect();
    let which = match bad[..] {
        [] => return Ok(()),
        [cell] => message!(Cell.id(cell), " is"),
        [cell, ref others @ ..] => {
            message!(Cell.id(cell), " and ", others.len().to_string(), " more are")
        }
    };
    Err(Error::mesh(message!(which, " flat or folded")).with_help(message!(
        "untangle the mesh first (",
        Command::Untangle,
        ")"
    )))
}

/// The other two axes.
const OTHER_AXIS_BITS: [[usize; 2]; 3] = [[2, 4], [1, 4], [1, 2]];

struct Front<'a> {
    hexes: &'a [[u32; 8]],
    /// Cells of each vertex.
    cells: Vec<Vec<u32>>,
    nodes: Vec<FrontNode>,
    is_seed: Vec<bool>,
}

impl<'a> Front<'a> {
    fn new(mesh: &SolidMesh, hexes: &'a [[u32; 8]], seeds: &[Seed]) -> Self {
        let mut cells = vec![Vec::new(); mesh.points.len()];
        for (c, hex) in (0..).zip(hexes) {
            for (i, &v) in hex.iter().enumerate() {
                // a collapsed cell has a vertex more than once
                if !hex[..i].contains(&v) {
                    cells[v as usize].push(c);
                }
            }
        }
        let node = |&p: &[f64; 3]| FrontNode {
            at: p.into(),
            distance: f64::INFINITY,
            fronts: Fronts::NONE,
        };
        let mut nodes: Vec<FrontNode> = mesh.points.iter().map(node).collect();
        let mut is_seed = vec![false; nodes.len()];
        for seed in seeds {
            let node = &mut nodes[seed.vertex as usize];
            node.distance = node.distance.min(seed.distance);
            // directions are of ways that are no longer
            node.fronts.least = node.distance;
            is_seed[seed.vertex as usize] = true;
        }
        Self { hexes, cells, nodes, is_seed }
    }

    /// Settles vertices in ascending order of their distances, then of their numbers.
    fn march(&mut self) {
        // bits of numbers that are not negative are in their order
        let entry = |distance: f64, v: u32| Reverse((distance.max(0.0).to_bits(), v));
        let mut settled = vec![false; self.nodes.len()];
        let seeds = (0..self.nodes.len() as u32).filter(|&v| self.is_seed[v as usize]);
        let mut queue: BinaryHeap<_> =
            seeds.map(|v| entry(self.nodes[v as usize].distance, v)).collect();
        while let Some(Reverse((_, y))) = queue.pop() {
            stop_point();
            if std::mem::replace(&mut settled[y as usize], true) {
                continue;
            }
            self.nodes[y as usize].fronts.settle();
            for k in 0..self.cells[y as usize].len() {
                let hex = &self.hexes[self.cells[y as usize][k] as usize];
                for from in (0..8).filter(|&bits| hex[VTK_CORNER[bits]] == y) {
                    for to in 0..8 {
                        let x = hex[VTK_CORNER[to]];
                        if settled[x as usize] {
                            continue;
                        }
                        let found = self.across_cell(hex, from, to, &settled);
                        let node = &mut self.nodes[x as usize];
                        if !self.is_seed[x as usize] && found.least < node.distance {
                            node.distance = found.least;
                            queue.push(entry(found.least, x));
                        }
                        node.fronts.offer_all(found);
                    }
                }
            }
        }
    }

    /// The least at a corner of a cell over edges and triangles at another, on faces opposite to
    /// the first, whose vertices are settled; corners by the bits of their parameters.
    fn across_cell(&self, hex: &[u32; 8], from: usize, to: usize, settled: &[bool]) -> Fronts {
        let x = self.nodes[hex[VTK_CORNER[to]] as usize].at;
        let node = |bits: usize| {
            let v = hex[VTK_CORNER[bits]] as usize;
            settled[v].then(|| &self.nodes[v])
        };
        let mut best = Fronts::NONE;
        let Some(y) = node(from) else { return best };
        let way = x - y.at;
        let direction = way.try_normalize(0.0).unwrap_or_default();
        let mut offer = |found: Option<Minimum>| found.into_iter().for_each(|f| best.offer(f));
        let (length, latest) = (way.norm(), y.distance);
        let distance = latest + length;
        offer(Some(Minimum { distance, direction, length, latest, is_inside: false }));
        for (axis, [e, f]) in OTHER_AXIS_BITS.into_iter().enumerate() {
            if (from ^ to) >> axis & 1 == 0 {
                continue;
            }
            let corners = [from ^ e, from ^ f, from ^ e ^ f].map(node);
            for a in corners.into_iter().flatten() {
                offer(through(&x, [y, a], Interpolation::Ascending));
            }
            for [i, j] in [[0, 1], [0, 2], [1, 2]] {
                if let (Some(a), Some(b)) = (corners[i], corners[j]) {
                    offer(through(&x, [y, a, b], Interpolation::Ascending));
                }
            }
        }
        best
    }

    /// Lowers distances by minima until none falls. Every round is from the distances of
    /// the round before, so that threads do not matter.
    fn lower(&mut self) {
        let finite = self.nodes.iter().map(|node| node.distance).filter(|d| d.is_finite());
        let fall = MIN_DECREASE_FRACTION * finite.fold(0.0, f64::max);
        let count = self.nodes.len() as u32;
        let mut active: Vec<u32> = (0..count).filter(|&v| !self.is_seed[v as usize]).collect();
        while !active.is_empty() {
            let lowered = |&v: &u32| {
                stop_point();
                let least = self.least(v);
                (least.least < self.nodes[v as usize].distance - fall).then_some((v, least))
            };
            let lowered: Vec<(u32, Fronts)> = active.par_iter().filter_map(lowered).collect();
            let mut next = Vec::new();
            for (v, mut fronts) in lowered {
                fronts.settle();
                let node = &mut self.nodes[v as usize];
                (node.distance, node.fronts) = (fronts.least, fronts);
                let around = &self.cells[v as usize];
                next.extend(around.iter().flat_map(|&c| self.hexes[c as usize]));
            }
            next.sort_unstable();
            next.dedup();
            next.retain(|&v| !self.is_seed[v as usize]);
            active = next;
        }
    }

    /// The least minimum at a vertex over the faces opposite to it; what it has, if that is less.
    fn least(&self, v: u32) -> Fronts {
        let own = &self.nodes[v as usize];
        let mut best = own.fronts.clone();
        let mut offer = |found: Option<Minimum>| found.into_iter().for_each(|f| best.offer(f));
        for &c in &self.cells[v as usize] {
            let hex = &self.hexes[c as usize];
            for to in (0..8).filter(|&bits| hex[VTK_CORNER[bits]] == v) {
                for (axis, [e, f]) in OTHER_AXIS_BITS.into_iter().enumerate() {
                    let far = to ^ (1 << axis);
                    let face = [far, far ^ e, far ^ e ^ f, far ^ f];
                    let face = face.map(|bits| &self.nodes[hex[VTK_CORNER[bits]] as usize]);
                    // no minimum is below the least of its ends
                    for [i, j] in [[0, 1], [1, 2], [2, 3], [3, 0], [0, 2], [1, 3]] {
                        if face[i].distance.min(face[j].distance) < own.distance {
                            offer(through(
                                &own.at,
                                [face[i], face[j]],
                                Interpolation::NotBelowLinear,
                            ));
                        }
                    }
                    for [i, j, k] in [[0, 1, 2], [0, 2, 3], [1, 2, 3], [0, 1, 3]] {
                        let ends = [face[i], face[j], face[k]];
                        if ends.iter().any(|end| end.distance < own.distance) {
                            offer(through(&own.at, ends, Interpolation::NotBelowLinear));
                        }
                    }
                }
            }
        }
        best
    }
}
