//! All levels of a surface on the device, and their points.

use super::creases::{CreaseArrays, CreaseTags};
use super::matrix::SurfaceMatrix;
use super::quads;
use super::rules::{MatrixScheme, SchemeKernels};
use super::step::{LevelCounts, LevelLaunch};
use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::constants::MAX_LEVELS;
use crate::backend::cuda::driver::device::failed;
use crate::backend::cuda::driver::program::Program;
use crate::backend::cuda::surface::edge_friend::FriendRun;
use crate::error::{Error, Result};
use crate::mesh::check_point_count;
use crate::numbers::Real;
use cudarc::driver::DeviceRepr;

/// A level after the control mesh; the last has vertices only.
struct MatrixLevel {
    vertices: Buffer<u32>,
    /// Opposite half-edges of corners for √3.
    edges: Buffer<u32>,
    edge_corners: Buffer<[u32; 2]>,
}

/// A surface on the device, refined by the mesh matrix.
pub struct RefinedLevels<T> {
    matrix: SurfaceMatrix,
    rules: SchemeKernels,
    /// Counts of every level.
    counts: Vec<LevelCounts>,
    /// Levels 1, 2, …
    levels: Vec<MatrixLevel>,
    /// Points of every level, `[vertex][3]`.
    points: Vec<Buffer<T>>,
    /// None if all is smooth.
    creases: Option<CreaseArrays>,
    /// By run.
    programs: [Option<Program>; 3],
}

impl<T: Real + DeviceRepr> RefinedLevels<T> {
    /// Room for `levels` ≥ 1 levels over a control mesh. `tags`: `None` if all is smooth.
    ///
    /// # Errors
    /// [`Error::Request`] for no level or too many, for Loop's scheme or √3 on other faces than
    /// triangles, √3 on surfaces that are not oriented manifolds, or too little memory.
    pub fn new(
        matrix: SurfaceMatrix,
        scheme: MatrixScheme,
        levels: usize,
        tags: Option<&CreaseTags>,
    ) -> Result<Self> {
        let found = matrix.counts();
        let mut counts = vec![LevelCounts {
            vertices: matrix.vertex_count,
            faces: matrix.face_count,
            edges: found.edges,
            corners: matrix.vertices.len(),
            boundary: found.boundary,
        }];
        for level in 0..levels.min(MAX_LEVELS) {
            counts.push(counts[level].refined(scheme, level));
        }
        let last = counts[counts.len() - 1];
        let most = last.vertices.max(last.corners).max(last.edges);
        // √3 marks corners of boundary edges
        let marks = matches!(scheme, MatrixScheme::ThreeTriangles { .. }) && found.boundary > 0;
        let bits = if marks { 31 } else { 32 };
        if levels == 0 || levels >= MAX_LEVELS || most >= (1 << bits) - 1 {
            return Err(Error::request(format!("{levels} levels of this surface on a GPU"))
                .with_help(format!(
                    "ask for fewer: at least one, at most 15, ids of {bits} bits"
                )));
        }
        let rules = SchemeKernels::new(&matrix, scheme, levels)?;
        let stream = &matrix.stream;
        let room = |(at, counts): (usize, &LevelCounts)| {
            let linked = |len: usize| if at == levels { 0 } else { len };
            // opposite half-edges do instead
            let edges =
                if matches!(rules, SchemeKernels::ThreeTriangles(_)) { 0 } else { counts.edges };
            Ok(MatrixLevel {
                vertices: Buffer::empty(stream, counts.corners)?,
                edges: Buffer::empty(stream, linked(counts.corners))?,
                edge_corners: Buffer::empty(stream, linked(edges))?,
            })
        };
        let finer = counts.iter().enumerate().skip(1).map(room).collect::<Result<_>>()?;
        let points = counts.iter().map(|c| Buffer::empty(stream, 3 * c.vertices));
        let points = points.collect::<Result<_>>()?;
        let creases = tags.map(|tags| CreaseArrays::new(&matrix, tags, levels)).transpose()?;
        stream.synchronize().map_err(failed("a copy to the device failed"))?;
        let programs = [const { None }; 3];
        Ok(Self { matrix, rules, counts, levels: finer, points, creases, programs })
    }

    /// How many tags of edges have an edge.
    pub(crate) fn found_tags(&self) -> Result<usize> {
        self.creases.as_ref().map_or(Ok(0), |creases| creases.found_tags(&self.matrix))
    }

    /// Edges that are still sharp after the last level by their tags, not as ends of the
    /// surface or non-manifold edges: end vertices and sharpness, after topology was made.
    pub(crate) fn remaining_creases(&self) -> Result<Vec<([u32; 2], f64)>> {
        let Some(creases) = &self.creases else { return Ok(Vec::new()) };
        let corners = self.matrix.edge_corners()?;
        let non_manifold = self.matrix.non_manifold_edges()?;
        let vertices = self.matrix.vertices.read(&self.matrix.stream)?;
        let is_natural = |edge: u32| {
            let [a, b] = corners[edge as usize];
            b == u32::MAX
                || vertices[a as usize] == vertices[b as usize]
                || non_manifold.binary_search_by_key(&edge, |row| row[0]).is_ok()
        };
        creases.remaining(&self.matrix, self.levels.len(), is_natural)
    }

