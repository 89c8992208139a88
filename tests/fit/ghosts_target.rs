//! Fits of solids with ghosts to targets.

use std::collections::BTreeSet;

use subsolid::backend::{Backend, Cpu};
use subsolid::extend::extend;
use subsolid::io::ControlMesh;
use subsolid::jobs::extend::ExtendRequest;
use subsolid::jobs::fit::{FitAttributes, FitReport, FitRequest, FitTarget};
use subsolid::mesh::shape::Shape;
use subsolid::mesh::{Attribute, CellArray, Polygons, SolidMesh, SurfaceMesh};
use subsolid::plan::{Samples, Want};
use subsolid::surface::boundary_surface;
use subsolid::{Limit, Solid};

use crate::shapes::cylinder;

/// Samples along each axis of a cell.
const GRID: usize = 5;

fn limit(mesh: &SolidMesh) -> Limit {
    let solid = Solid::new(mesh).unwrap();
    let plan = solid.plan(&Samples::grid(GRID), Want::POSITION).unwrap();
    Cpu::default().evaluate(&plan, mesh.controls()).unwrap()
}

/// A pair of vertices, the least first.
fn key(a: u32, b: u32) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

/// The limit at samples of some edges of the cells of a solid of hexahedra.
fn on_edges(mesh: &SolidMesh, edges: &BTreeSet<[u32; 2]>) -> Vec<[f64; 3]> {
    let limit = limit(mesh);
    let solid = Solid::new(mesh).unwrap();
    // corners of hexahedra of VTK
    let place = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]];
    let place = |i: usize| [place[i % 4][0], place[i % 4][1], i / 4].map(|x: usize| (GRID - 1) * x);
    let mut found = Vec::new();
    for (e, element) in solid.elements().iter().enumerate() {
        for (i, j) in (0..8).flat_map(|i| (0..i).map(move |j| (i, j))) {
            if !edges.contains(&key(element.corners[i], element.corners[j])) {
                continue;
            }
            let [from, to] = [place(i), place(j)];
            for k in 0..GRID {
                let at = [0, 1, 2].map(|d| (from[d] * (GRID - 1 - k) + to[d] * k) / (GRID - 1));
                let sample = at[0] + GRID * (at[1] + GRID * at[2]);
                found.push(limit.positions.triple(GRID.pow(3) * e + sample));
            }
        }
    }
    found
}

/// The edges at which faces of a surface turn by more than an angle, with their numbers in the solid.
fn sharp_edges(mesh: &SolidMesh, degrees: f64) -> BTreeSet<[u32; 2]> {
    let mut creased = mesh.clone();
    subsolid::refine::crease_by_angle(&mut creased, degrees).unwrap();
    creased
        .creases
        .edges
        .iter()
        .map(|crease| crease.edge().map(|v| v.0))
        .map(|[a, b]| key(a, b))
        .collect()
}

fn distance_to_segment(x: [f64; 3], [a, b]: [[f64; 3]; 2]) -> f64 {
    let sub = |a: [f64; 3], b: [f64; 3]| [0, 1, 2].map(|d| a[d] - b[d]);
    let dot = |a: [f64; 3], b: [f64; 3]| (0..3).map(|d| a[d] * b[d]).sum::<f64>();
    let (along, away) = (sub(b, a), sub(x, a));
    let t = (dot(away, along) / dot(along, along)).clamp(0.0, 1.0);
    let left = [0, 1, 2].map(|d| away[d] - t * along[d]);
    dot(left, left).sqrt()
}

fn facets() -> FitRequest {
    FitRequest { to: FitTarget::Facets, ..FitRequest::default() }
}

/// The fit of a solid, with a layer of ghosts, to its own facets.
fn to_facets(mesh: &SolidMesh) -> (SolidMesh, FitReport) {
    let (mut extended, _) = extend(mesh, 40.0).unwrap();
    let report = facets().run_solid(&mut extended, None, &mut ()).unwrap();
    (extended, report)
}

fn volume_error(report: &FitReport) -> f64 {
    (report.volume[1] / report.target_volume.unwrap() - 1.0).abs()
}

/// The greatest distance of sharp edges of the limit from those of the mesh, over its diagonal; without
/// those around which are as many ghosts as cells.
fn edges_off(mesh: &SolidMesh, fitted: &SolidMesh) -> f64 {
    let mut edges = sharp_edges(mesh, 40.0);
    let lines = edges.iter().map(|edge| edge.map(|v| mesh.points[v as usize]));
    let lines: Vec<[[f64; 3]; 2]> = lines.collect();
    let off = |x: [f64; 3]| {
        lines.iter().map(|line| distance_to_segment(x, *line)).fold(f64::INFINITY, f64::min)
    };
    let side = |d: usize| {
        let along = || mesh.points.iter().map(|p| p[d]);
        along().fold(f64::MIN, f64::max) - along().fold(f64::MAX, f64::min)
    };
    let diagonal = (0..3).map(|d| side(d).powi(2)).sum::<f64>().sqrt();
    let ghosts = fitted.ghosts();
    edges.retain(|edge| {
        let has = |cell: &usize| edge.iter().all(|v| fitted.cells.vertices(*cell).contains(v));
        let around = (0..ghosts.len()).filter(has);
        let (outside, inside): (Vec<usize>, Vec<usize>) = around.partition(|&cell| ghosts[cell]);
        outside.len() != inside.len()
    });
    on_edges(fitted, &edges).into_iter().map(off).fold(0.0, f64::max) / diagonal
}

