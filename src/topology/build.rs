//! From cells to incidence: group half-faces and half-edges, merge equal ones.

use std::cmp::Ordering;

use rayon::prelude::*;

use super::{NONE, Rows, Topology};
use crate::error::{Error, Result};
use crate::mesh::{CellKind, Cells};

/// Vertices a work item of a parallel loop covers.
const GRAIN: usize = 2048;

impl Topology {
    /// Builds the incidence of `cells` over `vertex_count` vertices.
    ///
    /// Checked here: every index, repeated vertices of a cell, cells with the
    /// same faces, and faces with more than two cells. What a Catmull-Clark
    /// solid demands beyond that is [`Topology::validate`]'s.
    ///
    /// # Errors
    /// [`Error::Mesh`] naming the cells and vertices concerned.
    pub fn build(cells: Cells, vertex_count: usize) -> Result<Self> {
        check_cells(&cells, vertex_count)?;
        let half_faces = HalfFaces::of(&cells);
        let (face_vertices, face_cells, cell_faces) = half_faces.merge(vertex_count)?;
        let (edge_vertices, face_edges) = merge_half_edges(&face_vertices, vertex_count);

        let edge_rows =
            Rows::uniform(edge_vertices.iter().flatten().copied().collect::<Vec<_>>(), 2);
        let mut cell_rows = Rows::with_capacity(cells.len(), 8 * cells.len());
        for c in 0..cells.len() {
            cell_rows.push(cells.vertices(c).iter().copied());
        }
        let ((edge_faces, vertex_edges), (vertex_faces, vertex_cells)) = rayon::join(
            || (face_edges.transpose(edge_vertices.len()), edge_rows.transpose(vertex_count)),
            || (face_vertices.transpose(vertex_count), cell_rows.transpose(vertex_count)),
        );

        let mut boundary_edge = vec![false; edge_vertices.len()];
        let mut boundary_vertex = vec![false; vertex_count];
        for (f, cells) in face_cells.iter().enumerate() {
            if cells[1] == NONE {
                face_edges.row(f).iter().for_each(|&e| boundary_edge[e as usize] = true);
                face_vertices.row(f).iter().for_each(|&v| boundary_vertex[v as usize] = true);
            }
        }
        Ok(Self {
            cells,
            vertex_count,
            face_vertices,
            face_edges,
            face_cells,
            cell_faces,
            edge_vertices,
            edge_faces,
            vertex_edges,
            vertex_faces,
            vertex_cells,
            boundary_edge,
            boundary_vertex,
        })
    }
}

fn check_cells(cells: &Cells, vertex_count: usize) -> Result<()> {
    if cells.is_empty() {
        return Err(Error::mesh("the mesh has no cells")
            .with_mend("give a volume mesh of hexahedra, tetrahedra, wedges or polyhedra"));
    }
    let bad = (0..cells.len()).into_par_iter().find_map_first(|c| {
        let vertices = cells.vertices(c);
        if let Some(v) = vertices.iter().find(|&&v| v as usize >= vertex_count) {
            return Some(Error::mesh(format!(
                "cell {c} names vertex {v}, but the mesh has {vertex_count} vertices"
            )));
        }
        let repeats = |list: &[u32]| (1..list.len()).find(|&i| list[..i].contains(&list[i]));
        if let Some(i) = repeats(vertices) {
            return Some(
                Error::mesh(format!("cell {c} names vertex {} twice", vertices[i])).with_mend(
                    "remove the collapsed cell, or write it as the polyhedron that it is",
                ),
            );
        }
        let mut bad_face = None;
        if cells.kind(c) == CellKind::Polyhedron {
            cells.for_each_face(c, |face| {
                if face.len() < 3 || repeats(face).is_some() {
                    bad_face = Some(face.to_vec());
                }
            });
        }
        bad_face.map(|face| {
            Error::mesh(format!("cell {c} has a face that is no polygon: vertices {face:?}"))
                .with_mend("give every face as a cycle of at least three different vertices")
        })
    });
    bad.map_or(Ok(()), Err)
}

