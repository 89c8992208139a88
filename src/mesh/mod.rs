//! Control meshes as they are read and written: points, cells, creases and
//! vertex attributes. No incidence is known here; that is [`crate::topology`]'s.
//!
//! Corner orders are VTK's: a hexahedron lists its bottom face
//! counter-clockwise (0–3), then the top face above it (4–7). Its parameters run
//! u along 0→1, v along 0→3, w along 0→4.

mod cells;
mod check;
mod coincident;
mod components;
mod controls;
mod creases;
mod features;
pub(crate) mod folded;
mod geometry;
mod ghosts;
pub(crate) mod groups;
mod handedness;
mod holes;
mod ids;
mod joined;
mod orient;
mod periods;
mod positions;
mod precision;
pub mod shape;
mod surface;
mod triangles;
mod unused;
mod volume_shape;
mod weld;

pub(crate) use cells::check_counts;
pub use cells::{CORNERS, CellKind, Cells, are_faces};
pub(crate) use check::{check_point_count, check_value_count};
pub use coincident::{CoincidentVertices, Seams};
pub(crate) use components::{UnionFind, components};
pub use controls::Controls;
pub use creases::CORNER_SHARPNESS;
pub(crate) use creases::check_sharpness;
pub use creases::{Corner, Crease, CreaseRule, Creases};
pub use features::{CreaseSource, Feature, FeatureCreases};
pub use folded::FoldedCorners;
pub(crate) use geometry::area_normal;
pub use ghosts::{GHOSTS, HIDDEN_CELL};
pub use groups::FaceGroup;
pub use handedness::Handedness;
pub(crate) use joined::JoinedVertices;
pub(crate) use periods::rounding;
pub use periods::{Lattice, PERIODS, PeriodicVertices};
pub(crate) use positions::{WeldNearness, WeldPoint, repeated, shorten};
pub use precision::{CellLengths, single_precision_loss, single_precision_loss_in};
pub(crate) use precision::{check_attributes, check_coordinates, check_cubes};

pub use ids::{CellId, VertexId};
pub use surface::{
    BoundaryRule, FaceVarying, LinearInterpolation, NORMALS, Polygons, SurfaceMesh, TriangleRule,
};
pub(crate) use surface::{COLOR, repeated_corner};
pub use triangles::Triangles;
pub use unused::UnusedVertices;
pub(crate) use unused::{marked_vertices, numbered, used_rows};
pub(crate) use volume_shape::{VolumeShape, drop_repeated, has_repeated, sorted};
pub use weld::WeldResult;

use crate::error::{Error, Result};
use crate::numbers::counted;

/// A value of any width at every vertex of a mesh (a material, a temperature…).
/// It refines and evaluates with the same weights as the positions.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Name in files.
    pub name: String,
    /// Values a vertex, at least 1.
    pub width: usize,
    /// `values[vertex * width + component]`.
    pub values: Vec<f64>,
}

/// Least and largest value of each of `width` components, at least 1, of `values`.
pub(crate) fn component_ranges(values: &[f64], width: usize) -> Vec<[f64; 2]> {
    let range = |component: usize| {
        let values = values.iter().skip(component).step_by(width);
        values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], &x| [low.min(x), high.max(x)])
    };
    (0..width).map(range).collect()
}

impl Attribute {
    /// Whether it holds the normals of a surface ([`NORMALS`]).
    pub fn is_normals(&self) -> bool {
        self.name == NORMALS && self.width == 3
    }

    /// Name and number of components.
    pub(crate) fn name_and_width(&self) -> (&str, usize) {
        (&self.name, self.width)
    }

    /// Colors from 0 to 255 of values that a file has from 0 to 1, or up to 255.
    pub(crate) fn color(width: usize, mut values: Vec<f64>) -> Self {
        if values.iter().all(|&x| x <= 1.0) {
            values.iter_mut().for_each(|x| *x *= 255.0);
        }
        Self { name: COLOR.into(), width, values }
    }

    /// Whether these are colors from 0 to 255, which are bytes in files. After refinement,
    /// components need not be integers and may exceed [0, 255] by rounding. Colors whose components
    /// are all at most 1 are floating-point colors and stay so.
    pub(crate) fn is_color(&self) -> bool {
        let is_in_range = |x: &f64| (-0.5..=255.5).contains(x);
        self.name == COLOR
            && matches!(self.width, 3 | 4)
            && self.values.iter().all(is_in_range)
            && self.values.iter().any(|&x| x > 1.0)
    }

