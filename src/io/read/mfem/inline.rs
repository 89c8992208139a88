//! "MFEM INLINE mesh v1.0": a box of hexahedra by its numbers of cells and its size.

use crate::error::Result;
use crate::io::read::assemble::Assembly;
use crate::io::read::lines::{Text, shown};
use crate::mesh::groups::face_group_name;
use crate::mesh::{CORNERS, VolumeShape};

use super::BOUNDARY_ATTRIBUTE;

/// Bytes that a cell takes while the mesh is made, about, its vertex and its faces included.
const CELL_BYTES: u64 = 256;

/// Attributes of the sides x = 0, x = sx, y = 0 and so on (`Mesh::MakeCartesian3D`).
const SIDES: [i64; 6] = [5, 3, 2, 4, 1, 6];

/// Reads a file behind its title; cells take at most `most` bytes.
pub(super) fn read(text: Text<'_>, most: u64) -> Result<Assembly<'_>> {
    let mut text = text.with_marks(b"=;");
    let mut cells = [0_usize; 3];
    let mut size = [0.0; 3];
    while let Some(word) = text.word() {
        let axis = |letter: u8| usize::from(letter - b'x');
        if word == b";" {
            continue;
        }
        if !text.accept("=") {
            return Err(text.unexpected(word, "`name = value`", "save the mesh again"));
        }
        match *word {
            [b'n', b'x'..=b'z'] => cells[axis(word[1])] = text.count("a number of cells")?,
            [b's', b'x'..=b'z'] => size[axis(word[1])] = text.real("a length")?,
            [b't', b'y', b'p', b'e'] => match text.required("a type of cells")? {
                b"hex" => {}
                other => {
                    let what = format!("an inline mesh of type `{}`", shown(other));
                    let help = "only hex is read; save the mesh with `Mesh::Print`";
                    return Err(text.error(what).with_help(help));
                }
            },
            _ => {
                return Err(text.unexpected(
                    word,
                    "type, nx to nz or sx to sz",
                    "save the mesh again",
                ));
            }
        }
    }
    if cells.contains(&0) || size.iter().any(|length| !(length.is_finite() && *length > 0.0)) {
        let what = "`nx`, `ny`, `nz`, `sx`, `sy` and `sz` must be there and positive";
        return Err(text.error(what).with_help("give a box of three dimensions"));
    }
    let count = cells.iter().try_fold(1_u64, |count, n| count.checked_mul(*n as u64));
    if count.and_then(|count| count.checked_mul(CELL_BYTES)).is_none_or(|bytes| bytes > most) {
        let [x, y, z] = cells;
        let help = "give it fewer cells, or allow more memory";
        return Err(text.error(format!("{x} × {y} × {z} cells")).with_help(help));
    }
    grid(&text, cells, size)
}

fn grid<'a>(text: &Text<'a>, cells: [usize; 3], size: [f64; 3]) -> Result<Assembly<'a>> {
    let mut assembly = Assembly::new(text.path(), 0);
    let points = cells.map(|n| n + 1);
    let all = |[n, m, l]: [usize; 3]| {
        (0..l).flat_map(move |k| (0..m).flat_map(move |j| (0..n).map(move |i| [i, j, k])))
    };
    for at in all(points) {
        let point = [0, 1, 2].map(|d| at[d] as f64 / cells[d] as f64 * size[d]);
        assembly.push_point(point, None)?;
    }
    for at in all(cells) {
        let vertex = |c: [usize; 3]| {
            let [i, j, k] = [0, 1, 2].map(|d| at[d] + c[d]);
            (i + points[0] * (j + points[1] * k)) as u32
        };
        assembly.push_cell(VolumeShape::Hexahedron, &CORNERS.map(vertex), None)?;
        for (side, attribute) in SIDES.into_iter().enumerate() {
            let (axis, end) = (side / 2, side % 2);
            if at[axis] == end * (cells[axis] - 1) {
                let [a, b] = [(axis + 1) % 3, (axis + 2) % 3];
                let corners = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[x, y]| {
                    let mut corner = [0; 3];
                    (corner[axis], corner[a], corner[b]) = (end, x, y);
                    vertex(corner)
                });
                let face = assembly.groups.push_face("boundary elements", &corners, &[]);
                let name = face_group_name(BOUNDARY_ATTRIBUTE, attribute);
                assembly.groups.group_face(&name, face);
            }
        }
    }
    Ok(assembly)
}
