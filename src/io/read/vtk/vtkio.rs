//! Control meshes from the data model of the crate `vtkio`.

use std::path::Path;

use ::vtkio::model::{
    self, Attributes, DataArray, DataSet, ElementType, FieldArray, IOBuffer, Piece, VertexNumbers,
    Vtk,
};

use super::ghosts::{check_face_ghosts, is_ghosts};
use super::outline::ArraySection;
use super::structured::{GridExtent, ImageFrame};
use super::surface::{push_faces, vertices};
use super::{GivenFaces, KeptCells, UnstructuredGrid, push_cell_array, push_point_array};
use crate::error::{Error, Result};
use crate::io::read::ReadReport;
use crate::io::read::assemble::Assembly;
use crate::io::read::surface::checked;
use crate::mesh::{Attribute, Polygons, SolidMesh, SurfaceMesh};
use crate::numbers::counted;

/// The control mesh in an unstructured, structured or rectilinear grid or an image of `vtk`, and
/// what else it holds.
///
/// As for files: numeric point arrays become attributes, cell arrays stay, `corner_sharpness`,
/// `crease_edges` and `crease_sharpness` become creases (the last two in a field of the point
/// data), high-order cells are taken by their corners. Pieces follow each other.
///
/// # Errors
/// If a piece is a file that was not loaded, numbers of values do not fit, or the data is not a
/// mesh of volume cells.
pub fn solid(vtk: &Vtk) -> Result<(SolidMesh, ReadReport)> {
    let mut assembly = Assembly::new(name(vtk), 0);
    append(&mut assembly, &vtk.data)?;
    assembly.finish()
}

/// The control mesh in the polygons and triangle strips of `vtk`, or in the faces of a grid without
/// volume cells, and what else it holds. Point arrays become attributes and creases as in
/// [`solid`]. Pieces follow each other.
///
/// # Errors
/// If the data holds volume cells or no faces, a piece is a file that was not loaded, numbers of
/// values do not fit, or [`SurfaceMesh::check`] refuses the mesh.
pub fn surface(vtk: &Vtk) -> Result<(SurfaceMesh, ReadReport)> {
    // An assembly without cells: points and arrays are of solids.
    let mut assembly = Assembly::new(name(vtk), 0);
    let found = if matches!(vtk.data, DataSet::PolyData { .. }) {
        let mut faces = Polygons::default();
        append_polygons(&mut assembly, &vtk.data, &mut faces)?;
        assembly.finish_polygons(faces)?
    } else {
        append(&mut assembly, &vtk.data)?;
        assembly.finish_surface()?
    };
    checked(name(vtk), found)
}

fn name(vtk: &Vtk) -> &Path {
    vtk.file_path.as_deref().unwrap_or(Path::new("<vtkio>"))
}

