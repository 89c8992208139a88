//! Control meshes from cells in memory, as packages of other languages hold them: of VTK's types
//! (PyVista), or of kinds by name (meshio).

use std::collections::BTreeMap;
use std::path::Path;

use super::ghosts::{HIDDEN_POINTS, hides_points, is_ghosts};
use super::{
    GivenFaces, KeptCells, UnstructuredGrid, VtkType, kind, push_cell_array, push_point_array,
};
use crate::error::{Error, Result};
use crate::io::read::ReadReport;
use crate::io::read::assemble::Assembly;
use crate::io::read::groups::PHYSICAL;
use crate::mesh::groups::face_group_name;
use crate::mesh::{Attribute, CellArray, SolidMesh};
use crate::numbers::counted;

/// Cells and faces one after the other, with their data.
#[derive(Default)]
pub struct CellBlock {
    /// VTK's number of each cell's type.
    pub types: Vec<i64>,
    /// Vertices of all cells.
    pub vertices: Vec<i64>,
    /// End of each cell in `vertices`.
    pub ends: Vec<i64>,
    /// Faces of polyhedra: their number, then of each the number of corners and these.
    pub face_stream: Vec<i64>,
    /// End of each cell in `face_stream`, −1 if it is not a polyhedron; empty without polyhedra.
    pub face_ends: Vec<i64>,
    /// Arrays of all cells.
    pub arrays: Vec<CellArray>,
    /// Cells of the sets by name.
    pub sets: Vec<(String, Vec<u32>)>,
    /// What notices call cells of these types, in place of VTK's numbers.
    pub labels: BTreeMap<i64, String>,
}

/// The name of a group of faces or cells that the array `gmsh:physical` numbers.
pub struct GroupName {
    /// The name.
    pub name: String,
    /// The number of its faces or cells.
    pub number: i64,
    /// 2 for faces, 3 for cells.
    pub dimension: usize,
}

/// A mesh in memory.
#[derive(Default)]
pub struct MeshParts {
    /// Control points.
    pub points: Vec<[f64; 3]>,
    /// Cells and faces.
    pub blocks: Vec<CellBlock>,
    /// Arrays of the points.
    pub attributes: Vec<Attribute>,
    /// Arrays of the whole mesh: `crease_edges` and `crease_sharpness`.
    pub fields: Vec<Attribute>,
    /// Names of numbered groups.
    pub names: Vec<GroupName>,
}

impl CellBlock {
    /// Cells of `size` vertices by meshio's name of their kind, `hexahedron20` for one; `None` if
    /// there is no such kind.
    pub fn named(name: &str, vertices: Vec<i64>, size: usize) -> Option<Self> {
        let vtk_type = meshio_type(name)?;
        let count = vertices.len() / size.max(1);
        let label = matches!(kind(vtk_type), VtkType::HighOrder(..)).then(|| name.to_owned());
        Some(Self {
            types: vec![vtk_type; count],
            vertices,
            ends: (1..=count).map(|cell| (cell * size) as i64).collect(),
            labels: label.into_iter().map(|label| (vtk_type, label)).collect(),
            ..Self::default()
        })
    }

    /// Whether a cell is of the volume, or of a type that is not known.
    pub fn has_volume(&self) -> bool {
        let is_flat = |kind: VtkType| {
            matches!(kind, VtkType::Face(..) | VtkType::Pixel | VtkType::Strip | VtkType::Lower(_))
        };
        self.types.iter().any(|&cell_type| !is_flat(kind(cell_type)))
    }

    /// Takes cells away that repeat the one before them; returns the place of each among those that
    /// are left.
    fn merge_repeated(&mut self) -> Vec<u32> {
        let mut places: Vec<u32> = Vec::with_capacity(self.types.len());
        let (types, ends) = (std::mem::take(&mut self.types), std::mem::take(&mut self.ends));
        let given = std::mem::take(&mut self.vertices);
        let (mut start, mut last) = (0, None);
        for (&cell_type, &end) in types.iter().zip(&ends) {
            let own = usize::try_from(end).ok().and_then(|end| given.get(start..end));
            start = end.max(0) as usize;
            if last != own.map(|own| (cell_type, own)) || own.is_none() {
                self.vertices.extend(own.unwrap_or_default());
                // an end beyond the vertices is refused later
                self.ends.push(own.map_or(-1, |_| self.vertices.len() as i64));
                self.types.push(cell_type);
            }
            last = own.map(|own| (cell_type, own));
            places.push(self.types.len() as u32 - 1);
        }
        places
    }

