//! The meshes that queries are tested on, and their incidence by sets of vertices.
//!
//! `SUBSOLID_MODELS` may name a folder with more models, in `solids` and `surfaces`.
#![allow(dead_code)] // each test program uses a part of it

pub mod brute;

use std::path::{Path, PathBuf};

use subsolid::mesh::{CellKind, Polygons, SolidMesh, SurfaceMesh};

use crate::support::meshes;

fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut all = Vec::new();
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            all.extend(files(&path));
        } else {
            all.push(path);
        }
    }
    all.sort();
    all
}

fn models(kind: &str) -> Vec<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    let more = std::env::var_os("SUBSOLID_MODELS").map(PathBuf::from);
    [Some(own), more].into_iter().flatten().flat_map(|folder| files(&folder.join(kind))).collect()
}

pub fn triangles(points: usize, faces: &[[u32; 3]]) -> SurfaceMesh {
    let points = (0..points).map(|i| [i as f64, (i * i % 7) as f64, (i % 3) as f64]).collect();
    SurfaceMesh::new(points, Polygons::uniform(3, faces.as_flattened().to_vec()))
}

/// The models, and surfaces that are hardly any.
pub fn surfaces() -> Vec<(String, SurfaceMesh)> {
    let mut all = vec![
        ("one triangle".to_string(), triangles(3, &[[0, 1, 2]])),
        ("isolated vertices".into(), triangles(7, &[[1, 3, 5]])),
        ("three pages".into(), triangles(5, &[[0, 1, 2], [0, 1, 3], [0, 4, 1]])),
        ("two components".into(), triangles(8, &[[7, 1, 2], [0, 3, 4], [3, 5, 4]])),
        ("one triangle twice".into(), triangles(3, &[[0, 1, 2], [2, 1, 0]])),
        ("sheets at a vertex".into(), triangles(5, &[[0, 1, 2], [0, 3, 4]])),
    ];
    for path in models("surfaces") {
        let name = path.display().to_string();
        match subsolid::read_surface(&path) {
            Ok(mesh) => all.push((name, mesh)),
            // a face that names a vertex twice: no reader takes it
            Err(error) => assert!(path.ends_with("nonman_edges.obj"), "{error}"),
        }
    }
    all
}

/// Two tetrahedra with a triangle in common, both on one side of it: the second is inverted, which
/// topologies turn.
pub fn inverted(as_polyhedron: bool) -> SolidMesh {
    let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.1, 0.1, 0.1]];
    let mut mesh = SolidMesh { points, ..SolidMesh::default() };
    mesh.cells.push(CellKind::Tetrahedron, &[0, 1, 2, 3]);
    let faces: [&[u32]; 4] = [&[1, 2, 3], &[1, 2, 4], &[1, 3, 4], &[2, 3, 4]];
    if as_polyhedron {
        mesh.cells.push_polyhedron(faces)
    } else {
        mesh.cells.push(CellKind::Tetrahedron, &[1, 2, 3, 4])
    }
    mesh
}

/// The models, procedural shapes, mixed cells, blocks that touch in an edge and a vertex, and
/// tetrahedra of which one is inverted.
pub fn solids() -> Vec<(String, SolidMesh)> {
    let mut all = meshes::shapes();
    all.push(("mixed".into(), meshes::mixed()));
    let at = |x: u32, y: u32, z: u32| x + 4 * (y + 4 * z);
    let cube = |[x, y, z]: [u32; 3]| {
        let corner = |i: usize| {
            let [u, v, w] = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]][i % 4];
            at(x + u, y + v, z + w + (i / 4) as u32)
        };
        std::array::from_fn(corner)
    };
    let points = (0..64).map(|i| [i % 4, i / 4 % 4, i / 16].map(f64::from)).collect();
    let touching = [[0, 0, 0], [1, 1, 0], [2, 2, 1]].map(cube);
    all.push(("touching".into(), SolidMesh::from_hexahedra(points, &touching)));
    all.push(("inverted tetrahedron".into(), inverted(false)));
    all.push(("inverted polyhedron".into(), inverted(true)));
    for path in models("solids") {
        let name = path.display().to_string();
        all.push((name, subsolid::read(path).unwrap()));
    }
    all
}
