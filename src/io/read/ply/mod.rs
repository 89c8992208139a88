//! PLY, ASCII and binary of either byte order. The crate `ply-rs-bw` reads headers and binary
//! elements.
//!
//! `vertex` gives the points (`x y z`) and, of every other numeric property, an attribute: lists of
//! one length too, and one of `nx ny nz`, of `red green blue alpha` and of `name_0 name_1 …`, as
//! our files have vectors. `face` gives `vertex_indices` or `vertex_index`. Texture coordinates
//! come from `s t` or `u v` of the vertices as an attribute. Other elements and lists are left out
//! and reported.

mod ascii;
mod record;

use std::borrow::Cow;
use std::io::{Cursor, ErrorKind};
use std::path::Path;

use ply_rs_bw::parser::{ParseError, Parser, Reader};
use ply_rs_bw::ply::{ElementDef, Encoding, PropertyDef, PropertyType};

use self::record::{PlyRecord, is_vertex_list};
use super::ReadReport;
use super::lines::{Text, shown};
use crate::error::{Error, IdKind, Result};
use crate::memory;
use crate::mesh::{Attribute, COLOR, CORNER_SHARPNESS, NORMALS, SurfaceMesh};
use crate::numbers::counted;

/// More properties of a vertex than this are refused.
const MAX_PROPERTIES: usize = 256;

/// Reads a PLY file that is already in memory.
pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<(SurfaceMesh, ReadReport)> {
    let parser = Parser::<PlyRecord>::new();
    let header_bytes = with_plain_comments(bytes);
    let mut reader = Reader::new(Cursor::new(&header_bytes[..]));
    let header =
        parser.read_header(&mut reader).map_err(|error| refused_header(path, bytes, &error))?;
    let start = reader.get_ref().position() as usize;
    let mut text = Text::new(path, &bytes[start..]).at_line(reader.line());
    let mut mesh = SurfaceMesh::default();
    let mut report = ReadReport::default();
    if header.elements.contains_key("tristrips") {
        return Err(Error::file(path, None, "a PLY file of triangle strips (element `tristrips`)")
            .with_help("save it with faces, for example with MeshLab"));
    }
    let (mut has_points, mut has_faces) = (false, false);
    for (name, element) in &header.elements {
        check_size(path, element, bytes.len())?;
        let shown_name = shown(name.as_bytes());
        let what = format!("its {} `{shown_name}`", counted(element.count, "element"));
        let records =
            match header.encoding {
                Encoding::Ascii => ascii::read(&mut text, element, || cut_short(path, &what))?,
                _ => parser.read_payload_for_element(&mut reader, element, &header).map_err(
                    |error| match error.kind() {
                        ErrorKind::UnexpectedEof => cut_short(path, &what),
                        _ => Error::file(path, None, format!("{what} cannot be read"))
                            .with_help(HELP),
                    },
                )?,
            };
        match name.as_str() {
            "vertex" => {
                take_vertices(path, element, &records, &mut mesh, &mut report)?;
                has_points = true;
            }
            "face" => {
                take_faces(path, element, &records, &mut mesh, &mut report)?;
                has_faces = true;
            }
            _ => {
                let count = counted(element.count, "element");
                report.skipped.push(format!("{count} `{shown_name}`"));
            }
        }
    }
    if !(has_points && has_faces) {
        return Err(Error::file(path, None, "a PLY file without elements `vertex` and `face`")
            .with_help("export a surface mesh"));
    }
    let surplus = if header.encoding == Encoding::Ascii {
        let line = std::iter::from_fn(|| text.next_line()).find(|line| !line.is_empty());
        line.map(|line| text.error(format!("`{}` after the last element", shown(line))))
    } else {
        let rest = bytes[reader.get_ref().position() as usize..].trim_ascii();
        let message = || format!("{} after the last element", counted(rest.len(), "byte"));
        (!rest.is_empty()).then(|| Error::file(path, None, message()))
    };
    if let Some(error) = surplus {
        return Err(error.with_help("a count in the header is too small: export the file again"));
    }
    Ok((mesh, report))
}

/// What to do about a file that another program should not have written.
const HELP: &str = "the file is malformed: export it again";

fn cut_short(path: &Path, what: &str) -> Error {
    Error::file(path, None, format!("the file is cut short: it ends within {what}"))
        .with_help("copy or export it again")
}

/// The file with comments of the header in ASCII: those in other encodings than UTF-8 are no text
/// to the parser, and none are read.
fn with_plain_comments(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut plain = Cow::Borrowed(bytes);
    let mut at = 0;
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        if line.trim_ascii() == b"end_header" {
            break;
        }
        let is_comment = line.starts_with(b"comment") || line.starts_with(b"obj_info");
        if is_comment && std::str::from_utf8(line).is_err() {
            let own = &mut plain.to_mut()[at..at + line.len()];
            own.iter_mut().filter(|byte| !byte.is_ascii()).for_each(|byte| *byte = b'?');
        }
        at += line.len();
    }
    plain
}

/// The error of a header that the parser refuses, in our words.
fn refused_header(path: &Path, bytes: &[u8], error: &ParseError) -> Error {
    let rows = bytes.iter().filter(|&&byte| byte == b'\n').count();
    let is_last = !bytes.ends_with(b"\n") && error.line() == Some(rows + 1);
    if error.kind() == ErrorKind::UnexpectedEof || is_last {
        return cut_short(path, "its header");
    }
    let line = error.line().and_then(|at| {
        let line = bytes.split(|&byte| byte == b'\n').nth(at.checked_sub(1)?)?;
        Some(format!("`{}` is no line of a PLY header", shown(line.trim_ascii())))
    });
    let message = line.unwrap_or_else(|| {
        "the header has no line `format ascii 1.0`, or one of `binary_little_endian` or \
         `binary_big_endian`, or is not in UTF-8"
            .into()
    });
    Error::file(path, error.line(), message).with_help(HELP)
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
    let numbers = (properties * 2 * size_of::<f64>()) as u128;
    let need = element.count as u128 * (size_of::<PlyRecord>() as u128 + numbers);
    let what = format!("{} of the file need", counted(element.count, "element"));
    memory::check(what, need, |_| "read a part of the mesh".into())
        .map_err(|error| error.in_file(path, None))
}

fn take_vertices(
    path: &Path,
    element: &ElementDef,
    records: &[PlyRecord],
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
        // what has the name already keeps it
        let is_free = |stem: &&str| !stem.is_empty() && !element.properties.contains_key(*stem);
        let stem = component(0).and_then(|name| name.strip_suffix("_0")).filter(is_free);
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
        let row = |record: &PlyRecord| record.lists.get(list).map_or(0, Vec::len);
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
        // the mesh is checked, and invalid sharpness refused, when all is read
        let sharp = sharpness.filter(|&(_, s)| s != 0.0);
        sharp.for_each(|(v, s)| mesh.creases.push_corner(v, s));
    }
    Ok(())
}

fn take_faces(
    path: &Path,
    element: &ElementDef,
    records: &[PlyRecord],
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
                    message!(IdKind::Face.id(f), " names ", IdKind::Vertex.id(v)),
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
