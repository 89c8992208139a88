//! Tables of points: CSV with the header `x,y,z`, read and answered block by block,
//! so that any number of rows fits.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::Place;
use crate::backend::Values;
use crate::error::{Error, Result};
use crate::limit::Solid;
use crate::mesh::Attribute;

const HEADER: [&str; 3] = ["x", "y", "z"];
const ROW: &str = "a row is x, y, z in the length unit of the model";

/// A table of points being read.
#[derive(Debug)]
pub struct PointTable {
    path: PathBuf,
    reader: csv::Reader<File>,
}

/// An answer: the place, and whether the point is inside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// The point.
    pub point: [f64; 3],
    /// Whether the solid holds it.
    pub inside: bool,
    /// Where it is; of a point outside, the closest place of the solid.
    pub place: Place,
}

impl PointTable {
    /// Opens a table and checks its header.
    ///
    /// # Errors
    /// If the file cannot be read or its header is another.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref().to_owned();
        let mut reader = csv::ReaderBuilder::new()
            .trim(csv::Trim::All)
            .comment(Some(b'#'))
            .from_path(&path)
            .map_err(|e| malformed(&path, e))?;
        let header = reader.byte_headers().map_err(|e| malformed(&path, e))?;
        if header.iter().ne(HEADER.map(str::as_bytes)) {
            let found = String::from_utf8_lossy(header.as_slice()).into_owned();
            return Err(Error::file(&path, Some(1), format!("the header is {found:?}"))
                .with_mend("begin the table with the line `x,y,z`"));
        }
        Ok(Self { path, reader })
    }

    /// The next rows, at most `most`; none at the end of the table.
    ///
    /// # Errors
    /// [`Error::File`] with the line of a row that is not three finite numbers.
    pub fn read(&mut self, most: usize) -> Result<Vec<[f64; 3]>> {
        let mut points = Vec::new();
        let mut record = csv::ByteRecord::new();
        while points.len() < most {
            match self.reader.read_byte_record(&mut record) {
                Ok(true) => points.push(self.point(&record)?),
                Ok(false) => break,
                Err(e) => return Err(malformed(&self.path, e)),
            }
        }
        Ok(points)
    }

    fn point(&self, record: &csv::ByteRecord) -> Result<[f64; 3]> {
        let mut point = [0.0; 3];
        for (d, name) in HEADER.iter().enumerate() {
            let text = std::str::from_utf8(&record[d]).unwrap_or("\u{fffd}");
            let value = text.parse::<f64>().ok().filter(|x| x.is_finite());
            point[d] = value.ok_or_else(|| {
                let line = record.position().and_then(|p| usize::try_from(p.line()).ok());
                let message =
                    format!("{name}: finite number expected, found `{}`", text.escape_debug());
                Error::file(&self.path, line, message).with_mend(ROW)
            })?;
        }
        Ok(point)
    }
}

fn malformed(path: &Path, error: csv::Error) -> Error {
    let line = error.position().and_then(|p| usize::try_from(p.line()).ok());
    match error.into_kind() {
        csv::ErrorKind::Io(source) => Error::io(path, source),
        csv::ErrorKind::UnequalLengths { len, .. } => {
            Error::file(path, line, format!("{len} columns instead of 3")).with_mend(ROW)
        }
        _ => Error::file(path, line, "not a table of comma-separated values"),
    }
}

/// Writes the header of the answer to a table: `x,y,z,status,cell,u,v,w,distance`, with
/// `corner` after `cell` if the solid has cells that are no hexahedra, then attributes
/// by name.
///
/// # Errors
/// Those of `out`.
pub fn write_header(
    out: &mut impl Write,
    solid: &Solid,
    attributes: &[Attribute],
) -> io::Result<()> {
    let mut names: Vec<String> =
        HEADER.iter().chain(&["status", "cell"]).map(|&n| n.into()).collect();
    if has_corners(solid) {
        names.push("corner".into());
    }
    names.extend(["u", "v", "w", "distance"].map(String::from));
    for attribute in attributes {
        match attribute.width {
            1 => names.push(attribute.name.clone()),
            width => names.extend((0..width).map(|i| format!("{}_{i}", attribute.name))),
        }
    }
    let mut header =
        csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(out);
    header.write_record(&names)?;
    header.flush()
}

/// Writes one row an answer, numbers with 17 significant digits. `values`: the
/// attributes at the places, each `[answer][width]`.
///
/// # Errors
/// Those of `out`.
pub fn write_rows(
    out: &mut impl Write,
    solid: &Solid,
    answers: &[Answer],
    attributes: &[Attribute],
    values: &[Values],
) -> io::Result<()> {
    let with_corners = has_corners(solid);
    for (i, Answer { point: [x, y, z], inside, place }) in answers.iter().enumerate() {
        let element = solid.elements()[place.element as usize];
        let status = if *inside { "inside" } else { "outside" };
        write!(out, "{x:.16e},{y:.16e},{z:.16e},{status},{}", element.cell)?;
        if with_corners {
            let corner = element.corner.map(|corner| corner.to_string()).unwrap_or_default();
            write!(out, ",{corner}")?;
        }
        let [u, v, w] = place.parameters;
        write!(out, ",{u:.16e},{v:.16e},{w:.16e},{:.16e}", place.residual)?;
        for (attribute, values) in attributes.iter().zip(values) {
            let width = attribute.width;
            (0..width).try_for_each(|c| write!(out, ",{:.16e}", values.get(i * width + c)))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Whether some cells evaluate on the hexahedra at their corners.
fn has_corners(solid: &Solid) -> bool {
    solid.elements().iter().any(|element| element.corner.is_some())
}
