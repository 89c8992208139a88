//! Collecting the part of a rank from the holders of cells and vertices.

use std::borrow::Borrow;
use std::ops::Range;

use super::Part;
use super::cutter::{has_edge, has_face};
use super::distributed::DistributedMesh;
use super::exchange::{
    fetch, ids, next_cell, next_count, next_id, next_numbers, push_cell, push_numbers,
};
use super::extremes::Extremes;
use super::rank_part::{RankPart, elements_of, sharpest_corner, sums};
use crate::cluster::Ranks;
use crate::error::{Error, Result};
use crate::mesh::{
    Attribute, Cells, Corner, Crease, Creases, FaceGroup, Polygons, SolidMesh, VertexId,
};
use crate::numbers::sorted_unique;
use crate::topology::Rows;

impl RankPart {
    /// The part of a rank for some elements; see [`DistributedMesh::into_part`].
    pub(super) fn gather<M: Borrow<DistributedMesh>>(
        held: M,
        ranks: &Ranks<'_>,
        levels: usize,
        asked: Range<usize>,
    ) -> Result<Self> {
        let mesh = held.borrow();
        let (own, first_element) = owned_cells(mesh, ranks, levels, &asked)?;
        let found = Collected::new(mesh, ranks, own.clone().collect())?;
        let count = |c: usize| elements_of(&found.owned.cells, c, levels);
        let elements = sums(first_element, (0..own.len()).map(count));
        let first = first_vertex(&found.owned, ranks)?;
        let (cell_count, vertex_count) = (mesh.cell_count(), mesh.vertex_count());
        let (holders, has_other_cells) = (mesh.vertices.clone(), mesh.has_other_cells());
        let common = mesh.common();
        drop(held); // its rest, if this was the last to have it
        let sharpest_corner = sharpest_corner(&common.creases);
        let (part, children) = found.into_part(ranks, common, vertex_count)?;
        let skipped = elements[..own.len()].partition_point(|&e| e < asked.start as u64);
        // a run of cells has its ghosts before and after it
        let first_owned = part.owned.first().map_or(0, |&cell| cell as usize);
        Ok(Self {
            levels,
            cell_count,
            first_vertex: first
                .and_then(|v| part.vertices.binary_search(&v).ok())
                .map(|v| v as u32),
            children,
            elements,
            sharpest_corner,
            has_other_cells,
            vertices: holders,
            counted: first_owned + skipped..first_owned + own.len(),
            part,
        })
    }
}

impl DistributedMesh {
    /// What a rank needs for some cells of the mesh refined some times, ascending; it does not
    /// count as anyone's part, and [`Blocks::whole`](super::Blocks::whole) alone takes its
    /// elements.
    ///
    /// # Errors
    /// Those of [`DistributedMesh::into_part`].
    pub(crate) fn part_of(
        &self,
        ranks: &Ranks<'_>,
        levels: usize,
        cells: Vec<u32>,
    ) -> Result<RankPart> {
        let found = Collected::new(self, ranks, cells)?;
        let common = self.common();
        let sharpest_corner = sharpest_corner(&common.creases);
        let (part, children) = found.into_part(ranks, common, self.vertex_count())?;
        Ok(RankPart {
            levels,
            cell_count: self.cell_count(),
            first_vertex: None,
            children,
            elements: Vec::new(),
            sharpest_corner,
            has_other_cells: self.has_other_cells(),
            vertices: self.vertices.clone(),
            counted: 0..0,
            part,
        })
    }
}

/// Cells with their ghosts, and the vertices of both.
struct Collected {
    owned: CellRows,
    ghosts: CellRows,
    // of the whole, with those that span it
    vertices: Vec<u32>,
    points: Vec<[f64; 3]>,
    attributes: Vec<Attribute>,
}

