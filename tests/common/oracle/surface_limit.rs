//! Limit points of surfaces by local explicit refinement alone: [`super::limit`]
//! one dimension lower.

use super::hash::{Map, Set};
use super::spline::bicubic;
use super::surface::{Edge, Stars, Surface, edge};
use super::vector::{ORIGIN, Point, add, combine, scale, sub};

/// Levels after which a net that never becomes a grid counts as its limit.
const LEVELS: usize = 60;

/// u, v of a quad's corners.
const CORNERS: [[usize; 2]; 4] = [[0, 0], [1, 0], [1, 1], [0, 1]];

#[derive(Clone, Copy, Debug)]
pub struct Limit {
    pub position: Point,
    /// By u and v; `None` exactly at extraordinary vertices and at creases.
    pub first: Option<[Point; 2]>,
}

/// The limit at `parameters` in [0, 1]² of a quad.
pub fn evaluate(surface: &Surface, face: usize, parameters: [f64; 2]) -> Limit {
    descend(ring(surface, face), parameters, 0)
}

/// The limit in face 0 of a patch of all faces that touch it.
fn descend(mut patch: Surface, t: [f64; 2], depth: usize) -> Limit {
    let origin = patch.points[patch.faces[0][0]];
    for point in &mut patch.points {
        *point = sub(*point, origin);
    }
    let stars = Stars::of(&patch);
    let mut limit = if let Some(net) = regular_net(&patch, &stars) {
        let by = |orders| bicubic(&net, orders, t);
        Limit { position: by([0, 0]), first: Some([by([1, 0]), by([0, 1])]) }
    } else if depth == LEVELS {
        Limit { position: bilinear(&patch, t), first: None }
    } else {
        let half = t.map(|x| usize::from(x >= 0.5));
        let child = CORNERS.iter().position(|&corner| corner == half).expect("a corner");
        let mut next = ring(&patch.refine_with(&stars), child);
        for point in &mut next.points {
            *point = scale(*point, 2.0);
        }
        let t = std::array::from_fn(|d| 2.0 * t[d] - half[d] as f64);
        let mut limit = descend(next, t, depth + 1);
        limit.position = scale(limit.position, 0.5); // first derivatives stay
        limit
    };
    limit.position = add(limit.position, origin);
    limit
}

/// The piece of all faces that touch `face`, which becomes face 0; by Chaikin's rule those that
/// touch these, too.
pub fn ring(surface: &Surface, face: usize) -> Surface {
    let touching = |center: &Set<usize>| -> Vec<usize> {
        let touches = |f: &usize| surface.faces[*f].iter().any(|v| center.contains(v));
        (0..surface.faces.len()).filter(touches).collect()
    };
    let mut others = touching(&surface.faces[face].iter().copied().collect());
    if surface.chaikin && surface.creases.values().any(|s| s.is_finite()) {
        // points of edges depend on the edges at both of their ends
        let vertices = others.iter().flat_map(|&f| surface.faces[f].iter().copied());
        others = touching(&vertices.collect());
    }
    others.retain(|&f| f != face);

    let mut piece = Surface { chaikin: surface.chaikin, ..Surface::default() };
    let mut moved: Map<usize, usize> = Map::default(); // old vertex → new vertex
    for f in std::iter::once(face).chain(others) {
        let rename = |&v: &usize| {
            *moved.entry(v).or_insert_with(|| {
                piece.points.push(surface.points[v]);
                piece.points.len() - 1
            })
        };
        let renamed: Vec<usize> = surface.faces[f].iter().map(rename).collect();
        piece.faces.push(renamed);
    }
    assert!(piece.points.iter().flatten().all(|x| x.is_finite()), "a ring reaches beyond a cut");

    let edges: Set<Edge> = sides(&piece.faces).collect();
    let kept =
        |&(a, b): &Edge| Some(edge(*moved.get(&a)?, *moved.get(&b)?)).filter(|e| edges.contains(e));
    piece.open = surface.open.iter().filter_map(kept).collect();
    piece.creases = surface.creases.iter().filter_map(|(e, &s)| Some((kept(e)?, s))).collect();
    let corners = surface.corners.iter().filter_map(|(v, &s)| Some((*moved.get(v)?, s)));
    piece.corners = corners.collect();
    piece
}

/// The edges of faces, those of two faces twice.
fn sides(faces: &[Vec<usize>]) -> impl Iterator<Item = Edge> {
    faces
        .iter()
        .flat_map(|face| (0..face.len()).map(move |i| edge(face[i], face[(i + 1) % face.len()])))
}

fn bilinear(patch: &Surface, t: [f64; 2]) -> Point {
    CORNERS.iter().zip(&patch.faces[0]).fold(ORIGIN, |sum, (corner, &v)| {
        let weight = |d: usize| if corner[d] == 1 { t[d] } else { 1.0 - t[d] };
        add(sum, scale(patch.points[v], weight(0) * weight(1)))
    })
}

