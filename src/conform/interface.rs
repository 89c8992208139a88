//! Faces that four smaller ones cover.

use std::collections::{BTreeSet, HashMap};

use crate::mesh::{SolidMesh, WeldPoint, repeated, sorted};
use crate::numbers::vector::distance;
use crate::topology::Topology;

/// How far from the middle of an edge or face a vertex may be that hangs there, as a part of the
/// shortest edge at it.
const TOLERANCE: f64 = 1e-4;

/// A four-sided face of a cell that four faces of smaller cells cover.
pub(super) struct CoveredFace {
    /// Its corners, outward from the larger cell.
    pub corners: [u32; 4],
    /// The vertices in the middle of the edges; that of corners i and i + 1 is i.
    pub mids: [u32; 4],
    /// The vertex in its middle.
    pub center: u32,
    /// Its cell.
    pub larger: u32,
    /// The cells of the smaller faces, by the corners where they are.
    pub smaller: [u32; 4],
    /// The smaller faces.
    pub quads: [u32; 4],
}

impl CoveredFace {
    /// The vertices of the smaller face at a corner.
    pub fn quad(&self, i: usize) -> [u32; 4] {
        [self.corners[i], self.mids[i], self.center, self.mids[(i + 3) % 4]]
    }
}

/// All such faces, and what hangs where.
pub(super) struct Interface {
    pub faces: Vec<CoveredFace>,
    /// Cells beside cells less than half as large: they are split first.
    pub uneven: BTreeSet<u32>,
    /// The vertex in the middle of an edge of the boundary, by its ends in ascending order.
    pub mids: HashMap<[u32; 2], u32>,
    /// The vertex in the middle of a face of the boundary, by its corners in ascending order.
    pub centers: HashMap<Vec<u32>, u32>,
}

impl Interface {
    pub fn new(mesh: &SolidMesh, topology: &Topology) -> Self {
        let is_quad =
            |&f: &u32| topology.is_boundary_face(f) && topology.face_vertices(f).len() == 4;
        let quads: Vec<u32> = (0..topology.face_count() as u32).filter(is_quad).collect();
        let mut edges: Vec<u32> =
            quads.iter().flat_map(|&f| topology.face_edges(f)).copied().collect();
        edges.sort_unstable();
        edges.dedup();
        let mut hanging = Hanging::new(mesh, topology);
        for &e in &edges {
            hanging.look_at(&topology.edge_vertices(e));
        }
        for &f in &quads {
            hanging.look_at(topology.face_vertices(f));
        }
        let found = hanging.find();
        let (of_edges, of_quads) = found.split_at(edges.len());
        let mut interface = Self {
            faces: Vec::new(),
            uneven: BTreeSet::new(),
            mids: HashMap::new(),
            centers: HashMap::new(),
        };
        let mids = edges.iter().zip(of_edges);
        interface.mids =
            mids.filter_map(|(&e, &mid)| Some((topology.edge_vertices(e), mid?))).collect();
        for (&f, &center) in quads.iter().zip(of_quads) {
            let corners = topology.face_vertices(f);
            let (Some(center), &[a, b, c, d]) = (center, corners) else { continue };
            interface.centers.insert(sorted(corners), center);
            let mid = |a: u32, b: u32| interface.mids.get(&[a.min(b), a.max(b)]).copied();
            let [Some(p), Some(q), Some(r), Some(s)] = [mid(a, b), mid(b, c), mid(c, d), mid(d, a)]
            else {
                continue;
            };
            let larger = topology.face_cells(f)[0];
            let mut face = CoveredFace {
                corners: [a, b, c, d],
                mids: [p, q, r, s],
                center,
                larger,
                smaller: [0; 4],
                quads: [0; 4],
            };
            let is_cover = (0..4).all(|i| {
                let quad = topology.face_with(&face.quad(i)).filter(|&f| {
                    topology.is_boundary_face(f) && topology.face_cells(f)[0] != larger
                });
                quad.is_some_and(|quad| {
                    face.quads[i] = quad;
                    face.smaller[i] = topology.face_cells(quad)[0];
                    true
                })
            });
            if is_cover {
                interface.faces.push(face);
            } else {
                interface.uneven.insert(larger);
            }
        }
        interface
    }
}

/// Places at which vertices may hang.
struct Hanging<'a> {
    mesh: &'a SolidMesh,
    // vertices first, then places
    points: Vec<WeldPoint>,
}

impl<'a> Hanging<'a> {
    fn new(mesh: &'a SolidMesh, topology: &Topology) -> Self {
        let at = |v: u32| mesh.points[v as usize];
        let shortest = |v: u32| {
            let lengths = topology
                .vertex_edges(v)
                .iter()
                .map(|&e| distance(at(v), at(topology.other_end(e, v))));
            lengths.fold(f64::INFINITY, f64::min)
        };
        let point =
            |v: u32| WeldPoint { place: at(v), piece: 0, tolerance: TOLERANCE * shortest(v) };
        // a vertex of no cell hangs nowhere
        let is_used = |&v: &u32| !topology.vertex_cells(v).is_empty();
        let nowhere = WeldPoint { place: [f64::NAN; 3], piece: 0, tolerance: 0.0 };
        let of = |v: u32| if is_used(&v) { point(v) } else { nowhere };
        Self { mesh, points: (0..mesh.points.len() as u32).map(of).collect() }
    }

    /// Looks for a vertex in the middle of others.
    fn look_at(&mut self, around: &[u32]) {
        let mut place = [0.0; 3];
        for &v in around {
            (0..3).for_each(|d| place[d] += self.mesh.points[v as usize][d] / around.len() as f64);
        }
        let [a, b] = [0, 1].map(|i| self.mesh.points[around[i] as usize]);
        self.points.push(WeldPoint { place, piece: 1, tolerance: TOLERANCE * distance(a, b) });
    }

    /// The vertex at each of the places.
    fn find(self) -> Vec<Option<u32>> {
        let vertices = self.mesh.points.len();
        let first = repeated(self.points.len(), |i| self.points[i]);
        first[vertices..].iter().map(|&v| Some(v).filter(|&v| (v as usize) < vertices)).collect()
    }
}
