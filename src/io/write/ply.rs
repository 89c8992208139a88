//! Binary little-endian PLY: points and attributes in double precision, colors in bytes, polygons.

use std::collections::HashSet;
use std::io::{self, Write};

use crate::mesh::{Attribute, SurfaceMesh};

/// Writes `mesh`, which has been checked. An attribute of several components becomes as
/// many properties, `name_0`, `name_1` …; normals are `nx`, `ny`, `nz`, colors `red` to `alpha`.
pub fn write(out: &mut impl Write, mesh: &SurfaceMesh) -> io::Result<()> {
    writeln!(out, "ply\nformat binary_little_endian 1.0\nelement vertex {}", mesh.points.len())?;
    writeln!(out, "property double x\nproperty double y\nproperty double z")?;
    let colors: Vec<bool> = mesh.attributes.iter().map(Attribute::is_color).collect();
    for (names, is_color) in property_names(mesh).iter().zip(&colors) {
        let kind = if *is_color { "uchar" } else { "double" };
        names.iter().try_for_each(|name| writeln!(out, "property {kind} {name}"))?;
    }
    writeln!(out, "element face {}", mesh.faces.len())?;
    // MeshLab reads bytes for numbers of corners alone
    let is_byte = mesh.faces.iter().all(|face| face.len() <= usize::from(u8::MAX));
    let count = if is_byte { "uchar" } else { "uint" };
    writeln!(out, "property list {count} uint vertex_indices\nend_header")?;
    for (v, point) in mesh.points.iter().enumerate() {
        point.iter().try_for_each(|x| out.write_all(&x.to_le_bytes()))?;
        for (attribute, is_color) in mesh.attributes.iter().zip(&colors) {
            let values = &attribute.values[v * attribute.width..][..attribute.width];
            values.iter().try_for_each(|x| {
                if *is_color {
                    out.write_all(&[x.round().clamp(0.0, 255.0) as u8])
                } else {
                    out.write_all(&x.to_le_bytes())
                }
            })?;
        }
    }
    for face in mesh.faces.iter() {
        if is_byte {
            out.write_all(&[face.len() as u8])?
        } else {
            out.write_all(&(face.len() as u32).to_le_bytes())?
        }
        face.iter().try_for_each(|v| out.write_all(&v.to_le_bytes()))?;
    }
    Ok(())
}

/// Properties of each attribute, all different.
fn property_names(mesh: &SurfaceMesh) -> Vec<Vec<String>> {
    let known = |attribute: &Attribute| -> Vec<String> {
        let names: &[&str] = match attribute {
            normals if normals.is_normals() => &["nx", "ny", "nz"],
            color if color.is_color() => &["red", "green", "blue", "alpha"][..color.width],
            _ => &[],
        };
        names.iter().map(ToString::to_string).collect()
    };
    let mut taken: HashSet<String> = ["x", "y", "z"].map(String::from).into();
    mesh.attributes.iter().for_each(|attribute| taken.extend(known(attribute)));
    let mut names = Vec::new();
    for attribute in &mesh.attributes {
        let own = known(attribute);
        if !own.is_empty() {
            names.push(own);
            continue;
        }
        let word = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let mut name: String = attribute.name.chars().map(word).collect();
        let own = loop {
            let own: Vec<String> = match attribute.width {
                1 => vec![name.clone()],
                width => (0..width).map(|component| format!("{name}_{component}")).collect(),
            };
            if !name.is_empty() && own.iter().all(|property| !taken.contains(property)) {
                break own;
            }
            name.push('_');
        };
        taken.extend(own.iter().cloned());
        names.push(own);
    }
    names
}
