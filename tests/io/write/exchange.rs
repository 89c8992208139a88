//! Files in pieces and in versions that other programs read, read back.

use std::fs;
use std::path::Path;

use subsolid::io::{
    Array, Dataset, DatasetCells, PieceWriter, WriteOptions, read, vtk_type, write,
};
use tempfile::tempdir;

use super::atomic::report;

const OPTIONS: WriteOptions = WriteOptions { compress: false, format: None };

/// A unit cube at x = `at`, with one array.
fn cube(at: f64, heat: f64) -> Dataset {
    let corners = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]];
    let points: Vec<[f64; 3]> = (0..2)
        .flat_map(|z| corners.map(|[x, y, _]| [at + f64::from(x), f64::from(y), f64::from(z)]))
        .collect();
    let cells = DatasetCells::Uniform {
        vtk_type: vtk_type::HEXAHEDRON,
        size: 8,
        connectivity: (0..8).collect(),
    };
    let mut dataset = Dataset::new(points, cells);
    dataset.point_arrays.push(Array::new("heat", 1, vec![heat; 8]));
    dataset
}

fn pieces(path: &Path, cubes: &[Dataset]) {
    let mut writer = PieceWriter::create(path, OPTIONS).unwrap();
    cubes.iter().for_each(|cube| writer.push(cube).unwrap());
    writer.finish().unwrap();
}

#[test]
fn pieces_are_read_as_one_mesh() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("a.pvtu");
    pieces(&path, &[cube(0.0, 1.0), cube(1.0, 2.0)]);
    let mesh = read(&path).unwrap();
    assert_eq!((mesh.points.len(), mesh.cells.len()), (12, 2));
    assert_eq!(mesh.cells.vertices(0), [0, 1, 2, 3, 4, 5, 6, 7]);
    // the side x = 1 is that of the first piece, with its values
    assert_eq!(mesh.cells.vertices(1), [1, 8, 9, 2, 5, 10, 11, 6]);
    assert_eq!(mesh.points[8], [2.0, 0.0, 0.0]);
    assert_eq!(mesh.attributes[0].values, [1., 1., 1., 1., 1., 1., 1., 1., 2., 2., 2., 2.]);
}

#[test]
fn equal_points_of_one_piece_stay_apart() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("a.pvtu");
    let (mut both, second) = (cube(0.0, 0.0), cube(0.0, 0.0));
    let subsolid::io::Points::F64(points) = &mut both.points else { unreachable!() };
    points[6] = points[5];
    pieces(&path, &[both, second]);
    let mesh = read(&path).unwrap();
    // 8, and the corner (1, 1, 1) of the second piece
    assert_eq!(mesh.points.len(), 9);
    assert_eq!(mesh.cells.vertices(1), [0, 1, 2, 3, 4, 5, 8, 7]);
}

#[test]
fn a_missing_piece_and_a_bad_one_are_named() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("a.pvtu");
    pieces(&path, &[cube(0.0, 1.0), cube(1.0, 2.0)]);
    let second = directory.path().join("a/a_0001.vtu");
    let bytes = fs::read(&second).unwrap();
    fs::write(&second, &bytes[..bytes.len() / 2]).unwrap();
    assert!(report(read(&path).map(drop)).contains("a_0001.vtu"));
    fs::remove_file(&second).unwrap();
    let missing = report(read(&path).map(drop));
    assert!(missing.contains("a.pvtu") && missing.contains("a_0001.vtu"), "{missing}");
}

#[test]
fn only_high_order_cells_need_version_2_2() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("a.pvtu");
    let piece = directory.path().join("a/a_0000.vtu");
    for (number, version) in [(vtk_type::HEXAHEDRON, "1.0"), (vtk_type::LAGRANGE_HEXAHEDRON, "2.2")]
    {
        let mut dataset = cube(0.0, 1.0);
        let DatasetCells::Uniform { vtk_type, .. } = &mut dataset.cells else { unreachable!() };
        *vtk_type = number;
        write(&path, &dataset, OPTIONS).unwrap();
        for file in [&path, &piece] {
            let text = fs::read(file).unwrap();
            let text = String::from_utf8_lossy(&text);
            assert!(text.contains(&format!("version=\"{version}\" byte_order")), "{text}");
        }
        // A Lagrange hexahedron of order 1 is read by its corners.
        assert_eq!(read(&path).unwrap().cells.vertices(0), [0, 1, 2, 3, 4, 5, 6, 7]);
    }
}

#[test]
fn quadratic_cells_are_read_by_their_corners() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("a.vtu");
    for (number, size) in [(25, 20), (29, 27), (72, 27), (79, 27)] {
        let mut dataset = cube(0.0, 1.0);
        let subsolid::io::Points::F64(points) = &mut dataset.points else { unreachable!() };
        points.extend((8..size).map(|i| [i as f64, 0.25, 0.5]));
        dataset.cells = DatasetCells::Uniform {
            vtk_type: number,
            size,
            connectivity: (0..size as u32).collect(),
        };
        dataset.point_arrays[0] = Array::new("heat", 1, vec![3.0; size]);
        write(&path, &dataset, OPTIONS).unwrap();
        let (mesh, left_out) = subsolid::io::read_with_report(&path).unwrap();
        assert_eq!((mesh.points.len(), mesh.cells.len()), (8, 1), "type {number}");
        assert_eq!(mesh.attributes[0].values, [3.0; 8]);
        let left_out = left_out.left_out().unwrap();
        assert!(left_out.contains(&format!("VTK type {number}: 1")), "{left_out}");
    }
}
