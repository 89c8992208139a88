//! Numbers of the points of patches as MFEM counts control points: those at vertices of patches, inside edges
//! by the edges of the file, inside faces by the patches that have them first, inside patches.

use std::collections::HashMap;

use crate::mesh::CORNERS;

/// Corners of the sides of a patch, and the axis across each and its end, in MFEM's order.
pub(super) const SIDES: [([usize; 4], (usize, usize)); 6] = [
    ([3, 2, 1, 0], (2, 0)),
    ([0, 1, 5, 4], (1, 0)),
    ([1, 2, 6, 5], (0, 1)),
    ([2, 3, 7, 6], (1, 1)),
    ([3, 0, 4, 7], (0, 0)),
    ([4, 5, 6, 7], (2, 1)),
];

/// What patches have in common.
pub(super) struct PatchTopology {
    pub vertices: usize,
    /// Vertices of the corners of each patch.
    pub corners: Vec<[u32; 8]>,
    /// Edges in the order of the file, by their ascending ends. Empty: the patches tell.
    pub edges: Vec<[u32; 2]>,
}

/// A face: its corners as the first patch has them, from the first of which points are counted,
/// those towards the second fastest.
struct Face {
    corners: [u32; 4],
    first: usize,
    // points inside, towards the second and the last corner
    counts: [usize; 2],
}

/// Numbers of the points of all patches.
pub(super) struct Numbering<'t> {
    topology: &'t PatchTopology,
    // [patch]: points along the axes
    counts: &'t [[usize; 3]],
    // by their ends: the first number, and how many there are
    edges: HashMap<[u32; 2], (usize, usize)>,
    // by their sorted corners
    faces: HashMap<[u32; 4], Face>,
    // first number inside of each patch
    inside: Vec<usize>,
    /// How many points there are, as far as that can be counted.
    pub total: usize,
}

impl PatchTopology {
    /// Vertices at the ends of the edges of a patch along an axis, that at corner 0 first.
    pub fn edges_along(&self, patch: usize, axis: usize) -> impl Iterator<Item = [u32; 2]> + '_ {
        let ends = CORNERS.into_iter().filter(move |corner| corner[axis] == 0);
        ends.map(move |start| {
            let mut end = start;
            end[axis] = 1;
            [self.corner(patch, start), self.corner(patch, end)]
        })
    }

    /// The vertex at a corner, each coordinate 0 or 1.
    fn corner(&self, patch: usize, at: [usize; 3]) -> u32 {
        let corner = CORNERS.iter().position(|own| *own == at).unwrap_or_default();
        self.corners[patch][corner]
    }
}

impl<'t> Numbering<'t> {
    /// Numbers of `counts` points along the axes of each patch, 2 or more.
    ///
    /// # Errors
    /// What does not fit where patches meet.
    pub fn new(topology: &'t PatchTopology, counts: &'t [[usize; 3]]) -> Result<Self, String> {
        let (edges, faces) = (HashMap::new(), HashMap::new());
        let total = topology.vertices;
        let mut own = Self { topology, counts, edges, faces, inside: Vec::new(), total };
        own.count_edges()?;
        for patch in 0..counts.len() {
            for side in 0..SIDES.len() {
                own.count_face(patch, side)?;
            }
        }
        for count in counts {
            own.inside.push(own.total);
            let inside = count.iter().fold(1, |product: usize, n| product.saturating_mul(n - 2));
            own.total = own.total.saturating_add(inside);
        }
        Ok(own)
    }

    fn count_edges(&mut self) -> Result<(), String> {
        let mut order = self.topology.edges.clone();
        let mut found = HashMap::new();
        for (patch, count) in self.counts.iter().enumerate() {
            for (axis, &points) in count.iter().enumerate() {
                for [a, b] in self.topology.edges_along(patch, axis) {
                    let ends = [a.min(b), a.max(b)];
                    let (known, first) = *found.entry(ends).or_insert_with(|| {
                        if self.topology.edges.is_empty() {
                            order.push(ends);
                        }
                        (points, patch)
                    });
                    if known != points {
                        return Err(format!(
                            "patches {first} and {patch} have {known} and {points} points along their edge \
                             {a} to {b}"
                        ));
                    }
                }
            }
        }
        for ends @ [a, b] in order {
            let Some((count, _)) = found.remove(&ends) else {
                return Err(format!("edge {a} to {b} is repeated, or no patch has it"));
            };
            self.edges.insert(ends, (self.total, count - 2));
            self.total = self.total.saturating_add(count - 2);
        }
        match found.into_iter().map(|([a, b], (_, patch))| (patch, a, b)).min() {
            Some((patch, a, b)) => Err(format!("the edge {a} to {b} of patch {patch} is missing")),
            None => Ok(()),
        }
    }

