//! Points shared between neighbouring elements.
//!
//! A grid sample on a corner, edge or face of an element is known by the corner
//! ids of that edge or face and its place relative to them, which both elements
//! name alike, whichever way their axes run. Nothing is compared by distance.

use std::collections::HashMap;

use crate::limit::{Element, VTK_CORNER};

/// Which point each grid sample of each element is.
pub(crate) struct Weld {
    /// `ids[element * samples + sample]`: its point.
    pub ids: Vec<u32>,
    /// The first sample of every point.
    pub first: Vec<u32>,
}

/// Welds n × n × n samples (n ≥ 2, end points included, symmetric) of `elements`.
pub fn weld(elements: &[Element], n: usize) -> Weld {
    let samples = n.pow(3);
    let mut ids = Vec::with_capacity(elements.len() * samples);
    let mut first: Vec<u32> = Vec::with_capacity(elements.len() * (n - 1).pow(3));
    let mut corners: HashMap<u32, u32> = HashMap::new();
    let mut edges: HashMap<[u32; 2], u32> = HashMap::new();
    let mut faces: HashMap<[u32; 4], u32> = HashMap::new();
    let parts = parts(n);
    for element in elements {
        let base = ids.len();
        ids.resize(base + samples, 0);
        let mut set = |sample: u32, id: u32, first: &mut Vec<u32>| {
            ids[base + sample as usize] = id;
            if id as usize == first.len() {
                first.push((base + sample as usize) as u32);
            }
        };
        let vertex = |bits: usize| element.corners[VTK_CORNER[bits]];
        for part in &parts {
            let own: Vec<u32> = part.corners.iter().map(|&bits| vertex(bits)).collect();
            let next = first.len() as u32;
            // the part's samples in the order that its corner ids define
            match own[..] {
                [v] => {
                    let id = *corners.entry(v).or_insert(next);
                    set(part.samples[0], id, &mut first);
                }
                [a, b] => {
                    let start = *edges.entry([a.min(b), a.max(b)]).or_insert(next);
                    let last = part.samples.len() - 1;
                    for i in 0..=last {
                        let at = if a < b { i } else { last - i };
                        set(part.samples[at], start + i as u32, &mut first);
                    }
                }
                [a, b, c, d] => {
                    let permutation = FaceTurn::of([a, b, c, d]);
                    let start = *faces.entry(permutation.key).or_insert(next);
                    let side = n - 2;
                    for j in 0..side {
                        for i in 0..side {
                            let [x, y] = permutation.place([i, j], side);
                            let id = start + (i + side * j) as u32;
                            set(part.samples[x + side * y], id, &mut first);
                        }
                    }
                }
                _ => {
                    for (i, &sample) in part.samples.iter().enumerate() {
                        set(sample, next + i as u32, &mut first);
                    }
                }
            }
        }
    }
    Weld { ids, first }
}

/// A corner, edge, face or the inside of an element: its corners (binary) and the
/// grid samples strictly within, first free axis fastest.
struct Entity {
    corners: Vec<usize>,
    samples: Vec<u32>,
}

/// The 27 parts of an element, except those without samples.
fn parts(n: usize) -> Vec<Entity> {
    let mut parts = Vec::new();
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
            parts.push(Entity { corners, samples });
        }
    }
    parts
}

/// How a face's common axes (from its least corner to the lesser of that corner's
/// neighbours first) lie in an element's own.
struct FaceTurn {
    key: [u32; 4],
    flips: [bool; 2],
    swap: bool,
}

impl FaceTurn {
    /// Corners by (own first axis, own second axis): 00, 10, 01, 11.
    fn of(corners: [u32; 4]) -> Self {
        let least = (0..4).min_by_key(|&i| corners[i]).unwrap_or(0);
        let [along_first, along_second] = [corners[least ^ 1], corners[least ^ 2]];
        let mut key = corners;
        key.sort_unstable();
        let flips = [least & 1 == 1, least & 2 == 2];
        Self { key, flips, swap: along_second < along_first }
    }

    /// Own place of the common place (i, j), each in 0..side.
    fn place(&self, [i, j]: [usize; 2], side: usize) -> [usize; 2] {
        let own = if self.swap { [j, i] } else { [i, j] };
        [0, 1].map(|d| if self.flips[d] { side - 1 - own[d] } else { own[d] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{Backend, Cpu};
    use crate::limit::Solid;
    use crate::mesh::shape::Shape;
    use crate::plan::{Samples, Want};

    #[test]
    fn a_box_of_two_by_two_by_two() {
        let mesh = Shape::Box { cells: [2; 3] }.build().unwrap();
        let solid = Solid::new(&mesh).unwrap();
        for n in 2..6 {
            let weld = weld(solid.elements(), n);
            assert_eq!(weld.first.len(), (2 * (n - 1) + 1).pow(3));
            assert_eq!(weld.ids.len(), 8 * n.pow(3));
        }
    }

    #[test]
    fn welded_samples_lie_at_the_same_place() {
        for name in ["fan", "tripod", "link-3444555", "torus"] {
            let mesh = Shape::parse(name, &[]).unwrap().build().unwrap();
            let solid = Solid::new(&mesh).unwrap();
            let n = 5;
            let weld = weld(solid.elements(), n);
            let plan = solid.plan(&Samples::grid(n), Want::POSITION).unwrap();
            let limit = Cpu::default().evaluate(&plan, mesh.controls()).unwrap();
            for (sample, &id) in weld.ids.iter().enumerate() {
                let [a, b] = [sample, weld.first[id as usize] as usize];
                let [a, b] = [a, b].map(|i| limit.positions.triple(i));
                assert!((0..3).all(|d| (a[d] - b[d]).abs() < 1e-12), "{name}: {a:?} {b:?}");
            }
            // Euler: every face, edge and vertex of the mesh has its samples once.
            let t = solid.topology();
            let counts = [t.vertex_count(), t.edge_count(), t.face_count(), t.cell_count()];
            let expected: usize = (0..4).map(|d| counts[d] * (n - 2).pow(d as u32)).sum();
            assert_eq!(weld.first.len(), expected, "{name}");
        }
    }
}
