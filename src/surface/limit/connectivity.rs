//! Incidence of faces, edges and vertices, and how sharp they are, as flat arrays.

use rayon::prelude::*;

use super::faces::{Faces, Scheme};
use crate::error::{Error, Result};
use crate::mesh::{CreaseRule, Creases};
use crate::scheme::{LimitScheme, Shape, crease};
use crate::topology::Rows;

/// A surface's incidence. A *side* is a face's edge from one corner to the next; sides
/// and corners are numbered alike, face by face.
pub(super) struct Connectivity {
    pub scheme: Scheme,
    // every edge and vertex is sharp
    linear: bool,
    /// Its masks.
    pub masks: &'static dyn LimitScheme,
    pub faces: Rows,
    pub vertex_count: usize,
    /// Edge of each side.
    pub side_edges: Vec<u32>,
    /// Face of each side.
    pub side_faces: Vec<u32>,
    /// Ends of each edge, the smaller first.
    pub edge_vertices: Vec<[u32; 2]>,
    pub edge_sides: Rows,
    /// Corners at each vertex.
    pub vertex_corners: Rows,
    /// How the sharpness of edges passes on.
    pub crease_rule: CreaseRule,
    // empty: smooth
    edge_sharpness: Vec<f64>,
    vertex_sharpness: Vec<f64>,
    // number of semi-sharp edges at each vertex and the sum of their sharpness, for Chaikin's
    // rule; also at vertices that a part of a surface has some of the edges of
    semi_sharp: Vec<(u32, f64)>,
}

impl Connectivity {
    /// The incidence of a control mesh.
    ///
    /// # Errors
    /// [`Error::Mesh`] for arrays that do not fit together, a face of fewer than three
    /// corners, with a corner that does not exist or comes twice, under
    /// [`Scheme::Loop`] with more than three, for a crease that is no edge, a corner
    /// that is no vertex, and a sharpness that is negative or not a number.
    pub fn new(faces: &Faces, scheme: Scheme) -> Result<Self> {
        let masks = masks_of(scheme)?;
        let rows = checked_rows(faces, scheme)?;
        let mut connectivity = Self::of_rows(rows, faces.vertex_count, scheme, masks);
        connectivity.crease_rule = faces.crease_rule;
        connectivity.resolve(faces.creases)?;
        if connectivity.is_chaikin() {
            let all = 0..connectivity.vertex_count as u32;
            let counts =
                all.map(|v| connectivity.semi_sharp_at(v, |e| connectivity.edge_sharpness(e)));
            connectivity.semi_sharp = counts.collect();
        }
        Ok(connectivity)
    }

    /// The incidence of faces that are known to be sound.
    pub fn of_rows(
        faces: Rows,
        vertex_count: usize,
        scheme: Scheme,
        masks: &'static dyn LimitScheme,
    ) -> Self {
        let corners = faces.items();
        let mut side_faces = vec![0; corners.len()];
        // (ends, side), sorted: sides of one edge stand together
        let mut keys: Vec<(u64, u32)> = vec![(0, 0); corners.len()];
        for f in 0..faces.len() {
            let (start, face) = (faces.start(f), faces.row(f));
            for (i, &a) in face.iter().enumerate() {
                let b = face[(i + 1) % face.len()];
                side_faces[start + i] = f as u32;
                keys[start + i] =
                    (u64::from(a.min(b)) << 32 | u64::from(a.max(b)), (start + i) as u32);
            }
        }
        keys.par_sort_unstable();
        let mut side_edges = vec![0; corners.len()];
        let mut edge_vertices = Vec::with_capacity(corners.len() / 2);
        let mut edge_sides = Rows::with_capacity(corners.len() / 2, corners.len());
        for sides in keys.chunk_by(|a, b| a.0 == b.0) {
            let key = sides[0].0;
            for (_, side) in sides {
                side_edges[*side as usize] = edge_vertices.len() as u32;
            }
            edge_vertices.push([(key >> 32) as u32, key as u32]);
            edge_sides.push(sides.iter().map(|(_, side)| *side));
        }
        let vertex_corners = Rows::uniform(corners.to_vec(), 1).transpose(vertex_count);
        Self {
            scheme,
            linear: scheme.rules().is_linear(),
            masks,
            faces,
            vertex_count,
            side_edges,
            side_faces,
            edge_vertices,
            edge_sides,
            vertex_corners,
            crease_rule: CreaseRule::Uniform,
            edge_sharpness: Vec::new(),
            vertex_sharpness: Vec::new(),
            semi_sharp: Vec::new(),
        }
    }

