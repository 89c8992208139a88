//! 3MF: triangles in double precision that share their vertices, in a zip archive.
//!
//! 3MF Core Specification 1.3. The mesh is one object, which the build places as it is. It is a
//! part of a model if it is closed and consistently oriented, else a surface.

use std::fmt::Write as _;
use std::io::{self, Seek, Write};

use rayon::prelude::*;

use super::zip_stream::{ZipStream, is_large};
use crate::error::{Error, Result};
use crate::mesh::SurfaceMesh;
use crate::numbers::LengthUnit;

/// Types of the parts of a package.
pub const CONTENT_TYPES: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
    <Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\n\
    <Default Extension=\"rels\" \
    ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\n\
    <Default Extension=\"model\" \
    ContentType=\"application/vnd.ms-package.3dmanufacturing-3dmodel+xml\"/>\n\
    <Default Extension=\"png\" ContentType=\"image/png\"/>\n</Types>\n";

/// Which part is the model.
pub const RELATIONSHIPS: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
    <Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">\n\
    <Relationship Target=\"/3D/3dmodel.model\" Id=\"model\" \
    Type=\"http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel\"/>\n</Relationships>\n";

/// Names of the parts.
pub const PARTS: [&str; 3] = ["[Content_Types].xml", "_rels/.rels", "3D/3dmodel.model"];

/// Bytes of a vertex and of a triangle as text, at most.
const TEXT: [u64; 2] = [100, 60];
/// Bytes of text that are compressed at once.
const BLOCK: usize = 1 << 20;

/// Refuses a mesh of more triangles than the format counts.
pub fn check(mesh: &SurfaceMesh) -> Result<()> {
    let most = i32::MAX as usize;
    if mesh.triangle_count() <= most && mesh.points.len() <= most {
        return Ok(());
    }
    Err(Error::mesh("a .3mf file of 2^31 triangles or vertices, it holds fewer")
        .with_help("take a coarser mesh, or write .ply or .vtp"))
}

/// Name of a unit in a model.
fn unit_name(unit: LengthUnit) -> &'static str {
    match unit {
        LengthUnit::Micrometer => "micron",
        LengthUnit::Millimeter => "millimeter",
        LengthUnit::Centimeter => "centimeter",
        LengthUnit::Meter => "meter",
        LengthUnit::Inch => "inch",
        LengthUnit::Foot => "foot",
    }
}

/// Writes `mesh`, which has been checked.
pub fn write(out: impl Write + Seek, mesh: &SurfaceMesh, unit: LengthUnit) -> io::Result<()> {
    let triangles = mesh.triangles().corners;
    let bytes = TEXT[0] * mesh.points.len() as u64 + TEXT[1] * triangles.len() as u64;
    let mut model = ModelWriter::begin(out, unit, &[], bytes)?;
    let kind = if is_closed(&triangles) { "model" } else { "surface" };
    let mut text = format!("<object id=\"1\" type=\"{kind}\">\n<mesh>\n<vertices>\n");
    for [x, y, z] in &mesh.points {
        let _ = writeln!(text, "<vertex x=\"{x:?}\" y=\"{y:?}\" z=\"{z:?}\"/>");
        pass_on(&mut text, &mut model)?;
    }
    text.push_str("</vertices>\n<triangles>\n");
    for [a, b, c] in &triangles {
        let _ = writeln!(text, "<triangle v1=\"{a}\" v2=\"{b}\" v3=\"{c}\"/>");
        pass_on(&mut text, &mut model)?;
    }
    text.push_str("</triangles>\n</mesh>\n</object>\n");
    model.append(text.as_bytes())?;
    model.finish(1)
}

/// Adds text to the model once there is a block of it.
fn pass_on(text: &mut String, model: &mut ModelWriter<impl Write + Seek>) -> io::Result<()> {
    if text.len() >= BLOCK {
        model.append(text.as_bytes())?;
        text.clear();
    }
    Ok(())
}

/// A file of one model, whose resources are written one after the other.
pub struct ModelWriter<W: Write + Seek> {
    zip: ZipStream<W>,
}

