//! What `.glb` files show: the boundary of the limit as triangles with normals and colors.

use std::collections::HashMap;

use subsolid::mesh::shape::Shape;
use subsolid::mesh::{Attribute, CellArray, CellKind, SolidMesh};
use subsolid::plan::{Samples, Want};
use subsolid::scheme::Scheme;
use subsolid::view::{ColorMap, Paint, SkinOptions, SkinPolygons};
use subsolid::{Backend, Solid, backend};

use crate::oracle::vector::euclidean as distance;
use crate::support::refused;

fn options(samples: usize, paint: Paint) -> SkinOptions {
    SkinOptions { samples, paint, ..SkinOptions::default() }
}

fn bracket() -> SolidMesh {
    subsolid::read("models/bracket.vtk").unwrap()
}

/// A hexahedron, a wedge beside it and a tetrahedron beside that.
fn mixed() -> SolidMesh {
    let hexahedron = (0..8).map(|i| [i & 1, i >> 1 & 1, i >> 2].map(f64::from));
    let mut points: Vec<[f64; 3]> = hexahedron.collect();
    points.extend([[0.1, 0.5, 2.0], [1.0, 0.6, 1.9], [0.4, 0.7, 3.1]]);
    let mut mesh = SolidMesh { points, ..SolidMesh::default() };
    mesh.cells.push(CellKind::Hexahedron, &[0, 1, 3, 2, 4, 5, 7, 6]);
    mesh.cells.push(CellKind::Wedge, &[4, 6, 8, 5, 7, 9]);
    mesh.cells.push(CellKind::Tetrahedron, &[4, 8, 6, 10]);
    mesh
}

/// Six times the volume inside; panics unless every edge has two triangles, in opposite directions.
fn closed_volume(skin: &SkinPolygons) -> f64 {
    let mut sides: HashMap<[[u64; 3]; 2], usize> = HashMap::new();
    let points = &skin.surface.points;
    let mut volume = 0.0;
    for face in skin.surface.faces.iter() {
        let [a, b, c] = [0, 1, 2].map(|i| points[face[i] as usize]);
        volume += nalgebra::Matrix3::from([a, b, c]).determinant();
        for (from, to) in [(a, b), (b, c), (c, a)] {
            *sides.entry([from, to].map(|p| p.map(f64::to_bits))).or_default() += 1;
        }
    }
    for (&[from, to], &count) in &sides {
        assert_eq!((count, sides.get(&[to, from])), (1, Some(&1)));
    }
    volume
}

#[test]
fn the_boundary_lies_where_the_solid_evaluates() {
    let mesh = bracket();
    let skin = SkinPolygons::of_solid(&mesh, &options(4, Paint::None)).unwrap();
    let solid = Solid::new(&mesh).unwrap();
    let plan = solid.plan(&Samples::grid(4), Want::POSITION).unwrap();
    let limit = backend::Cpu::default().evaluate(&plan, mesh.controls()).unwrap();
    let key = |p: [f64; 3]| p.map(|x| (x * 1e3).round() as i64);
    let mut known: HashMap<[i64; 3], Vec<[f64; 3]>> = HashMap::new();
    for i in 0..limit.len() {
        let p = limit.positions.triple(i);
        known.entry(key(p)).or_default().push(p);
    }
    for &p in &skin.surface.points {
        let [x, y, z] = key(p);
        let near = (0..27).map(|k| [x + k % 3 - 1, y + k / 3 % 3 - 1, z + k / 9 - 1]);
        let mut near = near.filter_map(|k| known.get(&k)).flatten();
        assert!(near.any(|&q| distance(p, q) < 1e-11), "{p:?}");
    }
    assert!(skin.colors.is_empty() && closed_volume(&skin) > 0.0);
}

