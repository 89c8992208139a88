//! The mesh matrix of a control mesh, built on the device by `kernels/surface/topology.cu`.

mod build;

use std::sync::Arc;

use cudarc::driver::CudaStream;

use super::THREADS;
use crate::backend::cuda::Cuda;
use crate::backend::cuda::driver::buffer::Buffer;
pub(super) use crate::backend::cuda::driver::constants::{LONE, TABLED, TOUCHING};
use crate::backend::cuda::driver::functions::Functions;
use crate::backend::cuda::driver::launch::Argument;
use crate::backend::cuda::driver::program::Program;
use crate::backend::cuda::sort::Space;
use crate::error::IdKind::Vertex;
use crate::error::{Error, Result};
pub(in crate::backend::cuda) use build::variant;
pub(super) use build::{SharpRows, VertexNeighbors};

/// Faces of a control mesh as columns over its vertices.
#[derive(Clone, Copy, Debug)]
pub struct FaceArrays<'a> {
    /// Number of vertices.
    pub vertex_count: usize,
    /// Corners of every face: 3, 4, or 0 where the arrays below say it.
    pub size: u32,
    /// `ends[face]` among the corners; empty if `size` is not 0.
    pub ends: &'a [u32],
    /// `faces[corner]`; empty if `size` is not 0.
    pub faces: &'a [u32],
    /// `vertices[corner]`.
    pub vertices: &'a [u32],
}

/// What kinds of edges and vertices a mesh has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MatrixCounts {
    /// Edges.
    pub edges: usize,
    /// Edges of one face.
    pub boundary: usize,
    /// Edges of three faces or more.
    pub non_manifold: usize,
    /// Edges of two faces that are inconsistently oriented.
    pub inconsistent: usize,
    /// Vertices whose faces form neither one ring nor one fan, but for those inside a line where
    /// sheets meet.
    pub touching: usize,
    /// Vertices in a ring of two faces.
    pub folds: usize,
    /// Largest number of faces at a vertex, where above 64.
    pub valence: usize,
}

impl MatrixCounts {
    /// Whether the surface has no edge of more than two faces, no touching sheets, and faces
    /// that are consistently oriented.
    pub(crate) fn is_manifold(&self) -> bool {
        [self.non_manifold, self.inconsistent, self.touching] == [0; 3]
    }

    /// Whether it has no ends either.
    pub fn is_closed_manifold(&self) -> bool {
        self.boundary == 0 && self.is_manifold()
    }
}

/// `Status` in the kernels: numbers of 32 bits.
const STATUS: usize = 7;

/// The mesh matrix on the device.
pub struct SurfaceMatrix {
    pub(super) functions: Arc<Functions>,
    pub(super) stream: Arc<CudaStream>,
    size: u32,
    ends: Buffer<u32>,
    faces: Buffer<u32>,
    pub(super) vertices: Buffer<u32>,
    pub(super) edges: Buffer<u32>,
    pub(super) edge_corners: Buffer<[u32; 2]>,
    pub(super) vertex_count: usize,
    pub(super) face_count: usize,
    // corners sorted by edge, and where each edge's start
    sorted_corners: Buffer<u32>,
    pub(super) firsts: Buffer<u32>,
    // room for scans: heads among the sorted corners
    pub(super) marks: Buffer<u32>,
    // corners at each vertex
    row_starts: Buffer<u32>,
    row_items: Buffer<u32>,
    // `[vertex]`: how the faces at it are connected
    pub(super) kinds: Buffer<u32>,
    status: Buffer<u32>,
    pub(super) space: Space,
    counts: MatrixCounts,
    // whether the corners at vertices are found too
    with_rows: bool,
    program: Option<Program>,
}

impl SurfaceMatrix {
    /// Brings faces to a GPU and finds their edges there.
    ///
    /// Edges are numbered by their ends, the smaller first, as on the CPU.
    ///
    /// # Errors
    /// [`Error::Request`] for a mesh without faces, or too little memory.
    pub fn new(gpu: &Cuda, mesh: FaceArrays<'_>) -> Result<Self> {
        Ok(Self::with_parts(gpu, mesh, true)?.0)
    }

    /// Like [`SurfaceMatrix::new`], without the corners at vertices and their counts;
    /// also the seconds that it took on the device.
    pub(in crate::backend::cuda) fn of_edges(
        gpu: &Cuda,
        mesh: FaceArrays<'_>,
    ) -> Result<(Self, f64)> {
        Self::with_parts(gpu, mesh, false)
    }

    fn with_parts(gpu: &Cuda, mesh: FaceArrays<'_>, with_rows: bool) -> Result<(Self, f64)> {
        let corners = mesh.vertices.len();
        if corners == 0 || corners >= 1 << 31 {
            return Err(Error::request(format!("a surface of {corners} corners on a GPU"))
                .with_help("give 1 to 2^31 - 1 corners, or refine on the CPU"));
        }
        let functions = gpu.functions.clone();
        let stream = functions.new_stream()?;
        let empty = |len: usize| Buffer::<u32>::empty(&stream, len);
        let (row_vertices, row_corners) =
            if with_rows { (mesh.vertex_count, corners) } else { (0, 0) };
        let mut matrix = Self {
            size: mesh.size,
            ends: Buffer::of(&stream, mesh.ends)?,
            faces: Buffer::of(&stream, mesh.faces)?,
            vertices: Buffer::of(&stream, mesh.vertices)?,
            edges: empty(corners)?,
            edge_corners: Buffer::empty(&stream, corners)?,
            vertex_count: mesh.vertex_count,
            face_count: if mesh.size == 0 { mesh.ends.len() } else { corners / mesh.size as usize },
            sorted_corners: empty(corners)?,
            firsts: empty(corners)?,
            marks: empty(corners + 1)?,
            row_starts: empty(row_vertices + 1)?,
            row_items: empty(row_corners)?,
            kinds: empty(row_vertices)?,
            status: Buffer::zeros(&stream, STATUS)?,
            space: Space::new(&stream, 2 * corners)?,
            counts: MatrixCounts::default(),
            with_rows,
            program: None,
            functions,
            stream,
        };
        let seconds = matrix.build()?;
        Ok((matrix, seconds))
    }

