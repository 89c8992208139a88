//! Gmsh's MSH 4.1 (Gmsh Reference Manual, "MSH file format"): physical groups by entities, of which
//! there is one for each combination of groups; arrays as `$NodeData` and `$ElementData`.
//!
//! Elements of an entity stand together, those of faces first; they are numbered as they stand, which meshio
//! asks for where they have data.

use std::io::{self, Write};

use super::arrays::RealArray;
use super::groups::{Group, Partition, numbers_of};
use super::mesh::ExchangeMesh;
use super::orders::HexahedronGrid;
use super::shapes::CellShape;
use super::text::{rows, unquoted};
use crate::io::high_order::{gmsh_hexahedron, gmsh_square};

/// Gmsh's numbers of hexahedra of orders from 1.
pub const HEXAHEDRA: [i32; 9] = [5, 12, 92, 93, 94, 95, 96, 97, 98];
/// Gmsh's numbers of quadrangles of orders from 1.
const QUADS: [i32; 9] = [3, 10, 36, 37, 38, 47, 48, 49, 50];

/// Numbers as text, or as Gmsh's binary files have them.
struct Numbers<'o> {
    out: &'o mut Vec<u8>,
    is_binary: bool,
}

impl Numbers<'_> {
    fn int(&mut self, value: i64) -> io::Result<()> {
        if self.is_binary {
            return self.out.write_all(&(value as i32).to_le_bytes());
        }
        write!(self.out, "{value} ")
    }

    fn size(&mut self, value: usize) -> io::Result<()> {
        if self.is_binary {
            return self.out.write_all(&(value as u64).to_le_bytes());
        }
        write!(self.out, "{value} ")
    }

    fn real(&mut self, value: f64) -> io::Result<()> {
        if self.is_binary {
            return self.out.write_all(&value.to_le_bytes());
        }
        write!(self.out, "{value:?} ")
    }

    /// The end of a line of text.
    fn end(&mut self) {
        if !self.is_binary {
            self.out.pop();
            self.out.push(b'\n');
        }
    }
}

/// Elements of one dimension.
struct Dimension<'m> {
    dimension: usize,
    groups: &'m [Group],
    classes: Partition,
    // of the groups
    tags: Vec<i64>,
    // classes with elements, whose numbers are one more
    entities: Vec<usize>,
}

impl<'m> Dimension<'m> {
    fn new(dimension: usize, groups: &'m [Group], classes: Partition) -> Self {
        let is_tag = |n: &i64| *n > 0 && i32::try_from(*n).is_ok();
        let tags = numbers_of(groups.iter().map(|group| group.number.filter(is_tag)));
        let first = usize::from(!classes.has_rest());
        let entities = (first..classes.groups.len()).collect();
        Self { dimension, groups, classes, tags, entities }
    }
}

/// A run of elements of one entity and type.
struct Block {
    dimension: usize,
    entity: usize,
    gmsh_type: i32,
    elements: Vec<u32>,
}

struct Writer<'o, W> {
    out: &'o mut W,
    is_binary: bool,
}

/// Writes a mesh.
pub fn write(out: &mut impl Write, mesh: &ExchangeMesh, is_binary: bool) -> io::Result<()> {
    let dimension = mesh.dimension();
    let mut dimensions = vec![Dimension::new(dimension, &mesh.cell_groups, mesh.cell_classes())];
    if dimension == 3 {
        dimensions.insert(0, Dimension::new(2, &mesh.face_groups, mesh.face_classes()));
    }
    let mut writer = Writer { out, is_binary };
    writer.header(&dimensions)?;
    writer.entities(mesh, &dimensions)?;
    writer.nodes(mesh, dimension)?;
    let blocks = blocks(mesh, &dimensions);
    writer.elements(mesh, &blocks)?;
    // a face has the values of its cell: meshio takes data of all elements or of none, as they stand
    let tagged = |block: &Block| {
        let are_cells = block.dimension == dimension;
        let row = move |&i: &u32| if are_cells { i } else { mesh.faces[i as usize].cell };
        block.elements.iter().map(row).collect::<Vec<_>>()
    };
    let of_elements: Vec<(usize, u32)> = (1..).zip(blocks.iter().flat_map(tagged)).collect();
    let of_nodes: Vec<(usize, u32)> = (1..).zip(0..mesh.points.len() as u32).collect();
    for array in &mesh.point_arrays {
        writer.data("NodeData", array, &of_nodes)?;
    }
    for array in &mesh.cell_arrays {
        writer.data("ElementData", array, &of_elements)?;
    }
    Ok(())
}

