//! Quadratures as files: NumPy archives for solvers, points for ParaView.

use std::io::{self, Seek, Write};
use std::ops::Range;
use std::path::Path;

use super::{
    BoundaryReport, Mapped, Mapping, Physical, PhysicalDerivatives, Quadrature, Regions, Report,
    SideReport,
};
use crate::error::{Error, Result};
use crate::io::{Archive, Array, Dataset, atomic, plain_name};
use crate::limit::{Element, LeafKind};
use crate::mesh::{CellArray, Controls};
use crate::plan::Want;
use crate::volume::class_number;

/// Numbers of a streamed array that are in memory at a time.
const PIECE: usize = 1 << 23;

/// Arrays of cells that archives of volumes have of their own; their names are reserved in all.
const OWN_CELL_ARRAYS: [&str; 3] = ["volume", "remainder_parameter_volume", "remainder_volume"];

/// What to write.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ExportOptions<'a> {
    /// Write `physical_gradients`, and `physical_second` if the quadrature has second
    /// derivatives: by far the most data, 98 KB a regular cell at 4³ points.
    pub physical_derivatives: bool,
    /// Compress.
    pub compress: bool,
    /// Arrays of the mesh's cells to write too, as `cell/NAME`, but for [`Self::left_out`].
    pub cell_data: &'a [CellArray],
}

impl<'a> ExportOptions<'a> {
    /// Names of the cell arrays that are not written: archives have their own of these names.
    #[must_use]
    pub fn left_out(&self) -> Vec<&'a str> {
        self.cell_data.iter().filter(|array| is_own(array)).map(|array| &array.name[..]).collect()
    }
}

fn is_own(array: &CellArray) -> bool {
    OWN_CELL_ARRAYS.contains(&&plain_name(&array.name)[..])
}

/// Writes a NumPy archive. Memory stays bounded however many cells there are; the file
/// appears under its name when it is complete.
///
/// # Arrays
/// Sizes: *batches*, *leaves* of a batch, *samples* (quadrature points) of each leaf,
/// *controls* of each leaf, *cells* and *vertices* of the mesh. Numbers are f8 unless
/// said. `b` counts the batches from 0.
///
/// | array | shape | meaning |
/// |---|---|---|
/// | `batches`, `gauss`, `rings` | () i4 | number of batches; the scheme, `rings` −1 where as many as needed |
/// | `control_points` | (vertices, 3) | length units |
/// | `cell/NAME` | (cells,) or (cells, width) i8, f8 | arrays of the cells |
/// | `cell/volume` | (cells,) | by quadrature, cubed length units |
/// | `cell/remainder_parameter_volume` | (cells,) | of 1 a hexahedron |
/// | `cell/remainder_volume` | (cells,) | cubed length units |
/// | `batch/b/kind` | () u1 | 0 regular, 1 layered, 2 irregular |
/// | `batch/b/exact_samples` | () i4 | samples before those of the remainder |
/// | `batch/b/size` | () | of the leaves: 1, or 2⁻ᵈ where the cell is refined first |
/// | `batch/b/cells` | (leaves,) u4 | cell of the mesh |
/// | `batch/b/corners` | (leaves,) i4 | corner whose hexahedral child it is; −1: a hexahedron |
/// | `batch/b/origins` | (leaves, 3) | lowest (u, v, w) |
/// | `batch/b/control_ids` | (leaves, controls) u4 | vertices of the mesh, different in a row |
/// | `batch/b/parameters` | (samples, 3) | in the leaf; (u, v, w) = origin + size · parameters |
/// | `batch/b/weights` | (samples,) | in (u, v, w); they sum to size³ |
/// | `batch/b/basis` | (samples, controls) | N |
/// | `batch/b/gradients` | (samples, 3, controls) | dN/d(u, v, w) |
/// | `batch/b/second` | (samples, 6, controls) | d²N by uu, vv, ww, uv, uw, vw, if asked for |
/// | `batch/b/points` | (leaves, samples, 3) | (x, y, z), length units |
/// | `batch/b/determinants` | (leaves, samples) | det J, cubed length units |
/// | `batch/b/measures` | (leaves, samples) | weight · det J (· −det J if all cells are left-handed): Σ is the volume |
/// | `batch/b/inverse_jacobians` | (leaves, samples, 3, 3) | d(u, v, w)/d(x, y, z), `[uvw][xyz]` |
/// | `batch/b/physical_gradients` | (leaves, samples, 3, controls) | dN/d(x, y, z), if asked for |
/// | `batch/b/physical_second` | (leaves, samples, 6, controls) | d²N by xx, yy, zz, xy, xz, yz, if both are |
///
/// Without `physical_gradients`, they are
/// `einsum("sjc,lsji->lsic", gradients, inverse_jacobians)`.
///
/// # Errors
/// [`Error::File`] if writing fails; if a device fails.
pub fn write_npz(
    path: impl AsRef<Path>,
    mapping: &dyn Physical<'_>,
    controls: Controls<'_>,
    report: &Report,
    options: ExportOptions<'_>,
) -> Result<()> {
    let path = path.as_ref();
    // errors of evaluation come through those of writing
    let refused = |e: io::Error| e.downcast::<Error>().unwrap_or_else(|e| atomic::refused(path, e));
    atomic::write(path, |out| write(out, mapping, controls, report, options).map_err(refused))
}

