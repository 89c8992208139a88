//! Tables of scattered parameters: CSV with the header `cell,u,v,w`, or `cell,corner,u,v,w` where
//! cells are not hexahedra, read and answered block by block, so that any number of rows fits.

use std::io::{self, Write};
use std::path::Path;

use rayon::prelude::*;

use crate::backend::Limit;
use crate::error::IdKind::Cell;
use crate::error::Result;
use crate::interrupt::stop_point;
use crate::io::{
    TableForm, TableReader, TableRow, add_attribute_columns, check_columns, column_names,
};
use crate::limit::Solid;
use crate::mesh::Attribute;
use crate::numbers::counted;
use crate::plan::{Location, WantedQuantity};

use super::arrays::DERIVATIVES;

const FORM: TableForm = TableForm {
    header: &["cell", "u", "v", "w"],
    row: "a row is a cell (its index in the file, from 0) and u, v, w",
};
const CORNER_FORM: TableForm = TableForm {
    header: &["cell", "corner", "u", "v", "w"],
    row: "a row is a cell (its index in the file, from 0), one of its corners (from 0; none or -1 of \
          hexahedra) and u, v, w",
};
const ROWS: usize = 4096; // a task of formatting

/// A parameter table being read.
#[derive(Debug)]
pub struct ParameterTable {
    table: TableReader,
}

impl ParameterTable {
    /// Opens a table, standard input where the path is `-`, and checks its header.
    ///
    /// # Errors
    /// If the file cannot be read or its header is another.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Ok(Self { table: TableReader::open_any(path, &[FORM, CORNER_FORM])? })
    }

    /// Name of the file.
    pub fn path(&self) -> &Path {
        self.table.path()
    }

    /// Whether its rows name corners: the header is `cell,corner,u,v,w`.
    pub fn has_corners(&self) -> bool {
        self.table.form().header.len() == CORNER_FORM.header.len()
    }

    /// Names of the columns that are not read.
    pub fn ignored(&self) -> Vec<&str> {
        self.table.ignored()
    }

    /// The next rows, at most `most`, as places of a solid; none at the end of the table.
    ///
    /// # Errors
    /// [`Error::File`](crate::Error::File) with the line of a row that is not a cell and three
    /// numbers, or names a cell or corner that does not exist, or none of a cell that is not a
    /// hexahedron, or parameters outside [0, 1].
    pub fn read(&mut self, solid: &Solid, most: usize) -> Result<Vec<Location>> {
        let has_corners = self.has_corners();
        self.table.read(most, |row| {
            let element = element(row, solid, has_corners)?;
            let parameters = parameters(row, if has_corners { 2 } else { 1 })?;
            Ok(Location { element, parameters })
        })
    }
}

fn element(row: &TableRow<'_>, solid: &Solid, has_corners: bool) -> Result<u32> {
    // in the order of cells and corners
    let (elements, cells) = (solid.elements(), solid.topology().cell_count());
    let cell: u32 = row.text(0).parse().map_err(|_| row.unexpected(0, "cell"))?;
    if cell as usize >= cells {
        return Err(row
            .error(message!(
                Cell.id(cell),
                " does not exist, the mesh has ",
                counted(cells, "cell")
            ))
            .with_help("count cells from 0, in the order of the file"));
    }
    let corner = if has_corners && !matches!(row.text(1), "" | "-1") {
        Some(row.text(1).parse::<u8>().map_err(|_| row.unexpected(1, "corner"))?)
    } else {
        None
    };
    if let Ok(element) = elements.binary_search_by_key(&(cell, corner), |e| (e.cell, e.corner)) {
        return Ok(element as u32);
    }
    let corners = elements.iter().filter(|e| e.cell == cell && e.corner.is_some()).count();
    Err(match corner {
        Some(corner) if corners == 0 => row
            .error(message!("corner {corner} of ", Cell.id(cell), ", which is a hexahedron"))
            .with_help("leave the corner empty: hexahedra evaluate as a whole"),
        Some(corner) => row
            .error(message!(Cell.id(cell), " has no corner {corner}"))
            .with_help(format!("count its {corners} corners from 0, in the order of the file")),
        None => row
            .error(message!(
                Cell.id(cell),
                " is not a hexahedron: it is evaluated on the hexahedra at its corners"
            ))
            .with_help(if has_corners {
                "name one of its corners, counted from 0, in the column `corner`"
            } else {
                "name the corner: begin the table with `cell,corner,u,v,w`"
            }),
    })
}

