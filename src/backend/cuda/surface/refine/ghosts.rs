//! Ghost faces that close an open surface, by `kernels/surface/ghosts.cu`.

use super::THREADS;
use super::matrix::SurfaceMatrix;
use crate::backend::Precision;
use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::launch::{Argument, Launch};
use crate::backend::cuda::driver::program::{Kernels, Program};
use crate::backend::cuda::driver::sources::{GHOSTS, Variant};
use crate::backend::cuda::sort::Space;
use crate::error::Result;

/// Loops of boundary edges, and the ghost corners in them.
pub(super) struct Ghosts {
    /// Boundary edges, as many as ghost corners.
    pub boundary: usize,
    pub loops: usize,
    // `[boundary edge]`: corners; `[vertex]`: boundary edge that starts there
    corners: Buffer<u32>,
    out: Buffer<u32>,
    // two sides of what an edge has seen of its loop
    seen: [Buffer<[u32; 4]>; 2],
    // scans over edges
    sizes: Buffer<u32>,
    marks: Buffer<u32>,
    space: Space,
    ghosts: Buffer<[u32; 4]>,
}

pub(in crate::backend::cuda) fn variant(size: u32) -> Variant {
    Variant::new(&GHOSTS, Precision::F32).with("SIZE", size as usize)
}

fn number(n: usize) -> Argument {
    Argument::Number(n as u32)
}

impl Ghosts {
    /// Finds the loops of an oriented manifold that has boundary edges.
    pub fn new(matrix: &SurfaceMatrix) -> Result<Self> {
        let (stream, boundary) = (&matrix.stream, matrix.counts().boundary);
        let mut ghosts = Self {
            boundary,
            loops: 0,
            corners: Buffer::empty(stream, boundary)?,
            out: Buffer::empty(stream, matrix.vertex_count)?,
            seen: [Buffer::empty(stream, boundary)?, Buffer::empty(stream, boundary)?],
            sizes: Buffer::empty(stream, boundary + 1)?,
            marks: Buffer::empty(stream, boundary + 1)?,
            space: Space::new(stream, boundary)?,
            ghosts: Buffer::empty(stream, boundary)?,
        };
        let mut launches = Vec::new();
        ghosts.launches(matrix, &mut launches)?;
        // SAFETY: all arrays live in `ghosts` and the matrix, with room for its boundary edges.
        unsafe { Program::new(launches).run(stream) }?;
        ghosts.loops = ghosts.found_loops(matrix)?;
        Ok(ghosts)
    }

    /// Loops that the last run has found.
    pub(crate) fn found_loops(&self, matrix: &SurfaceMatrix) -> Result<usize> {
        Ok(self.marks.read_at(&matrix.stream, self.boundary)? as usize)
    }

    /// `Ghosts` in `kernels/surface/first_friends.cu`.
    pub fn words(&self) -> Argument {
        let counts = self.boundary as u64 | (self.loops as u64) << 32;
        Argument::Words(Box::new([self.ghosts.address(0), counts]))
    }

    /// Finds loops and gives boundary edges their ghost corners, after the edges were found.
    pub fn launches(&self, matrix: &SurfaceMatrix, launches: &mut Vec<Launch>) -> Result<()> {
        let functions = &matrix.functions;
        let kernels = Kernels::new(functions, variant(matrix.size()));
        let (all, count) = (matrix.vertices.len(), self.boundary);
        let of = |buffer: &Buffer<u32>| Argument::Address(buffer.address(0));
        let seen = |side: usize| Argument::Address(self.seen[side % 2].address(0));
        let edge_corners = || Argument::Address(matrix.edge_corners.address(0));
        let arguments = vec![of(&matrix.edges), edge_corners(), number(all), of(&matrix.marks)];
        launches.push(kernels.items("mark_boundary", all, THREADS, arguments)?);
        let marks = matrix.marks.address(0);
        matrix.space.scan(functions, launches, marks, all, marks)?;
        let arguments = vec![
            of(&matrix.vertices),
            of(&matrix.marks),
            number(all),
            number(count),
            of(&self.corners),
            of(&self.out),
        ];
        launches.push(kernels.items("list_boundary", all, THREADS, arguments)?);
        let mut items = |name, arguments| -> Result<()> {
            launches.push(kernels.items(name, count, THREADS, arguments)?);
            Ok(())
        };
        let columns = matrix.columns();
        let mut arguments = vec![of(&matrix.vertices), columns, of(&self.corners), of(&self.out)];
        arguments.extend([number(count), seen(0)]);
        items("start_loops", arguments)?;
        // no loop is longer than all edges
        let rounds = (usize::BITS - count.leading_zeros()) as usize;
        for round in 0..rounds {
            let arguments =
                vec![seen(round), number(count), Argument::Number(1 << round), seen(round + 1)];
            items("jump_ahead", arguments)?;
        }
        let arguments = vec![seen(rounds), number(count), of(&self.sizes), of(&self.marks)];
        items("mark_loops", arguments)?;
        for sums in [&self.sizes, &self.marks] {
            let at = sums.address(0);
            self.space.scan(functions, launches, at, count, at)?;
        }
        let arguments = vec![
            seen(rounds),
            of(&self.sizes),
            of(&self.marks),
            of(&self.corners),
            number(count),
            of(&matrix.edges),
            number(all),
            Argument::Address(self.ghosts.address(0)),
            edge_corners(),
        ];
        launches.push(kernels.items("place_ghosts", count, THREADS, arguments)?);
        Ok(())
    }
}