/// Writes a quadrature of the boundary as [`write_npz`] does one of the volume, with these arrays
/// besides or instead of those of cells. `sides`: the side of every face of the mesh.
///
/// | array | shape | meaning |
/// |---|---|---|
/// | `side/ids`, `side/faces` | (sides,) u4 | number of a side; faces of the mesh on it |
/// | `side/area`, `side/centroid`, `side/normal` | (sides,), (sides, 3) twice | ∫ 1, its centre, ∫ n |
/// | `batch/b/axis`, `end` | () u1 | the face of the element: the parameter that is constant, 0 or 1 there |
/// | `batch/b/faces`, `sides` | (leaves,) u4 | face of the mesh, and its side |
/// | `batch/b/weights` | (samples,) | in the face's two parameters; their sum is size² |
/// | `batch/b/measures` | (leaves, samples) | of the surface; they sum to its area |
/// | `batch/b/normals` | (leaves, samples, 3) | outward unit normals |
///
/// # Errors
/// As [`write_npz`]; [`Error::Request`] for a quadrature of the volume.
pub fn write_boundary_npz(
    path: impl AsRef<Path>,
    mapping: &Mapping<'_>,
    controls: Controls<'_>,
    (report, regions): (&BoundaryReport, &Regions),
    options: ExportOptions<'_>,
) -> Result<()> {
    let path = path.as_ref();
    mapping.quadrature().check_boundary()?;
    let refused = |e: io::Error| e.downcast::<Error>().unwrap_or_else(|e| atomic::refused(path, e));
    atomic::write(path, |out| {
        write_boundary(out, mapping, controls, (report, regions), options).map_err(refused)
    })
}

fn write_boundary(
    out: &mut (impl Write + Seek),
    mapping: &Mapping<'_>,
    controls: Controls<'_>,
    (report, regions): (&BoundaryReport, &Regions),
    options: ExportOptions<'_>,
) -> io::Result<()> {
    let quadrature = mapping.quadrature();
    let mut archive = begin(out, quadrature, controls, options)?;
    let rows = &report.sides;
    let integers = |of: fn(&SideReport) -> u32| rows.iter().map(of).collect::<Vec<u32>>();
    for (name, column) in
        [("ids", integers(|s| s.side)), ("faces", integers(|s| s.sums.faces as u32))]
    {
        let bytes = bytemuck::cast_slice(&column);
        archive.push(&format!("side/{name}"), "u4", &[rows.len()], bytes)?;
    }
    let areas: Vec<f64> = rows.iter().map(|s| s.sums.area).collect();
    reals(&mut archive, "side/area", &[rows.len()], &areas)?;
    let vectors = |of: fn(&SideReport) -> [f64; 3]| rows.iter().flat_map(of).collect::<Vec<f64>>();
    for (name, column) in
        [("centroid", vectors(|s| s.sums.centroid)), ("normal", vectors(|s| s.sums.normal))]
    {
        reals(&mut archive, &format!("side/{name}"), &[rows.len(), 3], &column)?;
    }
    for (name, faces) in regions.groups() {
        let name = format!("group/{}", plain_name(name));
        archive.push(&name, "u4", &[faces.len()], bytemuck::cast_slice(faces))?;
    }
    let mut work = Work::default();
    for (b, batch) in quadrature.batches().iter().enumerate() {
        push_tables(&mut archive, quadrature, b)?;
        let name = |array: &str| format!("batch/{b}/{array}");
        if let Some(side) = batch.side {
            archive.push(&name("axis"), "u1", &[], &[side.axis])?;
            archive.push(&name("end"), "u1", &[], &[side.end])?;
        }
        let count = [batch.faces.len()];
        archive.push(&name("faces"), "u4", &count, bytemuck::cast_slice(&batch.faces))?;
        let own: Vec<u32> =
            batch.faces.iter().map(|&face| regions.sides()[face as usize]).collect();
        archive.push(&name("sides"), "u4", &count, bytemuck::cast_slice(&own))?;
        push_physical(&mut archive, mapping, b, options, &mut work)?;
    }
    archive.finish()
}

