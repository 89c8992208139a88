//! What is sharp at each level of a surface, found and refined on the device by
//! `kernels/surface/creases.cu`.

use super::THREADS;
use super::matrix::{LONE, SharpRows, SurfaceMatrix, TOUCHING};
use super::sharp::SharpLevel;
use crate::backend::Precision;
use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::launch::{Argument, Launch};
use crate::backend::cuda::driver::program::{Kernels, Program};
use crate::backend::cuda::driver::sources::{CREASES, Variant};
use crate::backend::cuda::sort::Space;
use crate::error::Result;

/// Tags of a control mesh. Sharp without any: boundary edges, and non-manifold edges and vertices.
#[derive(Clone, Debug, Default)]
pub struct CreaseTags {
    /// Ends of tagged edges, the smaller first and in the upper 32 bits; ascending.
    pub edges: Vec<u64>,
    /// Sharpness of each tagged edge.
    pub edge_sharpness: Vec<f64>,
    /// Tagged vertices, ascending.
    pub vertices: Vec<u32>,
    /// Sharpness of each tagged vertex.
    pub vertex_sharpness: Vec<f64>,
    /// Whether vertices of one face stay where the surface ends.
    pub keeps_corners: bool,
    /// Whether semi-sharp edges follow Chaikin's rule.
    pub chaikin: bool,
}

/// Sharp edges and sharp vertices of all levels.
pub(super) struct CreaseArrays {
    tags: CreaseTags,
    edge_tags: (Buffer<u64>, Buffer<f64>),
    vertex_tags: (Buffer<u32>, Buffer<f64>),
    // `[edge]`, of the control mesh
    sharpness: Buffer<f64>,
    // room for scans over edges and vertices
    marks: Buffer<u32>,
    space: Space,
    // `Counts` in the kernels
    counts: Buffer<u32>,
    rows: SharpRows,
    vertex_sharpness: Buffer<f64>,
    sharp_vertices: Buffer<u32>,
    sharp_count: usize,
    sharp_vertex_count: usize,
    /// The last has edges only, and only if there are tags.
    levels: Vec<SharpLevel>,
}

pub(in crate::backend::cuda) fn variant(size: u32, chaikin: bool) -> Variant {
    Variant::new(&CREASES, Precision::F32)
        .with("SIZE", size as usize)
        .with("CHAIKIN", usize::from(chaikin))
}

fn number(n: usize) -> Argument {
    Argument::Number(n as u32)
}

impl CreaseArrays {
    /// Finds sharp edges and vertices of a control mesh, and makes room for `levels` levels.
    pub fn new(matrix: &SurfaceMatrix, tags: &CreaseTags, levels: usize) -> Result<Self> {
        let stream = &matrix.stream;
        let (edges, vertices) = (matrix.counts().edges, matrix.vertex_count);
        let mut creases = Self {
            tags: tags.clone(),
            edge_tags: (
                Buffer::of(stream, &tags.edges)?,
                Buffer::of(stream, &tags.edge_sharpness)?,
            ),
            vertex_tags: (
                Buffer::of(stream, &tags.vertices)?,
                Buffer::of(stream, &tags.vertex_sharpness)?,
            ),
            sharpness: Buffer::empty(stream, edges)?,
            marks: Buffer::empty(stream, edges.max(vertices) + 1)?,
            space: Space::new(stream, edges.max(vertices))?,
            counts: Buffer::zeros(stream, 4)?,
            rows: SharpRows::new(stream, vertices, 0)?,
            vertex_sharpness: Buffer::empty(stream, vertices)?,
            sharp_vertices: Buffer::empty(stream, 0)?,
            sharp_count: 0,
            sharp_vertex_count: 0,
            levels: Vec::new(),
        };
        // the lists are as long as the device says
        creases.find(matrix, CreaseArrays::mark_edges)?;
        creases.sharp_count = creases.marks.read_at(stream, edges)? as usize;
        creases.rows = SharpRows::new(stream, vertices, 2 * creases.sharp_count)?;
        creases.levels = vec![SharpLevel::new(stream, creases.sharp_count, 0)?];
        creases.find(matrix, CreaseArrays::mark_vertices)?;
        creases.sharp_vertex_count = creases.marks.read_at(stream, vertices)? as usize;
        creases.sharp_vertices = Buffer::empty(stream, creases.sharp_vertex_count)?;
        let tagged = !tags.edges.is_empty();
        let last = levels + usize::from(tagged);
        creases.levels = (0..last)
            .map(|level| {
                let sharp = creases.sharp_count << level;
                let listed = creases.sharp_vertex_count + sharp - creases.sharp_count;
                SharpLevel::new(stream, sharp, if level == levels { 0 } else { listed })
            })
            .collect::<Result<_>>()?;
        Ok(creases)
    }

