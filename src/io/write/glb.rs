//! Binary glTF 2.0 through the crate `gltf-json`: triangles in single precision for viewers.
//!
//! glTF has y up and meters. The node rotates the model's up axis to y, and scales its
//! unit to meters. Positions are stored relative to the center of the model, which is the
//! translation of the node, so that models far from the origin keep their digits.

use std::collections::{BTreeMap, HashSet};
use std::io::{self, Write};
use std::path::Path;

use gltf_json as json;
use json::accessor::{ComponentType, GenericComponentType, Type};
use json::buffer::Target;
use json::mesh::Semantic;
use json::validation::Checked::{self, Valid};
use json::validation::USize64;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, option_name};
use crate::memory;
use crate::mesh::{Attribute, SurfaceMesh, area_normal, used_rows};
use crate::numbers::LengthUnit;
use crate::numbers::vector::norm;

/// Bytes of a number of every array.
const BYTES: usize = 4;

/// The axis of a model that points upward.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum UpAxis {
    /// y, as in glTF itself.
    Y,
    /// z, as in most programs for engineers.
    #[default]
    Z,
}

/// How a `.glb` file shows a mesh, and the unit of a `.3mf`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GlbOptions {
    /// Unit of the mesh; of none, it is in meters in a `.glb`, in millimeters in a `.3mf`.
    pub unit: Option<LengthUnit>,
    /// Axis of the mesh that points upward.
    pub up: UpAxis,
    /// Red, green and blue of every vertex, 0 to 1 in sRGB as on a screen; empty for none.
    pub colors: Vec<[f32; 3]>,
}

/// Whether a file is binary glTF, by the ending of its name.
pub fn is_glb(path: &Path) -> bool {
    has_ending(path, "glb")
}

/// Whether the name of a file ends so, or of standard output.
fn has_ending(path: &Path, known: &str) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(known))
}

impl GlbOptions {
    /// How `output` shows a mesh whose unit and axis are known or not.
    ///
    /// # Errors
    /// [`Error::Request`] for a unit where the output is no `.glb` or `.3mf`, or an axis where it is
    /// no `.glb`.
    pub fn of(output: &Path, unit: Option<LengthUnit>, up: Option<UpAxis>) -> Result<Self> {
        let (is_glb, is_3mf) = (is_glb(output), has_ending(output, "3mf"));
        for (is_wrong, name, of) in [
            (unit.is_some() && !is_glb && !is_3mf, "unit", ".glb and .3mf"),
            (up.is_some() && !is_glb, "up", ".glb"),
        ] {
            if is_wrong {
                let help =
                    message!("leave ", option_name(name), " out, or end the output's name in .glb");
                let why = message!(option_name(name), " is for {of} files");
                return Err(Error::request(why).with_help(help));
            }
        }
        Ok(Self { unit, up: up.unwrap_or_default(), colors: Vec::new() })
    }

    /// Length of the unit in meters.
    fn meters(&self) -> f64 {
        self.unit.unwrap_or_default().meters()
    }

    /// Position in the scene of a place in the model: glTF's axes and meters.
    fn placed(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let turned = match self.up {
            UpAxis::Y => [x, y, z],
            UpAxis::Z => [x, z, -y],
        };
        turned.map(|x| x * self.meters())
    }

    /// The place in the model of a position.
    fn unplaced(&self, position: [f32; 3]) -> [f64; 3] {
        let [x, y, z] = position.map(|x| f64::from(x) / self.meters());
        match self.up {
            UpAxis::Y => [x, y, z],
            UpAxis::Z => [x, -z, y],
        }
    }
}

/// Whether an attribute of a mesh is written: widths of 1 to 4, of numbers that single precision
/// holds at the vertices that are `used`, or at all.
pub fn is_kept(attribute: &Attribute, used: Option<&[bool]>) -> bool {
    let width = attribute.width;
    let holds = |values: &[f64]| values.iter().all(|x| (*x as f32).is_finite());
    let has_numbers = || match used {
        Some(used) => holds(&used_rows(&attribute.values, width, used)),
        None => holds(&attribute.values),
    };
    (1..=4).contains(&width) && has_numbers() || attribute.is_normals()
}

