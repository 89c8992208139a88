//! Launches that build the mesh matrix: edges by sort and scan, rows of the vertices.

use std::sync::Arc;

use cudarc::driver::CudaStream;

use super::super::THREADS;
use super::SurfaceMatrix;
use crate::backend::Precision;
use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::launch::{Argument, Launch};
use crate::backend::cuda::driver::program::Kernels;
use crate::backend::cuda::driver::sources::{TOPOLOGY, Variant};
use crate::backend::cuda::sort::{BLOCK_ITEMS, BLOCK_THREADS, Items};
use crate::error::Result;

/// Neighbors of vertices on the device: half edges at each and their other ends.
pub(in super::super) struct VertexNeighbors {
    starts: Buffer<u32>,
    halves: Buffer<u32>,
    others: Buffer<u32>,
    ends: Buffer<u32>,
}

impl VertexNeighbors {
    /// `Rows` in the kernels.
    pub fn words(&self) -> Argument {
        let addresses = [&self.starts, &self.halves, &self.others].map(|b| b.address(0));
        Argument::Words(Box::new(addresses))
    }
}

/// Sharp edges at each vertex of a control mesh.
pub(in super::super) struct SharpRows {
    /// `[vertex]`, and the end of the last row.
    pub starts: Buffer<u32>,
    /// Numbers among the ends of all edges, 2 edge + end.
    pub items: Buffer<u32>,
}

impl SharpRows {
    /// Room for a number of ends.
    pub fn new(stream: &Arc<CudaStream>, vertices: usize, ends: usize) -> Result<Self> {
        let starts = Buffer::empty(stream, vertices + 1)?;
        Ok(Self { starts, items: Buffer::empty(stream, ends)? })
    }
}

pub(in crate::backend::cuda) fn variant(size: u32, long_keys: bool) -> Variant {
    Variant::new(&TOPOLOGY, Precision::F32)
        .with("SIZE", size as usize)
        .with("LONG_KEYS", usize::from(long_keys))
}