fn append(assembly: &mut Assembly, data: &DataSet) -> Result<()> {
    match data {
        DataSet::UnstructuredGrid { pieces, .. } => {
            each(assembly, pieces, append, |assembly, piece| {
                let first_point = push_points(assembly, &piece.points)?;
                push_grid(assembly, grid(&piece.cells, first_point), &piece.data)
            })
        }
        DataSet::StructuredGrid { pieces, .. } => {
            each(assembly, pieces, append, |assembly, piece| {
                let extent = extent(assembly, &piece.extent)?;
                let first_point = push_points(assembly, &piece.points)?;
                let (have, need) = (assembly.points() - first_point, extent.points());
                if have != need {
                    return Err(assembly
                        .error(None, format!("{}, the extent has {need}", counted(have, "point")))
                        .with_help("give each point of the extent its coordinates"));
                }
                push_grid(assembly, extent.grid(first_point), &piece.data)
            })
        }
        DataSet::RectilinearGrid { pieces, .. } => {
            each(assembly, pieces, append, |assembly, piece| {
                let extent = extent(assembly, &piece.extent)?;
                let axes = [&piece.coords.x, &piece.coords.y, &piece.coords.z];
                let axes: Vec<_> = axes
                    .map(|axis| reals(assembly, "coordinates", axis))
                    .into_iter()
                    .collect::<Result<_>>()?;
                let first_point = assembly.points();
                let points =
                    extent.rectilinear(&axes).map_err(|message| malformed(assembly, message))?;
                push_all(assembly, points)?;
                push_grid(assembly, extent.grid(first_point), &piece.data)
            })
        }
        DataSet::ImageData { origin, spacing, pieces, .. } => {
            let frame = ImageFrame {
                origin: origin.map(f64::from),
                spacing: spacing.map(f64::from),
                ..ImageFrame::default()
            };
            each(assembly, pieces, append, |assembly, piece| {
                let extent = extent(assembly, &piece.extent)?;
                let first_point = assembly.points();
                push_all(assembly, extent.image(&frame))?;
                push_grid(assembly, extent.grid(first_point), &piece.data)
            })
        }
        DataSet::PolyData { .. } => Err(assembly
            .error(None, "polygons are a surface, not a solid")
            .with_help("read them by `io::vtkio::surface`")),
        DataSet::Field { .. } => Err(assembly
            .error(None, "field data alone is not a mesh")
            .with_help("give an unstructured grid")),
    }
}

fn append_polygons(assembly: &mut Assembly, data: &DataSet, faces: &mut Polygons) -> Result<()> {
    let DataSet::PolyData { pieces, .. } = data else {
        return Err(assembly
            .error(None, "the data holds no polygons")
            .with_help("give polygon data; solids are read by `io::vtkio::solid`"));
    };
    // Both closures need the faces; they run one after the other.
    let faces = std::cell::RefCell::new(faces);
    each(
        assembly,
        pieces,
        |assembly, data| append_polygons(assembly, data, &mut faces.borrow_mut()),
        |assembly, piece| {
            let first_point = push_points(assembly, &piece.points)?;
            let points = assembly.points() - first_point;
            for cells in [&piece.verts, &piece.lines] {
                let count = cells.as_ref().map_or(0, VertexNumbers::num_cells);
                assembly.skip_many("vertices and lines", count);
            }
            for (cells, are_strips) in [(&piece.polys, false), (&piece.strips, true)] {
                let (ids, ends) = cells.as_ref().map(vertex_numbers).unwrap_or_default();
                vertices(&ids, first_point, points)
                    .map_err(|(_, message)| message)
                    .and_then(|ids| push_faces(&mut faces.borrow_mut(), &ids, &ends, are_strips))
                    .map_err(|message| {
                        assembly.error(None, message).with_help(
                            "vertices are numbered from 0 to their count less 1, and offsets must \
                             ascend and stay within the connectivity",
                        )
                    })?;
            }
            each_ghosts(assembly, &piece.data, |name, values| {
                check_face_ghosts(assembly.path, ArraySection::CellData, name, values, None)
            })?;
            for array in &piece.data.cell {
                assembly.skip(&format!("cell array `{}`", array.name()));
            }
            push_arrays(assembly, &piece.data, first_point)
        },
    )
}

/// Visits the pieces of a grid: `inline` pieces with their data, `loaded` pieces of other files.
fn each<P>(
    assembly: &mut Assembly,
    pieces: &[Piece<P>],
    mut loaded: impl FnMut(&mut Assembly, &DataSet) -> Result<()>,
    mut inline: impl FnMut(&mut Assembly, &P) -> Result<()>,
) -> Result<()> {
    pieces.iter().try_for_each(|piece| match piece {
        Piece::Inline(piece) => inline(assembly, piece),
        Piece::Loaded(data) => loaded(assembly, data),
        Piece::Source(path, _) => Err(assembly
            .error(None, format!("the piece `{path}` is not loaded"))
            .with_help("call `Vtk::load_all_pieces` first")),
    })
}