impl Collected {
    /// Some cells, ascending, with what they depend on.
    fn new(mesh: &DistributedMesh, ranks: &Ranks<'_>, own: Vec<u32>) -> Result<Self> {
        let [owned, ghosts] = with_ghosts(mesh, ranks, own)?;
        let start = mesh.vertices.range(ranks.rank()).start as u32;
        let used = |v: usize| !mesh.vertex_cells.row(v).is_empty();
        let extremes = ranks.all_gather(Ok(Extremes::of(&mesh.block, start, used).to_bytes()))?;
        let mut vertices = vertices_of([&owned, &ghosts]);
        if !owned.ids.is_empty() {
            let join = |all: Extremes, bytes: &Vec<u8>| -> Result<Extremes> {
                Ok(all.joined(&Extremes::from_bytes(bytes)?))
            };
            vertices.extend(extremes.iter().try_fold(Extremes::default(), join)?.span());
        }
        let vertices = sorted_unique(vertices);
        let (points, attributes) = points(mesh, ranks, &vertices)?;
        Ok(Self { owned, ghosts, vertices, points, attributes })
    }

    /// The part, and the children of the whole before each of its cells; `common` is what all ranks
    /// have.
    fn into_part(
        self,
        ranks: &Ranks<'_>,
        common: SolidMesh,
        vertex_count: usize,
    ) -> Result<(Part, Vec<u64>)> {
        let Self { owned, ghosts, vertices, points, attributes } = self;
        let SolidMesh { creases, face_groups, cell_data, .. } = common;
        let mut here = SolidMesh { points, attributes, cell_data, ..SolidMesh::default() };
        let local = |v: u32| vertices.binary_search(&v).map_or(u32::MAX, |v| v as u32);
        let count = owned.ids.len() + ghosts.ids.len();
        let (mut cells, mut children) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut owned_here = Vec::with_capacity(owned.ids.len());
        let (mut of_owned, mut of_ghosts) = (0, 0);
        while cells.len() < count {
            let is_owned = match (owned.ids.get(of_owned), ghosts.ids.get(of_ghosts)) {
                (Some(own), Some(ghost)) => own < ghost,
                (own, _) => own.is_some(),
            };
            let (rows, at) =
                if is_owned { (&owned, &mut of_owned) } else { (&ghosts, &mut of_ghosts) };
            if is_owned {
                owned_here.push(cells.len() as u32);
            }
            here.cells.push_from(&rows.cells, *at, local);
            for (array, values) in here.cell_data.iter_mut().zip(&rows.data) {
                array.values.extend(&values[array.width * *at..][..array.width]);
            }
            cells.push(rows.ids[*at]);
            children.push(rows.children[*at]);
            *at += 1;
        }
        drop((owned, ghosts));
        let surface = LocalBoundary::new(&here.cells, &vertices);
        let creases_here = surface.creases(&creases, ranks)?;
        let groups_here = face_groups.iter().map(|group| surface.faces(group)).collect();
        creases.check_corners(vertex_count)?;
        (here.creases, here.face_groups) = (creases_here, groups_here);
        Ok((Part { mesh: here, owned: owned_here, cells, vertices }, children))
    }
}

/// The cells of some elements, and the number of elements before them.
fn owned_cells(
    mesh: &DistributedMesh,
    ranks: &Ranks<'_>,
    levels: usize,
    elements: &Range<usize>,
) -> Result<(Range<u32>, u64)> {
    let holders = mesh.elements(levels);
    let first = holders.range(ranks.rank()).start as u64;
    let cells = &mesh.block.cells;
    let ends = sums(first, (0..cells.len()).map(|c| elements_of(cells, c, levels)));
    let start = mesh.cells.range(ranks.rank()).start;
    let cell = |place: usize, bytes: &mut Vec<u8>| {
        let c = ends.partition_point(|&before| before <= first + place as u64) - 1;
        bytes.extend(((start + c) as u32).to_ne_bytes());
        bytes.extend(ends[c].to_ne_bytes());
    };
    let ends = if elements.is_empty() {
        Vec::new()
    } else {
        vec![elements.start as u32, elements.end as u32 - 1]
    };
    let mut found = Vec::new();
    fetch(ranks, &holders, &ends, cell, |mut bytes| {
        while !bytes.is_empty() {
            found.push((next_id(&mut bytes)?, next_count(&mut bytes)?));
        }
        Ok(())
    })?;
    match found[..] {
        [] if ends.is_empty() => Ok((0..0, 0)),
        [(first, before), (last, _)] => Ok((first..last + 1, before)),
        _ => Err(Error::broken_message()),
    }
}

