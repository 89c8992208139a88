//! OpenVolumeMesh `.ovm`, ASCII: vertices, edges, faces of half-edges, cells of
//! half-faces (half-edge 2e runs along edge e, 2e + 1 against it; faces likewise).
//!
//! Cells of 6 quads, 4 triangles, or 2 triangles and 3 quads become hexahedra,
//! tetrahedra and wedges; all others stay polyhedra. Whether half-faces look into
//! the cell or out of it differs between programs, so the sign of the whole
//! mesh's volume decides; a single inverted cell therefore stays inverted.
//! Numeric vertex properties become attributes; edges where a numeric edge property is not 0 are a
//! feature of its name. Others are skipped and reported.

use std::path::Path;

use crate::error::IdKind::{Cell, Face};
use crate::error::{Error, Result};
use crate::mesh::Attribute;

use super::assemble::Assembly;
use super::lines::{Text, shown};
use crate::numbers::vector::difference;

/// Reads an OpenVolumeMesh file that is already in memory.
pub(super) fn read<'a>(path: &'a Path, bytes: &'a [u8]) -> Result<Assembly<'a>> {
    let mut text = Text::new(path, bytes).with_comment(b'#');
    // the word ASCII came with version 2 of the library
    _ = text.accept("OVM") && text.accept("ASCII");
    let mut assembly = Assembly::new(path, 0);
    let count = section(&mut text, "Vertices")?;
    assembly.reserve_points(text.room(count, 6));
    for _ in 0..count {
        let point = text.point()?;
        assembly.push_point(point, Some(text.line()))?;
    }
    let edges = read_edges(&mut text, count)?;
    let faces = read_faces(&mut text, &edges)?;
    let cells = read_cells(&mut text, faces.ends.len())?;
    read_properties(&mut text, &mut assembly, &edges)?;
    let outward = volume(assembly.positions(), &faces, &cells) >= 0.0;
    push_cells(&mut assembly, &text, &faces, &cells, outward)?;
    if cells.lines.is_empty() {
        (0..faces.lines.len()).for_each(|face| {
            assembly.groups.push_face("faces", faces.get(face), &[]);
        });
    }
    Ok(assembly)
}

/// Lists of one length each, one behind the other.
#[derive(Default)]
struct IdLists {
    items: Vec<u32>,
    ends: Vec<usize>,
    // 1-based line of each list
    lines: Vec<usize>,
}

impl IdLists {
    fn get(&self, index: usize) -> &[u32] {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.items[start..self.ends[index]]
    }

    /// Appends half-face `half` as a vertex cycle, reversed if `flip`.
    fn cycle(&self, half: u32, flip: bool, cycle: &mut Vec<u32>) {
        cycle.clear();
        cycle.extend_from_slice(self.get(half as usize / 2));
        if (half % 2 == 1) != flip {
            cycle.reverse();
        }
    }
}

fn section(text: &mut Text, keyword: &str) -> Result<usize> {
    if !text.accept(keyword) {
        let word = text.required(keyword)?;
        let help = "sections are Vertices, Edges, Faces, Polyhedra; check their counts";
        return Err(text.unexpected(word, keyword, help));
    }
    text.count("the count of the section")
}

/// A handle that must be below `count`.
fn handle(text: &mut Text, what: &str, count: usize) -> Result<u32> {
    let handle = text.index(0, what)?;
    if (handle as usize) < count {
        return Ok(handle);
    }
    Err(text
        .error(format!("{what} {handle} does not exist, there are {count}"))
        .with_help("the file is cut short or malformed; save it again"))
}

fn read_edges(text: &mut Text, vertices: usize) -> Result<Vec<[u32; 2]>> {
    let count = section(text, "Edges")?;
    let mut edges = Vec::with_capacity(text.room(count, 4));
    for _ in 0..count {
        edges.push([handle(text, "vertex", vertices)?, handle(text, "vertex", vertices)?]);
    }
    Ok(edges)
}

/// Faces as vertex cycles.
fn read_faces(text: &mut Text, edges: &[[u32; 2]]) -> Result<IdLists> {
    let count = section(text, "Faces")?;
    let mut faces = IdLists::default();
    faces.ends.reserve(text.room(count, 8));
    for face in 0..count {
        let corners = text.count("the number of half-edges")?;
        faces.lines.push(text.line());
        let (mut first, mut last) = (None, None);
        for _ in 0..corners {
            let half = handle(text, "half-edge", 2 * edges.len())?;
            let [a, b] = edges[half as usize / 2];
            let [from, to] = if half % 2 == 0 { [a, b] } else { [b, a] };
            if last.is_some_and(|last| last != from) {
                return Err(open_face(text, face));
            }
            first = first.or(Some(from));
            last = Some(to);
            faces.items.push(from);
        }
        if first != last {
            return Err(open_face(text, face));
        }
        faces.ends.push(faces.items.len());
    }
    Ok(faces)
}

fn open_face(text: &Text, face: usize) -> Error {
    text.error(message!("the half-edges of ", Face.id(face), " do not join to a cycle"))
        .with_help("each half-edge begins where the one before ends; save the file again")
}

