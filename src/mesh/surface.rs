//! Control meshes of surfaces: polygons over points, creases, holes and attributes.
//!
//! Like [`SolidMesh`](super::SolidMesh) these are plain data in any state. What
//! refinement demands of them is checked by [`SurfaceMesh::check`] (numbers, lengths,
//! indices) and when the incidence is built (edges of creases, manifoldness where a
//! scheme needs it).

use serde::{Deserialize, Serialize};

use super::{Attribute, CreaseRule, Creases, check_coordinates};
use crate::error::IdKind::{Face, Vertex};
use crate::error::{Error, Result, option_name};
use crate::numbers::{Precision, counted};

/// Name of the attribute, three values per vertex, that files of surfaces know as normals.
pub const NORMALS: &str = "normals";

/// Name of the attribute, red, green and blue from 0 to 255 and perhaps opacity, that PLY files
/// know as colors.
pub(crate) const COLOR: &str = "color";

/// Vertex cycles of polygons in flat arrays.
///
/// Polygons of one size need no offsets and may have any number of corners, as refined quads and
/// triangles do; faces of several sizes have fewer than 2³² ([`SurfaceMesh::check`] refuses more).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Polygons {
    // the size of all faces; 0: they vary, and face f is vertices[ends[f - 1]..ends[f]]
    size: usize,
    ends: Vec<u32>,
    vertices: Vec<u32>,
}

impl Polygons {
    /// Polygons of one `size`, at least 1: `vertices[face * size + corner]`. [`SurfaceMesh::check`]
    /// refuses a last face that is not complete.
    pub fn uniform(size: usize, vertices: Vec<u32>) -> Self {
        let size = if vertices.is_empty() { 0 } else { size.max(1) };
        Self { size, ends: Vec::new(), vertices }
    }

    /// Polygons from the end of each among the vertices of all.
    ///
    /// # Panics
    /// If the ends descend, or do not end with the last vertex.
    pub(crate) fn from_parts(ends: Vec<u32>, vertices: Vec<u32>) -> Self {
        assert!(ends.is_sorted(), "ends of polygons descend");
        assert_eq!(ends.last().map_or(0, |&end| end as usize), vertices.len());
        let size = ends.first().map_or(0, |&end| end as usize);
        if size > 0 && (1..).zip(&ends).all(|(f, &end)| end as usize == f * size) {
            return Self::uniform(size, vertices);
        }
        Self { size: 0, ends, vertices }
    }

    /// Number of faces.
    pub fn len(&self) -> usize {
        self.vertices.len().checked_div(self.size).unwrap_or(self.ends.len())
    }

    /// Whether there is no face.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends a face.
    pub fn push(&mut self, vertices: &[u32]) {
        if self.is_empty() {
            self.size = vertices.len();
        } else if self.size > 0 && self.size != vertices.len() {
            self.ends = self.ends().map(|end| end as u32).collect();
            self.size = 0;
        }
        self.vertices.extend_from_slice(vertices);
        if self.size == 0 {
            self.ends.push(self.vertices.len() as u32);
        }
    }

    /// Range of the corners of face `f` in the corners of all faces.
    ///
    /// # Panics
    /// If there is no face `f`.
    pub fn corners(&self, f: usize) -> std::ops::Range<usize> {
        if self.size > 0 {
            return f * self.size..(f + 1) * self.size;
        }
        let start = if f == 0 { 0 } else { self.ends[f - 1] as usize };
        start..self.ends[f] as usize
    }

    /// Vertex cycle of face `f`.
    ///
    /// # Panics
    /// If there is no face `f`.
    pub fn face(&self, f: usize) -> &[u32] {
        &self.vertices[self.corners(f)]
    }

    /// Vertex cycles of all faces.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.len()).map(|f| self.face(f))
    }

    /// The end of each face among the corners.
    pub fn ends(&self) -> impl ExactSizeIterator<Item = u64> + '_ {
        (0..self.len()).map(|f| self.corners(f).end as u64)
    }

    /// Vertices at the corners of all faces, face by face.
    pub fn vertices(&self) -> &[u32] {
        &self.vertices
    }

    /// Gives every corner another vertex.
    ///
    /// # Panics
    /// If there is not one for each corner.
    pub(crate) fn set_vertices(&mut self, vertices: Vec<u32>) {
        assert_eq!(vertices.len(), self.vertices.len(), "a vertex for each corner");
        self.vertices = vertices;
    }

    /// Gives every vertex another number.
    pub(crate) fn renumber(&mut self, new_id: impl Fn(u32) -> u32) {
        self.vertices.iter_mut().for_each(|vertex| *vertex = new_id(*vertex));
    }

    /// The vertices of all polygons, one polygon after another.
    pub(crate) fn into_vertices(self) -> Vec<u32> {
        self.vertices
    }

    /// Number of corners of every face, if they agree.
    pub fn uniform_size(&self) -> Option<usize> {
        (self.size > 0).then_some(self.size)
    }
}

