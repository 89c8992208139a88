//! Tangents at extraordinary points: weights of two vectors that span the tangent plane.
//!
//! # Theory
//! The vertex, its spokes eᵢ and, of quads, the far corners fᵢ refine to themselves. Of
//! that matrix the left eigenvectors of the two largest eigenvalues below 1 are the
//! weights of the tangents (Halstead, Kass and DeRose 1993; Reif 1995).
//! - Smooth vertex of valence n: spokes cos iθ and sin iθ, θ = 2π/n.
//! - Crease and boundary between k faces: along it e₀ − eₖ, the tangent of its spline
//!   curve; across it spokes sin iθ, θ = π/k, and what the eigenvector demands of e₀, eₖ
//!   and the vertex (the masks of Biermann, Levin and Zorin 2000 come from the same
//!   equations).
//! - Corner of one quad, of one or two triangles: its two edges.
//! - Dart: the eigenvectors, computed.
//!
//! λ by c = cos θ, and what fᵢ has of its spokes, are facts of the scheme
//! ([`LimitScheme`]).
//!
//! # Practice
//! Where the eigenvalues leave no tangent plane there is none here: at an inner vertex that
//! stays in place, at a corner of more faces, at valence 2, and beside a crease of four
//! quads or six triangles and more, where the second sine shrinks no faster than the
//! crease, and the normal depends on the way toward the vertex.

use faer::Mat;

use super::connectivity::Connectivity;
use super::frame::{FaceFrame, FaceSector};
use super::refine::refine;
use super::rules::LimitRule;
use crate::mesh::Creases;
use crate::scheme::{FaceShape, LimitScheme, Scheme};

/// Weights `[vertex]` of two tangents at the origin of `frame`, the second to the left of
/// the first; `None` where there is no tangent plane.
pub(super) fn tangents(
    connectivity: &Connectivity,
    frame: FaceFrame,
    rule: LimitRule,
) -> Option<[Vec<f64>; 2]> {
    let sector = connectivity.sector(frame);
    let ring = VertexFan::new(connectivity, &sector);
    let faces = sector.frames.len();
    match rule {
        LimitRule::Smooth if sector.closed && faces > 2 => {
            let angle = std::f64::consts::TAU / faces as f64;
            let wave = |phase: f64| {
                let spokes = |i: usize| (i as f64 * angle - phase).cos();
                ring.weights(spokes, ring.across(angle.cos()), 0.0)
            };
            Some([wave(0.0), wave(std::f64::consts::FRAC_PI_2)])
        }
        LimitRule::Crease if ring.has_crease_plane() => {
            let end = |i: usize| f64::from(u8::from(i == 0)) - f64::from(u8::from(i == faces));
            Some([ring.weights(end, 0.0, 0.0), ring.crease_across()])
        }
        LimitRule::Corner if !sector.closed && faces <= ring.corner_faces() => {
            let edge = |at: usize| ring.weights(|i| f64::from(u8::from(i == at)), 0.0, -1.0);
            Some([edge(0), edge(faces)])
        }
        LimitRule::Dart if faces > 2 => computed(connectivity, &sector),
        _ => None,
    }
}

/// A vertex, its spokes and far corners.
struct VertexFan {
    scheme: Scheme,
    masks: &'static dyn LimitScheme,
    vertex_count: usize,
    center: u32,
    // from the right wall on, one more than faces; the first again where it is closed
    spokes: Vec<u32>,
    far: Vec<u32>,
    closed: bool,
}

impl VertexFan {
    fn new(connectivity: &Connectivity, sector: &FaceSector) -> Self {
        let frames = &sector.frames;
        let mut spokes: Vec<u32> = frames.iter().map(|&f| connectivity.vertex(f, 1)).collect();
        let sides = connectivity.scheme.shape().sides();
        spokes.extend(frames.last().map(|&f| connectivity.vertex(f, sides - 1)));
        Self {
            scheme: connectivity.scheme,
            masks: connectivity.masks,
            vertex_count: connectivity.vertex_count(),
            center: connectivity.vertex(frames[0], 0),
            spokes,
            far: frames.iter().map(|&f| connectivity.vertex(f, 2)).collect(),
            closed: sector.closed,
        }
    }

    fn faces(&self) -> usize {
        self.far.len()
    }

    fn eigenvalue(&self, c: f64) -> f64 {
        self.masks.eigenvalue(c)
    }

    /// What a far corner has of its two spokes.
    fn across(&self, c: f64) -> f64 {
        self.masks.far_corner(c)
    }

    /// Most faces of a corner whose two edges span the tangent plane.
    fn corner_faces(&self) -> usize {
        self.masks.corner_faces()
    }

    /// Whether the second sine across a crease shrinks faster than the crease itself.
    fn has_crease_plane(&self) -> bool {
        let faces = self.faces();
        let second = (std::f64::consts::TAU / faces as f64).cos();
        faces == 1 || self.eigenvalue(second) < 0.5 - 1e-9
    }

    /// Weights from the spokes' weights, the far corners' part of them, and the weight of
    /// the vertex.
    fn weights(&self, spoke: impl Fn(usize) -> f64, across: f64, center: f64) -> Vec<f64> {
        let mut weights = vec![0.0; self.vertex_count];
        weights[self.center as usize] += center;
        let distinct = if self.closed { self.faces() } else { self.faces() + 1 };
        for (i, &e) in self.spokes[..distinct].iter().enumerate() {
            weights[e as usize] += spoke(i);
        }
        if self.scheme.shape() == FaceShape::Quad {
            for (i, &f) in self.far.iter().enumerate() {
                weights[f as usize] += across * (spoke(i) + spoke(i + 1));
            }
        }
        weights
    }