    /// Whether sharpness blends along creases.
    fn is_chaikin(&self) -> bool {
        self.crease_rule == CreaseRule::Chaikin && !self.edge_sharpness.is_empty()
    }

    /// Number and sum of the finite `sharpness` of edges at a vertex.
    fn semi_sharp_at(&self, vertex: u32, sharpness: impl Fn(u32) -> f64) -> (u32, f64) {
        let (mut count, mut sum) = (0, 0.0);
        self.vertex_edges(vertex, |e| {
            let s = sharpness(e);
            if s > 0.0 && s.is_finite() {
                count += 1;
                sum += s;
            }
        });
        (count, sum)
    }

    /// Takes over what Chaikin's rule needs of refined vertices from the coarse level: this part
    /// of the surface may lack some of their edges.
    pub fn refine_semi_sharp(&mut self, coarse: &Self, points: &[Source]) {
        if !coarse.is_chaikin() {
            return;
        }
        let of = |point: &Source| match *point {
            Source::Vertex(v) => coarse.semi_sharp_at(v, |e| coarse.half_sharpness(e, v)),
            Source::Edge(e) => {
                let halves = coarse.edge_vertices[e as usize].map(|v| coarse.half_sharpness(e, v));
                let finite = halves.into_iter().filter(|s| *s > 0.0 && s.is_finite());
                finite.fold((0, 0.0), |(count, sum), s| (count + 1, sum + s))
            }
            Source::Face(_) => (0, 0.0),
        };
        self.semi_sharp = points.iter().map(of).collect();
    }

    /// Takes creases and corners over.
    pub fn resolve(&mut self, creases: &Creases) -> Result<()> {
        if !creases.edges.is_empty() {
            self.edge_sharpness = vec![0.0; self.edge_vertices.len()];
        }
        if !creases.corners.is_empty() {
            self.vertex_sharpness = vec![0.0; self.vertex_count];
        }
        for crease in &creases.edges {
            let [a, b] = crease.edge.map(|v| v.0);
            check_value(crease.sharpness, || format!("crease of vertices {a} and {b}"))?;
            let edge = self.edge_between(a, b).ok_or_else(|| {
                Error::mesh(format!("crease of vertices {a} and {b}: the mesh has no such edge"))
                    .with_help("name the two end vertices of an edge, counted from 0")
            })?;
            self.edge_sharpness[edge as usize] = crease.sharpness;
        }
        for corner in &creases.corners {
            let v = corner.vertex.0 as usize;
            check_value(corner.sharpness, || format!("corner of vertex {v}"))?;
            *self.vertex_sharpness.get_mut(v).ok_or_else(|| {
                Error::mesh(format!("corner of vertex {v}: no such vertex"))
                    .with_help(format!("the mesh has {} vertices", self.vertex_count))
            })? = corner.sharpness;
        }
        Ok(())
    }

    /// The edge of two vertices, if there is one.
    pub fn edge_between(&self, a: u32, b: u32) -> Option<u32> {
        let ends = [a.min(b), a.max(b)];
        let at = self.edge_vertices.binary_search(&ends).ok()?;
        Some(at as u32)
    }

    /// Whether an edge has more than two faces, or two that run through it alike.
    pub fn is_non_manifold(&self, edge: u32) -> bool {
        let corners = self.faces.items();
        match *self.edge_sides.row(edge as usize) {
            [a, b] => corners[a as usize] == corners[b as usize],
            [] | [_] => false,
            _ => true,
        }
    }

    /// Sharpness of an edge, ≥ 0; infinite where the surface ends or is no oriented manifold, and
    /// by a linear scheme.
    pub fn edge_sharpness(&self, edge: u32) -> f64 {
        let is_end = self.edge_sides.row(edge as usize).len() == 1;
        if is_end || self.linear || self.is_non_manifold(edge) {
            return f64::INFINITY;
        }
        self.edge_sharpness.get(edge as usize).copied().unwrap_or(0.0)
    }

