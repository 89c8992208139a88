//! Exodus II files in NetCDF-3 (`.exo`, `.e`, `.g`, `.ex2`): element blocks, side sets, node sets and
//! edge blocks (Schoof and Yarberry, "EXODUS II: A Finite Element Data Model", SAND92-2137).
//!
//! Blocks with a name are groups of cells, their numbers the cell array `exodus:block`. Side sets are
//! groups of faces, and node sets those of the boundary faces that have all corners in them. Edge
//! blocks, and blocks of bars and beams, are features. Results of nodes and elements at the last time
//! step are arrays; others are counted.

use std::path::Path;

use crate::error::{Error, Message, Result};
use crate::io::exodus::side_numbers;
use crate::mesh::groups::face_group_name;
use crate::mesh::{Attribute, VolumeShape, drop_repeated};

use super::assemble::Assembly;
use super::curved::NodeOrder;
use super::netcdf::NetCdf;

/// Cell array of the numbers of blocks.
const BLOCK: &str = "exodus:block";

const DAMAGED: &str = "the file is damaged; write it again";

/// What the elements of a block are.
#[derive(Clone, Copy)]
enum BlockKind {
    Volume(VolumeShape),
    /// Faces by their number of corners.
    Face(usize),
    Curve,
    Other,
}

impl BlockKind {
    /// The kind of elements of a type with a number of nodes.
    fn of(kind: &str, nodes: usize) -> Self {
        let is = |words: &[&str]| words.iter().any(|word| kind.starts_with(word));
        match nodes {
            8.. if is(&["HEX"]) => Self::Volume(VolumeShape::Hexahedron),
            4.. if is(&["TET"]) => Self::Volume(VolumeShape::Tetrahedron),
            6.. if is(&["WEDGE", "PRISM"]) => Self::Volume(VolumeShape::Wedge),
            5.. if is(&["PYR"]) => Self::Volume(VolumeShape::Pyramid),
            3 | 6 | 7 if is(&["TRI", "SHELL"]) => Self::Face(3),
            4 | 8 | 9 if is(&["QUAD", "SHELL"]) => Self::Face(4),
            2.. if is(&["BAR", "BEAM", "TRUSS", "EDGE", "ROD", "LINE"]) => Self::Curve,
            _ => Self::Other,
        }
    }
}

struct Block {
    kind: BlockKind,
    /// The first of its cells or faces.
    first_id: u32,
    // nodes: [element][node]
    nodes: Vec<u32>,
    width: usize,
    /// Number of its elements, and of those in all blocks up to this one.
    count: usize,
    end: usize,
}

/// Reads an Exodus file that is already in memory.
pub(super) fn read<'a>(path: &'a Path, bytes: &'a [u8]) -> Result<Assembly<'a>> {
    let file = NetCdf::new(path, bytes)?;
    let assembly = Assembly::new(path, 1);
    let mut reader = ExodusReader { path, file, assembly, blocks: Vec::new() };
    reader.nodes()?;
    reader.blocks()?;
    reader.side_sets()?;
    reader.node_sets()?;
    reader.edge_blocks()?;
    reader.results()?;
    for array in [BLOCK, "exodus:side_set"] {
        reader.assembly.limit_numbered_groups(array);
    }
    reader.assembly.push_references(BLOCK, 1)?;
    Ok(reader.assembly)
}

struct ExodusReader<'a> {
    path: &'a Path,
    file: NetCdf<'a>,
    assembly: Assembly<'a>,
    blocks: Vec<Block>,
}