/// An L of cubes, 3³ for each unit, with one concave edge; `bent`: its vertices.
fn l_prism(bent: impl Fn([f64; 3]) -> [f64; 3]) -> SolidMesh {
    let n = 3;
    let point = |i: usize, j: usize, k: usize| [i, j, k].map(|x| x as f64 / n as f64);
    let size: usize = 2 * n + 1;
    let mut points = Vec::new();
    let mut ids = vec![u32::MAX; size.pow(3)];
    let mut hexes = Vec::new();
    for (i, j, k) in
        (0..2 * n).flat_map(|i| (0..2 * n).flat_map(move |j| (0..n).map(move |k| (i, j, k))))
    {
        if i >= n && j >= n {
            continue;
        }
        let mut id = |i: usize, j: usize, k: usize| {
            let own = &mut ids[i + size * (j + size * k)];
            if *own == u32::MAX {
                *own = points.len() as u32;
                points.push(bent(point(i, j, k)));
            }
            *own
        };
        let square = [[0, 0], [1, 0], [1, 1], [0, 1]];
        hexes.push(std::array::from_fn(|c| {
            id(i + square[c % 4][0], j + square[c % 4][1], k + c / 4)
        }));
    }
    SolidMesh::from_hexahedra(points, &hexes)
}

/// A box is its own limit: nothing moves.
#[test]
fn a_box_stays() {
    let mesh = Shape::Box { cells: [2, 3, 4] }.build().unwrap();
    let (extended, _) = extend(&mesh, 40.0).unwrap();
    let (fitted, report) = to_facets(&mesh);
    for (p, q) in fitted.points.as_flattened().iter().zip(extended.points.as_flattened()) {
        assert!((p - q).abs() < 1e-9, "{p} {q}");
    }
    assert!((report.volume[1] - 24.0).abs() < 1e-9, "{:?}", report.volume);
    assert_eq!(report.unmatched_length, 0.0);
    assert!(report.target.unwrap()[2].max < 1e-9, "{:?}", report.target);
}

/// With no ghosts and creases the fit has the same limit, as far as both went.
#[test]
fn the_fit_of_a_box_to_another_is_as_near_as_that_with_creases() {
    let mesh = Shape::Box { cells: [3, 3, 3] }.build().unwrap();
    let mut wide = boundary_surface(&Shape::Box { cells: [5, 5, 5] }.build().unwrap()).unwrap();
    for p in &mut wide.points {
        *p = [p[0] * 0.62 - 0.02, p[1] * 0.6, p[2] * 0.61];
    }
    let (mut extended, _) = extend(&mesh, 40.0).unwrap();
    let request = FitRequest { to: FitTarget::File("wide.stl".into()), ..FitRequest::default() };
    let report =
        request.run_solid(&mut extended, Some(&ControlMesh::Surface(wide)), &mut ()).unwrap();
    let [before, _, after] = report.target.unwrap();
    assert!(before.max > 0.04 && after.max < 1e-7, "{report:?}");
    assert!(report.target_from_limit.unwrap().max < 1e-7, "{:?}", report.target_from_limit);
    assert!((report.volume[1] - 3.1 * 3.0 * 3.05).abs() < 1e-4, "{:?}", report.volume);
}

/// The cylinder of radius 1 and height 2, of flat facets around it that have its volume to 5e-5.
fn fine_cylinder() -> SurfaceMesh {
    const N: usize = 400;
    let mut points = vec![[0.0, 0.0, 0.0], [0.0, 0.0, 2.0]];
    for k in 0..N {
        let (y, x) = (std::f64::consts::TAU * k as f64 / N as f64).sin_cos();
        points.extend([[x, y, 0.0], [x, y, 2.0]]);
    }
    let at = |k: usize, top: usize| (2 + 2 * (k % N) + top) as u32;
    let mut faces = Polygons::default();
    for k in 0..N {
        let [a, b, c, d] = [at(k, 0), at(k + 1, 0), at(k + 1, 1), at(k, 1)];
        faces.push(&[a, b, c]);
        faces.push(&[a, c, d]);
        faces.push(&[0, b, a]);
        faces.push(&[1, d, c]);
    }
    SurfaceMesh::new(points, faces)
}

