//! PLY, ASCII and binary of either byte order, through the crate `ply-rs-bw`.
//!
//! `vertex` gives the points (`x y z`) and, of every other numeric property, an attribute: lists of one
//! length too, and one of `nx ny nz`, of `red green blue alpha` and of `name_0 name_1 …`, as our files
//! have vectors. `face` gives `vertex_indices` or `vertex_index`. Texture coordinates come from `s t` or
//! `u v` of the vertices as an attribute. Other elements and lists are left out and reported.

use std::io::{BufReader, Cursor, ErrorKind};
use std::path::Path;

use ply_rs_bw::parser::{ParseError, Parser, Reader};
use ply_rs_bw::ply::{
    ElementDef, Property, PropertyAccess, PropertyAccessResult, PropertyDef, PropertyType,
};

use super::ReadReport;
use crate::error::ElementKind;
use crate::mesh::{Attribute, COLOR, CORNER_SHARPNESS, NORMALS, SurfaceMesh};
use crate::message;
use crate::numbers::counted;
use crate::{Error, Result};

/// More properties of a vertex than this are refused.
const MAX_PROPERTIES: usize = 256;

/// Scalars, lists, and the vertices of a face, each in the order of the header.
#[derive(Default)]
struct Record {
    scalars: Vec<f64>,
    lists: Vec<Vec<f64>>,
    vertices: Option<Vec<i64>>,
}

impl PropertyAccess for Record {
    fn new() -> Self {
        Self::default()
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        if let Some(value) = scalar(&property) {
            self.scalars.push(value);
        } else if is_vertex_list(name) {
            self.vertices = list(&property);
        } else {
            self.lists.push(numbers(&property));
        }
        PropertyAccessResult::Set
    }
}

fn is_vertex_list(name: &str) -> bool {
    name == "vertex_indices" || name == "vertex_index"
}

fn scalar(property: &Property) -> Option<f64> {
    Some(match *property {
        Property::Char(x) => x.into(),
        Property::UChar(x) => x.into(),
        Property::Short(x) => x.into(),
        Property::UShort(x) => x.into(),
        Property::Int(x) => x.into(),
        Property::UInt(x) => x.into(),
        Property::Float(x) => x.into(),
        Property::Double(x) => x,
        _ => return None,
    })
}

fn list(property: &Property) -> Option<Vec<i64>> {
    Some(match property {
        Property::ListChar(list) => list.iter().map(|&x| x.into()).collect(),
        Property::ListUChar(list) => list.iter().map(|&x| x.into()).collect(),
        Property::ListShort(list) => list.iter().map(|&x| x.into()).collect(),
        Property::ListUShort(list) => list.iter().map(|&x| x.into()).collect(),
        Property::ListInt(list) => list.iter().map(|&x| x.into()).collect(),
        Property::ListUInt(list) => list.iter().map(|&x| x.into()).collect(),
        _ => return None,
    })
}

fn numbers(property: &Property) -> Vec<f64> {
    match property {
        Property::ListFloat(list) => list.iter().map(|&x| x.into()).collect(),
        Property::ListDouble(list) => list.clone(),
        _ => list(property).unwrap_or_default().into_iter().map(|x| x as f64).collect(),
    }
}

/// Reads a PLY file that is already in memory.
pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<(SurfaceMesh, ReadReport)> {
    // of a text whose last row has no end, that row
    let is_cut = |error: &ParseError| {
        let rows = bytes.iter().filter(|&&byte| byte == b'\n').count();
        error.kind() == ErrorKind::UnexpectedEof
            || !bytes.ends_with(b"\n") && error.line() == Some(rows + 1)
    };
    let refused = |error: ParseError, what: &str| {
        if is_cut(&error) {
            return Error::file(
                path,
                None,
                format!("the file is cut short: it ends within {what}"),
            )
            .with_help("copy or export it again");
        }
        let text = error.to_string();
        let message: String = text.chars().filter(|c| !c.is_control()).take(300).collect();
        Error::file(path, error.line(), message).with_help("the file is malformed: export it again")
    };
    let parser = Parser::<Record>::new();
    let mut reader = Reader::new(BufReader::new(Cursor::new(bytes)));
    let header = parser.read_header(&mut reader).map_err(|error| refused(error, "its header"))?;
    let mut mesh = SurfaceMesh::default();
    let mut report = ReadReport::default();
    if header.elements.contains_key("tristrips") {
        return Err(Error::file(path, None, "a PLY file of triangle strips (element `tristrips`)")
            .with_help("save it with faces, for example with MeshLab"));
    }
    let (mut has_points, mut has_faces) = (false, false);
    for (name, element) in &header.elements {
        check_size(path, element, bytes.len())?;
        let records = parser.read_payload_for_element(&mut reader, element, &header);
        let records = records.map_err(|error| {
            let name: String = name.chars().take(60).collect();
            refused(error, &format!("its {} `{name}`", counted(element.count, "element")))
        })?;
        match name.as_str() {
            "vertex" => {
                take_vertices(path, element, &records, &mut mesh, &mut report)?;
                has_points = true;
            }
            "face" => {
                take_faces(path, element, &records, &mut mesh, &mut report)?;
                has_faces = true;
            }
            other => {
                let name: String = other.chars().take(60).collect();
                report.skipped.push(format!("{} `{name}`", counted(element.count, "element")));
            }
        }
    }
    if !(has_points && has_faces) {
        return Err(Error::file(path, None, "a PLY file without elements `vertex` and `face`")
            .with_help("export a surface mesh"));
    }
    Ok((mesh, report))
}

