//! Cells with corners of other than three of their faces, split.
//!
//! Such a cell becomes the tetrahedra between a point inside it, for a pyramid its apex, and its
//! faces, and so do cells beside it where it helps: a *star*. A triangle is shared as it is. A face
//! of more corners between two stars goes: the tetrahedra at its edges reach from one point to the
//! other. Any other face of a star with more than three corners is cut into triangles around its
//! mean. A hexahedron beside it is cut into four wedges, and its opposite face into triangles: a
//! *column* leads through hexahedra to the boundary, or to another star. Where columns cross, and in
//! cells that are no hexahedra, there is another star.

use std::collections::HashMap;

use super::ConformResult;
use super::draft::{Draft, push_mean, replace_group_faces};
use crate::mesh::{CellArray, CellKind, SolidMesh, sorted};
use crate::topology::{NONE, Topology};

/// What becomes of a cell.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Stays,
    /// Four wedges along this axis.
    Column(usize),
    /// Tetrahedra around a point.
    Star,
}

/// For each axis the corners of a hexahedron at its lower end, and those that they lead to.
const AXES: [[[usize; 4]; 2]; 3] =
    [[[0, 3, 7, 4], [1, 2, 6, 5]], [[0, 4, 5, 1], [3, 7, 6, 2]], [[0, 1, 2, 3], [4, 5, 6, 7]]];

/// Splits the cells; says whether there were any.
pub(super) fn split_bad_corners(
    mesh: &mut SolidMesh,
    topology: &Topology,
    done: &mut ConformResult,
) -> bool {
    let bad = (0..topology.cell_count() as u32).filter(|&c| is_bad(topology, c));
    let bad: Vec<u32> = bad.collect();
    done.bad_cells = bad.len();
    if bad.is_empty() {
        return false;
    }
    let splits = Splits::new(mesh, topology, bad);
    let count = |is: fn(&Fate) -> bool| splits.fates.iter().filter(|fate| is(fate)).count();
    done.star_cells = count(|fate| *fate == Fate::Star);
    done.column_cells = count(|fate| matches!(fate, Fate::Column(_)));
    splits.build(mesh);
    true
}

fn is_bad(topology: &Topology, c: u32) -> bool {
    let faces = topology.cell_faces(c);
    let at = |v: u32| faces.iter().filter(|&&f| topology.face_vertices(f).contains(&v)).count();
    topology.cells().kind(c as usize) == CellKind::Polyhedron
        && topology.cells().vertices(c as usize).iter().any(|&v| at(v) != 3)
}

/// What becomes of all cells.
struct Splits<'a> {
    topology: &'a Topology,
    fates: Vec<Fate>,
    // faces that stay between cells: those of groups, and between cells of different values
    separates: Vec<bool>,
}

impl<'a> Splits<'a> {
    fn new(mesh: &SolidMesh, topology: &'a Topology, bad: Vec<u32>) -> Self {
        let differs = |array: &CellArray, [a, b]: [u32; 2]| {
            let row = |c: u32| &array.values[c as usize * array.width..][..array.width];
            row(a) != row(b)
        };
        let separates = |f: u32| {
            let cells = topology.face_cells(f);
            cells[1] == NONE || mesh.cell_data.iter().any(|array| differs(array, cells))
        };
        let mut separates: Vec<bool> = (0..topology.face_count() as u32).map(separates).collect();
        for face in mesh.face_groups.iter().flat_map(|group| group.faces.iter()) {
            topology.face_with(face).into_iter().for_each(|f| separates[f as usize] = true);
        }
        let mut splits =
            Self { topology, fates: vec![Fate::Stays; topology.cell_count()], separates };
        bad.iter().for_each(|&c| splits.fates[c as usize] = Fate::Star);
        let mut open = bad;
        while let Some(c) = open.pop() {
            for &f in topology.cell_faces(c) {
                let beside = splits.beside(c, f);
                if beside == NONE || !splits.cuts(c, f) {
                    continue;
                }
                let before = splits.fates[beside as usize];
                let after = match (before, splits.axis(beside, f)) {
                    (Fate::Star, _) | (_, None) => Fate::Star,
                    (Fate::Column(axis), Some(other)) if axis != other => Fate::Star,
                    (_, Some(axis)) => Fate::Column(axis),
                };
                if after != before {
                    splits.fates[beside as usize] = after;
                    open.push(beside);
                }
            }
        }
        splits
    }

    /// The other cell of a face.
    fn beside(&self, c: u32, f: u32) -> u32 {
        let [a, b] = self.topology.face_cells(f);
        if a == c { b } else { a }
    }

    /// The axis of a hexahedron that a face of it is across.
    fn axis(&self, c: u32, f: u32) -> Option<usize> {
        let corners = self.topology.cells().hexahedron(c as usize)?;
        let face = self.topology.face_vertices(f);
        (0..3).find(|&axis| {
            AXES[axis].iter().any(|end| end.iter().all(|&i| face.contains(&corners[i])))
        })
    }

