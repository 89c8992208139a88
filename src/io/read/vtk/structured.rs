//! Structured grids as hexahedra, flat ones as quads: curvilinear and rectilinear grids, and
//! images, whose pixels are points.

use super::grid::{GivenFaces, UnstructuredGrid};
use crate::error::{Message, option_name};
use crate::io::vtk_type;
use crate::numbers::counted;

/// Maximum number of points of a grid: in images they cost a file nothing.
const MAX_GRID_POINTS: usize = 1 << 27;

/// What kind of grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GridKind {
    /// Points of its own.
    Curvilinear,
    /// Coordinates along three axes.
    Rectilinear,
    /// An origin and a spacing.
    Image,
}

/// An image's place.
#[derive(Clone, Copy, Debug)]
pub(super) struct ImageFrame {
    /// Coordinates of the point with index (0, 0, 0).
    pub origin: [f64; 3],
    /// Between neighbors along the axes.
    pub spacing: [f64; 3],
    /// Directions of the axes, row by row: axis d is column d.
    pub direction: [f64; 9],
}

impl Default for ImageFrame {
    fn default() -> Self {
        let direction = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        Self { origin: [0.0; 3], spacing: [1.0; 3], direction }
    }
}

/// Number of points along the axes, and index of the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GridExtent {
    /// Points along the axes.
    pub size: [usize; 3],
    /// Index of the first point.
    pub first: [i64; 3],
}

/// What to do about a grid that is too large.
pub(super) fn grid_help() -> Message {
    message!("check the extent of the grid, or allow more memory (", option_name("memory"), ")")
}

/// Bytes that a point and a cell take while a grid is read, about.
const POINT_BYTES: u64 = 24;
const CELL_BYTES: u64 = 120;

impl GridExtent {
    /// The extent of a grid of these sizes; the error says what is wrong.
    pub fn new(size: [usize; 3], first: [i64; 3]) -> Result<Self, String> {
        if size.contains(&0) || size.iter().filter(|&&n| n == 1).count() > 1 {
            let [a, b, c] = size;
            return Err(format!("a grid of {a} × {b} × {c} points has no cells"));
        }
        let points = size.iter().try_fold(1_usize, |all, &n| all.checked_mul(n));
        match points.filter(|&points| points <= MAX_GRID_POINTS) {
            Some(_) => Ok(Self { size, first }),
            None => Err(format!("a grid of more than {MAX_GRID_POINTS} points")),
        }
    }

    /// From the first and the last index along each axis, in VTK's words.
    pub fn of_words(words: &str) -> Result<Self, String> {
        let numbers: Option<Vec<i64>> =
            words.split_ascii_whitespace().map(|word| word.parse().ok()).collect();
        let malformed = || format!("`{words}` is not an extent of six integers");
        let &[a, b, c, d, e, f] = numbers.as_deref().unwrap_or_default() else {
            return Err(malformed());
        };
        let size = |first: i64, last: i64| {
            let cells = last.checked_sub(first).and_then(|n| usize::try_from(n).ok());
            cells.and_then(|n| n.checked_add(1)).ok_or_else(malformed)
        };
        Self::new([size(a, b)?, size(c, d)?, size(e, f)?], [a, c, e])
    }

    /// Number of points.
    pub fn points(&self) -> usize {
        self.size.iter().product()
    }

    /// Number of cells.
    pub fn cells(&self) -> usize {
        self.size.iter().map(|n| n.max(&2) - 1).product()
    }

    /// Bytes that the grid takes while it is read, about.
    pub fn bytes(&self) -> u64 {
        POINT_BYTES * self.points() as u64 + CELL_BYTES * self.cells() as u64
    }

    /// Points of an image, first axis fastest.
    pub fn image(&self, frame: &ImageFrame) -> impl Iterator<Item = [f64; 3]> {
        let (first, frame) = (self.first, *frame);
        self.indices().map(move |index| {
            let along: [f64; 3] =
                std::array::from_fn(|d| frame.spacing[d] * (first[d] + index[d] as i64) as f64);
            std::array::from_fn(|row| {
                let axes = (0..3).map(|d| frame.direction[3 * row + d] * along[d]);
                frame.origin[row] + axes.sum::<f64>()
            })
        })
    }

    /// Points of a rectilinear grid, first axis fastest; the error says which axis has another
    /// number of coordinates.
    pub fn rectilinear(&self, axes: &[Vec<f64>]) -> Result<impl Iterator<Item = [f64; 3]>, String> {
        for (d, axis) in ["x", "y", "z"].into_iter().enumerate() {
            let (have, need) = (axes.get(d).map_or(0, Vec::len), self.size[d]);
            if have != need {
                return Err(format!(
                    "{} along {axis}, the grid has {need}",
                    counted(have, "coordinate")
                ));
            }
        }
        Ok(self.indices().map(|index| std::array::from_fn(|d| axes[d][index[d]])))
    }

    fn indices(&self) -> impl Iterator<Item = [usize; 3]> + use<> {
        let [a, b, c] = self.size;
        (0..c).flat_map(move |k| (0..b).flat_map(move |j| (0..a).map(move |i| [i, j, k])))
    }

    /// The cells.
    pub fn grid(&self, first_point: usize) -> UnstructuredGrid {
        let [a, b, _] = self.size;
        let point = |[i, j, k]: [usize; 3]| (i + a * (j + b * k)) as i64;
        let flat = self.size.iter().position(|&n| n == 1);
        let (cell_type, size) = if flat.is_some() {
            (vtk_type::QUAD.into(), 4)
        } else {
            (vtk_type::HEXAHEDRON.into(), 8)
        };
        // the axes of the ring of a cell, and the one along which it is repeated
        let [first, second, last] = match flat {
            Some(0) => [1, 2, 0],
            Some(1) => [0, 2, 1],
            _ => [0, 1, 2],
        };
        let is_last = |index: &[usize; 3], d: usize| index[d] + 1 == self.size[d];
        let mut corners = Vec::with_capacity(size * self.cells());
        for index in self.indices() {
            if is_last(&index, first) || is_last(&index, second) {
                continue;
            }
            if flat.is_none() && is_last(&index, last) {
                continue;
            }
            for step in 0..size / 4 {
                for (along_first, along_second) in [(0, 0), (1, 0), (1, 1), (0, 1)] {
                    let mut corner = index;
                    corner[first] += along_first;
                    corner[second] += along_second;
                    corner[last] += step;
                    corners.push(point(corner));
                }
            }
        }
        let cells = self.cells();
        UnstructuredGrid {
            ends: (1..=cells).map(|cell| (size * cell) as i64).collect(),
            types: vec![cell_type; cells],
            corners,
            faces: GivenFaces::Absent,
            first_point,
            ..UnstructuredGrid::default()
        }
    }
}
