//! The limit of a surface at grids of samples, joined to one mesh of triangles.

use std::collections::HashMap;

use nalgebra::Vector3;

use crate::backend::{Backend, Cpu, Values};
use crate::error::{Error, Result};
use crate::limit::Solid;
use crate::limit::boundary::{BoundaryFace, RimNames, boundary_faces};
use crate::limit::rim::{RimKey, UNIT};
use crate::memory;
use crate::mesh::{Attribute, Polygons, SolidMesh, SurfaceMesh};
use crate::numbers::counted;
use crate::numbers::vector::dot;
use crate::plan::{Location, Samples, Want};
use crate::surface::limit::{GridLimit, LimitSurface};
use crate::topology::Orientation;

/// Elements evaluated at once.
const ELEMENTS: usize = 1 << 12;
/// Maximum number of samples of a mesh.
const MAX_VIEW_SAMPLES: usize = 200_000_000;
/// Bytes of a sample and its triangles, in memory and file, without attributes, as measured.
const BYTES_A_SAMPLE: u128 = 250;
/// Cosine of the angle between normals from which on they belong to two sides of a crease.
const SHARP: f64 = 0.9999;

/// What samples of several elements have in common.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Name {
    Vertex(u32),
    /// Lower vertex, higher vertex, steps from the lower.
    Edge(u32, u32, usize),
    /// Face, its edge from whose middle a line runs to the middle of the face, steps along it.
    Spoke(u32, usize, usize),
    Middle(u32),
    /// Of a face of a solid.
    Key(RimKey),
}

/// How samples lie in the elements.
#[derive(Clone, Copy)]
struct SampleSpacing {
    /// Of an edge of the mesh.
    edge: usize,
    /// Samples of an element along an edge, evaluated.
    along: usize,
}

impl SampleSpacing {
    /// Steps of an element that is a corner of its face, or the whole face; and how many samples
    /// lie a step apart.
    fn of(self, corner: Option<u32>) -> (usize, usize) {
        if corner.is_some() { (self.edge / 2, 2) } else { (self.edge, 1) }
    }

    /// A place `k` steps from vertex `a` to `b`.
    fn on_edge(self, a: u32, b: u32, k: usize) -> Name {
        match k {
            0 => Name::Vertex(a),
            k if k == self.edge => Name::Vertex(b),
            k if a < b => Name::Edge(a, b, k),
            k => Name::Edge(b, a, self.edge - k),
        }
    }

    /// The name of place (i, j) of an element; `None` inside.
    fn name(self, f: u32, face: &[u32], corner: Option<u32>, [i, j]: [usize; 2]) -> Option<Name> {
        let (last, _) = self.of(corner);
        let Some(corner) = corner else {
            return match (i, j) {
                (i, 0) => Some(self.on_edge(face[0], face[1], i)),
                (i, j) if i == last => Some(self.on_edge(face[1], face[2], j)),
                (i, j) if j == last => Some(self.on_edge(face[3], face[2], i)),
                (0, j) => Some(self.on_edge(face[0], face[3], j)),
                _ => None,
            };
        };
        let (c, n) = (corner as usize, face.len());
        let (next, before) = ((c + 1) % n, (c + n - 1) % n);
        match (i, j) {
            (i, 0) => Some(self.on_edge(face[c], face[next], i)),
            (0, j) => Some(self.on_edge(face[c], face[before], j)),
            (i, j) if i == last && j == last => Some(Name::Middle(f)),
            (i, j) if i == last => Some(Name::Spoke(f, c, j)),
            (i, j) if j == last => Some(Name::Spoke(f, before, i)),
            _ => None,
        }
    }
}

/// The mesh under construction.
#[derive(Default)]
struct JoinedSamples {
    points: Vec<[f64; 3]>,
    normals: Vec<[f64; 3]>,
    /// Element and sample that each vertex is.
    sources: Vec<(usize, usize)>,
    shared: HashMap<Name, Vec<u32>>,
}

impl JoinedSamples {
    /// The vertex of a sample: one that has its name and its normal, or a new one.
    fn vertex(
        &mut self,
        name: Option<Name>,
        mut point: [f64; 3],
        normal: [f64; 3],
        source: (usize, usize),
    ) -> u32 {
        let number = self.points.len() as u32;
        if let Some(name) = name {
            let others = self.shared.entry(name).or_default();
            let same = |other: &&u32| is_same(self.normals[**other as usize], normal);
            if let Some(&other) = others.iter().find(same) {
                return other;
            }
            // both sides of a crease have the same bits
            point = others.first().map_or(point, |&first| self.points[first as usize]);
            others.push(number);
        }
        self.points.push(point);
        self.normals.push(normal);
        self.sources.push(source);
        number
    }
}