fn write(
    out: &mut (impl Write + Seek),
    mapping: &dyn Physical<'_>,
    controls: Controls<'_>,
    report: &Report,
    options: ExportOptions<'_>,
) -> io::Result<()> {
    let quadrature = mapping.quadrature();
    let mut archive = begin(out, quadrature, controls, options)?;
    let columns = [
        ("volume", report.cells.iter().map(|c| c.volume).collect::<Vec<f64>>()),
        (
            "remainder_parameter_volume",
            report.cells.iter().map(|c| c.remainder_parameter_volume).collect(),
        ),
        ("remainder_volume", report.cells.iter().map(|c| c.remainder_volume).collect()),
    ];
    for (name, column) in columns {
        reals(&mut archive, &format!("cell/{name}"), &[column.len()], &column)?;
    }
    let mut work = Work::default();
    for batch in 0..quadrature.batches().len() {
        push_tables(&mut archive, quadrature, batch)?;
        push_physical(&mut archive, mapping, batch, options, &mut work)?;
    }
    archive.finish()
}

/// Bytes of the arrays that [`write_npz`] or [`write_boundary_npz`] writes, before compression and
/// without names and headers (some 400 bytes an array).
pub fn archive_bytes(
    quadrature: &Quadrature<'_>,
    controls: Controls<'_>,
    options: &ExportOptions<'_>,
) -> u64 {
    let second = quadrature.want().contains(Want::SECOND);
    // rows of a table, and numbers of a quadrature point
    let rows = if second { 10 } else { 4 };
    let boundary = quadrature.is_boundary();
    let of_point = 3 + 1 + 1 + 9 + if boundary { 3 } else { 0 };
    let derivatives = match (options.physical_derivatives, second) {
        (false, _) => 0,
        (true, false) => 3,
        (true, true) => 9,
    };
    let batches = (0..quadrature.batches().len()).map(|b| {
        let batch = &quadrature.batches()[b];
        let (samples, controls) = (quadrature.samples(b) as u64, batch.controls as u64);
        let table = samples * (3 + 1 + rows * controls);
        let leaf = samples * (of_point + derivatives * controls) + 3;
        // ids: 4 bytes
        let ids = 4 * (2 + controls + if boundary { 2 } else { 0 });
        8 * table + batch.leaves.len() as u64 * (8 * leaf + ids)
    });
    let kept = options.cell_data.iter().filter(|array| !is_own(array));
    let cells = 3 * quadrature.solid().topology().cells().len() + 3 * controls.positions.len();
    batches.sum::<u64>() + 8 * (cells + kept.map(|array| array.values.len()).sum::<usize>()) as u64
}

/// An archive that starts with the scheme and the control points.
fn begin<W: Write + Seek>(
    out: W,
    quadrature: &Quadrature<'_>,
    controls: Controls<'_>,
    options: ExportOptions<'_>,
) -> io::Result<Archive<W>> {
    let mut archive = Archive::new(out, options.compress);
    let scheme = quadrature.scheme();
    let rings = scheme.rings.map_or(-1, |rings| rings as i32);
    for (name, number) in [
        ("batches", quadrature.batches().len() as i32),
        ("gauss", scheme.gauss as i32),
        ("rings", rings),
    ] {
        integer(&mut archive, name, number)?;
    }
    let points = controls.positions;
    archive.push("control_points", "f8", &[points.len(), 3], bytemuck::cast_slice(points))?;
    for array in options.cell_data.iter().filter(|array| !is_own(array)) {
        let Array { width, data, .. } = Array::from(array);
        let shape = [array.values.len() / width.max(1), width];
        let shape = if width == 1 { &shape[..1] } else { &shape[..] };
        let number = if array.integers { "i8" } else { "f8" };
        let name = format!("cell/{}", plain_name(&array.name));
        archive.push(&name, number, shape, data.bytes())?;
    }
    Ok(archive)
}

fn integer<W: Write + Seek>(archive: &mut Archive<W>, name: &str, number: i32) -> io::Result<()> {
    archive.push(name, "i4", &[], &number.to_ne_bytes())
}

fn reals<W: Write + Seek>(
    archive: &mut Archive<W>,
    name: &str,
    shape: &[usize],
    values: &[f64],
) -> io::Result<()> {
    archive.push(name, "f8", shape, bytemuck::cast_slice(values))
}

