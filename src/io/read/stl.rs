//! STL, ASCII and binary, through the crate `stl_io`, which welds equal corners to
//! vertices: triangles of one surface share vertices only where their coordinates are
//! equal to the last bit.
//!
//! Normals follow from the triangles and are left out. Triangles two of whose corners
//! coincide have no area: they are left out and reported.

use std::io::Cursor;
use std::path::Path;

use super::ReadReport;
use crate::mesh::{Polygons, SurfaceMesh};
use crate::{Error, Result};

/// Reads an STL file that is already in memory.
pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<(SurfaceMesh, ReadReport)> {
    let mesh = stl_io::read_stl(&mut Cursor::new(bytes)).map_err(|error| {
        let message: String =
            error.to_string().chars().filter(|c| !c.is_control()).take(300).collect();
        Error::file(path, None, format!("no STL: {message}"))
            .with_mend("the file is malformed or cut short; export it again")
    })?;
    let points = mesh.vertices.iter().map(|v| v.0.map(f64::from)).collect();
    let mut corners = Vec::with_capacity(3 * mesh.faces.len());
    for face in &mesh.faces {
        let [a, b, c] = face.vertices.map(|v| v as u32);
        if a != b && b != c && c != a {
            corners.extend([a, b, c]);
        }
    }
    let collapsed = mesh.faces.len() - corners.len() / 3;
    let mut report = ReadReport::default();
    if collapsed > 0 {
        report.skipped.push(format!("{collapsed} triangles without area"));
    }
    Ok((SurfaceMesh::new(points, Polygons::uniform(3, corners)), report))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_are_welded_in_both_forms() {
        let facet = |corners: &str| {
            let vertices: String =
                corners.split(',').map(|corner| format!("vertex {corner}\n")).collect();
            format!("facet normal 0 0 1\nouter loop\n{vertices}endloop\nendfacet\n")
        };
        let text = format!(
            "solid a\n{}{}{}endsolid a\n",
            facet("0 0 0,1 0 0,1 1 0"),
            facet("0 0 0,1 1 0,0 1 0"),
            facet("0 0 0,1 1 0,0 0 0")
        );
        let (ascii, report) = read(Path::new("a.stl"), text.as_bytes()).unwrap();
        assert_eq!(ascii.points.len(), 4);
        assert_eq!(ascii.faces.vertices(), [0, 1, 2, 0, 2, 3]);
        assert_eq!(report.skipped, ["1 triangles without area"]);

        let mut binary = vec![0; 80];
        binary.extend(2u32.to_le_bytes());
        for face in ascii.faces.iter() {
            binary.extend([0; 12]);
            for &v in face {
                ascii.points[v as usize].iter().for_each(|&x| {
                    binary.extend((x as f32).to_le_bytes());
                });
            }
            binary.extend([0; 2]);
        }
        assert_eq!(read(Path::new("a.stl"), &binary).unwrap().0, ascii);
        binary[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(read(Path::new("a.stl"), &binary).is_err());
    }
}
