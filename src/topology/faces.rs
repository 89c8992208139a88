//! Half-faces (a face seen from one cell) merged into faces.
//!
//! Equal half-faces have the same smallest vertex, and its cells hold all of them. So
//! every vertex sorts its own few, and faces come in the order of their vertices.

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

use rayon::prelude::*;

use super::groups::{BLOCK, GRAIN, chunks, scan, start, take, together};
use super::{NONE, Rows};
use crate::error::{Error, Result};
use crate::mesh::{CellKind, Cells};
use crate::pages;

/// Faces out of cells.
pub(super) struct Faces {
    /// Vertex cycle of each face, as its first cell has it.
    pub vertices: Rows,
    /// Cells of each face, [`NONE`] in second place at the boundary.
    pub cells: Vec<[u32; 2]>,
    /// Faces of each cell.
    pub of_cells: Rows,
}

/// Merges the half-faces of all cells; `vertex_cells` are the cells at each vertex.
pub(super) fn merge_half_faces(cells: &Cells, vertex_cells: &Rows) -> Result<Faces> {
    let halves = HalfFaces::of(cells);
    // collected one by one: the first error is the one to report
    let parts: Vec<Result<Part>> =
        chunks(vertex_cells.len()).map(|vertices| halves.part(vertices, vertex_cells)).collect();
    let parts = parts.into_iter().collect::<Result<Vec<Part>>>()?;
    let faces = halves.join(&parts);
    check_duplicates(&faces.of_cells, &faces.cells)?;
    Ok(faces)
}

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

/// The three faces at each corner of a hexahedron, ascending, and the other corners of each.
const AT_CORNER: [[(u8, [u8; 3]); 3]; 8] = {
    let mut table = [[(0, [0; 3]); 3]; 8];
    let mut corner = 0;
    while corner < 8 {
        let mut count = 0;
        let mut face = 0;
        while face < 6 {
            let mut i = 0;
            while i < 4 {
                if HEXAHEDRON[face][i] == corner as u8 {
                    let cycle = &HEXAHEDRON[face];
                    let others = [cycle[(i + 1) % 4], cycle[(i + 2) % 4], cycle[(i + 3) % 4]];
                    table[corner][count] = (face as u8, others);
                    count += 1;
                }
                i += 1;
            }
            face += 1;
        }
        corner += 1;
    }
    table
};

/// Faces as seen from their cells.
struct HalfFaces<'a> {
    cells: &'a Cells,
    /// The cells, if all are hexahedra.
    hexahedra: Option<&'a [[u32; 8]]>,
    /// Whether some face may have more than four vertices, so that keys may coincide.
    polygons: bool,
}

/// A half-face: a cell, and which of its faces.
#[derive(Clone, Copy)]
struct Half {
    cell: u32,
    local: u32,
}

/// A face as the half-faces that are one; the same twice at the boundary.
type Pair = [Half; 2];

/// Faces of consecutive smallest vertices.
struct Part {
    faces: Vec<Pair>,
    /// Vertices of all their cycles.
    corners: usize,
}

impl<'a> HalfFaces<'a> {
    fn of(cells: &'a Cells) -> Self {
        let hexahedra = cells.hexahedra();
        let is_polyhedron = |c: usize| cells.kind(c) == CellKind::Polyhedron;
        let polygons = hexahedra.is_none() && (0..cells.len()).any(is_polyhedron);
        Self { cells, hexahedra, polygons }
    }

    /// The end of each cell's half-faces among those of all cells.
    fn ends(&self) -> Vec<u32> {
        let count = |c: usize| match self.cells.kind(c).faces().len() {
            0 => {
                let mut faces = 0;
                self.cells.for_each_face(c, |_| faces += 1);
                faces
            }
            faces => faces as u32,
        };
        scan((0..self.cells.len()).map(count))
    }

    /// The faces whose smallest vertices are `vertices`, in order.
    fn part(&self, vertices: Range<u32>, vertex_cells: &Rows) -> Result<Part> {
        let mut part = Part { faces: Vec::with_capacity(4 * vertices.len()), corners: 0 };
        let mut corners: Vec<[u32; 8]> = Vec::new();
        let mut halves = Vec::new();
        let mut entries = Vec::new();
        for first in vertices.clone().step_by(BLOCK) {
            let block = first..vertices.end.min(first + BLOCK as u32);
            // corners from all over memory for several vertices: their loads overlap
            if let Some(hexahedra) = self.hexahedra {
                let [start, end] = [block.start, block.end].map(|v| vertex_cells.start(v as usize));
                let cells = &vertex_cells.items()[start..end];
                corners.clear();
                corners.extend(cells.iter().map(|&cell| hexahedra[cell as usize]));
            }
            let mut corners = corners.iter();
            for vertex in block {
                halves.clear();
                entries.clear();
                for &cell in vertex_cells.row(vertex as usize) {
                    let visit = |local, key| {
                        entries.push(entry(key, halves.len()));
                        halves.push(Half { cell, local });
                    };
                    match corners.next() {
                        Some(corners) => for_each_half(corners, vertex, visit),
                        None => self.for_each_half(cell, vertex, visit),
                    }
                }
                self.merge(&mut entries, &halves, &mut part)?;
            }
        }
        Ok(part)
    }