/// Bytes of the arrays of a mesh.
fn length(mesh: &SurfaceMesh, options: &GlbOptions) -> usize {
    let colors = if options.colors.is_empty() { 0 } else { 3 };
    let kept = mesh.attributes.iter().filter(|attribute| is_kept(attribute, None));
    let width = 3 + colors + kept.map(|attribute| attribute.width).sum::<usize>();
    BYTES * (width * mesh.points.len() + 3 * mesh.triangle_count())
}

/// Refuses a mesh that is too large for the format, whose sizes have 32 bits.
pub fn check(mesh: &SurfaceMesh, options: &GlbOptions) -> Result<()> {
    check_length(length(mesh, options))
}

fn check_length(length: usize) -> Result<()> {
    // beside the arrays stands their description
    match u32::try_from(length + (1 << 20)) {
        Ok(_) => Ok(()),
        Err(_) => {
            let size = memory::decimal_bytes(length as u128);
            Err(Error::mesh(format!("a .glb file of {size}, it holds less than 4.3 GB"))
                .with_help("take a coarser mesh, or write .ply or .vtp"))
        }
    }
}

/// Writes `mesh`, which has been checked. Colors from 0 to 255 are vertex colors, unless the
/// options have others. Other attributes have the names of application-specific ones: `_NAME` in
/// capitals. Where normals do not exist, the faces at the vertex give them.
pub fn write(out: &mut impl Write, mesh: &SurfaceMesh, options: &GlbOptions) -> io::Result<()> {
    let triangles = mesh.triangles().corners;
    let (low, high) = mesh.bounds().unwrap_or_default();
    let middle = std::array::from_fn(|d| low[d] + (high[d] - low[d]) / 2.0);
    // what single precision makes of it: the digits that it drops stay in the positions
    let translation = options.placed(middle).map(|x| x as f32);
    let arrays = arrays(mesh, options, options.unplaced(translation));
    let length = length(mesh, options);
    let counts = [mesh.points.len(), triangles.len()];
    let mut text = document(&arrays, counts, node(options, translation))?;
    text.resize(text.len().next_multiple_of(4), b' ');

    out.write_all(b"glTF")?;
    let sizes = [2, 12 + 8 + text.len() + 8 + length, text.len()];
    sizes.iter().try_for_each(|&n| out.write_all(&(n as u32).to_le_bytes()))?;
    out.write_all(b"JSON")?;
    out.write_all(&text)?;
    out.write_all(&(length as u32).to_le_bytes())?;
    out.write_all(b"BIN\0")?;
    for array in &arrays {
        for v in 0..mesh.points.len() {
            for component in 0..array.width {
                out.write_all(&(array.value)(v, component).to_le_bytes())?;
            }
        }
    }
    triangles.as_flattened().iter().try_for_each(|v| out.write_all(&v.to_le_bytes()))
}

/// Numbers of the vertices.
struct VertexArray<'m> {
    semantic: Semantic,
    name: Option<&'m str>,
    width: usize,
    value: Box<dyn Fn(usize, usize) -> f32 + 'm>,
}