/// Faces as seen from their cells.
struct HalfFaces {
    // vertex cycle of each half-face
    cycles: Rows,
    // cell of each half-face, ascending
    cells: Vec<u32>,
    // the four smallest vertices of each half-face, ascending, NONE past a triangle's
    keys: Vec<[u32; 4]>,
    // half-faces per cell
    ends: Vec<u32>,
}

impl HalfFaces {
    fn of(cells: &Cells) -> Self {
        let mut cycles = Rows::with_capacity(6 * cells.len(), 24 * cells.len());
        let mut owners = Vec::with_capacity(6 * cells.len());
        let mut keys = Vec::with_capacity(6 * cells.len());
        let mut ends = Vec::with_capacity(cells.len());
        for c in 0..cells.len() {
            cells.for_each_face(c, |face| {
                cycles.push(face.iter().copied());
                owners.push(c as u32);
                keys.push(key(face));
            });
            ends.push(owners.len() as u32);
        }
        Self { cycles, cells: owners, keys, ends }
    }

    /// Orders two half-faces by their sorted vertices; equal ones are one face.
    fn compare(&self, a: u32, b: u32) -> Ordering {
        let (a, b) = (a as usize, b as usize);
        self.keys[a].cmp(&self.keys[b]).then_with(|| {
            let (x, y) = (self.cycles.row(a), self.cycles.row(b));
            if x.len() <= 4 && y.len() <= 4 { Ordering::Equal } else { sorted(x).cmp(&sorted(y)) }
        })
    }

    /// Merges equal half-faces: (face vertex cycles, face cells, cell faces).
    fn merge(&self, vertex_count: usize) -> Result<(Rows, Vec<[u32; 2]>, Rows)> {
        let smallest = self.keys.iter().map(|k| k[0]);
        let groups = Rows::group(vertex_count, smallest, 0..self.keys.len() as u32);
        let mut order = groups.items().to_vec();
        for_each_group(&groups, &mut order, |group| {
            group.sort_unstable_by(|&a, &b| self.compare(a, b).then(a.cmp(&b)));
        });

        let mut face_vertices = Rows::with_capacity(order.len() / 2, 2 * order.len());
        let mut face_cells: Vec<[u32; 2]> = Vec::with_capacity(order.len() / 2);
        let mut face_of = vec![0; order.len()];
        let mut previous = None;
        for &half in &order {
            let cell = self.cells[half as usize];
            if previous.is_some_and(|p| self.compare(p, half) == Ordering::Equal) {
                if let Some(pair) = face_cells.last_mut() {
                    if pair[1] != NONE {
                        return Err(self.crowded(half, *pair));
                    }
                    if pair[0] == cell {
                        return Err(Error::mesh(format!("cell {cell} has one face twice")));
                    }
                    pair[1] = cell;
                }
            } else {
                face_vertices.push(self.cycles.row(half as usize).iter().copied());
                face_cells.push([cell, NONE]);
            }
            face_of[half as usize] = face_cells.len() as u32 - 1;
            previous = Some(half);
        }
        let cell_faces = Rows::from_parts(self.ends.clone(), face_of);
        check_duplicates(&cell_faces, &face_cells)?;
        Ok((face_vertices, face_cells, cell_faces))
    }

    fn crowded(&self, half: u32, [a, b]: [u32; 2]) -> Error {
        let c = self.cells[half as usize];
        let face = self.cycles.row(half as usize);
        Error::mesh(format!("cells {a}, {b} and {c} share the face of vertices {face:?}"))
            .with_mend("a face has at most two cells: remove the surplus or duplicated cell")
    }
}

/// Two cells all of whose faces are shared with one another are one cell twice.
fn check_duplicates(cell_faces: &Rows, face_cells: &[[u32; 2]]) -> Result<()> {
    for (c, faces) in cell_faces.iter().enumerate() {
        let c = c as u32;
        let other = |f: u32| {
            let [a, b] = face_cells[f as usize];
            if a == c { b } else { a }
        };
        let first = faces.first().map_or(NONE, |&f| other(f));
        if first != NONE && faces.iter().all(|&f| other(f) == first) {
            return Err(Error::mesh(format!("cells {c} and {first} have the same faces"))
                .with_mend("remove the duplicated cell"));
        }
    }
    Ok(())
}

