//! Refinement: one step of Catmull-Clark solid subdivision, as stencils.
//!
//! A step gives the refined connectivity and a sparse matrix whose rows make
//! refined vertices from coarse ones, for positions and attributes alike. It can
//! be confined to a region: the children around chosen cells, with all that their
//! limit depends on. Local refinement, the local subdivision matrices of
//! [`crate::limit`] and the refinement of whole meshes are this one function.

pub(crate) mod angle;
mod children;
mod mesh;
mod reorient;
mod split;

pub use angle::{crease_by_angle, turning_edges};
pub use mesh::{MeshRefinement, check_memory, refine_mesh, refined_cell_count};
pub(crate) use mesh::{check_levels, child_count};
pub use reorient::reorient;
pub use split::split_nonmanifold;

use rayon::prelude::*;

use crate::error::Result;
use crate::interrupt::stop_point;
use crate::mesh::{Cells, Creases, FaceGroup, Polygons, SolidMesh, check_point_count};
use crate::pages;
use crate::scheme::solid::Rules;
use crate::scheme::{Stencils, VertexRule, crease};
use crate::topology::{NONE, Sharpness, Star, Topology};

/// Elements a work item of a parallel loop covers.
const TASK_ELEMENTS: usize = 4096;

/// One refinement step.
#[derive(Clone, Debug)]
pub struct Refinement {
    /// Refined vertices from coarse ones.
    pub stencils: Stencils,
    /// Refined cells, all hexahedra. Without a region, children of a hexahedral
    /// cell c of an all-hexahedral mesh are 8c…8c + 7.
    pub cells: Vec<[u32; 8]>,
    /// Parent cell and parent corner of each refined cell.
    pub parents: Vec<(u32, u8)>,
    /// Creases and corners that remain, one level less sharp.
    pub creases: Creases,
    /// Vertices from the elements that they come from.
    pub(crate) numbers: VertexNumbers,
}

impl Refinement {
    /// The faces of groups, refined where the region has all of a face.
    ///
    /// # Errors
    /// As [`Topology::group_faces`].
    pub(crate) fn face_groups(
        &self,
        topology: &Topology,
        groups: &[FaceGroup],
    ) -> Result<Vec<FaceGroup>> {
        let refined = |group: &FaceGroup| {
            let parents = topology.group_faces(group)?;
            let children = parents.iter().flat_map(|&face| self.face_children(topology, face));
            let known = children.filter(|child| !child.contains(&NONE));
            Ok(FaceGroup::new(&group.name, Polygons::uniform(4, known.flatten().collect())))
        };
        groups.iter().map(refined).collect()
    }

    /// The four-sided faces that a face of the mesh becomes, which lies in the region.
    fn face_children(&self, topology: &Topology, face: u32) -> Vec<[u32; 4]> {
        let (vertices, edges) = (topology.face_vertices(face), topology.face_edges(face));
        let edge_point = |v: u32, w: u32| {
            let ends = |e: &&u32| {
                let [a, b] = topology.edge_vertices(**e);
                [a, b] == [v, w] || [b, a] == [v, w]
            };
            edges.iter().find(ends).map_or(NONE, |&e| self.numbers.edge_point(e))
        };
        let n = vertices.len();
        let child = |i: usize| {
            let [before, v, after] =
                [vertices[(i + n - 1) % n], vertices[i], vertices[(i + 1) % n]];
            let middle = self.numbers.face_point(face);
            [self.numbers.vertex_point(v), edge_point(v, after), middle, edge_point(before, v)]
        };
        (0..n).map(child).collect()
    }
}

/// How many cells [`refine`] makes of a region.
pub(crate) fn region_cell_count(topology: &Topology, cells: &[u32]) -> usize {
    let region = Region::of(topology, Some(cells));
    let wanted = (0..topology.vertex_count() as u32).filter(|&v| region.contains(v));
    wanted.map(|v| topology.vertex_cells(v).len()).sum()
}