    /// Adds the faces out of half-faces of one smallest vertex.
    fn merge(&self, entries: &mut [u128], halves: &[Half], part: &mut Part) -> Result<()> {
        entries.sort_unstable();
        let half = |entry: &u128| halves[*entry as u32 as usize];
        if self.polygons {
            // stable: equal faces stay in the order of their cells
            entries.sort_by_cached_key(|entry| (entry >> 32, self.sorted(half(entry))));
        }
        let equal = |a: &u128, b: &u128| {
            a >> 32 == b >> 32 && (!self.polygons || self.sorted(half(a)) == self.sorted(half(b)))
        };
        for run in entries.chunk_by(equal) {
            let pair = match run {
                [a] => [half(a); 2],
                [a, b] if half(a).cell != half(b).cell => [half(a), half(b)],
                [a, _] => {
                    let cell = half(a).cell;
                    return Err(Error::mesh(format!("cell {cell} has one face twice")));
                }
                _ => return Err(self.crowded(run.iter().map(half))),
            };
            part.corners += self.corners(pair[0]);
            part.faces.push(pair);
        }
        Ok(())
    }

    /// Calls `visit` with the half-faces of `cell` whose smallest vertex is `vertex`, a
    /// vertex of the cell, and with their next three vertices.
    fn for_each_half(&self, cell: u32, vertex: u32, mut visit: impl FnMut(u32, [u32; 3])) {
        if let Some(corners) = self.cells.hexahedron(cell as usize) {
            return for_each_half(corners, vertex, visit);
        }
        let mut local = 0;
        self.cells.for_each_face(cell as usize, |face| {
            let mut least = [NONE; 4];
            for &v in face {
                // insertion among the four smallest
                let mut v = v;
                for slot in &mut least {
                    (*slot, v) = (v.min(*slot), v.max(*slot));
                }
            }
            if least[0] == vertex {
                visit(local, [least[1], least[2], least[3]]);
            }
            local += 1;
        });
    }

    /// Number of vertices of a half-face.
    fn corners(&self, half: Half) -> usize {
        if self.hexahedra.is_some() { 4 } else { self.with_cycle(half, <[u32]>::len) }
    }

    /// The vertices of a half-face, ascending.
    fn sorted(&self, half: Half) -> Vec<u32> {
        let mut vertices = self.with_cycle(half, <[u32]>::to_vec);
        vertices.sort_unstable();
        vertices
    }

    /// What `read` makes of the vertex cycle of a half-face.
    fn with_cycle<R: Default>(&self, half: Half, read: impl Fn(&[u32]) -> R) -> R {
        let (cell, local) = (half.cell as usize, half.local as usize);
        if let Some(corners) = self.cells.kind(cell).faces().get(local) {
            let vertices = self.cells.vertices(cell);
            let mut cycle = [0; 4];
            for (slot, &corner) in cycle.iter_mut().zip(*corners) {
                *slot = vertices[corner as usize];
            }
            return read(&cycle[..corners.len()]);
        }
        let mut result = R::default();
        let mut at = 0;
        self.cells.for_each_face(cell, |face| {
            if at == local {
                result = read(face);
            }
            at += 1;
        });
        result
    }

    /// Numbers the faces of all parts and gathers them.
    fn join(&self, parts: &[Part]) -> Faces {
        let count = parts.iter().map(|part| part.faces.len()).sum();
        let mut cells = pages::zeros(count);
        let mut cycles = pages::zeros(parts.iter().map(|part| part.corners).sum());
        let ends = if self.hexahedra.is_some() { Vec::new() } else { self.ends() };
        let first_half = |cell: u32| match self.hexahedra {
            Some(_) => 6 * cell,
            None => start(&ends, cell as usize),
        };
        let mut of_cells = pages::zeros(first_half(self.cells.len() as u32) as usize);
        let numbers = together(&mut of_cells);

        let mut first = 0;
        let mut rest = (&mut cells[..], &mut cycles[..]);
        let mut tasks = Vec::with_capacity(parts.len());
        for part in parts {
            let cells = take(&mut rest.0, part.faces.len());
            tasks.push((part, first, cells, take(&mut rest.1, part.corners)));
            first += part.faces.len() as u32;
        }
        tasks.into_par_iter().for_each(|(part, first, cells, mut cycles)| {
            for ((number, &[a, b]), cells) in (first..).zip(&part.faces).zip(cells) {
                *cells = [a.cell, if a.cell == b.cell { NONE } else { b.cell }];
                for half in [a, b] {
                    let at = first_half(half.cell) + half.local;
                    numbers[at as usize].store(number, Relaxed);
                }
                if let Some(hexahedra) = self.hexahedra {
                    let corners = &hexahedra[a.cell as usize];
                    let cycle = HEXAHEDRON[a.local as usize].map(|i| corners[usize::from(i)]);
                    take(&mut cycles, 4).copy_from_slice(&cycle);
                } else {
                    let cycle = self.with_cycle(a, <[u32]>::to_vec);
                    take(&mut cycles, cycle.len()).copy_from_slice(&cycle);
                }
            }
        });
        if self.hexahedra.is_some() {
            let (vertices, of_cells) = (Rows::uniform(cycles, 4), Rows::uniform(of_cells, 6));
            return Faces { vertices, cells, of_cells };
        }
        let faces = parts.iter().flat_map(|part| &part.faces);
        let cycle_ends = scan(faces.map(|&[half, _]| self.corners(half) as u32));
        let vertices = Rows::from_parts(cycle_ends, cycles);
        Faces { vertices, cells, of_cells: Rows::from_parts(ends, of_cells) }
    }

