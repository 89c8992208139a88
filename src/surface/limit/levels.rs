//! From a mesh to leaves, level by level: classify, build structures, refine the faces
//! that do not evaluate directly, again until none is left.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;

use super::class::{FaceClass, FaceReason};
use super::connectivity::{Connectivity, SurfaceTags, check_faces, masks_of};
use super::faces::Faces;
use super::frame::FaceFrame;
use super::leaf::{Placement, SurfaceElement, SurfaceLeaf, SurfaceLeafKind};
use super::library::{ExtraordinaryLimit, SurfaceLibrary};
use super::net;
use super::refine::refine;
use super::rules::LimitRule;
use super::surface::LimitSurface;
use crate::basis::MissingLayers;
use crate::error::IdKind;
use crate::error::{Error, Message, Result};
use crate::interrupt::stop_point;
use crate::limit::{MAX_LEVEL, NetKey, check_refinement};
use crate::mesh::SurfaceMesh;
use crate::numbers::counted;
use crate::scheme::Stencils;
use crate::scheme::{FaceShape, Scheme};
use crate::topology::surface::{Columns, SurfaceTopology};

/// Maximum number of corners of a face, and of faces at a vertex.
const MAX_VALENCE: usize = 2048;

/// Bytes of a face of a level: its topology and stencils, its leaf with a net.
const LEVEL_BYTES: usize = 1000;

/// Faces a work item of the classification covers.
const TASK_FACES: usize = 512;

/// A face of the level at hand that must become leaves.
#[derive(Clone, Copy)]
struct ActiveFace {
    face: u32,
    element: u32,
    depth: u8,
    path: u32,
}

/// How a face evaluates, before structures have numbers.
enum FaceDraft {
    Regular(MissingLayers),
    // key within the part
    Irregular(usize, Placement),
    Refined(FaceReason),
}

/// Drafts of a few faces.
#[derive(Default)]
struct FaceDrafts {
    drafts: Vec<FaceDraft>,
    keys: Vec<NetKey>,
    // control points of all drafts, one after another
    nets: Vec<u32>,
    net_ends: Vec<usize>,
}

struct LimitBuilder {
    library: SurfaceLibrary,
    // irregular faces are refined to this depth as well
    isolation: usize,
    numbers: HashMap<NetKey, Option<u32>>,
    structures: Vec<Arc<ExtraordinaryLimit>>,
    elements: Vec<SurfaceElement>,
    leaves: Vec<SurfaceLeaf>,
    nets: Vec<u32>,
    stencils: Vec<Stencils>,
    level_starts: Vec<usize>,
}

impl LimitSurface {
    /// Analyzes a mesh.
    ///
    /// # Errors
    /// [`Error::Mesh`] for arrays of faces that do not fit together, a face of fewer than three
    /// corners, with a vertex that does not exist or comes twice, of more than three corners under
    /// a scheme for triangles, or of more than 2,048, more than 2,048 faces at a vertex, creases
    /// that are not edges, a sharpness that is negative, not a number, or finite and above 10.
    pub fn new(faces: &Faces, scheme: Scheme) -> Result<Self> {
        Self::isolated(faces, scheme, 0)
    }

    /// Analyzes a mesh feature-adaptively: faces with an extraordinary vertex are
    /// refined to `levels` levels (0 to 12), so that all but the innermost become regular
    /// patches (Mlakar et al. 2020, 5.2; Nießner et al. 2012). The limit is the same as
    /// by [`LimitSurface::new`].
    ///
    /// # Errors
    /// As [`LimitSurface::new`], and [`Error::Request`] for more than 12 levels.
    pub fn isolated(faces: &Faces, scheme: Scheme, levels: usize) -> Result<Self> {
        masks_of(scheme)?;
        check_faces(faces, scheme)?;
        let columns = Columns::of_ends(&faces.offsets[1..]);
        let vertices = faces.corners.to_vec();
        let topology = SurfaceTopology::build(faces.vertex_count, columns, vertices);
        let tags = SurfaceTags {
            creases: faces.creases,
            crease_rule: faces.crease_rule,
            triangle_rule: faces.triangle_rule,
        };
        Self::of_topology(&topology, &tags, scheme, levels)
    }

