//! Legacy `.vtk` files, ASCII or binary, versions 1.0 to 5.1: their sections, and the solids of
//! unstructured and structured grids (see [`super`] for cell types and named arrays).
//!
//! Tolerated, because real files have it: CRLF, blanks at line ends, keywords and
//! types in any case, several entries per line or several lines per entry.

use std::path::Path;

use crate::error::{Error, Result};
use crate::mesh::Attribute;

use super::binary::Budget;
use super::ghosts::is_ghosts;
use super::structured::{GridExtent, GridKind, ImageFrame, grid_help};
use super::values::Scalar;
use super::{GivenFaces, UnstructuredGrid, no_solid, push_cell_array};
use crate::io::read::assemble::Assembly;
use crate::io::read::lines::{Text, integer, shown};
use crate::numbers::counted;

/// Whether a file that begins so is a legacy file.
pub(in crate::io::read) fn is_legacy(bytes: &[u8]) -> bool {
    const MAGIC: &[u8] = b"# vtk DataFile";
    let head = bytes.trim_ascii_start();
    head.get(..MAGIC.len()).is_some_and(|head| head.eq_ignore_ascii_case(MAGIC))
}

/// Reads a legacy file that is already in memory.
pub(in crate::io::read) fn read<'a>(
    path: &'a Path,
    bytes: &'a [u8],
    most_unpacked: u64,
) -> Result<Assembly<'a>> {
    let mut file = LegacyReader::open(path, bytes)?;
    file.budget = Budget::new(most_unpacked);
    if file.is_surface {
        return Err(no_solid(path));
    }
    while let Some(word) = file.text.word() {
        match std::str::from_utf8(word).unwrap_or_default().to_ascii_uppercase().as_str() {
            "CELLS" => file.cells()?,
            "CELL_TYPES" => file.cell_types()?,
            "DIMENSIONS" if file.structured.is_some() => file.dimensions()?,
            "ORIGIN" if file.structured.is_some() => file.frame.origin = file.triple("ORIGIN")?,
            "SPACING" | "ASPECT_RATIO" if file.structured.is_some() => {
                file.frame.spacing = file.triple("SPACING")?;
            }
            "X_COORDINATES" if file.structured.is_some() => file.coordinates(0)?,
            "Y_COORDINATES" if file.structured.is_some() => file.coordinates(1)?,
            "Z_COORDINATES" if file.structured.is_some() => file.coordinates(2)?,
            _ => file.section(word)?,
        }
    }
    file.finish()
}

/// What an array belongs to, and how many tuples it has there.
#[derive(Clone, Copy)]
pub(super) enum ArrayTarget {
    Model,
    Points(usize),
    Cells(usize),
}

/// A legacy file that is being read.
pub(super) struct LegacyReader<'a> {
    pub text: Text<'a>,
    pub assembly: Assembly<'a>,
    budget: Budget,
    binary: bool,
    /// Whether it is a surface (`POLYDATA`).
    pub is_surface: bool,
    // of the arrays at hand
    target: ArrayTarget,
    /// Components of the array read last.
    pub width: usize,
    grid: Option<UnstructuredGrid>,
    types_line: Option<usize>,
    // of a structured grid
    structured: Option<GridKind>,
    extent: Option<GridExtent>,
    frame: ImageFrame,
    // coordinates along x, y and z, of a rectilinear grid
    axes: [Option<Vec<f64>>; 3],
    // of all cells of the file, whether of integers, and their lines
    pub cell_arrays: Vec<(Attribute, bool, usize)>,
}

/// Lists of vertices, unchecked.
#[derive(Default)]
pub(super) struct VertexLists {
    /// Vertices of all lists.
    pub corners: Vec<i64>,
    /// End of each list in `corners`.
    pub ends: Vec<i64>,
    /// 1-based line of each list, or empty.
    pub lines: Vec<usize>,
    /// 1-based line of the section.
    pub line: usize,
}

impl VertexLists {
    /// The 1-based line of the list that has the corner with this index, or of the section.
    pub fn line_of(&self, corner: usize) -> usize {
        let list = self.ends.partition_point(|&end| end <= corner as i64);
        self.lines.get(list).copied().unwrap_or(self.line)
    }
}

