//! Bézier extraction text (`.bext`), version 2.0: elements over shared control points,
//! as Coreform Cubit exports them, LS-DYNA includes them (`*IGA_INCLUDE_BEZIER`) and
//! libMesh reads them.
//!
//! # Layout
//! Lines of numbers, all ids counted from 1, lists broken after 10 integers or 5 reals:
//! 1. `B E X T 2.0`
//! 2. patch id, control points, elements, coefficient vectors, 0 (no rational weights)
//! 3. x y z 1 of every control point
//! 4. the number of blocks; of each block: 1 (general elements), elements, control points
//!    and coefficient vectors per element, three degrees
//! 5. of each element: its control points, ascending, then the coefficient vector of each
//! 6. 1 0 (one dense block of vectors, no sparse ones), its vectors and their length
//! 7. of each vector: Bernstein coefficients of a control point's function, first
//!    parametric axis fastest

use std::io::{self, Write};
use std::path::Path;

use super::super::atomic;
use super::text_rows::write_rows;
use crate::error::{Error, IdKind, Result};

/// Integers and reals on a line.
const INTEGERS_PER_LINE: usize = 10;
const REALS_PER_LINE: usize = 5;
/// Points, elements or vectors of a task.
const TASK_ROWS: usize = 512;
/// Largest number that leaves a blank in a field of 8 columns.
const MAX_COUNT: usize = 9_999_999;

/// Bézier elements of one degree over shared control points.
#[derive(Clone, Debug, PartialEq)]
pub struct BezierPatch<'a> {
    control_points: &'a [[f64; 3]],
    degrees: [usize; 3],
    // element e: pairs[ends[e - 1]..ends[e]] of (control point, vector), ascending
    ends: Vec<usize>,
    pairs: Vec<(u32, u32)>,
    // [vector][coefficient, first axis fastest]
    coefficients: Vec<f64>,
}

impl<'a> BezierPatch<'a> {
    /// A patch without elements.
    pub fn new(control_points: &'a [[f64; 3]], degrees: [usize; 3]) -> Self {
        Self { control_points, degrees, ends: vec![], pairs: vec![], coefficients: vec![] }
    }

    /// Coefficients a vector.
    fn length(&self) -> usize {
        self.degrees.iter().map(|degree| degree + 1).product()
    }

    /// Number of coefficient vectors.
    pub fn vector_count(&self) -> usize {
        self.coefficients.len() / self.length()
    }

    /// Number of elements.
    fn element_count(&self) -> usize {
        self.ends.len()
    }

    /// Adds a coefficient vector: a function's Bernstein coefficients, first parametric
    /// axis fastest.
    ///
    /// # Panics
    /// If it has not (degree + 1) coefficients an axis.
    pub fn push_vector(&mut self, coefficients: &[f64]) {
        assert_eq!(coefficients.len(), self.length(), "a coefficient for each Bézier point");
        self.coefficients.extend_from_slice(coefficients);
    }

    /// Adds an element: its control points and the vector of each, counted from 0.
    pub fn push_element(&mut self, mut pairs: Vec<(u32, u32)>) {
        pairs.sort_unstable();
        self.pairs.extend(pairs);
        self.ends.push(self.pairs.len());
    }

    fn element(&self, e: usize) -> &[(u32, u32)] {
        let start = if e == 0 { 0 } else { self.ends[e - 1] };
        &self.pairs[start..self.ends[e]]
    }