    /// Analyzes a mesh whose topology is known, and whose faces have been checked.
    pub(in crate::surface) fn of_topology(
        topology: &SurfaceTopology,
        tags: &SurfaceTags,
        scheme: Scheme,
        levels: usize,
    ) -> Result<Self> {
        if levels > MAX_LEVEL {
            return Err(Error::request(format!("{levels} levels of isolation"))
                .with_help(format!("ask for 0 to {MAX_LEVEL} levels")));
        }
        let connectivity = Connectivity::new(Cow::Borrowed(topology), tags, scheme)?;
        tags.creases.check_evaluable(0)?;
        let faces = (0..connectivity.face_count()).map(|f| connectivity.face(f));
        valences_of(connectivity.vertex_count(), faces)?;
        check_duplicates(&connectivity)?;
        LimitBuilder::new(scheme, levels).build(connectivity)
    }
}

/// Refuses a mesh around whose faces or vertices limits would take hours: more than 2,048 corners
/// of a face, or faces at a vertex.
///
/// # Errors
/// [`Error::Mesh`] that names the first of them.
pub fn check_valences(mesh: &SurfaceMesh) -> Result<()> {
    valences_of(mesh.points.len(), mesh.faces.iter())
}

/// Like [`check_valences`], of any faces: work grows with the square of the valence, with its cube
/// for derivatives at the vertex.
fn valences_of<'a>(vertex_count: usize, faces: impl Iterator<Item = &'a [u32]>) -> Result<()> {
    let refused = |what: Message| {
        Err(Error::mesh(message!(what, ": limits take at most {MAX_VALENCE}"))
            .with_help("split it, or refine without limits"))
    };
    let mut valences = vec![0; vertex_count];
    for (f, face) in faces.enumerate() {
        stop_point();
        if face.len() > MAX_VALENCE {
            return refused(message!(IdKind::Face.id(f), " has ", counted(face.len(), "corner")));
        }
        face.iter().for_each(|&v| valences[v as usize] += 1);
    }
    match valences.iter().position(|&valence| valence > MAX_VALENCE) {
        Some(v) => {
            refused(message!(counted(valences[v], "face"), " meet at ", IdKind::Vertex.id(v)))
        }
        None => Ok(()),
    }
}

/// Refuses triangles of the same three vertices: refined, they share all new edges, which have four
/// faces and more at every level, so that no part of them ever evaluates. (Faces of other schemes
/// have points of their own inside.)
fn check_duplicates(connectivity: &Connectivity) -> Result<()> {
    if connectivity.scheme.shape() != FaceShape::Triangle {
        return Ok(());
    }
    let duplicate = |face: u32| {
        let own = connectivity.face(face as usize);
        let side = connectivity.face_start(face as usize) as u32;
        let sides = connectivity.edge_sides(connectivity.side_edge(side)).iter();
        let mut others = sides.map(|&side| connectivity.side_face(side));
        let has_own = |&other: &u32| {
            other > face && connectivity.face(other as usize).iter().all(|v| own.contains(v))
        };
        others.find(has_own).map(|other| (face, other))
    };
    match (0..connectivity.face_count() as u32).find_map(duplicate) {
        None => Ok(()),
        Some((face, other)) => Err(duplicate_faces(face, other)),
    }
}

/// Two faces of the same vertices.
pub(in crate::surface) fn duplicate_faces(face: u32, other: u32) -> Error {
    Error::mesh(message!(
        IdKind::Face.ids([face, other]),
        " have the same vertices: subdivision of triangles has no limit there"
    ))
    .with_help("remove one of the two, or refine without limits")
}

