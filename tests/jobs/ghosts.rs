//! Ghost cells: they shape the limit of the cells beside them, bit by bit as without flags, and are no
//! part of the solid.

use std::collections::HashMap;
use std::path::Path;

use subsolid::backend::{Backend, Cpu, Limit};
use subsolid::bezier::Pieces;
use subsolid::io::{WriteOptions, read, write};
use subsolid::jobs::untangle::UntangleRequest;
use subsolid::limit::Summary;
use subsolid::locate::{Containment, Locator};
use subsolid::mesh::shape::Shape;
use subsolid::mesh::{Attribute, CellArray, FaceGroup, GHOSTS, Polygons, SolidMesh};
use subsolid::plan::{Samples, Want};
use subsolid::process::solid::boundary_seeds;
use subsolid::quadrature::{LeafQuantities, Mapping, QuadratureScheme, Regions, Report};
use subsolid::refine::refine_mesh;
use subsolid::scheme::VertexRule;
use subsolid::slice::{Axis, PixelGrid, Raster, Sampling, SliceOptions, Slicer};
use subsolid::surface::boundary_surface;
use subsolid::topology::Topology;
use subsolid::view::{Page, Paint, SkinOptions, SkinPolygons, ViewOptions};
use subsolid::{Quadrature, Solid};

use crate::oracle::random::Random;
use crate::support::meshes::{mixed, models, perturbed, shapes};
use crate::support::refused;

/// The unit cube of n³ cells with a layer of ghosts around it. By uniform splines its limit is exactly
/// the cube.
pub fn cube(n: usize) -> SolidMesh {
    let mut mesh = Shape::Box { cells: [n + 2; 3] }.build().unwrap();
    let (low, high) = mesh.bounds().unwrap();
    for point in &mut mesh.points {
        for d in 0..3 {
            let place = (point[d] - low[d]) / (high[d] - low[d]);
            point[d] = (place * (n + 2) as f64 - 1.0) / n as f64;
        }
    }
    let is_ghost = |cell: &u32| {
        let corners = mesh.cells.vertices(*cell as usize);
        let middle =
            |d: usize| corners.iter().map(|&v| mesh.points[v as usize][d]).sum::<f64>() / 8.0;
        (0..3).any(|d| !(0.0..=1.0).contains(&middle(d)))
    };
    let ghosts: Vec<u32> = (0..mesh.cells.len() as u32).filter(is_ghost).collect();
    assert_eq!(ghosts.len(), (n + 2).pow(3) - n.pow(3));
    mesh.set_ghosts(&ghosts).unwrap();
    mesh
}

/// The mesh with some cells as ghosts.
fn ghosted(mesh: &SolidMesh, seed: u64) -> SolidMesh {
    let mut random = Random::new(seed);
    let cells = mesh.cells.len() as u32;
    let ghosts: Vec<u32> = (1..cells).filter(|_| random.unit() < 0.4).collect();
    let mut mesh = mesh.clone();
    mesh.set_ghosts(&ghosts).unwrap();
    mesh
}

fn meshes() -> Vec<(String, SolidMesh)> {
    let mut all: Vec<(String, SolidMesh)> =
        shapes().into_iter().filter(|(_, mesh)| mesh.cells.len() < 400).collect();
    all.extend(models().into_iter().filter(|(_, mesh)| mesh.cells.len() < 400));
    all.push(("mixed".into(), mixed()));
    all
}

fn limit(mesh: &SolidMesh, solid: &Solid, want: Want) -> Limit {
    let plan = solid.plan(&Samples::grid(4), want).unwrap();
    Cpu::default().evaluate(&plan, mesh.controls()).unwrap()
}

#[test]
fn limits_and_quadrature_are_those_of_the_mesh_without_flags() {
    let scheme = QuadratureScheme { gauss: 2, rings: Some(1) };
    let mut checked = 0;
    for (name, mesh) in meshes() {
        for seed in 0..2 {
            let mesh = perturbed(&mesh, 0.1, seed);
            let flagged = ghosted(&mesh, seed);
            let [whole, own] = [&mesh, &flagged].map(|mesh| Solid::new(mesh).expect(&name));
            let [all, found] = [&whole, &own].map(|solid| limit(&mesh, solid, Want::FIRST));
            let places: HashMap<_, _> =
                whole.elements().iter().enumerate().map(|(i, e)| ((e.cell, e.corner), i)).collect();
            let bits = |limit: &Limit, element: usize| -> Vec<u64> {
                let arrays = std::iter::once(&limit.positions).chain(&limit.derivatives);
                let numbers = 3 * 64 * element..3 * 64 * (element + 1);
                arrays.flat_map(|a| numbers.clone().map(|i| a.get(i).to_bits())).collect()
            };
            for (i, element) in own.elements().iter().enumerate() {
                assert!(!own.topology().is_ghost(element.cell), "{name}");
                let other = places[&(element.cell, element.corner)];
                assert_eq!(bits(&found, i), bits(&all, other), "{name}: cell {}", element.cell);
                checked += 1;
            }
            let volumes = [(&mesh, &whole), (&flagged, &own)].map(|(mesh, solid)| {
                let quadrature = Quadrature::new(solid, scheme, Want::FIRST).unwrap();
                let mapping = Mapping::new(&quadrature, mesh.controls()).unwrap();
                let report = Report::new(&mapping).unwrap();
                report.cells.iter().map(|cell| cell.volume.to_bits()).collect::<Vec<u64>>()
            });
            for cell in (0..mesh.cells.len()).filter(|&c| !own.topology().is_ghost(c as u32)) {
                assert_eq!(volumes[0][cell], volumes[1][cell], "{name}: cell {cell}");
            }
        }
    }
    assert!(checked > 1500, "{checked} elements");
}

