//! VTK XML polygonal data (`.vtp`) of closed polylines: any amount of them, as they come.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use super::xml;
use crate::error::{Error, Result};
use crate::io::atomic;
use crate::io::dataset::check_array_names;

/// Writes closed polylines with arrays of doubles, piece by piece, into one `.vtp`.
///
/// Arrays gather in nameless files beside; [`PolylineWriter::finish`] puts them
/// together. Dropped before, it leaves nothing. Memory does not grow with the file.
#[derive(Debug)]
pub struct PolylineWriter {
    path: PathBuf,
    points: u64,
    lines: u64,
    ids: u64,
    /// Points, connectivity, offsets, then the point arrays, then the cell arrays.
    sections: Vec<SpooledArray>,
    point_arrays: usize,
}

/// Polylines that are written together.
#[derive(Clone, Debug, Default)]
pub struct PolylinePiece {
    /// Points of all lines, one line after the other; the last of a line is joined to
    /// its first.
    pub points: Vec<[f64; 3]>,
    /// Number of points of every line.
    pub sizes: Vec<usize>,
    /// Values at the points, one list for each of the point arrays: `[point][width]`.
    pub point_values: Vec<Vec<f64>>,
    /// Values of the lines, one list for each of the cell arrays: `[line]`.
    pub line_values: Vec<Vec<f64>>,
}

/// An array on its way into the file.
#[derive(Debug)]
struct SpooledArray {
    attributes: String,
    width: usize,
    file: BufWriter<File>,
    bytes: u64,
}

impl PolylineWriter {
    /// Starts the file `path` with point arrays of given names and widths and cell
    /// arrays of width 1.
    ///
    /// # Errors
    /// [`Error::Request`] for a name of control characters, an empty one, and two that are equal;
    /// [`Error::Io`] if it cannot be written.
    pub fn create(
        path: impl AsRef<Path>,
        point_arrays: &[(&str, usize)],
        cell_arrays: &[&str],
    ) -> Result<Self> {
        let path = path.as_ref().to_owned();
        atomic::check(&path)?;
        check_array_names("point", point_arrays.iter().map(|(name, _)| *name))?;
        check_array_names("cell", cell_arrays.iter().copied())?;
        let section = |kind: &str, name: &str, width: usize| {
            let name = xml::escape(name);
            let attributes =
                format!("type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{width}\"");
            let file = BufWriter::new(atomic::unnamed(&path)?);
            Ok(SpooledArray { attributes, width, file, bytes: 0 })
        };
        let mut sections = vec![
            section("Float64", "Points", 3)?,
            section("Int64", "connectivity", 1)?,
            section("Int64", "offsets", 1)?,
        ];
        for (name, width) in point_arrays {
            sections.push(section("Float64", name, *width)?);
        }
        for name in cell_arrays {
            sections.push(section("Float64", name, 1)?);
        }
        let point_arrays = point_arrays.len();
        Ok(Self { path, points: 0, lines: 0, ids: 0, sections, point_arrays })
    }

    /// Appends polylines.
    ///
    /// # Errors
    /// [`Error::Request`] if the lists do not fit each other; [`Error::Io`] if they
    /// cannot be written.
    pub fn push(&mut self, piece: &PolylinePiece) -> Result<()> {
        self.check(piece)?;
        let mut ids = Vec::with_capacity(piece.points.len() + piece.sizes.len());
        let mut ends = Vec::with_capacity(piece.sizes.len());
        for &size in piece.sizes.iter() {
            let first = self.points as i64;
            ids.extend((0..size as i64).map(|i| first + i));
            ids.extend((size > 0).then_some(first)); // closed
            self.points += size as u64;
            ends.push(self.ids as i64 + ids.len() as i64);
        }
        self.ids += ids.len() as u64;
        self.lines += piece.sizes.len() as u64;
        let fixed: [&[u8]; 3] = [
            bytemuck::cast_slice(&piece.points),
            bytemuck::cast_slice(&ids),
            bytemuck::cast_slice(&ends),
        ];
        let values = piece.point_values.iter().chain(&piece.line_values);
        let values = values.map(|values| bytemuck::cast_slice(values));
        for (section, bytes) in self.sections.iter_mut().zip(fixed.into_iter().chain(values)) {
            section.file.write_all(bytes).map_err(|e| atomic::refused(&self.path, e))?;
            section.bytes += bytes.len() as u64;
        }
        Ok(())
    }

    fn check(&self, piece: &PolylinePiece) -> Result<()> {
        let (of_points, of_lines) = self.sections[3..].split_at(self.point_arrays);
        let fit = |sections: &[SpooledArray], values: &[Vec<f64>], entries: usize| {
            let lengths = values.iter().map(Vec::len);
            sections.len() == values.len()
                && sections.iter().zip(lengths).all(|(s, len)| len == entries * s.width)
        };
        let points = piece.points.len();
        if piece.sizes.iter().sum::<usize>() == points
            && fit(of_points, &piece.point_values, points)
            && fit(of_lines, &piece.line_values, piece.sizes.len())
        {
            Ok(())
        } else {
            Err(Error::request(format!(
                "polylines of {points} points have arrays of other lengths or another number"
            ))
            .with_help("give every array a value of its width for each point or line"))
        }
    }

    /// Puts the file together; it appears under its name.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be written.
    pub fn finish(&mut self) -> Result<()> {
        let path = self.path.clone();
        let refused = |e| atomic::refused(&path, e);
        let head = self.head();
        atomic::write(&path, |out| {
            out.write_all(head.as_bytes()).map_err(refused)?;
            for section in &mut self.sections {
                append(out, section).map_err(refused)?;
            }
            out.write_all(b"\n  </AppendedData>\n</VTKFile>\n").map_err(refused)
        })
    }

    /// Everything before the appended data.
    fn head(&self) -> String {
        let mut head = xml::open_file("PolyData", xml::Version::Linear, false);
        let (points, lines) = (self.points, self.lines);
        let _ = write!(
            head,
            "  <PolyData>\n    <Piece NumberOfPoints=\"{points}\" NumberOfVerts=\"0\" \
             NumberOfLines=\"{lines}\" NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n"
        );
        let arrays = 3..3 + self.point_arrays;
        let groups = [
            ("PointData", arrays.clone()),
            ("CellData", arrays.end..self.sections.len()),
            ("Points", 0..1),
            ("Lines", 1..3),
        ];
        for (element, sections) in groups {
            let _ = writeln!(head, "      <{element}>");
            for s in sections {
                let offset: u64 = self.sections[..s].iter().map(|before| 8 + before.bytes).sum();
                let attributes = &self.sections[s].attributes;
                let _ = writeln!(
                    head,
                    "        <DataArray {attributes} format=\"appended\" offset=\"{offset}\"/>"
                );
            }
            let _ = writeln!(head, "      </{element}>");
        }
        head += "    </Piece>\n  </PolyData>\n  <AppendedData encoding=\"raw\">\n   _";
        head
    }
}

fn append(out: &mut impl Write, section: &mut SpooledArray) -> io::Result<()> {
    out.write_all(&section.bytes.to_ne_bytes())?;
    section.file.rewind()?; // flushes
    io::copy(section.file.get_mut(), out).map(drop)
}