    /// How many of the tags have an edge.
    pub(crate) fn found_tags(&self, matrix: &SurfaceMatrix) -> Result<usize> {
        Ok(self.counts.read_at(&matrix.stream, 1)? as usize)
    }

    /// Whether the last run has found as many sharp edges and sharp vertices as there is room for,
    /// and an edge for every tag.
    pub fn fits(&self, matrix: &SurfaceMatrix) -> Result<bool> {
        let expected = [0, self.tags.edges.len(), self.sharp_count, self.sharp_vertex_count];
        let counts = self.counts.read(&matrix.stream)?;
        Ok(counts.into_iter().map(|count| count as usize).eq(expected))
    }

    /// What it was made from.
    pub fn tags(&self) -> &CreaseTags {
        &self.tags
    }

    /// `Creases` in `kernels/surface/first_friends.cu`.
    pub(crate) fn edge_arrays(&self) -> [u64; 4] {
        let [_, _, entries, _] = self.levels[0].sharp_arrays();
        let rows = [&self.rows.starts, &self.rows.items].map(|rows| rows.address(0));
        [self.sharpness.address(0), rows[0], rows[1], entries]
    }

    /// What is sharp at a level.
    pub fn level(&self, depth: usize) -> &SharpLevel {
        &self.levels[depth]
    }

    fn find(
        &self,
        matrix: &SurfaceMatrix,
        launches: impl Fn(&Self, &SurfaceMatrix, &mut Vec<Launch>) -> Result<()>,
    ) -> Result<()> {
        let mut all = Vec::new();
        launches(self, matrix, &mut all)?;
        // SAFETY: all arrays live in `self` and the matrix, with room for its edges.
        unsafe { Program::new(all).run(&matrix.stream) }?;
        Ok(())
    }