fn is_same(a: [f64; 3], b: [f64; 3]) -> bool {
    let exists = |n: [f64; 3]| n.iter().all(|x| x.is_finite());
    dot(a, b) > SHARP || !exists(a) && !exists(b)
}

/// The limit of `mesh` at `n` × `n` samples of every element (2 to 32), ends included, with normals
/// and attributes, and the face of the mesh that each triangle lies in.
///
/// Elements are whole quads, or corners of other polygons. Where the mesh has such, quads have
/// 2n − 1 samples along their edges, so that all fit together. Vertices are apart where the normals
/// are: along infinitely sharp creases.
///
/// # Errors
/// [`Error::Request`] for `n` out of range, and for more samples than a file holds.
pub fn sampled(
    limit: &LimitSurface,
    mesh: &SurfaceMesh,
    n: usize,
) -> Result<(SurfaceMesh, Vec<u32>)> {
    check_samples(n)?;
    let has_quads_only = mesh.faces.iter().all(|face| face.len() == 4);
    let along = if has_quads_only { n } else { 2 * n - 1 };
    let elements = limit.elements();
    let samples = elements.len() * along * along;
    check_count(samples, mesh.attributes.iter().map(|attribute| attribute.width).sum())?;
    let steps = SampleSpacing { edge: along - 1, along };
    let mut is_hole = vec![false; mesh.faces.len()];
    mesh.holes.iter().for_each(|&f| is_hole[f as usize] = true);
    let (mut joined, mut triangles, mut parents) =
        (JoinedSamples::default(), Vec::new(), Vec::new());
    let refined = limit.refined_points(&mesh.points)?;
    let grid = limit.grid(along, true)?;
    let mut found = GridLimit::default();
    for first in (0..elements.len()).step_by(ELEMENTS) {
        let range = first..(first + ELEMENTS).min(elements.len());
        grid.evaluate(&refined, range.clone(), &mut found)?;
        let (points, _) = found.positions.as_chunks::<3>();
        let (normals, _) = found.normals.as_chunks::<3>();
        for e in range.filter(|&e| !is_hole[elements[e].face as usize]) {
            let (f, corner) = (elements[e].face, elements[e].corner);
            let (last, apart) = steps.of(corner);
            let face = mesh.faces.face(f as usize);
            let mut vertices = Vec::with_capacity((last + 1) * (last + 1));
            for j in 0..=last {
                for i in 0..=last {
                    let sample = apart * (i + steps.along * j);
                    let at = (e - first) * along * along + sample;
                    let name = steps.name(f, face, corner, [i, j]);
                    vertices.push(joined.vertex(name, points[at], normals[at], (e, sample)));
                }
            }
            for (j, i) in (0..last).flat_map(|j| (0..last).map(move |i| (j, i))) {
                let a = j * (last + 1) + i;
                let b = a + last + 1;
                triangles.extend([a, a + 1, b + 1, a, b + 1, b].map(|k| vertices[k]));
                parents.extend([f; 2]);
            }
        }
    }
    let mut fine = SurfaceMesh::new(joined.points, Polygons::uniform(3, triangles));
    fine.attributes = attributes(limit, mesh, along, &joined.sources)?;
    fine.set_normals(joined.normals);
    Ok((fine, parents))
}

fn check_samples(n: usize) -> Result<()> {
    if (2..=32).contains(&n) {
        return Ok(());
    }
    let text = format!("{} along an edge of the boundary: out of range", counted(n, "sample"));
    Err(Error::request(text).with_help("ask for 2 to 32 samples"))
}

/// Refuses more samples, each with so many values of attributes, than a file or the memory holds.
fn check_count(samples: usize, values: usize) -> Result<()> {
    if samples > MAX_VIEW_SAMPLES {
        return Err(Error::request(format!("{samples} samples of the boundary"))
            .with_help("ask for fewer samples: a .glb file holds less than 4 GB"));
    }
    let need = samples as u128 * (BYTES_A_SAMPLE + 12 * values as u128);
    memory::check(format!("{samples} samples of the boundary need"), need, |_| {
        "ask for fewer samples".into()
    })
}

