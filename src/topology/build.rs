//! From cells to incidence: group half-faces and half-edges, merge equal ones.

use std::cmp::Ordering;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU32};

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
        // each join runs what is sequential inside beside something else
        let (faces, vertex_cells) = rayon::join(
            || HalfFaces::of(&cells).merge(vertex_count),
            || {
                let corners = |c: u32| cells.vertices(c as usize).iter().map(move |&v| (v, c));
                let pairs = || (0..cells.len() as u32).flat_map(corners);
                let (ends, items) = group(vertex_count, pairs().map(|(v, _)| v), pairs());
                Rows::from_parts(ends, items)
            },
        );
        let (face_vertices, face_cells, cell_faces) = faces?;
        let ((edge_vertices, face_edges), vertex_faces) = rayon::join(
            || merge_half_edges(&face_vertices, vertex_count),
            || face_vertices.transpose(vertex_count),
        );
        let (edge_faces, (vertex_edges, (boundary_edge, boundary_vertex))) = rayon::join(
            || face_edges.transpose(edge_vertices.len()),
            || {
                let ends = Rows::uniform(edge_vertices.as_flattened().to_vec(), 2);
                let mut boundary = (vec![false; edge_vertices.len()], vec![false; vertex_count]);
                for (f, cells) in face_cells.iter().enumerate() {
                    if cells[1] == NONE {
                        face_edges.row(f).iter().for_each(|&e| boundary.0[e as usize] = true);
                        face_vertices.row(f).iter().for_each(|&v| boundary.1[v as usize] = true);
                    }
                }
                (ends.transpose(vertex_count), boundary)
            },
        );
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