/// u, v and w from a column on.
fn parameters(row: &TableRow<'_>, first: usize) -> Result<[f64; 3]> {
    let mut parameters = [0.0; 3];
    for (d, name) in FORM.header[1..].iter().enumerate() {
        let at = first + d;
        let value: f64 = row.text(at).parse().map_err(|_| row.unexpected(at, name))?;
        if !(0.0..=1.0).contains(&value) {
            return Err(row
                .error(format!("{name} = {} is outside [0, 1]", row.text(at)))
                .with_help("parameters run from 0 to 1 within each cell"));
        }
        parameters[d] = value;
    }
    Ok(parameters)
}

/// Names of the columns of the answer to a table, which has the columns of `limit` (see
/// [`Limit::of`]): `cell,u,v,w,x,y,z`, with `corner` after `cell` if it has corners, derivatives
/// (`xu,yu,zu,xv`…), attributes by name, their derivatives (`d_u_NAME`…), and quantities by their
/// [columns](crate::plan::Quantity::columns). An attribute that has the name of another column is
/// `attribute:NAME`.
///
/// # Errors
/// [`Error::Request`](crate::Error::Request) if two would have the same name.
pub fn columns(has_corners: bool, limit: &Limit, attributes: &[Attribute]) -> Result<Vec<String>> {
    let form = if has_corners { CORNER_FORM } else { FORM };
    let mut names: Vec<String> =
        form.header.iter().chain(&["x", "y", "z"]).map(|&name| name.into()).collect();
    for derivative in &DERIVATIVES[..limit.derivatives.len()] {
        names.extend(["x", "y", "z"].map(|axis| format!("{axis}{derivative}")));
    }
    let mut results = Vec::new();
    for (attribute, all) in attributes.iter().zip(&limit.attribute_derivatives) {
        for derivative in &DERIVATIVES[..all.len()] {
            let columns = column_names(&attribute.name, attribute.width).into_iter();
            results.extend(columns.map(|name| format!("d_{derivative}_{name}")));
        }
    }
    for WantedQuantity { quantity, attribute, .. } in limit.quantities.iter().map(|d| d.wanted) {
        let attribute = attribute.map(|a| attributes[a].name_and_width());
        results.extend(quantity.columns(attribute));
    }
    let reserved: Vec<&str> = results.iter().map(String::as_str).chain(["corner"]).collect();
    let attributes = attributes.iter().map(Attribute::name_and_width);
    add_attribute_columns(&mut names, &reserved, attributes)?;
    names.extend(results);
    check_columns(&names)?;
    Ok(names)
}

/// Writes one row a location with 17 significant digits; `nan` where a derivative
/// does not exist. `has_corners`: as in [`columns`].
///
/// # Errors
/// The error of `out`.
pub fn write_rows(
    out: &mut impl Write,
    solid: &Solid,
    has_corners: bool,
    locations: &[Location],
    limit: &Limit,
    attributes: &[Attribute],
) -> io::Result<()> {
    let row = |text: &mut Vec<u8>, i: usize| -> io::Result<()> {
        let location = &locations[i];
        let element = solid.elements()[location.element as usize];
        write!(text, "{}", element.cell)?;
        if has_corners {
            let corner = element.corner.map(|corner| corner.to_string()).unwrap_or_default();
            write!(text, ",{corner}")?;
        }
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
            stop_point();
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
