//! Half-faces (a face seen from one cell) merged into faces.

use std::cmp::Ordering;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use rayon::prelude::*;

use super::groups::{GRAIN, for_each_group, group, number, scan, scatter, split, start};
use super::{NONE, Rows};
use crate::error::{Error, Result};
use crate::mesh::{CellKind, Cells};

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
pub(super) struct HalfFaces<'a> {
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
    pub fn of(cells: &'a Cells) -> Self {
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
    pub fn merge(self, vertex_count: usize) -> Result<(Rows, Vec<[u32; 2]>, Rows)> {
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
    fn keys_are_sorted() {
        assert_eq!(key(&[7, 1, 5, 3]), [1, 3, 5, 7]);
        assert_eq!(key(&[9, 1, 5]), [1, 5, 9, NONE]);
        assert_eq!(key(&[6, 5, 4, 3, 2, 1]), [1, 2, 3, 4]);
    }
}