    fn push(mut self, assembly: &mut Assembly, names: &[GroupName]) -> Result<()> {
        let arrays = std::mem::take(&mut self.arrays);
        // Gmsh's version 2 lists an element once for each of its groups
        let numbers = arrays.iter().find(|array| array.name == PHYSICAL && array.width == 1);
        let is_plain = self.face_ends.is_empty() && self.ends.len() == self.types.len();
        let places = if is_plain && numbers.is_some() {
            self.merge_repeated()
        } else {
            (0..self.types.len() as u32).collect()
        };
        let faces = if self.face_ends.is_empty() {
            GivenFaces::Absent
        } else {
            GivenFaces::Stream { stream: self.face_stream, ends: self.face_ends }
        };
        let mut grid = UnstructuredGrid {
            corners: self.vertices,
            ends: self.ends,
            types: self.types,
            faces,
            labels: self.labels,
            ..UnstructuredGrid::default()
        };
        for CellArray { name, values, .. } in arrays.iter().filter(|a| is_ghosts(&a.name)) {
            grid.mark_ghosts(name, values);
        }
        let kept = grid.assemble(assembly, None)?;
        for (name, cells) in self.sets {
            if let Some(cell) = cells.iter().find(|&&cell| cell as usize >= places.len()) {
                let count = counted(places.len(), "cell");
                let text = format!("set \"{name}\" names cell {cell} of a block of {count}");
                return Err(Error::request(text)
                    .with_help("number the cells of each block from 0, block by block"));
            }
            let cells = cells.into_iter().map(|cell| places[cell as usize]);
            cells.for_each(|cell| kept.group(assembly, cell, &name));
        }
        for CellArray { name, width, mut values, integers } in arrays {
            if name == PHYSICAL && width == 1 {
                take_names(assembly, &kept, &places, &mut values, names);
            }
            if places.last().is_some_and(|&last| last as usize + 1 < places.len()) {
                values = first_rows(&values, width, &places);
            }
            push_cell_array(assembly, Attribute { name, width, values }, integers, &kept, None)?;
        }
        Ok(())
    }
}

/// Rows of cells that are not repeated.
fn first_rows(values: &[f64], width: usize, places: &[u32]) -> Vec<f64> {
    let rows = values.chunks_exact(width.max(1)).enumerate();
    let is_first = |cell: usize| cell == 0 || places[cell] != places[cell - 1];
    rows.filter(|&(cell, _)| is_first(cell)).flat_map(|(_, row)| row).copied().collect()
}

impl KeptCells {
    /// Puts what a cell of the grid became into a group.
    fn group(&self, assembly: &mut Assembly, cell: u32, name: &str) {
        if let Ok(at) = self.faces.binary_search_by_key(&cell, |&(cell, _)| cell) {
            assembly.groups.group_face(name, self.faces[at].1);
        } else if let Ok(at) = self.cells.binary_search(&cell) {
            let first = assembly.next_cell().index() - self.cells.len();
            assembly.groups.group_cell(name, (first + at) as u32);
        }
    }
}

/// Groups faces and cells by the names of their numbers; numbers of faces become 0, no group. A
/// face that is given again is also in the group of its other number.
fn take_names(
    assembly: &mut Assembly,
    kept: &KeptCells,
    places: &[u32],
    numbers: &mut [f64],
    names: &[GroupName],
) {
    for (i, (&cell, number)) in places.iter().zip(numbers).enumerate() {
        let is_face = kept.cells.binary_search(&cell).is_err();
        let dimension = if is_face { 2 } else { 3 };
        let is_it =
            |group: &&GroupName| group.dimension == dimension && group.number as f64 == *number;
        if let Some(group) = names.iter().find(is_it) {
            kept.group(assembly, cell, group.name.trim());
            if is_face {
                *number = 0.0;
            }
        } else if is_face && *number != 0.0 && i > 0 && places[i - 1] == cell {
            kept.group(assembly, cell, &face_group_name(PHYSICAL, *number as i64));
        }
    }
}

/// The control mesh of a mesh in memory, which messages call `what`, and what else it holds.
///
/// As for files: arrays of points become attributes, and arrays of creases and corners these;
/// arrays of cells stay; faces are in groups by arrays of integers, and high-order cells are taken
/// by their corners. Sets and named numbers are groups too.
///
/// # Errors
/// For hidden cells, numbers of values that do not fit, and data that are not a mesh of volume
/// cells.
pub fn solid_of_parts(what: &str, parts: MeshParts) -> Result<(SolidMesh, ReadReport)> {
    let mut assembly = Assembly::new(Path::new(what), 0);
    parts.points.into_iter().try_for_each(|point| assembly.push_point(point, None))?;
    for block in parts.blocks {
        block.push(&mut assembly, &parts.names)?;
    }
    for attribute in parts.attributes {
        if hides_points(&attribute.name, &attribute.values) {
            let [hidden, help] = HIDDEN_POINTS;
            return Err(Error::request(format!("the {what} has {hidden}")).with_help(help));
        }
        push_point_array(&mut assembly, attribute, false, 0, None)?;
    }
    parts.fields.into_iter().try_for_each(|field| assembly.push_field(field, None))?;
    assembly.finish()
}

/// VTK's type of the cells that meshio names so; of high order it is Lagrange's, whose number
/// of nodes is any.
fn meshio_type(name: &str) -> Option<i64> {
    let of_order = name.strip_prefix("VTK_LAGRANGE_").or_else(|| name.strip_prefix("VTK_BEZIER_"));
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_linear = of_order.is_none() && plain == name;
    let of = |linear, lagrange| if is_linear { linear } else { lagrange };
    Some(match of_order.unwrap_or(plain).to_lowercase().as_str() {
        "vertex" => 1,
        "line" | "curve" => of(3, 68),
        "triangle" => of(5, 69),
        "polygon" => 7,
        "quad" | "quadrilateral" => of(9, 70),
        "tetra" | "tetrahedron" => of(10, 71),
        "hexahedron" => of(12, 72),
        "wedge" => of(13, 73),
        "pyramid" => of(14, 74),
        "penta_prism" => 15,
        "hexa_prism" => 16,
        _ => return None,
    })
}