/// What all leaves of a batch share, and which they are.
fn push_tables<W: Write + Seek>(
    archive: &mut Archive<W>,
    quadrature: &Quadrature<'_>,
    b: usize,
) -> io::Result<()> {
    let batch = &quadrature.batches()[b];
    let nodes = quadrature.nodes(b);
    let basis = quadrature.basis(b);
    let name = |array: &str| format!("batch/{b}/{array}");
    let (leaves, samples, controls) = (batch.leaves.len(), nodes.len(), batch.controls);
    let (kind, depth) = quadrature.kind(b);
    let size = f64::from(depth).exp2().recip();
    let dimension = if quadrature.is_boundary() { 2 } else { 3 };
    archive.push(&name("kind"), "u1", &[], &[kind_number(kind)])?;
    integer(archive, &name("exact_samples"), nodes.exact as i32)?;
    reals(archive, &name("size"), &[], &[size])?;
    let elements: Vec<&Element> = batch.leaves.iter().map(|&l| quadrature.element(l)).collect();
    let cells: Vec<u32> = elements.iter().map(|e| e.cell).collect();
    archive.push(&name("cells"), "u4", &[leaves], bytemuck::cast_slice(&cells))?;
    let corners: Vec<i32> = elements.iter().map(|e| e.corner.map_or(-1, i32::from)).collect();
    archive.push(&name("corners"), "i4", &[leaves], bytemuck::cast_slice(&corners))?;
    let origins: Vec<[f64; 3]> = batch.leaves.iter().map(|&l| quadrature.origin(l)).collect();
    reals(archive, &name("origins"), &[leaves, 3], origins.as_flattened())?;
    let ids = bytemuck::cast_slice(&batch.control_ids);
    archive.push(&name("control_ids"), "u4", &[leaves, controls], ids)?;
    let parameters = quadrature.parameters(b);
    reals(archive, &name("parameters"), &[samples, 3], parameters.as_flattened())?;
    let weights: Vec<f64> = nodes.weights.iter().map(|w| size.powi(dimension) * w).collect();
    reals(archive, &name("weights"), &[samples], &weights)?;
    reals(archive, &name("basis"), &[samples, controls], &basis.values)?;
    reals(archive, &name("gradients"), &[samples, 3, controls], &basis.gradients)?;
    if !basis.second.is_empty() {
        reals(archive, &name("second"), &[samples, 6, controls], &basis.second)?;
    }
    Ok(())
}

/// Number of a kind in the arrays `kind`.
fn kind_number(kind: LeafKind) -> u8 {
    match kind {
        LeafKind::Regular(_) => 0,
        LeafKind::Layered(..) => 1,
        LeafKind::Irregular(..) => 2,
    }
}

/// Memory that is used again and again.
#[derive(Default)]
struct Work {
    mapped: Mapped,
    derivatives: PhysicalDerivatives,
}

/// What differs from leaf to leaf: one array after the other, each evaluated as it is
/// written. Evaluating anew costs less than keeping all.
fn push_physical<W: Write + Seek>(
    archive: &mut Archive<W>,
    mapping: &dyn Physical<'_>,
    b: usize,
    options: ExportOptions<'_>,
    work: &mut Work,
) -> io::Result<()> {
    let quadrature = mapping.quadrature();
    let batch = &quadrature.batches()[b];
    let (samples, controls) = (quadrature.samples(b), batch.controls);
    type Values = fn(&Mapped) -> &[f64];
    let arrays: [(&str, &[usize], Values); 5] = [
        ("points", &[3], |m| m.points.as_flattened()),
        ("determinants", &[], |m| &m.determinants),
        ("measures", &[], |m| &m.measures),
        ("inverse_jacobians", &[3, 3], |m| m.inverse_jacobians.as_flattened().as_flattened()),
        ("normals", &[3], |m| m.normals.as_flattened()),
    ];
    let arrays = &arrays[..if quadrature.is_boundary() { 5 } else { 4 }];
    let shape = |inner: &[usize]| [&[batch.leaves.len(), samples], inner].concat();
    for &(name, inner, values) in arrays {
        archive.begin(&format!("batch/{b}/{name}"), "f8", &shape(inner))?;
        for leaves in ranges(batch.leaves.len(), 23 * samples) {
            mapping.map(b, leaves, &mut work.mapped).map_err(io::Error::other)?;
            archive.append(bytemuck::cast_slice(values(&work.mapped)))?;
        }
    }
    if !options.physical_derivatives {
        return Ok(());
    }
    let basis = quadrature.basis(b);
    type Derivatives = fn(&PhysicalDerivatives) -> &[f64];
    let arrays: [(&str, usize, Derivatives); 2] =
        [("physical_gradients", 3, |d| &d.gradients), ("physical_second", 6, |d| &d.second)];
    let count = if basis.second.is_empty() { 1 } else { 2 };
    for (name, rows, values) in &arrays[..count] {
        archive.begin(&format!("batch/{b}/{name}"), "f8", &shape(&[*rows, controls]))?;
        for leaves in ranges(batch.leaves.len(), (23 + 9 * controls) * samples) {
            let Work { mapped, derivatives } = work;
            mapping
                .map_with_derivatives((b, leaves), &basis, mapped, derivatives)
                .map_err(io::Error::other)?;
            archive.append(bytemuck::cast_slice(values(derivatives)))?;
        }
    }
    Ok(())
}

