//! The lists of vertices of a legacy `.vtk` file: its cells, or the polygons of a surface.

use crate::error::{Error, Result};

use super::legacy::{LegacyReader, VertexLists};
use super::values::Scalar;
use crate::numbers::counted;

impl LegacyReader<'_> {
    /// Reads the lists of a section; its keyword has been read.
    pub fn lists(&mut self, section: &str) -> Result<VertexLists> {
        let what = "the number of cells and the size of their list";
        let mut ahead = self.text;
        let line = ahead.next_line().unwrap_or_default();
        let words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count();
        let [count, size] = if words > 2 && !self.is_binary() {
            // the list begins on the same line
            [self.text.count(what)?, self.text.count(what)?]
        } else {
            let [count, size] = self.header(what)?;
            [self.count(count)?, self.count(size)?]
        };
        let mut lists = VertexLists { line: self.text.line(), ..VertexLists::default() };
        if self.text.accept("OFFSETS") {
            (lists.ends, lists.corners) = self.offsets_and_connectivity(count, size)?;
        } else if self.is_binary() {
            let list = self.integers(Scalar::I32, size, "the cells")?;
            (lists.ends, lists.corners) = self.split(&list, count, section)?;
        } else {
            lists.corners.reserve(self.text.room(size, 2));
            lists.ends.reserve(self.text.room(count, 2));
            lists.lines.reserve(self.text.room(count, 2));
            for _ in 0..count {
                let width = self.text.count("the vertex count of a cell")?;
                lists.lines.push(self.text.line());
                for _ in 0..width {
                    lists.corners.push(self.text.integer("a vertex")?);
                }
                lists.ends.push(lists.corners.len() as i64);
            }
            if count + lists.corners.len() != size {
                let has = counted(count + lists.corners.len(), "number");
                return Err(
                    self.unfit_size(&format!("the list has {has}, {size} are claimed"), section)
                );
            }
        }
        Ok(lists)
    }

    /// Version 5 keeps `count` offsets (one more than cells) apart from the corners.
    fn offsets_and_connectivity(
        &mut self,
        count: usize,
        size: usize,
    ) -> Result<(Vec<i64>, Vec<i64>)> {
        let [scalar] = self.header("the type of the offsets")?;
        let scalar = self.scalar(scalar)?;
        let mut offsets = self.integers(scalar, count, "a cell offset")?;
        if !self.text.accept("CONNECTIVITY") {
            return Err(self
                .text
                .error("CONNECTIVITY is expected behind the cell offsets")
                .with_help("the count of offsets does not match their list"));
        }
        let [scalar] = self.header("the type of the connectivity")?;
        let scalar = self.scalar(scalar)?;
        let corners = self.integers(scalar, size, "a vertex")?;
        if !offsets.is_empty() && offsets.remove(0) != 0 {
            return Err(self
                .text
                .error("the first cell offset is not 0")
                .with_help("the file is malformed; export it again"));
        }
        Ok((offsets, corners))
    }

    /// Splits a list of vertex counts, each followed by its vertices, into ends and vertices.
    fn split(&self, list: &[i64], count: usize, section: &str) -> Result<(Vec<i64>, Vec<i64>)> {
        let mut corners = Vec::with_capacity(list.len());
        let mut ends = Vec::with_capacity(count.min(list.len()));
        let mut rest = list;
        for cell in 0..count {
            let parts = rest
                .split_first()
                .and_then(|(&width, others)| others.split_at_checked(usize::try_from(width).ok()?));
            let Some((vertices, others)) = parts else {
                let message = format!("the cell list ends within the cell with index {cell}");
                return Err(self.unfit_size(&message, section));
            };
            corners.extend_from_slice(vertices);
            ends.push(corners.len() as i64);
            rest = others;
        }
        if !rest.is_empty() {
            let message =
                format!("{} after the last cell of the list", counted(rest.len(), "number"));
            return Err(self.unfit_size(&message, section));
        }
        Ok((ends, corners))
    }

    /// The error of a list of another size than its header says.
    fn unfit_size(&self, message: &str, section: &str) -> Error {
        let help = format!("the counts behind {section} do not match the list: export it again");
        self.text.error(message).with_help(help)
    }
}
