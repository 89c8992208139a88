//! Exodus II (Schoof and Yarberry, "Exodus II: A Finite Element Data Model", SAND92-2137): a block for
//! each combination of groups of cells and each shape, a side set for each group of faces, arrays of
//! nodes and of elements at time 0.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::arrays::RealArray;
use super::groups::numbers_of;
use super::mesh::ExchangeMesh;
use super::netcdf::{Netcdf, NetcdfValues};
use super::shapes::{CellShape, CellSide};
use crate::io::exodus::side_numbers;

/// Longest name.
const MAX_NAME: usize = 255;

/// A block of elements.
struct Block {
    number: i64,
    name: String,
    shape: CellShape,
    cells: Vec<u32>,
}

/// Names of the blocks that cells of several groups are in.
pub fn combined_names(mesh: &ExchangeMesh) -> Vec<String> {
    let name = |groups: &Vec<usize>| {
        let names: Vec<&str> = groups
            .iter()
            .map(|&g| &mesh.cell_groups[g])
            .filter(|group| group.is_named)
            .map(|group| &*group.name)
            .collect();
        names.join("+")
    };
    mesh.cell_classes().groups.iter().filter(|groups| groups.len() > 1).map(name).collect()
}

fn blocks(mesh: &ExchangeMesh) -> Vec<Block> {
    let classes = mesh.cell_classes();
    let mut cells: BTreeMap<(u32, CellShape), Vec<u32>> = BTreeMap::new();
    for (c, (&class, &shape)) in (0..).zip(classes.class.iter().zip(&mesh.shapes)) {
        cells.entry((class, shape)).or_default().push(c);
    }
    let numbers = classes.numbers(&mesh.cell_groups, None);
    let wanted = cells.keys().map(|&(class, _)| Some(numbers[class as usize]));
    let numbers = numbers_of(wanted);
    let mut last = None;
    let block = |(((class, shape), cells), number)| {
        let groups = classes.groups[class as usize].iter().map(|&g| &mesh.cell_groups[g]);
        let names = groups.filter(|group| group.is_named).map(|group| &*group.name);
        let mut name = names.collect::<Vec<&str>>().join("+");
        // a second block of the same groups needs a name of its own
        if last.replace(class) == Some(class) && !name.is_empty() {
            name = format!("{name}_{}", kind(shape, mesh.order).to_ascii_lowercase());
        }
        Block { number, name, shape, cells }
    };
    cells.into_iter().zip(numbers).map(block).collect()
}

fn kind(shape: CellShape, order: usize) -> &'static str {
    match shape {
        CellShape::Triangle => "TRI3",
        CellShape::Quad => "SHELL4",
        CellShape::Tetrahedron => "TET4",
        CellShape::Wedge => "WEDGE6",
        CellShape::Hexahedron if order == 1 => "HEX8",
        CellShape::Hexahedron => "HEX27",
    }
}

fn text(text: &str) -> NetcdfValues {
    NetcdfValues::Text(text.as_bytes().to_vec())
}

/// Names of one length, filled up with zeros.
fn names<'n>(names: impl IntoIterator<Item = &'n str>, length: usize) -> NetcdfValues {
    let mut bytes = Vec::new();
    for name in names {
        let end = bytes.len() + length;
        bytes.extend(name.bytes().take(length - 1));
        bytes.resize(end, 0);
    }
    NetcdfValues::Text(bytes)
}

