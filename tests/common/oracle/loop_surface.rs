//! Loop surfaces by explicit refinement, and their limit by refinement without end.
//!
//! Creases, corners and boundaries as in [`super::surface`].

use super::hash::Map;

use super::surface::{Edge, Stars, Surface, decayed, edge};
use super::surface_limit::ring;
use super::vector::{ORIGIN, Point, UNKNOWN, add, combine, scale, sub};

/// Levels after which a triangle counts as its limit: derivatives are right to 2⁻ᴸ.
const LEVELS: usize = 52;

/// One refinement of triangles. The children of face f are 4f to 4f + 2 at its corners,
/// which keep its axes, and 4f + 3 in the middle, permuted by half a turn.
pub fn refine(surface: &Surface) -> Surface {
    let stars = Stars::of(surface);
    let start = surface.points.len();
    let at_edge: Map<Edge, usize> =
        stars.edges.iter().enumerate().map(|(i, &e)| (e, start + i)).collect();
    let mut points: Vec<Point> = (0..start).map(|v| vertex_point(surface, &stars, v)).collect();
    points.extend(stars.edges.iter().map(|&e| edge_point(surface, &stars, e)));

    let mut faces = Vec::new();
    for face in &surface.faces {
        let [a, b, c] = face[..] else { panic!("a triangle") };
        let [ab, bc, ca] = [(a, b), (b, c), (c, a)].map(|(a, b)| at_edge[&edge(a, b)]);
        faces.extend([vec![a, ab, ca], vec![ab, b, bc], vec![ca, bc, c], vec![bc, ca, ab]]);
    }
    let halves = |e: Edge| [edge(e.0, at_edge[&e]), edge(e.1, at_edge[&e])];
    let creases = stars.refined_creases(&at_edge);
    let corners = surface.corners.iter().filter_map(|(&v, &s)| Some((v, decayed(s)?))).collect();
    let open = surface.open.iter().flat_map(|&e| halves(e)).collect();
    Surface { points, faces, open, creases, corners, chaikin: surface.chaikin }
}

fn edge_point(surface: &Surface, stars: &Stars, e: Edge) -> Point {
    stars.sharp_edge(e, || {
        let (a, b) = (surface.points[e.0], surface.points[e.1]);
        let opposite = |f: usize| {
            let face = &surface.faces[f];
            surface.points[*face.iter().find(|&&v| v != e.0 && v != e.1).expect("a third corner")]
        };
        let [c, d] = stars.edge_faces[&e][..] else { panic!("two faces at {e:?}") };
        combine([(0.375, a), (0.375, b), (0.125, opposite(c)), (0.125, opposite(d))])
    })
}

fn vertex_point(surface: &Surface, stars: &Stars, v: usize) -> Point {
    let p = surface.points[v];
    let Some(edges) = stars.vertex_edges.get(&v) else { return p };
    if edges.iter().any(|&e| stars.is_cut(e)) {
        return UNKNOWN;
    }
    let other = |e: Edge| surface.points[if e.0 == v { e.1 } else { e.0 }];
    let n = edges.len() as f64;
    let cosine = (2.0 * std::f64::consts::PI / n).cos();
    let beta = (5.0 / 8.0 - (3.0 / 8.0 + cosine / 4.0).powi(2)) / n;
    let around = edges.iter().fold(ORIGIN, |sum, &e| add(sum, scale(other(e), beta)));
    let smooth = add(scale(p, 1.0 - n * beta), around);
    stars.sharp_vertex(v, smooth)
}

/// Position and first derivatives by u and v (u along the face's 0→1, v along 0→2).
pub fn evaluate(surface: &Surface, face: usize, [u, v]: [f64; 2]) -> [Point; 3] {
    let (mut patch, mut t) = (ring(surface, face), [u, v]);
    // what the patch is short of: position = offset + patch · 2⁻ᵈᵉᵖᵗʰ
    let (mut offset, mut size, mut sign) = (ORIGIN, 1.0, 1.0);
    for _ in 0..LEVELS {
        let origin = patch.points[patch.faces[0][0]];
        offset = add(offset, scale(origin, size));
        for point in &mut patch.points {
            *point = sub(*point, origin);
        }
        let [a, b] = t.map(|x| 2.0 * x);
        let child;
        (child, t) = if a >= 1.0 {
            (1, [a - 1.0, b])
        } else if b >= 1.0 {
            (2, [a, b - 1.0])
        } else if a + b <= 1.0 {
            (0, [a, b])
        } else {
            sign = -sign;
            (3, [1.0 - a, 1.0 - b])
        };
        patch = ring(&refine(&patch), child);
        for point in &mut patch.points {
            *point = scale(*point, 2.0);
        }
        size *= 0.5;
    }
    let [p, q, r] = [0, 1, 2].map(|i| patch.points[patch.faces[0][i]]);
    let (along_u, along_v) = (sub(q, p), sub(r, p));
    let inside = add(p, add(scale(along_u, t[0]), scale(along_v, t[1])));
    [add(offset, scale(inside, size)), scale(along_u, sign), scale(along_v, sign)]
}
