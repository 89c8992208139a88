//! What an archive has where: tables, their leaves, and the refined points that these use.

use std::ops::Range;

use super::ExportOptions;
use crate::plan::Want;
use crate::quadrature::QuadratureLayout;

/// Order of an archive.
pub(super) struct ArchiveOutline {
    /// Every table with leaves, in the order of the batches.
    pub parts: Vec<ArchiveTable>,
    // points of finer levels that are used, ascending, counted from the number of vertices on
    refined: Vec<u32>,
    // [point of finer levels]: its place among those used
    places: Vec<u32>,
    vertices: u32,
}

/// A table and its leaves.
#[derive(Clone)]
pub(super) struct ArchiveTable {
    pub table: usize,
    /// The batches of its leaves.
    pub batches: Range<usize>,
    pub leaves: usize,
    pub controls: usize,
    pub samples: usize,
}

impl ArchiveOutline {
    pub fn new(layout: &QuadratureLayout<'_>) -> Self {
        let mut parts: Vec<ArchiveTable> = Vec::new();
        for (b, batch) in layout.batches.iter().enumerate() {
            let leaves = batch.leaves.len();
            match parts.last_mut().filter(|part| part.table == batch.table) {
                Some(part) => {
                    part.batches.end = b + 1;
                    part.leaves += leaves;
                }
                None => {
                    let table = &layout.tables[batch.table];
                    let (controls, samples) = (table.slots.len(), table.points.len());
                    let batches = b..b + 1;
                    parts.push(ArchiveTable {
                        table: batch.table,
                        batches,
                        leaves,
                        controls,
                        samples,
                    });
                }
            }
        }
        let mut outline = Self {
            parts,
            refined: Vec::new(),
            places: Vec::new(),
            vertices: layout.solid.topology().vertex_count() as u32,
        };
        outline.find_refined(layout);
        outline
    }

    fn find_refined(&mut self, layout: &QuadratureLayout<'_>) {
        let mut is_used = Vec::new();
        for part in &self.parts {
            for batch in layout.batches[part.batches.clone()].iter().filter(|b| b.is_pulled) {
                for point in layout.leaf_nets(part.table, &batch.leaves) {
                    if let Some(finer) = point.checked_sub(self.vertices) {
                        if finer as usize >= is_used.len() {
                            is_used.resize(finer as usize + 1, false);
                        }
                        is_used[finer as usize] = true;
                    }
                }
            }
        }
        self.places = vec![0; is_used.len()];
        for (finer, _) in is_used.iter().enumerate().filter(|(_, used)| **used) {
            self.places[finer] = self.refined.len() as u32;
            self.refined.push(finer as u32);
        }
    }

    /// The control points of leaves that use a table, `[leaf][control]`: vertices, and refined
    /// points by their number.
    pub fn controls(
        &self,
        layout: &QuadratureLayout<'_>,
        table: usize,
        leaves: &[u32],
    ) -> Vec<u32> {
        let number = |point: u32| match point.checked_sub(self.vertices) {
            Some(finer) => self.vertices + self.places[finer as usize],
            None => point,
        };
        layout.leaf_nets(table, leaves).map(number).collect()
    }

    /// Vertices and weights of the refined points.
    pub fn refined_rows<'a>(
        &'a self,
        layout: &'a QuadratureLayout<'_>,
    ) -> impl Iterator<Item = impl Iterator<Item = (u32, f64)> + 'a> + Clone + 'a {
        let points = self.refined.iter().map(|finer| self.vertices + finer);
        points.filter_map(move |point| layout.pull.row(layout.solid, point))
    }

    /// Number of refined points.
    pub fn refined_count(&self) -> usize {
        self.refined.len()
    }

    /// Where each table's share of an array starts, and the last one's ends.
    pub fn offsets(&self, length: impl Fn(&ArchiveTable) -> usize) -> Vec<i64> {
        let ends = self.parts.iter().scan(0, |end, part| {
            *end += length(part) as i64;
            Some(*end)
        });
        std::iter::once(0).chain(ends).collect()
    }

    /// Bytes of all arrays except of cells and vertices.
    pub fn bytes(&self, layout: &QuadratureLayout<'_>, options: &ExportOptions<'_>) -> u64 {
        let second = if layout.want.contains(Want::SECOND) { 6 } else { 0 };
        let is_boundary = layout.is_boundary;
        let (tables, points) = (options.store.has_tables(), options.store.has_geometry());
        let part = |part: &ArchiveTable| {
            let [leaves, controls, samples] =
                [part.leaves, part.controls, part.samples].map(|n| n as u64);
            let mut numbers = 5 + 4 * samples;
            // frames, and ids of 4 bytes
            let mut bytes = leaves * (8 * 12 + 4 * (2 + controls));
            if is_boundary {
                bytes += 8 * leaves;
            }
            if tables {
                numbers += samples * controls * (4 + second);
            }
            if points {
                numbers += leaves * samples * if is_boundary { 16 } else { 13 };
            }
            if options.physical_derivatives {
                numbers += leaves * samples * controls * (3 + second);
            }
            8 * numbers + bytes
        };
        let entries: usize = self.refined_rows(layout).map(Iterator::count).sum();
        let refined = 8 * self.refined_count() + 12 * entries;
        self.parts.iter().map(part).sum::<u64>() + refined as u64
    }
}
