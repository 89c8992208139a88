//! What a page shows, as the browser reads it: named arrays of numbers and a head in JSON.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::channel::{ColorChannel, range};
use super::color::ColorMap;
use super::color_source::{CLASS, Color};
use crate::io::{LengthUnit, UpAxis};
use crate::limit::{Class, Reason, Solid};
use crate::mesh::{Attribute, CellArray, SolidMesh, SurfaceMesh, used_rows};
use crate::numbers::counted;
use crate::numbers::vector::distance;
use crate::topology::Topology;

/// Version of the layout.
const VERSION: u32 = 2;

/// What is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The limit of a solid.
    Solid,
    /// The limit of a surface.
    Surface,
    /// Trilinear hexahedra.
    Linear,
    /// Triangles.
    Triangles,
}

/// Arrays one after another.
#[derive(Debug, Default)]
pub struct Blob {
    pub bytes: Vec<u8>,
    sections: Map<String, Value>,
}

/// Numbers of an array of a blob.
pub trait BlobNumber: bytemuck::Pod {
    /// Name of the browser's array of them.
    const NAME: &'static str;
}

macro_rules! numbers {
    ($($number:ty => $name:literal)*) => {
        $(impl BlobNumber for $number { const NAME: &'static str = $name; })*
    };
}
numbers! { u8 => "Uint8Array" i8 => "Int8Array" u16 => "Uint16Array" i32 => "Int32Array"
u32 => "Uint32Array" f32 => "Float32Array" f64 => "Float64Array" }

impl Blob {
    /// Appends an array.
    pub fn push<T: BlobNumber>(&mut self, name: &str, values: &[T]) {
        self.bytes.resize(self.bytes.len().next_multiple_of(size_of::<T>().max(4)), 0);
        let section = json!({ "at": self.bytes.len(), "count": values.len(), "type": T::NAME });
        self.sections.insert(name.into(), section);
        self.bytes.extend_from_slice(bytemuck::cast_slice(values));
    }

    /// Appends the bytes of numbers, first the highest of all, then the next, and so on: these
    /// compress better.
    pub fn push_split<T: BlobNumber>(&mut self, name: &str, values: &[T]) {
        let bytes: &[u8] = bytemuck::cast_slice(values);
        let places = (0..size_of::<T>()).rev();
        let split: Vec<u8> =
            places.flat_map(|k| bytes.iter().skip(k).step_by(size_of::<T>()).copied()).collect();
        self.push(name, &split);
    }

    /// The numbers of an array of [`f32`] or [`f64`]; none if there is no such.
    pub fn read(&self, name: &str) -> Vec<f64> {
        let Some(section) = self.sections.get(name) else { return Vec::new() };
        let number = |key: &str| section[key].as_u64().unwrap_or(0) as usize;
        let (bytes, count) = (&self.bytes[number("at")..], number("count"));
        if section["type"] == f64::NAME {
            let all = bytes.as_chunks().0.iter().take(count);
            return all.map(|&own| f64::from_ne_bytes(own)).collect();
        }
        let all = bytes.as_chunks().0.iter().take(count);
        all.map(|&own| f64::from(f32::from_ne_bytes(own))).collect()
    }

    pub fn sections(&self) -> Value {
        Value::Object(self.sections.clone())
    }
}

/// Figures of a report, beside the picture of a page.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FigureTable {
    /// What they are.
    pub title: String,
    /// Names of the columns; empty for rows of a name and what belongs to it.
    pub header: Vec<String>,
    /// As many entries as the header has, or two.
    pub rows: Vec<Vec<String>>,
}

/// The place of a cell's least scaled Jacobian among its samples.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct WorstCell {
    /// Cell of the mesh.
    pub cell: u32,
    /// Corner of the cell whose hexahedral child holds the sample, if the cell is not a hexahedron.
    pub corner: Option<u8>,
    /// Parameters (u, v, w) in the cell.
    pub parameters: [f64; 3],
    /// Coordinates of the point.
    pub point: [f64; 3],
    /// The determinant over the product of the lengths of the derivatives, in [-1, 1].
    pub scaled_jacobian: f64,
    /// The determinant of the Jacobian, in cubed length units.
    pub determinant: f64,
}