/// [`CellKind::faces`] of a hexahedron, of a length the compiler knows.
const HEXAHEDRON: [[u8; 4]; 6] = {
    let faces = CellKind::Hexahedron.faces();
    let mut table = [[0; 4]; 6];
    let mut i = 0;
    while i < 24 {
        table[i / 4][i % 4] = faces[i / 4][i % 4];
        i += 1;
    }
    table
};

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
        let count = |c: usize| match cells.kind(c).faces().len() {
            0 => {
                let mut faces = 0;
                cells.for_each_face(c, |_| faces += 1);
                faces
            }
            faces => faces as u32,
        };
        let ends = scan((0..cells.len()).map(count));
        let total = ends.last().map_or(0, |&e| e as usize);
        let mut keys = vec![[NONE; 4]; total];
        let mut owners = vec![0; total];
        let polygons = AtomicBool::new(false);
        let chunks = split(&ends, &mut keys).into_par_iter().zip(split(&ends, &mut owners));
        chunks.for_each(|((first, ends, keys), (_, _, owners))| {
            let mut at = 0;
            for c in first..first + ends.len() {
                if let Some(corners) = cells.hexahedron(c) {
                    for face in &HEXAHEDRON {
                        keys[at] = quad_key(face.map(|corner| corners[usize::from(corner)]));
                        owners[at] = c as u32;
                        at += 1;
                    }
                    continue;
                }
                cells.for_each_face(c, |face| {
                    keys[at] = key(face);
                    owners[at] = c as u32;
                    at += 1;
                    if face.len() > 4 {
                        polygons.store(true, Relaxed);
                    }
                });
            }
        });
        Self { cells, ends, owners, keys, polygons: polygons.into_inner() }
    }

    /// The vertex cycle of a half-face of a hexahedron.
    fn quad(&self, half: u32) -> Option<[u32; 4]> {
        let cell = self.owners[half as usize] as usize;
        let corners = self.cells.hexahedron(cell)?;
        let local = HEXAHEDRON.get((half - start(&self.ends, cell)) as usize)?;
        Some(local.map(|corner| corners[usize::from(corner)]))
    }

    /// Calls `visit` with the vertex cycle of a half-face.
    fn with_cycle(&self, half: u32, mut visit: impl FnMut(&[u32])) {
        let cell = self.owners[half as usize] as usize;
        let local = (half - start(&self.ends, cell)) as usize;
        if let Some(corners) = self.cells.kind(cell).faces().get(local) {
            let vertices = self.cells.vertices(cell);
            let mut cycle = [0; 4];
            for (slot, &corner) in cycle.iter_mut().zip(*corners) {
                *slot = vertices[corner as usize];
            }
            return visit(&cycle[..corners.len()]);
        }
        let mut at = 0;
        self.cells.for_each_face(cell, |face| {
            if at == local {
                visit(face);
            }
            at += 1;
        });
    }

    /// The vertices of a half-face, ascending.
    fn sorted(&self, half: u32) -> Vec<u32> {
        let mut vertices = Vec::new();
        self.with_cycle(half, |face| vertices = sorted(face));
        vertices
    }

    /// Orders two entries of one group by their vertices.
    fn compare(&self, a: &Entry, b: &Entry) -> Ordering {
        let by_key = a[..3].cmp(&b[..3]);
        if by_key == Ordering::Equal && self.polygons {
            return self.sorted(a[3]).cmp(&self.sorted(b[3]));
        }
        by_key
    }

    /// Merges equal half-faces: (face vertex cycles, face cells, cell faces).
    fn merge(self, vertex_count: usize) -> Result<(Rows, Vec<[u32; 2]>, Rows)> {
        let entry = |(half, &[v, a, b, c]): (usize, &[u32; 4])| (v, [a, b, c, half as u32]);
        let (ends, mut entries) = group(
            vertex_count,
            self.keys.iter().map(|k| k[0]),
            self.keys.iter().enumerate().map(entry),
        );
        for_each_group(&ends, &mut entries, |group| {
            if self.polygons {
                group.sort_unstable_by(|a, b| self.compare(a, b).then(a[3].cmp(&b[3])));
            } else {
                group.sort_unstable();
            }
        });
        let equal = |a: &Entry, b: &Entry| self.compare(a, b) == Ordering::Equal;
        let (numbers, firsts) = number(&ends, &entries, equal);

        let halves_of = |face: usize| {
            let last = firsts.get(face + 1).map_or(entries.len(), |&next| next as usize);
            &entries[firsts[face] as usize..last]
        };
        let owner = |entry: &Entry| self.owners[entry[3] as usize];
        // no cell at all stands for a face that is wrong
        let cells_of = |face| match halves_of(face) {
            [a] => [owner(a), NONE],
            [a, b] if owner(a) != owner(b) => [owner(a), owner(b)],
            _ => [NONE; 2],
        };
        let mut face_cells = Vec::new();
        (0..firsts.len()).into_par_iter().map(cells_of).collect_into_vec(&mut face_cells);
        if let Some(face) = face_cells.par_iter().position_first(|cells| cells[0] == NONE) {
            return Err(match halves_of(face) {
                [a, _] => Error::mesh(format!("cell {} has one face twice", owner(a))),
                crowd => self.crowded(crowd),
            });
        }
        let face_vertices = self.cycles(&entries, &firsts);
        let halves = entries.par_iter().map(|entry| entry[3]);
        let cell_faces = Rows::from_parts(self.ends, scatter(halves.zip(numbers), entries.len()));
        check_duplicates(&cell_faces, &face_cells)?;
        Ok((face_vertices, face_cells, cell_faces))
    }

    /// Vertex cycles of all faces, as their first half-faces have them.
    fn cycles(&self, entries: &[Entry], firsts: &[u32]) -> Rows {
        let half = |first: u32| entries[first as usize][3];
        let len = |&first: &u32| match entries[first as usize] {
            [_, _, NONE, _] => 3,
            _ if !self.polygons => 4,
            [_, _, _, half] => self.sorted(half).len() as u32,
        };
        let ends = scan(firsts.iter().map(len));
        let mut items = vec![0; ends.last().map_or(0, |&e| e as usize)];
        split(&ends, &mut items).into_par_iter().for_each(|(first, ends, items)| {
            let mut at = 0;
            for &face in &firsts[first..first + ends.len()] {
                if let Some(cycle) = self.quad(half(face)) {
                    items[at..at + 4].copy_from_slice(&cycle);
                    at += 4;
                    continue;
                }
                self.with_cycle(half(face), |cycle| {
                    items[at..at + cycle.len()].copy_from_slice(cycle);
                    at += cycle.len();
                });
            }
        });
        Rows::from_parts(ends, items)
    }

    fn crowded(&self, crowd: &[Entry]) -> Error {
        let cells: Vec<String> =
            crowd.iter().map(|e| self.owners[e[3] as usize].to_string()).collect();
        let (last, others) = cells.split_last().map_or(("", &[][..]), |(l, o)| (l.as_str(), o));
        let (others, face) = (others.join(", "), self.sorted(crowd[0][3]));
        Error::mesh(format!("cells {others} and {last} share the face of vertices {face:?}"))
            .with_mend("a face has at most two cells: remove the surplus or duplicated cell")
    }
}

