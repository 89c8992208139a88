//! The points of ghosts: natural extrapolation along lines of cells.

use std::collections::HashMap;

use crate::limit::VTK_CORNER;
use crate::mesh::{CellKind, Cells};

/// How each new vertex follows from others.
pub struct Extrapolations {
    known: usize,
    new: usize,
    // a vertex, and the places before it on lines of cells: 2 b - mean of the others
    rules: Vec<(u32, Vec<LinePlaces>)>,
}

/// Two places before a vertex on a line of cells.
#[derive(Clone, Debug)]
struct LinePlaces {
    before: u32,
    /// Across the cell before that: one vertex of a hexahedron, else all that are not on the face.
    across: Vec<u32>,
}

impl Extrapolations {
    /// Whether a line of cells leads to every new vertex, as in a layer of one cell.
    pub fn are_complete(&self) -> bool {
        self.rules.len() == self.new
    }

    /// Values of all vertices, from those of the known ones, `[vertex][width]`.
    pub fn extend(&self, values: &[f64], width: usize) -> Vec<f64> {
        let mut all = values.to_vec();
        all.resize(width * (self.known + self.new), 0.0);
        for (vertex, lines) in &self.rules {
            for c in 0..width {
                let at = |v: u32| all[width * v as usize + c];
                let line = |line: &LinePlaces| {
                    let across = line.across.iter().map(|&v| at(v)).sum::<f64>();
                    2.0 * at(line.before) - across / line.across.len() as f64
                };
                all[width * *vertex as usize + c] =
                    lines.iter().map(line).sum::<f64>() / lines.len() as f64;
            }
        }
        all
    }
}

/// The rules for `new` vertices of hexahedra beside `known` ones, each after those that it follows
/// from.
pub fn extrapolations(cells: &Cells, known: usize, new: usize) -> Extrapolations {
    // the cells at each quad
    let mut quads: HashMap<[u32; 4], Vec<usize>> = HashMap::new();
    for cell in 0..cells.len() {
        cells.for_each_face(cell, |face| {
            if let Ok(mut quad) = <[u32; 4]>::try_from(face) {
                quad.sort_unstable();
                quads.entry(quad).or_default().push(cell);
            }
        });
    }
    let mut lines: HashMap<u32, Vec<LinePlaces>> = HashMap::new();
    for cell in 0..cells.len() {
        let Some(corners) = cells.hexahedron(cell) else { continue };
        let at = |bits: usize| corners[VTK_CORNER[bits]];
        for (bits, axis) in (0..8).flat_map(|bits| (0..3).map(move |axis| (bits, axis))) {
            let vertex = at(bits);
            if (vertex as usize) < known {
                continue;
            }
            let before = bits ^ 1 << axis;
            let side = (0..8).filter(|other| other >> axis & 1 == before >> axis & 1);
            let side: Vec<u32> = side.map(at).collect();
            let Ok(mut key) = <[u32; 4]>::try_from(&side[..]) else { continue };
            key.sort_unstable();
            let others = quads.get(&key).into_iter().flatten();
            for &other in others.filter(|&&other| other != cell) {
                let across = across(cells, other, &key, at(before));
                lines.entry(vertex).or_default().push(LinePlaces { before: at(before), across });
            }
        }
    }
    let mut is_known = vec![true; known];
    is_known.resize(known + new, false);
    let mut rules = Vec::with_capacity(new);
    let mut left: Vec<u32> = (known as u32..(known + new) as u32).collect();
    while !left.is_empty() {
        let mut found = Vec::new();
        for &vertex in &left {
            let own = lines.get(&vertex).into_iter().flatten();
            let is_ready = |line: &&LinePlaces| {
                let known = |v: &u32| is_known[*v as usize];
                known(&line.before) && line.across.iter().all(known)
            };
            let own: Vec<LinePlaces> = own.filter(is_ready).cloned().collect();
            if !own.is_empty() {
                found.push((vertex, own));
            }
        }
        if found.is_empty() {
            break;
        }
        found.iter().for_each(|(vertex, _)| is_known[*vertex as usize] = true);
        left.retain(|vertex| !is_known[*vertex as usize]);
        rules.extend(found);
    }
    Extrapolations { known, new, rules }
}

/// What lies across a cell from a vertex of one of its quads.
fn across(cells: &Cells, cell: usize, quad: &[u32; 4], vertex: u32) -> Vec<u32> {
    let vertices = cells.vertices(cell);
    if cells.kind(cell) == CellKind::Hexahedron
        && let Some(corners) = cells.hexahedron(cell)
    {
        let at = |bits: usize| corners[VTK_CORNER[bits]];
        let own = (0..8).find(|&bits| at(bits) == vertex).unwrap_or(0);
        let other = (0..3).map(|axis| at(own ^ 1 << axis)).find(|v| !quad.contains(v));
        return other.into_iter().collect();
    }
    vertices.iter().copied().filter(|v| !quad.contains(v)).collect()
}