    fn crowded(&self, halves: impl Iterator<Item = Half>) -> Error {
        let halves: Vec<Half> = halves.collect();
        let cells: Vec<String> = halves.iter().map(|half| half.cell.to_string()).collect();
        let (last, others) = cells.split_last().map_or(("", &[][..]), |(l, o)| (l.as_str(), o));
        let (others, face) = (others.join(", "), self.sorted(halves[0]));
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

/// [`HalfFaces::for_each_half`] of a hexahedron.
#[inline]
fn for_each_half(corners: &[u32; 8], vertex: u32, mut visit: impl FnMut(u32, [u32; 3])) {
    let at: usize = (0..8).map(|i| usize::from(corners[i] == vertex) * i).sum();
    for (local, [i, j, k]) in AT_CORNER[at & 7] {
        let [a, b, c] = [corners[i as usize], corners[j as usize], corners[k as usize]];
        if vertex < a.min(b).min(c) {
            visit(local.into(), ascending(a, b, c));
        }
    }
}

/// The three vertices after the smallest one of a face above its place in a list: one number,
/// which sorts quickly.
fn entry([a, b, c]: [u32; 3], place: usize) -> u128 {
    [a, b, c, place as u32].into_iter().fold(0, |number, x| number << 32 | u128::from(x))
}

/// Three vertices, ascending.
fn ascending(a: u32, b: u32, c: u32) -> [u32; 3] {
    let (a, b) = (a.min(b), a.max(b));
    let (b, c) = (b.min(c), b.max(c));
    [a.min(b), a.max(b), c]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vertices of the faces and their cells.
    fn faces(cells: &Cells, vertex_count: usize) -> Vec<(Vec<u32>, [u32; 2])> {
        let vertex_cells = Rows::transposed(vertex_count, cells.len(), |c| {
            cells.vertices(c as usize).iter().copied()
        });
        let faces = merge_half_faces(cells, &vertex_cells).unwrap();
        let sorted = |face: &[u32]| {
            let mut face = face.to_vec();
            face.sort_unstable();
            face
        };
        faces.vertices.iter().map(sorted).zip(faces.cells).collect()
    }

    #[test]
    fn faces_ascend_with_their_vertices() {
        let mut cells = Cells::default();
        cells.push(CellKind::Hexahedron, &[0, 1, 2, 3, 4, 5, 6, 7]);
        cells.push(CellKind::Wedge, &[5, 4, 9, 6, 7, 8]);
        let faces = faces(&cells, 10);
        assert!(faces.is_sorted());
        let shared: Vec<_> = faces.iter().filter(|(_, cells)| cells[1] != NONE).collect();
        assert_eq!(shared, [&(vec![4, 5, 6, 7], [0, 1])]);
    }

    #[test]
    fn polygons_with_equal_first_vertices_are_different_faces() {
        // two pentagonal prisms whose tops share four vertices
        let prism = |cycle: [u32; 5], below: [u32; 5]| -> Vec<Vec<u32>> {
            let side = |i: usize| vec![cycle[i], cycle[(i + 1) % 5], below[(i + 1) % 5], below[i]];
            [cycle.to_vec(), below.to_vec()].into_iter().chain((0..5).map(side)).collect()
        };
        let mut cells = Cells::default();
        for faces in [
            prism([0, 1, 2, 3, 4], [10, 11, 12, 13, 14]),
            prism([0, 1, 2, 3, 5], [20, 21, 22, 23, 24]),
        ] {
            cells.push_polyhedron(faces.iter().map(Vec::as_slice));
        }
        let faces = faces(&cells, 25);
        assert!(faces.contains(&(vec![0, 1, 2, 3, 4], [0, NONE])));
        assert!(faces.contains(&(vec![0, 1, 2, 3, 5], [1, NONE])));
        assert_eq!(faces.len(), 14);
    }
}
