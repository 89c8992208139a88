//! Half-faces (a face seen from one cell) merged into faces.
//!
//! Equal half-faces have the same smallest vertex. Half-faces are grouped by it, every vertex
//! sorts its own few, and faces come in the order of their vertices.

use std::iter::repeat_n;
use std::sync::atomic::Ordering::Relaxed;

use rayon::prelude::*;

use super::groups::{Chunk, CountingSort, TASK_ROWS, advance, chunked, scan, start, take};
use super::{NONE, Rows};
use crate::disjoint::{together, together_long};
use crate::error::IdKind::{Cell, Vertex};
use crate::error::{Error, Result};
use crate::interrupt::stop_point;
use crate::mesh::{CellKind, Cells, check_counts};
use crate::pages;

/// Faces out of cells.
pub(super) struct CellFaces {
    /// Vertex cycle of each face, as its first cell has it.
    pub vertices: Rows,
    /// Cells of each face, [`NONE`] in second place at the boundary.
    pub cells: Vec<[u32; 2]>,
    /// Faces of each cell.
    pub of_cells: Rows,
}

/// Merges the half-faces of all cells.
pub(super) fn merge_half_faces(cells: &Cells, vertex_count: usize) -> Result<CellFaces> {
    let halves = HalfFaces::of(cells);
    let portions = halves.portions(vertex_count)?;
    // cells that share few faces have more of them: half-edges need ids too
    check_counts(cells.len(), portions.iter().map(|portion| portion.corners).sum())?;
    let faces = halves.join(&portions);
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

/// Faces as seen from their cells, numbered cell by cell.
struct HalfFaces<'a> {
    cells: &'a Cells,
    /// The cells, if all are hexahedra.
    hexahedra: Option<&'a [[u32; 8]]>,
    /// The end of each cell's half-faces; empty if all cells are hexahedra.
    ends: Vec<u32>,
    /// The cell of each half-face; empty if all cells are hexahedra.
    of: Vec<u32>,
    /// Whether some face may have more than four vertices, so that keys may coincide.
    polygons: bool,
}

/// A half-face: a cell, and which of its faces.
#[derive(Clone, Copy)]
struct HalfFace {
    cell: u32,
    local: u32,
}

/// A half-face and the next three vertices after its smallest, those above the half-face.
type Entry = [u64; 2];

/// An entry in one number, which sorts quickly.
fn number(&[high, low]: &Entry) -> u128 {
    u128::from(high) << 64 | u128::from(low)
}

/// A face as the half-faces that are one; the same twice at the boundary.
type HalfFacePair = [u32; 2];

/// Faces of consecutive smallest vertices.
struct FacePortion {
    faces: Vec<HalfFacePair>,
    /// Vertices of all their cycles.
    corners: usize,
}

impl<'a> HalfFaces<'a> {
    fn of(cells: &'a Cells) -> Self {
        if let Some(hexahedra) = cells.hexahedra() {
            let (ends, of) = Default::default();
            return Self { cells, hexahedra: Some(hexahedra), ends, of, polygons: false };
        }
        let count = |c: usize| match cells.kind(c).faces().len() {
            0 => {
                let mut faces = 0;
                cells.for_each_face(c, |_| faces += 1);
                faces
            }
            faces => faces as u32,
        };
        let counts: Vec<u32> = (0..cells.len()).map(count).collect();
        let of = (0..).zip(&counts).flat_map(|(c, &faces)| repeat_n(c, faces as usize)).collect();
        let ends = scan(counts.into_iter());
        let polygons = (0..cells.len()).any(|c| cells.kind(c) == CellKind::Polyhedron);
        Self { cells, hexahedra: None, ends, of, polygons }
    }

    /// The first half-face of a cell, or one past the last of all.
    fn first(&self, cell: usize) -> u32 {
        if self.hexahedra.is_some() { 6 * cell as u32 } else { start(&self.ends, cell) }
    }

    fn half(&self, number: u32) -> HalfFace {
        let cell = if self.hexahedra.is_some() { number / 6 } else { self.of[number as usize] };
        HalfFace { cell, local: number - self.first(cell as usize) }
    }