/// Merges half-edges of all faces: (edge vertices, face edges).
fn merge_half_edges(face_vertices: &Rows, vertex_count: usize) -> (Vec<[u32; 2]>, Rows) {
    let count = face_vertices.items().len();
    // ends of half-edge h: the h-th item of the face cycles and its successor
    let mut ends = Vec::with_capacity(count);
    for cycle in face_vertices.iter() {
        for (k, &a) in cycle.iter().enumerate() {
            let b = cycle[(k + 1) % cycle.len()];
            ends.push([a.min(b), a.max(b)]);
        }
    }
    let groups = Rows::group(vertex_count, ends.iter().map(|e| e[0]), 0..count as u32);
    let mut order: Vec<u64> = groups
        .items()
        .iter()
        .map(|&h| u64::from(ends[h as usize][1]) << 32 | u64::from(h))
        .collect();
    for_each_group(&groups, &mut order, |group| group.sort_unstable());

    let mut edge_vertices: Vec<[u32; 2]> = Vec::with_capacity(count / 3);
    let mut edge_of = vec![0; count];
    for half in order {
        let half = half as u32 as usize;
        if edge_vertices.last() != Some(&ends[half]) {
            edge_vertices.push(ends[half]);
        }
        edge_of[half] = edge_vertices.len() as u32 - 1;
    }
    let ends = (0..face_vertices.len()).map(|f| face_vertices.start(f + 1) as u32).collect();
    (edge_vertices, Rows::from_parts(ends, edge_of))
}

/// Runs `work` on the slice of `items` of every group, in parallel.
fn for_each_group<T: Send>(groups: &Rows, items: &mut [T], work: impl Fn(&mut [T]) + Sync) {
    let mut rest = items;
    let mut tasks = Vec::new();
    for first in (0..groups.len()).step_by(GRAIN) {
        let last = (first + GRAIN).min(groups.len());
        let (head, tail) = rest.split_at_mut(groups.start(last) - groups.start(first));
        tasks.push((first..last, head));
        rest = tail;
    }
    tasks.into_par_iter().for_each(|(range, mut slice)| {
        for g in range {
            let (group, tail) = slice.split_at_mut(groups.row(g).len());
            work(group);
            slice = tail;
        }
    });
}

fn key(face: &[u32]) -> [u32; 4] {
    if let &[a, b, c, d] = face {
        // a sorting network: the common case
        let (a, b) = (a.min(b), a.max(b));
        let (c, d) = (c.min(d), c.max(d));
        let (a, c) = (a.min(c), a.max(c));
        let (b, d) = (b.min(d), b.max(d));
        return [a, b.min(c), b.max(c), d];
    }
    let sorted = sorted(face);
    std::array::from_fn(|i| sorted.get(i).copied().unwrap_or(NONE))
}

fn sorted(face: &[u32]) -> Vec<u32> {
    let mut sorted = face.to_vec();
    sorted.sort_unstable();
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_hexahedra_share_one_face() {
        let mut cells = Cells::default();
        cells.push(CellKind::Hexahedron, &[0, 1, 2, 3, 4, 5, 6, 7]);
        cells.push(CellKind::Hexahedron, &[4, 5, 6, 7, 8, 9, 10, 11]);
        let topology = Topology::build(cells, 12).unwrap();
        assert_eq!(topology.face_count(), 11);
        assert_eq!(topology.edge_count(), 20);
        let shared = topology.cell_faces(0)[5];
        assert_eq!(topology.cell_faces(1)[4], shared);
        assert_eq!(topology.face_cells(shared), [0, 1]);
        assert_eq!((0..11).filter(|&f| topology.is_boundary_face(f)).count(), 10);
        let edge = topology.edge_between(4, 5).unwrap();
        assert_eq!(topology.edge_faces(edge).len(), 3);
    }

    #[test]
    fn keys_are_sorted() {
        assert_eq!(key(&[7, 1, 5, 3]), [1, 3, 5, 7]);
        assert_eq!(key(&[9, 1, 5]), [1, 5, 9, NONE]);
        assert_eq!(key(&[6, 5, 4, 3, 2, 1]), [1, 2, 3, 4]);
    }
}
