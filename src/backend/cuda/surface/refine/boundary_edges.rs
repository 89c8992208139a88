//! Boundary edges in √3-subdivision, by `kernels/surface/three_triangles_boundary.cu`: lists of
//! them from level to level, and the points on them.

use super::THREADS;
use super::matrix::SurfaceMatrix;
use super::step::LevelLaunch;
use crate::backend::Precision;
use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::launch::{Argument, Launch};
use crate::backend::cuda::driver::program::Kernels;
use crate::backend::cuda::driver::sources::{THREE_TRIANGLES_BOUNDARY, Variant};
use crate::backend::cuda::sort::{Items, Space};
use crate::backend::cuda::surface::edge_friend::FriendRun;
use crate::error::Result;

/// Boundary edges at two levels: one of even depth, where they stay, and the next, where each is
/// cut in three.
struct BoundaryLines {
    count: usize,
    /// Corner of each edge.
    corners: Buffer<u32>,
    /// `[edge][4]`: vertices before it, at its ends, after it.
    lines: Buffer<[u32; 4]>,
}

/// All boundary edges that refinement meets, and room to sort them.
pub(super) struct BoundaryEdges {
    keeps_corners: bool,
    /// Every second level.
    lines: Vec<BoundaryLines>,
    space: Space,
    keys: Buffer<u32>,
    children: Buffer<u32>,
}

pub(in crate::backend::cuda) fn variant(precision: Precision) -> Variant {
    Variant::new(&THREE_TRIANGLES_BOUNDARY, precision)
}

impl BoundaryEdges {
    /// Room for the boundary edges of `levels` levels. `keeps_corners`: vertices of one face stay.
    pub fn new(matrix: &SurfaceMatrix, levels: usize, keeps_corners: bool) -> Result<Self> {
        let stream = &matrix.stream;
        let mut count = matrix.counts().boundary;
        let mut lines = Vec::new();
        for _ in (0..levels).step_by(2) {
            let (corners, ends) = (Buffer::empty(stream, count)?, Buffer::empty(stream, count)?);
            lines.push(BoundaryLines { count, corners, lines: ends });
            count *= 3;
        }
        let sorted = lines.last().map_or(0, |last| last.count);
        Ok(Self {
            keeps_corners,
            lines,
            space: Space::new(stream, sorted)?,
            keys: Buffer::empty(stream, sorted)?,
            children: Buffer::empty(stream, sorted)?,
        })
    }

    /// The boundary edges of the control mesh, after its opposite half-edges.
    pub fn start(
        &self,
        matrix: &SurfaceMatrix,
        opposites: &Buffer<u32>,
        launches: &mut Vec<Launch>,
    ) -> Result<()> {
        let kernels = Kernels::new(&matrix.functions, variant(Precision::F32));
        let edges = matrix.counts().edges;
        let edge_corners = || Argument::Address(matrix.edge_corners.address(0));
        let number = |n: usize| Argument::Number(n as u32);
        let marks = matrix.marks.address(0);
        let arguments = vec![edge_corners(), number(edges), Argument::Address(marks)];
        launches.push(kernels.items("mark_boundary", edges, THREADS, arguments)?);
        matrix.space.scan(&matrix.functions, launches, marks, edges, marks)?;
        let first = &self.lines[0];
        let arguments = vec![
            edge_corners(),
            Argument::Address(marks),
            number(edges),
            number(first.count),
            Argument::Address(first.corners.address(0)),
            Argument::Address(opposites.address(0)),
        ];
        launches.push(kernels.items("list_boundary", edges, THREADS, arguments)?);
        launches.push(self.trace(
            matrix,
            first,
            matrix.vertices.address(0),
            opposites.address(0),
        )?);
        Ok(())
    }

    /// The lines around the boundary edges of a level of even depth.
    fn trace(
        &self,
        matrix: &SurfaceMatrix,
        at: &BoundaryLines,
        vertices: u64,
        opposites: u64,
    ) -> Result<Launch> {
        let kernels = Kernels::new(&matrix.functions, variant(Precision::F32));
        let arguments = vec![
            Argument::Address(vertices),
            Argument::Address(opposites),
            Argument::Address(at.corners.address(0)),
            Argument::Number(at.count as u32),
            Argument::Address(matrix.kinds.address(0)),
            Argument::Number(matrix.vertex_count as u32),
            Argument::Number(self.keeps_corners.into()),
            Argument::Address(at.lines.address(0)),
        ];
        kernels.items("trace_boundary", at.count, THREADS, arguments)
    }

    /// What follows the launches of a level: points of its boundary edges, and the boundary edges
    /// of the next. `opposites`: of the level; `next`: vertices and opposite half-edges of the
    /// next.
    pub fn launches(
        &self,
        matrix: &SurfaceMatrix,
        step: &LevelLaunch<'_>,
        opposites: u64,
        [next_vertices, next_opposites]: [u64; 2],
        launches: &mut Vec<Launch>,
    ) -> Result<()> {
        let kernels = Kernels::new(step.functions, variant(step.precision));
        let (coarse, cuts) = (step.coarse(), step.depth % 2 == 1);
        let lines = &self.lines[step.depth / 2];
        let number = |n: usize| Argument::Number(n as u32);
        if step.run != FriendRun::Topology {
            let mut arguments = vec![
                Argument::Address(lines.corners.address(0)),
                Argument::Address(lines.lines.address(0)),
                number(lines.count),
                number(coarse.vertices),
                number(coarse.faces),
                Argument::Number(cuts.into()),
            ];
            arguments.extend(step.points().map(Argument::Address));
            launches.push(kernels.items("boundary_points", lines.count, THREADS, arguments)?);
        }
        let cut = self.lines.get(step.depth / 2 + 1).filter(|_| cuts && !step.is_last());
        let (Some(cut), true) = (cut, step.run != FriendRun::Points) else { return Ok(()) };
        let arguments = vec![
            Argument::Address(lines.corners.address(0)),
            Argument::Address(lines.lines.address(0)),
            number(lines.count),
            Argument::Address(opposites),
            number(coarse.vertices),
            Argument::Address(self.keys.address(0)),
            Argument::Address(self.children.address(0)),
        ];
        launches.push(kernels.items("cut_boundary", lines.count, THREADS, arguments)?);
        let bits = usize::BITS - coarse.vertices.saturating_add(coarse.faces).leading_zeros();
        let items = Items { keys: self.keys.address(0), values: 0 };
        let sorted = self.space.sort(step.functions, launches, items, cut.count, bits)?;
        let arguments = vec![
            Argument::Address(sorted.values),
            Argument::Address(self.children.address(0)),
            number(cut.count),
            Argument::Address(cut.corners.address(0)),
            Argument::Address(next_opposites),
        ];
        launches.push(kernels.items("name_boundary", cut.count, THREADS, arguments)?);
        launches.push(self.trace(matrix, cut, next_vertices, next_opposites)?);
        Ok(())
    }
}