/// Where texture coordinates are linear, as OpenSubdiv's `FVarLinearInterpolation` has it; they are
/// smooth elsewhere. A seam is an edge whose faces have different values there; seams and ends of
/// the surface are the boundaries of face-varying values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum LinearInterpolation {
    /// Nowhere: seams are smooth curves.
    None,
    /// Values of one face stay.
    CornersOnly,
    /// As corners-only, and at vertices where more than two values meet.
    #[cfg_attr(feature = "cli", value(name = "corners-plus1"))]
    CornersPlus1,
    /// As corners-plus1, and where a seam ends or turns around one face.
    #[cfg_attr(feature = "cli", value(name = "corners-plus2"))]
    CornersPlus2,
    /// Along seams and ends of the surface.
    Boundaries,
    /// Everywhere.
    #[default]
    All,
}

impl LinearInterpolation {
    /// In the order of the numbers of OpenSubdiv's tag `facevaryinginterpolateboundary`.
    pub const ALL: [Self; 6] = [
        Self::None,
        Self::CornersOnly,
        Self::CornersPlus1,
        Self::CornersPlus2,
        Self::Boundaries,
        Self::All,
    ];
}

/// Values that differ between the faces at a vertex (texture coordinates), in an index
/// channel of their own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FaceVarying {
    /// The values.
    pub values: Vec<[f64; 2]>,
    /// For each corner of each face, the index of its value, parallel to [`Polygons::vertices`].
    pub corners: Vec<u32>,
    /// Where they are interpolated linearly.
    pub linear: LinearInterpolation,
}

/// What happens where the surface ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BoundaryRule {
    /// Boundary edges are creases that stay sharp at all levels.
    #[default]
    Edges,
    /// Boundary edges are creases, and boundary vertices of one face stay in place, at all levels.
    #[serde(rename = "corners")]
    EdgesAndCorners,
    /// Faces at a vertex of a boundary edge that is not infinitely sharp only serve their
    /// neighbors: they are holes.
    Holes,
}

/// The rule by which Catmull-Clark refines the edges of triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TriangleRule {
    /// As for all polygons.
    #[default]
    Uniform,
    /// Weights for triangles that reduce undulations (OpenSubdiv's `TRI_SUB_SMOOTH`). Other schemes
    /// have no such rule.
    Smooth,
}

/// A control mesh of a surface.
///
/// Faces may have any number of corners. The fields may be in any state; see
/// [`SurfaceMesh::check`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceMesh {
    /// Control points, in the file's own length unit.
    pub points: Vec<[f64; 3]>,
    /// Faces over the points.
    pub faces: Polygons,
    /// Sharpness of edges and vertices; of several for one edge or vertex, the last counts.
    pub creases: Creases,
    /// How sharpness passes on.
    pub crease_rule: CreaseRule,
    /// Rule where the surface ends.
    pub boundary: BoundaryRule,
    /// Rule of the edges of triangles.
    pub triangle_rule: TriangleRule,
    /// Faces that are refined, because neighboring faces depend on them, but left out of results
    /// ([`SurfaceMesh::without_holes`]).
    pub holes: Vec<u32>,
    /// Vertex attributes.
    pub attributes: Vec<Attribute>,
    /// Texture coordinates.
    pub uv: Option<FaceVarying>,
    /// Whether the faces are the shape itself, as in STL: layers and views show them as
    /// they are, unless a scheme is asked for.
    pub faceted: bool,
}

impl SurfaceMesh {
    /// A mesh of faces alone.
    pub fn new(points: Vec<[f64; 3]>, faces: Polygons) -> Self {
        Self { points, faces, ..Self::default() }
    }

    /// The attribute [`NORMALS`], if there is one; NaN where a normal does not exist.
    pub fn normals(&self) -> Option<&[[f64; 3]]> {
        let normals = self.attributes.iter().find(|attribute| attribute.is_normals())?;
        Some(normals.values.as_chunks().0)
    }

    /// Takes unit normals as the attribute [`NORMALS`], in place of those that there are.
    pub fn set_normals(&mut self, normals: Vec<[f64; 3]>) {
        let values = normals.into_flattened();
        self.attributes.retain(|a| a.name != NORMALS || a.is_normals());
        match self.attributes.iter_mut().find(|a| a.is_normals()) {
            Some(attribute) => attribute.values = values,
            None => self.attributes.push(Attribute { name: NORMALS.into(), width: 3, values }),
        }
    }

    /// Sets where texture coordinates are linear.
    ///
    /// # Errors
    /// [`Error::Request`] for a mesh without texture coordinates.
    pub fn set_uv_boundary(&mut self, rule: LinearInterpolation) -> Result<()> {
        let Some(uv) = &mut self.uv else {
            let why =
                message!(option_name("uv_boundary"), " for a model without texture coordinates");
            return Err(Error::request(why).with_help("leave the option out"));
        };
        uv.linear = rule;
        Ok(())
    }

