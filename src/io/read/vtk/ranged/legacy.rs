//! The arrays of a legacy `.vtk` file of an unstructured grid, ASCII or binary.

use super::super::legacy_arrays::{decoded, fixed_width};
use super::super::outline::ArraySection;
use super::super::values::Scalar;
use super::columns::{Column, Contents, StoredArray};
use super::scan::{FileScan, ScannedRows, ScannedWords};
use crate::io::read::lines::integer;

/// The contents of a file; unusual sections are left to the reader of whole files.
pub(super) fn contents(scan: FileScan) -> Option<Contents> {
    let mut file = LegacyScan::open(scan)?;
    loop {
        match &file.scan.word()?.to_ascii_uppercase()[..] {
            b"" => return file.finish(),
            b"POINTS" if file.points.is_none() => {
                let [count, scalar] = file.header()?;
                let count = number(&count)?;
                file.points = Some(count);
                file.column(ArraySection::Points, "", 3, count, &scalar)?;
            }
            b"CELLS" if file.cells.is_none() => file.cells()?,
            b"CELL_TYPES" if file.types.is_none() => {
                let [count] = file.header()?;
                let count = number(&count)?;
                file.types = Some(count);
                file.column(ArraySection::Cells, "types", 1, count, "int")?;
            }
            b"POINT_DATA" => {
                let [count] = file.header()?;
                file.tuples = number(&count).filter(|count| file.points == Some(*count))?;
                file.section = ArraySection::PointData;
            }
            b"CELL_DATA" => {
                let [count] = file.header()?;
                (file.section, file.tuples) = (ArraySection::CellData, number(&count)?);
            }
            keyword => file.arrays(keyword)?,
        }
    }
}

struct LegacyScan {
    scan: FileScan,
    binary: bool,
    columns: Vec<Column>,
    rows: Option<ScannedRows>,
    points: Option<usize>,
    cells: Option<usize>,
    types: Option<usize>,
    // of the arrays at hand, and their tuples
    section: ArraySection,
    tuples: usize,
}

impl LegacyScan {
    /// A file up to the kind of its data set.
    fn open(mut scan: FileScan) -> Option<Self> {
        let header = std::iter::from_fn(|| scan.line()).find(|line| !line.is_empty())?;
        let is_legacy = header.to_ascii_lowercase().starts_with(b"# vtk datafile");
        let title = scan.line();
        let encoding = scan.word()?.to_ascii_uppercase();
        let (binary, is_text) = (encoding == b"BINARY", encoding == b"ASCII");
        if !is_legacy || title.is_none() || !(binary || is_text) {
            return None;
        }
        let mut file = Self {
            scan,
            binary,
            columns: Vec::new(),
            rows: None,
            points: None,
            cells: None,
            types: None,
            section: ArraySection::Field,
            tuples: 0,
        };
        while file.scan.accept("FIELD")? {
            file.field()?;
        }
        let is_grid = file.scan.accept("DATASET")? && file.scan.accept("UNSTRUCTURED_GRID")?;
        is_grid.then_some(file)
    }

    fn finish(self) -> Option<Contents> {
        let (points, cells) = (self.points?, self.cells?);
        (self.types == Some(cells)).then_some(Contents {
            columns: self.columns,
            rows: self.rows,
            has_faces_in_cells: true,
            cells,
            points,
        })
    }

    fn cells(&mut self) -> Option<()> {
        let [count, size] = self.header()?;
        let (count, size) = (number(&count)?, number(&size)?);
        if !self.scan.accept("OFFSETS")? {
            let rows = ScannedRows::scan(&mut self.scan, self.binary, size)?;
            self.cells = Some(rows.len()).filter(|&rows| rows == count);
            self.rows = Some(rows);
            return self.cells.map(|_| ());
        }
        // one more than there are cells, from 0 on
        self.cells = Some(count.checked_sub(1)?);
        let [scalar] = self.header()?;
        self.column(ArraySection::Cells, "offsets", 1, count, &scalar)?;
        let first = self.columns.last_mut()?.split_first(&mut self.scan)?;
        if first != 0 || !self.scan.accept("CONNECTIVITY")? {
            return None;
        }
        let [scalar] = self.header()?;
        self.column(ArraySection::Cells, "connectivity", 1, size, &scalar)
    }