/// All that a page shows.
#[derive(Debug)]
pub struct Scene {
    pub mode: Mode,
    pub title: String,
    /// Center of the control points: positions are relative to it.
    pub center: [f64; 3],
    /// Diagonal of their box; 1 if it is a point.
    pub size: f64,
    /// What is shown at once.
    pub shell: Blob,
    /// What cuts and explosions need.
    pub interior: Blob,
    pub channels: Vec<ColorChannel>,
    /// Least and greatest value of the limit of each component of the attributes, as far as they
    /// are known.
    ranges: Vec<Option<(f64, f64)>>,
    pub worst: Vec<WorstCell>,
    /// Cells with a folded sample, whose determinant is not positive.
    pub folded: usize,
    /// Samples without a Jacobian.
    pub undefined: usize,
    /// Samples on smooth edges of one cell, where the Jacobian is 0.
    pub flat: usize,
    /// Labels and values for people.
    pub figures: Vec<(String, String)>,
    /// Of the boundary; none of triangles that stand for a limit.
    pub error: Option<f64>,
    pub interior_error: f64,
    pub layers: Option<Value>,
    /// Tables of a report.
    pub tables: Vec<FigureTable>,
    /// Class of each cell or face; none where there are none.
    pub classes: Vec<u8>,
    /// Layers of cells around each cell; none of surfaces.
    pub layers_of_cells: Vec<u16>,
    pub color: Color,
    pub map: ColorMap,
    pub unit: Option<LengthUnit>,
    pub up: UpAxis,
}

/// The ends of a range, each replaced by the end of another one from which it differs by rounding.
fn snapped(range: (f64, f64), other: (f64, f64)) -> (f64, f64) {
    let rounding = 1e-12 * range.0.abs().max(range.1.abs());
    let end = |x: f64, other: f64| if (x - other).abs() <= rounding { other } else { x };
    (end(range.0, other.0), end(range.1, other.1))
}

impl Scene {
    pub fn new(mode: Mode, title: &str, bounds: Option<([f64; 3], [f64; 3])>) -> Self {
        let (low, high) = bounds.unwrap_or_default();
        let center = std::array::from_fn(|d| low[d] + (high[d] - low[d]) / 2.0);
        let size = distance(high, low);
        Self {
            mode,
            title: title.into(),
            center,
            size: if size > 0.0 { size } else { 1.0 },
            shell: Blob::default(),
            interior: Blob::default(),
            channels: Vec::new(),
            ranges: Vec::new(),
            worst: Vec::new(),
            folded: 0,
            undefined: 0,
            flat: 0,
            figures: Vec::new(),
            error: Some(0.0),
            interior_error: 0.0,
            layers: None,
            tables: Vec::new(),
            classes: Vec::new(),
            layers_of_cells: Vec::new(),
            color: Color::Plain,
            map: ColorMap::default(),
            unit: None,
            up: UpAxis::default(),
        }
    }

    /// A position relative to the center, over the size, in single precision.
    pub fn local(&self, p: &[f64; 3]) -> [f32; 3] {
        std::array::from_fn(|d| ((p[d] - self.center[d]) / self.size) as f32)
    }

    /// Cell and corner of each element, unless every element is the cell of its number.
    pub fn push_elements(&mut self, elements: impl Iterator<Item = (u32, Option<u8>)> + Clone) {
        if elements
            .clone()
            .enumerate()
            .all(|(e, (cell, corner))| corner.is_none() && cell as usize == e)
        {
            return;
        }
        let cells: Vec<u32> = elements.clone().map(|(cell, _)| cell).collect();
        let corners: Vec<u8> = elements.map(|(_, corner)| corner.unwrap_or(255)).collect();
        self.shell.push("element_cell", &cells);
        self.shell.push("element_corner", &corners);
    }

    /// Adds values of the limit to the range of the K-th component of all attributes.
    pub fn include(&mut self, component: usize, range: Option<(f64, f64)>) {
        if self.ranges.len() <= component {
            self.ranges.resize(component + 1, None);
        }
        let known = &mut self.ranges[component];
        let ends = [*known, range].into_iter().flatten();
        *known = ends.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
    }

    /// Names the attributes; their values stand with the patches, section `attribute K` for the
    /// K-th component of all. Ranges are taken from the limit where they are known, else of the
    /// vertices that are `used`.
    pub fn push_attributes(&mut self, attributes: &[Attribute], used: &[bool]) {
        let mut number = 0;
        for attribute in attributes {
            let rows = used_rows(&attribute.values, attribute.width, used);
            for component in 0..attribute.width {
                let values = rows.iter().skip(component).step_by(attribute.width);
                let of_vertices = range(values.copied());
                let known = self.ranges.get(number).copied().flatten();
                let (low, high) = known.map_or(of_vertices, |known| snapped(known, of_vertices));
                self.channels.push(ColorChannel {
                    name: attribute.name.clone(),
                    component: (attribute.width > 1).then_some(component),
                    on: "point",
                    section: format!("attribute {number}"),
                    low,
                    high,
                    integers: false,
                });
                number += 1;
            }
        }
    }