impl<W: Write + Seek> ModelWriter<W> {
    /// A file at the start of `out`, of a model that requires some `extensions`: the prefix and the
    /// namespace of each. `bytes`: of the model, at most.
    pub fn begin(
        out: W,
        unit: LengthUnit,
        extensions: &[(&str, &str)],
        bytes: u64,
    ) -> io::Result<Self> {
        let mut zip = ZipStream::new(out, true);
        for (name, text) in PARTS.into_iter().zip([CONTENT_TYPES, RELATIONSHIPS]) {
            zip.begin(name.into(), false)?;
            zip.append(text.as_bytes())?;
        }
        zip.begin(PARTS[2].into(), is_large(bytes))?;
        zip.append(model_head(unit, extensions).as_bytes())?;
        Ok(Self { zip })
    }

    /// Adds resources.
    pub fn append(&mut self, text: &[u8]) -> io::Result<()> {
        self.zip.append(text)
    }

    /// Completes the file with a build of one object.
    pub fn finish(mut self, object: usize) -> io::Result<()> {
        self.zip.append(model_end(object).as_bytes())?;
        self.zip.finish()
    }
}

/// A model up to its resources.
pub fn model_head(unit: LengthUnit, extensions: &[(&str, &str)]) -> String {
    let mut spaces = String::new();
    for (prefix, space) in extensions {
        let _ = write!(spaces, " xmlns:{prefix}=\"{space}\"");
    }
    if !extensions.is_empty() {
        let required: Vec<&str> = extensions.iter().map(|(prefix, _)| *prefix).collect();
        let _ = write!(spaces, " requiredextensions=\"{}\"", required.join(" "));
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<model unit=\"{}\" xml:lang=\"en-US\" \
         xmlns=\"http://schemas.microsoft.com/3dmanufacturing/core/2015/02\"{spaces}>\n\
         <metadata name=\"Application\">subsolid {}</metadata>\n<resources>\n",
        unit_name(unit),
        env!("CARGO_PKG_VERSION")
    )
}

/// What stands behind the resources of a model whose build places one object.
pub fn model_end(object: usize) -> String {
    format!("</resources>\n<build>\n<item objectid=\"{object}\"/>\n</build>\n</model>\n")
}

/// The mesh of a box between two corners, the lower one first.
pub fn box_mesh(ends: [[f64; 3]; 2]) -> String {
    const CORNERS: [[usize; 3]; 12] = [
        [0, 2, 3],
        [0, 3, 1],
        [4, 5, 7],
        [4, 7, 6],
        [0, 1, 5],
        [0, 5, 4],
        [2, 6, 7],
        [2, 7, 3],
        [0, 4, 6],
        [0, 6, 2],
        [1, 3, 7],
        [1, 7, 5],
    ];
    let mut text = String::from("<mesh>\n<vertices>\n");
    for v in 0..8 {
        let [x, y, z] = [0, 1, 2].map(|d| ends[v >> d & 1][d]);
        let _ = writeln!(text, "<vertex x=\"{x:?}\" y=\"{y:?}\" z=\"{z:?}\"/>");
    }
    text.push_str("</vertices>\n<triangles>\n");
    for [a, b, c] in CORNERS {
        let _ = writeln!(text, "<triangle v1=\"{a}\" v2=\"{b}\" v3=\"{c}\"/>");
    }
    text.push_str("</triangles>\n</mesh>\n");
    text
}

/// Whether every edge has two triangles, which run along it in opposite directions.
fn is_closed(triangles: &[[u32; 3]]) -> bool {
    let edges = |is_turned: bool| {
        let mut edges: Vec<[u32; 2]> = triangles
            .par_iter()
            .flat_map_iter(|&[a, b, c]| [[a, b], [b, c], [c, a]])
            .map(|[a, b]| if is_turned { [b, a] } else { [a, b] })
            .collect();
        edges.par_sort_unstable();
        edges
    };
    let along = edges(false);
    along.is_sorted_by(|a, b| a < b) && along == edges(true)
}
