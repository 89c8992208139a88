//! Tables of points: CSV with the header `x,y,z`, read and answered block by block,
//! so that any number of rows fits.

use std::io::{self, Write};
use std::path::Path;

use super::Place;
use crate::backend::Values;
use crate::error::Result;
use crate::io::{TableForm, TableReader, add_attribute_columns};
use crate::limit::Solid;
use crate::mesh::{Attribute, check_coordinates};
use crate::numbers::Precision;

const FORM: TableForm =
    TableForm { header: &["x", "y", "z"], row: "a row is x, y, z in the length unit of the model" };

/// A table of points being read.
#[derive(Debug)]
pub struct PointTable {
    table: TableReader,
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
    /// Opens a table, standard input where the path is `-`, and checks its header.
    ///
    /// # Errors
    /// If the file cannot be read or its header is another.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Ok(Self { table: TableReader::open(path, FORM)? })
    }

    /// Names of the columns that are not read.
    pub fn ignored(&self) -> Vec<&str> {
        self.table.ignored()
    }

    /// The next rows, at most `most`; none at the end of the table.
    ///
    /// # Errors
    /// [`Error::File`](crate::Error::File) with the line of a row that is not three finite numbers.
    pub fn read(&mut self, most: usize) -> Result<Vec<[f64; 3]>> {
        self.table.read(most, |row| {
            let mut point = [0.0; 3];
            for (d, name) in FORM.header.iter().enumerate() {
                let value = row.text(d).parse::<f64>().ok().filter(|x| x.is_finite());
                point[d] =
                    value.ok_or_else(|| row.unexpected(d, &format!("{name}: finite number")))?;
            }
            check_coordinates(&[point], Precision::F64).map_err(|_| {
                let largest = point[1].abs() > point[0].abs();
                let d = if point[2].abs() > point[usize::from(largest)].abs() {
                    2
                } else {
                    largest.into()
                };
                row.unexpected(d, &format!("{}: number up to 1e70", FORM.header[d]))
            })?;
            Ok(point)
        })
    }
}

/// Names of the columns of the answer to a table: `x,y,z,status,cell,u,v,w,distance`, with
/// `corner` after `cell` if the solid has cells that are not hexahedra, then attributes
/// by name, components numbered from 0; `attribute:NAME` where a column has the name.
///
/// # Errors
/// [`Error::Request`](crate::Error::Request) if two would have the same name.
pub fn columns(solid: &Solid, attributes: &[Attribute]) -> Result<Vec<String>> {
    let mut names: Vec<String> =
        FORM.header.iter().chain(&["status", "cell"]).map(|&n| n.into()).collect();
    if solid.has_corners() {
        names.push("corner".into());
    }
    names.extend(["u", "v", "w", "distance"].map(String::from));
    add_attribute_columns(
        &mut names,
        &["corner"],
        attributes.iter().map(Attribute::name_and_width),
    )?;
    Ok(names)
}

/// Writes one row an answer, numbers with 17 significant digits. `values`: the
/// attributes at the places, each `[answer][width]`.
///
/// # Errors
/// The error of `out`.
pub fn write_rows(
    out: &mut impl Write,
    solid: &Solid,
    answers: &[Answer],
    attributes: &[Attribute],
    values: &[Values],
) -> io::Result<()> {
    let with_corners = solid.has_corners();
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