fn push_grid(assembly: &mut Assembly, mut grid: UnstructuredGrid, data: &Attributes) -> Result<()> {
    each_ghosts(assembly, data, |name, values| {
        grid.mark_ghosts(name, values);
        Ok(())
    })?;
    let first_point = grid.first_point;
    let kept = grid.assemble(assembly, None)?;
    push_cell_arrays(assembly, data, &kept)?;
    push_arrays(assembly, data, first_point)
}

fn extent(assembly: &Assembly, extent: &model::Extent) -> Result<GridExtent> {
    let (size, first) = match extent {
        model::Extent::Dims(size) => (size.map(|n| n as usize), [0; 3]),
        model::Extent::Ranges(ranges) => (
            std::array::from_fn(|d| {
                let points = i64::from(*ranges[d].end()) - i64::from(*ranges[d].start()) + 1;
                usize::try_from(points).unwrap_or(0)
            }),
            std::array::from_fn(|d| i64::from(*ranges[d].start())),
        ),
    };
    GridExtent::new(size, first).map_err(|message| malformed(assembly, message))
}

fn malformed(assembly: &Assembly, message: String) -> Error {
    assembly.error(None, message).with_help("the file is cut short or malformed; write it again")
}

/// Appends points; returns the id of the first.
fn push_points(assembly: &mut Assembly, buffer: &IOBuffer) -> Result<usize> {
    let first_point = assembly.points();
    let values = reals(assembly, "points", buffer)?;
    let (points, rest) = values.as_chunks::<3>();
    if !rest.is_empty() {
        let count = values.len();
        return Err(assembly
            .error(None, format!("{count} coordinates are not a multiple of 3"))
            .with_help("give three values per point"));
    }
    push_all(assembly, points.iter().copied())?;
    Ok(first_point)
}

fn push_all(assembly: &mut Assembly, mut points: impl Iterator<Item = [f64; 3]>) -> Result<()> {
    points.try_for_each(|point| assembly.push_point(point, None))
}

fn reals(assembly: &Assembly, what: &str, buffer: &IOBuffer) -> Result<Vec<f64>> {
    buffer.cast_into().ok_or_else(|| {
        assembly
            .error(None, format!("{what}: values of type {} are not numbers", buffer.scalar_type()))
            .with_help("give integers or reals")
    })
}

/// The cells of a grid. Polyhedra are face streams in `vtkio`'s legacy form, and have no faces in
/// the other.
fn grid(cells: &model::Cells, first_point: usize) -> UnstructuredGrid {
    let (corners, ends) = vertex_numbers(&cells.cell_verts);
    let types = cells.types.iter().map(|&cell_type| i64::from(cell_type as u8)).collect();
    let faces = match cells.cell_verts {
        VertexNumbers::Legacy { .. } => GivenFaces::InCells,
        VertexNumbers::XML { .. } => GivenFaces::Absent,
    };
    UnstructuredGrid { corners, ends, types, faces, first_point, ..UnstructuredGrid::default() }
}

/// Vertices of all cells, and the end of each cell among them.
fn vertex_numbers(cells: &VertexNumbers) -> (Vec<i64>, Vec<i64>) {
    // What exceeds 63 bits is refused as a vertex below 0.
    let signed = |&n: &u64| i64::try_from(n).unwrap_or(-1);
    match cells {
        VertexNumbers::XML { connectivity, offsets } => {
            // Files of legacy version 5 begin with the start of the first cell.
            let ends = offsets.strip_prefix(&[0]).unwrap_or(offsets);
            (connectivity.iter().map(signed).collect(), ends.iter().map(signed).collect())
        }
        VertexNumbers::Legacy { vertices, .. } => {
            let (mut corners, mut ends) = (Vec::new(), Vec::new());
            let mut rest = &vertices[..];
            while let Some((&count, others)) = rest.split_first() {
                let (cell, others) = others.split_at(others.len().min(count as usize));
                corners.extend(cell.iter().map(|&v| i64::from(v)));
                // A list that is cut short ends beyond the corners, and is refused.
                ends.push(corners.len() as i64 + i64::from(count) - cell.len() as i64);
                rest = others;
            }
            (corners, ends)
        }
    }
}

