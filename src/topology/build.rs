//! From cells to incidence: group half-faces and half-edges, merge equal ones.

use std::cmp::Ordering;

use rayon::prelude::*;

use super::rows::group;
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

/// A half-face in the group of its smallest vertex: its next three vertices,
/// ascending and [`NONE`] past a triangle's, then its number. Sorting sorts by
/// vertices first; equal ones are one face.
type Entry = [u32; 4];

/// Faces as seen from their cells.
struct HalfFaces<'a> {
    cells: &'a Cells,
    // half-faces of cell c: ends[c - 1]..ends[c]
    ends: Vec<u32>,
    // cell of each half-face
    owners: Vec<u32>,
    // the four smallest vertices of each half-face
    keys: Vec<[u32; 4]>,
    // whether some face has more than four vertices, so that keys may coincide
    polygons: bool,
}

impl<'a> HalfFaces<'a> {
    fn of(cells: &'a Cells) -> Self {
        let parts: Vec<_> = (0..cells.len().div_ceil(GRAIN))
            .into_par_iter()
            .map(|part| {
                let range = part * GRAIN..((part + 1) * GRAIN).min(cells.len());
                let mut keys = Vec::with_capacity(6 * GRAIN);
                let mut counts = Vec::with_capacity(GRAIN);
                let mut polygons = false;
                for c in range {
                    let before = keys.len();
                    cells.for_each_face(c, |face| {
                        keys.push(key(face));
                        polygons |= face.len() > 4;
                    });
                    counts.push((keys.len() - before) as u32);
                }
                (keys, counts, polygons)
            })
            .collect();
        let count = parts.iter().map(|(keys, ..)| keys.len()).sum();
        let mut all = Self {
            cells,
            ends: Vec::with_capacity(cells.len()),
            owners: Vec::with_capacity(count),
            keys: Vec::with_capacity(count),
            polygons: false,
        };
        for (keys, counts, polygons) in parts {
            all.keys.extend(keys);
            all.polygons |= polygons;
            for count in counts {
                let cell = all.ends.len() as u32;
                all.owners.extend(std::iter::repeat_n(cell, count as usize));
                all.ends.push(all.owners.len() as u32);
            }
        }
        all
    }

    /// Vertex cycle of a half-face.
    fn cycle(&self, half: u32) -> Vec<u32> {
        let mut cycle = Vec::new();
        let cell = self.owners[half as usize] as usize;
        let mut at = if cell == 0 { 0 } else { self.ends[cell - 1] };
        self.cells.for_each_face(cell, |face| {
            if at == half {
                cycle.extend_from_slice(face);
            }
            at += 1;
        });
        cycle
    }

    /// Orders two entries of one group by their vertices.
    fn compare(&self, a: &Entry, b: &Entry) -> Ordering {
        let by_key = a[..3].cmp(&b[..3]);
        if by_key == Ordering::Equal && self.polygons {
            return sorted(&self.cycle(a[3])).cmp(&sorted(&self.cycle(b[3])));
        }
        by_key
    }

    /// Merges equal half-faces: (face vertex cycles, face cells, cell faces).
    fn merge(self, vertex_count: usize) -> Result<(Rows, Vec<[u32; 2]>, Rows)> {
        let entry = |(half, &[_, a, b, c]): (usize, &[u32; 4])| [a, b, c, half as u32];
        let keys = self.keys.iter().map(|k| k[0]);
        let pairs = self.keys.iter().enumerate().map(|half| (half.1[0], entry(half)));
        let (ends, mut order) = group(vertex_count, keys, pairs);
        for_each_group(&ends, &mut order, |group| {
            if self.polygons {
                group.sort_unstable_by(|a, b| self.compare(a, b).then(a[3].cmp(&b[3])));
            } else {
                group.sort_unstable();
            }
        });

        // faces in order: first half-face and the cells
        let mut first = Vec::with_capacity(order.len() / 2);
        let mut face_cells: Vec<[u32; 2]> = Vec::with_capacity(order.len() / 2);
        let mut face_of = vec![0; order.len()];
        let mut start = 0;
        for &end in &ends {
            let group = &order[start as usize..end as usize];
            for (i, entry) in group.iter().enumerate() {
                let (half, cell) = (entry[3], self.owners[entry[3] as usize]);
                if i > 0 && self.compare(&group[i - 1], entry) == Ordering::Equal {
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
                    first.push(half);
                    face_cells.push([cell, NONE]);
                }
                face_of[half as usize] = face_cells.len() as u32 - 1;
            }
            start = end;
        }
        let mut face_vertices = Rows::with_capacity(first.len(), 4 * first.len());
        let local = |half: u32| {
            half - match self.owners[half as usize] as usize {
                0 => 0,
                cell => self.ends[cell - 1],
            }
        };
        for half in first {
            let cell = self.owners[half as usize] as usize;
            let corners = self.cells.kind(cell).faces();
            if let Some(corners) = corners.get(local(half) as usize) {
                let vertices = self.cells.vertices(cell);
                face_vertices.push(corners.iter().map(|&c| vertices[c as usize]));
            } else {
                face_vertices.push(self.cycle(half));
            }
        }
        let cell_faces = Rows::from_parts(self.ends, face_of);
        check_duplicates(&cell_faces, &face_cells)?;
        Ok((face_vertices, face_cells, cell_faces))
    }

    fn crowded(&self, half: u32, [a, b]: [u32; 2]) -> Error {
        let c = self.owners[half as usize];
        let face = self.cycle(half);
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
    let keys = ends.iter().map(|e| e[0]);
    let pairs = ends.iter().enumerate().map(|(h, e)| (e[0], u64::from(e[1]) << 32 | h as u64));
    let (group_ends, mut order) = group(vertex_count, keys, pairs);
    for_each_group(&group_ends, &mut order, |group| group.sort_unstable());

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
fn for_each_group<T: Send>(ends: &[u32], items: &mut [T], work: impl Fn(&mut [T]) + Sync) {
    let mut rest = items;
    let mut start = 0;
    let mut tasks = Vec::new();
    for ends in ends.chunks(GRAIN) {
        let end = ends[ends.len() - 1];
        let (head, tail) = rest.split_at_mut((end - start) as usize);
        tasks.push((start, ends, head));
        rest = tail;
        start = end;
    }
    tasks.into_par_iter().for_each(|(mut start, ends, mut slice)| {
        for &end in ends {
            let (group, tail) = slice.split_at_mut((end - start) as usize);
            work(group);
            slice = tail;
            start = end;
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