/// Writes a mesh of order 1, or of hexahedra of order 2 whose nodes are those of HEX27.
pub fn write(out: &mut impl Write, mesh: &ExchangeMesh) -> io::Result<()> {
    let blocks = blocks(mesh);
    let point_arrays: Vec<_> = mesh.point_arrays.iter().flat_map(RealArray::components).collect();
    let cell_arrays: Vec<_> = mesh.cell_arrays.iter().flat_map(RealArray::components).collect();
    let all = || {
        let groups = mesh.face_groups.iter().map(|group| &*group.name);
        let arrays = point_arrays.iter().chain(&cell_arrays).map(|(name, _)| &**name);
        blocks.iter().map(|block| &*block.name).chain(groups).chain(arrays)
    };
    let longest = all().map(str::len).max().unwrap_or(0).clamp(32, MAX_NAME);

    let mut file = Netcdf::new(
        "time_step",
        vec![
            ("title", text("subsolid")),
            ("api_version", NetcdfValues::Single(8.03)),
            ("version", NetcdfValues::Single(8.03)),
            ("floating_point_word_size", NetcdfValues::Ints(vec![8])),
            ("file_size", NetcdfValues::Ints(vec![1])),
            ("maximum_name_length", NetcdfValues::Ints(vec![longest as i32])),
            ("int64_status", NetcdfValues::Ints(vec![0])),
        ],
    );
    let name = file.dimension("len_name", longest + 1);
    file.dimension("len_string", 33);
    file.dimension("len_line", 81);
    file.dimension("four", 4);
    let axes = file.dimension("num_dim", 3);
    let nodes = file.dimension("num_nodes", mesh.points.len());
    let elements = file.dimension("num_elem", mesh.shapes.len());
    let block_count = file.dimension("num_el_blk", blocks.len());

    for (d, axis) in ["x", "y", "z"].into_iter().enumerate() {
        let values = mesh.points.iter().map(|point| point[d]).collect();
        file.variable(format!("coord{axis}"), &[nodes], vec![], NetcdfValues::Reals(values));
    }
    file.variable("coor_names", &[axes, name], vec![], names(["x", "y", "z"], longest + 1));
    let ones = |count| NetcdfValues::Ints(vec![1; count]);
    let numbers = blocks.iter().map(|block| block.number as i32).collect();
    file.variable("eb_status", &[block_count], vec![], ones(blocks.len()));
    let id = || vec![("name", text("ID"))];
    file.variable("eb_prop1", &[block_count], id(), NetcdfValues::Ints(numbers));
    let own = names(blocks.iter().map(|block| &*block.name), longest + 1);
    file.variable("eb_names", &[block_count, name], vec![], own);

    let order: Vec<u32> = blocks.iter().flat_map(|block| &block.cells).copied().collect();
    let mut place = vec![0; order.len()];
    (1..).zip(&order).for_each(|(at, &cell)| place[cell as usize] = at);
    let map = order.iter().map(|&cell| cell as i32 + 1).collect();
    file.variable("elem_num_map", &[elements], vec![], NetcdfValues::Ints(map));
    let mut in_blocks = Vec::new();
    for (b, block) in (1..).zip(&blocks) {
        let rows = file.dimension(format!("num_el_in_blk{b}"), block.cells.len());
        let size = mesh.cell(block.cells[0] as usize).len();
        let width = file.dimension(format!("num_nod_per_el{b}"), size);
        let ids = block.cells.iter().flat_map(|&c| mesh.cell(c as usize)).map(|&v| v as i32 + 1);
        let kind = vec![("elem_type", text(kind(block.shape, mesh.order)))];
        file.variable(
            format!("connect{b}"),
            &[rows, width],
            kind,
            NetcdfValues::Ints(ids.collect()),
        );
        in_blocks.push(rows);
    }
    if !mesh.face_groups.is_empty() {
        push_side_sets(&mut file, mesh, &place, (name, longest + 1));
    }
    if !point_arrays.is_empty() || !cell_arrays.is_empty() {
        file.variable("time_whole", &[0], vec![], NetcdfValues::Reals(vec![0.0]));
    }
    if !point_arrays.is_empty() {
        let count = file.dimension("num_nod_var", point_arrays.len());
        let own = names(point_arrays.iter().map(|(name, _)| &**name), longest + 1);
        file.variable("name_nod_var", &[count, name], vec![], own);
        for (i, (_, values)) in (1..).zip(point_arrays) {
            file.variable(
                format!("vals_nod_var{i}"),
                &[0, nodes],
                vec![],
                NetcdfValues::Reals(values),
            );
        }
    }
    if !cell_arrays.is_empty() {
        let count = file.dimension("num_elem_var", cell_arrays.len());
        let own = names(cell_arrays.iter().map(|(name, _)| &**name), longest + 1);
        file.variable("name_elem_var", &[count, name], vec![], own);
        let table = ones(blocks.len() * cell_arrays.len());
        file.variable("elem_var_tab", &[block_count, count], vec![], table);
        for (i, (_, values)) in (1..).zip(&cell_arrays) {
            for ((b, block), &rows) in (1..).zip(&blocks).zip(&in_blocks) {
                let own = block.cells.iter().map(|&c| values[c as usize]).collect();
                let name = format!("vals_elem_var{i}eb{b}");
                file.variable(name, &[0, rows], vec![], NetcdfValues::Reals(own));
            }
        }
    }
    file.write(out)
}

/// Adds a side set for each group of faces; `place`: the element of each cell.
fn push_side_sets(
    file: &mut Netcdf,
    mesh: &ExchangeMesh,
    place: &[i32],
    (name, length): (usize, usize),
) {
    let groups = &mesh.face_groups;
    let is_number = |n: &i64| *n > 0 && i32::try_from(*n).is_ok();
    let numbers = numbers_of(groups.iter().map(|group| group.number.filter(is_number)));
    let count = file.dimension("num_side_sets", groups.len());
    file.variable("ss_status", &[count], vec![], NetcdfValues::Ints(vec![1; groups.len()]));
    let numbers = numbers.into_iter().map(|n| n as i32).collect();
    file.variable("ss_prop1", &[count], vec![("name", text("ID"))], NetcdfValues::Ints(numbers));
    let named = groups.iter().map(|group| if group.is_named { &*group.name } else { "" });
    let own = names(named, length);
    file.variable("ss_names", &[count, name], vec![], own);
    for (s, group) in (1..).zip(groups) {
        let sides = || group.members.iter().map(|&f| mesh.faces[f as usize]);
        let rows = file.dimension(format!("num_side_ss{s}"), group.members.len());
        let elements = sides().map(|side| place[side.cell as usize]).collect();
        file.variable(format!("elem_ss{s}"), &[rows], vec![], NetcdfValues::Ints(elements));
        let number = |CellSide { cell, side }: CellSide| {
            let shape = mesh.shapes[cell as usize].volume();
            shape.map_or(0, |shape| side_numbers(shape)[usize::from(side)])
        };
        let own = sides().map(number).collect();
        file.variable(format!("side_ss{s}"), &[rows], vec![], NetcdfValues::Ints(own));
    }
}