/// The 4×4 net of face 0, `net[i][j]` along u and v, if the patch is a grid of
/// quads, cut off by boundary edges on any side.
pub fn regular_net(patch: &Surface, stars: &Stars) -> Option<[[Point; 4]; 4]> {
    if patch.faces.iter().any(|face| face.len() != 4) || !has_natural_ends(patch, stars) {
        return None;
    }
    let mut net: Map<[i32; 2], Point> = grid_positions(patch, stars)?
        .iter()
        .map(|(&v, &position)| (position, patch.points[v]))
        .collect();
    for axis in 0..2 {
        for (missing, step) in [(0, 1), (3, -1)] {
            if net.keys().any(|position| position[axis] == missing) {
                continue;
            }
            for other in 0..4 {
                let at = |along| if axis == 0 { [along, other] } else { [other, along] };
                if let Some(&p0) = net.get(&at(missing + step)) {
                    let p1 = net[&at(missing + 2 * step)];
                    net.insert(at(missing), combine([(2.0, p0), (-1.0, p1)]));
                }
            }
        }
    }
    Some(std::array::from_fn(|i| std::array::from_fn(|j| net[&[i as i32, j as i32]])))
}

/// Whether no crease or corner is around face 0's corners, except for corners of
/// the surface with one face, which must be infinitely sharp.
fn has_natural_ends(patch: &Surface, stars: &Stars) -> bool {
    patch.faces[0].iter().all(|v| {
        let is_end = |e: &Edge| patch.open.contains(e) && stars.edge_faces[e].len() == 1;
        let smooth = |e: &Edge| is_end(e) || stars.sharpness(*e) == 0.0;
        let corner = patch.corners.get(v).copied().unwrap_or(0.0);
        let needed = if stars.vertex_faces[v].len() == 1 { f64::INFINITY } else { 0.0 };
        stars.vertex_edges[v].iter().all(smooth) && corner == needed
    })
}

/// Grid positions of the patch's vertices, 1 and 2 being face 0's own along each
/// axis, if its faces are a grid.
fn grid_positions(patch: &Surface, stars: &Stars) -> Option<Map<usize, [i32; 2]>> {
    let mut positions: Map<usize, [i32; 2]> = Map::default();
    let mut vertices: Map<[i32; 2], usize> = Map::default();
    for (corner, &v) in CORNERS.iter().zip(&patch.faces[0]) {
        let position = corner.map(|x| x as i32 + 1);
        positions.insert(v, position);
        vertices.insert(position, v);
    }
    let mut offsets = vec![None; patch.faces.len()]; // of faces from face 0
    offsets[0] = Some([0, 0]);
    let mut pending = vec![0];
    while let Some(f) = pending.pop() {
        let offset: [i32; 2] = offsets[f]?;
        let face = &patch.faces[f];
        for i in 0..4 {
            let [a, b, below] = [i, (i + 1) % 4, (i + 3) % 4].map(|i| face[i]);
            let outward: [i32; 2] =
                std::array::from_fn(|d| positions[&a][d] - positions[&below][d]);
            let next_offset: [i32; 2] = std::array::from_fn(|d| offset[d] + outward[d]);
            let Some(&next) = stars.edge_faces[&edge(a, b)].iter().find(|&&other| other != f)
            else {
                continue;
            };
            if next_offset.iter().any(|x| x.abs() > 1) {
                continue;
            }
            match offsets[next] {
                Some(known) if known == next_offset => {}
                Some(_) => return None,
                None => {
                    offsets[next] = Some(next_offset);
                    pending.push(next);
                }
            }
            for (v, along) in [(a, b), (b, a)] {
                let beyond = off_edge(&patch.faces[next], v, along);
                let position = std::array::from_fn(|d| positions[&v][d] + outward[d]);
                if *positions.entry(beyond).or_insert(position) != position
                    || *vertices.entry(position).or_insert(beyond) != beyond
                {
                    return None;
                }
            }
        }
    }
    let offsets: Option<Set<[i32; 2]>> = offsets.into_iter().collect();
    let offsets = offsets?;
    let along = |d: usize| offsets.iter().map(|o| o[d]).collect::<Set<i32>>().len();
    (offsets.len() == along(0) * along(1)).then_some(positions)
}

/// The neighbor of `v` in a quad that is not `along`.
fn off_edge(quad: &[usize], v: usize, along: usize) -> usize {
    let at = quad.iter().position(|&corner| corner == v).expect("a corner of the quad");
    let (before, after) = (quad[(at + 3) % 4], quad[(at + 1) % 4]);
    if after == along { before } else { after }
}