    /// Whether there are triangles whose edges have a smooth rule of their own.
    pub(crate) fn has_smooth_triangles(&self) -> bool {
        self.triangle_rule == TriangleRule::Smooth && self.faces.iter().any(|face| face.len() == 3)
    }

    /// Checks coordinates, lengths, indices, repeated vertices and sharpness values.
    ///
    /// # Errors
    /// [`Error::Mesh`] naming the vertex, face, attribute or crease, and how to fix it.
    pub fn check(&self) -> Result<()> {
        if self.faces.is_empty() {
            return Err(Error::mesh("the mesh has no faces")
                .with_help("give a mesh of triangles, quads or polygons"));
        }
        if self.points.len() >= u32::MAX as usize {
            return Err(
                Error::mesh("the mesh has 2^32 or more vertices").with_help("take a coarser mesh")
            );
        }
        if self.faces.size == 0 && self.faces.vertices.len() > u32::MAX as usize {
            return Err(Error::mesh("faces of several sizes have 2^32 or more corners")
                .with_help("cut them into triangles"));
        }
        if let Some(size) = self.faces.uniform_size()
            && !self.faces.vertices.len().is_multiple_of(size)
        {
            let corners = self.faces.vertices.len();
            return Err(Error::mesh(format!("{corners} corners of faces that have {size} each"))
                .with_help("give all corners of every face"));
        }
        check_coordinates(&self.points, Precision::F64)?;
        (0..self.faces.len()).try_for_each(|f| self.check_face(f))?;
        if let Some(hole) = self.holes.iter().find(|&&f| f as usize >= self.faces.len()) {
            return Err(Error::mesh(message!(
                "hole at ",
                Face.id(*hole),
                ", but the mesh has ",
                counted(self.faces.len(), "face")
            ))
            .with_help("name faces of the mesh, counted from 0"));
        }
        self.creases.check()?;
        if let Some(crease) = self.creases.edges.iter().find(|c| c.edge()[0] == c.edge()[1]) {
            return Err(Error::mesh(message!(crease, ": not an edge"))
                .with_help("name two different vertices"));
        }
        self.creases.check_corners(self.points.len())?;
        self.check_values()
    }

    /// Checks that a mesh is small enough to be refined or evaluated: its corners and the halves
    /// of its edges have ids of 32 bits. A result need not be.
    ///
    /// # Errors
    /// [`Error::Mesh`] for 2³¹ corners or more.
    pub(crate) fn check_control(&self) -> Result<()> {
        match self.faces.vertices.len() {
            0..0x8000_0000 => Ok(()),
            corners => Err(Error::mesh(format!(
                "a control mesh of {corners} corners: ids of 32 bits end at 2^31"
            ))
            .with_help("take a coarser mesh, or fewer levels before its limit")),
        }
    }

    pub(crate) fn check_face(&self, f: usize) -> Result<()> {
        let face = self.faces.face(f);
        if face.len() < 3 {
            return Err(Error::mesh(message!(Face.id(f), " has ", counted(face.len(), "vertex")))
                .with_help("remove it, or give it three vertices or more"));
        }
        if let Some(v) = face.iter().find(|&&v| v as usize >= self.points.len()) {
            return Err(Error::mesh(message!(
                Face.id(f),
                " names ",
                Vertex.id(*v),
                ", but the mesh has ",
                counted(self.points.len(), "vertex")
            ))
            .with_help("vertices are numbered from 0 to their count less 1"));
        }
        match repeated_corner(face) {
            Some(v) => Err(Error::mesh(message!(Face.id(f), " names ", Vertex.id(v), " twice"))
                .with_help("remove the collapsed face, or the repeated vertex from it")),
            None => Ok(()),
        }
    }

    fn check_values(&self) -> Result<()> {
        self.attributes.iter().try_for_each(|a| a.check(self.points.len()))?;
        let Some(uv) = &self.uv else { return Ok(()) };
        if uv.corners.len() != self.faces.vertices.len() {
            return Err(Error::mesh(format!(
                "{} corners have texture coordinates, the faces have {} corners",
                uv.corners.len(),
                self.faces.vertices.len()
            ))
            .with_help("give one index for each corner of the faces, in their order"));
        }
        if let Some(i) = uv.corners.iter().find(|&&i| i as usize >= uv.values.len()) {
            return Err(Error::mesh(format!(
                "a corner names texture coordinate {i} of {}",
                uv.values.len()
            ))
            .with_help("texture coordinates are numbered from 0 to their count less 1"));
        }
        match uv.values.iter().position(|value| !value.iter().all(|x| x.is_finite())) {
            Some(i) => Err(Error::mesh(format!("texture coordinate {i} is not finite"))
                .with_help("give finite numbers")),
            None => Ok(()),
        }
    }
}

/// A vertex that stands twice in a cycle.
pub(crate) fn repeated_corner(face: &[u32]) -> Option<u32> {
    if face.len() <= 16 {
        return (1..face.len()).find(|&i| face[..i].contains(&face[i])).map(|i| face[i]);
    }
    let mut sorted = face.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}