fn arrays<'m>(
    mesh: &'m SurfaceMesh,
    options: &'m GlbOptions,
    center: [f64; 3],
) -> Vec<VertexArray<'m>> {
    let mut arrays = vec![VertexArray {
        semantic: Semantic::Positions,
        name: None,
        width: 3,
        value: Box::new(move |v, d| (mesh.points[v][d] - center[d]) as f32),
    }];
    if !options.colors.is_empty() {
        arrays.push(VertexArray {
            semantic: Semantic::Colors(0),
            name: None,
            width: 3,
            value: Box::new(move |v, d| linear(options.colors[v][d])),
        });
    }
    let mut names = HashSet::new();
    for attribute in mesh.attributes.iter().filter(|attribute| is_kept(attribute, None)) {
        let width = attribute.width;
        if attribute.is_color() && options.colors.is_empty() {
            let value = move |v: usize, component: usize| {
                let part = (attribute.values[v * width + component] / 255.0).clamp(0.0, 1.0) as f32;
                if component < 3 { linear(part) } else { part }
            };
            arrays.push(VertexArray {
                semantic: Semantic::Colors(0),
                name: None,
                width,
                value: Box::new(value),
            });
            continue;
        }
        if attribute.is_normals() {
            let normals = unit_normals(mesh, attribute.values.as_chunks().0);
            arrays.push(VertexArray {
                semantic: Semantic::Normals,
                name: None,
                width: 3,
                value: Box::new(move |v, d| normals[v][d]),
            });
            continue;
        }
        let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
        let mut name: String = attribute.name.chars().map(plain).collect();
        while !names.insert(name.clone()) {
            name.push('_');
        }
        arrays.push(VertexArray {
            semantic: Semantic::Extras(name),
            name: Some(&attribute.name),
            width,
            value: Box::new(move |v, component| attribute.values[v * width + component] as f32),
        });
    }
    arrays
}

/// The light of a component of a color: glTF's colors are linear.
fn linear(srgb: f32) -> f32 {
    if srgb <= 0.04045 { srgb / 12.92 } else { ((srgb + 0.055) / 1.055).powf(2.4) }
}

/// Normals of length 1 in single precision; of the faces at the vertex where there is none, and
/// (0, 0, 1) where these have none either.
fn unit_normals(mesh: &SurfaceMesh, normals: &[[f64; 3]]) -> Vec<[f32; 3]> {
    let exists = |n: &[f64; 3]| norm(*n).is_finite() && norm(*n) > 0.0;
    let mut of_faces = vec![[0.0; 3]; if normals.iter().all(exists) { 0 } else { normals.len() }];
    if !of_faces.is_empty() {
        for face in mesh.faces.iter() {
            let normal = area_normal(&mesh.points, face);
            for &v in face {
                (0..3).for_each(|d| of_faces[v as usize][d] += normal[d]);
            }
        }
    }
    let unit = |n: &[f64; 3]| n.map(|x| (x / norm(*n)) as f32);
    let normal = |(v, n): (usize, &[f64; 3])| {
        if exists(n) {
            unit(n)
        } else if exists(&of_faces[v]) {
            unit(&of_faces[v])
        } else {
            [0.0, 0.0, 1.0]
        }
    };
    normals.iter().enumerate().map(normal).collect()
}

