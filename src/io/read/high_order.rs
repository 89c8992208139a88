//! High-order cells, which are read by their corners.
//!
//! A control mesh has no use for nodes on edges, faces and inside of cells. In every
//! format that is read here the corners are the first nodes of a cell, in the order of
//! the linear cell: VTK types 24 to 27, 29, 31 to 33, 71 to 74 and 78 to 81, Gmsh types
//! 11 to 14 and above, Abaqus C3D10, C3D15, C3D20 and C3D27.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use crate::mesh::{Attribute, CellId, CellKind, Feature, SolidMesh};
use crate::numbers::counted;

use super::curved::{CurvedNode, CurvedPoint, NodeOrder};

/// What the high-order cells of a file were, and their nodes that are not corners.
#[derive(Default)]
pub(super) struct HighOrder {
    // cells of each kind
    kinds: BTreeMap<String, usize>,
    // nodes other than corners, with repetitions
    nodes: Vec<u32>,
    // cells whose nodes may have a known order: cell, order, its part of `nodes`
    curved: Vec<(CellId, NodeOrder, Range<usize>)>,
}

impl HighOrder {
    /// Notes a cell of a kind with nodes that are none of its corners; cells of order 1 have none.
    pub fn push(&mut self, kind: &str, others: &[u32]) {
        if others.is_empty() {
            return;
        }
        match self.kinds.get_mut(kind) {
            Some(count) => *count += 1,
            None => {
                self.kinds.insert(kind.to_owned(), 1);
            }
        }
        self.nodes.extend(others);
    }

    /// Notes that the last `count` nodes belong to a cell, in an order.
    pub fn place(&mut self, cell: CellId, order: NodeOrder, count: usize) {
        let end = self.nodes.len();
        self.curved.push((cell, order, end - count..end));
    }