/// Appends the cell arrays of a grid, of the cells that were kept.
fn push_cell_arrays(assembly: &mut Assembly, data: &Attributes, kept: &KeptCells) -> Result<()> {
    let push = |assembly: &mut Assembly, name: &String, width: usize, data: &IOBuffer| {
        if matches!(data, IOBuffer::Bit(_)) {
            assembly.skip(&format!("cell array `{name}` of bits"));
            return Ok(());
        }
        let values = reals(assembly, name, data)?;
        let of_integers = !matches!(data, IOBuffer::F32(_) | IOBuffer::F64(_));
        let array = Attribute { name: name.clone(), width, values };
        push_cell_array(assembly, array, of_integers, kept, None)
    };
    for attribute in &data.cell {
        match attribute {
            model::Attribute::DataArray(DataArray {
                name, elem: ElementType::LookupTable, ..
            }) => assembly.skip(&format!("lookup table `{name}`")),
            model::Attribute::DataArray(array) => {
                push(assembly, &array.name, array.elem.num_comp() as usize, &array.data)?;
            }
            model::Attribute::Field { data_array, .. } => {
                for FieldArray { name, elem, data } in data_array {
                    push(assembly, name, *elem as usize, data)?;
                }
            }
        }
    }
    Ok(())
}

/// Visits the arrays of cells that mark ghosts.
fn each_ghosts(
    assembly: &Assembly,
    data: &Attributes,
    mut visit: impl FnMut(&str, &[f64]) -> Result<()>,
) -> Result<()> {
    let mut check = |name: &str, data: &IOBuffer| {
        if is_ghosts(name) { visit(name, &reals(assembly, name, data)?) } else { Ok(()) }
    };
    data.cell.iter().try_for_each(|attribute| match attribute {
        model::Attribute::DataArray(array) => check(&array.name, &array.data),
        model::Attribute::Field { data_array, .. } => {
            data_array.iter().try_for_each(|array| check(&array.name, &array.data))
        }
    })
}

fn push_arrays(assembly: &mut Assembly, data: &Attributes, first_point: usize) -> Result<()> {
    for attribute in &data.point {
        match attribute {
            model::Attribute::DataArray(DataArray {
                name, elem: ElementType::LookupTable, ..
            }) => {
                assembly.skip(&format!("lookup table `{name}`"));
            }
            model::Attribute::DataArray(array) => {
                let width = array.elem.num_comp() as usize;
                push_array(assembly, &array.name, width, &array.data, first_point)?;
            }
            model::Attribute::Field { data_array, .. } => {
                for FieldArray { name, elem, data } in data_array {
                    let width = *elem as usize;
                    let points = assembly.points() - first_point;
                    if data.len() == points.saturating_mul(width) {
                        push_array(assembly, name, width, data, first_point)?;
                    } else {
                        let values = reals(assembly, name, data)?;
                        let field = Attribute { name: name.clone(), width, values };
                        assembly.push_field(field, None)?;
                    }
                }
            }
        }
    }
    Ok(())
}

fn push_array(
    assembly: &mut Assembly,
    name: &str,
    width: usize,
    data: &IOBuffer,
    first_point: usize,
) -> Result<()> {
    if matches!(data, IOBuffer::Bit(_)) {
        assembly.skip(&format!("vertex array `{name}` of bits"));
        return Ok(());
    }
    let values = reals(assembly, name, data)?;
    let array = Attribute { name: name.into(), width, values };
    let of_integers = !matches!(data, IOBuffer::F32(_) | IOBuffer::F64(_));
    push_point_array(assembly, array, of_integers, first_point, None)
}