/// Two cells all of whose faces are shared with one another are one cell twice.
fn check_duplicates(cell_faces: &Rows, face_cells: &[[u32; 2]]) -> Result<()> {
    let duplicate = (0..cell_faces.len()).into_par_iter().with_min_len(GRAIN).find_map_first(|c| {
        let faces = cell_faces.row(c);
        let other = |f: u32| {
            let [a, b] = face_cells[f as usize];
            if a == c as u32 { b } else { a }
        };
        let first = faces.first().map_or(NONE, |&f| other(f));
        (first != NONE && faces.iter().all(|&f| other(f) == first)).then_some([c as u32, first])
    });
    match duplicate {
        None => Ok(()),
        Some([c, first]) => Err(Error::mesh(format!("cells {c} and {first} have the same faces"))
            .with_mend("remove the duplicated cell")),
    }
}

/// Merges half-edges of all faces: (edge vertices, face edges).
fn merge_half_edges(face_vertices: &Rows, vertex_count: usize) -> (Vec<[u32; 2]>, Rows) {
    let count = face_vertices.items().len();
    // ends of half-edge h: the h-th item of the face cycles and its successor
    let mut edge_ends = vec![[0; 2]; count];
    split(face_vertices.ends(), &mut edge_ends).into_par_iter().for_each(|(first, ends, out)| {
        let mut out = out.iter_mut();
        for face in first..first + ends.len() {
            let cycle = face_vertices.row(face);
            let mut previous = cycle[0];
            for &next in cycle[1..].iter().chain(&cycle[..1]) {
                if let Some(slot) = out.next() {
                    *slot = [previous.min(next), previous.max(next)];
                }
                previous = next;
            }
        }
    });
    let keys = edge_ends.iter().map(|e| e[0]);
    // the other end above the half-edge in one number, which sorts as quickly
    let entry = |(h, e): (usize, &[u32; 2])| (e[0], u64::from(e[1]) << 32 | h as u64);
    let (ends, mut entries) = group(vertex_count, keys, edge_ends.iter().enumerate().map(entry));
    for_each_group(&ends, &mut entries, |group| group.sort_unstable());
    let (numbers, firsts) = number(&ends, &entries, |a, b| a >> 32 == b >> 32);
    let vertices = firsts
        .par_iter()
        .map(|&first| edge_ends[entries[first as usize] as u32 as usize])
        .collect();
    let halves = entries.par_iter().map(|&entry| entry as u32);
    let edge_of = scatter(halves.zip(numbers), count);
    (vertices, Rows::from_parts(face_vertices.ends().to_vec(), edge_of))
}

