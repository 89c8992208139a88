//! From a mesh to leaves, level by level: classify, build structures, refine the faces
//! that do not evaluate directly, again until none is left.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;

use super::class::FaceClass;
use super::connectivity::{Connectivity, masks_of};
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
use crate::limit::{LeafLevels, MAX_LEVEL, NetKey, TASK_LEAVES, refine_all, too_deep};
use crate::mesh::{CreaseRule, SurfaceMesh};
use crate::numbers::counted;
use crate::scheme::{FaceShape, Scheme};
use crate::topology::surface::SurfaceTopology;

/// Maximum number of corners of a face, and of faces at a vertex.
const MAX_VALENCE: usize = 2048;

/// Bytes of a face of a level: its topology and stencils, its leaf with a net.
const LEVEL_BYTES: usize = 1000;

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
    Refined,
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
    levels: LeafLevels<SurfaceElement, SurfaceLeaf>,
}

impl LimitSurface {
    /// Analyzes a mesh with all its tags: creases, corners, and the rules of boundaries and
    /// triangles. Holes are analyzed like other faces.
    ///
    /// A boundary edge, of one face, is infinitely sharp, and so is an edge of three or more faces,
    /// or of two that are inconsistently oriented. A vertex where the faces form no fan stays in
    /// place, but for those inside a line where sheets meet. Vertices of no face take no part in
    /// anything.
    ///
    /// # Errors
    /// [`Error::Mesh`] for a face of fewer than three corners, with a vertex that does not exist or
    /// comes twice, of more than three corners under a scheme for triangles, or of more than 2,048,
    /// more than 2,048 faces at a vertex, triangles of the same vertices, creases that are not
    /// edges, a sharpness that is negative, not a number, or finite and above 10;
    /// [`Error::Request`] for a scheme without limit.
    pub fn of_mesh(mesh: &SurfaceMesh, scheme: Scheme) -> Result<Self> {
        Self::isolated(mesh, scheme, 0)
    }

    /// Analyzes a mesh feature-adaptively: faces with an extraordinary vertex are
    /// refined to `levels` levels (0 to 12), so that all but the innermost become regular
    /// patches (Mlakar et al. 2020, 5.2; Nießner et al. 2012). The limit is the same as
    /// by [`LimitSurface::of_mesh`].
    ///
    /// # Errors
    /// As [`LimitSurface::of_mesh`], and [`Error::Request`] for more than 12 levels.
    pub fn isolated(mesh: &SurfaceMesh, scheme: Scheme, levels: usize) -> Result<Self> {
        let topology = limit_topology(mesh, scheme)?;
        Self::of_topology(mesh, &topology, scheme, mesh.crease_rule, levels)
    }

    /// Analyzes a mesh of a [known topology](limit_topology), under a rule of creases.
    pub(in crate::surface) fn of_topology(
        mesh: &SurfaceMesh,
        topology: &SurfaceTopology,
        scheme: Scheme,
        rule: CreaseRule,
        levels: usize,
    ) -> Result<Self> {
        if levels > MAX_LEVEL {
            return Err(Error::request(format!("{levels} levels of isolation"))
                .with_help(format!("ask for 0 to {MAX_LEVEL} levels")));
        }
        let connectivity = Connectivity::new(mesh, topology, scheme, rule)?;
        mesh.creases.check_evaluable(0)?;
        check_valences(mesh)?;
        if scheme.shape() == FaceShape::Triangle {
            check_duplicates(mesh)?;
        }
        LimitBuilder::build(connectivity, levels)
    }
}

/// The topology of a mesh whose limit is wanted.
///
/// # Errors
/// As [`LimitSurface::of_mesh`], for its faces.
pub(in crate::surface) fn limit_topology(
    mesh: &SurfaceMesh,
    scheme: Scheme,
) -> Result<SurfaceTopology> {
    masks_of(scheme)?;
    mesh.check_control()?;
    for (f, face) in mesh.faces.iter().enumerate() {
        mesh.check_face(f)?;
        if scheme.shape() == FaceShape::Triangle && face.len() > 3 {
            let corners = counted(face.len(), "corner");
            return Err(Error::mesh(message!(IdKind::Face.id(f), " has ", corners)).with_help(
                format!(
                    "surfaces of {} are made of triangles: split it, or take {}",
                    scheme.rules().name(),
                    Scheme::names(|s| s.has_limit() && s.shape() == FaceShape::Quad)
                ),
            ));
        }
    }
    Ok(SurfaceTopology::of(mesh))
}