impl LimitBuilder {
    fn new(scheme: Scheme, isolation: usize) -> Self {
        Self {
            library: SurfaceLibrary::new(scheme),
            isolation,
            numbers: HashMap::new(),
            structures: Vec::new(),
            elements: Vec::new(),
            leaves: Vec::new(),
            nets: Vec::new(),
            stencils: Vec::new(),
            level_starts: Vec::new(),
        }
    }

    fn build(mut self, connectivity: Connectivity) -> Result<LimitSurface> {
        let scheme = connectivity.scheme;
        self.level_starts = vec![0, connectivity.vertex_count()];
        let mut face_elements = Vec::with_capacity(connectivity.face_count() + 1);
        for (f, cycle) in connectivity.cycles().enumerate() {
            stop_point();
            face_elements.push(self.elements.len() as u32);
            let face = f as u32;
            if cycle.len() == scheme.shape().sides() {
                self.elements.push(SurfaceElement { face, corner: None });
            } else {
                let corners = 0..cycle.len() as u32;
                self.elements.extend(corners.map(|c| SurfaceElement { face, corner: Some(c) }));
            }
        }
        face_elements.push(self.elements.len() as u32);
        let active: Vec<ActiveFace> = (0..connectivity.face_count() as u32)
            .map(|face| ActiveFace {
                face,
                element: face_elements[face as usize],
                depth: 0,
                path: 0,
            })
            .collect();
        let (classes, mut active) = self.add_level(0, &connectivity, &active);
        let vertex_elements = vertex_elements(&connectivity, &face_elements);

        let mut level = connectivity;
        let mut depth = 0;
        while !active.is_empty() {
            depth += 1;
            if depth > MAX_LEVEL {
                let face = self.elements[active[0].element as usize].face;
                return Err(Error::mesh(message!(
                    IdKind::Face.id(face),
                    " does not evaluate after {MAX_LEVEL} local refinements"
                ))
                .with_help(
                    "see that the faces around it run through their common edges in opposite \
                     directions, or refine without limits",
                ));
            }
            (level, active) = self.refine(depth, &level, &active)?;
        }
        Ok(self.finish(scheme, classes, face_elements, vertex_elements))
    }

    /// Refines the active faces; returns the level and the children still to refine.
    fn refine(
        &mut self,
        depth: usize,
        coarse: &Connectivity,
        active: &[ActiveFace],
    ) -> Result<(Connectivity<'static>, Vec<ActiveFace>)> {
        let faces: Vec<u32> = active.iter().map(|a| a.face).collect();
        let made = 4 * self.nets.len() + size_of_val(self.leaves.as_slice());
        let need = (made + 4 * faces.len() * LEVEL_BYTES) as u128;
        check_refinement(depth, need)?;
        let fine = refine(coarse, Some(&faces))?;
        // active faces are in ascending order of their numbers
        let mut children = Vec::with_capacity(4 * active.len());
        for (child, &(parent, number)) in fine.parents.iter().enumerate() {
            stop_point();
            let Ok(at) = faces.binary_search(&parent) else { continue };
            let parent = active[at];
            let face = child as u32;
            let sides = coarse.face(parent.face as usize).len();
            children.push(if sides == coarse.scheme.shape().sides() {
                let offset = match coarse.scheme.shape() {
                    // of the corners in their cycle
                    FaceShape::Quad => [0, 1, 3, 2][number as usize & 3],
                    FaceShape::Triangle => number,
                };
                let path = SurfaceLeaf::extended(parent.path, u32::from(parent.depth), offset);
                ActiveFace { face, depth: parent.depth + 1, path, ..parent }
            } else {
                // the children of a corner are elements of their own
                ActiveFace { face, element: parent.element + number, depth: 0, path: 0 }
            });
        }
        let start = self.level_starts[depth];
        self.level_starts.push(start + fine.stencils.len());
        self.stencils.push(fine.stencils);
        let (_, active) = self.add_level(depth, &fine.connectivity, &children);
        Ok((fine.connectivity, active))
    }