impl<W: Write> Writer<'_, W> {
    fn header(&mut self, dimensions: &[Dimension<'_>]) -> io::Result<()> {
        writeln!(self.out, "$MeshFormat\n4.1 {} 8", u8::from(self.is_binary))?;
        if self.is_binary {
            self.out.write_all(&1_i32.to_le_bytes())?;
            writeln!(self.out)?;
        }
        writeln!(self.out, "$EndMeshFormat")?;
        let names: Vec<(usize, i64, &str)> = dimensions
            .iter()
            .flat_map(|own| {
                let tagged = own.groups.iter().zip(&own.tags);
                let named = tagged.filter(|(group, _)| group.is_named);
                named.map(|(group, &tag)| (own.dimension, tag, group.name.as_str()))
            })
            .collect();
        if names.is_empty() {
            return Ok(());
        }
        writeln!(self.out, "$PhysicalNames\n{}", names.len())?;
        for (dimension, tag, name) in names {
            writeln!(self.out, "{dimension} {tag} \"{}\"", unquoted(name))?;
        }
        writeln!(self.out, "$EndPhysicalNames")
    }

    /// Writes a section that `content` makes the beginning of.
    fn section(
        &mut self,
        name: &str,
        content: impl FnOnce(&mut Numbers<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        writeln!(self.out, "${name}")?;
        self.numbers(content)
    }

    fn numbers(
        &mut self,
        content: impl FnOnce(&mut Numbers<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut bytes = Vec::new();
        content(&mut Numbers { out: &mut bytes, is_binary: self.is_binary })?;
        self.out.write_all(&bytes)
    }

    fn rows(
        &mut self,
        count: usize,
        row: impl Fn(usize, &mut Numbers<'_>) -> io::Result<()> + Sync,
    ) -> io::Result<()> {
        let is_binary = self.is_binary;
        rows(self.out, count, |i, out| {
            let numbers = &mut Numbers { out, is_binary };
            row(i, numbers)?;
            numbers.end();
            Ok(())
        })
    }

    fn section_end(&mut self, name: &str) -> io::Result<()> {
        let gap = if self.is_binary { "\n" } else { "" };
        writeln!(self.out, "{gap}$End{name}")
    }

    /// Writes entities with the box of the whole mesh.
    fn entities(&mut self, mesh: &ExchangeMesh, dimensions: &[Dimension<'_>]) -> io::Result<()> {
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for point in &mesh.points {
            for d in 0..3 {
                (low[d], high[d]) = (low[d].min(point[d]), high[d].max(point[d]));
            }
        }
        self.section("Entities", |numbers| {
            for dimension in 0..4 {
                let own = dimensions.iter().find(|own| own.dimension == dimension);
                numbers.size(own.map_or(0, |own| own.entities.len()))?;
            }
            numbers.end();
            for own in dimensions {
                for &class in &own.entities {
                    numbers.int(class as i64 + 1)?;
                    low.into_iter().chain(high).try_for_each(|x| numbers.real(x))?;
                    let groups = &own.classes.groups[class];
                    numbers.size(groups.len())?;
                    groups.iter().try_for_each(|&group| numbers.int(own.tags[group]))?;
                    numbers.size(0)?;
                    numbers.end();
                }
            }
            Ok(())
        })?;
        self.section_end("Entities")
    }

    /// Writes all nodes as those of the first entity of the cells.
    fn nodes(&mut self, mesh: &ExchangeMesh, dimension: usize) -> io::Result<()> {
        let count = mesh.points.len();
        let first = if mesh.cell_classes().has_rest() { 1 } else { 2 };
        self.section("Nodes", |numbers| {
            [1, count, 1, count].into_iter().try_for_each(|n| numbers.size(n))?;
            numbers.end();
            [dimension as i64, first, 0].into_iter().try_for_each(|n| numbers.int(n))?;
            numbers.size(count)?;
            numbers.end();
            Ok(())
        })?;
        self.rows(count, |i, numbers| numbers.size(i + 1))?;
        self.rows(count, |i, numbers| mesh.points[i].iter().try_for_each(|&x| numbers.real(x)))?;
        self.section_end("Nodes")
    }

    fn elements(&mut self, mesh: &ExchangeMesh, blocks: &[Block]) -> io::Result<()> {
        let grid = HexahedronGrid::new(mesh.order);
        let hexahedron = grid.nodes(&gmsh_hexahedron(mesh.order));
        let square = gmsh_square(mesh.order);
        let (mut next, count) = (1, mesh.shapes.len() + mesh.faces.len());
        self.section("Elements", |numbers| {
            [blocks.len(), count, 1, count].into_iter().try_for_each(|n| numbers.size(n))?;
            numbers.end();
            Ok(())
        })?;
        for block in blocks {
            let are_cells = block.dimension == mesh.dimension();
            let first = next;
            next += block.elements.len();
            self.numbers(|numbers| {
                numbers.int(block.dimension as i64)?;
                numbers.int(block.entity as i64)?;
                numbers.int(block.gmsh_type.into())?;
                numbers.size(block.elements.len())?;
                numbers.end();
                Ok(())
            })?;
            self.rows(block.elements.len(), |i, numbers| {
                let element = block.elements[i] as usize;
                numbers.size(first + i)?;
                let mut node = |node: u32| numbers.size(node as usize + 1);
                if !are_cells {
                    let face = mesh.faces[element];
                    if mesh.order == 1 {
                        return mesh.side(face).into_iter().try_for_each(node);
                    }
                    let corners = mesh.side_corners(face);
                    let corners: [usize; 4] = std::array::from_fn(|i| corners[i]);
                    let cell = mesh.cell(face.cell as usize);
                    return square.iter().try_for_each(|&at| node(cell[grid.on_face(corners, at)]));
                }
                let own = mesh.cell(element);
                match mesh.shapes[element] {
                    CellShape::Hexahedron => hexahedron.iter().try_for_each(|&i| node(own[i])),
                    _ => own.iter().try_for_each(|&v| node(v)),
                }
            })?;
        }
        self.section_end("Elements")
    }

    /// Writes an array of nodes or elements, each with its number and its row of the array. Gmsh's have
    /// 1, 3 or 9 components.
    fn data(
        &mut self,
        section: &str,
        array: &RealArray,
        members: &[(usize, u32)],
    ) -> io::Result<()> {
        if !matches!(array.width, 1 | 3 | 9) {
            for (name, values) in array.components() {
                self.data(section, &RealArray { name, width: 1, values }, members)?;
            }
            return Ok(());
        }
        let (name, width, count) = (&array.name, array.width, members.len());
        writeln!(self.out, "${section}\n1\n\"{name}\"\n1\n0.0\n3\n0\n{width}\n{count}")?;
        self.rows(count, |i, numbers| {
            let (tag, row) = members[i];
            numbers.int(tag as i64)?;
            array.values[row as usize * width..][..width].iter().try_for_each(|&x| numbers.real(x))
        })?;
        self.section_end(section)
    }
}

/// Elements by their entities and types.
fn blocks(mesh: &ExchangeMesh, dimensions: &[Dimension<'_>]) -> Vec<Block> {
    let mut blocks = Vec::new();
    for own in dimensions {
        let are_cells = own.dimension == mesh.dimension();
        let members = own.classes.members();
        for &class in &own.entities {
            for shape in CellShape::ALL {
                let is_of = |&element: &u32| {
                    let own = if are_cells {
                        mesh.shapes[element as usize]
                    } else {
                        mesh.side_shape(mesh.faces[element as usize])
                    };
                    own == shape
                };
                let elements: Vec<u32> = members[class].iter().copied().filter(is_of).collect();
                if !elements.is_empty() {
                    let gmsh_type = match shape {
                        CellShape::Triangle => 2,
                        CellShape::Quad => QUADS[mesh.order - 1],
                        CellShape::Tetrahedron => 4,
                        CellShape::Wedge => 6,
                        CellShape::Hexahedron => HEXAHEDRA[mesh.order - 1],
                    };
                    let (dimension, entity) = (own.dimension, class + 1);
                    blocks.push(Block { dimension, entity, gmsh_type, elements });
                }
            }
        }
    }
    blocks
}
