//! The refined mesh: points, attributes, texture coordinates and creases that remain.

use std::collections::BTreeMap;

use super::face_varying::refine_uv;
use super::{PlanLevels, SurfacePlan};
use crate::error::{Error, Result};
use crate::mesh::{
    Attribute, BoundaryRule, Creases, Polygons, SurfaceMesh, TriangleRule, numbered,
};
use crate::scheme::FaceShape;
use crate::scheme::point::Point;
use crate::surface::options::SurfaceOptions;
use crate::surface::refine::split::first_edge_point;
use crate::surface::triangulate::{Triangulation, other_faces};
use crate::topology::NONE;
use crate::topology::surface::{Columns, is_non_manifold};

impl SurfacePlan {
    /// The refined mesh of `mesh`: the mesh of the plan, or one of the same connectivity.
    ///
    /// Faces of holes stay, as holes: to go on from here is to go on from the control mesh
    /// ([`SurfaceMesh::without_holes`] leaves them out). Of √3, whose edges are flipped, they are
    /// left out. So are normals, unless there are no levels: sums of normals are not normals of the
    /// refined surface. [`BoundaryRule::Holes`] has made its holes then: the rule becomes
    /// [`BoundaryRule::Edges`]. Vertices of no face stay.
    /// With edge-friend the vertices come in another order than with the other methods;
    /// faces and their corners agree.
    ///
    /// # Errors
    /// [`Error::Request`] if the mesh has another number of vertices or corners than the plan.
    pub fn refine(&self, mesh: &SurfaceMesh) -> Result<SurfaceMesh> {
        assemble(&mut &*self, mesh)
    }
}

/// What a refined mesh is assembled from, wherever that was computed.
pub(crate) trait RefinedSource {
    fn options(&self) -> &SurfaceOptions;

    /// The columns of the control mesh (of triangles, if the scheme wants them).
    fn control_columns(&self) -> &Columns;

    /// How polygons of the control mesh are cut into these triangles, if there were some.
    fn triangulation(&self) -> Option<&Triangulation>;

    /// Refined points, or any three components per vertex, with unused slots.
    fn evaluate(&mut self, controls: &[Point<f64>]) -> Result<Vec<Point<f64>>>;

    /// Vertices at the corners of all refined faces, holes included.
    fn corners(&self) -> Result<Vec<u32>>;

    /// Whether each slot of points holds a vertex of the result; `None` if all do.
    fn used(&self, corners: &[u32]) -> Option<Vec<bool>>;

    /// Tags that are still sharp after the last level, where points are.
    fn creases(&self, mesh: &SurfaceMesh) -> Result<Creases>;

    /// Corners of the triangles of the last level of √3 outside holes; `mesh` is the control
    /// mesh, of triangles.
    fn turned_outside(&self, mesh: &SurfaceMesh, is_hole: Vec<bool>) -> Result<Vec<u32>> {
        (&SurfacePlan::new(mesh, self.options())?).turned_outside(mesh, is_hole)
    }
}

/// The refined mesh of `mesh`.
pub(crate) fn assemble(
    refined: &mut impl RefinedSource,
    mesh: &SurfaceMesh,
) -> Result<SurfaceMesh> {
    let options = *refined.options();
    let triangles = refined.triangulation().map(|cut| cut.triangles(mesh)).transpose()?;
    let mesh = triangles.as_ref().unwrap_or(mesh);
    if Columns::of(&mesh.faces) != *refined.control_columns() {
        return Err(other_faces());
    }
    let mut points = refined.evaluate(&mesh.points)?;
    let refines = |a: &&Attribute| options.levels == 0 || !a.is_normals();
    let attributes = mesh.attributes.iter().filter(refines);
    let attributes = attributes.map(|a| a.evaluated(|values| refined.evaluate(values)));
    let mut attributes = attributes.collect::<Result<Vec<_>>>()?;
    let mut corners = refined.corners()?;
    let mut creases = refined.creases(mesh)?;
    if let Some(used) = refined.used(&corners) {
        // close the gaps that ghosts and unused slots leave
        let (kept, numbers) = numbered(used.into_iter());
        corners.iter_mut().for_each(|v| *v = numbers[*v as usize]);
        points = kept.iter().map(|&v| points[v as usize]).collect();
        attributes.iter_mut().for_each(|a| *a = a.of_vertices(&kept));
        for crease in &mut creases.edges {
            crease.renumber(|v| numbers[v as usize]);
        }
        for corner in &mut creases.corners {
            corner.vertex = crate::mesh::VertexId(numbers[corner.vertex.index()]);
        }
    }
    let faces = match (options.levels, options.scheme.shape()) {
        (0, FaceShape::Quad) => mesh.faces.clone(),
        (_, FaceShape::Quad) => Polygons::uniform(4, corners),
        (_, FaceShape::Triangle) => Polygons::uniform(3, corners),
    };
    let boundary = match mesh.boundary {
        BoundaryRule::Holes => BoundaryRule::Edges,
        other => other,
    };
    let mut fine = SurfaceMesh {
        points,
        faces,
        creases,
        crease_rule: options.crease_rule.unwrap_or(mesh.crease_rule),
        boundary,
        // no triangle remains after a step
        triangle_rule: if options.levels == 0 { mesh.triangle_rule } else { TriangleRule::Uniform },
        holes: Vec::new(),
        attributes,
        uv: refine_uv(mesh, &options)?,
        faceted: mesh.faceted && (options.scheme.is_linear() || options.levels == 0),
    };
    let holes = crate::surface::holes::all(mesh, options.scheme);
    if holes.is_empty() {
        return Ok(fine);
    }
    if options.scheme.split().is_nested() {
        fine.holes = refined_holes(&holes, refined);
    } else {
        let mut is_hole = vec![false; mesh.faces.len()];
        holes.iter().for_each(|&f| is_hole[f as usize] = true);
        fine.faces = Polygons::uniform(3, refined.turned_outside(mesh, is_hole)?);
    }
    Ok(fine)
}