/// Refuses a mesh around whose faces or vertices limits would take hours: more than 2,048 corners
/// of a face, or faces at a vertex. Work grows with the square of the valence, with its cube for
/// derivatives at the vertex.
///
/// # Errors
/// [`Error::Mesh`] that names the first of them.
pub fn check_valences(mesh: &SurfaceMesh) -> Result<()> {
    let refused = |what: Message| {
        Err(Error::mesh(message!(what, ": limits take at most {MAX_VALENCE}"))
            .with_help("split it, or refine without limits"))
    };
    let mut valences = vec![0; mesh.points.len()];
    for (f, face) in mesh.faces.iter().enumerate() {
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

/// The first two triangles of a mesh that have the same vertices.
pub fn duplicate_triangles(mesh: &SurfaceMesh) -> Option<[u32; 2]> {
    let sorted = |(id, face): (u32, &[u32])| {
        let mut face = <[u32; 3]>::try_from(face).ok()?;
        face.sort_unstable();
        Some((face, id))
    };
    let mut faces: Vec<_> = (0..).zip(mesh.faces.iter()).filter_map(sorted).collect();
    faces.par_sort_unstable();
    let duplicates = faces.windows(2).filter(|pair| pair[0].0 == pair[1].0);
    duplicates.map(|pair| [pair[0].1, pair[1].1]).min()
}

/// Refuses triangles of the same three vertices: refined, they share all new edges, which have four
/// faces and more at every level, so that no part of them ever evaluates. (Faces of other schemes
/// have points of their own inside.)
pub(in crate::surface) fn check_duplicates(mesh: &SurfaceMesh) -> Result<()> {
    let Some(faces) = duplicate_triangles(mesh) else { return Ok(()) };
    Err(Error::mesh(message!(
        IdKind::Face.ids(faces),
        " have the same vertices: subdivision of triangles has no limit there"
    ))
    .with_help("remove one of the two, or refine without limits"))
}

impl LimitBuilder {
    fn build(connectivity: Connectivity, isolation: usize) -> Result<LimitSurface> {
        let scheme = connectivity.scheme;
        let mut builder = Self {
            library: SurfaceLibrary::new(scheme),
            isolation,
            numbers: HashMap::new(),
            structures: Vec::new(),
            levels: LeafLevels::new(connectivity.vertex_count()),
        };
        let elements = &mut builder.levels.elements;
        let mut face_elements = Vec::with_capacity(connectivity.face_count() + 1);
        for (f, cycle) in connectivity.cycles().enumerate() {
            stop_point();
            face_elements.push(elements.len() as u32);
            let face = f as u32;
            if cycle.len() == scheme.shape().sides() {
                elements.push(SurfaceElement { face, corner: None });
            } else {
                let corners = 0..cycle.len() as u32;
                elements.extend(corners.map(|c| SurfaceElement { face, corner: Some(c) }));
            }
        }
        face_elements.push(elements.len() as u32);
        let active: Vec<ActiveFace> = (0..connectivity.face_count() as u32)
            .map(|face| ActiveFace {
                face,
                element: face_elements[face as usize],
                depth: 0,
                path: 0,
            })
            .collect();
        let (classes, active) = builder.add_level(0, &connectivity, &active);
        let vertex_elements = vertex_elements(&connectivity, &face_elements);

        let mut level = connectivity;
        let refine = |depth, active: &[_]| {
            let left;
            (level, left) = builder.refine(depth, &level, active)?;
            Ok(left)
        };
        if let Some(stuck) = refine_all(active, refine)? {
            let face = builder.levels.elements[stuck.element as usize].face;
            let help = "see that the faces around it run through their common edges in opposite \
                        directions, or refine without limits";
            return Err(too_deep(IdKind::Face.id(face), help));
        }
        builder.levels.sort();
        let Self { levels, structures, .. } = builder;
        Ok(LimitSurface { scheme, classes, face_elements, vertex_elements, levels, structures })
    }

    /// Refines the active faces; returns the level and the children still to refine.
    fn refine(
        &mut self,
        depth: usize,
        coarse: &Connectivity,
        active: &[ActiveFace],
    ) -> Result<(Connectivity<'static>, Vec<ActiveFace>)> {
        let faces: Vec<u32> = active.iter().map(|a| a.face).collect();
        self.levels.check_memory(depth, 4 * faces.len(), LEVEL_BYTES)?;
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
        self.levels.push_level(fine.stencils);
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
            .par_chunks(TASK_LEAVES)
            .map(|chunk| {
                let mut drafts = FaceDrafts::default();
                chunk.iter().for_each(|a| drafts.push(level, &rules, a.face, isolate));
                drafts
            })
            .collect();
        self.add_structures(&parts);
        let LeafLevels { leaves, nets, level_starts, .. } = &mut self.levels;
        let first_point = level_starts[depth] as u32;
        let mut classes = Vec::with_capacity(active.len());
        let mut refined = Vec::new();
        for (part, chunk) in parts.iter().zip(active.chunks(TASK_LEAVES)) {
            let mut first = 0;
            stop_point();
            for ((draft, &end), a) in part.drafts.iter().zip(&part.net_ends).zip(chunk) {
                let kind = match *draft {
                    FaceDraft::Regular(ends) => Some(SurfaceLeafKind::Regular(ends)),
                    FaceDraft::Irregular(key, placement) => {
                        let number = self.numbers.get(&part.keys[key]).copied().flatten();
                        number.map(|number| SurfaceLeafKind::Irregular(number, placement))
                    }
                    FaceDraft::Refined => None,
                };
                classes.push(FaceClass::of(kind));
                if let Some(kind) = kind {
                    let net = (nets.len(), (end - first) as u32);
                    nets.extend(part.nets[first..end].iter().map(|v| v + first_point));
                    let ActiveFace { element, depth, path, .. } = *a;
                    leaves.push(SurfaceLeaf { element, depth, path, kind, net });
                } else {
                    refined.push(*a);
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
        let rule = |v: u32| rules[v as usize];
        if cycle.len() != sides || cycle.iter().any(|&v| rule(v) == LimitRule::Transient) {
            return FaceDraft::Refined;
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
            (Some(_), None) if isolate => FaceDraft::Refined,
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
            _ => FaceDraft::Refined,
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