    /// The left eigenvector of the first sine across a crease.
    fn crease_across(&self) -> Vec<f64> {
        let faces = self.faces();
        if faces == 1 {
            // the bend of the crease curve itself
            return self.weights(|_| 1.0, 0.0, -2.0);
        }
        let angle = std::f64::consts::PI / faces as f64;
        let (eigenvalue, across) = (self.eigenvalue(angle.cos()), self.across(angle.cos()));
        let inner = |i: usize| if i == 0 || i == faces { 0.0 } else { (i as f64 * angle).sin() };
        let far = |i: usize| across * (inner(i) + inner(i + 1));
        let (spokes, fars) = ((0..faces).map(inner).sum::<f64>(), (0..faces).map(far).sum::<f64>());
        // what e₀ and the vertex get from the others
        let [to_end, to_center] = self.masks.crease_ring(inner(1), far(0), spokes, fars);
        // λx = x/2 + y/8 + to_end, λy = x + 3y/4 + to_center for x of the ends, y of the vertex
        let determinant = (eigenvalue - 1.0) * (eigenvalue - 0.25);
        let end = (to_end * (eigenvalue - 0.75) + to_center / 8.0) / determinant;
        let center = (to_center * (eigenvalue - 0.5) + to_end) / determinant;
        let mut weights = self.weights(inner, across, center);
        for at in [0, faces] {
            weights[self.spokes[at] as usize] += end;
        }
        weights
    }
}

/// The tangents by eigenvectors of the ring's own subdivision matrix.
fn computed(connectivity: &Connectivity, sector: &FaceSector) -> Option<[Vec<f64>; 2]> {
    let (matrix, vertices) = ring_matrix(connectivity, sector)?;
    let eigen = matrix.eigen().ok()?;
    let (vectors, values) = (eigen.U(), eigen.S());
    let mut order: Vec<usize> = (0..vertices.len()).collect();
    order.sort_by(|&i, &j| values[j].norm().total_cmp(&values[i].norm()));
    let &[_, first, second, third, ..] = &order[..] else { return None };
    let apart = values[second].norm() > 1.000_001 * values[third].norm();
    if !apart || [first, second].iter().any(|&k| values[k].im.abs() > 1e-12) {
        return None;
    }
    use faer::linalg::solvers::DenseSolveCore;
    let inverse = vectors.partial_piv_lu().inverse();
    // does the map by the right eigenvectors turn left as well?
    let at = |v: u32| vertices.iter().position(|&x| x == v);
    let mut turn = 0.0;
    for &frame in &sector.frames {
        let [u, v] = [1, connectivity.scheme.shape().sides() - 1]
            .map(|steps| at(connectivity.vertex(frame, steps)));
        let (u, v) = (u?, v?);
        let entry = |i: usize, k: usize| (vectors[(i, k)] - vectors[(0, k)]).re;
        turn += entry(u, first) * entry(v, second) - entry(u, second) * entry(v, first);
    }
    let left = |k: usize, sign: f64| {
        let mut weights = vec![0.0; connectivity.vertex_count()];
        for (j, &v) in vertices.iter().enumerate() {
            weights[v as usize] = sign * inverse[(k, j)].re;
        }
        weights
    };
    Some([left(first, 1.0), left(second, turn.signum())])
}

/// The subdivision matrix of a vertex's ring, and the ring's vertices, the vertex first.
fn ring_matrix(connectivity: &Connectivity, sector: &FaceSector) -> Option<(Mat<f64>, Vec<u32>)> {
    let mut vertices: Vec<u32> = Vec::new();
    let mut corners = Vec::new();
    for &frame in &sector.frames {
        for v in connectivity.cycle(frame) {
            let label = vertices.iter().position(|&x| x == v).unwrap_or_else(|| {
                vertices.push(v);
                vertices.len() - 1
            });
            corners.push(label as u32);
        }
    }
    let mut creases = Creases::default();
    // an open sector begins at the end of the crease
    let wall = connectivity.u_edge(*sector.frames.first()?);
    let label = |v: u32| vertices.iter().position(|&x| x == v).map(|at| at as u32);
    let [a, b] = connectivity.edge_ends(wall).map(label);
    creases.push_edge(a?, b?, f64::INFINITY);
    let (scheme, masks) = (connectivity.scheme, connectivity.masks);
    let mut ring = Connectivity::of_faces(corners, vertices.len(), scheme, masks);
    ring.resolve(&creases).ok()?;
    let step = refine(&ring, None).ok()?;
    let mut matrix = Mat::zeros(vertices.len(), vertices.len());
    for (child, &(parent, number)) in step.parents.iter().enumerate() {
        if number == 0 {
            let (coarse, fine) = (ring.face(parent as usize), step.connectivity.face(child));
            for (&row, &refined) in coarse.iter().zip(fine) {
                for (column, weight) in step.stencils.row(refined as usize) {
                    matrix[(row as usize, column as usize)] = weight;
                }
            }
        }
    }
    Some((matrix, vertices))
}
