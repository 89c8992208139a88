//! Sharp and semi-sharp creases and corners: evaluation against explicit
//! refinement.

use rayon::prelude::*;

use crate::oracle::random::Random;
use crate::support::Limits;
use crate::support::compare::with_refinement;
use crate::support::meshes::{INF, block, crease_at_random, crease_box_edges, fan, link, model};
use subsolid::mesh::SolidMesh;
use subsolid::mesh::shape::VertexLink;

/// Compares the solids in parallel, each in two places of every kind of leaf.
fn compare(meshes: Vec<(String, SolidMesh)>) {
    meshes.par_iter().enumerate().for_each(|(seed, (name, mesh))| {
        with_refinement(name, mesh, 2, seed as u64);
    });
}

/// The vertex of a mesh at a place.
fn vertex_at(mesh: &SolidMesh, place: [f64; 3]) -> u32 {
    let at = mesh.points.iter().position(|p| (0..3).all(|d| (p[d] - place[d]).abs() < 1e-9));
    at.expect("a vertex at the place") as u32
}

/// A 4×4×2 block with a crease on its top face along y = 2, from x = `from` to 4.
fn crease_line(from: usize, sharpness: f64) -> SolidMesh {
    let mut mesh = block([4, 4, 2]);
    for x in from..4 {
        let ends = [x, x + 1].map(|x| vertex_at(&mesh, [x as f64, 2.0, 2.0]));
        mesh.creases.push_edge(ends[0], ends[1], sharpness);
    }
    mesh
}

#[test]
fn blocks_with_sharp_edges_evaluate_as_splines_everywhere() {
    for cells in [[1, 1, 1], [2, 2, 6], [3, 1, 2], [4, 4, 4]] {
        let mut mesh = block(cells);
        crease_box_edges(&mut mesh, INF);
        let limits = Limits::new(&mesh);
        let mut random = Random::new(1);
        for cell in 0..mesh.cells.len() {
            assert_eq!(limits.solid.element_leaves(cell).len(), 1);
            let p = random.parameters();
            let corner = mesh.points[mesh.cells.vertices(cell)[0] as usize];
            let expected = std::array::from_fn(|d| corner[d] + p[d]);
            crate::support::close(limits.position(cell, p), expected, 1e-14 * 6.0, || {
                format!("{cells:?}")
            });
        }
        with_refinement(&format!("sharp block {cells:?}"), &mesh, 1, 1);
    }
}

#[test]
fn box_edges_of_any_sharpness() {
    let mut all = Vec::new();
    for s in [0.5, 1.0, 2.3, INF] {
        for cells in [[1, 1, 1], [2, 1, 3]] {
            let mut mesh = block(cells);
            crease_box_edges(&mut mesh, s);
            all.push((format!("block {cells:?}, edges of sharpness {s}"), mesh));
        }
        let mut mesh = block([2, 2, 2]);
        mesh.creases.push_corner(0, s);
        all.push((format!("block with a corner of sharpness {s}"), mesh.clone()));
        crease_box_edges(&mut mesh, INF);
        all.push((format!("sharp block with a corner of sharpness {s}"), mesh));
    }
    compare(all);
}

#[test]
fn a_crease_across_a_flat_face() {
    let lines = [0.5, 1.0, 2.3, INF].map(|s| (format!("crease of {s} across"), crease_line(0, s)));
    compare(lines.into());
}

#[test]
fn a_crease_that_ends_inside_a_face_as_a_dart() {
    let darts = [0.5, 1.0, 2.3, INF].map(|s| (format!("dart of {s}"), crease_line(2, s)));
    compare(darts.into());
}

#[test]
fn three_creases_meet_and_corners_lie_on_creases() {
    let mut all = Vec::new();
    for s in [0.5, 2.3, INF] {
        let mut mesh = crease_line(0, INF);
        let ends = [2.0, 3.0].map(|y| vertex_at(&mesh, [2.0, y, 2.0]));
        mesh.creases.push_edge(ends[0], ends[1], s);
        all.push((format!("a crease of {s} joins another"), mesh));
        let mut mesh = crease_line(0, INF);
        mesh.creases.push_corner(vertex_at(&mesh, [2.0, 2.0, 2.0]), s);
        all.push((format!("a corner of {s} on a crease"), mesh));
    }
    compare(all);
}

#[test]
fn creases_beside_extraordinary_edges_and_vertices() {
    let mut all = Vec::new();
    for valence in [3, 5] {
        let mut mesh = fan(valence, 2, 2);
        crease_box_edges(&mut mesh, INF);
        all.push((format!("sharp fan of valence {valence}"), mesh));
    }
    let sharpness = [0.5, 1.0, 2.3, INF];
    let meshes = [
        ("block", block([3, 3, 2])),
        ("fan", fan(5, 2, 2)),
        ("3444555", link(VertexLink::stacked_octahedron(), 1)),
        ("val3", model("micro/val3.mesh")),
        ("hole", model("micro/hole.mesh")),
    ];
    for (seed, (name, mesh)) in meshes.into_iter().enumerate() {
        for kinds in [&sharpness[..], &[INF], &[0.5, 1.0]] {
            let mut mesh = mesh.clone();
            crease_at_random(&mut mesh, kinds, 6, seed as u64);
            all.push((format!("{name} with creases {kinds:?}"), mesh));
        }
    }
    all.par_iter().enumerate().for_each(|(seed, (name, mesh))| {
        with_refinement(name, mesh, 1, seed as u64);
    });
}

/// Refined solids with tags of any sharpness have the boundary that their boundary surface refines
/// to; inside, and in the limit, explicit refinement agrees.
#[test]
fn semi_sharp_boundaries_refine_as_surfaces() {
    use subsolid::surface::{SurfaceOptions, boundary_surface, refine_surface};
    let shapes = [
        block([2, 2, 2]),
        block([3, 1, 2]),
        fan(3, 1, 2),
        fan(5, 1, 2),
        link(VertexLink::stacked_octahedron(), 1),
    ];
    let mut compared = 0;
    for (seed, shape) in (0..).zip(shapes.iter().cycle().take(60)) {
        let mut mesh = shape.clone();
        let mut random = Random::new(seed);
        crease_at_random(&mut mesh, &[0.001, 0.25, 0.9, 1.0, 1.6, 2.3, INF], 3, seed);
        let skin = boundary_surface(&mesh).unwrap();
        for v in 0..mesh.points.len() as u32 {
            let on_boundary = skin.points.contains(&mesh.points[v as usize]);
            let is_corner = mesh.creases.corners.iter().any(|corner| corner.vertex.0 == v);
            if on_boundary && random.below(5) == 0 && !is_corner {
                mesh.creases.push_corner(v, [0.3, 1.2, INF][random.below(3)]);
            }
        }
        let skin = boundary_surface(&mesh).unwrap();
        let mut fine = mesh;
        for levels in 1..=3 {
            fine = subsolid::refine_mesh(&fine, 1, Default::default()).unwrap();
            let found = boundary_surface(&fine).unwrap();
            let options = SurfaceOptions { levels, ..SurfaceOptions::default() };
            let expected = refine_surface(&skin, &options).unwrap();
            assert_eq!(found.points.len(), expected.points.len());
            // in any order
            for p in &found.points {
                let close = |q: &[f64; 3]| (0..3).all(|d| (p[d] - q[d]).abs() < 1e-12);
                assert!(expected.points.iter().any(close), "seed {seed}, level {levels}: {p:?}");
            }
            compared += found.points.len();
        }
    }
    assert!(compared > 10_000, "{compared}");
}