/// The JSON chunk: one mesh of one primitive over one buffer.
fn document(
    arrays: &[VertexArray<'_>],
    [count, triangles]: [usize; 2],
    node: json::Node,
) -> io::Result<Vec<u8>> {
    let numbers: usize = arrays.iter().map(|array| array.width * count).sum();
    let mut document = GlbDocument::new(numbers + 3 * triangles);
    let attributes = arrays
        .iter()
        .map(|array| (Valid(array.semantic.clone()), document.push_array(array, count)))
        .collect();
    let indices = document.push_indices(3 * triangles);
    let mesh = document.push_mesh(attributes, indices);
    document.finish(json::Node { mesh: Some(mesh), ..node })
}

/// A document of one buffer, whose arrays are described one after another.
struct GlbDocument {
    root: json::Root,
    buffer: json::Index<json::Buffer>,
    // where the next array begins in the buffer
    start: usize,
}

impl GlbDocument {
    /// Over a buffer of `numbers` numbers.
    fn new(numbers: usize) -> Self {
        let mut root = json::Root::default();
        root.asset.generator = Some(concat!("subsolid ", env!("CARGO_PKG_VERSION")).into());
        let buffer = root.push(json::Buffer {
            byte_length: USize64::from(BYTES * numbers),
            name: None,
            uri: None,
            extensions: None,
            extras: Default::default(),
        });
        Self { root, buffer, start: 0 }
    }

    /// The next numbers of the buffer.
    fn push_view(&mut self, numbers: usize, target: Target) -> json::Index<json::buffer::View> {
        let view = json::buffer::View {
            buffer: self.buffer,
            byte_length: USize64::from(BYTES * numbers),
            byte_offset: Some(USize64::from(self.start)),
            byte_stride: None,
            name: None,
            target: Some(Valid(target)),
            extensions: None,
            extras: Default::default(),
        };
        self.start += BYTES * numbers;
        self.root.push(view)
    }

    /// The next array, of `count` vertices; with bounds if it holds positions.
    fn push_array(&mut self, array: &VertexArray<'_>, count: usize) -> json::Index<json::Accessor> {
        let view = self.push_view(array.width * count, Target::ArrayBuffer);
        let type_ = [Type::Scalar, Type::Vec2, Type::Vec3, Type::Vec4][array.width - 1];
        let mut accessor = accessor(view, count, ComponentType::F32, type_);
        accessor.name = array.name.map(str::to_owned);
        if array.semantic == Semantic::Positions {
            let component = |d: usize| (0..count).map(move |v| (array.value)(v, d));
            let most = |d: usize| component(d).fold(f32::NEG_INFINITY, f32::max);
            let least = |d: usize| component(d).fold(f32::INFINITY, f32::min);
            accessor.min = Some([0, 1, 2].map(least).to_vec().into());
            accessor.max = Some([0, 1, 2].map(most).to_vec().into());
        }
        self.root.push(accessor)
    }

    /// The corners of the triangles.
    fn push_indices(&mut self, count: usize) -> json::Index<json::Accessor> {
        let view = self.push_view(count, Target::ElementArrayBuffer);
        self.root.push(accessor(view, count, ComponentType::U32, Type::Scalar))
    }

    /// Triangles of the material that all models have.
    fn push_mesh(
        &mut self,
        attributes: BTreeMap<Checked<Semantic>, json::Index<json::Accessor>>,
        indices: json::Index<json::Accessor>,
    ) -> json::Index<json::Mesh> {
        let material = self.root.push(json::Material {
            double_sided: true,
            pbr_metallic_roughness: json::material::PbrMetallicRoughness {
                metallic_factor: json::material::StrengthFactor(0.0),
                roughness_factor: json::material::StrengthFactor(0.6),
                ..Default::default()
            },
            ..Default::default()
        });
        self.root.push(json::Mesh {
            primitives: vec![json::mesh::Primitive {
                attributes,
                indices: Some(indices),
                material: Some(material),
                mode: Valid(json::mesh::Mode::Triangles),
                targets: None,
                extensions: None,
                extras: Default::default(),
            }],
            weights: None,
            name: None,
            extensions: None,
            extras: Default::default(),
        })
    }

    /// The text, with a scene of this node alone.
    fn finish(mut self, node: json::Node) -> io::Result<Vec<u8>> {
        let node = self.root.push(node);
        let scene = self.root.push(json::Scene {
            nodes: vec![node],
            name: None,
            extensions: None,
            extras: Default::default(),
        });
        self.root.scene = Some(scene);
        Ok(self.root.to_vec()?)
    }
}

/// All numbers of a view.
fn accessor(
    view: json::Index<json::buffer::View>,
    count: usize,
    component: ComponentType,
    type_: Type,
) -> json::Accessor {
    json::Accessor {
        buffer_view: Some(view),
        byte_offset: Some(USize64(0)),
        count: USize64::from(count),
        component_type: Valid(GenericComponentType(component)),
        type_: Valid(type_),
        min: None,
        max: None,
        name: None,
        normalized: false,
        sparse: None,
        extensions: None,
        extras: Default::default(),
    }
}

/// Turns and scales the model, and puts it where it belongs.
fn node(options: &GlbOptions, translation: [f32; 3]) -> json::Node {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let scale = options.meters() as f32;
    json::Node {
        // a quarter turn about x takes (x, y, z) to (x, z, -y)
        rotation: (options.up == UpAxis::Z)
            .then_some(json::scene::UnitQuaternion([-half, 0.0, 0.0, half])),
        scale: (options.meters() != 1.0).then_some([scale; 3]),
        translation: Some(translation),
        ..Default::default()
    }
}