/// Refines a mesh once; with a `region`, only the children of those cells and the
/// neighboring children that their limit depends on.
pub fn refine(
    topology: &Topology,
    sharpness: &Sharpness,
    stars: &[Star],
    vertex_rule: VertexRule,
    region: Option<&[u32]>,
) -> Refinement {
    let rules = Rules { topology, sharpness, stars, vertex_rule };
    let region = Region::of(topology, region);
    let numbers = VertexNumbers::of(topology, &region);

    let stencils = Stencils::build(numbers.sources.len(), |r, row| match numbers.sources[r] {
        PointSource::Vertex(v) => rules.vertex_point(v, row),
        PointSource::Edge(e) => rules.edge_point(e, row),
        PointSource::Face(f) => rules.face_point(f, row),
        PointSource::Cell(c) => rules.cell_point(c, row),
    });
    let (cells, parents) = children::all(topology, &numbers, &region);
    let creases = refined_creases(topology, sharpness, &region, &numbers);
    Refinement { stencils, cells, parents, creases, numbers }
}

/// Which vertices of `mesh` refined `levels` times lie on marked ones: the vertices themselves, and
/// the points of edges, faces and cells all of whose vertices are marked. `marks`: `[vertex]`.
///
/// # Errors
/// As [`MeshRefinement::new`]; [`Error::Request`](crate::Error::Request) for another number of
/// marks.
pub fn refined_marks(mesh: &SolidMesh, mut marks: Vec<bool>, levels: usize) -> Result<Vec<bool>> {
    check_point_count(marks.len(), mesh.points.len())?;
    if levels == 0 {
        return Ok(marks);
    }
    check_levels(mesh.cells.len(), child_count(mesh), levels)?;
    let mut topology = Topology::of_mesh(mesh)?;
    for level in 1..=levels {
        let region = Region::of(&topology, None);
        let numbers = VertexNumbers::of(&topology, &region);
        let all = |vertices: &[u32]| vertices.iter().all(|&v| marks[v as usize]);
        let is_marked = |source: &PointSource| match *source {
            PointSource::Vertex(v) => marks[v as usize],
            PointSource::Edge(e) => all(&topology.edge_vertices(e)),
            PointSource::Face(f) => all(topology.face_vertices(f)),
            PointSource::Cell(c) => all(topology.cells().vertices(c as usize)),
        };
        let fine: Vec<bool> = numbers.sources.iter().map(is_marked).collect();
        if level < levels {
            let (cells, _) = children::all(&topology, &numbers, &region);
            topology = Topology::build(hexahedra(&cells), fine.len())?;
        }
        marks = fine;
    }
    Ok(marks)
}

/// The cells of a refinement as a cell list.
pub fn hexahedra(cells: &[[u32; 8]]) -> Cells {
    Cells::of_hexahedra(cells.to_vec())
}

/// The vertices whose children are wanted.
pub(crate) struct Region {
    // empty: every vertex
    wanted: Vec<bool>,
}

impl Region {
    fn of(topology: &Topology, cells: Option<&[u32]>) -> Self {
        let Some(cells) = cells else { return Self { wanted: Vec::new() } };
        let mut wanted = vec![false; topology.vertex_count()];
        for &c in cells {
            for &v in topology.cells().vertices(c as usize) {
                wanted[v as usize] = true;
            }
        }
        Self { wanted }
    }

    fn contains(&self, vertex: u32) -> bool {
        self.wanted.is_empty() || self.wanted[vertex as usize]
    }
}

#[derive(Clone, Copy, Debug)]
enum PointSource {
    Vertex(u32),
    Edge(u32),
    Face(u32),
    Cell(u32),
}

/// Numbers of refined vertices: vertex points first, then edge, face and cell
/// points, each in the order of their elements; [`NONE`] outside the region.
#[derive(Clone, Debug)]
pub(crate) struct VertexNumbers {
    vertices: Vec<u32>,
    edges: Vec<u32>,
    faces: Vec<u32>,
    cells: Vec<u32>,
    sources: Vec<PointSource>,
}

