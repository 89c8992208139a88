//! The arrays of a legacy `.vtk` file: point, cell and field data.

use crate::error::Result;
use crate::mesh::Attribute;

use super::legacy::{ArrayTarget, LegacyReader};
use super::push_point_array;
use super::values::Scalar;
use crate::io::read::lines::shown;
use crate::numbers::counted;

impl LegacyReader<'_> {
    /// Reads the section that begins with `keyword`, the word read last.
    pub fn arrays(&mut self, keyword: &[u8], target: ArrayTarget) -> Result<()> {
        let keyword_text = std::str::from_utf8(keyword).unwrap_or_default().to_ascii_uppercase();
        let (tuples, points) = match target {
            ArrayTarget::Points(count) => (count, self.assembly.points()),
            ArrayTarget::Cells(count) => (count, count),
            ArrayTarget::Model => (0, 0),
        };
        if tuples != points {
            return Err(self
                .text
                .error(format!(
                    "point data for {}, the file has {points}",
                    counted(tuples, "point")
                ))
                .with_help("give every point a value"));
        }
        if let Some(width) = fixed_width(keyword_text.as_bytes()) {
            return self.attribute(width, tuples, target);
        }
        match keyword_text.as_str() {
            "SCALARS" => {
                let line = self.text.line();
                let words = self.text.next_line().unwrap_or_default();
                let words = std::str::from_utf8(words).unwrap_or_default();
                let mut words = words.split_ascii_whitespace();
                let (Some(name), Some(scalar)) = (words.next(), words.next()) else {
                    return Err(self
                        .text
                        .error("SCALARS without a name and a type")
                        .with_help("write `SCALARS name type components`"));
                };
                let width = words.next().map_or(Ok(1), |word| self.count(word))?;
                if self.text.accept("LOOKUP_TABLE") {
                    self.text.next_line();
                }
                self.array(name, scalar, width, tuples, target, line)
            }
            "TEXTURE_COORDINATES" => {
                let line = self.text.line();
                let [name, width, scalar] = self.header("name, dimension and type")?;
                let width = self.count(width)?;
                self.array(name, scalar, width, tuples, target, line)
            }
            "COLOR_SCALARS" => {
                let line = self.text.line();
                let [name, width] = self.header("name and components")?;
                let width = self.count(width)?;
                // bytes, as text numbers from 0 to 1
                let scalar = if self.is_binary() { "unsigned_char" } else { "float" };
                self.array(name, scalar, width, tuples, target, line)
            }
            "LOOKUP_TABLE" => {
                let [name, size] = self.header("name and size")?;
                let size = self.count(size)?;
                self.reals(Scalar::U8, size.saturating_mul(4), "a color")?;
                self.assembly.skip(&format!("lookup table `{}`", shown(name.as_bytes())));
                Ok(())
            }
            "FIELD" => self.field(target),
            "METADATA" => {
                self.skip_metadata();
                Ok(())
            }
            _ => {
                let help = "a count does not match its list, or the section is not VTK's";
                Err(self.text.unexpected(keyword, "a keyword", help))
            }
        }
    }

    /// Reads the arrays of a field; the word FIELD has been read.
    pub fn field(&mut self, target: ArrayTarget) -> Result<()> {
        let [_, count] = self.header("name and number of arrays")?;
        for _ in 0..self.count(count)? {
            while self.text.accept("METADATA") {
                self.skip_metadata();
            }
            let name = String::from_utf8_lossy(self.text.required("an array name")?);
            let line = self.text.line();
            let [width, tuples, scalar] = self.header("components, tuples and type")?;
            let (width, tuples) = (self.count(width)?, self.count(tuples)?);
            self.array(&name, scalar, width, tuples, target, line)?;
        }
        Ok(())
    }

    /// Reads `name type` and the values of an attribute of fixed width.
    fn attribute(&mut self, width: usize, tuples: usize, target: ArrayTarget) -> Result<()> {
        let line = self.text.line();
        let [name, scalar] = self.header("name and type")?;
        self.array(name, scalar, width, tuples, target, line)
    }

    fn array(
        &mut self,
        name: &str,
        scalar: &str,
        width: usize,
        tuples: usize,
        target: ArrayTarget,
        line: usize,
    ) -> Result<()> {
        let name = decoded(name);
        let count = width.saturating_mul(tuples);
        self.width = width;
        match scalar.to_ascii_lowercase().as_str() {
            "bit" if self.is_binary() => {
                self.text.take(count.div_ceil(8), "bits")?;
                self.assembly.skip(&format!("bit array `{name}`"));
                return Ok(());
            }
            "bit" => {}
            "string" => {
                for _ in 0..count {
                    self.skip_string()?;
                }
                self.assembly.skip(&format!("string array `{name}`"));
                return Ok(());
            }
            _ => {}
        }
        let scalar = if scalar.eq_ignore_ascii_case("bit") { "char" } else { scalar };
        let scalar = self.scalar(scalar)?;
        let values = self.reals(scalar, count, "a value")?;
        let attribute = Attribute { name, width, values };
        match target {
            ArrayTarget::Points(_) => {
                let of_integers = scalar.is_integer();
                push_point_array(&mut self.assembly, attribute, of_integers, 0, Some(line))
            }
            ArrayTarget::Model => self.assembly.push_field(attribute, Some(line)),
            ArrayTarget::Cells(_) => {
                self.cell_arrays.push((attribute, scalar.is_integer(), line));
                Ok(())
            }
        }
    }

    /// Passes over a string: a line, or in binary files bytes behind their
    /// number. The first two bits of that number tell its size, 8 to 1 bytes.
    fn skip_string(&mut self) -> Result<()> {
        if !self.is_binary() {
            return self.text.next_line().map(|_| ()).ok_or_else(|| self.text.ended("a string"));
        }
        let first = self.text.take(1, "a string")?[0];
        let more = (8 >> (first >> 6)) - 1;
        let length = self.text.take(more, "a string")?;
        let length =
            length.iter().fold(usize::from(first & 0x3f), |n, &byte| n << 8 | usize::from(byte));
        self.text.take(length, "a string").map(|_| ())
    }

    /// Passes over the METADATA block of an array, which ends with an empty line. Lines of names of
    /// components may be empty, too.
    fn skip_metadata(&mut self) {
        self.text.next_line();
        while let Some(line) = self.text.next_line().filter(|line| !line.is_empty()) {
            if line.eq_ignore_ascii_case(b"COMPONENT_NAMES") {
                (0..self.width).take_while(|_| self.text.next_line().is_some()).for_each(drop);
            }
        }
    }
}

/// Components of the arrays of a keyword, in capitals, behind which only their name and type stand.
pub(super) fn fixed_width(keyword: &[u8]) -> Option<usize> {
    match keyword {
        b"VECTORS" | b"NORMALS" => Some(3),
        b"TENSORS" => Some(9),
        b"TENSORS6" => Some(6),
        b"GLOBAL_IDS" | b"PEDIGREE_IDS" | b"EDGE_FLAGS" => Some(1),
        _ => None,
    }
}

/// A name with VTK's percent codes resolved (`%20` is a blank).
pub(super) fn decoded(name: &str) -> String {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let Some((&byte, others)) = rest.split_first() {
        let code = others.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(value) if byte == b'%' => {
                bytes.push(value);
                rest = &others[2..];
            }
            _ => {
                bytes.push(byte);
                rest = others;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
