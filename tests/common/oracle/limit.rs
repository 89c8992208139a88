//! Limit points of solids by local explicit refinement alone.
//!
//! The cells that touch the cell in question are refined, the child with the
//! parameter takes its place, and so on until its control net is a plain grid:
//! there the limit is a tricubic spline. Every level subtracts a local origin
//! and doubles the scale, so neither the depth nor the distance from the origin
//! costs precision in positions and first derivatives. Second derivatives lose
//! about a bit a level: they are differences of a net that is nearly affine.

use super::hash::{Map, Set};
use super::incidence::{Incidence, face_key};
use super::solid::{CORNERS, Cell, Solid, VertexRule};
use super::spline::tricubic;
use super::surface::Stars;
use super::vector::{ORIGIN, Point, add, combine, scale, sub};

/// Levels after which a net that never becomes a grid counts as its limit.
const LEVELS: usize = 60;

#[derive(Clone, Copy, Debug)]
pub struct Limit {
    pub position: Point,
    /// `None` exactly at extraordinary edges and vertices, and at creases that
    /// are not the edge of a box.
    pub derivatives: Option<Derivatives>,
    /// Refinements until the net was a grid.
    pub depth: usize,
}

#[derive(Clone, Copy, Debug)]
pub struct Derivatives {
    /// `first[a]`: by parameter a of u, v, w.
    pub first: [Point; 3],
    /// `second[a][b]`: by parameters a and b.
    pub second: [[Point; 3]; 3],
}

/// The limit at `parameters` in [0, 1]³ of a hexahedral cell.
pub fn evaluate(solid: &Solid, rule: VertexRule, cell: usize, parameters: [f64; 3]) -> Limit {
    descend(solid.ring(cell), rule, parameters, 0)
}

/// The limit in cell 0 of a patch of all cells that touch it.
fn descend(mut patch: Solid, rule: VertexRule, t: [f64; 3], depth: usize) -> Limit {
    let origin = patch.points[patch.cells[0].hexahedron()[0]];
    for point in &mut patch.points {
        *point = sub(*point, origin);
    }
    let incidence = Incidence::of(&patch);
    let mut limit = if let Some(net) = regular_net(&patch, &incidence) {
        let by = |orders| tricubic(&net, orders, t);
        let unit = |a: usize| std::array::from_fn(|d| usize::from(d == a));
        let pair = |a: usize, b: usize| {
            by(std::array::from_fn(|d| usize::from(d == a) + usize::from(d == b)))
        };
        let first = std::array::from_fn(|a| by(unit(a)));
        let second = std::array::from_fn(|a| std::array::from_fn(|b| pair(a, b)));
        Limit { position: by([0; 3]), derivatives: Some(Derivatives { first, second }), depth }
    } else if depth == LEVELS {
        Limit { position: trilinear(&patch, t), derivatives: None, depth }
    } else {
        let half = t.map(|x| usize::from(x >= 0.5));
        let child = CORNERS.iter().position(|&corner| corner == half).expect("a corner");
        let mut next = patch.refine_with(&incidence, rule).ring(child);
        for point in &mut next.points {
            *point = scale(*point, 2.0);
        }
        let t = std::array::from_fn(|d| 2.0 * t[d] - half[d] as f64);
        let mut limit = descend(next, rule, t, depth + 1);
        // Points were doubled and so were parameters: first derivatives stay.
        limit.position = scale(limit.position, 0.5);
        if let Some(derivatives) = &mut limit.derivatives {
            derivatives.second = derivatives.second.map(|row| row.map(|d| scale(d, 2.0)));
        }
        limit
    };
    limit.position = add(limit.position, origin);
    limit
}

/// Between the corners of cell 0. At an extraordinary vertex this is the vertex,
/// at an extraordinary edge it is on the edge.
fn trilinear(patch: &Solid, t: [f64; 3]) -> Point {
    let corners = patch.cells[0].hexahedron();
    CORNERS.iter().zip(corners).fold(ORIGIN, |sum, (corner, v)| {
        let weight = |d: usize| if corner[d] == 1 { t[d] } else { 1.0 - t[d] };
        add(sum, scale(patch.points[v], weight(0) * weight(1) * weight(2)))
    })
}