    /// Half-faces at their smallest vertices.
    fn by_least_vertex(&self, vertex_count: usize) -> (Vec<u32>, Vec<Entry>) {
        let groups = CountingSort::of(vertex_count, self.cells.len(), |cell, counts| {
            self.for_each_half(cell, |[least, ..]| _ = advance(counts, least));
        });
        let mut entries: Vec<Entry> = pages::zeros(groups.len());
        let places = together_long(entries.as_flattened_mut());
        let ends = groups.place(|cell, next| {
            let mut half = self.first(cell as usize);
            self.for_each_half(cell, |[least, a, b, c]| {
                let at = 2 * advance(next, least);
                for (i, [x, y]) in [[a, b], [c, half]].into_iter().enumerate() {
                    places[at + i].store(u64::from(x) << 32 | u64::from(y), Relaxed);
                }
                half += 1;
            });
        });
        (ends, entries)
    }

    /// Calls `visit` with the four smallest vertices, ascending, of each half-face of a cell;
    /// [`NONE`] in place of a fourth.
    #[inline(always)]
    fn for_each_half(&self, cell: u32, mut visit: impl FnMut([u32; 4])) {
        if let Some(hexahedra) = self.hexahedra {
            let corners = &hexahedra[cell as usize];
            for face in HEXAHEDRON {
                visit(ascending(face.map(|corner| corners[usize::from(corner)])));
            }
            return;
        }
        self.cells.for_each_face(cell as usize, |face| {
            let mut least = [NONE; 4];
            for &v in face {
                // insertion among the four smallest
                let mut v = v;
                for slot in &mut least {
                    (*slot, v) = (v.min(*slot), v.max(*slot));
                }
            }
            visit(least);
        });
    }

    /// All faces.
    fn portions(&self, vertex_count: usize) -> Result<Vec<FacePortion>> {
        let (ends, mut grouped) = self.by_least_vertex(vertex_count);
        let portion = |vertices: Chunk<Entry>| {
            let mut portion =
                FacePortion { faces: Vec::with_capacity(4 * vertices.len()), corners: 0 };
            for (_, entries) in vertices.groups() {
                self.merge(entries, &mut portion)?;
            }
            Ok(portion)
        };
        // collected one by one: the first error is the one to report
        let portions: Vec<Result<FacePortion>> =
            chunked(&ends, &mut grouped).into_par_iter().map(portion).collect();
        portions.into_iter().collect()
    }

    /// Adds the faces out of half-faces of one smallest vertex.
    fn merge(&self, entries: &mut [Entry], portion: &mut FacePortion) -> Result<()> {
        entries.sort_unstable_by_key(number);
        let half = |entry: &Entry| entry[1] as u32;
        let vertices = |entry: &Entry| number(entry) >> 32;
        let sorted = |entry: &Entry| self.sorted(self.half(half(entry)));
        if self.polygons {
            // stable: equal faces stay in the order of their cells
            entries.sort_by_cached_key(|entry| (vertices(entry), sorted(entry)));
        }
        let equal = |a: &Entry, b: &Entry| {
            vertices(a) == vertices(b) && (!self.polygons || sorted(a) == sorted(b))
        };
        for run in entries.chunk_by(equal) {
            let pair = match run {
                [a] => [half(a); 2],
                [a, b] => {
                    let cells = [a, b].map(|entry| self.half(half(entry)).cell);
                    if cells[0] == cells[1] {
                        return Err(Error::mesh(message!(
                            Cell.id(cells[0]),
                            " has one face twice"
                        ))
                        .with_help("list every face of the cell once"));
                    }
                    [half(a), half(b)]
                }
                _ => return Err(self.non_manifold(run.iter().map(|entry| self.half(half(entry))))),
            };
            portion.corners += self.corners(pair[0]);
            portion.faces.push(pair);
        }
        Ok(())
    }

    /// Number of vertices of a half-face.
    fn corners(&self, half: u32) -> usize {
        if self.hexahedra.is_some() { 4 } else { self.with_cycle(self.half(half), <[u32]>::len) }
    }