    fn count_face(&mut self, patch: usize, side: usize) -> Result<(), String> {
        let (corners, (axis, _)) = SIDES[side];
        let corners = corners.map(|corner| self.topology.corners[patch][corner]);
        let key = key(corners);
        let inner = |[a, b]: [u32; 2]| self.edges[&[a.min(b), a.max(b)]].1;
        let Some(Face { corners: known, counts, .. }) = self.faces.get(&key) else {
            let counts = [inner([corners[0], corners[1]]), inner([corners[0], corners[3]])];
            self.faces.insert(key, Face { corners, first: self.total, counts });
            self.total = self.total.saturating_add(counts[0].saturating_mul(counts[1]));
            return Ok(());
        };
        let start = corners.iter().position(|v| *v == known[0]).unwrap_or_default();
        let [next, last] = [1, 3].map(|step| corners[(start + step) % 4]);
        let fits = |[a, b]: [u32; 2]| {
            a == known[1] && b == known[3] && [a, b].map(|v| inner([known[0], v])) == *counts
        };
        if !fits([next, last]) && !fits([last, next]) {
            let axis = ["u", "v", "w"][axis];
            return Err(format!(
                "patch {patch} is twisted against another at its side across {axis}"
            ));
        }
        Ok(())
    }

    /// The numbers of the points of a patch, u fastest. Call it where [`Numbering::total`] is less
    /// than 2³².
    pub fn ids(&self, patch: usize) -> Vec<u32> {
        let [n, m, l] = self.counts[patch];
        let all = (0..l).flat_map(|k| (0..m).flat_map(move |j| (0..n).map(move |i| [i, j, k])));
        all.map(|at| self.id(patch, at) as u32).collect()
    }

    fn id(&self, patch: usize, at: [usize; 3]) -> usize {
        let counts = self.counts[patch];
        let is_inner = |&d: &usize| at[d] > 0 && at[d] + 1 < counts[d];
        let inner: Vec<usize> = (0..3).filter(is_inner).collect();
        // the corner at the start of the axes inside of which it is
        let start = [0, 1, 2].map(|d| usize::from(at[d] > 0 && !is_inner(&d)));
        let moved = |axes: &[usize]| {
            let mut corner = start;
            axes.iter().for_each(|&d| corner[d] = 1);
            self.topology.corner(patch, corner)
        };
        match inner[..] {
            [d] => {
                let [a, b] = [moved(&[]), moved(&[d])];
                let (first, count) = self.edges[&[a.min(b), a.max(b)]];
                first + if a < b { at[d] - 1 } else { count - at[d] }
            }
            [d, e] => {
                let corners = [moved(&[]), moved(&[d]), moved(&[d, e]), moved(&[e])];
                let Face { corners: from, first, counts } = &self.faces[&key(corners)];
                let zero = corners.iter().position(|v| *v == from[0]).unwrap_or_default();
                // of the corner from which points are counted, and of its neighbor along d
                let [along_d, along_e] = [zero == 1 || zero == 2, zero >= 2];
                let from_start = |d: usize, far: bool| {
                    if far { self.counts[patch][d] - 2 - at[d] } else { at[d] - 1 }
                };
                let [x, y] = [from_start(d, along_d), from_start(e, along_e)];
                let neighbor = corners[[1, 0, 3, 2][zero]];
                first + if neighbor == from[1] { x + y * counts[0] } else { y + x * counts[0] }
            }
            [_, _, _] => {
                let [i, j, k] = at.map(|x| x - 1);
                self.inside[patch] + i + (counts[0] - 2) * (j + (counts[1] - 2) * k)
            }
            _ => moved(&[]) as usize,
        }
    }
}

/// The corners of a face in ascending order.
fn key(corners: [u32; 4]) -> [u32; 4] {
    let mut key = corners;
    key.sort_unstable();
    key
}