/// Ranges of leaves of which each makes so many numbers.
fn ranges(leaves: usize, numbers: usize) -> impl Iterator<Item = Range<usize>> {
    let step = (PIECE / numbers).max(1);
    (0..leaves).step_by(step).map(move |start| start..(start + step).min(leaves))
}

/// Quadrature points of some leaves as points for ParaView. Point arrays: `cell`,
/// `class`, `u`, `v`, `w` (of the element), `weight`, `det_j`, `measure` (their product, or
/// minus it if all cells are left-handed),
/// `inverse_jacobian` (9 components, `[uvw][xyz]`) and `remainder`, 1 where the point lies
/// in a remainder; of a quadrature of the boundary also `normal` (3 components) and `face`, and
/// `measure` is that of the surface. Basis functions are in the archive only.
///
/// # Errors
/// If a device fails.
pub fn points(mapping: &dyn Physical<'_>, pieces: &[(usize, Range<usize>)]) -> Result<Dataset> {
    let quadrature = mapping.quadrature();
    let solid = quadrature.solid();
    let mut mapped = Mapped::default();
    let (mut positions, mut inverses) = (Vec::<[f64; 3]>::new(), Vec::new());
    let (mut cells, mut classes, mut remainders) = (Vec::new(), Vec::new(), Vec::new());
    let (mut normals, mut faces) = (Vec::new(), Vec::new());
    let dimension = if quadrature.is_boundary() { 2 } else { 3 };
    let mut columns: [Vec<f64>; 6] = Default::default();
    for (b, leaves) in pieces {
        mapping.map(*b, leaves.clone(), &mut mapped)?;
        positions.extend_from_slice(&mapped.points);
        inverses.extend_from_slice(mapped.inverse_jacobians.as_flattened().as_flattened());
        normals.extend_from_slice(mapped.normals.as_flattened());
        let (nodes, parameters) = (quadrature.nodes(*b), quadrature.parameters(*b));
        let batch = &quadrature.batches()[*b];
        if quadrature.is_boundary() {
            for &face in &batch.faces[leaves.clone()] {
                faces.extend(std::iter::repeat_n(face as i32, nodes.len()));
            }
        }
        let size = f64::from(quadrature.kind(*b).1).exp2().recip();
        for &leaf in &batch.leaves[leaves.clone()] {
            let (cell, origin) = (quadrature.element(leaf).cell, quadrature.origin(leaf));
            let class = class_number(solid.classes()[cell as usize]);
            for (s, local) in parameters.iter().enumerate() {
                cells.push(cell as i32);
                classes.push(class);
                remainders.push(u8::from(s >= nodes.exact));
                (0..3).for_each(|d| columns[d].push(origin[d] + size * local[d]));
                columns[3].push(size.powi(dimension) * nodes.weights[s]);
            }
        }
        columns[4].extend_from_slice(&mapped.determinants);
        columns[5].extend_from_slice(&mapped.measures);
    }
    let mut dataset = Dataset::point_cloud(positions);
    let names = ["u", "v", "w", "weight", "det_j", "measure"];
    dataset.point_arrays = vec![Array::new("cell", 1, cells), Array::new("class", 1, classes)];
    let columns = names.into_iter().zip(columns);
    dataset.point_arrays.extend(columns.map(|(name, values)| Array::new(name, 1, values)));
    dataset.point_arrays.push(Array::new("inverse_jacobian", 9, inverses));
    dataset.point_arrays.push(Array::new("remainder", 1, remainders));
    if quadrature.is_boundary() {
        dataset.point_arrays.push(Array::new("normal", 3, normals));
        dataset.point_arrays.push(Array::new("face", 1, faces));
    }
    Ok(dataset)
}
