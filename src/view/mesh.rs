//! Surfaces as triangles: refined ones of schemes without bicubic patches, and polygons as they
//! are.

use std::collections::HashSet;

use super::scene::{Mode, Scene};
use super::{Page, ViewOptions, check_not_empty, lines};
use crate::error::Result;
use crate::mesh::SurfaceMesh;
use crate::numbers::vector::{difference, norm};
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

/// Polygons with normals, or those of the faces around each vertex; without the faces that are
/// holes.
pub fn page(
    mesh: &SurfaceMesh,
    normals: Option<Vec<[f64; 3]>>,
    options: &ViewOptions,
) -> Result<Page> {
    let mut scene = Scene::new(Mode::Triangles, &options.title, mesh.bounds());
    let points: Vec<f32> = mesh.points.iter().flat_map(|p| scene.local(p)).collect();
    let holes: HashSet<u32> = mesh.holes.iter().copied().collect();
    let of_faces = vertex_normals(mesh, &holes);
    let exists = |n: &[f64; 3]| n.iter().all(|x| x.is_finite());
    let normals: Vec<f32> = match normals {
        Some(normals) => normals
            .iter()
            .zip(&of_faces)
            .flat_map(|(own, faces)| if exists(own) { *own } else { *faces })
            .map(|x| x as f32)
            .collect(),
        None => of_faces.into_iter().flatten().map(|x| x as f32).collect(),
    };
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
    scene.shell.push("normal", &normals);
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

/// Unit normals of the vertices: the sum of the area vectors of their faces.
fn vertex_normals(mesh: &SurfaceMesh, holes: &HashSet<u32>) -> Vec<[f64; 3]> {
    let mut normals = vec![[0.0; 3]; mesh.points.len()];
    for (_, face) in (0..).zip(mesh.faces.iter()).filter(|(number, _)| !holes.contains(number)) {
        let at = |i: usize| mesh.points[face[i % face.len()] as usize];
        let origin = at(0);
        let mut area = [0.0; 3];
        for i in 1..face.len() - 1 {
            let [a, b] = [at(i), at(i + 1)].map(|p| difference(p, origin));
            for (d, sum) in area.iter_mut().enumerate() {
                let (x, y) = ((d + 1) % 3, (d + 2) % 3);
                *sum += a[x] * b[y] - a[y] * b[x];
            }
        }
        for &v in face {
            (0..3).for_each(|d| normals[v as usize][d] += area[d]);
        }
    }
    for normal in &mut normals {
        let length = norm(*normal);
        *normal = if length > 0.0 { normal.map(|x| x / length) } else { [0.0, 0.0, 1.0] };
    }
    normals
}