/// The boundary of a solid with ghosts at `n` × `n` samples of each face of an element (2 to 32), ends
/// included, with normals and attributes, and the cell of each triangle. Vertices are apart where the
/// normals are.
///
/// # Errors
/// [`Error::Request`] for `n` out of range, and for more samples than a file holds.
pub fn of_faces(solid: &Solid, mesh: &SolidMesh, n: usize) -> Result<(SurfaceMesh, Vec<u32>)> {
    check_samples(n)?;
    let orientation = Orientation::new(solid.topology(), &mesh.points)?;
    let faces = boundary_faces(solid, &orientation);
    let widths: usize = mesh.attributes.iter().map(|attribute| attribute.width).sum();
    check_count(faces.len() * n * n, widths)?;
    let places = |face: &BoundaryFace| {
        let BoundaryFace { element, axis, side, along, .. } = *face;
        (0..n * n).map(move |k| {
            let mut parameters = [0.0; 3];
            parameters[axis] = side as f64;
            parameters[along[0]] = (k % n) as f64 / (n - 1) as f64;
            parameters[along[1]] = (k / n) as f64 / (n - 1) as f64;
            Location { element, parameters }
        })
    };
    let plan =
        solid.plan(&Samples::Points(faces.iter().flat_map(places).collect()), Want::FIRST)?;
    let found = Cpu::default().evaluate(&plan, mesh.controls())?;
    let names = RimNames(solid);
    let (mut joined, mut triangles, mut parents) =
        (JoinedSamples::default(), Vec::new(), Vec::new());
    for (f, face) in faces.iter().enumerate() {
        let (number, rim) = (names.number(face), names.rim(face));
        let vertex = |k: usize| {
            let sample = f * n * n + k;
            // in the order u, v, w; NaN where they do not exist
            let [s, t] =
                face.along.map(|axis| Vector3::from(found.derivatives[axis].triple(sample)));
            let place =
                [k % n, k / n].map(|i| (u64::from(UNIT) * i as u64 / (n as u64 - 1)) as u32);
            let name = Name::Key(rim.node(number, place));
            let normal = s.cross(&t).normalize().into();
            joined.vertex(Some(name), found.positions.triple(sample), normal, (f, sample))
        };
        let vertices: Vec<u32> = (0..n * n).map(vertex).collect();
        let cell = solid.elements()[face.element as usize].cell;
        for a in (0..n - 1).flat_map(|j| (0..n - 1).map(move |i| i + n * j)) {
            triangles.extend([a, a + 1, a + n + 1, a, a + n + 1, a + n].map(|k| vertices[k]));
            parents.extend([cell; 2]);
        }
    }
    fill_normals(&mut joined, &triangles);
    let mut fine = SurfaceMesh::new(joined.points, Polygons::uniform(3, triangles));
    let sampled = |(attribute, values): (&Attribute, &Values)| {
        let width = attribute.width;
        let row =
            |&(_, sample): &(usize, usize)| (0..width).map(move |c| values.get(width * sample + c));
        let values = joined.sources.iter().flat_map(row).collect();
        Attribute { name: attribute.name.clone(), width, values }
    };
    fine.attributes = mesh.attributes.iter().zip(&found.attributes).map(sampled).collect();
    fine.set_normals(joined.normals);
    Ok((fine, parents))
}

/// Gives vertices without a normal, as on extraordinary edges, the mean of those of their triangles.
fn fill_normals(joined: &mut JoinedSamples, triangles: &[u32]) {
    let is_missing = |v: &u32| !joined.normals[*v as usize].iter().all(|x| x.is_finite());
    let mut sums: HashMap<u32, Vector3<f64>> = HashMap::new();
    for triangle in triangles.as_chunks::<3>().0 {
        let [a, b, c] = triangle.map(|v| Vector3::from(joined.points[v as usize]));
        let normal = (b - a).cross(&(c - a));
        triangle
            .iter()
            .filter(|v| is_missing(v))
            .for_each(|&v| *sums.entry(v).or_default() += normal);
    }
    sums.into_iter().for_each(|(v, sum)| joined.normals[v as usize] = sum.normalize().into());
}

/// The attributes at the samples that became vertices.
fn attributes(
    limit: &LimitSurface,
    mesh: &SurfaceMesh,
    along: usize,
    sources: &[(usize, usize)],
) -> Result<Vec<Attribute>> {
    let grid = limit.grid(along, false)?;
    let (mut found, count) = (GridLimit::default(), limit.elements().len());
    let mut evaluate = |controls: &[[f64; 3]]| {
        let refined = limit.refined_points(controls)?;
        let mut values = Vec::with_capacity(sources.len());
        for first in (0..count).step_by(ELEMENTS) {
            let end = (first + ELEMENTS).min(count);
            grid.evaluate(&refined, first..end, &mut found)?;
            let (points, _) = found.positions.as_chunks::<3>();
            let own =
                sources.partition_point(|s| s.0 < first)..sources.partition_point(|s| s.0 < end);
            let at = |&(element, sample): &(usize, usize)| {
                points[(element - first) * along * along + sample]
            };
            values.extend(sources[own].iter().map(at));
        }
        Ok(values)
    };
    mesh.attributes.iter().map(|attribute| attribute.evaluated(&mut evaluate)).collect()
}