/// Some cells, ascending, and their ghosts.
fn with_ghosts(mesh: &DistributedMesh, ranks: &Ranks<'_>, own: Vec<u32>) -> Result<[CellRows; 2]> {
    let table = CellTable::new(mesh, ranks.rank());
    let owned = table.fetch(ranks, own)?;
    let vertices = vertices_of([&owned]);
    let at = |place: usize, bytes: &mut Vec<u8>| {
        bytes.extend_from_slice(bytemuck::cast_slice(mesh.vertex_cells.row(place)));
    };
    let is_ghost = |cell: &u32| match owned.ids[..] {
        [] => true,
        // runs are most common
        [first, .., last] if (last - first) as usize + 1 == owned.ids.len() => {
            !(first..=last).contains(cell)
        }
        _ => owned.ids.binary_search(cell).is_err(),
    };
    let mut ghosts = Vec::new();
    fetch(ranks, &mesh.vertices, &vertices, at, |bytes| {
        ghosts.extend(ids(bytes)?.filter(|cell| is_ghost(cell)));
        Ok(())
    })?;
    let ghosts = table.fetch(ranks, sorted_unique(ghosts))?;
    Ok([owned, ghosts])
}

/// The first vertex that a cell of any rank has.
fn first_vertex(owned: &CellRows, ranks: &Ranks<'_>) -> Result<Option<u32>> {
    let own = owned.vertices().min().map_or(Vec::new(), |v| v.to_ne_bytes().to_vec());
    let first =
        |first: Option<u32>, bytes: &Vec<u8>| Ok(first.into_iter().chain(ids(bytes)?).min());
    ranks.all_gather(Ok(own))?.iter().try_fold(None, first)
}

/// Coordinates and attributes of vertices.
fn points(
    mesh: &DistributedMesh,
    ranks: &Ranks<'_>,
    vertices: &[u32],
) -> Result<(Vec<[f64; 3]>, Vec<Attribute>)> {
    let block = &mesh.block;
    let row = |place: usize, bytes: &mut Vec<u8>| {
        bytes.extend_from_slice(bytemuck::cast_slice(&block.points[place]));
        for a in &block.attributes {
            let values = &a.values[place * a.width..][..a.width];
            bytes.extend_from_slice(bytemuck::cast_slice(values));
        }
    };
    let mut points = Vec::with_capacity(vertices.len());
    let none = |a: &Attribute| Attribute {
        name: a.name.clone(),
        width: a.width,
        values: Vec::with_capacity(a.width * vertices.len()),
    };
    let mut attributes: Vec<Attribute> = block.attributes.iter().map(none).collect();
    fetch(ranks, &mesh.vertices, vertices, row, |mut bytes| {
        while !bytes.is_empty() {
            points.push(next_numbers(&mut bytes)?);
            for a in &mut attributes {
                push_numbers(&mut a.values, &mut bytes, a.width)?;
            }
        }
        Ok(())
    })?;
    if points.len() != vertices.len() {
        return Err(Error::broken_message());
    }
    Ok((points, attributes))
}

/// The cells of all ranks, as one of them asks for them.
struct CellTable<'m> {
    mesh: &'m DistributedMesh,
    // of this rank: children before each of its cells
    children: Vec<u64>,
}

/// Cells over the vertices of the whole, with what belongs to them.
#[derive(Default)]
struct CellRows {
    // ascending
    ids: Vec<u32>,
    cells: Cells,
    children: Vec<u64>,
    // [array]: values
    data: Vec<Vec<f64>>,
}

impl CellRows {
    /// The vertices of the cells, with repetitions.
    fn vertices(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.cells.len()).flat_map(|c| self.cells.vertices(c)).copied()
    }
}

/// The vertices of cells, ascending and each once. Most are of eight cells: a bit for each takes
/// less memory than a list to sort.
fn vertices_of<const N: usize>(cells: [&CellRows; N]) -> Vec<u32> {
    let all = || cells.into_iter().flat_map(CellRows::vertices);
    let (Some(first), Some(last)) = (all().min(), all().max()) else { return Vec::new() };
    let mut bits = vec![0_u64; (last - first) as usize / 64 + 1];
    all().for_each(|v| bits[(v - first) as usize / 64] |= 1 << ((v - first) % 64));
    let is_in = |v: &u32| bits[(v - first) as usize / 64] >> ((v - first) % 64) & 1 == 1;
    (first..=last).filter(is_in).collect()
}

