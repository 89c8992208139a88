//! AVS UCD `.inp`, ASCII: counts, nodes, cells with materials, then arrays of nodes and of cells (AVS
//! Developer's Guide, "Unstructured cell data").
//!
//! Materials of solids are the cell array `avs:material`; those of faces, lines and points make groups
//! and features `avs:material:N`. Solids list their upper corners first.

use std::collections::HashMap;
use std::path::Path;

use crate::error::Result;
use crate::mesh::Attribute;
use crate::mesh::groups::face_group_name;

use super::assemble::Assembly;
use super::lines::{Text, integer, shown};
use super::tags::Tags;
use crate::mesh::VolumeShape;

/// Cell array of the materials.
const MATERIAL: &str = "avs:material";

const COUNTS: &str =
    "counts of nodes, cells and arrays do not match the lists; write the file again";

/// Whether a text begins with the five counts of a UCD file.
pub(super) fn is_ucd(path: &Path, head: &[u8]) -> bool {
    let mut text = Text::new(path, head).with_comment(b'#');
    let first = text.word().filter(|word| integer(word).is_some());
    let rest = text.next_line().unwrap_or_default();
    let counts = rest.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    first.is_some() && counts.map(integer).collect::<Option<Vec<_>>>().is_some_and(|c| c.len() == 4)
}

/// Reads a UCD file that is already in memory.
pub(super) fn read<'a>(path: &'a Path, bytes: &'a [u8]) -> Result<Assembly<'a>> {
    let mut text = Text::new(path, bytes).with_comment(b'#');
    let mut counts = [0; 5];
    for (count, what) in counts.iter_mut().zip(["nodes", "cells", "node data", "cell data", "data"])
    {
        *count = text.count(&format!("the number of {what}"))?;
    }
    let [points, cells, of_nodes, of_cells, of_model] = counts;
    let mut assembly = Assembly::new(path, 0);
    let mut nodes = Tags::default();
    assembly.reserve_points(text.room(points, 8));
    for _ in 0..points {
        let tag = text.integer("a node number")?;
        if !nodes.push(tag) {
            return Err(text.error(format!("node {tag} is given twice")).with_help(COUNTS));
        }
        let point = text.point()?;
        assembly.push_point(point, Some(text.line()))?;
    }
    // the solids by their numbers
    let mut solids = HashMap::new();
    for _ in 0..cells {
        let tag = text.integer("a cell number")?;
        let cell = solids.len();
        if push_cell(&mut text, &nodes, &mut assembly)? && solids.insert(tag, cell).is_some() {
            return Err(text.error(format!("cell {tag} is given twice")).with_help(COUNTS));
        }
    }
    assembly.limit_numbered_groups(MATERIAL);
    assembly.push_references(MATERIAL, 1)?;
    if of_nodes > 0 {
        let row = |tag| nodes.get(tag).map(|v| v as usize);
        for array in read_data(&mut text, of_nodes, points, (points, &row))? {
            assembly.push_attribute(array, 0, Some(text.line()))?;
        }
    }
    if of_cells > 0 {
        let row = |tag| solids.get(&tag).copied();
        for array in read_data(&mut text, of_cells, cells, (solids.len(), &row))? {
            let of_integers = array.values.iter().all(|x| x.fract() == 0.0);
            assembly.push_cell_array(array, of_integers, 0, Some(text.line()))?;
        }
    }
    assembly.skip_many("values of the model", of_model);
    Ok(assembly)
}

/// Reads a cell behind its number; whether it is a solid.
fn push_cell(text: &mut Text, nodes: &Tags, assembly: &mut Assembly) -> Result<bool> {
    let material = text.integer("a material")?;
    let kind = text.required("the type of a cell")?;
    let line = text.line();
    let (count, shape) = match kind {
        b"pt" => (1, None),
        b"line" => (2, None),
        b"tri" => (3, None),
        b"quad" => (4, None),
        b"tet" => (4, Some(VolumeShape::Tetrahedron)),
        b"pyr" => (5, Some(VolumeShape::Pyramid)),
        b"prism" => (6, Some(VolumeShape::Wedge)),
        b"hex" => (8, Some(VolumeShape::Hexahedron)),
        _ => return Err(text.unexpected(kind, "the type of a cell", COUNTS)),
    };
    let mut corners = [0; 8];
    for corner in &mut corners[..count] {
        let tag = text.integer("a node number")?;
        *corner = nodes
            .get(tag)
            .ok_or_else(|| text.error(format!("node {tag} does not exist")).with_help(COUNTS))?;
    }
    let corners = &mut corners[..count];
    let Some(shape) = shape else {
        let name = face_group_name(MATERIAL, material);
        match *corners {
            [v] => assembly.features.named(&name).vertices.push(v),
            [a, b] => assembly.features.named(&name).edges.push([a, b]),
            _ => {
                let face =
                    assembly.groups.push_face(&format!("{} cells", shown(kind)), corners, &[]);
                assembly.groups.group_face(&name, face);
            }
        }
        return Ok(false);
    };
    match shape {
        VolumeShape::Tetrahedron => corners.swap(2, 3),
        VolumeShape::Pyramid => corners.rotate_left(1),
        _ => corners.rotate_left(count / 2),
    }
    assembly.push_cell(shape, corners, Some(line))?;
    assembly.refer(material);
    Ok(true)
}

/// Reads arrays of `count` items with `width` values in all. `rows`: number of the items that keep
/// theirs, and the place of an item by its number.
fn read_data(
    text: &mut Text,
    width: usize,
    count: usize,
    (rows, row): (usize, &dyn Fn(i64) -> Option<usize>),
) -> Result<Vec<Attribute>> {
    let mut arrays = Vec::new();
    for _ in 0..text.count("the number of arrays")? {
        let width = text.count("the number of components")?;
        arrays.push(Attribute { name: String::new(), width, values: Vec::new() });
    }
    let sum = arrays.iter().try_fold(0, |sum: usize, array| sum.checked_add(array.width));
    if sum != Some(width) || arrays.iter().any(|array| array.width == 0) {
        return Err(text
            .error(format!("components of arrays that are {width} together are expected"))
            .with_help(COUNTS));
    }
    text.next_line();
    for array in &mut arrays {
        let line = text.next_line().ok_or_else(|| text.ended("the name of an array"))?;
        let name = line.split(|&byte| byte == b',').next().unwrap_or_default();
        array.name = shown(name.trim_ascii());
    }
    // every value takes two bytes
    if count.checked_mul(width).is_none_or(|values| text.room(values, 2) < values) {
        return Err(text.ended("a value for every node or cell"));
    }
    arrays.iter_mut().for_each(|array| array.values = vec![0.0; rows * array.width]);
    for _ in 0..count {
        let tag = text.integer("the number of a node or cell")?;
        let place = row(tag);
        for array in &mut arrays {
            for d in 0..array.width {
                let value = text.real("a value")?;
                let place = place.map(|row| row * array.width + d);
                if let Some(own) = place.and_then(|place| array.values.get_mut(place)) {
                    *own = value;
                }
            }
        }
    }
    Ok(arrays)
}
