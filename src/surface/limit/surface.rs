//! A control mesh, analyzed: leaves that evaluate directly, and their nets.

use crate::numbers::Real;
use std::sync::Arc;

use super::class::FaceClass;
use super::leaf::{SurfaceElement, SurfaceLeaf};
use super::library::ExtraordinaryLimit;
use crate::error::Result;
use crate::limit::LeafLevels;
use crate::mesh::check_point_count;
use crate::scheme::point::Point;
use crate::scheme::{Scheme, Stencils};

/// A surface control mesh ready for limit evaluation.
///
/// It depends on faces and creases only: moving control points costs an evaluation, never
/// a setup. Level 0 is the mesh; faces that do not evaluate directly are refined, with
/// the neighboring children that their limit depends on, as level 1, and so on. The
/// control points of all levels are in one array ([`LimitSurface::refined_points`]);
/// the nets index into it.
#[derive(Debug)]
pub struct LimitSurface {
    pub(super) scheme: Scheme,
    pub(super) classes: Vec<FaceClass>,
    // elements of face f: face_elements[f]..face_elements[f + 1]
    pub(super) face_elements: Vec<u32>,
    // element of each vertex, u32::MAX if none, and the parameters in it
    pub(super) vertex_elements: Vec<(u32, [f64; 2])>,
    pub(super) levels: LeafLevels<SurfaceElement, SurfaceLeaf>,
    pub(super) structures: Vec<Arc<ExtraordinaryLimit>>,
}

impl LimitSurface {
    /// The scheme whose limit this is.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Class of every face of the mesh.
    pub fn classes(&self) -> &[FaceClass] {
        &self.classes
    }

    /// All elements, in the order of their faces and corners.
    pub fn elements(&self) -> &[SurfaceElement] {
        &self.levels.elements
    }

    /// The elements of a face: one, or one per corner.
    ///
    /// # Panics
    /// If there is no such face.
    pub fn face_elements(&self, face: usize) -> std::ops::Range<usize> {
        self.face_elements[face] as usize..self.face_elements[face + 1] as usize
    }

    /// All leaves, in the order of their elements.
    pub fn leaves(&self) -> &[SurfaceLeaf] {
        &self.levels.leaves
    }

    /// The indices of an element's leaves among [`LimitSurface::leaves`].
    pub(crate) fn leaf_range(&self, element: usize) -> std::ops::Range<usize> {
        self.levels.range(element)
    }

    /// Control points of a leaf, as indices into the points of all levels.
    pub fn net(&self, leaf: &SurfaceLeaf) -> &[u32] {
        self.levels.net(leaf)
    }

    /// Structures of the irregular leaves.
    pub fn structures(&self) -> &[Arc<ExtraordinaryLimit>] {
        &self.structures
    }

    /// Number of control points of the mesh.
    pub fn vertex_count(&self) -> usize {
        self.levels.level_starts[1]
    }

    /// Number of points of all levels.
    pub fn point_count(&self) -> usize {
        self.levels.point_count()
    }

    /// First point of each level, then the number of all points.
    pub fn level_starts(&self) -> &[usize] {
        &self.levels.level_starts
    }

    /// Stencils of each level over the level before.
    pub fn stencils(&self) -> &[Stencils] {
        &self.levels.stencils
    }

    /// The points of all levels from the control points.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) if there is not one point a vertex.
    pub fn refined_points(&self, points: &[[f64; 3]]) -> Result<Vec<[f64; 3]>> {
        let mut all = Vec::new();
        self.refined_points_into(points, &mut all)?;
        Ok(all)
    }

    /// [`LimitSurface::refined_points`] from numbers of either precision, in memory that is
    /// used again.
    pub(in crate::surface) fn refined_points_into<T: Real>(
        &self,
        points: &[Point<T>],
        all: &mut Vec<[f64; 3]>,
    ) -> Result<()> {
        check_point_count(points.len(), self.vertex_count())?;
        all.resize(self.point_count(), [0.0; 3]);
        for (to, point) in all.iter_mut().zip(points) {
            *to = point.map(T::to_f64);
        }
        self.levels.refine_points(all.as_flattened_mut(), 3);
        Ok(())
    }

    /// The leaf that holds the parameters `p` of an element: an index into
    /// [`LimitSurface::leaves`].
    pub fn locate(&self, element: usize, p: [f64; 2]) -> usize {
        let range = self.leaf_range(element);
        if range.len() == 1 {
            return range.start;
        }
        let path = SurfaceLeaf::path_of(self.scheme, p);
        let leaves = &self.levels.leaves[range.clone()];
        range.start + leaves.partition_point(|leaf| leaf.path <= path).max(1) - 1
    }
}