    fn check(&self) -> Result<()> {
        let counts = [
            (self.control_points.len(), "control points"),
            (self.element_count(), "elements"),
            (self.vector_count(), "coefficient vectors"),
        ];
        for (count, what) in counts {
            if count > MAX_COUNT {
                return Err(Error::request(format!(
                    "{count} {what}: .bext counts up to {MAX_COUNT}"
                ))
                .with_help("write .npz, or ask for fewer rings"));
            }
        }
        let known = |&(control, vector): &(u32, u32)| {
            (control as usize) < self.control_points.len()
                && (vector as usize) < self.vector_count()
        };
        for e in 0..self.element_count() {
            let element = self.element(e);
            let repeated = element.windows(2).any(|pair| pair[0].0 == pair[1].0);
            if repeated || !element.iter().all(known) {
                return Err(Error::request(message!(
                    IdKind::Element.id(e),
                    ": a control point twice, or an id beyond the last"
                ))
                .with_help("give every element each of its control points once"));
            }
        }
        Ok(())
    }
}

/// Writes a patch as Bézier extraction text; the file appears when it is complete.
/// Elements are sorted into blocks by their number of control points.
///
/// # Errors
/// [`Error::Request`] for ids that are wrong or have more than 7 digits; [`Error::Io`]
/// if writing fails.
pub fn write_bext(path: impl AsRef<Path>, patch: &BezierPatch<'_>) -> Result<()> {
    let path = path.as_ref();
    patch.check()?;
    atomic::write(path, |out| write(out, patch).map_err(|e| atomic::refused(path, e)))
}

fn write(out: &mut impl Write, patch: &BezierPatch<'_>) -> io::Result<()> {
    writeln!(out, "B E X T 2.0")?;
    let (points, elements) = (patch.control_points.len(), patch.element_count());
    integers(out, &[1, points, elements, patch.vector_count(), 0])?;
    write_rows(out, points, TASK_ROWS, |rows, text| {
        patch.control_points[rows].iter().try_for_each(|&[x, y, z]| reals(text, &[x, y, z, 1.0]))
    })?;
    let mut order: Vec<usize> = (0..elements).collect();
    order.sort_by_key(|&e| patch.element(e).len()); // stable
    let blocks: Vec<&[usize]> =
        order.chunk_by(|&a, &b| patch.element(a).len() == patch.element(b).len()).collect();
    integers(out, &[blocks.len()])?;
    for block in &blocks {
        let controls = patch.element(block[0]).len();
        let [r, s, t] = patch.degrees;
        integers(out, &[1, block.len(), controls, controls, r, s, t])?;
    }
    write_rows(out, elements, TASK_ROWS, |rows, text| {
        for &e in &order[rows] {
            let element = patch.element(e);
            integers(text, &element.iter().map(|pair| pair.0 as usize + 1).collect::<Vec<_>>())?;
            integers(text, &element.iter().map(|pair| pair.1 as usize + 1).collect::<Vec<_>>())?;
        }
        Ok(())
    })?;
    let (vectors, length) = (patch.vector_count(), patch.length());
    integers(out, &[1, 0])?;
    integers(out, &[vectors, length])?;
    write_rows(out, vectors, TASK_ROWS, |rows, text| {
        let own = &patch.coefficients[length * rows.start..length * rows.end];
        own.chunks_exact(length).try_for_each(|vector| reals(text, vector))
    })
}

fn integers(out: &mut impl Write, values: &[usize]) -> io::Result<()> {
    for line in values.chunks(INTEGERS_PER_LINE) {
        line.iter().try_for_each(|value| write!(out, "{value:8}"))?;
        writeln!(out)?;
    }
    Ok(())
}

fn reals(out: &mut impl Write, values: &[f64]) -> io::Result<()> {
    for line in values.chunks(REALS_PER_LINE) {
        for value in line {
            // Rust writes 1e-5 where other languages read and write 1E-05
            let text = format!("{value:.16E}");
            let (mantissa, exponent) = text.split_once('E').unwrap_or((&text, "0"));
            let (sign, digits) = match exponent.strip_prefix('-') {
                Some(digits) => ('-', digits),
                None => ('+', exponent),
            };
            write!(out, " {:>23}", format!("{mantissa}E{sign}{digits:0>2}"))?;
        }
        writeln!(out)?;
    }
    Ok(())
}