    /// Takes other vertices at the corners and finds the edges again.
    ///
    /// # Errors
    /// [`Error::Request`] for another number of corners, or vertices that are not there.
    pub fn set_corners(&mut self, vertices: &[u32]) -> Result<()> {
        if let Some(v) = vertices.iter().find(|&&v| v as usize >= self.vertex_count) {
            let count = self.vertex_count;
            return Err(Error::request(message!(Vertex.id(*v), " of a mesh of {count} vertices"))
                .with_help("vertices are numbered from 0 to their count less 1"));
        }
        if vertices.len() != self.vertices.len() {
            let (found, expected) = (vertices.len(), self.vertices.len());
            return Err(Error::request(format!("{found} corners instead of {expected}"))
                .with_help("give one vertex for each corner of the mesh it was made of"));
        }
        self.vertices.fill(&self.stream, vertices)
    }

    /// Finds edges and the corners at vertices that it was made for; returns the seconds that it
    /// took.
    ///
    /// # Errors
    /// [`Error::Request`] with the driver's words if a kernel fails.
    pub fn build(&mut self) -> Result<f64> {
        let mut program = match self.program.take() {
            Some(program) => program,
            None => Program::new(self.launches(self.with_rows)?),
        };
        // SAFETY: all arrays live in `self`.
        let seconds = unsafe { program.run(&self.stream) }?;
        self.program = Some(program);
        self.read_counts()?;
        Ok(seconds)
    }

    /// What the last build found.
    pub fn counts(&self) -> MatrixCounts {
        self.counts
    }

    /// Looks at what the last build found.
    pub(super) fn read_counts(&mut self) -> Result<MatrixCounts> {
        let status: Vec<usize> =
            self.status.read(&self.stream)?.into_iter().map(|n| n as usize).collect();
        if let [edges, boundary, non_manifold, inconsistent, touching, folds, valence] = status[..]
        {
            self.counts = MatrixCounts {
                edges,
                boundary,
                non_manifold,
                inconsistent,
                touching,
                folds,
                valence,
            };
        }
        Ok(self.counts)
    }

    /// `vertices[corner]`, `edges[corner]` and the first two corners of each edge.
    pub(in crate::backend::cuda) fn into_corners(
        self,
    ) -> (Buffer<u32>, Buffer<u32>, Buffer<[u32; 2]>) {
        (self.vertices, self.edges, self.edge_corners)
    }

    /// `edges[corner]`, copied to the host.
    ///
    /// # Errors
    /// [`Error::Request`] if the copy fails.
    pub fn edges(&self) -> Result<Vec<u32>> {
        self.edges.read(&self.stream)
    }

    /// The first two corners of each edge, copied to the host; no second one where the surface
    /// ends.
    ///
    /// # Errors
    /// [`Error::Request`] if the copy fails.
    pub fn edge_corners(&self) -> Result<Vec<[u32; 2]>> {
        let mut corners = self.edge_corners.read(&self.stream)?;
        corners.truncate(self.counts.edges);
        Ok(corners)
    }

    /// The corners at each vertex, ascending, copied to the host: starts of the rows and the
    /// end of the last, then all rows.
    ///
    /// # Errors
    /// [`Error::Request`] if the copy fails.
    pub fn vertex_corners(&self) -> Result<(Vec<u32>, Vec<u32>)> {
        Ok((self.row_starts.read(&self.stream)?, self.row_items.read(&self.stream)?))
    }

    /// Edges of three faces and more, ascending, each with its row among
    /// the sorted corners.
    ///
    /// # Errors
    /// [`Error::Request`] if a kernel or the copy fails.
    pub fn non_manifold_edges(&self) -> Result<Vec<[u32; 3]>> {
        if self.counts.non_manifold == 0 {
            return Ok(Vec::new());
        }
        let kernels = self.kernels();
        let edges = self.counts.edges;
        let firsts = || Argument::Address(self.firsts.address(0));
        let number = |n: usize| Argument::Number(n as u32);
        let marks = self.marks.address(0);
        let listed = Buffer::<u32>::empty(&self.stream, 3 * self.counts.non_manifold)?;
        let corners = self.vertices.len();
        let arguments = vec![firsts(), number(edges), number(corners), Argument::Address(marks)];
        let mut launches = vec![kernels.items("mark_non_manifold", edges, THREADS, arguments)?];
        self.space.scan(&self.functions, &mut launches, marks, edges, marks)?;
        let mut arguments = vec![firsts(), Argument::Address(marks), number(edges)];
        arguments.extend([number(corners), Argument::Address(listed.address(0))]);
        launches.push(kernels.items("list_non_manifold", edges, THREADS, arguments)?);
        // SAFETY: all arrays live in `self` or here.
        unsafe { Program::new(launches).run(&self.stream) }?;
        Ok(listed.read(&self.stream)?.as_chunks::<3>().0.to_vec())
    }

    /// Vertices of one face, at both of whose edges the surface ends.
    pub(super) fn lone_vertices(&self) -> Result<Vec<u32>> {
        let kinds = self.kinds.read(&self.stream)?;
        Ok((0..).zip(kinds).filter(|(_, kind)| kind & LONE != 0).map(|(v, _)| v).collect())
    }
    /// Corners of every face, or 0 for polygons.
    pub(super) fn size(&self) -> u32 {
        self.size
    }
}