    /// The vertices of a half-face, ascending.
    fn sorted(&self, half: HalfFace) -> Vec<u32> {
        let mut vertices = self.with_cycle(half, <[u32]>::to_vec);
        vertices.sort_unstable();
        vertices
    }

    /// What `read` makes of the vertex cycle of a half-face.
    fn with_cycle<R: Default>(&self, half: HalfFace, read: impl Fn(&[u32]) -> R) -> R {
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

    /// Numbers the faces of all portions and gathers them.
    fn join(&self, portions: &[FacePortion]) -> CellFaces {
        let count = portions.iter().map(|portion| portion.faces.len()).sum();
        let mut cells = pages::zeros(count);
        let mut cycles = pages::zeros(portions.iter().map(|portion| portion.corners).sum());
        let mut of_cells = pages::zeros(self.first(self.cells.len()) as usize);
        let numbers = together(&mut of_cells);

        let mut first = 0;
        let mut rest = (&mut cells[..], &mut cycles[..]);
        let mut tasks = Vec::with_capacity(portions.len());
        for portion in portions {
            let cells = take(&mut rest.0, portion.faces.len());
            tasks.push((portion, first, cells, take(&mut rest.1, portion.corners)));
            first += portion.faces.len() as u32;
        }
        tasks.into_par_iter().for_each(|(portion, first, cells, mut cycles)| {
            stop_point();
            for ((number, &[a, b]), cells) in (first..).zip(&portion.faces).zip(cells) {
                let [first, second] = [a, b].map(|half| self.half(half));
                *cells = [first.cell, if a == b { NONE } else { second.cell }];
                for half in [a, b] {
                    numbers[half as usize].store(number, Relaxed);
                }
                if let Some(hexahedra) = self.hexahedra {
                    let corners = &hexahedra[first.cell as usize];
                    let cycle = HEXAHEDRON[first.local as usize].map(|i| corners[usize::from(i)]);
                    take(&mut cycles, 4).copy_from_slice(&cycle);
                } else {
                    let cycle = self.with_cycle(first, <[u32]>::to_vec);
                    take(&mut cycles, cycle.len()).copy_from_slice(&cycle);
                }
            }
        });
        if self.hexahedra.is_some() {
            let (vertices, of_cells) = (Rows::uniform(cycles, 4), Rows::uniform(of_cells, 6));
            return CellFaces { vertices, cells, of_cells };
        }
        let faces = portions.iter().flat_map(|portion| &portion.faces);
        let cycle_ends = scan(faces.map(|&[half, _]| self.corners(half) as u32));
        let vertices = Rows::from_parts(cycle_ends, cycles);
        CellFaces { vertices, cells, of_cells: Rows::from_parts(self.ends.clone(), of_cells) }
    }

    fn non_manifold(&self, halves: impl Iterator<Item = HalfFace>) -> Error {
        let halves: Vec<HalfFace> = halves.collect();
        let cells = Cell.ids(halves.iter().map(|half| half.cell));
        let face = Vertex.ids(self.sorted(halves[0]));
        Error::mesh(message!(cells, " share the face of ", face))
            .with_help("a face has at most two cells: remove the surplus or duplicated cell")
    }
}

/// Two cells all of whose faces are shared with one another are one cell twice.
fn check_duplicates(cell_faces: &Rows, face_cells: &[[u32; 2]]) -> Result<()> {
    let duplicate =
        (0..cell_faces.len()).into_par_iter().with_min_len(TASK_ROWS).find_map_first(|c| {
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
        Some(pair) => Err(Error::mesh(message!(Cell.ids(pair), " have the same faces"))
            .with_help("remove the duplicated cell")),
    }
}

/// Four vertices, ascending.
#[inline(always)]
fn ascending([a, b, c, d]: [u32; 4]) -> [u32; 4] {
    let (a, b, c, d) = (a.min(b), a.max(b), c.min(d), c.max(d));
    let (a, c, b, d) = (a.min(c), a.max(c), b.min(d), b.max(d));
    [a, b.min(c), b.max(c), d]
}
