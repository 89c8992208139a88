//! Points shared between neighboring elements.
//!
//! A grid sample on a corner, edge or face of an element is known by the corner
//! ids of that edge or face and its place relative to them, which both elements
//! name alike, whichever way their axes run. Nothing is compared by distance.
//! Points are numbered in the order of the elements, from their shape alone: results of any
//! range of elements become points without the other elements.

use std::ops::Range;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::error::{Error, Result};
use crate::limit::{Element, Solid, VTK_CORNER};
use crate::numbers::{by_count, counted};
use crate::plan::{Plan, Samples};
use crate::topology::NONE;

/// Numbers of the points that elements of a plan share, see [`super::hexahedra()`]. It holds about
/// a hundred bytes per element, whatever the number of samples.
#[derive(Debug)]
pub struct SharedPoints {
    n: usize,
    elements: Range<usize>,
    entities: Vec<Entity>,
    // first point of every entity: [element][entity]
    starts: Vec<u32>,
    // points of the elements before: [element], and of all of them
    before: Vec<u32>,
}

/// Which point each grid sample of some elements is.
pub(crate) struct Weld {
    /// `ids[element * samples + sample]`: its point.
    pub ids: Vec<u32>,
    /// The first sample of every point that is in none of the elements before.
    pub first: Vec<u32>,
}

impl SharedPoints {
    /// Numbers the points of all elements of a plan for a grid.
    ///
    /// # Errors
    /// [`Error::Request`] for other samples, of which none lie on what elements share, and for
    /// more points than 32 bits can number.
    pub fn new(plan: &Plan<'_>) -> Result<Self> {
        let n = match plan.samples() {
            Samples::Tensor(along) if along.len() >= 2 => along.len(),
            _ => 0,
        };
        if n == 0 || *plan.samples() != Samples::grid(n) {
            return Err(Error::request("elements share the points of a grid alone")
                .with_help("plan for Samples::grid of at least 2"));
        }
        let elements = plan.solid().elements();
        Self::of(elements, 0..elements.len(), n)
    }