/// Numbers runs of equal items, group after group: the number of every item, and
/// the first item of every number.
fn number<T: Sync>(
    ends: &[u32],
    items: &[T],
    equal: impl Fn(&T, &T) -> bool + Sync,
) -> (Vec<u32>, Vec<u32>) {
    let starts_run = |group: &[T], i: usize| i == 0 || !equal(&group[i - 1], &group[i]);
    let groups = |first: usize, count: usize| {
        (first..first + count).map(|g| (start(ends, g) as usize, ends[g] as usize))
    };
    let chunks: Vec<usize> = (0..ends.len()).step_by(GRAIN).collect();
    let size = |first: usize| GRAIN.min(ends.len() - first);
    // the first items of each chunk's runs
    let firsts: Vec<Vec<u32>> = chunks
        .par_iter()
        .map(|&first| {
            let runs = groups(first, size(first)).flat_map(|(start, end)| {
                let group = &items[start..end];
                (0..group.len()).filter(move |&i| starts_run(group, i)).map(move |i| start + i)
            });
            runs.map(|i| i as u32).collect()
        })
        .collect();
    let totals = scan(firsts.iter().map(|f| f.len() as u32));
    let mut numbers = vec![0; items.len()];
    split(ends, &mut numbers).into_par_iter().enumerate().for_each(|(chunk, (first, _, out))| {
        let origin = start(ends, first);
        let runs = &firsts[chunk];
        for (i, (number, &run)) in (start(&totals, chunk)..).zip(runs).enumerate() {
            let end = runs.get(i + 1).map_or(out.len(), |&next| (next - origin) as usize);
            out[(run - origin) as usize..end].fill(number);
        }
    });
    (numbers, firsts.concat())
}

/// An array of `len` numbers from all pairs (index, number), each index once.
fn scatter(pairs: impl ParallelIterator<Item = (u32, u32)>, len: usize) -> Vec<u32> {
    let out: Vec<AtomicU32> = (0..len).map(|_| AtomicU32::new(0)).collect();
    pairs.for_each(|(at, number)| out[at as usize].store(number, Relaxed));
    out.into_iter().map(AtomicU32::into_inner).collect()
}

/// Running sums.
fn scan(counts: impl Iterator<Item = u32>) -> Vec<u32> {
    counts
        .scan(0, |sum, count| {
            *sum += count;
            Some(*sum)
        })
        .collect()
}

fn start(ends: &[u32], row: usize) -> u32 {
    if row == 0 { 0 } else { ends[row - 1] }
}

/// Splits rows for parallel work: (first row, ends of the rows, their items).
fn split<'a, 'b, T>(ends: &'a [u32], items: &'b mut [T]) -> Vec<(usize, &'a [u32], &'b mut [T])> {
    let mut rest = items;
    let mut from = 0;
    let mut parts = Vec::with_capacity(ends.len() / GRAIN + 1);
    for (chunk, ends) in ends.chunks(GRAIN).enumerate() {
        let end = ends[ends.len() - 1];
        let (head, tail) = rest.split_at_mut((end - from) as usize);
        parts.push((chunk * GRAIN, ends, head));
        rest = tail;
        from = end;
    }
    parts
}

/// Runs `work` on the slice of `items` of every group, in parallel.
fn for_each_group<T: Send>(ends: &[u32], items: &mut [T], work: impl Fn(&mut [T]) + Sync) {
    split(ends, items).into_par_iter().for_each(|(first, own, mut slice)| {
        let mut from = start(ends, first);
        for &end in own {
            let (group, tail) = slice.split_at_mut((end - from) as usize);
            work(group);
            slice = tail;
            from = end;
        }
    });
}

fn key(face: &[u32]) -> [u32; 4] {
    if let &[a, b, c, d] = face {
        return quad_key([a, b, c, d]);
    }
    let sorted = sorted(face);
    std::array::from_fn(|i| sorted.get(i).copied().unwrap_or(NONE))
}

/// Four vertices, ascending, by a sorting network.
fn quad_key([a, b, c, d]: [u32; 4]) -> [u32; 4] {
    let (a, b) = (a.min(b), a.max(b));
    let (c, d) = (c.min(d), c.max(d));
    let (a, c) = (a.min(c), a.max(c));
    let (b, d) = (b.min(d), b.max(d));
    [a, b.min(c), b.max(c), d]
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