impl<'a> LegacyReader<'a> {
    /// Reads a file up to the kind of its data set.
    pub fn open(path: &'a Path, bytes: &'a [u8]) -> Result<Self> {
        let mut text = Text::new(path, bytes);
        // Blank lines before the header are tolerated; the title may be blank.
        let header = std::iter::from_fn(|| text.next_line()).find(|line| !line.is_empty());
        if !header.is_some_and(is_legacy) {
            return Err(text
                .error("a legacy VTK file begins with `# vtk DataFile Version`")
                .with_help("check the format of the file, or export it again"));
        }
        text.next_line().ok_or_else(|| text.ended("the title"))?;
        let encoding = text.required("ASCII or BINARY")?;
        let binary = encoding.eq_ignore_ascii_case(b"BINARY");
        if !binary && !encoding.eq_ignore_ascii_case(b"ASCII") {
            let help = "line 3 of a legacy VTK file says how numbers are stored";
            return Err(text.unexpected(encoding, "ASCII or BINARY", help));
        }
        let assembly = Assembly::new(path, 0);
        let mut file = Self {
            text,
            binary,
            assembly,
            budget: Budget::new(u64::MAX),
            is_surface: false,
            target: ArrayTarget::Model,
            width: 1,
            grid: None,
            types_line: None,
            structured: None,
            extent: None,
            frame: ImageFrame::default(),
            axes: [None, None, None],
            cell_arrays: Vec::new(),
        };
        // VTK writes field data before the data set in some versions.
        while file.text.accept("FIELD") {
            file.field(ArrayTarget::Model)?;
        }
        if !file.text.accept("DATASET") {
            let word = file.text.required("DATASET")?;
            let help = "the file is malformed; export it again";
            return Err(file.text.unexpected(word, "DATASET", help));
        }
        let kind = file.text.required("the kind of data set")?;
        file.is_surface = kind.eq_ignore_ascii_case(b"POLYDATA");
        file.structured = match kind.to_ascii_uppercase().as_slice() {
            b"UNSTRUCTURED_GRID" | b"POLYDATA" => None,
            b"STRUCTURED_GRID" => Some(GridKind::Curvilinear),
            b"RECTILINEAR_GRID" => Some(GridKind::Rectilinear),
            b"STRUCTURED_POINTS" => Some(GridKind::Image),
            _ => {
                return Err(file
                    .text
                    .error(format!("data set `{}` is not a mesh", shown(kind)))
                    .with_help(
                        "export a volume mesh as an unstructured or structured grid, a surface as \
                         POLYDATA",
                    ));
            }
        };
        Ok(file)
    }

    /// Reads a section that grids and surfaces have; its keyword is the word read last.
    pub fn section(&mut self, keyword: &[u8]) -> Result<()> {
        match keyword.to_ascii_uppercase().as_slice() {
            b"POINTS" => self.points(),
            b"POINT_DATA" => {
                self.make_points()?;
                let [count] = self.header("the number of points")?;
                self.target = ArrayTarget::Points(self.count(count)?);
                Ok(())
            }
            b"CELL_DATA" => {
                let [count] = self.header("the number of cells")?;
                self.target = ArrayTarget::Cells(self.count(count)?);
                Ok(())
            }
            _ => self.arrays(keyword, self.target),
        }
    }

    fn dimensions(&mut self) -> Result<()> {
        let words = self.header::<3>("the numbers of points along the axes")?;
        let mut size = [0; 3];
        for (n, word) in size.iter_mut().zip(words) {
            *n = self.count(word)?;
        }
        let extent = GridExtent::new(size, [0; 3]).map_err(|what| self.unfit(&what))?;
        let taken = self.budget.take_grid(&extent);
        taken.map_err(|message| self.text.error(message).with_help(grid_help()))?;
        self.extent = Some(extent);
        Ok(())
    }

    fn triple(&mut self, what: &str) -> Result<[f64; 3]> {
        let mut values = [0.0; 3];
        for value in &mut values {
            *value = self.text.real(what)?;
        }
        Ok(values)
    }

    fn coordinates(&mut self, axis: usize) -> Result<()> {
        if self.axes[axis].is_some() {
            let name = ["X", "Y", "Z"][axis];
            return Err(self.unfit(&format!("a second section {name}_COORDINATES")));
        }
        let [count, scalar] = self.header("the number and type of coordinates")?;
        let (count, scalar) = (self.count(count)?, self.scalar(scalar)?);
        let values = self.reals(scalar, count, "coordinates")?;
        self.width = 1;
        self.axes[axis] = Some(values);
        Ok(())
    }

    /// Makes the points that a structured grid does not list.
    fn make_points(&mut self) -> Result<()> {
        let Some(kind) = self.structured else { return Ok(()) };
        let Some(extent) = self.extent else {
            return Err(self.unfit("a structured grid without DIMENSIONS"));
        };
        let line = Some(self.text.line());
        if kind != GridKind::Curvilinear && self.assembly.points() == 0 {
            self.assembly.reserve_points(extent.points());
            match kind {
                GridKind::Image => {
                    for point in extent.image(&self.frame) {
                        self.assembly.push_point(point, line)?;
                    }
                }
                _ => {
                    let axes = std::mem::take(&mut self.axes).map(Option::unwrap_or_default);
                    let points = extent.rectilinear(&axes).map_err(|what| self.unfit(&what))?;
                    for point in points {
                        self.assembly.push_point(point, line)?;
                    }
                }
            }
        }
        if self.assembly.points() != extent.points() {
            let (have, need) = (self.assembly.points(), extent.points());
            return Err(self.unfit(&format!("{}, the grid has {need}", counted(have, "point"))));
        }
        Ok(())
    }

    fn unfit(&self, what: &str) -> Error {
        self.text.error(what).with_help("export the grid again, or a part of it")
    }