#[test]
fn cells_of_all_kinds_make_one_closed_boundary() {
    let fan = Shape::parse("fan", &[]).unwrap().build().unwrap();
    for (mesh, n) in [(mixed(), 2), (mixed(), 5), (fan, 3)] {
        let skin = SkinPolygons::of_solid(&mesh, &options(n, Paint::First)).unwrap();
        assert!(closed_volume(&skin) > 0.0);
        let cells = SkinPolygons::of_cells(&mesh, &options(n, Paint::First)).unwrap();
        assert_eq!(cells.colors.len(), cells.surface.points.len());
    }
    refused(
        SkinPolygons::of_solid(&mixed(), &options(33, Paint::None)),
        "33 samples along an edge",
    );
    refused(SkinPolygons::of_solid(&mixed(), &options(1, Paint::None)), "1 sample along an edge");
}

#[test]
fn normals_differ_on_the_sides_of_a_sharp_crease_alone() {
    let mut mesh = Shape::parse("box", &[2, 2, 2]).unwrap().build().unwrap();
    let smooth = SkinPolygons::of_solid(&mesh, &options(5, Paint::None)).unwrap();
    subsolid::refine::crease_by_angle(&mut mesh, 40.0).unwrap();
    let sharp = SkinPolygons::of_solid(&mesh, &options(5, Paint::None)).unwrap();
    let normals = sharp.surface.normals().unwrap();
    for n in normals {
        let least = n.map(|x| (x.abs() - 1.0).abs()).into_iter().fold(1.0, f64::min);
        assert!(least < 1e-12, "a plane side has the normal {n:?}");
    }
    // 9 × 9 samples per side of the box: apart where sides meet, once each where they are smooth
    assert_eq!([smooth.surface.points.len(), sharp.surface.points.len()], [6 * 64 + 2, 6 * 81]);
    assert!(closed_volume(&sharp) > closed_volume(&smooth));
}

#[test]
fn colors_follow_arrays_as_in_pages() {
    let mut mesh = bracket();
    let heights = mesh.points.iter().map(|p| p[2]).collect();
    mesh.attributes.push(Attribute { name: "height".into(), width: 1, values: heights });
    let skin = SkinPolygons::of_solid(&mesh, &options(3, Paint::Array("height".into()))).unwrap();
    // from the lowest value of the limit to the highest
    let (low, high) = skin.surface.bounds().map(|(low, high)| (low[2], high[2])).unwrap();
    for (p, color) in skin.surface.points.iter().zip(&skin.colors) {
        // the limit of a coordinate is the coordinate of the limit
        let expected = ColorMap::Viridis.color((p[2] - low) / (high - low));
        assert!((0..3).all(|d| (color[d] - expected[d]).abs() < 1e-6), "{p:?}: {color:?}");
    }
    // values of cells: one color a cell, of eight
    let numbers = (0..mesh.cells.len()).map(|c| (c % 3) as f64).collect();
    mesh.cell_data.push(CellArray::new("group", 1, numbers, true));
    let skin = SkinPolygons::of_solid(&mesh, &options(3, Paint::Array("group".into()))).unwrap();
    let bits = |c: [f32; 3]| c.map(f32::to_bits);
    let mut seen: Vec<_> = skin.colors.iter().map(|&c| bits(c)).collect();
    for face in skin.surface.faces.iter() {
        let [a, b, c] = [0, 1, 2].map(|i| bits(skin.colors[face[i] as usize]));
        assert!(a == b && b == c);
    }
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 3);
    let refused = SkinPolygons::of_solid(&mesh, &options(3, Paint::Array("heat".into())));
    assert!(refused.unwrap_err().to_string().contains("no array `heat`"));
}

#[test]
fn surfaces_by_every_scheme_have_skins() {
    let mesh = subsolid::read_surface("models/surfaces/spot_control_mesh.obj").unwrap();
    for scheme in [Scheme::CatmullClark, Scheme::Loop, Scheme::Sqrt3, Scheme::Bilinear] {
        let skin = SkinPolygons::of_surface(&mesh, scheme, 1, &options(3, Paint::First)).unwrap();
        assert!(skin.surface.check().is_ok(), "{scheme:?}");
        let limits = [Scheme::CatmullClark, Scheme::Loop].contains(&scheme);
        assert_eq!(skin.surface.normals().is_some(), limits, "{scheme:?}");
    }
}
