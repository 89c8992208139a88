//! VTK XML polygons (`.vtp`): raw appended data. Creases and corners are arrays as of
//! solids.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::appended::write_raw;
use super::values::{ArrayValues, vtk_ids};
use super::xml;
use crate::error::Result;
use crate::io::dataset::{Array, Points, check_array_names};
use crate::io::mesh_dataset::{corner_array, crease_arrays};
use crate::mesh::SurfaceMesh;

/// Checks that the names of attributes can be stored in a file.
pub fn check(mesh: &SurfaceMesh) -> Result<()> {
    check_array_names("point", mesh.attributes.iter().map(|attribute| attribute.name.as_str()))
}

/// Writes `mesh`, which has been checked.
pub fn write(out: &mut impl Write, mesh: &SurfaceMesh) -> io::Result<()> {
    let points = Points::F64(mesh.points.clone());
    let attributes = mesh.attributes.iter();
    let mut attributes: Vec<Array> =
        attributes.map(|a| Array::new(a.name.clone(), a.width, a.values.clone())).collect();
    if !mesh.creases.corners.is_empty() {
        attributes.push(corner_array(&mesh.creases, mesh.points.len()));
    }
    let creases = crease_arrays(&mesh.creases);
    let mut head = xml::open_file("PolyData", xml::Version::Linear, false);
    head.push_str("  <PolyData>\n");
    let mut sections: Vec<ArrayValues> = Vec::new();
    let mut offset = 0;
    let mut array = |head: &mut String, attributes: String, values| {
        let values: ArrayValues = values;
        let _ = writeln!(
            head,
            "        <DataArray {attributes} format=\"appended\" offset=\"{offset}\"/>"
        );
        offset += 8 + values.byte_len();
        sections.push(values);
    };
    if !creases.is_empty() {
        head.push_str("    <FieldData>\n");
        for crease in &creases {
            let attributes = xml::array_attributes(crease);
            let attributes = format!("{attributes} NumberOfTuples=\"{}\"", crease.entries());
            array(&mut head, attributes, ArrayValues::Bytes(crease.data.bytes()));
        }
        head.push_str("    </FieldData>\n");
    }
    let _ = writeln!(
        head,
        "    <Piece NumberOfPoints=\"{}\" NumberOfVerts=\"0\" NumberOfLines=\"0\" \
         NumberOfStrips=\"0\" NumberOfPolys=\"{}\">",
        mesh.points.len(),
        mesh.faces.len()
    );
    if !attributes.is_empty() {
        head.push_str("      <PointData>\n");
        for attribute in &attributes {
            array(
                &mut head,
                xml::array_attributes(attribute),
                ArrayValues::Bytes(attribute.data.bytes()),
            );
        }
        head.push_str("      </PointData>\n");
    }
    head.push_str("      <Points>\n");
    array(&mut head, xml::points_attributes(&points), ArrayValues::Bytes(points.bytes()));
    head.push_str("      </Points>\n      <Polys>\n");
    let (kind, ids) = vtk_ids(mesh.faces.vertices(), mesh.points.len());
    array(&mut head, format!("type=\"{kind}\" Name=\"connectivity\""), ids);
    let ends: Vec<u64>;
    let ends = match mesh.faces.uniform_size() {
        Some(size) => {
            ArrayValues::Multiples { step: size as u64, first: 0, count: mesh.faces.len() }
        }
        None => {
            ends = mesh.faces.ends().collect();
            ArrayValues::Bytes(bytemuck::cast_slice(&ends))
        }
    };
    array(&mut head, "type=\"Int64\" Name=\"offsets\"".into(), ends);
    head.push_str(
        "      </Polys>\n    </Piece>\n  </PolyData>\n  <AppendedData encoding=\"raw\">\n   _",
    );
    out.write_all(head.as_bytes())?;
    sections.iter().try_for_each(|values| write_raw(out, values))?;
    out.write_all(b"\n  </AppendedData>\n</VTKFile>\n")
}