#[test]
fn a_cube_with_a_layer_of_ghosts_is_exactly_a_cube() {
    let mesh = cube(3);
    let solid = Solid::new(&mesh).unwrap();
    let scheme = QuadratureScheme { gauss: 4, rings: None };
    let volume = |quadrature: &Quadrature<'_>| {
        let mapping = Mapping::new(quadrature, mesh.controls()).unwrap();
        Report::new(&mapping).unwrap().volume
    };
    assert!((volume(&Quadrature::new(&solid, scheme, Want::FIRST).unwrap()) - 1.0).abs() < 1e-13);
    let boundary = Quadrature::boundary(&solid, scheme, Want::FIRST, |_| true).unwrap();
    let mapping = Mapping::new(&boundary, mesh.controls()).unwrap();
    let area = (0..boundary.batches().len()).map(|batch| {
        let mut mapped = LeafQuantities::default();
        mapping.evaluate(batch, 0..boundary.batches()[batch].leaves.len(), &mut mapped).unwrap();
        mapped.measures.iter().sum::<f64>()
    });
    let area: f64 = area.sum();
    assert!((area - 6.0).abs() < 1e-12, "{area}");
    let regions = Regions::new(&solid, &mesh).unwrap();
    assert_eq!(regions.side_count(), 6, "sides of the solid");
    let summary = Summary::new(&mesh, solid.topology()).unwrap();
    let counts = [summary.boundary_faces, summary.boundary_edges, summary.boundary_vertices];
    assert_eq!((summary.ghosts, counts), (125 - 27, [54, 108, 56]), "of the cube of 27 cells");

    for axis in [Axis::X, Axis::Y, Axis::Z] {
        let slicer =
            Slicer::new(&solid, mesh.controls(), SliceOptions { axis, tolerance: None }).unwrap();
        let [low, high] = slicer.heights();
        assert!(low.abs() < 1e-12 && (high - 1.0).abs() < 1e-12, "{low} to {high}");
        for height in [0.01, 0.25, 1.0 / 3.0, 0.77, 0.999] {
            let layer = slicer.layer(0, height);
            assert!((layer.area() - 1.0).abs() < 1e-9, "{axis:?} {height}: {}", layer.area());
        }
        let grid = PixelGrid { origin: [-0.25; 2], pitch: [0.125; 2], size: [12; 2] };
        let mut raster = Raster::new(grid, Sampling::Area).unwrap();
        let mut pixels = vec![0_u16; 144];
        slicer.coverage_into(&[0.4], &mut raster, &mut pixels);
        let covered: f64 = pixels.iter().map(|&gray| f64::from(gray) / 65535.0).sum();
        assert!((covered / 64.0 - 1.0).abs() < 1e-4, "{covered}");
    }

    let locator = Locator::new(&solid, mesh.controls()).unwrap();
    let mut random = Random::new(5);
    let points: Vec<[f64; 3]> =
        (0..2000).map(|_| std::array::from_fn(|_| 1.6 * random.unit() - 0.3)).collect();
    for (point, found) in points.iter().zip(locator.locate(&points)) {
        let inside = point.iter().all(|x| (0.0..=1.0).contains(x));
        assert_eq!(matches!(found, Containment::Inside(_)), inside, "{point:?}");
        if !inside {
            let away: f64 = point.iter().map(|x| (x - x.clamp(0.0, 1.0)).powi(2)).sum();
            let place = locator.nearest(*point).unwrap();
            assert!((place.residual - away.sqrt()).abs() < 1e-9, "{point:?}");
        }
    }
}