/// The 4×4×4 net of cell 0 if the patch is a grid of cells, cut off by boundary
/// on any side; `net[i][j][k]` along u, v, w.
fn regular_net(patch: &Solid, incidence: &Incidence) -> Option<[[[Point; 4]; 4]; 4]> {
    if patch.cells.iter().any(|cell| matches!(cell, Cell::Polyhedron { .. }))
        || !has_natural_ends(patch, incidence)
    {
        return None;
    }
    let positions = grid_positions(patch, incidence)?;
    let mut net: Map<[i32; 3], Point> =
        positions.iter().map(|(&v, &position)| (position, patch.points[v])).collect();
    // A missing layer is the natural end of a spline: p₋₁ = 2p₀ − p₁.
    for axis in 0..3 {
        for (missing, step) in [(0, 1), (3, -1)] {
            if net.keys().any(|position| position[axis] == missing) {
                continue;
            }
            let at = |mut position: [i32; 3], along: i32| {
                position[axis] = along;
                position
            };
            let edge: Vec<_> = net.keys().copied().filter(|p| p[axis] == missing + step).collect();
            for position in edge {
                let (p0, p1) = (net[&position], net[&at(position, missing + 2 * step)]);
                net.insert(at(position, missing), combine([(2.0, p0), (-1.0, p1)]));
            }
        }
    }
    let index = |i, j, k| net[&[i as i32, j as i32, k as i32]];
    Some(std::array::from_fn(|i| std::array::from_fn(|j| std::array::from_fn(|k| index(i, j, k)))))
}

/// Whether the boundary around cell 0's corners is smooth, except for edges of a
/// box, which must be infinitely sharp.
fn has_natural_ends(patch: &Solid, incidence: &Incidence) -> bool {
    let skin = patch.skin();
    let stars = Stars::of(&skin);
    patch.cells[0].corners().iter().filter(|v| stars.vertex_edges.contains_key(v)).all(|v| {
        let edges = &stars.vertex_edges[v];
        let box_edge = |e| incidence.edge_cells[incidence.edge_of[e]].len() == 1;
        let fixed = edges.iter().all(box_edge); // a box corner stays where it is
        edges.iter().all(|e| stars.sharpness(*e) == if box_edge(e) { f64::INFINITY } else { 0.0 })
            && (fixed || patch.corners.get(v).is_none_or(|&s| s == 0.0))
    })
}

/// Grid positions of the patch's vertices, 1 and 2 being cell 0's own along each
/// axis, if its cells are a grid.
fn grid_positions(patch: &Solid, incidence: &Incidence) -> Option<Map<usize, [i32; 3]>> {
    let mut positions: Map<usize, [i32; 3]> = Map::default();
    let mut vertices: Map<[i32; 3], usize> = Map::default();
    let mut offsets = vec![None; patch.cells.len()]; // of cells from cell 0
    offsets[0] = Some([0; 3]);
    let mut open = vec![0];
    for (corner, v) in CORNERS.iter().zip(patch.cells[0].hexahedron()) {
        let position = corner.map(|x| x as i32 + 1);
        positions.insert(v, position);
        vertices.insert(position, v);
    }
    while let Some(c) = open.pop() {
        let offset: [i32; 3] = offsets[c]?;
        for face in patch.cells[c].faces() {
            let below = off_face(patch, c, &face, face[0]);
            let outward = difference(positions[&face[0]], positions[&below]);
            let next_offset = sum(offset, outward);
            if next_offset.iter().any(|x| x.abs() > 1) {
                continue;
            }
            let cells = &incidence.face_cells[incidence.face_of[&face_key(&face)]];
            let Some(&next) = cells.iter().find(|&&other| other != c) else { continue };
            match offsets[next] {
                Some(known) if known == next_offset => {}
                Some(_) => return None,
                None => {
                    offsets[next] = Some(next_offset);
                    open.push(next);
                }
            }
            for v in face.iter().copied() {
                let beyond = off_face(patch, next, &face, v);
                let position = sum(positions[&v], outward);
                if *positions.entry(beyond).or_insert(position) != position
                    || *vertices.entry(position).or_insert(beyond) != beyond
                {
                    return None;
                }
            }
        }
    }
    let offsets: Option<Set<[i32; 3]>> = offsets.into_iter().collect();
    let offsets = offsets?;
    let along = |d: usize| offsets.iter().map(|o| o[d]).collect::<Set<i32>>().len();
    (offsets.len() == along(0) * along(1) * along(2)).then_some(positions)
}

/// The corner of `cell` at the other end of the edge that leaves `face` at `v`.
fn off_face(patch: &Solid, cell: usize, face: &[usize], v: usize) -> usize {
    let corners = patch.cells[cell].hexahedron();
    let at = corners.iter().position(|&corner| corner == v).expect("a corner of the cell");
    let adjacent = |i: &usize| (0..3).filter(|&d| CORNERS[at][d] != CORNERS[*i][d]).count() == 1;
    let mut ends = (0..8).filter(adjacent).map(|i| corners[i]);
    ends.find(|end| !face.contains(end)).expect("one edge leaves the face")
}

fn sum(a: [i32; 3], b: [i32; 3]) -> [i32; 3] {
    std::array::from_fn(|d| a[d] + b[d])
}

fn difference(a: [i32; 3], b: [i32; 3]) -> [i32; 3] {
    std::array::from_fn(|d| a[d] - b[d])
}
