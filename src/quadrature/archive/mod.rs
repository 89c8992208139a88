//! Quadratures as NumPy archives for solvers: few arrays, however many cells there are.
//!
//! # Theory
//! Leaves that evaluate alike on their own nets have one table of basis functions, by their local
//! parameters. Where a leaf lies in its cell, how large it is and how it is turned there is a
//! matter of its *frame*, and of no consequence to an integral in space. The net of a leaf that is
//! refined first has *refined points*: fixed sums of vertices, numbered from the number of vertices
//! on. With all points over the vertices as a sparse matrix R, a matrix K over all points is Rᵀ K R
//! over the vertices. So tables are as many as structures, where leaves over vertices would have
//! tables of their own.

mod geometry;
mod leaves;
mod options;
mod outline;
mod tables;

use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::Path;

use super::{BoundaryReport, Mapping, Quadrature, QuadratureLayout, Regions, Report, SideReport};
use crate::error::{Error, Result};
use crate::io::{Archive, Array, atomic, plain_name};
use crate::mesh::Controls;
use options::is_own;
use outline::ArchiveOutline;

pub use options::{ExportOptions, Store};

/// Number of the layout of arrays, in `version`; another one where they change their meaning.
const VERSION: i32 = 1;

/// Writes a NumPy archive. Memory stays bounded however many cells there are; the file
/// appears under its name when it is complete.
///
/// # Arrays
/// Sizes: *tables*; *leaves*, table by table, with the same number of
/// *controls* (control points) and *samples* (quadrature points) each; *cells* and *vertices* of
/// the mesh; *refined* points. Numbers are f8 unless said. What belongs to table t is the range
/// from `OFFSETS[t]` to `OFFSETS[t + 1]` of an array, and has the shape that is said, in C order.
///
/// | array | shape | meaning |
/// |---|---|---|
/// | `version`, `gauss`, `rings` | () i4 | 1; the scheme, `rings` −1 where as many as needed |
/// | `control_points` | (vertices, 3) | length units |
/// | `refined_offsets`, `refined_vertices`, `refined_weights` | (refined + 1,) i8, flat u4, flat | refined points over vertices, as compressed sparse rows |
/// | `cell/NAME` | (cells,) or (cells, width) i8, f8 | arrays of the cells |
/// | `cell/volume` | (cells,) | by quadrature, cubed length units |
/// | `cell/remainder_parameter_volume` | (cells,) | of 1 a hexahedron |
/// | `cell/remainder_volume` | (cells,) | cubed length units |
/// | `table/kind` | (tables,) u1 | 0 regular, 1 layered, 2 irregular |
/// | `table/controls`, `table/exact_samples` | (tables,) i4 | of each leaf; samples before the remainder |
/// | `table/leaf_offsets` | (tables + 1,) i8 | leaves of a table in `leaf/NAME` |
/// | `table/control_offsets` | (tables + 1,) i8 | in `leaf/controls` |
/// | `table/sample_offsets` | (tables + 1,) i8 | in `table/parameters`, `table/weights` |
/// | `table/basis_offsets` | (tables + 1,) i8 | in `table/basis`, `table/gradients`, `table/second` |
/// | `table/point_offsets` | (tables + 1,) i8 | in `point/NAME` |
/// | `table/parameters` | per table (samples, 3) | (ξ, η, ζ) in the leaf, from 0 to 1 |
/// | `table/weights` | per table (samples,) | in (ξ, η, ζ); they sum to 1 |
/// | `table/basis` | per table (samples, controls) | N |
/// | `table/gradients` | per table (samples, controls, 3) | dN/d(ξ, η, ζ) |
/// | `table/second` | per table (samples, controls, 6) | d²N by ξξ, ηη, ζζ, ξη, ξζ, ηζ, if asked for |
/// | `leaf/cell`, `leaf/corner` | (leaves,) u4, i4 | cell; corner whose hexahedral child it is; −1: a hexahedron |
/// | `leaf/origin`, `leaf/frame` | (leaves, 3), (leaves, 3, 3) | (u, v, w) of the cell = origin + frame · (ξ, η, ζ) |
/// | `leaf/controls` | per table (leaves, controls) u4 | vertices, and refined points from `vertices` on; one may stand twice in a row |
/// | `point/position` | per table (leaves, samples, 3) | (x, y, z), length units |
/// | `point/measure` | per table (leaves, samples) | weight · \|det d(x, y, z)/d(ξ, η, ζ)\|, < 0 where the cell is folded: Σ is the volume |
/// | `point/inverse_jacobian` | per table (leaves, samples, 3, 3) | d(ξ, η, ζ)/d(x, y, z), `[ξηζ][xyz]` |
/// | `physical/offsets` | (tables + 1,) i8 | in the next two, if asked for |
/// | `physical/gradients` | per table (leaves, samples, controls, 3) | dN/d(x, y, z) |
/// | `physical/second` | per table (leaves, samples, controls, 6) | d²N by xx, yy, zz, xy, xz, yz |
///
/// `table/basis`, its offsets, `table/gradients` and `table/second` are there by [`Store::Tables`],
/// `point/NAME` by [`Store::Geometry`].
///
/// # Errors
/// [`Error::Io`] if writing fails; if a device fails.
pub fn write_npz(
    path: impl AsRef<Path>,
    mapping: &Mapping<'_>,
    controls: Controls<'_>,
    report: &Report,
    options: ExportOptions<'_>,
) -> Result<()> {
    write(path.as_ref(), mapping, controls, options, |archive| {
        let cells = &report.cells;
        for (name, column) in [
            ("volume", cells.iter().map(|c| c.volume).collect::<Vec<f64>>()),
            (
                "remainder_parameter_volume",
                cells.iter().map(|c| c.remainder_parameter_volume).collect(),
            ),
            ("remainder_volume", cells.iter().map(|c| c.remainder_volume).collect()),
        ] {
            reals(archive, &format!("cell/{name}"), &[column.len()], &column)?;
        }
        Ok(())
    })
}