#[test]
fn a_cylinder_is_round_and_its_rims_are_circles() {
    let mesh = cylinder(2);
    let (mut extended, _) = extend(&mesh, 50.0).unwrap();
    let request =
        FitRequest { to: FitTarget::File("cylinder.stl".into()), ..FitRequest::default() };
    let target = ControlMesh::Surface(fine_cylinder());
    let report = request.run_solid(&mut extended, Some(&target), &mut ()).unwrap();
    let [before, through, after] = report.target.unwrap();
    assert!(before.rms > 20.0 * after.rms && after.rms <= through.rms, "{:?}", report.target);
    assert!(after.rms < 1e-3, "{after:?}");
    assert!(volume_error(&report) < 2e-4, "{:?}", report.volume);
    assert_eq!(report.unmatched_length, 0.0);
    assert_eq!((report.folds.unwrap().folded, report.determinant.unwrap().folded), (0, 0));
    let rims = on_edges(&extended, &sharp_edges(&mesh, 50.0));
    assert_eq!(rims.len(), 16 * GRID, "edges of both rims");
    for [x, y, z] in rims {
        let off = (x.hypot(y) - 1.0).hypot(z.min(2.0 - z));
        assert!(off < 1e-3 * 12f64.sqrt(), "{x} {y} {z}");
    }
}

/// A prism with a bent concave edge: three cells and one ghost.
#[test]
fn concave_edges_follow_their_lines() {
    let bent = |[x, y, z]: [f64; 3]| [x + 0.05 * (z * z), y - 0.04 * (2.0 * z).sin(), z];
    let mesh = l_prism(bent);
    let (fitted, report) = to_facets(&mesh);
    assert!(edges_off(&mesh, &fitted) < 1e-3, "{}", edges_off(&mesh, &fitted));
    assert!(volume_error(&report) < 1.5e-3, "{:?}", report.volume);
    assert!(report.determinant.unwrap().bound > 0.0, "{:?}", report.determinant);
    let [_, through, after] = report.target.unwrap();
    assert!(after.rms <= through.rms, "{:?}", report.target);
}

/// Its feet have rims of 12 sharp edges, of which a smooth line is 1.8e-3 of the diagonal away. Six edges
/// have as many ghosts as cells: they are smooth.
#[test]
fn a_part_with_sharp_edges_keeps_them_and_does_not_fold() {
    let mesh = subsolid::read("models/solids/tripod.vtk").unwrap();
    let (fitted, report) = to_facets(&mesh);
    let [before, through, after] = report.target.unwrap();
    assert!(after.rms < 0.25 * before.rms && after.rms < 0.5 * through.rms, "{:?}", report.target);
    assert!(volume_error(&report) < 1e-4 && report.drift < 0.1, "{report:?}");
    let [before, after] = report.creases.unwrap();
    assert!(after.rms < 0.1 * before.rms, "{:?}", report.creases);
    let off = edges_off(&mesh, &fitted);
    assert!(off < 2e-3, "{off}");
    assert_eq!(report.folds.unwrap().folded, 0);
    assert_eq!(report.determinant.unwrap().negative, 0, "{:?}", report.determinant);
}

/// Distances are those of the limit at the vertices from the target, outward.
#[test]
fn distances_are_given() {
    let mesh = cylinder(2);
    let (mut extended, _) = extend(&mesh, 50.0).unwrap();
    let target = ControlMesh::Surface(fine_cylinder());
    let to = FitTarget::File("cylinder.stl".into());
    let request = FitRequest { to, distances: true, ..FitRequest::default() };
    let report = request.run_solid(&mut extended, Some(&target), &mut ()).unwrap();
    let most = report.target.unwrap()[2].max + report.target_from_limit.unwrap().max;
    let distances = extended.attributes.iter().find(|a| a.name == "fit_distance").unwrap();
    assert_eq!(distances.values.len(), extended.points.len());
    assert!(distances.values.iter().any(|&x| x != 0.0));
    assert!(distances.values.iter().all(|x| x.abs() < 2.0 * most), "{most}");
}

/// A trilinear field of a box with ghosts is of their space, and its own projection.
#[test]
fn arrays_are_projected() {
    let mut mesh = Shape::Box { cells: [3, 2, 4] }.build().unwrap();
    let field = |[x, y, z]: [f64; 3]| 1.0 + 2.0 * x - y * z + 0.5 * x * y * z;
    let values = mesh.points.iter().map(|&p| field(p)).collect();
    mesh.attributes.push(Attribute { name: "heat".into(), width: 1, values });
    let (mut extended, _) = extend(&mesh, 40.0).unwrap();
    let request = FitRequest { attributes: FitAttributes::Project, ..facets() };
    request.run_solid(&mut extended, None, &mut ()).unwrap();
    let limit = limit(&extended);
    for i in 0..limit.len() {
        let expected = field(limit.positions.triple(i));
        let found = limit.attributes[0].get(i);
        assert!((expected - found).abs() < 1e-7, "{expected} {found}");
    }
}

/// Faces between groups are not those of a target.
#[test]
fn a_cut_between_groups_is_refused() {
    let mut mesh = Shape::Box { cells: [2, 2, 2] }.build().unwrap();
    mesh.cell_data.push(CellArray::group("left", 8, 0..4));
    let request = ExtendRequest { sharp_groups: Some(Vec::new()), ..ExtendRequest::default() };
    request.run(&mut mesh, &mut ()).unwrap();
    let error = facets().run_solid(&mut mesh, None, &mut ()).unwrap_err().to_string();
    assert!(error.contains("between groups of cells"), "{error}");
}
