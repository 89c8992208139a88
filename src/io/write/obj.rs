//! Wavefront OBJ with OpenSubdiv's tags, as the reader takes them: shortest decimals that
//! read back to the same numbers.

use std::io::{self, Write};

use crate::mesh::{BoundaryRule, CreaseRule, SurfaceMesh};

/// What stands for a sharpness that never ends; readers take 10 and more so.
const INFINITE_SHARPNESS: f64 = 10.0;

/// Writes `mesh`, which has been checked.
pub fn write(out: &mut impl Write, mesh: &SurfaceMesh) -> io::Result<()> {
    for [x, y, z] in &mesh.points {
        writeln!(out, "v {x} {y} {z}")?;
    }
    if let Some(uv) = &mesh.uv {
        for [u, v] in &uv.values {
            writeln!(out, "vt {u} {v}")?;
        }
    }
    for f in 0..mesh.faces.len() {
        out.write_all(b"f")?;
        for (corner, v) in mesh.faces.corners(f).zip(mesh.faces.face(f)) {
            match &mesh.uv {
                Some(uv) => write!(out, " {}/{}", v + 1, uv.corners[corner] + 1)?,
                None => write!(out, " {}", v + 1)?,
            }
        }
        out.write_all(b"\n")?;
    }
    write_tags(out, mesh)
}

fn write_tags(out: &mut impl Write, mesh: &SurfaceMesh) -> io::Result<()> {
    for crease in &mesh.creases.edges {
        let [a, b] = crease.edge;
        let sharpness = crease.sharpness.min(INFINITE_SHARPNESS);
        writeln!(out, "t crease 2/1/0 {} {} {sharpness}", a.0, b.0)?;
    }
    for corner in &mesh.creases.corners {
        let sharpness = corner.sharpness.min(INFINITE_SHARPNESS);
        writeln!(out, "t corner 1/1/0 {} {sharpness}", corner.vertex.0)?;
    }
    for hole in &mesh.holes {
        writeln!(out, "t hole 1/0/0 {hole}")?;
    }
    match mesh.boundary {
        BoundaryRule::Edges => {}
        BoundaryRule::EdgesAndCorners => writeln!(out, "t interpolateboundary 1/0/0 1")?,
        BoundaryRule::Holes => writeln!(out, "t interpolateboundary 1/0/0 0")?,
    }
    if mesh.crease_rule == CreaseRule::Chaikin {
        writeln!(out, "t creasemethod 0/0/1 chaikin")?;
    }
    Ok(())
}