impl RefinedSource for &SurfacePlan {
    fn options(&self) -> &SurfaceOptions {
        &self.options
    }

    fn control_columns(&self) -> &Columns {
        &self.control_columns
    }

    fn triangulation(&self) -> Option<&Triangulation> {
        self.triangulation.as_ref()
    }

    fn evaluate(&mut self, controls: &[Point<f64>]) -> Result<Vec<Point<f64>>> {
        SurfacePlan::evaluate(self, controls)
    }

    fn corners(&self) -> Result<Vec<u32>> {
        Ok(SurfacePlan::corners(self).to_vec())
    }

    fn used(&self, _: &[u32]) -> Option<Vec<bool>> {
        match &self.levels {
            PlanLevels::EdgeFriend(levels) => Some(levels.used()),
            _ => None,
        }
    }

    /// The ends of the surface need no tags.
    fn creases(&self, mesh: &SurfaceMesh) -> Result<Creases> {
        let mut creases = Creases::default();
        let levels = self.options.levels;
        if levels == 0 {
            return Ok(mesh.creases.clone());
        }
        let rule = self.options.crease_rule.unwrap_or(mesh.crease_rule);
        match &self.levels {
            PlanLevels::Matrix(all) => {
                let (control, coarse) = (&all.topologies()[0], &all.topologies()[levels - 1]);
                let first_edge_point = first_edge_point(coarse, all.split());
                for sharp in all.sharpness()[levels - 1].refined(first_edge_point, rule).edges {
                    // halves of halves of a control edge
                    let edge = sharp.edge >> levels;
                    let implied = control.edge_corners[edge as usize][1] == NONE
                        || is_non_manifold(control, edge);
                    if !implied {
                        creases.push_edge(sharp.ends[0], sharp.ends[1], sharp.sharpness);
                    }
                }
            }
            PlanLevels::EdgeFriend(all) => all.remaining_creases(rule, &mut creases),
            PlanLevels::ThreeTriangles(_) => return Ok(creases),
        }
        let slot = |v: u32| match &self.levels {
            PlanLevels::EdgeFriend(all) => all.slot(v),
            _ => v,
        };
        remaining_corners(mesh, levels, slot, &mut creases);
        Ok(creases)
    }

    fn turned_outside(&self, _: &SurfaceMesh, is_hole: Vec<bool>) -> Result<Vec<u32>> {
        match &self.levels {
            PlanLevels::ThreeTriangles(levels) => Ok(levels.triangles_outside(is_hole)),
            _ => Err(Error::request("√3 has the faces of another scheme")),
        }
    }
}

/// Corner tags that are still sharp after some levels, at the slots of their vertices.
pub(crate) fn remaining_corners(
    mesh: &SurfaceMesh,
    levels: usize,
    slot: impl Fn(u32) -> u32,
    creases: &mut Creases,
) {
    // of several at one vertex the last counts
    let tags = mesh.creases.corners.iter().map(|corner| (corner.vertex.0, corner.sharpness));
    for (vertex, sharpness) in tags.collect::<BTreeMap<u32, f64>>() {
        let left = sharpness - levels as f64;
        if left > 0.0 {
            creases.push_corner(slot(vertex), left);
        }
    }
}

/// The faces that come from holes; each control face has one range.
fn refined_holes(holes: &[u32], of: &impl RefinedSource) -> Vec<u32> {
    let levels = of.options().levels as u32;
    let children = |&f: &u32| match of.options().scheme.shape() {
        _ if levels == 0 => f..f + 1,
        FaceShape::Quad => {
            let corners = of.control_columns().corners(f);
            let shift = 2 * (levels - 1);
            corners.start << shift..corners.end << shift
        }
        FaceShape::Triangle => {
            let shift = 2 * levels;
            f << shift..(f + 1) << shift
        }
    };
    holes.iter().flat_map(children).collect()
}
