//! Wavefront OBJ with OpenSubdiv's tags, as the reader takes them: shortest decimals that
//! read back to the same numbers. Normals are written too, but not at faces with a vertex that
//! has none, and colors, from 0 to 1.

use std::io::{self, Write};

use crate::io::read::INFINITE_SHARPNESS;
use crate::mesh::{BoundaryRule, CreaseRule, LinearInterpolation, SurfaceMesh, TriangleRule};
use crate::numbers::counted;

/// The creases and corners whose finite sharpness is read back as infinite, in words.
pub fn read_back_infinite(mesh: &SurfaceMesh) -> Option<String> {
    let is_lost = |sharpness: f64| sharpness >= INFINITE_SHARPNESS && sharpness.is_finite();
    let creases = mesh.creases.edges.iter().filter(|crease| is_lost(crease.sharpness)).count();
    let corners = mesh.creases.corners.iter().filter(|corner| is_lost(corner.sharpness)).count();
    let all = [(creases, "crease"), (corners, "corner")];
    let all: Vec<_> =
        all.iter().filter(|(n, _)| *n > 0).map(|&(n, what)| counted(n, what)).collect();
    (!all.is_empty()).then(|| {
        format!(
            "the finite sharpness of {}: {INFINITE_SHARPNESS} or more is infinite in .obj",
            all.join(" and ")
        )
    })
}

/// Writes `mesh`, which has been checked.
pub fn write(out: &mut impl Write, mesh: &SurfaceMesh) -> io::Result<()> {
    let colors = mesh.attributes.iter().find(|a| a.is_color() && a.width == 3);
    let mut colors = colors.iter().flat_map(|a| a.values.as_chunks::<3>().0);
    for [x, y, z] in &mesh.points {
        write!(out, "v {x} {y} {z}")?;
        if let Some(rgb) = colors.next() {
            let [r, g, b] = rgb.map(|x| x.clamp(0.0, 255.0) / 255.0);
            write!(out, " {r} {g} {b}")?;
        }
        writeln!(out)?;
    }
    if let Some(uv) = &mesh.uv {
        for [u, v] in &uv.values {
            writeln!(out, "vt {u} {v}")?;
        }
    }
    let normals = write_normals(out, mesh)?;
    for f in 0..mesh.faces.len() {
        out.write_all(b"f")?;
        let face = mesh.faces.face(f);
        let normal = |v: u32| normals.get(v as usize).copied().filter(|&n| n > 0);
        let has_normals = face.iter().all(|&v| normal(v).is_some());
        for (corner, &v) in mesh.faces.corners(f).zip(face) {
            let uv = mesh.uv.as_ref().map(|uv| uv.corners[corner] + 1);
            match (uv, normal(v).filter(|_| has_normals)) {
                (None, None) => write!(out, " {}", v + 1)?,
                (Some(uv), None) => write!(out, " {}/{uv}", v + 1)?,
                (None, Some(n)) => write!(out, " {}//{n}", v + 1)?,
                (Some(uv), Some(n)) => write!(out, " {}/{uv}/{n}", v + 1)?,
            }
        }
        out.write_all(b"\n")?;
    }
    write_tags(out, mesh)
}

/// Writes the normals that exist; the number of each vertex's, 0 if there is none.
fn write_normals(out: &mut impl Write, mesh: &SurfaceMesh) -> io::Result<Vec<u32>> {
    let mut count = 0;
    let normals = mesh.normals().unwrap_or_default().iter();
    let numbers = normals.map(|&[x, y, z]| {
        if ![x, y, z].iter().all(|x| x.is_finite()) {
            return Ok(0);
        }
        count += 1;
        writeln!(out, "vn {x} {y} {z}").map(|()| count)
    });
    numbers.collect()
}

fn write_tags(out: &mut impl Write, mesh: &SurfaceMesh) -> io::Result<()> {
    for crease in &mesh.creases.edges {
        let [a, b] = crease.edge();
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
    if let Some(uv) = &mesh.uv
        && uv.linear != LinearInterpolation::All
    {
        let number = LinearInterpolation::ALL.iter().position(|&rule| rule == uv.linear);
        let number = number.unwrap_or_default();
        writeln!(out, "t facevaryinginterpolateboundary 1/0/0 {number}")?;
    }
    if mesh.crease_rule == CreaseRule::Chaikin {
        writeln!(out, "t creasemethod 0/0/1 chaikin")?;
    }
    if mesh.triangle_rule == TriangleRule::Smooth {
        writeln!(out, "t smoothtriangles 0/0/1 smooth")?;
    }
    Ok(())
}