    /// Sharpness of the half of an edge at one of its ends, one level on: by Chaikin's rule
    /// that of the edge first blends with the mean of the other semi-sharp edges there.
    pub fn half_sharpness(&self, edge: u32, end: u32) -> f64 {
        let mut sharpness = self.edge_sharpness(edge);
        if let Some(&(count, sum)) = self.semi_sharp.get(end as usize) {
            sharpness = self.crease_rule.blended(sharpness, count, sum);
        }
        crease::decayed(sharpness)
    }

    /// Sharpness of a vertex by its own tag, ≥ 0; infinite by a linear scheme.
    pub fn vertex_sharpness(&self, vertex: u32) -> f64 {
        if self.linear {
            return f64::INFINITY;
        }
        self.vertex_sharpness.get(vertex as usize).copied().unwrap_or(0.0)
    }

    /// Whether no edge and no vertex has a sharpness of its own that has to be passed on.
    pub fn is_smooth(&self) -> bool {
        self.linear || self.edge_sharpness.is_empty() && self.vertex_sharpness.is_empty()
    }

    /// Calls `each` with every edge at a vertex, once.
    pub fn vertex_edges(&self, vertex: u32, mut each: impl FnMut(u32)) {
        for &corner in self.vertex_corners.row(vertex as usize) {
            let face = self.side_faces[corner as usize] as usize;
            let (start, sides) = (self.faces.start(face), self.faces.row(face).len());
            let before = start + (corner as usize - start + sides - 1) % sides;
            for side in [corner as usize, before] {
                // of the two or more sides of an edge the first one speaks
                let edge = self.side_edges[side];
                if self.edge_sides.row(edge as usize)[0] == side as u32 {
                    each(edge);
                }
            }
        }
    }
}

/// What a refined vertex comes from.
#[derive(Clone, Copy)]
pub(super) enum Source {
    Vertex(u32),
    Edge(u32),
    Face(u32),
}

/// The masks of a scheme whose limit is known.
///
/// # Errors
/// [`Error::Request`] for another scheme.
pub(in crate::surface) fn masks_of(scheme: Scheme) -> Result<&'static dyn LimitScheme> {
    scheme.rules().limit().ok_or_else(|| {
        Error::request(format!("limit points of {}", scheme.rules().name()))
            .with_help("take Catmull-Clark or Loop, or more levels")
    })
}

fn checked_rows(faces: &Faces, scheme: Scheme) -> Result<Rows> {
    let Faces { vertex_count, offsets, corners, .. } = *faces;
    let fits = offsets.first() == Some(&0)
        && offsets.last().map(|&end| end as usize) == Some(corners.len())
        && offsets.is_sorted();
    if !fits {
        return Err(Error::mesh("the offsets of the faces do not cover their corners")
            .with_help("offsets ascend from 0 to the number of corners, one more than faces"));
    }
    let rows = Rows::from_parts(offsets[1..].to_vec(), corners.to_vec());
    for (f, face) in rows.iter().enumerate() {
        if face.len() < 3 {
            return Err(Error::mesh(format!("face {f} has {} corners", face.len()))
                .with_help("a face needs three corners or more: remove this one"));
        }
        if scheme.shape() == Shape::Triangle && face.len() > 3 {
            return Err(Error::mesh(format!("face {f} has {} corners", face.len()))
                .with_help("Loop surfaces are made of triangles: split it, or use Catmull-Clark"));
        }
        if let Some(v) = face.iter().find(|&&v| v as usize >= vertex_count) {
            return Err(Error::mesh(format!(
                "face {f} names vertex {v}, but there are {vertex_count} vertices"
            ))
            .with_help("vertices count from 0"));
        }
        if let Some(i) = (1..face.len()).find(|&i| face[..i].contains(&face[i])) {
            return Err(Error::mesh(format!("face {f} has vertex {} twice", face[i]))
                .with_help("the corners of a face must differ: remove the face, or split it"));
        }
    }
    Ok(rows)
}

fn check_value(sharpness: f64, what: impl Fn() -> String) -> Result<()> {
    if sharpness >= 0.0 {
        return Ok(());
    }
    Err(Error::mesh(format!("{}: sharpness {sharpness}", what()))
        .with_help("a sharpness is a number from 0 (smooth) to inf (sharp for ever)"))
}
