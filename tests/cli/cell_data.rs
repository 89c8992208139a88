//! Arrays of the cells, from the model to what the program writes.

use std::fs;
use std::path::Path;

use subsolid::io::{ArrayData, Points, WriteOptions, read};
use subsolid::limit::Solid;
use subsolid::mesh::CellArray;
use subsolid::plan::Want;
use subsolid::quadrature::{Mapping, Quadrature, QuadratureScheme, points};
use subsolid::volume::add_cell_data;
use tempfile::{TempDir, tempdir};

use crate::json;
use crate::program::{done, run};

/// Two by one by one cells with a material, fibres and an array named as one of the outputs.
fn with_materials() -> TempDir {
    let directory = tempdir().unwrap();
    let path = directory.path().join("model.vtu");
    let mut mesh = crate::support::meshes::block([2, 1, 1]);
    mesh.cell_data = vec![
        CellArray::new("material", 1, vec![40.0, 7.0], true),
        CellArray::new("fibre", 3, vec![0.1, 0.2, 0.3, 0.4, 0.5, 0.6], false),
        CellArray::new("class", 1, vec![5.0, 6.0], true),
        CellArray::new("volume", 1, vec![5.0, 6.0], false),
        CellArray::group("half", 2, [1]),
    ];
    subsolid::write(path, &mesh, WriteOptions::default()).unwrap();
    directory
}

fn cell_array(path: &Path, name: &str) -> CellArray {
    let mesh = read(path).unwrap();
    let found = mesh.cell_data.into_iter().find(|array| array.name == name);
    found.unwrap_or_else(|| panic!("{}: no `{name}`", path.display()))
}

#[test]
fn they_are_listed() {
    let directory = with_materials();
    let here = directory.path();
    let summary = json(here, "info model.vtu --json");
    assert_eq!(summary["cell_data"]["material"]["cells"]["40"], 1);
    assert_eq!(summary["cell_data"]["fibre"]["width"], 3);
    let text = done(here, "info model.vtu");
    assert!(text.contains("material, width 1: 1 of 7, 1 of 40"), "{text}");
    assert!(text.contains("fibre, width 3\n"), "{text}");
}

#[test]
fn refined_cells_have_them() {
    let directory = with_materials();
    let here = directory.path();
    for output in ["fine.vtu", "fine.vtk", "fine.pvtu"] {
        done(here, &format!("refine model.vtu --levels 1 -o {output}"));
        let material = cell_array(&here.join(output), "material");
        assert_eq!(material.values, [[40.0; 8], [7.0; 8]].concat(), "{output}");
        assert!(material.integers, "{output}");
        let fibre = cell_array(&here.join(output), "fibre");
        assert_eq!(fibre.values, [[0.1, 0.2, 0.3].repeat(8), [0.4, 0.5, 0.6].repeat(8)].concat());
    }
}

#[test]
fn evaluated_cells_have_them() {
    let directory = with_materials();
    let here = directory.path();
    let told = "cell arrays class are left out";
    // samples, and cells of a cell of the model
    for (request, output, cells) in [
        ("--samples 3", "a.vtu", 8),
        ("--samples 3 --levels 1", "b.vtu", 64),
        ("--samples 3", "c.pvtu", 8),
        ("--samples 3 --precision f32", "d.vtk", 8),
        ("--samples 4 --cells lagrange", "e.vtu", 1),
    ] {
        let (code, _, stderr) = run(here, &format!("evaluate model.vtu {request} -o {output}"));
        assert_eq!(code, 0, "{stderr}");
        assert_eq!(stderr.matches(told).count(), 1, "{request}: {stderr}");
        let material = cell_array(&here.join(output), "material");
        assert_eq!(material.values, [vec![40.0; cells], vec![7.0; cells]].concat(), "{request}");
        assert!(material.integers);
        assert_eq!(cell_array(&here.join(output), "fibre").values.len(), 6 * cells);
        // our own, not the model's
        assert!(cell_array(&here.join(output), "class").values.iter().all(|&class| class < 4.0));
    }
}

/// Text of all XML tags of a file.
fn tags(path: &Path) -> String {
    let bytes = fs::read(path).unwrap();
    String::from_utf8_lossy(&bytes[..bytes.len().min(8000)]).into_owned()
}

#[test]
fn quadrature_points_have_them() {
    let directory = with_materials();
    let here = directory.path();
    for boundary in ["", "--boundary"] {
        let command = format!("quadrature model.vtu --gauss 2 --rings 1 {boundary}");
        let (code, _, stderr) = run(here, &format!("{command} -o q.npz"));
        assert_eq!(code, 0, "{stderr}");
        let archive = here.join("q.npz");
        let materials = crate::npz::array::<i64>(&archive, "cell/material");
        assert_eq!(materials, (vec![2], vec![40, 7]));
        assert_eq!(crate::npz::array::<u8>(&archive, "cell/group_half"), (vec![2], vec![0, 1]));
        let (shape, fibres) = crate::npz::array::<f64>(&archive, "cell/fibre");
        assert_eq!((shape, fibres[5]), (vec![2, 3], 0.6));
        assert!(stderr.contains("cell arrays volume are left out"), "{stderr}");
        for output in ["q.vtu", "q.pvtu"] {
            let (code, _, stderr) = run(here, &format!("{command} -o {output}"));
            assert_eq!(code, 0, "{stderr}");
            assert_eq!(stderr.matches("cell arrays class are left out").count(), 1, "{stderr}");
            let tags = tags(&here.join(output));
            assert!(tags.contains("type=\"Int64\" Name=\"material\""), "{tags}");
            assert!(tags.contains("Name=\"fibre\" NumberOfComponents=\"3\""), "{tags}");
        }
    }
}

#[test]
fn every_point_has_the_value_of_its_cell() {
    let mut mesh = crate::support::meshes::block([2, 1, 1]);
    mesh.cell_data = vec![CellArray::new("fibre", 2, vec![0.1, 0.2, 0.3, 0.4], false)];
    let solid = Solid::new(&mesh).unwrap();
    let scheme = QuadratureScheme { gauss: 2, rings: Some(1) };
    let quadrature = Quadrature::new(&solid, scheme, Want::FIRST).unwrap();
    let mapping = Mapping::new(&quadrature, mesh.controls()).unwrap();
    let mut dataset = points(&mapping, 0..solid.leaves().len()).unwrap();
    assert_eq!(add_cell_data(&mut dataset, &mesh.cell_data), [""; 0]);
    let data = |name: &str| &dataset.point_arrays.iter().find(|a| a.name == name).unwrap().data;
    let (ArrayData::F64(fibres), ArrayData::F64(measures)) = (data("fibre"), data("measure"))
    else {
        panic!("they are reals")
    };
    let Points::F64(places) = &dataset.points else { panic!("they are in double precision") };
    assert_eq!(fibres.len(), 2 * places.len());
    let mut volumes = [0.0; 2];
    for ((fibre, measure), point) in fibres.chunks(2).zip(measures).zip(places) {
        // the block is symmetric about x = 1
        let cell = usize::from(point[0] > 1.0);
        assert_eq!(fibre, [[0.1, 0.2], [0.3, 0.4]][cell]);
        volumes[cell] += measure;
    }
    assert!((volumes[0] - volumes[1]).abs() < 1e-14 && volumes[0] > 0.1, "{volumes:?}");
}
