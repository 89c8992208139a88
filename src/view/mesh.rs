//! Surfaces as triangles: refined ones of schemes without bicubic patches, and polygons as they
//! are.

use std::collections::HashSet;

use super::scene::{Mode, Scene};
use super::{Page, ViewOptions, check_not_empty, lines};
use crate::error::Result;
use crate::mesh::SurfaceMesh;
use crate::scheme::Scheme;
use crate::surface::{Method, SurfaceOptions, SurfacePlan};

/// A surface refined `levels` times, at the limit and with its normals where the scheme has one in
/// closed form.
pub fn refined(
    mesh: &SurfaceMesh,
    scheme: Scheme,
    levels: usize,
) -> Result<(SurfaceMesh, Option<Vec<[f64; 3]>>)> {
    let method = Method::of(scheme);
    let options = SurfaceOptions { scheme, levels, method, crease_rule: None };
    let plan = SurfacePlan::new(mesh, &options)?;
    let mut fine = plan.refine(mesh)?;
    if scheme.is_linear() || !scheme.has_limit() {
        return Ok((fine, None));
    }
    let limits = plan.vertex_limits(mesh, &fine)?;
    fine.points = limits.positions;
    fine.attributes = limits.attributes;
    Ok((fine, Some(limits.normals)))
}

/// Polygons, with the normals of their vertices where these stand for a limit; the page makes those
/// of other polygons, sharp where they meet at an angle, and of vertices without one. Without the
/// faces that are holes.
pub fn page(
    mesh: &SurfaceMesh,
    normals: Option<Vec<[f64; 3]>>,
    options: &ViewOptions,
) -> Result<Page> {
    let mut scene = Scene::new(Mode::Triangles, &options.title, mesh.bounds());
    let points: Vec<f32> = mesh.points.iter().flat_map(|p| scene.local(p)).collect();
    let holes: HashSet<u32> = mesh.holes.iter().copied().collect();
    let triangles = mesh.triangles();
    // faces keep their numbers
    let (corners, faces): (Vec<[u32; 3]>, Vec<u32>) = triangles
        .corners
        .into_iter()
        .zip(triangles.faces)
        .filter(|(_, face)| !holes.contains(face))
        .unzip();
    check_not_empty(faces.len(), "faces that are not holes")?;
    scene.shell.push("vertex", &points);
    if let Some(normals) = normals {
        let own = |x: &f64| if x.is_finite() { *x as f32 } else { 0.0 };
        let normals: Vec<f32> = normals.as_flattened().iter().map(own).collect();
        scene.shell.push("normal", &normals);
    }
    scene.shell.push("triangle", corners.as_flattened());
    scene.shell.push("element", &faces);
    let mut number = 0;
    for attribute in &mesh.attributes {
        for component in 0..attribute.width {
            let values = attribute.values.iter().skip(component).step_by(attribute.width);
            let values: Vec<f64> = values.copied().collect();
            super::values::push_values(&mut scene.shell, &format!("attribute {number}"), &values);
            number += 1;
        }
    }
    scene.push_attributes(&mesh.attributes, &mesh.used_vertices());
    lines::push_surface_edges(&mut scene, mesh);
    scene.surface_figures(mesh);
    scene.first_view(options)?;
    Ok(Page { scene })
}