    /// The attribute in a result, by what `evaluate` makes of the values at the vertices, three
    /// components a pass.
    pub(crate) fn evaluated(
        &self,
        mut evaluate: impl FnMut(&[[f64; 3]]) -> Result<Vec<[f64; 3]>>,
    ) -> Result<Self> {
        let width = self.width;
        let mut values = Vec::new();
        for first in (0..width).step_by(3) {
            let count = (width - first).min(3);
            let components = |row: &[f64]| {
                let mut point = [0.0; 3];
                point[..count].copy_from_slice(&row[first..first + count]);
                point
            };
            let controls: Vec<_> = self.values.chunks_exact(width).map(components).collect();
            let found = evaluate(&controls)?;
            values.resize(width * found.len(), 0.0);
            for (row, point) in values.chunks_exact_mut(width).zip(found) {
                row[first..first + count].copy_from_slice(&point[..count]);
            }
        }
        Ok(Self { name: self.name.clone(), width, values })
    }

    /// The attribute of some of the vertices.
    pub(crate) fn of_vertices(&self, vertices: &[u32]) -> Self {
        let row = |&v: &u32| &self.values[v as usize * self.width..][..self.width];
        let values = vertices.iter().flat_map(row).copied().collect();
        Self { name: self.name.clone(), width: self.width, values }
    }
}

/// A value of any width at every cell of a mesh (a material, a region…). The cells of a
/// refinement have the values of the cell that they come from.
#[derive(Clone, Debug, PartialEq)]
pub struct CellArray {
    /// Name in files.
    pub name: String,
    /// Values a cell, at least 1.
    pub width: usize,
    /// `values[cell * width + component]`.
    pub values: Vec<f64>,
    /// Whether all values are whole numbers below 2⁵³, and written as integers.
    pub integers: bool,
}

impl CellArray {
    /// An array of numbers, whole ones if they are `of_integers`; integers beyond 53 bits become
    /// the nearest reals. The array of a group ([`Self::group`]) may come as reals.
    #[must_use]
    pub fn new(name: impl Into<String>, width: usize, values: Vec<f64>, of_integers: bool) -> Self {
        let exact = |x: &f64| x.fract() == 0.0 && x.abs() < (1_u64 << 53) as f64;
        let name = name.into();
        let integers = (of_integers || groups::names_group(&name)) && values.iter().all(exact);
        Self { name, width, values, integers }
    }

    /// The array of other cells, each of which comes from one of these.
    #[must_use]
    pub fn of_cells(&self, parents: impl Iterator<Item = u32>) -> Self {
        let row = |cell: u32| &self.values[cell as usize * self.width..][..self.width];
        let values = parents.flat_map(|cell| row(cell).iter().copied()).collect();
        Self { name: self.name.clone(), values, ..*self }
    }
}

/// A control mesh of polyhedral cells.
///
/// The fields are plain data and may be in any state; what a Catmull-Clark
/// solid demands of them is checked when the topology is built.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SolidMesh {
    /// Control points, in the file's own length unit.
    pub points: Vec<[f64; 3]>,
    /// Cells over the points.
    pub cells: Cells,
    /// Sharpness of boundary edges and vertices.
    pub creases: Creases,
    /// Vertex attributes.
    pub attributes: Vec<Attribute>,
    /// Cell arrays, groups of cells (`group:NAME`) and [ghosts](GHOSTS) among them.
    pub cell_data: Vec<CellArray>,
    /// Groups of faces.
    pub face_groups: Vec<FaceGroup>,
    /// Whether the points are known to be control points of a part
    /// ([`jobs::fit`](crate::jobs::fit)), not its vertices.
    pub is_fitted: bool,
    /// Translations that take the solid onto itself ([`Lattice`]); none of most.
    pub periods: Vec<[f64; 3]>,
}

impl SolidMesh {
    /// What the mesh has, for people: `27 vertices, 8 cells`.
    pub fn counts(&self) -> String {
        let [vertices, cells] =
            [counted(self.points.len(), "vertex"), counted(self.cells.len(), "cell")];
        format!("{vertices}, {cells}")
    }

    /// A mesh of hexahedra in VTK corner order, without creases or attributes.
    pub fn from_hexahedra(points: Vec<[f64; 3]>, hexahedra: &[[u32; 8]]) -> Self {
        let mut cells = Cells::default();
        for hexahedron in hexahedra {
            cells.push(CellKind::Hexahedron, hexahedron);
        }
        Self { points, cells, ..Self::default() }
    }

    /// The index of an attribute of the mesh.
    ///
    /// # Errors
    /// [`Error::Request`] if none has this name.
    pub fn attribute_index(&self, name: &str) -> Result<usize> {
        self.attributes.iter().position(|attribute| attribute.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.attributes.iter().map(|a| a.name.as_str()).collect();
            let known = if names.is_empty() { "none".into() } else { names.join(", ") };
            Error::request(format!("no attribute is named {name:?}"))
                .with_help(format!("the mesh has {known}"))
        })
    }
}
