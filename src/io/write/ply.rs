//! Binary little-endian PLY: points and attributes in double precision, polygons.

use std::io::{self, Write};

use crate::mesh::{NORMALS, SurfaceMesh};

/// Writes `mesh`, which has been checked. An attribute of several components becomes as
/// many properties, `name_0`, `name_1` …; normals are `nx`, `ny`, `nz`.
pub fn write(out: &mut impl Write, mesh: &SurfaceMesh) -> io::Result<()> {
    writeln!(out, "ply\nformat binary_little_endian 1.0\nelement vertex {}", mesh.points.len())?;
    writeln!(out, "property double x\nproperty double y\nproperty double z")?;
    for attribute in &mesh.attributes {
        if attribute.name == NORMALS && attribute.width == 3 {
            writeln!(out, "property double nx\nproperty double ny\nproperty double nz")?;
            continue;
        }
        // names of properties are words
        let name: String = attribute
            .name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        for component in 0..attribute.width {
            match attribute.width {
                1 => writeln!(out, "property double {name}")?,
                _ => writeln!(out, "property double {name}_{component}")?,
            }
        }
    }
    writeln!(out, "element face {}", mesh.faces.len())?;
    // MeshLab reads bytes for numbers of corners alone
    let is_byte = mesh.faces.iter().all(|face| face.len() <= usize::from(u8::MAX));
    let count = if is_byte { "uchar" } else { "uint" };
    writeln!(out, "property list {count} uint vertex_indices\nend_header")?;
    for (v, point) in mesh.points.iter().enumerate() {
        point.iter().try_for_each(|x| out.write_all(&x.to_le_bytes()))?;
        for attribute in &mesh.attributes {
            let values = &attribute.values[v * attribute.width..][..attribute.width];
            values.iter().try_for_each(|x| out.write_all(&x.to_le_bytes()))?;
        }
    }
    for face in mesh.faces.iter() {
        match is_byte {
            true => out.write_all(&[face.len() as u8])?,
            false => out.write_all(&(face.len() as u32).to_le_bytes())?,
        }
        face.iter().try_for_each(|v| out.write_all(&v.to_le_bytes()))?;
    }
    Ok(())
}
