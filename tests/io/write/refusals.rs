//! What cannot be written is refused before any work, with how to fix it.

use std::fs;

use subsolid::io::{
    Array, Dataset, DatasetCells, Format, MixedCells, PolyhedronFaces, WriteOptions, check_output,
    hexahedron_order, vtk_type, write,
};
use tempfile::tempdir;

use super::atomic::{names, report};
use super::models::{box_dataset, mixed_mesh};

#[test]
fn formats_by_ending() {
    let directory = tempdir().unwrap();
    for (name, format) in [
        ("a.vtu", Format::Vtu),
        ("a.b.VTK", Format::Vtk),
        ("a.Pvtu", Format::Pvtu),
        ("a.csv", Format::Csv),
        ("a.npz", Format::Npz),
    ] {
        assert_eq!(check_output(directory.path().join(name)).unwrap(), format);
    }
    assert!(names(directory.path()).is_empty(), "a check leaves nothing");
}

#[test]
fn unknown_endings_list_the_known_ones() {
    for name in ["a.xyz", "a", ".vtu", "a.vtu.gz", ""] {
        let report = report(check_output(name).map(drop));
        assert!(report.ends_with(".csv, .npz, .msh, .inp, .mesh, .exo"), "{name}: {report}");
    }
}

#[test]
fn unusable_places_are_refused_early() {
    let directory = tempdir().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, "").unwrap();
    let missing = report(check_output(directory.path().join("no/a.vtu")).map(drop));
    assert!(missing.contains("create its directory"), "{missing}");
    report(check_output(file.join("a.vtu")).map(drop));
}

#[test]
fn high_order_cells_are_refused_in_legacy_files() {
    let directory = tempdir().unwrap();
    let points: Vec<[f64; 3]> =
        hexahedron_order(2).iter().map(|node| node.map(|i| i as f64)).collect();
    let connectivity = (0..27).collect();
    let cells =
        DatasetCells::Uniform { vtk_type: vtk_type::LAGRANGE_HEXAHEDRON, size: 27, connectivity };
    let dataset = Dataset::new(points, cells);
    let path = directory.path().join("a.vtk");
    let report = report(write(path, &dataset, WriteOptions::default()));
    assert!(report.contains("write a .vtu file"), "{report}");
}

/// Every way in which a dataset can contradict itself is found.
#[test]
fn contradictions_are_found() {
    type Spoil = fn(&mut Dataset);
    fn mixed(dataset: &mut Dataset) -> &mut MixedCells {
        match &mut dataset.cells {
            DatasetCells::Mixed(cells) => cells,
            DatasetCells::Uniform { .. } => unreachable!("the mesh is mixed"),
        }
    }
    fn faces(dataset: &mut Dataset) -> &mut PolyhedronFaces {
        mixed(dataset).faces.as_mut().unwrap()
    }
    let spoils: [(&str, Spoil); 13] = [
        ("names point 16 of 16", |d| mixed(d).connectivity[3] = 16),
        ("names point 99 of 16", |d| faces(d).stream[2] = 99),
        ("5 cell types", |d| mixed(d).ends.truncate(4)),
        ("5 cell types", |d| faces(d).ends.truncate(4)),
        ("cell 1: its points end", |d| mixed(d).ends[1] = 3),
        ("cell 4: its points end", |d| mixed(d).ends[4] += 1),
        ("after the last cell", |d| mixed(d).connectivity.push(0)),
        ("cell 1: a polyhedron needs faces", |d| mixed(d).faces = None),
        ("cell 2: a polyhedron needs faces", |d| faces(d).ends[2] = 30),
        ("cell 1: its faces", |d| faces(d).stream[0] = 6),
        ("cell 1: its faces", |d| faces(d).stream[1] = u32::MAX),
        ("cell 4: its faces", |d| faces(d).ends[4] = i64::MAX),
        ("array name \"\\n\"", |d| d.field_arrays.push(Array::new("\n", 1, vec![0u8]))),
    ];
    Dataset::from(&mixed_mesh()).check().unwrap();
    for (expected, spoil) in spoils {
        let mut dataset = Dataset::from(&mixed_mesh());
        spoil(&mut dataset);
        let message = dataset.check().expect_err(expected).to_string();
        assert!(message.contains(expected), "{message}, not {expected}");
    }
    let mut twice = box_dataset(1);
    twice.cell_arrays[1].name = twice.cell_arrays[0].name.clone();
    assert!(report(twice.check()).contains("two cell arrays are named"));
    // an attribute that has the name of a result
    let mut twice = box_dataset(1);
    let array = Array::new("det_j", 1, vec![0.0; twice.points.len()]);
    twice.point_arrays.extend([array.clone(), array]);
    let help = twice.check().unwrap_err().help().unwrap().to_string();
    assert!(help.contains("mesh.point_data.pop(\"det_j\")"), "{help}");
}