    fn kernels<'a>(&self, matrix: &'a SurfaceMatrix) -> Kernels<'a> {
        Kernels::new(&matrix.functions, variant(matrix.size(), self.tags.chaikin))
    }

    /// Marks and counts sharp edges.
    fn mark_edges(&self, matrix: &SurfaceMatrix, launches: &mut Vec<Launch>) -> Result<()> {
        let edges = matrix.counts().edges;
        let (keys, sharpness) = &self.edge_tags;
        let arguments = vec![
            Argument::Address(matrix.vertices.address(0)),
            matrix.columns(),
            Argument::Address(matrix.edge_corners.address(0)),
            Argument::Address(matrix.firsts.address(0)),
            number(edges),
            number(matrix.vertices.len()),
            Argument::Words(Box::new([
                keys.address(0),
                sharpness.address(0),
                self.tags.edges.len() as u64,
            ])),
            Argument::Address(self.sharpness.address(0)),
            Argument::Address(self.marks.address(0)),
            Argument::Address(self.counts.address(0)),
        ];
        launches.push(self.kernels(matrix).items("mark_sharp", edges, THREADS, arguments)?);
        let marks = self.marks.address(0);
        self.space.scan(&matrix.functions, launches, marks, edges, marks)
    }

    /// Lists sharp edges, and marks and counts vertices that may be sharp.
    fn mark_vertices(&self, matrix: &SurfaceMatrix, launches: &mut Vec<Launch>) -> Result<()> {
        let (edges, vertices) = (matrix.counts().edges, matrix.vertex_count);
        let kernels = self.kernels(matrix);
        let [sharp, ends, sharpness, _] = self.levels[0].sharp_arrays();
        let mut arguments = vec![
            Argument::Address(matrix.vertices.address(0)),
            matrix.columns(),
            Argument::Address(matrix.edge_corners.address(0)),
            Argument::Address(self.sharpness.address(0)),
            Argument::Address(self.marks.address(0)),
            number(edges),
            number(self.sharp_count),
        ];
        arguments.extend([sharp, ends, sharpness].map(Argument::Address));
        arguments.push(Argument::Address(self.counts.address(0)));
        launches.push(kernels.items("list_sharp", edges, THREADS, arguments)?);
        matrix.sharp_row_launches(launches, ends, 2 * self.sharp_count, &self.rows)?;
        let fixed = TOUCHING | if self.tags.keeps_corners { LONE } else { 0 };
        let (keys, sharpness) = &self.vertex_tags;
        let arguments = vec![
            Argument::Address(self.rows.starts.address(0)),
            Argument::Address(matrix.kinds.address(0)),
            Argument::Number(fixed),
            number(vertices),
            Argument::Words(Box::new([
                keys.address(0),
                sharpness.address(0),
                self.tags.vertices.len() as u64,
            ])),
            Argument::Address(self.vertex_sharpness.address(0)),
            Argument::Address(self.marks.address(0)),
        ];
        launches.push(kernels.items("mark_sharp_vertices", vertices, THREADS, arguments)?);
        let marks = self.marks.address(0);
        self.space.scan(&matrix.functions, launches, marks, vertices, marks)
    }

    /// All that is sharp at all levels. `first_edge_point`: of the level after one.
    pub fn launches(
        &self,
        matrix: &SurfaceMatrix,
        first_edge_point: impl Fn(usize) -> usize,
        launches: &mut Vec<Launch>,
    ) -> Result<()> {
        let vertices = matrix.vertex_count;
        let kernels = self.kernels(matrix);
        self.mark_edges(matrix, launches)?;
        self.mark_vertices(matrix, launches)?;
        let arguments = vec![
            Argument::Address(self.marks.address(0)),
            number(vertices),
            number(self.sharp_vertex_count),
            Argument::Address(self.sharp_vertices.address(0)),
            Argument::Address(self.counts.address(0)),
        ];
        launches.push(kernels.items("list_sharp_vertices", vertices, THREADS, arguments)?);
        let [_, control_ends, ..] = self.levels[0].sharp_arrays();
        let control = [
            self.rows.starts.address(0),
            self.rows.items.address(0),
            self.sharp_vertices.address(0),
            self.vertex_sharpness.address(0),
            control_ends,
            self.sharp_vertex_count as u64 | (self.sharp_count as u64) << 32,
        ];
        for (depth, level) in self.levels.iter().enumerate() {
            let next = self.levels.get(depth + 1);
            if depth == self.levels.len() - 1 && !self.tags.edges.is_empty() {
                continue; // edges of the last level: no vertex is sharp there
            }
            let arguments = vec![
                Argument::Words(Box::new(control)),
                Argument::Words(Box::new(level.sharp_arrays())),
                Argument::Words(Box::new(level.vertex_arrays())),
                Argument::Words(Box::new(next.map_or([0; 4], SharpLevel::sharp_arrays))),
                number(depth),
                number(first_edge_point(depth)),
            ];
            let items = level.vertex_count() + level.sharp_count();
            if items > 0 {
                launches.push(kernels.items("refine_sharp", items, THREADS, arguments)?);
            }
        }
        Ok(())
    }

    /// Edges that are still sharp after the last level by their tags: their ends, and their
    /// sharpness. `is_natural`: which edges of the control mesh are sharp without.
    pub(crate) fn remaining(
        &self,
        matrix: &SurfaceMatrix,
        levels: usize,
        is_natural: impl Fn(u32) -> bool,
    ) -> Result<Vec<([u32; 2], f64)>> {
        let Some(last) = self.levels.get(levels) else { return Ok(Vec::new()) };
        let control = self.levels[0].edges(&matrix.stream)?;
        let (ends, sharpness) = last.ends_and_sharpness(&matrix.stream)?;
        let entries = ends.into_iter().zip(sharpness).enumerate();
        let tagged = |entry: usize| !is_natural(control[entry >> levels]);
        Ok(entries.filter(|&(i, (_, s))| s > 0.0 && tagged(i)).map(|(_, row)| row).collect())
    }
}