/// Elements without properties take no bytes, so that any count of them would be read.
fn check_size(path: &Path, element: &ElementDef, bytes: usize) -> Result<()> {
    let properties = element.properties.len();
    if properties > MAX_PROPERTIES || element.count > bytes || properties == 0 {
        return Err(Error::file(
            path,
            None,
            format!(
                "element {:?} has {} of {} in {}",
                element.name,
                counted(element.count, "entry"),
                counted(properties, "property"),
                counted(bytes, "byte")
            ),
        )
        .with_help("the header does not fit the file, or the file is cut short: export it again"));
    }
    Ok(())
}

fn take_vertices(
    path: &Path,
    element: &ElementDef,
    records: &[Record],
    mesh: &mut SurfaceMesh,
    report: &mut ReadReport,
) -> Result<()> {
    let is_scalar = |property: &PropertyDef| matches!(property.data_type, PropertyType::Scalar(_));
    let names_of = |scalars: bool| -> Vec<&str> {
        let properties = element.properties.iter();
        let of_kind = properties.filter(|(_, property)| is_scalar(property) == scalars);
        of_kind.map(|(name, _)| name.as_str()).collect()
    };
    let names = names_of(true);
    let find = |name: &str| names.iter().position(|&n| n == name);
    let (Some(x), Some(y), Some(z)) = (find("x"), find("y"), find("z")) else {
        return Err(Error::file(path, None, "vertices without properties x, y and z")
            .with_help("export points in three dimensions"));
    };
    mesh.points = records.iter().map(|r| [x, y, z].map(|i| r.scalars[i])).collect();
    let mut taken = vec![false; names.len()];
    [x, y, z].into_iter().for_each(|i| taken[i] = true);
    let groups: [(&str, &[&str]); 5] = [
        (NORMALS, &["nx", "ny", "nz"]),
        (COLOR, &["red", "green", "blue", "alpha"]),
        (COLOR, &["red", "green", "blue"]),
        ("uv", &["s", "t"]),
        ("uv", &["u", "v"]),
    ];
    let mut push = |name: &str, columns: &[usize]| {
        let values = records.iter().flat_map(|r| columns.iter().map(|&i| r.scalars[i])).collect();
        mesh.attributes.push(Attribute { name: name.into(), width: columns.len(), values });
    };
    let mut known: Vec<&str> = Vec::new();
    for (name, members) in groups {
        // what has the name already keeps it
        let has_name = |n: &&str| *n == name || n.strip_prefix(name) == Some("_0");
        if known.contains(&name) || element.properties.keys().any(|n| has_name(&n.as_str())) {
            continue;
        }
        let columns: Option<Vec<usize>> = members.iter().map(|member| find(member)).collect();
        if let Some(columns) = columns.filter(|columns| columns.iter().all(|&i| !taken[i])) {
            columns.iter().for_each(|&i| taken[i] = true);
            known.push(name);
            push(name, &columns);
        }
    }
    let mut i = 0;
    while i < names.len() {
        let component = |k: usize| names.get(i + k).filter(|_| !taken[i + k]);
        let stem = component(0).and_then(|name| name.strip_suffix("_0")).filter(|s| !s.is_empty());
        let is_next = |k: usize, stem: &str| {
            component(k).is_some_and(|name| name.strip_prefix(stem) == Some(&format!("_{k}")))
        };
        let width = stem.map_or(1, |stem| (1..).find(|&k| !is_next(k, stem)).unwrap_or(1));
        match (stem, width) {
            _ if taken[i] => {}
            (Some(stem), 2..) => push(stem, &(i..i + width).collect::<Vec<_>>()),
            _ => push(names[i], &[i]),
        }
        i += width;
    }
    for (list, name) in names_of(false).into_iter().filter(|name| !is_vertex_list(name)).enumerate()
    {
        let row = |record: &Record| record.lists.get(list).map_or(0, Vec::len);
        let width = records.first().map_or(0, row);
        if width == 0 || records.iter().any(|record| row(record) != width) {
            let name: String = name.chars().take(60).collect();
            report.skipped.push(format!("lists `{name}` of the vertices, of several lengths"));
            continue;
        }
        let values = records.iter().flat_map(|record| &record.lists[list]).copied().collect();
        mesh.attributes.push(Attribute { name: name.into(), width, values });
    }
    let is_sharpness = |a: &Attribute| a.name == CORNER_SHARPNESS && a.width == 1;
    if let Some(at) = mesh.attributes.iter().position(is_sharpness) {
        let sharpness = (0..).zip(mesh.attributes.remove(at).values);
        // the mesh is checked, and what is no sharpness refused, when all is read
        let sharp = sharpness.filter(|&(_, s)| s != 0.0);
        sharp.for_each(|(v, s)| mesh.creases.push_corner(v, s));
    }
    Ok(())
}