impl ExodusReader<'_> {
    fn damaged(&self, message: impl Into<Message>) -> Error {
        Error::file(self.path, None, message).with_help(DAMAGED)
    }

    fn nodes(&mut self) -> Result<()> {
        let (all, mut is_single) = self.file.reals("coord")?;
        let mut axes: Vec<Vec<f64>> = Vec::new();
        for (axis, name) in ["coordx", "coordy", "coordz"].into_iter().enumerate() {
            let (values, single) = self.file.reals(name)?;
            is_single |= single && !values.is_empty();
            let nodes = usize::try_from(self.file.length("num_nodes")).unwrap_or(usize::MAX);
            // in older files an array of all axes
            let part = nodes.checked_mul(axis).and_then(|at| all.get(at..at.checked_add(nodes)?));
            axes.push(if values.is_empty() { part.unwrap_or_default().to_vec() } else { values });
        }
        let count = axes[0].len();
        if count == 0 || axes.iter().any(|axis| ![0, count].contains(&axis.len())) {
            let found: Vec<usize> = axes.iter().map(Vec::len).collect();
            return Err(self.damaged(format!("{found:?} coordinates along x, y and z")));
        }
        axes.iter_mut().for_each(|axis| axis.resize(count, 0.0));
        self.assembly.is_single = is_single;
        self.assembly.reserve_points(count);
        (0..count).try_for_each(|i| self.assembly.push_point([0, 1, 2].map(|d| axes[d][i]), None))
    }

    /// Number, name and index from 1 of blocks or sets; `exodus:KIND:NUMBER` where they have no name.
    fn listed(
        &self,
        dimension: &str,
        prefix: &str,
        kind: &str,
    ) -> Result<Vec<(i64, String, bool)>> {
        let numbers = self.file.integers(&format!("{prefix}_prop1"))?;
        let names = self.file.texts(&format!("{prefix}_names"))?;
        let count = self.file.length(dimension);
        if count > numbers.len().max(names.len()) as u64 {
            return Err(self.damaged(format!("{count} of `{dimension}` without numbers")));
        }
        let one = |i: usize| {
            let number = numbers.get(i).copied().unwrap_or(i as i64 + 1);
            let name = names.get(i).filter(|name| !name.is_empty());
            let own = || face_group_name(&format!("exodus:{kind}"), number);
            (number, name.cloned().unwrap_or_else(own), name.is_some())
        };
        Ok((0..count as usize).map(one).collect())
    }

    /// Vertices that are named from 1, of an array: [list][node].
    fn vertices(&self, array: &str) -> Result<Vec<u32>> {
        let nodes = self.file.integers(array)?;
        let points = self.assembly.points() as i64;
        let vertices = nodes.into_iter().map(|node| match node {
            1.. if node <= points => Ok((node - 1) as u32),
            _ => Err(self.damaged(format!("array `{array}` names node {node} of {points}"))),
        });
        vertices.collect()
    }

    fn blocks(&mut self) -> Result<()> {
        let mut end = 0;
        for (i, (number, name, has_name)) in
            self.listed("num_el_blk", "eb", "block")?.into_iter().enumerate()
        {
            let array = format!("connect{}", i + 1);
            let element = self.file.text_attribute(&array, "elem_type").unwrap_or_default();
            let element = element.to_ascii_uppercase();
            if element.starts_with("NFACED") {
                let message = format!("block `{name}` holds polyhedra, which are not read");
                return Err(Error::file(self.path, None, message)
                    .with_help("write the mesh as .vtu, for instance with ParaView"));
            }
            let shape = self.file.shape_of(&array);
            let (count, width) = match shape[..] {
                [count, width] => (count, width),
                _ => (0, 1),
            };
            let kind = BlockKind::of(&element, width);
            // nodes of splines are numbered otherwise
            let nodes = match kind {
                BlockKind::Other => Vec::new(),
                _ => self.vertices(&array)?,
            };
            let words = format!("Exodus {element}, {width} nodes");
            let first_id = match kind {
                BlockKind::Volume(_) => self.assembly.next_cell().0,
                _ => self.assembly.groups.faces().len() as u32,
            };
            for nodes in nodes.chunks_exact(width) {
                match kind {
                    BlockKind::Volume(shape) => {
                        let cell = self.assembly.next_cell().0;
                        let order = NodeOrder::Exodus;
                        self.assembly.push_high_order(shape, nodes, &words, None, order)?;
                        self.assembly.refer(number);
                        if has_name {
                            self.assembly.groups.group_cell(&name, cell);
                        }
                    }
                    BlockKind::Face(corners) => {
                        let (corners, others) = nodes.split_at(corners);
                        let kind = format!("{} elements", element.to_ascii_lowercase());
                        let face = self.assembly.groups.push_face(&kind, corners, others);
                        self.assembly.groups.group_face(&name, face);
                    }
                    BlockKind::Curve => {
                        self.assembly.features.named(&name).edges.push([nodes[0], nodes[1]]);
                    }
                    BlockKind::Other => {}
                }
            }
            if matches!(kind, BlockKind::Other) {
                self.assembly.skip_many(&format!("{element} elements"), count);
            }
            end += count;
            self.blocks.push(Block { kind, first_id, nodes, width, count, end });
        }
        Ok(())
    }

    fn side_sets(&mut self) -> Result<()> {
        let all = self.listed("num_side_sets", "ss", "side_set")?;
        for (i, (_, name, _)) in all.into_iter().enumerate() {
            let elements = self.file.integers(&format!("elem_ss{}", i + 1))?;
            let sides = self.file.integers(&format!("side_ss{}", i + 1))?;
            if elements.len() != sides.len() {
                let (a, b) = (elements.len(), sides.len());
                return Err(self.damaged(format!("side set `{name}`: {a} elements, {b} sides")));
            }
            for (element, side) in elements.into_iter().zip(sides) {
                let wrong = || format!("side set `{name}`: side {side} of element {element}");
                let index = usize::try_from(element.saturating_sub(1)).unwrap_or(usize::MAX);
                let at = self.blocks.partition_point(|block| block.end <= index);
                let Some(block) = self.blocks.get(at) else { return Err(self.damaged(wrong())) };
                let own = index + block.count - block.end;
                match block.kind {
                    BlockKind::Volume(shape) => {
                        let at = side_numbers(shape).iter().position(|&n| i64::from(n) == side);
                        let Some(at) = at else {
                            let what = format!("sides of set `{name}` that its elements lack");
                            self.assembly.skip(&what);
                            continue;
                        };
                        let nodes = &block.nodes[own * block.width..][..block.width];
                        let corners = shape.sides()[at].iter();
                        let mut face: Vec<u32> = corners.map(|&i| nodes[i]).collect();
                        drop_repeated(&mut face);
                        let face = self.assembly.groups.push_face("faces of side sets", &face, &[]);
                        self.assembly.groups.group_face(&name, face);
                    }
                    BlockKind::Face(_) if matches!(side, 1 | 2) => {
                        let face = block.first_id + own as u32;
                        self.assembly.groups.group_face(&name, face);
                    }
                    _ => self.assembly.skip(&format!("edges of side set `{name}`")),
                }
            }
        }
        Ok(())
    }

    fn node_sets(&mut self) -> Result<()> {
        let all = self.listed("num_node_sets", "ns", "node_set")?;
        for (i, (_, name, _)) in all.into_iter().enumerate() {
            let nodes = self.vertices(&format!("node_ns{}", i + 1))?;
            self.assembly.groups.push_node_set(&name, nodes);
        }
        Ok(())
    }

    fn edge_blocks(&mut self) -> Result<()> {
        let all = self.listed("num_ed_blk", "ed", "edge_block")?;
        for (i, (_, name, _)) in all.into_iter().enumerate() {
            let array = format!("ebconn{}", i + 1);
            let nodes = self.vertices(&array)?;
            let feature = self.assembly.features.named(&name);
            let width = self.file.shape_of(&array).get(1).copied().filter(|&width| width > 1);
            let edges = width.into_iter().flat_map(|width| nodes.chunks_exact(width));
            feature.edges.extend(edges.map(|edge| [edge[0], edge[1]]));
        }
        Ok(())
    }

    /// The results of an array at the last time step, of `count` things; `None` if there are none.
    fn last_results(&self, array: &str, count: usize) -> Result<Option<Vec<f64>>> {
        // files whose time steps do not grow hold those before it too
        let (mut values, _) = self.file.reals(array)?;
        if values.is_empty() || values.len() % count.max(1) != 0 {
            return Ok(None);
        }
        Ok(Some(values.split_off(values.len() - count)))
    }

    /// Takes the results at the last time step: of nodes, and of elements that are cells.
    fn results(&mut self) -> Result<()> {
        let mut others = self.file.count("vals_");
        let points = self.assembly.points();
        let names = self.file.texts("name_nod_var")?;
        // older files have one array of all: [time step][name][node]
        let all = self.last_results("vals_nod_var", names.len().saturating_mul(points))?;
        others -= usize::from(all.is_some());
        for (i, name) in names.into_iter().enumerate() {
            let own = self.last_results(&format!("vals_nod_var{}", i + 1), points)?;
            others -= usize::from(own.is_some());
            let part = || Some(all.as_ref()?[i * points..][..points].to_vec());
            if let Some(values) = own.or_else(part) {
                self.assembly.push_attribute(Attribute { name, width: 1, values }, 0, None)?;
            }
        }
        for (i, name) in (1..).zip(self.file.texts("name_elem_var")?) {
            for (b, block) in (1..).zip(&self.blocks) {
                let BlockKind::Volume(_) = block.kind else { continue };
                let array = format!("vals_elem_var{i}eb{b}");
                let Some(values) = self.last_results(&array, block.count)? else { continue };
                others -= 1;
                let array = Attribute { name: name.clone(), width: 1, values };
                let of_integers = array.values.iter().all(|x| x.fract() == 0.0);
                let first = block.first_id as usize;
                self.assembly.push_cell_array(array, of_integers, first, None)?;
            }
        }
        let steps = self.file.records().max(self.file.length("time_step") as usize);
        let assembly = &mut self.assembly;
        assembly.skip_many("time steps before the last", steps.saturating_sub(1));
        assembly.skip_many("results of other things than nodes and cells", others);
        Ok(())
    }
}