    fn points(&mut self) -> Result<()> {
        if self.assembly.points() > 0 {
            return Err(self.twice("POINTS"));
        }
        let [count, scalar] = self.header("the number and type of points")?;
        let (count, scalar) = (self.count(count)?, self.scalar(scalar)?);
        self.width = 3;
        if self.binary {
            let values = self.reals(scalar, count.saturating_mul(3), "coordinates")?;
            self.assembly.reserve_points(count);
            for &point in values.as_chunks::<3>().0 {
                self.assembly.push_point(point, None)?;
            }
        } else {
            self.assembly.reserve_points(self.text.room(count, 6));
            for _ in 0..count {
                let point = self.text.point()?;
                self.assembly.push_point(point, Some(self.text.line()))?;
            }
        }
        Ok(())
    }

    fn cells(&mut self) -> Result<()> {
        if self.grid.is_some() {
            return Err(self.twice("CELLS"));
        }
        let VertexLists { corners, ends, lines, .. } = self.lists("CELLS")?;
        let faces = GivenFaces::InCells;
        self.grid =
            Some(UnstructuredGrid { corners, ends, lines, faces, ..UnstructuredGrid::default() });
        Ok(())
    }

    fn cell_types(&mut self) -> Result<()> {
        let line = self.text.line();
        let [count] = self.header("the number of cell types")?;
        let count = self.count(count)?;
        let types = self.integers(Scalar::I32, count, "a cell type")?;
        match &mut self.grid {
            Some(grid) if grid.types.is_empty() => grid.types = types,
            Some(_) => return Err(self.twice("CELL_TYPES")),
            None => {
                return Err(self
                    .text
                    .error("CELL_TYPES without CELLS before them")
                    .with_help("the file is malformed; export it again"));
            }
        }
        self.types_line = Some(line);
        Ok(())
    }

    fn finish(mut self) -> Result<Assembly<'a>> {
        if let Some(extent) = self.extent {
            self.make_points()?;
            self.grid = Some(extent.grid(0));
        } else if self.structured.is_some() {
            return Err(self.unfit("a structured grid without DIMENSIONS"));
        }
        if let Some(grid) = &mut self.grid {
            for (array, ..) in self.cell_arrays.iter().filter(|(a, ..)| is_ghosts(&a.name)) {
                grid.mark_ghosts(&array.name, &array.values);
            }
            let kept = grid.assemble(&mut self.assembly, self.types_line)?;
            for (array, of_integers, line) in self.cell_arrays {
                push_cell_array(&mut self.assembly, array, of_integers, &kept, Some(line))?;
            }
        }
        Ok(self.assembly)
    }

    /// The next N words of this line (the rest of the line is passed over, so
    /// that binary data may follow).
    pub fn header<const N: usize>(&mut self, what: &str) -> Result<[&'a str; N]> {
        let line = self.text.next_line().ok_or_else(|| self.text.ended(what))?;
        let mut words = std::str::from_utf8(line).unwrap_or_default().split_ascii_whitespace();
        let mut header = [""; N];
        for word in &mut header {
            *word = words.next().ok_or_else(|| {
                self.text
                    .error(format!("{what} expected on this line"))
                    .with_help("the file is malformed; export it again")
            })?;
        }
        Ok(header)
    }

    /// A word of a header as a number of things.
    pub fn count(&self, word: &str) -> Result<usize> {
        integer(word.as_bytes()).and_then(|count| usize::try_from(count).ok()).ok_or_else(|| {
            let help = "the file is malformed; export it again";
            self.text.unexpected(word.as_bytes(), "a count", help)
        })
    }

    /// A word of a header as the type of numbers.
    pub fn scalar(&self, word: &str) -> Result<Scalar> {
        Scalar::named(word).ok_or_else(|| {
            self.text
                .error(format!("numbers of type `{}`", shown(word.as_bytes())))
                .with_help("types are char, short, int, long, float, double and unsigned ones")
        })
    }

    /// `count` numbers from the start of the next line on.
    pub fn reals(&mut self, scalar: Scalar, count: usize, what: &str) -> Result<Vec<f64>> {
        if self.binary {
            let bytes = self.text.take(count.saturating_mul(scalar.size()), what)?;
            return Ok(scalar.reals(bytes, true));
        }
        let mut values = Vec::with_capacity(self.text.room(count, 2));
        for _ in 0..count {
            values.push(self.text.real(what)?);
        }
        Ok(values)
    }

    /// `count` whole numbers from the start of the next line on.
    pub fn integers(&mut self, scalar: Scalar, count: usize, what: &str) -> Result<Vec<i64>> {
        if self.binary {
            let bytes = self.text.take(count.saturating_mul(scalar.size()), what)?;
            return Ok(scalar.integers(bytes, true));
        }
        let mut values = Vec::with_capacity(self.text.room(count, 2));
        for _ in 0..count {
            values.push(self.text.integer(what)?);
        }
        Ok(values)
    }

    /// Whether numbers are stored in binary form.
    pub fn is_binary(&self) -> bool {
        self.binary
    }

    /// The error of a section that the file has already.
    pub fn twice(&self, section: &str) -> Error {
        self.text
            .error(format!("a second section {section}"))
            .with_help("keep one mesh in the file")
    }
}