impl VertexNumbers {
    fn of(topology: &Topology, region: &Region) -> Self {
        let mut sources = Vec::new();
        let any = |vertices: &[u32]| vertices.iter().any(|&v| region.contains(v));
        let has_cells = |v: u32| region.contains(v) && !topology.vertex_cells(v).is_empty();
        let vertices =
            numbered(topology.vertex_count(), has_cells, PointSource::Vertex, &mut sources);
        let at_edge = |e: u32| any(&topology.edge_vertices(e));
        let edges = numbered(topology.edge_count(), at_edge, PointSource::Edge, &mut sources);
        let at_face = |f: u32| any(topology.face_vertices(f));
        let faces = numbered(topology.face_count(), at_face, PointSource::Face, &mut sources);
        let at_cell = |c: u32| any(topology.cells().vertices(c as usize));
        let cells = numbered(topology.cell_count(), at_cell, PointSource::Cell, &mut sources);
        Self { vertices, edges, faces, cells, sources }
    }

    pub(crate) fn vertex_point(&self, vertex: u32) -> u32 {
        self.vertices[vertex as usize]
    }

    pub(crate) fn edge_point(&self, edge: u32) -> u32 {
        self.edges[edge as usize]
    }

    pub(crate) fn face_point(&self, face: u32) -> u32 {
        self.faces[face as usize]
    }

    pub(crate) fn cell_point(&self, cell: u32) -> u32 {
        self.cells[cell as usize]
    }
}

/// Numbers of the points of the wanted ones of `count` elements, in their order; these go to
/// the `sources`.
fn numbered(
    count: usize,
    wanted: impl Fn(u32) -> bool + Sync,
    source: fn(u32) -> PointSource,
    sources: &mut Vec<PointSource>,
) -> Vec<u32> {
    let mut numbers: Vec<u32> = pages::zeros(count);
    let first = |part: usize| (part * TASK_ELEMENTS) as u32;
    let mark = |(part, numbers): (usize, &mut [u32])| {
        let mut count = 0;
        for (element, number) in (first(part)..).zip(numbers) {
            let is_wanted = wanted(element);
            *number = if is_wanted { 0 } else { NONE };
            count += usize::from(is_wanted);
        }
        count
    };
    let counts: Vec<usize> = numbers.par_chunks_mut(TASK_ELEMENTS).enumerate().map(mark).collect();
    let start = sources.len();
    sources.resize(start + counts.iter().sum::<usize>(), source(NONE));
    let (mut rest, mut next) = (&mut sources[start..], start as u32);
    let mut parts = Vec::with_capacity(counts.len());
    for (part, (numbers, count)) in numbers.chunks_mut(TASK_ELEMENTS).zip(counts).enumerate() {
        let (own, others) = rest.split_at_mut(count);
        parts.push((first(part), next, numbers, own));
        (rest, next) = (others, next + count as u32);
    }
    parts.into_par_iter().for_each(|(first, next, numbers, sources)| {
        stop_point();
        let wanted = (first..).zip(numbers).filter(|(_, number)| **number == 0);
        for (((element, number), own), next) in wanted.zip(sources).zip(next..) {
            *number = next;
            *own = source(element);
        }
    });
    numbers
}

fn refined_creases(
    topology: &Topology,
    sharpness: &Sharpness,
    region: &Region,
    numbers: &VertexNumbers,
) -> Creases {
    let mut creases = Creases::default();
    if sharpness.is_smooth() {
        return creases;
    }
    for e in 0..topology.edge_count() as u32 {
        let s = crease::decayed(sharpness.edge(e));
        for v in topology.edge_vertices(e) {
            if s > 0.0 && region.contains(v) {
                creases.push_edge(numbers.vertex_point(v), numbers.edge_point(e), s);
            }
        }
    }
    for v in 0..topology.vertex_count() as u32 {
        let s = crease::decayed(sharpness.vertex(v));
        if s > 0.0 && region.contains(v) {
            creases.push_corner(numbers.vertex_point(v), s);
        }
    }
    creases
}
