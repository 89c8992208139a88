//! The points of ghosts: natural extrapolation along lines of cells.

use std::collections::HashMap;

use crate::limit::VTK_CORNER;
use crate::mesh::{CellKind, Cells};

/// How each vertex of ghosts alone follows from others.
pub struct Extrapolations {
    vertices: usize,
    // without a line of cells
    left: usize,
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
    /// Whether a line of cells leads to every vertex, as in a layer of one cell.
    pub fn are_complete(&self) -> bool {
        self.left == 0
    }

    /// The vertices, each after those that it follows from, with these and their weights.
    pub fn rows(&self) -> impl Iterator<Item = (u32, Vec<(u32, f64)>)> {
        self.rules.iter().map(|(vertex, lines)| {
            let part = 1.0 / lines.len() as f64;
            let line = |line: &LinePlaces| {
                let weight = -part / line.across.len() as f64;
                let across: Vec<(u32, f64)> = line.across.iter().map(|&v| (v, weight)).collect();
                std::iter::once((line.before, 2.0 * part)).chain(across)
            };
            (*vertex, lines.iter().flat_map(line).collect())
        })
    }

    /// Values of all vertices, from those of the known ones, `[vertex][width]`.
    pub fn extend(&self, values: &[f64], width: usize) -> Vec<f64> {
        let mut all = values.to_vec();
        all.resize(width * self.vertices, 0.0);
        for (vertex, row) in self.rows() {
            for c in 0..width {
                let sum = row.iter().map(|&(v, weight)| weight * all[width * v as usize + c]).sum();
                all[width * vertex as usize + c] = sum;
            }
        }
        all
    }
}

/// The rules for the vertices of hexahedra that are not known, each after those that it follows from.
pub fn extrapolations(cells: &Cells, mut is_known: Vec<bool>) -> Extrapolations {
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
            if is_known[vertex as usize] {
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
    let mut left: Vec<u32> = (0..).zip(&is_known).filter(|(_, k)| !**k).map(|(v, _)| v).collect();
    let mut rules = Vec::with_capacity(left.len());
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
    Extrapolations { vertices: is_known.len(), left: left.len(), rules }
}

/// What lies across a cell from a vertex of one of its quads.
pub(crate) fn across(cells: &Cells, cell: usize, quad: &[u32; 4], vertex: u32) -> Vec<u32> {
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