    /// The section that begins with a keyword.
    fn arrays(&mut self, keyword: &[u8]) -> Option<()> {
        match keyword {
            b"SCALARS" => {
                let line = self.scan.line()?;
                let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
                let [name, scalar] = [text(words.next()?)?, text(words.next()?)?];
                let width = words.next().map_or(Some(1), |word| number(&text(word)?))?;
                if self.scan.accept("LOOKUP_TABLE")? {
                    self.scan.line()?;
                }
                self.array(&name, width, self.tuples, &scalar)
            }
            b"FIELD" => self.field(),
            b"METADATA" => self.metadata(),
            _ => {
                let width = fixed_width(keyword)?;
                let [name, scalar] = self.header()?;
                self.array(&name, width, self.tuples, &scalar)
            }
        }
    }

    /// The arrays of a field; the word FIELD has been read.
    fn field(&mut self) -> Option<()> {
        let [_, count] = self.header()?;
        for _ in 0..number(&count)? {
            while self.scan.accept("METADATA")? {
                self.metadata()?;
            }
            let name = text(&self.scan.word()?)?;
            let [width, tuples, scalar] = self.header()?;
            self.array(&name, number(&width)?, number(&tuples)?, &scalar)?;
        }
        Some(())
    }

    fn array(&mut self, name: &str, width: usize, tuples: usize, scalar: &str) -> Option<()> {
        let name = decoded(name);
        if scalar.eq_ignore_ascii_case("string") && !self.binary {
            for _ in 0..width.checked_mul(tuples)? {
                self.scan.line()?;
            }
            let stored = StoredArray::LeftOut(format!("string array `{name}`"));
            let section = self.section;
            let (is_integer, is_single) = (false, false);
            self.columns.push(Column { section, name, width, is_integer, is_single, stored });
            return Some(());
        }
        self.column(self.section, &name, width, tuples, scalar)
    }

    /// So many tuples of numbers from here on.
    fn column(
        &mut self,
        section: ArraySection,
        name: &str,
        width: usize,
        tuples: usize,
        scalar: &str,
    ) -> Option<()> {
        let scalar = Scalar::named(scalar)?;
        let count = width.checked_mul(tuples)?;
        let stored = if self.binary {
            let start = self.scan.at();
            let bytes = u64::try_from(count.checked_mul(scalar.size())?).ok()?;
            self.scan.seek(start.checked_add(bytes)?)?;
            StoredArray::Raw { start, count, scalar, big_endian: true }
        } else {
            StoredArray::Words(ScannedWords::scan(&mut self.scan, count)?)
        };
        let (name, is_integer) = (name.into(), scalar.is_integer());
        let is_single = scalar == Scalar::F32;
        self.columns.push(Column { section, name, width, is_integer, is_single, stored });
        Some(())
    }

    /// Passes over the METADATA block of an array, which ends with an empty line. Lines of names of
    /// components may be empty, too.
    fn metadata(&mut self) -> Option<()> {
        self.scan.line();
        while let Some(line) = self.scan.line().filter(|line| !line.is_empty()) {
            if line.eq_ignore_ascii_case(b"COMPONENT_NAMES") {
                for _ in 0..self.columns.last()?.width {
                    self.scan.line()?;
                }
            }
        }
        Some(())
    }

    /// The next words of this line; the rest of it is passed over.
    fn header<const N: usize>(&mut self) -> Option<[String; N]> {
        let line = self.scan.line()?;
        let words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let words: Vec<String> = words.take(N).map(text).collect::<Option<_>>()?;
        words.try_into().ok()
    }
}

fn text(word: &[u8]) -> Option<String> {
    String::from_utf8(word.to_vec()).ok()
}

fn number(word: &str) -> Option<usize> {
    usize::try_from(integer(word.as_bytes())?).ok()
}