    /// Makes leaves of the active faces of one level; returns their classes and the
    /// faces that must be refined.
    fn add_level(
        &mut self,
        depth: usize,
        level: &Connectivity,
        active: &[ActiveFace],
    ) -> (Vec<FaceClass>, Vec<ActiveFace>) {
        let rule = |v: u32| {
            stop_point();
            level.rule(v)
        };
        let rules: Vec<LimitRule> =
            (0..level.vertex_count() as u32).into_par_iter().map(rule).collect();
        let isolate = depth < self.isolation;
        let parts: Vec<FaceDrafts> = active
            .par_chunks(TASK_FACES)
            .map(|chunk| {
                let mut drafts = FaceDrafts::default();
                chunk.iter().for_each(|a| drafts.push(level, &rules, a.face, isolate));
                drafts
            })
            .collect();
        self.add_structures(&parts);
        let first_point = self.level_starts[depth] as u32;
        let mut classes = Vec::with_capacity(active.len());
        let mut refined = Vec::new();
        for (part, chunk) in parts.iter().zip(active.chunks(TASK_FACES)) {
            let mut first = 0;
            stop_point();
            for ((draft, &end), a) in part.drafts.iter().zip(&part.net_ends).zip(chunk) {
                let kind = match *draft {
                    FaceDraft::Regular(ends) => {
                        Ok((SurfaceLeafKind::Regular(ends), FaceClass::Regular))
                    }
                    FaceDraft::Refined(reason) => Err(reason),
                    FaceDraft::Irregular(key, placement) => {
                        let number = self.numbers.get(&part.keys[key]).copied().flatten();
                        let leaf = number.map(|number| {
                            let class = FaceClass::Irregular(placement.corner);
                            (SurfaceLeafKind::Irregular(number, placement), class)
                        });
                        leaf.ok_or(FaceReason::SeveralExtraordinary)
                    }
                };
                match kind {
                    Err(reason) => {
                        classes.push(FaceClass::Refined(reason));
                        refined.push(*a);
                    }
                    Ok((kind, class)) => {
                        classes.push(class);
                        let net = (self.nets.len(), (end - first) as u32);
                        self.nets.extend(part.nets[first..end].iter().map(|v| v + first_point));
                        let ActiveFace { element, depth, path, .. } = *a;
                        self.leaves.push(SurfaceLeaf { element, depth, path, kind, net });
                    }
                }
                first = end;
            }
        }
        (classes, refined)
    }

    /// Builds the structures of all new keys in parallel, then numbers them in order of
    /// first appearance.
    fn add_structures(&mut self, parts: &[FaceDrafts]) {
        let mut new: Vec<&NetKey> = Vec::new();
        for key in parts.iter().flat_map(|part| &part.keys) {
            if !self.numbers.contains_key(key) {
                self.numbers.insert(key.clone(), None);
                new.push(key);
            }
        }
        let built: Vec<_> = new.par_iter().map(|key| self.library.get(key)).collect();
        for (key, structure) in new.into_iter().zip(built) {
            if let Some(structure) = structure {
                self.numbers.insert(key.clone(), Some(self.structures.len() as u32));
                self.structures.push(structure);
            }
        }
    }

    fn finish(
        mut self,
        scheme: Scheme,
        classes: Vec<FaceClass>,
        face_elements: Vec<u32>,
        vertex_elements: Vec<(u32, [f64; 2])>,
    ) -> LimitSurface {
        self.leaves.par_sort_by_key(|leaf| (leaf.element, leaf.path));
        let mut leaf_starts = vec![0_u32; self.elements.len() + 1];
        self.leaves.iter().for_each(|leaf| leaf_starts[leaf.element as usize + 1] += 1);
        for e in 0..self.elements.len() {
            leaf_starts[e + 1] += leaf_starts[e];
        }
        LimitSurface {
            scheme,
            classes,
            elements: self.elements,
            face_elements,
            vertex_elements,
            leaves: self.leaves,
            leaf_starts,
            nets: self.nets,
            stencils: self.stencils,
            level_starts: self.level_starts,
            structures: self.structures,
        }
    }
}