    /// Whether what becomes of a cell cuts a face of it into triangles around its mean.
    fn cuts(&self, c: u32, f: u32) -> bool {
        let is_large = self.topology.face_vertices(f).len() > 3;
        match self.fates[c as usize] {
            Fate::Stays => false,
            Fate::Column(axis) => self.axis(c, f) == Some(axis),
            Fate::Star => is_large && !self.goes(f),
        }
    }

    /// Whether a face of more than three corners lies between two stars, and goes.
    fn goes(&self, f: u32) -> bool {
        let is_star = |&c: &u32| self.fates[c as usize] == Fate::Star;
        !self.separates[f as usize] && self.topology.face_cells(f).iter().all(is_star)
    }

    /// The apex of a pyramid.
    fn apex(&self, c: u32) -> Option<u32> {
        let faces = || self.topology.cell_faces(c).iter().map(|&f| self.topology.face_vertices(f));
        let base = faces().find(|face| face.len() > 3)?;
        let is_pyramid = faces().filter(|face| face.len() == 3).count() == base.len()
            && faces().count() == base.len() + 1;
        let vertices = self.topology.cells().vertices(c as usize);
        vertices.iter().copied().find(|v| is_pyramid && !base.contains(v))
    }

    fn build(&self, mesh: &mut SolidMesh) {
        let mut means = HashMap::<u32, u32>::new();
        for f in 0..self.topology.face_count() as u32 {
            let cells = self.topology.face_cells(f);
            if cells.into_iter().any(|c| c != NONE && self.cuts(c, f)) {
                means.insert(f, push_mean(mesh, self.topology.face_vertices(f)));
            }
        }
        let centers: Vec<u32> = (0..self.topology.cell_count() as u32)
            .map(|c| match (self.fates[c as usize], self.apex(c)) {
                (Fate::Star, Some(apex)) => apex,
                (Fate::Star, None) => push_mean(mesh, self.topology.cells().vertices(c as usize)),
                _ => NONE,
            })
            .collect();
        let mut draft = Draft::default();
        let cells = self.topology.cells();
        for c in 0..cells.len() as u32 {
            match self.fates[c as usize] {
                Fate::Stays => draft.keep(cells, c as usize, |v| v),
                Fate::Column(axis) => self.push_wedges(&mut draft, &means, c, axis),
                Fate::Star => self.push_star(&mut draft, &means, &centers, c),
            }
        }
        replace_group_faces(mesh, |face| {
            let &mean = means.get(&self.topology.face_with(face)?)?;
            let next = face.iter().cycle().skip(1);
            Some(face.iter().zip(next).map(|(&a, &b)| vec![a, b, mean]).collect())
        });
        draft.finish(mesh);
    }

    fn push_wedges(&self, draft: &mut Draft, means: &HashMap<u32, u32>, c: u32, axis: usize) {
        let Some(corners) = self.topology.cells().hexahedron(c as usize) else { return };
        let ends = AXES[axis].map(|end| end.map(|i| corners[i]));
        let middle = |end: &[u32; 4]| {
            let mut faces = self.topology.cell_faces(c).iter();
            let of_end = |f: &&u32| sorted(self.topology.face_vertices(**f)) == sorted(end);
            faces.find(of_end).map_or(NONE, |f| means[f])
        };
        let [low, high] = [middle(&ends[0]), middle(&ends[1])];
        for i in 0..4 {
            let j = (i + 1) % 4;
            let [[a, b], [d, e]] = ends.map(|end| [end[i], end[j]]);
            draft.push(c, CellKind::Wedge, &[low, a, b, high, d, e]);
        }
    }

    fn push_star(&self, draft: &mut Draft, means: &HashMap<u32, u32>, centers: &[u32], c: u32) {
        let center = centers[c as usize];
        let faces = self.topology.cell_faces(c);
        let mut cycles: Vec<Vec<u32>> = Vec::new();
        self.topology.cells().for_each_face(c as usize, |face| cycles.push(face.to_vec()));
        for (&f, face) in faces.iter().zip(&cycles).filter(|(_, face)| !face.contains(&center)) {
            let mut push = |base: [u32; 3]| {
                let [a, b, d] = base;
                draft.push(c, CellKind::Tetrahedron, &[b, a, d, center]);
            };
            let beside = self.beside(c, f);
            let tip = match (means.get(&f), &face[..]) {
                (Some(&mean), _) => mean,
                (None, &[a, b, d]) => {
                    push([a, b, d]);
                    continue;
                }
                // the earlier cell has the tetrahedra of both
                _ if beside < c => continue,
                _ => centers[beside as usize],
            };
            for (&a, &b) in face.iter().zip(face.iter().cycle().skip(1)) {
                push([a, b, tip]);
            }
        }
    }
}