fn take_faces(
    path: &Path,
    element: &ElementDef,
    records: &[Record],
    mesh: &mut SurfaceMesh,
    report: &mut ReadReport,
) -> Result<()> {
    let mut face = Vec::new();
    for (f, record) in records.iter().enumerate() {
        let Some(vertices) = &record.vertices else {
            return Err(Error::file(path, None, "faces without a list vertex_indices")
                .with_help("export a surface mesh"));
        };
        face.clear();
        for &v in vertices {
            face.push(u32::try_from(v).map_err(|_| {
                Error::file(
                    path,
                    None,
                    message!(ElementKind::Face.id(f), " names ", ElementKind::Vertex.id(v)),
                )
                .with_help("vertices are numbered from 0 to their count less 1")
            })?);
        }
        mesh.faces.push(&face);
    }
    for (name, _) in element.properties.iter().filter(|(name, _)| !is_vertex_list(name)) {
        let name: String = name.chars().take(60).collect();
        report.skipped.push(format!("property `{name}` of the faces"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "element vertex 4\nproperty float x\nproperty float y\nproperty double z\n\
                          property uchar red\nproperty uchar green\nproperty uchar blue\n\
                          element face 1\nproperty list uchar int vertex_indices\nend_header\n";

    fn expect(bytes: &[u8]) {
        let (mesh, _) = read(Path::new("a.ply"), bytes).unwrap();
        assert_eq!(mesh.points[3], [0.0, 1.0, 0.5]);
        assert_eq!(mesh.faces.face(0), [0, 1, 2, 3]);
        assert_eq!(mesh.attributes[0].width, 3);
        assert_eq!(mesh.attributes[0].values[9..], [30.0, 31.0, 32.0]);
    }

    #[test]
    fn ascii_and_both_byte_orders() {
        let points = [[0.0, 0.0, 0.5], [1.0, 0.0, 0.5], [1.0, 1.0, 0.5], [0.0, 1.0, 0.5f64]];
        let mut ascii = format!("ply\nformat ascii 1.0\n{HEADER}");
        let mut little = format!("ply\nformat binary_little_endian 1.0\n{HEADER}").into_bytes();
        let mut big = format!("ply\nformat binary_big_endian 1.0\n{HEADER}").into_bytes();
        for (i, [x, y, z]) in points.into_iter().enumerate() {
            let red = 10 * i as u8;
            ascii += &format!("{x} {y} {z} {red} {} {}\n", red + 1, red + 2);
            for value in [x, y] {
                little.extend((value as f32).to_le_bytes());
                big.extend((value as f32).to_be_bytes());
            }
            little.extend(z.to_le_bytes());
            big.extend(z.to_be_bytes());
            little.extend([red, red + 1, red + 2]);
            big.extend([red, red + 1, red + 2]);
        }
        ascii += "4 0 1 2 3\n";
        little.push(4);
        big.push(4);
        for v in 0..4i32 {
            little.extend(v.to_le_bytes());
            big.extend(v.to_be_bytes());
        }
        expect(ascii.as_bytes());
        expect(&little);
        expect(&big);
        for cut in 0..little.len() {
            assert!(read(Path::new("a.ply"), &little[..cut]).is_err());
        }
        let error = |bytes: &[u8]| read(Path::new("a.ply"), bytes).unwrap_err().to_string();
        for bytes in [&little[..little.len() - 3], &ascii.as_bytes()[..ascii.len() - 4]] {
            assert!(error(bytes).contains("cut short: it ends within its 1 element `face`"));
        }
        assert!(error(&little[..40]).contains("within its header"));
        let strips = ascii.replace("element face", "element tristrips");
        assert!(error(strips.as_bytes()).contains("triangle strips"));
    }

    #[test]
    fn claimed_counts_are_not_trusted() {
        for header in ["element vertex 4000000000\nproperty float x\n", "element face 9999999\n"] {
            let text = format!("ply\nformat ascii 1.0\n{header}end_header\n");
            assert!(read(Path::new("a.ply"), text.as_bytes()).is_err());
        }
    }

    #[test]
    fn sharpness_of_corners_makes_corners() {
        let text = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n\
                    property float z\nproperty float corner_sharpness\nelement face 1\n\
                    property list uchar int vertex_indices\nend_header\n\
                    0 0 0 0\n1 0 0 1.5\n0 1 0 0\n3 0 1 2\n";
        let (mesh, _) = read(Path::new("a.ply"), text.as_bytes()).unwrap();
        assert!(mesh.attributes.is_empty());
        let corners = mesh.creases.corners.iter().map(|c| (c.vertex.0, c.sharpness));
        assert_eq!(corners.collect::<Vec<_>>(), [(1, 1.5)]);
    }
}