    /// The points of a checked mesh in the middles of curved cells, each once, and the number of
    /// high-order cells whose nodes have no known order.
    pub fn curved_nodes(&self, mesh: &SolidMesh) -> (Vec<CurvedNode>, usize) {
        let mut straight = self.kinds.values().sum();
        let mut seen = vec![false; mesh.points.len()];
        let cells = (0..mesh.cells.len()).map(|cell| mesh.cells.vertices(cell));
        cells.flatten().for_each(|&corner| seen[corner as usize] = true);
        let mut known = HashMap::new();
        let mut found = Vec::new();
        for (cell, order, range) in &self.curved {
            // a cell with repeated corners has become another shape, whose nodes have no order
            let kind = mesh.cells.kind(cell.0 as usize);
            let corners = mesh.cells.vertices(cell.0 as usize);
            let count = corners.len() + range.len();
            let points =
                known.entry((kind, *order, count)).or_insert_with(|| order.points(kind, count));
            let Some(points) = points else { continue };
            straight -= 1;
            let nodes = [corners, &self.nodes[range.clone()]].concat();
            let nodes = match order {
                NodeOrder::Vtk if kind == CellKind::Hexahedron => upright(nodes, &mesh.points),
                _ => nodes,
            };
            for CurvedPoint { between, weights } in points {
                // points of an edge or a face that a cell before has listed
                let own = weights.iter().filter(|(i, _)| *i >= corners.len());
                let was_seen = own.clone().all(|&(i, _)| seen[nodes[i] as usize]);
                own.for_each(|&(i, _)| seen[nodes[i] as usize] = true);
                if !was_seen {
                    let sum = |d: usize| {
                        weights.iter().map(|&(i, w)| w * mesh.points[nodes[i] as usize][d]).sum()
                    };
                    let point = std::array::from_fn(sum);
                    found.push(CurvedNode { cell: *cell, between: *between, point });
                }
            }
        }
        (found, straight)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// The first node that is not among the `points` of the mesh.
    pub fn first_beyond(&self, points: usize) -> Option<u32> {
        self.nodes.iter().copied().find(|&node| node as usize >= points)
    }

    /// Gives every noted node another number.
    pub fn renumber(&mut self, new_id: impl Fn(u32) -> u32) {
        for node in &mut self.nodes {
            *node = new_id(*node);
        }
    }

    /// Drops the nodes that are no corner of any cell or face of a group from a checked mesh, and
    /// says what that leaves out, also of features.
    pub fn drop_nodes(self, mesh: &mut SolidMesh, features: &mut [Feature]) -> Vec<String> {
        if self.is_empty() {
            return Vec::new();
        }
        let mut dropped = vec![false; mesh.points.len()];
        for &node in &self.nodes {
            dropped[node as usize] = true;
        }
        let cells = (0..mesh.cells.len()).map(|cell| mesh.cells.vertices(cell));
        let faces = mesh.face_groups.iter().map(|group| group.faces.vertices());
        for &corner in cells.chain(faces).flatten() {
            dropped[corner as usize] = false;
        }
        let count = dropped.iter().filter(|&&dropped| dropped).count();
        let [creases, corners, parts] =
            if count > 0 { compact(mesh, features, &dropped) } else { [0; 3] };
        let kinds: Vec<String> =
            self.kinds.iter().map(|(kind, count)| format!("{kind}: {count}")).collect();
        let kinds = kinds.join(", ");
        // all of them may be corners of other cells
        let what = if count > 0 { counted(count, "mid-side node") } else { "the curvature".into() };
        let nodes =
            format!("{what} of high-order cells, which are read by their corners ({kinds})");
        let lost = |count: usize, what: &str| {
            (count > 0).then(|| format!("{} at mid-side nodes", counted(count, what)))
        };
        let parts = lost(parts, "part of a curve");
        [Some(nodes), lost(creases, "crease"), lost(corners, "corner"), parts]
            .into_iter()
            .flatten()
            .collect()
    }
}

/// Nodes of a hexahedron of VTK. Files before version 2.2 list them, of Lagrange hexahedra, with
/// edges 2–6 and 3–7 exchanged: taken so where that bends these edges less.
fn upright(mut nodes: Vec<u32>, points: &[[f64; 3]]) -> Vec<u32> {
    let edge = match nodes.len() {
        20 | 24 => 1,
        count => (2..).find(|order| (order + 1usize).pow(3) >= count).unwrap_or(2) - 1,
    };
    let start = [8 + 10 * edge, 8 + 11 * edge];
    let far = |[a, b]: [usize; 2], start: usize| -> f64 {
        let sum = |d: usize, ids: &[u32]| ids.iter().map(|&v| points[v as usize][d]).sum::<f64>();
        let own = &nodes[start..start + edge];
        let ends = [nodes[a], nodes[b]];
        (0..3).map(|d| (sum(d, own) / edge as f64 - sum(d, &ends) / 2.0).powi(2)).sum()
    };
    let [a, b] = [[2, 6], [3, 7]];
    if far(a, start[1]) + far(b, start[0]) < far(a, start[0]) + far(b, start[1]) {
        let (low, high) = nodes.split_at_mut(start[1]);
        low[start[0]..].swap_with_slice(&mut high[..edge]);
    }
    nodes
}

/// Removes the dropped vertices and numbers the others anew; returns how many creases end at
/// dropped ones, and how many corners and parts of features are at them.
fn compact(mesh: &mut SolidMesh, features: &mut [Feature], dropped: &[bool]) -> [usize; 3] {
    let mut kept = 0;
    // new_ids: [vertex before]
    let new_ids: Vec<Option<u32>> = dropped
        .iter()
        .map(|&dropped| {
            let id = kept;
            kept += u32::from(!dropped);
            (!dropped).then_some(id)
        })
        .collect();
    let new_id = |vertex: u32| new_ids[vertex as usize];
    retain_rows(&mut mesh.points, 1, dropped);
    for Attribute { width, values, .. } in &mut mesh.attributes {
        retain_rows(values, *width, dropped);
    }
    mesh.cells.renumber(|vertex| new_id(vertex).unwrap_or(vertex));
    for group in &mut mesh.face_groups {
        // corners of faces stay
        group.faces.renumber(|vertex| new_id(vertex).unwrap_or(vertex));
    }
    let mut parts = 0;
    for Feature { edges, vertices, .. } in features {
        parts += edges.len() + vertices.len();
        let ends = edges.iter().filter_map(|&[a, b]| Some([new_id(a)?, new_id(b)?]));
        let points = vertices.iter().filter_map(|&v| new_id(v));
        (*edges, *vertices) = (ends.collect(), points.collect());
        parts -= edges.len() + vertices.len();
    }
    let creases = std::mem::take(&mut mesh.creases);
    let before = [creases.edges.len(), creases.corners.len()];
    for crease in creases.edges {
        if let [Some(a), Some(b)] = crease.edge().map(|v| new_id(v.0)) {
            mesh.creases.push_edge(a, b, crease.sharpness);
        }
    }
    for corner in creases.corners {
        if let Some(vertex) = new_id(corner.vertex.0) {
            mesh.creases.push_corner(vertex, corner.sharpness);
        }
    }
    let [edges, corners] = before;
    [edges - mesh.creases.edges.len(), corners - mesh.creases.corners.len(), parts]
}

/// Keeps the rows of `width` values whose vertex is not dropped.
pub(super) fn retain_rows<T: Copy>(rows: &mut Vec<T>, width: usize, dropped: &[bool]) {
    let mut kept = 0;
    for (row, _) in dropped.iter().enumerate().filter(|&(_, &dropped)| !dropped) {
        rows.copy_within(row * width..(row + 1) * width, kept * width);
        kept += 1;
    }
    rows.truncate(kept * width);
}