impl SurfaceMatrix {
    pub(in super::super) fn kernels(&self) -> Kernels<'_> {
        Kernels::new(&self.functions, variant(self.size, 2 * self.bits() > u32::BITS))
    }

    /// Bits of vertex numbers.
    fn bits(&self) -> u32 {
        (usize::BITS - self.vertex_count.saturating_sub(1).leading_zeros()).max(1)
    }

    /// `Status` in the kernels.
    pub(in super::super) fn status(&self) -> Argument {
        Argument::Address(self.status.address(0))
    }

    /// `Columns` in the kernels.
    pub(in super::super) fn columns(&self) -> Argument {
        Argument::Words(Box::new([self.ends.address(0), self.faces.address(0)]))
    }

    /// `Rows` in the kernels, of the corners at each vertex.
    pub(in super::super) fn rows(&self) -> Argument {
        Argument::Words(Box::new([self.row_starts.address(0), self.row_items.address(0), 0]))
    }

    /// Launches that find edges, and corners at vertices if they are wanted.
    pub(in super::super) fn launches(&self, with_rows: bool) -> Result<Vec<Launch>> {
        let kernels = self.kernels();
        let (corners, bits) = (self.vertices.len(), self.bits());
        let number = |n: usize| Argument::Number(n as u32);
        let of = |buffer: &Buffer<u32>| Argument::Address(buffer.address(0));
        let edge_corners = || Argument::Address(self.edge_corners.address(0));
        let mut launches = Vec::new();
        if corners <= BLOCK_ITEMS && 2 * bits <= u32::BITS {
            let arguments = vec![
                of(&self.vertices),
                self.columns(),
                number(corners),
                number(self.vertex_count),
                Argument::Number(bits),
                of(&self.edges),
                edge_corners(),
                of(&self.sorted_corners),
                of(&self.firsts),
                of(&self.row_starts),
                of(&self.row_items),
                of(&self.status),
            ];
            // the second block finds the rows
            let blocks = 1 + u32::from(self.with_rows);
            launches.push(kernels.blocks("build_small", blocks, BLOCK_THREADS, arguments)?);
        } else {
            let keys = self.space.keys();
            let arguments = vec![
                of(&self.vertices),
                self.columns(),
                number(corners),
                Argument::Number(bits),
                Argument::Address(keys),
                of(&self.status),
            ];
            launches.push(kernels.items("make_edge_keys", corners, THREADS, arguments)?);
            let items = Items { keys, values: 0 };
            let sorted =
                self.space.sort(&self.functions, &mut launches, items, corners, 2 * bits)?;
            let arguments = vec![Argument::Address(sorted.keys), number(corners), of(&self.marks)];
            launches.push(kernels.items("mark_heads", corners, THREADS, arguments)?);
            let marks = self.marks.address(0);
            self.space.scan(&self.functions, &mut launches, marks, corners, marks)?;
            let arguments = vec![
                Argument::Address(sorted.keys),
                Argument::Address(sorted.values),
                of(&self.marks),
                number(corners),
                of(&self.vertices),
                of(&self.edges),
                edge_corners(),
                of(&self.firsts),
                of(&self.sorted_corners),
                of(&self.status),
            ];
            launches.push(kernels.items("name_edges", corners, THREADS, arguments)?);
            if with_rows {
                let items = Items { keys: self.vertices.address(0), values: 0 };
                let rows = [&self.row_starts, &self.row_items];
                self.row_launches(&mut launches, items, corners, rows, None)?;
            }
        }
        if with_rows {
            let arguments = vec![
                of(&self.vertices),
                number(corners),
                of(&self.edges),
                edge_corners(),
                of(&self.firsts),
                self.columns(),
                self.rows(),
                number(self.vertex_count),
                of(&self.kinds),
                of(&self.status),
            ];
            launches.push(kernels.items("find_kinds", self.vertex_count, THREADS, arguments)?);
        }
        Ok(launches)
    }

    /// Sorts items by vertex and makes rows of them: starts and items. `neighbors`: both
    /// vertices of each half edge, and room for the other one of each item.
    fn row_launches(
        &self,
        launches: &mut Vec<Launch>,
        items: Items,
        count: usize,
        [starts, row_items]: [&Buffer<u32>; 2],
        neighbors: Option<[&Buffer<u32>; 2]>,
    ) -> Result<()> {
        let sorted = self.space.sort(&self.functions, launches, items, count, self.bits())?;
        let [ends, others] = neighbors.map_or([0; 2], |both| both.map(|b| b.address(0)));
        let arguments = vec![
            Argument::Address(sorted.keys),
            Argument::Address(sorted.values),
            Argument::Number(count as u32),
            Argument::Number(self.vertex_count as u32),
            Argument::Address(ends),
            Argument::Address(starts.address(0)),
            Argument::Address(row_items.address(0)),
            Argument::Address(others),
            Argument::Address(self.status.address(0)),
        ];
        let threads = count.max(self.vertex_count + 1);
        launches.push(self.kernels().items("start_rows", threads, THREADS, arguments)?);
        Ok(())
    }

    /// Launches that make rows of `count` ends of edges, whose vertices are at address `ends`.
    pub(in super::super) fn sharp_row_launches(
        &self,
        launches: &mut Vec<Launch>,
        ends: u64,
        count: usize,
        rows: &SharpRows,
    ) -> Result<()> {
        let items = Items { keys: ends, values: 0 };
        self.row_launches(launches, items, count, [&rows.starts, &rows.items], None)
    }

    /// Room for the neighbors of vertices over the edges that there are.
    pub(in super::super) fn neighbors(&self) -> Result<VertexNeighbors> {
        let empty = |len: usize| Buffer::empty(&self.stream, len);
        let ends = 2 * self.counts.edges;
        Ok(VertexNeighbors {
            starts: empty(self.vertex_count + 1)?,
            halves: empty(ends)?,
            others: empty(ends)?,
            ends: empty(ends)?,
        })
    }

    /// Launches that find the neighbors of vertices, by the numbers of the edges.
    pub(in super::super) fn neighbor_launches(
        &self,
        launches: &mut Vec<Launch>,
        neighbors: &VertexNeighbors,
    ) -> Result<()> {
        let edges = self.counts.edges;
        let arguments = vec![
            Argument::Address(self.vertices.address(0)),
            self.columns(),
            Argument::Address(self.edge_corners.address(0)),
            Argument::Number(edges as u32),
            Argument::Address(neighbors.ends.address(0)),
        ];
        launches.push(self.kernels().items("make_end_keys", edges, THREADS, arguments)?);
        let items = Items { keys: neighbors.ends.address(0), values: 0 };
        let rows = [&neighbors.starts, &neighbors.halves];
        let both = Some([&neighbors.ends, &neighbors.others]);
        self.row_launches(launches, items, 2 * edges, rows, both)
    }
}
