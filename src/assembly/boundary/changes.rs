//! The change of basis at lines of grids, and at all other ghosts.

use super::lines::Lines;
use crate::extend::extrapolations;
use crate::numbers::Csr;
use crate::topology::Topology;

/// From unknowns to control values: in turn, multiples of values that are added to others.
pub(super) struct BasisChanges(Vec<(u32, u32, f64)>);

impl BasisChanges {
    /// Those of a solid with these sheets, `[face]`, with which unknowns are bends.
    pub fn new(topology: &Topology, sheets: &[u32]) -> (Self, Vec<bool>, Lines) {
        let vertices = topology.vertex_count();
        let mut is_inside = vec![!topology.has_ghosts(); vertices];
        for cell in topology.solid_cells().into_iter().flatten() {
            let corners = topology.cells().vertices(cell as usize).iter();
            corners.for_each(|&v| is_inside[v as usize] = true);
        }
        let lines = Lines::new(topology, sheets, &is_inside);
        let value = lines.iter().map(|line| (line.boundary, line.ghost, -1.0 / 6.0));
        let mut changes: Vec<(u32, u32, f64)> = value.collect();
        let mut is_bend = vec![false; vertices];
        for line in lines.iter() {
            changes.push((line.ghost, line.boundary, 2.0));
            changes.push((line.ghost, line.inside, -1.0));
            is_bend[line.ghost as usize] = true;
        }
        if topology.has_ghosts() {
            let known = (0..).zip(&is_inside).map(|(v, inside)| *inside || lines.has_ghost(v));
            for (ghost, row) in extrapolations(topology.cells(), known.collect()).rows() {
                changes.extend(row.into_iter().map(|(v, weight)| (ghost, v, weight)));
                is_bend[ghost as usize] = true;
            }
        }
        (Self(changes), is_bend, lines)
    }

    /// Makes points that are control values those of the unknowns.
    pub fn undo(&self, points: &mut [[f64; 3]]) {
        for &(to, from, factor) in self.0.iter().rev() {
            let from = points[from as usize];
            (0..3).for_each(|d| points[to as usize][d] -= factor * from[d]);
        }
    }

    /// Makes points that are those of the unknowns control values.
    pub fn apply(&self, points: &mut [[f64; 3]]) {
        for &(to, from, factor) in &self.0 {
            let from = points[from as usize];
            (0..3).for_each(|d| points[to as usize][d] += factor * from[d]);
        }
    }

    /// Control values as rows over the unknowns.
    pub fn rows(&self, vertices: usize) -> Vec<Vec<(u32, f64)>> {
        let mut rows: Vec<Vec<(u32, f64)>> = (0..vertices as u32).map(|v| vec![(v, 1.0)]).collect();
        self.0.iter().for_each(|&(to, from, factor)| add(&mut rows, to, from, factor));
        rows
    }
}

/// Adds a multiple of a row to another one; columns ascend.
fn add(rows: &mut [Vec<(u32, f64)>], to: u32, from: u32, factor: f64) {
    for (column, weight) in rows[from as usize].clone() {
        let own = &mut rows[to as usize];
        match own.binary_search_by_key(&column, |&(v, _)| v) {
            Ok(at) => own[at].1 += factor * weight,
            Err(at) => own.insert(at, (column, factor * weight)),
        }
    }
}

/// Rows whose columns ascend as a matrix.
pub(super) fn csr(rows: Vec<Vec<(u32, f64)>>) -> Csr {
    let mut matrix = Csr { starts: vec![0], width: rows.len(), ..Csr::default() };
    for row in rows {
        row.into_iter().for_each(|(v, weight)| matrix.push(v, weight));
        matrix.starts.push(matrix.columns.len());
    }
    matrix
}