    /// Numbers the n × n × n samples (n ≥ 2) of some of all `elements`.
    pub(super) fn of(elements: &[Element], range: Range<usize>, n: usize) -> Result<Self> {
        let entities = entities(n);
        let mut starts = Vec::with_capacity(range.len() * entities.len());
        let mut before = Vec::with_capacity(range.len() + 1);
        let mut corners: FxHashMap<u32, u32> = FxHashMap::default();
        let mut edges: FxHashMap<[u32; 2], u32> = FxHashMap::default();
        let mut faces: FxHashMap<[u32; 4], u32> = FxHashMap::default();
        let mut next = 0_u32;
        for element in &elements[range.clone()] {
            before.push(next);
            let vertex = |bits: usize| element.corners[VTK_CORNER[bits]];
            for entity in &entities {
                let start = match entity.corners[..] {
                    [a] => *corners.entry(vertex(a)).or_insert(next),
                    [a, b] => {
                        let [a, b] = [vertex(a), vertex(b)];
                        *edges.entry([a.min(b), a.max(b)]).or_insert(next)
                    }
                    [a, b, c, d] => {
                        let mut key = [a, b, c, d].map(vertex);
                        key.sort_unstable();
                        *faces.entry(key).or_insert(next)
                    }
                    _ => next,
                };
                starts.push(start);
                if start == next {
                    let own = u32::try_from(entity.samples.len()).ok();
                    next = own.and_then(|own| next.checked_add(own)).ok_or_else(|| {
                        Error::request("more points than 32 bits can number")
                            .with_help("write a .pvtu, or ask for fewer samples")
                    })?;
                }
            }
        }
        before.push(next);
        Ok(Self { n, elements: range, entities, starts, before })
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.before.last().map_or(0, |&count| count as usize)
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The points of `range`, which are elements numbered here; `None` if some are not, or if
    /// the plan has other samples.
    pub(super) fn weld(&self, elements: &[Element], range: Range<usize>, n: usize) -> Option<Weld> {
        let own = self.elements.start <= range.start && range.end <= self.elements.end;
        if !own || n != self.n || range.end > elements.len() {
            return None;
        }
        let samples = n.pow(3);
        let place = |element: usize| self.before[element - self.elements.start];
        let start = place(range.start);
        let mut ids = vec![0; range.len() * samples];
        let mut first = vec![0; (place(range.end) - start) as usize];
        let mut rest = &mut first[..];
        let mut own = Vec::with_capacity(range.len());
        for element in range.clone() {
            let count = place(element + 1) - place(element);
            let (head, tail) = rest.split_at_mut(count as usize);
            own.push(head);
            rest = tail;
        }
        ids.par_chunks_exact_mut(samples).zip(own).zip(range.clone()).for_each(
            |((ids, first), e)| {
                self.number(&elements[e], e, ids);
                let base = ((e - range.start) * samples) as u32;
                // the last sample of a point in the element is its first as well: it has no other
                for (sample, &id) in ids.iter().enumerate().filter(|(_, id)| **id >= place(e)) {
                    first[(id - place(e)) as usize] = base + sample as u32;
                }
            },
        );
        Some(Weld { ids, first })
    }

    /// The points of an element's samples.
    fn number(&self, element: &Element, e: usize, ids: &mut [u32]) {
        let count = self.entities.len();
        let starts = &self.starts[(e - self.elements.start) * count..][..count];
        let vertex = |bits: usize| element.corners[VTK_CORNER[bits]];
        for (entity, &start) in self.entities.iter().zip(starts) {
            // the entity's samples in the order that its corner ids define
            match entity.corners[..] {
                [a, b] => {
                    let last = entity.samples.len() - 1;
                    for i in 0..=last {
                        let at = if vertex(a) < vertex(b) { i } else { last - i };
                        ids[entity.samples[at] as usize] = start + i as u32;
                    }
                }
                [a, b, c, d] => {
                    let turn = FaceAxes::of([a, b, c, d].map(vertex));
                    let side = self.n - 2;
                    for j in 0..side {
                        for i in 0..side {
                            let [x, y] = turn.place([i, j], side);
                            let sample = entity.samples[x + side * y] as usize;
                            ids[sample] = start + (i + side * j) as u32;
                        }
                    }
                }
                _ => {
                    for (i, &sample) in entity.samples.iter().enumerate() {
                        ids[sample as usize] = start + i as u32;
                    }
                }
            }
        }
    }
}

/// Number of hexahedral cells of some elements that share a face with a cell that is evaluated on
/// several elements: a wedge, tetrahedron or other polyhedron. The elements there share no points,
/// since elements of the other cell are half as long; once refined, all cells are hexahedra.
pub fn unjoined_hexahedra(solid: &Solid, elements: Range<usize>) -> usize {
    let topology = solid.topology();
    let in_elements = |c: u32| c != NONE && topology.cells().hexahedron(c as usize).is_none();
    let is_beside = |&face: &u32| topology.face_cells(face).into_iter().any(in_elements);
    let hexahedra = solid.elements()[elements].iter().filter(|element| element.corner.is_none());
    hexahedra
        .filter(|hexahedron| topology.cell_faces(hexahedron.cell).iter().any(is_beside))
        .count()
}

/// Says where points are not joined, for `count` [`unjoined_hexahedra`]; `None` if there are none.
pub fn unjoined_notice(count: usize) -> Option<String> {
    let share = by_count(count, "shares", "share");
    (count > 0).then(|| {
        format!(
            "{} {share} a face with a cell that is evaluated in parts (a wedge, tetrahedron or other \
             polyhedron): points are not joined there",
            counted(count, "hexahedral cell")
        )
    })
}

/// A corner, edge, face or the inside of an element: its corners (binary) and the
/// grid samples strictly within, first free axis fastest.
#[derive(Debug)]
struct Entity {
    corners: Vec<usize>,
    samples: Vec<u32>,
}

/// The 27 entities of an element (corners, edges, faces, inside), except those without samples.
fn entities(n: usize) -> Vec<Entity> {
    let mut entities = Vec::new();
    for code in 0..27_usize {
        // 0: low end, 1: high end, 2: free
        let axis = [code % 3, code / 3 % 3, code / 9];
        let ends = |d: usize| if axis[d] == 2 { 0..=1 } else { axis[d]..=axis[d] };
        let inside = |d: usize| match axis[d] {
            2 => 1..n - 1,
            end => end * (n - 1)..end * (n - 1) + 1,
        };
        let (mut corners, mut samples) = (Vec::new(), Vec::new());
        for w in ends(2) {
            for v in ends(1) {
                corners.extend(ends(0).map(|u| u + 2 * v + 4 * w));
            }
        }
        for k in inside(2) {
            for j in inside(1) {
                samples.extend(inside(0).map(|i| (i + n * (j + n * k)) as u32));
            }
        }
        if !samples.is_empty() {
            entities.push(Entity { corners, samples });
        }
    }
    entities
}

/// How a face's common axes (from its least corner to the lesser of that corner's
/// neighbors first) lie in an element's own.
struct FaceAxes {
    flips: [bool; 2],
    swap: bool,
}

impl FaceAxes {
    /// Corners by (own first axis, own second axis): 00, 10, 01, 11.
    fn of(corners: [u32; 4]) -> Self {
        let least = (0..4).min_by_key(|&i| corners[i]).unwrap_or(0);
        let [along_first, along_second] = [corners[least ^ 1], corners[least ^ 2]];
        let flips = [least & 1 == 1, least & 2 == 2];
        Self { flips, swap: along_second < along_first }
    }

    /// Own place of the common place (i, j), each in 0..side.
    fn place(&self, [i, j]: [usize; 2], side: usize) -> [usize; 2] {
        let own = if self.swap { [j, i] } else { [i, j] };
        [0, 1].map(|d| if self.flips[d] { side - 1 - own[d] } else { own[d] })
    }
}
