//! Processing of surfaces of triangles, and normals of any.
//!
//! Faces that are holes are no part of a surface: it ends at them.

pub(crate) mod cotangent;
mod denoise;
pub(crate) mod flow;
pub(crate) mod geodesics;
mod normals;
mod products;
mod toplesets;

pub use denoise::{DEFAULT_RINGS, DEFAULT_SWEEPS, denoise};
pub use flow::{Cotangents, curvature_flow};
pub use geodesics::Geodesics;
pub use normals::vertex_normals;
pub use toplesets::toplesets;

use std::borrow::Cow;

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use crate::error::IdKind::Face;
use crate::error::{Command, Error, Result};
use crate::mesh::SurfaceMesh;
use crate::numbers::counted;

/// How distances on surfaces are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum DistanceMethod {
    /// Heat method: linear systems.
    ///
    /// As [`Geodesics`].
    #[default]
    Heat,
    /// Window updates level by level from the sources.
    ///
    /// As [`toplesets`](toplesets()).
    Toplesets,
}

/// Says how many vertices have no distance, NaN, as they are of no face; `None` if all have one.
pub fn missing_distances(distances: &[f64]) -> Option<String> {
    let first = distances.iter().position(|distance| distance.is_nan())?;
    let count = distances.iter().filter(|distance| distance.is_nan()).count();
    let vertices = counted(count, "vertex");
    Some(format!("{vertices} of no face (the first: vertex {first}): no distance, NaN"))
}

/// The triangles of a mesh of nothing else, none of zero area; holes are left out.
pub(crate) fn triangles(mesh: &SurfaceMesh) -> Result<Cow<'_, [[u32; 3]]>> {
    mesh.check()?;
    let mut is_hole = vec![false; mesh.faces.len()];
    mesh.holes.iter().for_each(|&face| is_hole[face as usize] = true);
    let seen = || (0..mesh.faces.len()).filter(|&face| !is_hole[face]);
    if let Some(other) = seen().find(|&face| mesh.faces.face(face).len() != 3) {
        return Err(Error::mesh(message!(Face.id(other), " is not a triangle"))
            .with_help(message!("cut the faces into triangles first: ", Command::Triangulate)));
    }
    let triangle = |face: usize| match *mesh.faces.face(face) {
        [a, b, c] => [a, b, c],
        _ => [0; 3],
    };
    let flat = |&face: &usize| {
        let [a, b, c] = corners(&mesh.points, &triangle(face));
        let longest = (b - a).norm().max((c - b).norm()).max((a - c).norm());
        (b - a).cross(&(c - a)).norm() <= 1e-12 * longest * longest
    };
    let bad: Vec<usize> = seen().filter(flat).collect();
    let which = match bad[..] {
        [] if mesh.holes.is_empty() => return Ok(mesh.faces.vertices().as_chunks().0.into()),
        [] => {
            let all: Vec<_> = seen().map(triangle).collect();
            if all.is_empty() {
                return Err(Error::mesh("all faces are holes").with_help("remove their tags"));
            }
            return Ok(all.into());
        }
        [face] => message!(Face.id(face), " has"),
        [face, ref others @ ..] => {
            message!(Face.id(face), " and ", others.len().to_string(), " more have")
        }
    };
    Err(Error::mesh(message!(which, " no area"))
        .with_help("remove such faces, or move their vertices apart"))
}

fn corners(points: &[[f64; 3]], face: &[u32; 3]) -> [Vector3<f64>; 3] {
    face.map(|v| Vector3::from(points[v as usize]))
}