impl FaceDrafts {
    fn push(&mut self, level: &Connectivity, rules: &[LimitRule], face: u32, isolate: bool) {
        stop_point();
        let draft = self.draft(level, rules, face, isolate);
        self.drafts.push(draft);
        self.net_ends.push(self.nets.len());
    }

    fn draft(
        &mut self,
        level: &Connectivity,
        rules: &[LimitRule],
        face: u32,
        isolate: bool,
    ) -> FaceDraft {
        let cycle = level.face(face as usize);
        let sides = level.scheme.shape().sides();
        if cycle.len() != sides {
            return FaceDraft::Refined(FaceReason::NotQuads);
        }
        let rule = |v: u32| rules[v as usize];
        if let Some(&v) = cycle.iter().find(|&&v| rule(v) == LimitRule::Transient) {
            let corners = level.vertex_corners.row(v as usize);
            let is_made =
                |&corner: &u32| level.face(level.side_face(corner) as usize).len() == sides;
            let made = corners.iter().all(is_made);
            return FaceDraft::Refined(if made {
                FaceReason::SemiSharp
            } else {
                FaceReason::NotQuads
            });
        }
        let frame = FaceFrame::new(face, 0);
        let mut odd = (0..sides)
            .filter(|&k| !level.is_regular_corner(rule(cycle[k]), level.advanced(frame, k)));
        match (odd.next(), odd.next()) {
            (None, _) => FaceDraft::Regular(match level.scheme.shape() {
                FaceShape::Quad => {
                    let (net, ends) = net::regular_quad(level, frame);
                    self.nets.extend(net);
                    ends
                }
                FaceShape::Triangle => {
                    let (net, ends) = net::regular_triangle(level, frame);
                    self.nets.extend(net);
                    ends
                }
            }),
            (Some(_), None) if isolate => FaceDraft::Refined(FaceReason::Isolated),
            (Some(corner), None) => {
                let placements =
                    [false, true].map(|mirrored| Placement { corner: corner as u8, mirrored });
                let [first, second] =
                    placements.map(|p| net::irregular(level, p.frame(face), rule));
                let (placement, net) = if second.key < first.key {
                    (placements[1], second)
                } else {
                    (placements[0], first)
                };
                self.nets.extend(net.vertices);
                // mostly the one before
                let key = self.keys.iter().rposition(|k| *k == net.key).unwrap_or_else(|| {
                    self.keys.push(net.key);
                    self.keys.len() - 1
                });
                FaceDraft::Irregular(key, placement)
            }
            _ => FaceDraft::Refined(FaceReason::SeveralExtraordinary),
        }
    }
}

/// An element and the parameters in it of every vertex; no element ([`u32::MAX`]) for a
/// vertex of no face.
fn vertex_elements(connectivity: &Connectivity, face_elements: &[u32]) -> Vec<(u32, [f64; 2])> {
    let place = |v: usize| {
        stop_point();
        let Some(&corner) = connectivity.vertex_corners.row(v).first() else {
            return (u32::MAX, [0.0; 2]);
        };
        let face = connectivity.side_face(corner) as usize;
        let at = corner as usize - connectivity.face_start(face);
        let element = face_elements[face];
        let sides = connectivity.face(face).len();
        match connectivity.scheme.shape().corners() {
            corners if corners.len() == sides => (element, corners[at]),
            _ => (element + at as u32, [0.0; 2]),
        }
    };
    (0..connectivity.vertex_count()).map(place).collect()
}