    /// Takes points of the control mesh.
    ///
    /// # Errors
    /// [`Error::Request`] for another number of them.
    pub fn set_points(&mut self, points: &[[T; 3]]) -> Result<()> {
        check_point_count(points.len(), self.counts[0].vertices)?;
        self.points[0].fill(&self.matrix.stream, points.as_flattened())
    }

    /// Refines: topology of all levels, with the control mesh's from its corners,
    /// points, or both. Returns the seconds that it took on the device, where everything stays.
    ///
    /// # Errors
    /// [`Error::Request`] with the driver's words if a kernel fails.
    pub fn run(&mut self, run: FriendRun) -> Result<f64> {
        let slot = run as usize;
        let mut program = match self.programs[slot].take() {
            Some(program) => program,
            None => self.program(run)?,
        };
        // SAFETY: all arrays live in `self`, with room for the output of the level before.
        let seconds = unsafe { program.run(&self.matrix.stream) }?;
        self.programs[slot] = Some(program);
        Ok(seconds)
    }

    fn program(&self, run: FriendRun) -> Result<Program> {
        let functions = &*self.matrix.functions;
        let mut launches = Vec::new();
        if run != FriendRun::Points {
            let rows = !matches!(self.rules, SchemeKernels::FourTriangles(_));
            launches = self.matrix.launches(rows)?;
            match &self.rules {
                SchemeKernels::Quads => {}
                SchemeKernels::FourTriangles(own) => {
                    self.matrix.neighbor_launches(&mut launches, &own.neighbors)?;
                }
                SchemeKernels::ThreeTriangles(own) => {
                    self.matrix.neighbor_launches(&mut launches, &own.neighbors)?;
                    own.start(&self.matrix, &mut launches)?;
                }
            }
        }
        let faces = |depth: usize| match self.rules {
            SchemeKernels::Quads => self.counts[depth].faces,
            _ => 0,
        };
        let first_edge_point = |depth: usize| self.counts[depth].vertices + faces(depth);
        if let (Some(creases), true) = (&self.creases, run != FriendRun::Points) {
            creases.launches(&self.matrix, first_edge_point, &mut launches)?;
        }
        let words = self.words();
        for depth in 0..self.levels.len() {
            let points = [depth, depth + 1].map(|level| self.points[level].address(0));
            let step = LevelLaunch {
                functions,
                precision: T::PRECISION,
                run,
                depth,
                words: &words,
                counts: &self.counts,
                points,
            };
            match &self.rules {
                SchemeKernels::Quads => quads::launches(&self.matrix, &step, &mut launches)?,
                SchemeKernels::FourTriangles(own) => own.launches(&step, &mut launches)?,
                SchemeKernels::ThreeTriangles(own) => {
                    launches.push(own.launch(&self.matrix, &step)?);
                    if let Some(edges) = &own.boundary_edges {
                        let opposites = match depth {
                            0 => own.opposites.address(0),
                            _ => self.levels[depth - 1].edges.address(0),
                        };
                        let next = &self.levels[depth];
                        let next = [&next.vertices, &next.edges].map(|array| array.address(0));
                        edges.launches(&self.matrix, &step, opposites, next, &mut launches)?;
                    }
                }
            }
            if let (Some(creases), true) = (&self.creases, run != FriendRun::Topology) {
                let (sharp, first) = (creases.level(depth), first_edge_point(depth));
                launches.extend(sharp.launch(functions, T::PRECISION, first, points)?);
            }
        }
        Ok(Program::new(launches))
    }

    /// `Levels` in the kernels.
    fn words(&self) -> Vec<u64> {
        let mut words = Vec::new();
        let mut push = |arrays: [u64; 3], counts: &LevelCounts| {
            words.extend(arrays);
            words.push(counts.vertices as u64 | (counts.faces as u64) << 32);
            words.push(counts.edges as u64 | (counts.corners as u64) << 32);
        };
        let own = &self.matrix;
        let edges = match &self.rules {
            SchemeKernels::ThreeTriangles(rules) => rules.opposites.address(0),
            _ => own.edges.address(0),
        };
        let first = [own.vertices.address(0), edges, own.edge_corners.address(0)];
        push(first, &self.counts[0]);
        for (level, counts) in self.levels.iter().zip(&self.counts[1..]) {
            let linked = level.edges.len() > 0;
            let of = |address: u64| if linked { address } else { 0 };
            let arrays = [
                level.vertices.address(0),
                of(level.edges.address(0)),
                of(level.edge_corners.address(0)),
            ];
            push(arrays, counts);
        }
        words.resize(5 * MAX_LEVELS, 0);
        words
    }

    /// Points of the last level, copied to the host.
    ///
    /// # Errors
    /// [`Error::Request`] if the copy fails.
    pub fn points(&self) -> Result<Vec<[T; 3]>> {
        let last = self.points.len() - 1;
        Ok(self.points[last].read(&self.matrix.stream)?.as_chunks::<3>().0.to_vec())
    }

    /// Vertices at the corners of the last level, copied to the host.
    ///
    /// # Errors
    /// [`Error::Request`] if the copy fails.
    pub fn corners(&self) -> Result<Vec<u32>> {
        self.levels[self.levels.len() - 1].vertices.read(&self.matrix.stream)
    }

    /// Faces of the last level.
    pub fn face_count(&self) -> usize {
        self.counts[self.counts.len() - 1].faces
    }
}
