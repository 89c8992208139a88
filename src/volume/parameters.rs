//! Tables of scattered parameters: CSV with the header `cell,u,v,w`, read and
//! answered block by block, so that any number of rows fits.

use std::io::{self, Write};
use std::path::Path;

use rayon::prelude::*;

use crate::backend::Limit;
use crate::error::Result;
use crate::io::{Row, TableForm, TableReader, column_names, write_table_header};
use crate::limit::Solid;
use crate::mesh::Attribute;
use crate::plan::{Location, Wanted};

use super::arrays::DERIVATIVES;

const FORM: TableForm = TableForm {
    header: &["cell", "u", "v", "w"],
    row: "a row is a cell (its index in the file, from 0) and u, v, w",
};
const ROWS: usize = 4096; // a task of formatting

/// No element: the cell is no hexahedron.
const NONE: u32 = u32::MAX;

/// A parameter table being read.
#[derive(Debug)]
pub struct ParameterTable {
    table: TableReader,
    // element of each hexahedral cell
    elements: Vec<u32>,
}

impl ParameterTable {
    /// Opens a table for `solid` and checks its header.
    ///
    /// # Errors
    /// If the file cannot be read or its header is another.
    pub fn open(path: impl AsRef<Path>, solid: &Solid) -> Result<Self> {
        let mut elements = vec![NONE; solid.topology().cell_count()];
        for (i, element) in solid.elements().iter().enumerate() {
            if element.corner.is_none() {
                elements[element.cell as usize] = i as u32;
            }
        }
        Ok(Self { table: TableReader::open(path, FORM)?, elements })
    }

    /// The next rows, at most `most`; none at the end of the table.
    ///
    /// # Errors
    /// [`Error::File`](crate::Error::File) with the line of a row that is no cell and three numbers, or
    /// names a cell that does not exist or is no hexahedron, or parameters outside
    /// [0, 1].
    pub fn read(&mut self, most: usize) -> Result<Vec<Location>> {
        let elements = &self.elements;
        self.table.read(most, |row| location(row, elements))
    }
}

fn location(row: &Row<'_>, elements: &[u32]) -> Result<Location> {
    let cell: u32 = row.text(0).parse().map_err(|_| row.unexpected(0, "cell"))?;
    let element = *elements.get(cell as usize).ok_or_else(|| {
        let count = elements.len();
        row.error(format!("cell {cell} does not exist, the mesh has {count} cells"))
            .with_help("count cells from 0, in the order of the file")
    })?;
    if element == NONE {
        return Err(row
            .error(format!("cell {cell} is no hexahedron: it evaluates on its hexahedral children"))
            .with_help("refine with --levels 1 and name the children, in the order of `refine`"));
    }
    let mut parameters = [0.0; 3];
    for (d, name) in FORM.header[1..].iter().enumerate() {
        let value: f64 = row.text(d + 1).parse().map_err(|_| row.unexpected(d + 1, name))?;
        if !(0.0..=1.0).contains(&value) {
            return Err(row
                .error(format!("{name} = {} is outside [0, 1]", row.text(d + 1)))
                .with_help("parameters run from 0 to 1 within each cell"));
        }
        parameters[d] = value;
    }
    Ok(Location { element, parameters })
}

/// Writes the header of the answer to a table, which has the columns of `limit` (see
/// [`Limit::of`]): `cell,u,v,w,x,y,z`, derivatives (`xu,yu,zu,xv`…), attributes by name, their
/// derivatives (`d_u_NAME`…), and quantities by their [columns](crate::plan::Quantity::columns).
///
/// # Errors
/// Those of `out`.
pub fn write_header(
    out: &mut impl Write,
    limit: &Limit,
    attributes: &[Attribute],
) -> io::Result<()> {
    let mut names: Vec<String> =
        FORM.header.iter().chain(&["x", "y", "z"]).map(|&name| name.into()).collect();
    for derivative in &DERIVATIVES[..limit.derivatives.len()] {
        names.extend(["x", "y", "z"].map(|axis| format!("{axis}{derivative}")));
    }
    names.extend(attributes.iter().flat_map(column_names));
    for (attribute, all) in attributes.iter().zip(&limit.attribute_derivatives) {
        for derivative in &DERIVATIVES[..all.len()] {
            let columns = column_names(attribute).into_iter();
            names.extend(columns.map(|name| format!("d_{derivative}_{name}")));
        }
    }
    for Wanted { quantity, attribute, .. } in limit.quantities.iter().map(|d| d.wanted) {
        let attribute = attribute.map(|a| (&attributes[a].name[..], attributes[a].width));
        names.extend(quantity.columns(attribute));
    }
    write_table_header(out, names, &[])
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
        let of_attributes = attributes.iter().zip(&limit.attributes);
        let derivatives = attributes.iter().zip(&limit.attribute_derivatives);
        let derivatives = derivatives.flat_map(|(a, all)| all.iter().map(move |v| (a.width, v)));
        let derived = limit.quantities.iter().map(|d| (d.wanted.width, &d.values));
        let all = of_attributes.map(|(a, values)| (a.width, values)).chain(derivatives);
        for (width, values) in all.chain(derived) {
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