/// Cells as half-faces.
fn read_cells(text: &mut Text, faces: usize) -> Result<IdLists> {
    let count = section(text, "Polyhedra")?;
    let mut cells = IdLists::default();
    cells.ends.reserve(text.room(count, 8));
    // A half-face bounds at most one cell.
    let mut used = vec![false; 2 * faces];
    for cell in 0..count {
        let sides = text.count("the number of half-faces")?;
        cells.lines.push(text.line());
        for _ in 0..sides {
            let half = handle(text, "half-face", used.len())?;
            if std::mem::replace(&mut used[half as usize], true) {
                return Err(text
                    .error(message!(Cell.id(cell), ": half-face {half} bounds another cell too"))
                    .with_help("the two cells at a face use its two half-faces"));
            }
            cells.items.push(half);
        }
        cells.ends.push(cells.items.len());
    }
    Ok(cells)
}

fn read_properties(text: &mut Text, assembly: &mut Assembly, edges: &[[u32; 2]]) -> Result<()> {
    while let Some(keyword) = text.word() {
        let is_vertex = keyword.eq_ignore_ascii_case(b"VProp");
        let is_edge = keyword.eq_ignore_ascii_case(b"EProp");
        if !is_vertex && !is_property(keyword) {
            let help = "a count does not match its list; save the file again";
            return Err(text.unexpected(keyword, "a property", help));
        }
        let start = text.line();
        let kind = text.required("the type of the property")?;
        let name = text.next_line().ok_or_else(|| text.ended("the name of the property"))?;
        let name = String::from_utf8_lossy(name).trim_matches('"').to_owned();
        match numbers(kind) {
            Some(1) if is_edge => {
                let feature = assembly.features.named(&name);
                for &edge in edges {
                    if text.real("a value")? != 0.0 {
                        feature.edges.push(edge);
                    }
                }
            }
            Some(width) if is_vertex => {
                let count = assembly.points() * width;
                let mut values = Vec::with_capacity(text.room(count, 2));
                for _ in 0..count {
                    values.push(text.real("a value")?);
                }
                assembly.push_attribute(Attribute { name, width, values }, 0, Some(start))?;
            }
            _ => {
                assembly.skip(&format!("{} `{name}` of type {}", shown(keyword), shown(kind)));
                while text.peek().is_some_and(|word| !is_property(word)) {
                    text.next_line();
                }
            }
        }
    }
    Ok(())
}

fn is_property(word: &[u8]) -> bool {
    [&b"VProp"[..], b"EProp", b"HEProp", b"FProp", b"HFProp", b"CProp", b"MProp"]
        .iter()
        .any(|keyword| word.eq_ignore_ascii_case(keyword))
}

/// Numbers in a value of a property type.
fn numbers(kind: &[u8]) -> Option<usize> {
    match kind.to_ascii_lowercase().as_slice() {
        b"float" | b"double" | b"int" | b"unsigned_int" | b"short" | b"long" | b"unsigned_long"
        | b"bool" => Some(1),
        b"vec2f" | b"vec2d" | b"vec2i" | b"vec2ui" => Some(2),
        b"vec3f" | b"vec3d" | b"vec3i" | b"vec3ui" => Some(3),
        b"vec4f" | b"vec4d" | b"vec4i" | b"vec4ui" => Some(4),
        _ => None,
    }
}

/// Six times the volume of all cells if half-faces look outward.
fn volume(points: &[[f64; 3]], faces: &IdLists, cells: &IdLists) -> f64 {
    let Some(&origin) = points.first() else { return 0.0 };
    let at = |v: u32| difference(points[v as usize], origin);
    let mut total = 0.0;
    for &half in &cells.items {
        let corners = faces.get(half as usize / 2);
        let Some((&apex, rest)) = corners.split_first() else { continue };
        let [x, y, z] = at(apex);
        let fan: f64 = rest
            .windows(2)
            .map(|pair| {
                let ([a, b, c], [d, e, f]) = (at(pair[0]), at(pair[1]));
                x * (b * f - c * e) + y * (c * d - a * f) + z * (a * e - b * d)
            })
            .sum();
        total += if half % 2 == 0 { fan } else { -fan };
    }
    total
}

fn push_cells(
    assembly: &mut Assembly,
    text: &Text,
    faces: &IdLists,
    cells: &IdLists,
    outward: bool,
) -> Result<()> {
    let mut cycles: Vec<Vec<u32>> = Vec::new();
    for (cell, &line) in cells.lines.iter().enumerate() {
        let sides = cells.get(cell);
        if sides.len() > cycles.len() {
            cycles.resize_with(sides.len(), Vec::new);
        }
        for (&side, cycle) in sides.iter().zip(&mut cycles) {
            if faces.get(side as usize / 2).len() < 3 {
                return Err(text
                    .error(message!(
                        Cell.id(cell),
                        ": ",
                        Face.id(side / 2),
                        " has fewer than 3 vertices"
                    ))
                    .with_help("remove the face and the cells at it"));
            }
            faces.cycle(side, !outward, cycle);
        }
        assembly.push_faces(&cycles[..sides.len()], Some(line))?;
    }
    Ok(())
}