    /// Adds the arrays of the cells.
    pub fn push_cell_data(&mut self, arrays: &[CellArray]) {
        let shown = arrays.iter().filter(|array| !array.is_ghosts());
        for (number, array) in shown.enumerate() {
            for component in 0..array.width {
                let values = array.values.iter().skip(component).step_by(array.width);
                let values: Vec<f64> = values.copied().collect();
                let (low, high) = range(values.iter().copied());
                let section = format!("cell {number} {component}");
                self.shell.push(&section, &values);
                self.channels.push(ColorChannel {
                    name: array.name.clone(),
                    component: (array.width > 1).then_some(component),
                    on: "cell",
                    section,
                    low,
                    high,
                    integers: array.integers,
                });
            }
        }
    }

    /// Adds the class of each cell or face.
    pub fn push_classes(&mut self, classes: Vec<u8>) {
        self.shell.push(CLASS, &classes);
        self.classes = classes;
    }

    /// Adds the layer of each cell, counted from the boundary.
    pub fn push_layers(&mut self, layers: Vec<u16>) {
        self.shell.push("layer", &layers);
        self.layers_of_cells = layers;
    }

    pub fn solid_figures(&mut self, mesh: &SolidMesh, topology: &Topology, solid: Option<&Solid>) {
        let mut add = |name: &str, value: String| self.figures.push((name.into(), value));
        let ghosts = (0..mesh.cells.len() as u32).filter(|&cell| topology.is_ghost(cell)).count();
        add("cells", (mesh.cells.len() - ghosts).to_string());
        if ghosts > 0 {
            add("ghost cells", ghosts.to_string());
        }
        add("vertices", mesh.points.len().to_string());
        let faces = 0..topology.face_count() as u32;
        let boundary = faces.filter(|&f| topology.bounds_solid(f)).count();
        add("boundary faces", boundary.to_string());
        if let Some(solid) = solid {
            let mut counts = BTreeMap::new();
            let ghost = Class::Refined(Reason::Ghost);
            solid.classes().iter().filter(|&&class| class != ghost).for_each(|&class| {
                *counts.entry(class.number()).or_insert(0_usize) += 1;
            });
            for (name, number) in [("regular", 0), ("layered", 1), ("irregular", 2), ("refined", 3)]
            {
                if let Some(count) = counts.get(&number) {
                    add(&format!("{name} cells"), count.to_string());
                }
            }
        }
        for array in &mesh.cell_data {
            if let Some(name) = array.group_name() {
                add(&format!("group {name}"), counted(array.members().count(), "cell"));
            }
        }
        for group in &mesh.face_groups {
            add(&format!("group {}", group.name), counted(group.faces.len(), "face"));
        }
        if let Some(worst) = self.worst.first() {
            let worst = format!("{:.4} in cell {}", worst.scaled_jacobian, worst.cell);
            self.figures.push(("least scaled Jacobian".into(), worst));
        }
        let folded = self.folded.to_string();
        self.figures.push(("cells with folded samples".into(), folded));
    }

    pub fn surface_figures(&mut self, mesh: &SurfaceMesh) {
        self.figures.push(("faces".into(), mesh.faces.len().to_string()));
        self.figures.push(("vertices".into(), mesh.points.len().to_string()));
    }

    /// The head, in JSON.
    pub fn head(&self) -> Value {
        let mode = match self.mode {
            Mode::Solid => "solid",
            Mode::Surface => "surface",
            Mode::Linear => "linear",
            Mode::Triangles => "triangles",
        };
        let channel = |c: &ColorChannel| {
            json!({
                "name": c.name, "component": c.component, "on": c.on, "section": c.section,
                "low": c.low, "high": c.high, "integers": c.integers,
            })
        };
        json!({
            "version": VERSION,
            "program": concat!("subsolid ", env!("CARGO_PKG_VERSION")),
            "mode": mode,
            "title": self.title,
            "center": self.center,
            "size": self.size,
            "error": self.error,
            "interior_error": self.interior_error,
            "channels": self.channels.iter().map(channel).collect::<Vec<_>>(),
            "color": self.color.key(),
            "map": self.map.name(),
            "unit": self.unit.map(LengthUnit::symbol),
            "up": if self.up == UpAxis::Y { "y" } else { "z" },
            "worst": self.worst,
            "inverted": self.folded,
            "undefined": self.undefined,
            "flat": self.flat,
            "figures": self.figures,
            "layers": self.layers,
            "tables": self.tables,
            "sections": self.shell.sections(),
            "interior": self.interior.sections(),
        })
    }
}
