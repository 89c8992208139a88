//! Named curves and points of files, which become creases and corners.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::str::FromStr;

use super::{Creases, SolidMesh, SurfaceMesh, check_sharpness};
use crate::error::IdKind::Vertex;
use crate::error::{Error, Message, Result, edge};
use crate::numbers::counted;

/// Maximum number of features that a message names.
const MAX_NAMED: usize = 40;

/// A named curve of a file, or named points: edges and vertices of the mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Feature {
    /// Name in the file.
    pub name: String,
    /// End vertices of its edges.
    pub edges: Vec<[u32; 2]>,
    /// Its points.
    pub vertices: Vec<u32>,
}

impl Feature {
    /// What it holds: `12 edges`.
    fn contents(&self) -> String {
        let counts = [(self.edges.len(), "edge"), (self.vertices.len(), "vertex")];
        let held = counts.into_iter().filter(|(count, _)| *count > 0);
        held.map(|(count, what)| counted(count, what)).collect::<Vec<_>>().join(", ")
    }

    /// Names and contents of some: "`Ridges` (12 edges), `Corners` (8 vertices)".
    pub fn list(features: &[Self]) -> String {
        let shown = features.iter().take(MAX_NAMED);
        let mut list: Vec<_> =
            shown.map(|feature| format!("`{}` ({})", feature.name, feature.contents())).collect();
        if features.len() > MAX_NAMED {
            list.push(format!("and {} more", features.len() - MAX_NAMED));
        }
        list.join(", ")
    }
}

/// A feature by its name, and how sharp it is to be.
#[derive(Clone, Debug, PartialEq)]
pub struct CreaseSource {
    /// Name of the feature.
    pub name: String,
    /// Levels of refinement that its edges and vertices stay sharp: ≥ 0, `f64::INFINITY` at all.
    pub sharpness: f64,
}

impl FromStr for CreaseSource {
    type Err = Error;

    /// `NAME`, sharp at all levels, or `NAME=SHARPNESS`; a name may hold = itself.
    fn from_str(text: &str) -> Result<Self> {
        let split = text.rsplit_once('=');
        let split = split.and_then(|(name, rest)| Some((name, rest.trim().parse().ok()?)));
        let (name, sharpness) = split.unwrap_or((text, f64::INFINITY));
        check_sharpness(sharpness, format!("feature `{name}`"))?;
        Ok(Self { name: name.into(), sharpness })
    }
}

impl CreaseSource {
    /// Takes the features that are named out of those of a file, with their sharpness.
    ///
    /// # Errors
    /// [`Error::Request`] for a name that none has, which lists those that there are, and one that
    /// is given twice.
    pub fn take(sources: &[Self], features: &mut Vec<Feature>) -> Result<Vec<(Feature, f64)>> {
        let mut taken: Vec<(Feature, f64)> = Vec::new();
        for Self { name, sharpness } in sources {
            if taken.iter().any(|(feature, _)| feature.name == *name) {
                return Err(Error::request(format!("feature `{name}` is named twice"))
                    .with_help("name it once, with one sharpness"));
            }
            let Some(at) = features.iter().position(|feature| feature.name == *name) else {
                let others = taken.iter().map(|(feature, _)| feature.clone());
                let all: Vec<_> = others.chain(features.iter().cloned()).collect();
                let help = if all.is_empty() {
                    "the file names no edges and vertices".to_owned()
                } else {
                    format!("name one of {}", Feature::list(&all))
                };
                return Err(Error::request(format!("the file has no curve or points `{name}`"))
                    .with_help(help));
            };
            taken.push((features.remove(at), *sharpness));
        }
        Ok(taken)
    }
}

/// What [`SolidMesh::crease_features`] did.
#[derive(Clone, Debug, Default)]
pub struct FeatureCreases {
    /// Number of edges that got a sharpness.
    pub edges: usize,
    /// Number of vertices that got a sharpness.
    pub corners: usize,
    /// Parts of features that stay smooth, a line for each feature and cause.
    pub left_out: Vec<Message>,
}

impl SolidMesh {
    /// Makes edges and vertices of features as sharp as given, unless the mesh has a sharpness for
    /// them or a feature before has given one. Those inside the solid, and pairs of vertices that
    /// are no edge, stay smooth and are counted.
    pub fn crease_features(&mut self, features: &[(Feature, f64)]) -> FeatureCreases {
        let mut marked = vec![false; if features.is_empty() { 0 } else { self.points.len() }];
        let ends = features.iter().flat_map(|(feature, _)| feature.edges.iter().flatten());
        for &v in ends.chain(features.iter().flat_map(|(feature, _)| &feature.vertices)) {
            marked.get_mut(v as usize).into_iter().for_each(|marked| *marked = true);
        }
        let parts =
            if features.is_empty() { HashMap::new() } else { self.parts_on_boundary(&marked) };
        crease(&mut self.creases, features, &parts)
    }
}

impl SurfaceMesh {
    /// [`SolidMesh::crease_features`] of a surface: all its edges and vertices can be sharp.
    pub fn crease_features(&mut self, features: &[(Feature, f64)]) -> FeatureCreases {
        let mut parts = HashMap::new();
        for face in self.faces.iter().filter(|_| !features.is_empty()) {
            let next = face.iter().cycle().skip(1);
            parts.extend(face.iter().zip(next).map(|(&a, &b)| ([a.min(b), a.max(b)], true)));
            parts.extend(face.iter().map(|&v| ([v; 2], true)));
        }
        crease(&mut self.creases, features, &parts)
    }
}

/// Makes parts of features sharp that can be so. `parts`: edges, and vertices twice, of a mesh, and
/// whether they are on its boundary.
fn crease(
    creases: &mut Creases,
    features: &[(Feature, f64)],
    parts: &HashMap<[u32; 2], bool>,
) -> FeatureCreases {
    let edges = creases.edges.iter().map(|crease| crease.edge().map(|v| v.0));
    let mut known: HashSet<[u32; 2]> =
        edges.chain(creases.corners.iter().map(|corner| [corner.vertex.0; 2])).collect();
    let before = [creases.edges.len(), creases.corners.len()];
    let mut left_out = Vec::new();
    for (feature, sharpness) in features {
        let edges = feature.edges.iter().map(|&[a, b]| (false, [a.min(b), a.max(b)]));
        let vertices = feature.vertices.iter().map(|&v| (true, [v; 2]));
        // number and first of what stays smooth, by whether it is a vertex, and of no face
        let mut lost = BTreeMap::<[bool; 2], (usize, [u32; 2])>::new();
        for (is_vertex, part) in edges.chain(vertices) {
            let found = parts.get(&part).filter(|_| is_vertex || part[0] < part[1]);
            if found != Some(&true) {
                lost.entry([is_vertex, found.is_none()]).or_insert((0, part)).0 += 1;
            } else if !known.insert(part) {
            } else if is_vertex {
                creases.push_corner(part[0], *sharpness);
            } else {
                creases.push_edge(part[0], part[1], *sharpness);
            }
        }
        for ([is_vertex, is_none], (count, first)) in lost {
            let what = counted(count, if is_vertex { "vertex" } else { "edge" });
            let first = if is_vertex { Vertex.id(first[0]) } else { edge(first) };
            let why = if is_none { "not among those of the mesh" } else { "inside the solid" };
            let name = &feature.name;
            left_out.push(message!("`{name}`: {what} {why} (the first: ", first, "), left smooth"));
        }
    }
    let [edges, corners] = before;
    let (edges, corners) = (creases.edges.len() - edges, creases.corners.len() - corners);
    FeatureCreases { edges, corners, left_out }
}