impl<'m> CellTable<'m> {
    fn new(mesh: &'m DistributedMesh, rank: usize) -> Self {
        let (cells, first) = (&mesh.block.cells, mesh.elements(1).range(rank).start as u64);
        Self { mesh, children: sums(first, (0..cells.len()).map(|c| elements_of(cells, c, 1))) }
    }

    /// Some cells, ascending.
    fn fetch(&self, ranks: &Ranks<'_>, wanted: Vec<u32>) -> Result<CellRows> {
        let block = &self.mesh.block;
        let row = |place: usize, bytes: &mut Vec<u8>| {
            push_cell(bytes, &block.cells, place);
            bytes.extend(self.children[place].to_ne_bytes());
            for array in &block.cell_data {
                let values = &array.values[place * array.width..][..array.width];
                bytes.extend_from_slice(bytemuck::cast_slice(values));
            }
        };
        let data = vec![Vec::new(); block.cell_data.len()];
        let mut found = CellRows { data, ..CellRows::default() };
        fetch(ranks, &self.mesh.cells, &wanted, row, |mut bytes| {
            while !bytes.is_empty() {
                next_cell(&mut bytes, &mut found.cells)?;
                found.children.push(next_count(&mut bytes)?);
                for (array, values) in block.cell_data.iter().zip(&mut found.data) {
                    push_numbers(values, &mut bytes, array.width)?;
                }
            }
            Ok(())
        })?;
        if found.cells.len() != wanted.len() {
            return Err(Error::broken_message());
        }
        found.ids = wanted;
        Ok(found)
    }
}

/// What of the whole's surface the cells of a part have.
struct LocalBoundary<'p> {
    cells: &'p Cells,
    // the whole's ids
    vertices: &'p [u32],
    vertex_cells: Rows,
}

impl<'p> LocalBoundary<'p> {
    fn new(cells: &'p Cells, vertices: &'p [u32]) -> Self {
        let corners = |c: u32| cells.vertices(c as usize).iter().copied();
        let vertex_cells = Rows::transposed(vertices.len(), cells.len(), corners);
        Self { cells, vertices, vertex_cells }
    }

    /// The part's number of a vertex that one of its cells has.
    fn local(&self, vertex: u32) -> Option<u32> {
        let local = self.vertices.binary_search(&vertex).ok()?;
        (!self.vertex_cells.row(local).is_empty()).then_some(local as u32)
    }

    /// The creases and corners of the part, in the order of the whole. A crease that is an edge on
    /// no rank is an error.
    fn creases(&self, all: &Creases, ranks: &Ranks<'_>) -> Result<Creases> {
        let mut own = Creases::default();
        let mut known = vec![0_u8; all.edges.len()];
        for (known, crease) in known.iter_mut().zip(&all.edges) {
            let [Some(a), Some(b)] = crease.edge().map(|v| self.local(v.0)) else { continue };
            let mut around = self.vertex_cells.row(a as usize).iter();
            if around.any(|&cell| has_edge(self.cells, cell, [a, b])) {
                own.edges.push(Crease::new([a, b].map(VertexId), crease.sharpness));
                *known = 1;
            }
        }
        let mut edges = vec![false; known.len()];
        for known in ranks.all_gather(Ok(known))? {
            edges.iter_mut().zip(&known).for_each(|(edge, &known)| *edge |= known == 1);
        }
        if let Some(at) = edges.iter().position(|edge| !edge) {
            return Err(all.edges[at].no_edge());
        }
        for &Corner { vertex, sharpness } in &all.corners {
            if let Some(v) = self.local(vertex.0) {
                own.corners.push(Corner { vertex: VertexId(v), sharpness });
            }
        }
        Ok(own)
    }

    /// The faces of a group that a cell of the part has.
    fn faces(&self, group: &FaceGroup) -> FaceGroup {
        let mut faces = Polygons::default();
        for face in group.faces.iter() {
            let Some(face) = face.iter().map(|&v| self.local(v)).collect::<Option<Vec<u32>>>()
            else {
                continue;
            };
            let first = face.first().map_or(&[][..], |&v| self.vertex_cells.row(v as usize));
            if first.iter().any(|&cell| has_face(self.cells, cell, &face)) {
                faces.push(&face);
            }
        }
        FaceGroup::new(&group.name, faces)
    }
}
