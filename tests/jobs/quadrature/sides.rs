//! Sides of the boundary, by sharp edges, with the same numbers after refinement.

use subsolid::limit::Solid;
use subsolid::mesh::SolidMesh;
use subsolid::mesh::shape::Shape;
use subsolid::quadrature::Regions;
use subsolid::refine::{crease_by_angle, refine_mesh};
use subsolid::scheme::VertexRule;

/// The vertices of each side, ascending, and its number of faces.
fn sides(mesh: &SolidMesh) -> Vec<(Vec<u32>, usize)> {
    let solid = Solid::new(mesh).unwrap();
    let regions = Regions::new(&solid, mesh).unwrap();
    let side = |side| {
        let faces = regions.find_side(side).unwrap();
        let vertices = faces.iter().flat_map(|&face| solid.topology().face_vertices(face));
        let mut vertices: Vec<u32> = vertices.copied().collect();
        vertices.sort_unstable();
        vertices.dedup();
        (vertices, faces.len())
    };
    (0..regions.side_count()).map(side).collect()
}

#[test]
fn a_creased_box_has_six_sides_and_a_smooth_or_semi_sharp_one_has_one() {
    let mut mesh = Shape::Box { cells: [2, 3, 4] }.build().unwrap();
    let of = |mesh: &SolidMesh| {
        let mut sizes: Vec<usize> = sides(mesh).into_iter().map(|(_, faces)| faces).collect();
        sizes.sort_unstable();
        sizes
    };
    assert_eq!(of(&mesh), [52]);
    crease_by_angle(&mut mesh, 40.0).unwrap();
    assert_eq!(of(&mesh), [6, 6, 8, 8, 12, 12]);
    mesh.creases.edges.iter_mut().for_each(|crease| crease.sharpness = 5.0);
    assert_eq!(of(&mesh), [52]);
}

/// Also where vertices are in any order.
#[test]
fn refinement_keeps_the_numbers_of_sides() {
    let mut mesh = Shape::Box { cells: [2, 1, 3] }.build().unwrap();
    crease_by_angle(&mut mesh, 40.0).unwrap();
    let count = mesh.points.len() as u32;
    for step in [1, 5, 7, 11, 13] {
        let shuffled = |v: u32| (step * v + 3) % count;
        let mut points = mesh.points.clone();
        (0..count).for_each(|v| points[shuffled(v) as usize] = mesh.points[v as usize]);
        let cells = mesh.cells.hexahedra().unwrap();
        let cells: Vec<[u32; 8]> = cells.iter().map(|cell| cell.map(shuffled)).collect();
        let mut other = SolidMesh::from_hexahedra(points, &cells);
        crease_by_angle(&mut other, 40.0).unwrap();
        let places = |mesh: &SolidMesh| {
            let bounds = |(side, _): (Vec<u32>, usize)| {
                let points = side.iter().map(|&v| mesh.points[v as usize]);
                let pick = |pick: fn(f64, f64) -> f64| {
                    points.clone().reduce(|a, b| std::array::from_fn(|d| pick(a[d], b[d])))
                };
                [pick(f64::min).unwrap(), pick(f64::max).unwrap()]
            };
            sides(mesh).into_iter().map(bounds).collect::<Vec<_>>()
        };
        let expected = places(&other);
        for levels in 1..3 {
            let fine = refine_mesh(&other, levels, VertexRule::default()).unwrap();
            assert_eq!(places(&fine), expected, "{step}, {levels}");
        }
    }
}

#[test]
fn vertices_of_the_sides_of_a_creased_box_are_those_of_its_planes() {
    let mut mesh = Shape::Box { cells: [2, 3, 4] }.build().unwrap();
    crease_by_angle(&mut mesh, 40.0).unwrap();
    let mut found: Vec<_> = sides(&mesh).into_iter().map(|(vertices, _)| vertices).collect();
    let size = |d: usize| mesh.points.iter().map(|p| p[d]).fold(0.0, f64::max);
    let plane = |d: usize, x: f64| -> Vec<u32> {
        (0..mesh.points.len() as u32).filter(|&v| mesh.points[v as usize][d] == x).collect()
    };
    let mut expected: Vec<_> = (0..3).flat_map(|d| [plane(d, 0.0), plane(d, size(d))]).collect();
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
}
