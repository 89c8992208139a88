//! Rules and texture coordinates of surfaces.

use pyo3::prelude::*;
use subsolid::SurfaceMesh;
use subsolid::mesh::FaceVarying;

use crate::arrays::{floats, rows};
use crate::errors::{IntoPython, refused};
use crate::model::polygons;
use crate::request::named;

/// Gives a mesh texture coordinates: values (n, 2) and their ids at the corners of the faces.
pub fn set_uv(mesh: &mut SurfaceMesh, given: &Bound<'_, PyAny>) -> PyResult<()> {
    let pair: Result<(Bound<'_, PyAny>, Bound<'_, PyAny>), _> = given.extract();
    let form = "give a pair: values of shape (n, 2), and ids of them shaped as the faces";
    let (values, ids) = pair.map_err(|_| refused("uv of another form", form))?;
    let (values, ids) = (floats(&values, "uv")?, polygons(&ids)?);
    if !ids.iter().map(<[u32]>::len).eq(mesh.faces.iter().map(<[u32]>::len)) {
        return Err(refused("uv has not one id for each corner of the faces", form));
    }
    mesh.uv = Some(FaceVarying {
        values: rows::<2>(&values, "uv")?.to_vec(),
        corners: ids.vertices().to_vec(),
        ..FaceVarying::default()
    });
    Ok(())
}

/// Sets the rules that are given.
pub fn set_rules(
    mesh: &mut SurfaceMesh,
    [crease_rule, boundary, triangles]: [Option<&str>; 3],
    uv_boundary: Option<&str>,
) -> PyResult<()> {
    if let Some(rule) = crease_rule {
        mesh.crease_rule = named("crease_rule", rule)?;
    }
    if let Some(rule) = boundary {
        mesh.boundary = named("boundary", rule)?;
    }
    if let Some(rule) = triangles {
        mesh.triangle_rule = named("triangles", rule)?;
    }
    if let Some(rule) = uv_boundary {
        mesh.set_uv_boundary(named("uv_boundary", rule)?).py()?;
    }
    Ok(())
}
