//! Downward incidence on the device.

use super::steps::{SortStream, array, number};
use crate::backend::cuda::Cuda;
use crate::backend::cuda::driver::buffer::{Buffer, timed_event};
use crate::backend::cuda::driver::launch::Argument;
use crate::backend::cuda::driver::sources::ORDER;
use crate::backend::cuda::surface::refine::{FaceArrays, SurfaceMatrix};
use crate::error::Result;
use crate::mesh::SurfaceMesh;
use crate::topology::Rows;
use crate::topology::order::{DownwardIncidence, EntityKind};
use crate::topology::surface::Columns;

/// Lists of ids: row `r` is `items[starts[r]..starts[r + 1]]`.
pub(in crate::backend::cuda) struct Lists {
    pub count: usize,
    pub starts: Buffer<u32>,
    pub items: Buffer<u32>,
}

impl Lists {
    /// A copy of rows of the host.
    pub fn of(steps: &SortStream, rows: &Rows) -> Result<Self> {
        let starts: Vec<u32> = (0..=rows.len())
            .map(|r| if r == rows.len() { rows.items().len() } else { rows.start(r) } as u32)
            .collect();
        Ok(Self { count: rows.len(), starts: steps.of(&starts)?, items: steps.of(rows.items())? })
    }

    /// `Lists` in the kernels.
    pub fn words(&self) -> Argument {
        Argument::Words(Box::new([self.starts.address(0), self.items.address(0)]))
    }

    /// A copy on the host.
    pub fn read(&self, steps: &SortStream) -> Result<Rows> {
        let ends = self.starts.read(&steps.stream)?[1..=self.count].to_vec();
        let mut items = self.items.read(&steps.stream)?;
        items.truncate(ends.last().map_or(0, |&end| end as usize));
        Ok(Rows::from_parts(ends, items))
    }
}

/// `Incidence` in the kernels.
pub(in crate::backend::cuda) struct Incidence {
    pub vertex_count: usize,
    pub edge_vertices: Buffer<[u32; 2]>,
    pub edge_count: usize,
    pub face_vertices: Lists,
    // rows start where the rows of the vertices do
    pub face_edges: Buffer<u32>,
    pub cell_faces: Option<Lists>,
}

impl Incidence {
    /// A copy of the incidence of a mesh.
    pub fn of(steps: &SortStream, mesh: &DownwardIncidence) -> Result<Self> {
        let cells = (mesh.top() == EntityKind::Cell).then(|| Lists::of(steps, &mesh.cell_faces));
        Ok(Self {
            vertex_count: mesh.vertex_count,
            edge_vertices: steps.of(&mesh.edge_vertices)?,
            edge_count: mesh.edge_vertices.len(),
            face_vertices: Lists::of(steps, &mesh.face_vertices)?,
            face_edges: steps.of(mesh.face_edges.items())?,
            cell_faces: cells.transpose()?,
        })
    }

    /// The incidence of a surface, whose edges are found on the device; also the seconds that this
    /// took there, from the corners on.
    pub fn of_surface(gpu: &Cuda, steps: &SortStream, mesh: &SurfaceMesh) -> Result<(Self, f64)> {
        let columns = Columns::of(&mesh.faces);
        let (size, ends, faces) = match &columns {
            Columns::Uniform(size) => (*size, &[][..], &[][..]),
            Columns::Polygons { ends, faces } => (0, &ends[..], &faces[..]),
        };
        let vertices = mesh.faces.vertices();
        let arrays = FaceArrays { vertex_count: mesh.points.len(), size, ends, faces, vertices };
        let count = mesh.faces.len();
        let starts = match &columns {
            Columns::Uniform(_) => steps.empty(count + 1)?,
            Columns::Polygons { ends, .. } => {
                steps.of(&std::iter::once(0).chain(ends.iter().copied()).collect::<Vec<_>>())?
            }
        };
        let (matrix, of_edges) = SurfaceMatrix::of_edges(gpu, arrays)?;
        let start = timed_event(&steps.stream)?;
        if size > 0 {
            let arguments = vec![number(count), Argument::Number(size), array(&starts)];
            steps.each(&ORDER, "start_uniform", count + 1, arguments)?;
        }
        let edge_count = matrix.counts().edges;
        let edge_vertices = steps.empty(edge_count)?;
        let (corners, face_edges, edge_corners) = matrix.into_corners();
        let arguments = vec![
            array(&starts),
            number(count),
            array(&corners),
            array(&face_edges),
            array(&edge_corners),
            array(&edge_vertices),
        ];
        steps.each(&ORDER, "find_ends", count, arguments)?;
        // the corners of edges were made on another stream, and go away on it
        let of_ends = steps.seconds_since(&start)?;
        let incidence = Self {
            vertex_count: mesh.points.len(),
            edge_vertices,
            edge_count,
            face_vertices: Lists { count, starts, items: corners },
            face_edges,
            cell_faces: None,
        };
        Ok((incidence, of_edges + of_ends))
    }

    pub fn count(&self, kind: EntityKind) -> usize {
        match kind {
            EntityKind::Vertex => self.vertex_count,
            EntityKind::Edge => self.edge_count,
            EntityKind::Face => self.face_vertices.count,
            EntityKind::Cell => self.cell_faces.as_ref().map_or(0, |cells| cells.count),
        }
    }

    /// The kind of the highest dimension.
    pub fn top(&self) -> EntityKind {
        if self.cell_faces.is_some() { EntityKind::Cell } else { EntityKind::Face }
    }

    /// `Incidence` in the kernels.
    pub fn words(&self) -> Argument {
        let cells = self.cell_faces.as_ref();
        let [cell_starts, cell_faces] =
            cells.map_or([0; 2], |cells| [&cells.starts, &cells.items].map(|b| b.address(0)));
        Argument::Words(Box::new([
            self.edge_vertices.address(0),
            self.face_vertices.starts.address(0),
            self.face_vertices.items.address(0),
            self.face_edges.address(0),
            cell_starts,
            cell_faces,
        ]))
    }
}
