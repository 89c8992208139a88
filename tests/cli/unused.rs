//! Vertices of no cell, such as reference nodes and centers of arcs: nothing depends on where they
//! are. Each job runs on a model without and with one far away, and writes the same.

use std::fs;
use std::path::Path;

use subsolid::mesh::{Attribute, SolidMesh};
use subsolid::{WriteOptions, read};
use tempfile::tempdir;

use crate::program::{done, run};

/// The mesh with a vertex before all others, at which attributes are `value`.
fn with_vertex(mut mesh: SolidMesh, vertex: [f64; 3], value: f64) -> SolidMesh {
    let numbered = |cells: &[u32]| cells.iter().map(|v| v + 1).collect::<Vec<_>>();
    mesh.points.insert(0, vertex);
    for Attribute { width, values, .. } in &mut mesh.attributes {
        values.splice(0..0, vec![value; *width]);
    }
    let corners = numbered(mesh.cells.hexahedra().unwrap().as_flattened());
    let attributes = std::mem::take(&mut mesh.attributes);
    let moved = SolidMesh::from_hexahedra(mesh.points, corners.as_chunks().0);
    SolidMesh { attributes, ..moved }
}

/// Writes `m.vtu` to the folders `plain` and `far` of `here`.
fn write_both(here: &Path, mesh: &SolidMesh, vertex: [f64; 3]) {
    for (name, mesh) in [("plain", mesh), ("far", &with_vertex(mesh.clone(), vertex, 1e9))] {
        fs::create_dir_all(here.join(name)).unwrap();
        subsolid::write(here.join(name).join("m.vtu"), mesh, WriteOptions::default()).unwrap();
    }
}

fn assert_same(here: &Path, job: &str, output: &str) {
    let [plain, far] = ["plain", "far"].map(|name| {
        done(&here.join(name), job);
        fs::read(here.join(name).join(output)).unwrap()
    });
    assert!(plain == far, "{job}: {output} differs");
}

/// A creased box whose heights are an attribute.
fn model(here: &Path) -> SolidMesh {
    done(here, "shape box 3 2 2 -o box.vtu");
    let mut mesh = read(here.join("box.vtu")).unwrap();
    let values = mesh.points.iter().map(|p| p[2]).collect();
    mesh.attributes = vec![Attribute { name: "height".into(), width: 1, values }];
    mesh
}

#[test]
fn layers_do_not_depend_on_unused_vertices() {
    let here = tempdir().unwrap();
    let here = here.path();
    write_both(here, &model(here), [1e7, 0.0, 0.0]);
    let slice = "slice m.vtu --layer-height 0.5";
    assert_same(here, &format!("{slice} --cli m.cli"), "m.cli");
    assert_same(here, &format!("{slice} --svg d"), "d/00001_z0.750.svg");
    assert_same(here, &format!("{slice} --svg e --thread-ranks 2"), "e/00001_z0.750.svg");
    let images = format!("{slice} --pixel 0.1 --png p --attribute height");
    assert_same(here, &images, "p/height/00001_z0.750.png");
    let images = format!("{slice} --pixel 0.1 --png q --attribute height --thread-ranks 2");
    assert_same(here, &images, "q/height/00001_z0.750.png");
    for name in ["plain", "far"] {
        let at = here.join(name);
        done(&at, "boundary m.vtu -o skin.obj");
        if name == "far" {
            let text = fs::read_to_string(at.join("skin.obj")).unwrap();
            fs::write(at.join("skin.obj"), text + "v 1e7 0 0\n").unwrap();
        }
    }
    assert_same(here, "slice skin.obj --layer-height 0.5 --cli s.cli", "s.cli");
    assert_same(here, "surface skin.obj --levels 1 -o s.glb", "s.glb");
    assert_same(here, "view skin.obj -o v.glb", "v.glb");
    let (_, _, said) = run(&here.join("far"), "surface skin.obj --levels 1 -o s.glb");
    assert!(said.contains("1 vertex of no face"), "{said}");
}

#[test]
fn pages_and_places_do_not_depend_on_unused_vertices() {
    let here = tempdir().unwrap();
    let here = here.path();
    write_both(here, &model(here), [1e7, 0.0, 0.0]);
    assert_same(here, "view m.vtu -o v.glb --color height", "v.glb");
    for name in ["plain", "far"] {
        fs::write(here.join(name).join("p.csv"), "x,y,z\n1.1,0.7,0.3\n9,1,1\n").unwrap();
    }
    assert_same(here, "locate m.vtu --points p.csv -o q.csv", "q.csv");
}

/// Refined cells far from 0 have all digits, also if an unused vertex is at 0.
#[test]
fn digits_far_from_zero_do_not_depend_on_unused_vertices() {
    let here = tempdir().unwrap();
    let here = here.path();
    let mut mesh = read("models/bracket.vtk").unwrap();
    mesh.points.iter_mut().flatten().for_each(|x| *x += 1e6);
    write_both(here, &mesh, [0.0; 3]);
    assert_same(here, "evaluate m.vtu --gauss 2 --derivatives 1 -o g.csv", "g.csv");
    assert_same(here, "evaluate m.vtu --gauss 2 -o h.pvtu --thread-ranks 2", "h/h_0000.vtu");
}