/// Writes a quadrature of the boundary as [`write_npz`] does one of the volume: of faces of leaves
/// in place of leaves, with these arrays besides or instead of the arrays of cells.
///
/// | array | shape | meaning |
/// |---|---|---|
/// | `side/ids`, `side/faces` | (sides,) u4 | number of a side; faces of the mesh on it that have points |
/// | `side/area`, `side/centroid`, `side/normal` | (sides,), (sides, 3) twice | ∫ 1, its center, ∫ n |
/// | `group/NAME` | (faces,) u4 | faces of the mesh in a group, ascending |
/// | `table/axis`, `table/end` | (tables,) u1 | which of (ξ, η, ζ) is constant on the face, and its value, 0 or 1 |
/// | `table/weights` | per table (samples,) | in the other two; they sum to 1 |
/// | `leaf/face`, `leaf/side` | (leaves,) u4 | face of the mesh, and its side |
/// | `point/measure` | per table (leaves, samples) | of the surface; they sum to its area |
/// | `point/normal` | per table (leaves, samples, 3) | outward unit normals |
///
/// # Errors
/// As [`write_npz`]; [`Error::Request`] for a quadrature of the volume.
pub fn write_boundary_npz(
    path: impl AsRef<Path>,
    mapping: &Mapping<'_>,
    controls: Controls<'_>,
    report: &BoundaryReport,
    regions: &Regions<'_>,
    options: ExportOptions<'_>,
) -> Result<()> {
    let quadrature = mapping.quadrature();
    quadrature.check_boundary()?;
    write(path.as_ref(), mapping, controls, options, |archive| {
        push_sides(archive, report)?;
        for (name, faces) in regions.groups() {
            let name = format!("group/{}", plain_name(name));
            archive.push(&name, "u4", &[faces.len()], bytemuck::cast_slice(faces))?;
        }
        leaves::push_faces(archive, quadrature, regions)
    })
}

