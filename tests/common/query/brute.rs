//! Incidence by sets of vertices: sorted maps, no structure of the library.

use std::collections::{BTreeMap, BTreeSet};

use subsolid::mesh::{SolidMesh, SurfaceMesh};
use subsolid::query::Op;

/// Elements of all kinds and what each has of the lower kinds.
pub struct Brute {
    pub counts: [usize; 4],
    pub edges: Vec<[u32; 2]>,
    /// Vertex cycles.
    pub faces: Vec<Vec<u32>>,
    // [of][to][id], for to < of
    has: [[Vec<BTreeSet<u32>>; 4]; 4],
    // [of][to][id], for to > of
    at: [[Vec<BTreeSet<u32>>; 4]; 4],
}

fn sides(face: &[u32]) -> impl Iterator<Item = [u32; 2]> {
    (0..face.len())
        .map(move |i| [face[i], face[(i + 1) % face.len()]])
        .map(|[a, b]| [a.min(b), a.max(b)])
}

impl Brute {
    pub fn surface(mesh: &SurfaceMesh) -> Self {
        Self::new(mesh.points.len(), mesh.faces.iter().map(<[u32]>::to_vec).collect(), &[])
    }

    pub fn solid(mesh: &SolidMesh) -> Self {
        let key = |face: &[u32]| face.iter().copied().collect::<BTreeSet<u32>>();
        let mut keys: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
        let mut cells = Vec::new();
        for c in 0..mesh.cells.len() {
            let mut cell = Vec::new();
            mesh.cells.for_each_face(c, |face| {
                let key: Vec<u32> = key(face).into_iter().collect();
                keys.entry(key.clone()).or_insert_with(|| face.to_vec());
                cell.push(key);
            });
            cells.push(cell);
        }
        let ids: BTreeMap<&Vec<u32>, u32> = keys.keys().zip(0..).collect();
        let cells: Vec<BTreeSet<u32>> =
            cells.iter().map(|cell| cell.iter().map(|key| ids[key]).collect()).collect();
        Self::new(mesh.points.len(), keys.values().cloned().collect(), &cells)
    }

    fn new(vertices: usize, faces: Vec<Vec<u32>>, cells: &[BTreeSet<u32>]) -> Self {
        let edges: BTreeSet<[u32; 2]> = faces.iter().flat_map(|face| sides(face)).collect();
        let edges: Vec<[u32; 2]> = edges.into_iter().collect();
        let ids: BTreeMap<[u32; 2], u32> = edges.iter().copied().zip(0..).collect();
        let mut has: [[Vec<BTreeSet<u32>>; 4]; 4] = Default::default();
        has[1][0] = edges.iter().map(|ends| ends.iter().copied().collect()).collect();
        has[2][0] = faces.iter().map(|face| face.iter().copied().collect()).collect();
        has[2][1] = faces.iter().map(|face| sides(face).map(|side| ids[&side]).collect()).collect();
        has[3][2] = cells.to_vec();
        let union = |cell: &BTreeSet<u32>, lower: &[BTreeSet<u32>]| {
            cell.iter().flat_map(|&f| lower[f as usize].iter().copied()).collect()
        };
        has[3][0] = cells.iter().map(|cell| union(cell, &has[2][0])).collect();
        has[3][1] = cells.iter().map(|cell| union(cell, &has[2][1])).collect();
        let counts = [vertices, edges.len(), faces.len(), cells.len()];
        let mut at: [[Vec<BTreeSet<u32>>; 4]; 4] = Default::default();
        for of in 0..4 {
            for to in of + 1..4 {
                at[of][to] = vec![BTreeSet::new(); counts[of]];
                for (id, row) in (0..).zip(&has[to][of]) {
                    row.iter().for_each(|&low| _ = at[of][to][low as usize].insert(id));
                }
            }
        }
        Self { counts, edges, faces, has, at }
    }

    pub fn row(&self, op: Op, id: u32) -> Vec<u32> {
        let (of, to) = (op.from() as usize, op.to() as usize);
        let row = |of: usize, to: usize, id: u32| {
            if of > to { &self.has[of][to][id as usize] } else { &self.at[of][to][id as usize] }
        };
        if of != to {
            return row(of, to, id).iter().copied().collect();
        }
        let via = match op {
            Op::VV | Op::FF => 1,
            Op::EE => 0,
            _ => 2,
        };
        let near = row(of, via, id).iter().flat_map(|&common| row(via, of, common));
        let near: BTreeSet<u32> = near.copied().filter(|&other| other != id).collect();
        near.into_iter().collect()
    }
}
