//! Tables of scattered parameters: CSV with the header `cell,u,v,w`, read and
//! answered block by block, so that any number of rows fits.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::backend::Limit;
use crate::error::{Error, Result};
use crate::limit::Solid;
use crate::mesh::Attribute;
use crate::plan::{Location, Want, wanted_orders};

use super::arrays::DERIVATIVES;

const HEADER: [&str; 4] = ["cell", "u", "v", "w"];
const ROWS: usize = 4096; // a task of formatting

/// No element: the cell is no hexahedron.
const NONE: u32 = u32::MAX;

/// A parameter table being read.
#[derive(Debug)]
pub struct ParameterTable {
    path: PathBuf,
    reader: csv::Reader<File>,
    // element of each hexahedral cell
    elements: Vec<u32>,
}

impl ParameterTable {
    /// Opens a table for `solid` and checks its header.
    ///
    /// # Errors
    /// If the file cannot be read or its header is another.
    pub fn open(path: impl AsRef<Path>, solid: &Solid) -> Result<Self> {
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
                .with_mend("begin the table with the line `cell,u,v,w`"));
        }
        let mut elements = vec![NONE; solid.topology().cell_count()];
        for (i, element) in solid.elements().iter().enumerate() {
            if element.corner.is_none() {
                elements[element.cell as usize] = i as u32;
            }
        }
        Ok(Self { path, reader, elements })
    }

    /// The next rows, at most `most`; none at the end of the table.
    ///
    /// # Errors
    /// [`Error::File`] with the line of a row that is no cell and three numbers, or
    /// names a cell that does not exist or is no hexahedron, or parameters outside
    /// [0, 1].
    pub fn read(&mut self, most: usize) -> Result<Vec<Location>> {
        let mut locations = Vec::new();
        let mut record = csv::ByteRecord::new();
        while locations.len() < most {
            match self.reader.read_byte_record(&mut record) {
                Ok(true) => locations.push(self.location(&record)?),
                Ok(false) => break,
                Err(e) => return Err(malformed(&self.path, e)),
            }
        }
        Ok(locations)
    }

    fn location(&self, record: &csv::ByteRecord) -> Result<Location> {
        let refused = |message: String, mend: &str| {
            let line = record.position().and_then(|p| usize::try_from(p.line()).ok());
            Error::file(&self.path, line, message).with_mend(mend)
        };
        let text = |column: usize| std::str::from_utf8(&record[column]).unwrap_or("\u{fffd}");
        let cell: u32 = text(0).parse().map_err(|_| {
            refused(
                format!("cell expected, found `{}`", text(0).escape_debug()),
                "a row is a cell (its index in the file, from 0) and u, v, w",
            )
        })?;
        let element = *self.elements.get(cell as usize).ok_or_else(|| {
            let count = self.elements.len();
            refused(
                format!("cell {cell} does not exist, the mesh has {count} cells"),
                "count cells from 0, in the order of the file",
            )
        })?;
        if element == NONE {
            return Err(refused(
                format!("cell {cell} is no hexahedron: it evaluates on its hexahedral children"),
                "refine with --levels 1 and name the children, in the order of `refine`",
            ));
        }
        let mut parameters = [0.0; 3];
        for (d, name) in HEADER[1..].iter().enumerate() {
            let text = text(d + 1);
            let value: f64 = text.parse().map_err(|_| {
                refused(
                    format!("{name} expected, found `{}`", text.escape_debug()),
                    "a row is a cell (its index in the file, from 0) and u, v, w",
                )
            })?;
            if !(0.0..=1.0).contains(&value) {
                return Err(refused(
                    format!("{name} = {text} is outside [0, 1]"),
                    "parameters run from 0 to 1 within each cell",
                ));
            }
            parameters[d] = value;
        }
        Ok(Location { element, parameters })
    }
}

fn malformed(path: &Path, error: csv::Error) -> Error {
    let line = error.position().and_then(|p| usize::try_from(p.line()).ok());
    match error.into_kind() {
        csv::ErrorKind::Io(source) => Error::io(path, source),
        csv::ErrorKind::UnequalLengths { len, .. } => {
            Error::file(path, line, format!("{len} columns instead of 4"))
                .with_mend("a row is a cell (its index in the file, from 0) and u, v, w")
        }
        _ => Error::file(path, line, "not a table of comma-separated values"),
    }
}

/// Writes the header of the answer to a table: `cell,u,v,w,x,y,z`, then derivatives
/// (`xu,yu,zu,xv`…) as far as they are wanted, then attributes by name.
///
/// # Errors
/// Those of `out`.
pub fn write_header(out: &mut impl Write, want: Want, attributes: &[Attribute]) -> io::Result<()> {
    let mut names: Vec<String> =
        HEADER.iter().chain(&["x", "y", "z"]).map(|&name| name.into()).collect();
    for derivative in &DERIVATIVES[..wanted_orders(want).len() - 1] {
        names.extend(["x", "y", "z"].map(|axis| format!("{axis}{derivative}")));
    }
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

/// Writes one row a location with 17 significant digits; `nan` where a derivative
/// does not exist.
///
/// # Errors
/// Those of `out`.
pub fn write_rows(
    out: &mut impl Write,
    solid: &Solid,
    locations: &[Location],
    limit: &Limit,
    attributes: &[Attribute],
) -> io::Result<()> {
    let row = |text: &mut Vec<u8>, i: usize| -> io::Result<()> {
        let location = &locations[i];
        write!(text, "{}", solid.elements()[location.element as usize].cell)?;
        location.parameters.iter().try_for_each(|&x| write_number(text, x))?;
        for triples in std::iter::once(&limit.positions).chain(&limit.derivatives) {
            triples.triple(i).iter().try_for_each(|&x| write_number(text, x))?;
        }
        for (attribute, values) in attributes.iter().zip(&limit.attributes) {
            let width = attribute.width;
            (0..width).try_for_each(|c| write_number(text, values.get(i * width + c)))?;
        }
        text.push(b'\n');
        Ok(())
    };
    let tasks: Vec<usize> = (0..locations.len()).step_by(ROWS).collect();
    let texts = tasks
        .into_par_iter()
        .map(|start| {
            let mut text = Vec::new();
            let end = locations.len().min(start + ROWS);
            (start..end).try_for_each(|i| row(&mut text, i)).map(|()| text)
        })
        .collect::<io::Result<Vec<_>>>()?;
    texts.iter().try_for_each(|text| out.write_all(text))
}

fn write_number(text: &mut Vec<u8>, x: f64) -> io::Result<()> {
    if x.is_nan() { text.write_all(b",nan") } else { write!(text, ",{x:.16e}") }
}