/// Bytes of the arrays that [`write_npz`] or [`write_boundary_npz`] writes, before compression and
/// without names and headers (some 400 bytes for each of about thirty arrays).
pub fn archive_bytes(
    layout: &QuadratureLayout<'_>,
    controls: Controls<'_>,
    options: &ExportOptions<'_>,
) -> u64 {
    let kept = options.cell_data.iter().filter(|array| !is_own(array));
    let cells = if layout.is_boundary { 0 } else { 3 * layout.solid.topology().cells().len() };
    let numbers = cells + 3 * controls.positions.len();
    let numbers = numbers + kept.map(|array| array.values.len()).sum::<usize>();
    ArchiveOutline::new(layout).bytes(layout, options) + 8 * numbers as u64
}

fn write(
    path: &Path,
    mapping: &Mapping<'_>,
    controls: Controls<'_>,
    options: ExportOptions<'_>,
    report: impl FnOnce(&mut Archive<&mut BufWriter<File>>) -> io::Result<()>,
) -> Result<()> {
    // an error of the evaluation is returned by the writer
    let refused = |e: io::Error| e.downcast::<Error>().unwrap_or_else(|e| atomic::refused(path, e));
    atomic::write(path, |out| {
        let written = || {
            let mut archive = Archive::new(out, options.compress);
            push_model(&mut archive, mapping.quadrature(), controls, options)?;
            report(&mut archive)?;
            let outline = ArchiveOutline::new(mapping.quadrature().layout());
            tables::push(&mut archive, mapping.quadrature(), &outline, options.store)?;
            leaves::push(&mut archive, mapping.quadrature(), &outline)?;
            geometry::push(&mut archive, mapping, &outline, options)?;
            archive.finish()
        };
        written().map_err(refused)
    })
}

/// The scheme, the control points and the data of the cells.
fn push_model<W: Write + Seek>(
    archive: &mut Archive<W>,
    quadrature: &Quadrature<'_>,
    controls: Controls<'_>,
    options: ExportOptions<'_>,
) -> io::Result<()> {
    let scheme = quadrature.scheme();
    let rings = scheme.rings.map_or(-1, |rings| rings as i32);
    for (name, number) in [("version", VERSION), ("gauss", scheme.gauss as i32), ("rings", rings)] {
        archive.push(name, "i4", &[], &number.to_ne_bytes())?;
    }
    let points = controls.positions;
    reals(archive, "control_points", &[points.len(), 3], points.as_flattened())?;
    for array in options.cell_data.iter().filter(|array| !is_own(array)) {
        let name = format!("cell/{}", plain_name(&array.name));
        archive.push_array(&name, &Array::from(array))?;
    }
    Ok(())
}

fn push_sides<W: Write + Seek>(
    archive: &mut Archive<W>,
    report: &BoundaryReport,
) -> io::Result<()> {
    let rows = &report.sides;
    let integers = |of: fn(&SideReport) -> u32| rows.iter().map(of).collect::<Vec<u32>>();
    for (name, column) in
        [("ids", integers(|s| s.side)), ("faces", integers(|s| s.sums.faces as u32))]
    {
        let bytes = bytemuck::cast_slice(&column);
        archive.push(&format!("side/{name}"), "u4", &[rows.len()], bytes)?;
    }
    let areas: Vec<f64> = rows.iter().map(|s| s.sums.area).collect();
    reals(archive, "side/area", &[rows.len()], &areas)?;
    let vectors = |of: fn(&SideReport) -> [f64; 3]| rows.iter().flat_map(of).collect::<Vec<f64>>();
    for (name, column) in
        [("centroid", vectors(|s| s.sums.centroid)), ("normal", vectors(|s| s.sums.normal))]
    {
        reals(archive, &format!("side/{name}"), &[rows.len(), 3], &column)?;
    }
    Ok(())
}

fn reals<W: Write + Seek>(
    archive: &mut Archive<W>,
    name: &str,
    shape: &[usize],
    values: &[f64],
) -> io::Result<()> {
    archive.push(name, "f8", shape, bytemuck::cast_slice(values))
}