#[test]
fn refinement_keeps_the_solid_and_drops_ghosts_that_no_longer_reach() {
    for (name, mesh) in meshes().into_iter().take(4).chain([("cube".into(), cube(2))]) {
        let mesh = if name == "cube" { mesh } else { ghosted(&mesh, 3) };
        let fine = refine_mesh(&mesh, 2, VertexRule::default()).unwrap();
        let [coarse, refined] = [&mesh, &fine].map(|mesh| {
            let solid = Solid::new(mesh).expect(&name);
            let scheme = QuadratureScheme { gauss: 4, rings: Some(4) };
            let quadrature = Quadrature::new(&solid, scheme, Want::FIRST).unwrap();
            Report::new(&Mapping::new(&quadrature, mesh.controls()).unwrap()).unwrap().volume
        });
        assert!((coarse - refined).abs() < 1e-6 * coarse.abs(), "{name}: {coarse}, {refined}");
        let topology = Topology::of_mesh(&fine).unwrap();
        for cell in (0..fine.cells.len() as u32).filter(|&c| topology.is_ghost(c)) {
            let around = fine.cells.vertices(cell as usize).iter();
            let mut near = around.flat_map(|&v| topology.vertex_cells(v));
            assert!(near.any(|&c| !topology.is_ghost(c)), "{name}: ghost {cell} is out of reach");
        }
    }
    let fine = refine_mesh(&cube(2), 1, VertexRule::default()).unwrap();
    assert_eq!(
        fine.ghosts().iter().filter(|ghost| **ghost).count(),
        6_usize.pow(3) - 4_usize.pow(3)
    );
    assert_eq!(fine.cells.len(), 6_usize.pow(3));
}

#[test]
fn files_have_ghosts_as_hidden_cells() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let mut mesh = mixed();
    mesh.set_ghosts(&[1]).unwrap();
    let face = Topology::of_mesh(&mesh).unwrap().face_vertices(0).to_vec();
    let mut faces = Polygons::default();
    faces.push(&face);
    mesh.face_groups.push(FaceGroup::new("side", faces));
    mesh.cell_data.push(CellArray::group("half", mesh.cells.len(), [0]));
    assert!(!mesh.ghosts().is_empty());
    for name in ["ghosts.vtu", "ghosts.vtk"] {
        let path = folder.join(name);
        write(&path, &mesh, WriteOptions::default()).unwrap();
        let again = read(&path).unwrap();
        assert_eq!(again.ghosts(), mesh.ghosts(), "{name}");
        assert_eq!(again.face_groups, mesh.face_groups, "{name}");
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        assert!(text.contains(GHOSTS), "{name}");
    }
}

#[test]
fn pictures_show_the_solid_alone() {
    let mut mesh = cube(2);
    let heat = mesh.points.iter().map(|p| p[0]).collect();
    mesh.attributes.push(Attribute { name: "heat".into(), width: 1, values: heat });
    let options = SkinOptions { samples: 5, paint: Paint::First, ..SkinOptions::default() };
    let skin = SkinPolygons::of_solid(&mesh, &options).unwrap();
    let (mut volume, mut area) = (0.0, 0.0);
    for face in skin.surface.faces.iter() {
        let [a, b, c] =
            [0, 1, 2].map(|i| nalgebra::Vector3::from(skin.surface.points[face[i] as usize]));
        volume += a.dot(&b.cross(&c)) / 6.0;
        area += (b - a).cross(&(c - a)).norm() / 2.0;
    }
    assert!((volume - 1.0).abs() < 1e-12 && (area - 6.0).abs() < 1e-12, "{volume}, {area}");
    for name in ["cube", "random"] {
        let mesh =
            if name == "cube" { mesh.clone() } else { ghosted(&shapes().swap_remove(2).1, 2) };
        assert!(Page::of_solid(&mesh, &ViewOptions::titled("ghosts")).is_ok(), "{name}");
    }
}

#[test]
fn what_ghosts_do_not_allow_is_refused() {
    let mesh = cube(1);
    refused(boundary_surface(&mesh), "ghost cells is no subdivision surface");
    for limit in [false, true] {
        let request = UntangleRequest { limit, ..UntangleRequest::default() };
        refused(request.run(&mut mesh.clone(), &mut ()), "untangling a solid with ghost cells");
    }
    let mut all = mesh.clone();
    all.set_ghosts(&(0..27).collect::<Vec<u32>>()).unwrap();
    refused(Solid::new(&all), "all cells are ghosts");
    refused(all.set_ghosts(&[27]), "ghost cell 27 of 27 cells");
    refused(all.set_ghost_group("outer"), "no group of cells is named");
    let mut wide = mesh.clone();
    let halves = (0..27).map(|cell| 0.5 * f64::from(cell)).collect();
    wide.cell_data = vec![CellArray::new(GHOSTS, 1, halves, false)];
    refused(Solid::new(&wide), "not of one whole number");
}

#[test]
fn a_group_of_cells_may_be_the_ghosts() {
    let mut mesh = Shape::Box { cells: [3, 1, 1] }.build().unwrap();
    mesh.cell_data.push(CellArray::group("ends", 3, [0, 2]));
    mesh.set_ghost_group("ends").unwrap();
    assert_eq!(mesh.ghosts(), [true, false, true]);
    let own = mesh.without_ghosts();
    assert_eq!((own.cells.len(), own.ghosts().len()), (1, 0));
    assert_eq!(boundary_seeds(&own).unwrap().len(), 8);
    let pieces = Solid::new(&mesh).unwrap();
    assert_eq!(pieces.elements().len(), 1);
    assert!(Pieces::new(&pieces, 2).is_ok());
}
