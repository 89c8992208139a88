//! Invalid meshes: each is refused by a message that names the elements, and
//! nothing panics.

use proptest::prelude::*;

use crate::support::Limits;
use crate::support::meshes::{INF, block, crease_at_random, fan, link, mixed};
use subsolid::limit::Solid;
use subsolid::mesh::shape::VertexLink;
use subsolid::mesh::{Attribute, CellKind, SolidMesh};
use subsolid::refine::refine_mesh;
use subsolid::scheme::VertexRule;
use subsolid::{Error, IdKind};

/// Both users of a mesh refuse it with a message that has all the `words`.
#[track_caller]
fn refused(mesh: &SolidMesh, words: &[&str]) {
    let by_limit = Solid::new(mesh).map(|_| ()).expect_err("an invalid mesh");
    let by_refinement = refine_mesh(mesh, 1, VertexRule::default()).map(|_| ());
    let by_refinement = by_refinement.expect_err("an invalid mesh");
    for error in [by_limit, by_refinement] {
        let message = error.to_string();
        assert!(matches!(error, Error::Mesh { .. }), "{message}");
        for word in words {
            assert!(message.contains(word), "{message:?} lacks {word:?}");
        }
    }
}

const UNIT: [u32; 8] = [0, 1, 3, 2, 4, 5, 7, 6];

/// The mesh with a change made to its cells.
fn with_cells(mesh: &SolidMesh, change: impl FnOnce(&mut Vec<[u32; 8]>)) -> SolidMesh {
    let mut hexahedra: Vec<[u32; 8]> =
        (0..mesh.cells.len()).map(|c| *mesh.cells.hexahedron(c).expect("a hexahedron")).collect();
    change(&mut hexahedra);
    SolidMesh::from_hexahedra(mesh.points.clone(), &hexahedra)
}

/// Unit cubes at the given places of a grid, sharing equal corners.
fn cubes(places: &[[usize; 3]]) -> SolidMesh {
    let grid = block([3, 3, 3]);
    with_cells(&grid, |cells| {
        let kept = places.iter().map(|[x, y, z]| {
            let at = |c: &&[u32; 8]| grid.points[c[0] as usize] == [*x, *y, *z].map(|i| i as f64);
            *cells.iter().find(at).expect("a cell of the grid")
        });
        *cells = kept.collect();
    })
}

#[test]
fn a_mesh_without_cells_is_refused() {
    refused(&SolidMesh::default(), &["no cells"]);
    let points = vec![[0.0; 3]; 4];
    refused(&SolidMesh { points, ..SolidMesh::default() }, &["no cells"]);
}

#[test]
fn an_index_out_of_range() {
    let mesh = with_cells(&block([2, 1, 1]), |cells| cells[1][6] = 99);
    refused(&mesh, &["cell 1", "vertex 99", "12 vertices"]);
    let mesh = with_cells(&block([1, 1, 1]), |cells| cells[0][0] = u32::MAX);
    refused(&mesh, &["cell 0", "vertex 4294967295"]);
}

#[test]
fn a_repeated_vertex() {
    let mesh = with_cells(&block([2, 1, 1]), |cells| cells[1][7] = cells[1][6]);
    refused(&mesh, &["cell 1", "twice"]);
}

#[test]
fn a_face_of_three_cells() {
    let mut mesh = block([2, 1, 1]);
    // a third cell on the face between the two
    let corners = *mesh.cells.hexahedron(1).expect("a hexahedron");
    let start = mesh.points.len() as u32;
    mesh.points.extend([[0.7, 0.0, 0.0], [0.7, 1.0, 0.0], [0.7, 0.0, 1.0], [0.7, 1.0, 1.0]]);
    let [a, d, e, h] = [0, 3, 4, 7].map(|i| corners[i]);
    let third = [a, start, start + 1, d, e, start + 2, start + 3, h];
    mesh.points[start as usize..].iter_mut().for_each(|p| p[0] += 0.9);
    mesh.cells.push(CellKind::Hexahedron, &third);
    refused(&mesh, &["cells 0, 1 and 2", "face"]);
}

#[test]
fn a_duplicated_cell() {
    let mesh = with_cells(&block([1, 1, 1]), |cells| cells.push(cells[0]));
    refused(&mesh, &["cells 0 and 1", "same faces"]);
    // beside a neighbor the common face has three cells
    let mesh = with_cells(&block([2, 1, 1]), |cells| cells.push(cells[0]));
    refused(&mesh, &["cells 0, 1 and 2"]);
    // listed from another corner
    let mesh = with_cells(&block([1, 1, 1]), |cells| {
        let c = cells[0];
        cells.push([1, 2, 3, 0, 5, 6, 7, 4].map(|i| c[i]));
    });
    refused(&mesh, &["cells 0 and 1", "same faces"]);
}

#[test]
fn cells_that_touch_in_an_edge_only() {
    let mesh = cubes(&[[0, 0, 0], [1, 1, 0]]);
    refused(&mesh, &["edge of vertices 5 and 21", "4 boundary faces"]);
}

#[test]
fn cells_that_touch_in_a_vertex_only() {
    refused(&cubes(&[[0, 0, 0], [1, 1, 1]]), &["vertex 21", "2 parts"]);
}

/// A cell below four of half its size: doubling their vertices would crack the solid.
#[test]
fn hanging_nodes_are_named() {
    let corner = |size: f64, z: f64, [x, y]: [usize; 2]| [size * x as f64, size * y as f64, z];
    let ring = [[0, 0], [1, 0], [1, 1], [0, 1]];
    let coarse = [0.0, 2.0].map(|z| ring.map(|at| corner(2.0, z, at))).concat();
    let middle = [[1, 0], [2, 1], [1, 2], [0, 1], [1, 1]].map(|at| corner(1.0, 2.0, at));
    let top = (0..9).map(|i| corner(1.0, 3.0, [i % 3, i / 3]));
    let points: Vec<[f64; 3]> = coarse.into_iter().chain(middle).chain(top).collect();
    let fine = [
        [0, 1, 2, 3, 4, 5, 6, 7],
        [4, 8, 12, 11, 13, 14, 17, 16],
        [8, 5, 9, 12, 14, 15, 18, 17],
        [12, 9, 6, 10, 17, 18, 21, 20],
        [11, 12, 10, 7, 16, 17, 20, 19],
    ];
    let mesh = SolidMesh::from_hexahedra(points.clone(), &fine);
    let covered = [
        " of cell 0, that of vertices 4, 5, 6 and 7, is covered by cells 1, 2, 3 and 4: ",
        "vertices 8, 9, 10, 11 and 12 hang there",
    ];
    refused(&mesh, &covered);
    let help = Solid::new(&mesh).unwrap_err().help().unwrap().to_string();
    assert!(help.contains("refine cell 0 too") && !help.contains("split"), "{help}");
    // two of them
    let mesh = SolidMesh::from_hexahedra(points, &fine[..3]);
    refused(&mesh, &[" of cell 0", "covered by cells 1 and 2", "8, 9, 11 and 12 hang there"]);
}

#[test]
fn a_boundary_that_touches_itself_in_a_vertex() {
    // all of 2×2×2 cells but two opposite ones: connected, two fans at the middle
    let all: Vec<[usize; 3]> = (0..8)
        .map(|i| [i & 1, i >> 1 & 1, i >> 2])
        .filter(|p| *p != [0, 0, 0] && *p != [1, 1, 1])
        .collect();
    refused(&cubes(&all), &["vertex 21", "2 fans"]);
}

#[test]
fn numbers_that_are_not_finite() {
    for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut mesh = block([2, 2, 2]);
        mesh.points[13][1] = x;
        refused(&mesh, &["vertex 13"]);
    }
}

#[test]
fn attributes_of_the_wrong_length() {
    for (width, length) in [(1, 7), (3, 8), (0, 0), (0, 8), (2, 15), (usize::MAX, 8)] {
        let mut mesh = block([1, 1, 1]);
        let values = vec![0.0; length];
        mesh.attributes.push(Attribute { name: "heat".into(), width, values });
        refused(&mesh, &["heat", "8 vertices"]);
    }
}

#[test]
fn a_pyramid_given_as_a_polyhedron() {
    let mut mesh = block([1, 1, 1]);
    mesh.points.push([0.5, 0.5, 2.0]);
    mesh.cells = Default::default();
    mesh.cells.push(CellKind::Hexahedron, &UNIT);
    let pyramid: [&[u32]; 5] = [&[4, 6, 7, 5], &[4, 5, 8], &[5, 7, 8], &[7, 6, 8], &[6, 4, 8]];
    mesh.cells.push_polyhedron(pyramid);
    refused(&mesh, &["cell 1 is a pyramid, with 4 faces at its vertex 8"]);
    let help = Solid::new(&mesh).unwrap_err().help().unwrap().to_string();
    assert!(
        help.contains("its square face is that of cell 0, so that it cannot be split"),
        "{help}"
    );
}

#[test]
fn polyhedra_that_are_none() {
    let build = |faces: &[&[u32]]| {
        let mut mesh = SolidMesh { points: block([1, 1, 1]).points, ..SolidMesh::default() };
        mesh.cells.push_polyhedron(faces.iter().copied());
        mesh
    };
    refused(&build(&[]), &["cell 0", "0 faces"]);
    refused(&build(&[&[0, 1, 2], &[2, 1, 0]]), &["cell 0", "2 faces"]);
    refused(
        &build(&[&[0, 1], &[1, 2, 3], &[0, 2, 3], &[0, 1, 2]]),
        &["cell 0", "vertices 0 and 1 is not a polygon"],
    );
    refused(&build(&[&[0, 1, 0], &[1, 2, 3], &[0, 2, 3], &[0, 1, 2]]), &["cell 0", "edge 0 0"]);
    // a tetrahedron without its fourth face
    refused(&build(&[&[0, 1, 2], &[0, 4, 1], &[1, 4, 2]]), &["cell 0", "3 faces"]);
    // a cube without its top
    let open: [&[u32]; 5] =
        [&[0, 2, 3, 1], &[0, 1, 5, 4], &[1, 3, 7, 5], &[3, 2, 6, 7], &[2, 0, 4, 6]];
    refused(&build(&open), &["cell 0", "1 of its faces", "edge 4 5"]);
}

#[test]
fn creases_that_are_no_boundary_edges() {
    let creased = |a, b, s| {
        let mut mesh = block([2, 2, 2]);
        mesh.creases.push_edge(a, b, s);
        mesh
    };
    refused(&creased(13, 14, 1.0), &["vertices 13 and 14", "inside"]);
    refused(&creased(0, 4, 1.0), &["vertices 0 and 4", "no such edge"]);
    refused(&creased(0, 99, 1.0), &["vertices 0 and 99", "no such edge"]);
    refused(&creased(5, 5, 1.0), &["vertices 5 and 5", "no such edge"]);
    refused(&creased(0, 1, -0.5), &["vertices 0 and 1", "sharpness -0.5"]);
    refused(&creased(0, 1, f64::NAN), &["vertices 0 and 1", "sharpness NaN"]);
    refused(&creased(0, 1, f64::NEG_INFINITY), &["vertices 0 and 1", "sharpness -inf"]);
}

#[test]
fn corners_that_are_no_boundary_vertices() {
    let cornered = |v, s| {
        let mut mesh = block([2, 2, 2]);
        mesh.creases.push_corner(v, s);
        mesh
    };
    refused(&cornered(13, 1.0), &["vertex 13", "inside"]);
    refused(&cornered(99, 1.0), &["vertex 99"]);
    refused(&cornered(0, -1.0), &["vertex 0", "sharpness -1"]);
    refused(&cornered(0, f64::NAN), &["vertex 0", "sharpness NaN"]);
}

#[test]
fn creases_and_corners_that_are_given_twice() {
    let twice = |s: [f64; 2]| {
        let (mut creased, mut cornered) = (block([2, 2, 2]), block([2, 2, 2]));
        creased.creases.push_edge(0, 1, s[0]);
        creased.creases.push_edge(1, 0, s[1]);
        s.iter().for_each(|&s| cornered.creases.push_corner(7, s));
        [creased, cornered]
    };
    for s in [[3.0, 1.0], [0.0, 1.0], [1.0, 0.0], [INF, 2.0]] {
        let [creased, cornered] = twice(s);
        let sharpness = format!("given twice, with sharpness {} and {}", s[0], s[1]);
        refused(&creased, &["vertices 0 and 1", &sharpness]);
        refused(&cornered, &["vertex 7", &sharpness]);
    }
    // the same sharpness twice is no contradiction
    for mesh in twice([INF, INF]) {
        Solid::new(&mesh).unwrap();
    }
}

#[test]
fn a_finite_sharpness_too_large_to_evaluate() {
    let mut mesh = block([1, 1, 1]);
    mesh.creases.push_edge(0, 1, 11.0);
    let message = Solid::new(&mesh).expect_err("too sharp").to_string();
    assert!(message.contains("sharpness 11") && message.contains("10"), "{message}");
    assert!(message.contains("the edge of vertices 0 and 1"), "{message}");
    mesh.creases.edges.clear();
    mesh.creases.push_corner(7, 10.5);
    let message = Solid::new(&mesh).expect_err("too sharp").to_string();
    assert!(message.contains("vertex 7"), "{message}");
}

#[test]
fn orphan_vertices_are_accepted() {
    let mut mesh = block([2, 1, 1]);
    mesh.points.insert(0, [50.0; 3]);
    mesh.points.push([-50.0; 3]);
    let mut moved = with_cells(&block([2, 1, 1]), |cells| {
        cells.iter_mut().flatten().for_each(|v| *v += 1);
    });
    moved.points = mesh.points;
    let (plain, with_orphans) = (Limits::new(&block([2, 1, 1])), Limits::new(&moved));
    assert_eq!(with_orphans.solid.topology().orphan_vertices().collect::<Vec<_>>(), [0, 13]);
    let p = [0.3, 0.0, 0.9];
    assert_eq!(plain.position(1, p), with_orphans.position(1, p));
}

/// A way to spoil a mesh; the numbers are taken modulo what there is.
#[derive(Clone, Debug)]
enum Damage {
    Renumber { cell: usize, corner: usize, vertex: u32 },
    Swap { cell: usize, corners: [usize; 2] },
    Delete { cell: usize },
    Duplicate { cell: usize },
    Merge { vertices: [usize; 2] },
    Number { vertex: usize, axis: usize, value: f64 },
    Crease { vertices: [u32; 2], sharpness: f64 },
    Corner { vertex: u32, sharpness: f64 },
}

fn damage() -> impl Strategy<Value = Damage> {
    let any = 0..1000_usize;
    let sharpness = prop_oneof![Just(INF), Just(f64::NAN), Just(-1.0), Just(11.0), 0.0..3.0];
    let number = prop_oneof![Just(f64::NAN), Just(INF), Just(1e300), -2.0..2.0];
    prop_oneof![
        (any.clone(), 0..8_usize, 0..80_u32)
            .prop_map(|(cell, corner, vertex)| { Damage::Renumber { cell, corner, vertex } }),
        (any.clone(), 0..8_usize, 0..8_usize)
            .prop_map(|(cell, a, b)| Damage::Swap { cell, corners: [a, b] }),
        any.clone().prop_map(|cell| Damage::Delete { cell }),
        any.clone().prop_map(|cell| Damage::Duplicate { cell }),
        (any.clone(), any.clone()).prop_map(|(a, b)| Damage::Merge { vertices: [a, b] }),
        (any, 0..3_usize, number).prop_map(|(vertex, axis, value)| Damage::Number {
            vertex,
            axis,
            value
        }),
        (0..40_u32, 0..40_u32, sharpness.clone())
            .prop_map(|(a, b, sharpness)| Damage::Crease { vertices: [a, b], sharpness }),
        (0..40_u32, sharpness).prop_map(|(vertex, sharpness)| Damage::Corner { vertex, sharpness }),
    ]
}

/// The mesh after all the damage.
fn apply(mesh: &SolidMesh, damages: &[Damage]) -> SolidMesh {
    let mut mesh = mesh.clone();
    let mut cells: Vec<(CellKind, Vec<u32>, Vec<Vec<u32>>)> = (0..mesh.cells.len())
        .map(|c| {
            let mut faces = Vec::new();
            mesh.cells.for_each_face(c, |face| faces.push(face.to_vec()));
            (mesh.cells.kind(c), mesh.cells.vertices(c).to_vec(), faces)
        })
        .collect();
    for damage in damages {
        let count = cells.len().max(1);
        match *damage {
            Damage::Renumber { cell, corner, vertex } => {
                let Some((_, vertices, faces)) = cells.get_mut(cell % count) else { continue };
                let old = vertices[corner % vertices.len()];
                let all = vertices.iter_mut().chain(faces.iter_mut().flatten());
                all.filter(|v| **v == old).for_each(|v| *v = vertex);
            }
            Damage::Swap { cell, corners: [a, b] } => {
                let Some((_, vertices, faces)) = cells.get_mut(cell % count) else { continue };
                let n = vertices.len();
                vertices.swap(a % n, b % n);
                let face = a % faces.len();
                faces[face].reverse();
            }
            Damage::Delete { cell } if !cells.is_empty() => {
                cells.remove(cell % count);
            }
            Damage::Duplicate { cell } if !cells.is_empty() => {
                cells.push(cells[cell % count].clone());
            }
            Damage::Delete { .. } | Damage::Duplicate { .. } => {}
            Damage::Merge { vertices: [a, b] } => {
                let [a, b] = [a, b].map(|v| (v % mesh.points.len()) as u32);
                for (_, vertices, faces) in &mut cells {
                    let all = vertices.iter_mut().chain(faces.iter_mut().flatten());
                    all.filter(|v| **v == a).for_each(|v| *v = b);
                }
            }
            Damage::Number { vertex, axis, value } => {
                let count = mesh.points.len();
                mesh.points[vertex % count][axis] = value;
            }
            Damage::Crease { vertices: [a, b], sharpness } => {
                mesh.creases.push_edge(a, b, sharpness);
            }
            Damage::Corner { vertex, sharpness } => mesh.creases.push_corner(vertex, sharpness),
        }
    }
    mesh.cells = Default::default();
    for (kind, vertices, faces) in &cells {
        match kind {
            CellKind::Polyhedron => mesh.cells.push_polyhedron(faces.iter().map(Vec::as_slice)),
            kind => mesh.cells.push(*kind, vertices),
        }
    }
    mesh
}

/// Names of arrays may read like elements.
#[test]
fn an_error_names_the_elements_that_it_is_about() {
    let mut mesh = block([2, 1, 1]);
    let mut corners = *mesh.cells.hexahedron(1).unwrap();
    corners[1] = corners[0];
    mesh.cells.push(CellKind::Hexahedron, &corners);
    let error = Solid::new(&mesh).map(drop).unwrap_err();
    let corner = corners[0].into();
    assert_eq!(error.elements(), [(IdKind::Cell, 2), (IdKind::Vertex, corner)]);
    let mut mesh = block([2, 1, 1]);
    mesh.attributes = vec![Attribute { name: "cell 1".into(), width: 1, values: vec![0.0] }];
    let error = Solid::new(&mesh).map(drop).unwrap_err();
    assert!(error.to_string().contains("\"cell 1\" has 1 value"), "{error}");
    assert!(error.elements().is_empty(), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_meshes_are_refused_or_evaluate_but_never_panic(
        which in 0..6_usize,
        creases in 0..50_u64,
        damages in prop::collection::vec(damage(), 0..4),
    ) {
        let mut mesh = match which {
            0 => block([2, 2, 2]),
            1 => block([3, 1, 1]),
            2 => fan(5, 1, 1),
            3 => fan(3, 2, 1),
            4 => link(VertexLink::stacked_octahedron(), 1),
            _ => mixed(),
        };
        if creases < 10 {
            crease_at_random(&mut mesh, &[0.5, 1.0, INF], 5, creases);
        }
        let mesh = apply(&mesh, &damages);
        let refined = refine_mesh(&mesh, 1, VertexRule::default());
        match Solid::new(&mesh) {
            Err(error) => {
                prop_assert!(error.help().is_some(), "{}", error);
                let is_of_all = error.to_string() == "the mesh has no cells";
                prop_assert!(is_of_all || !error.elements().is_empty(), "{}", error);
            }
            Ok(solid) => {
                prop_assert!(refined.is_ok());
                let limits = Limits::of(solid, &mesh.points);
                for element in 0..limits.solid.elements().len() {
                    for p in [[0.3, 0.9, 0.1], [0.0, 1.0, 0.0]] {
                        let position = limits.position(element, p);
                        prop_assert!(position.iter().all(|x| x.is_finite()), "{:?}", position);
                    }
                }
            }
        }
    }
}

/// Corners of a polyhedron are numbered by 8 bits: of a prism of 140 sides, places came twice.
#[test]
fn polyhedra_of_too_many_corners_are_refused_until_they_are_refined() {
    let prism = |sides: u32| {
        let place = |i: u32| {
            let (y, x) =
                (std::f64::consts::TAU * f64::from(i % sides) / f64::from(sides)).sin_cos();
            [x, y, f64::from(i / sides)]
        };
        let ring = |first: u32| (first..first + sides).collect::<Vec<_>>();
        let mut faces = vec![ring(0), ring(sides)];
        faces.extend((0..sides).map(|i| {
            let next = (i + 1) % sides;
            vec![i, next, next + sides, i + sides]
        }));
        let points = (0..2 * sides).map(place).collect();
        let mut mesh = SolidMesh { points, ..SolidMesh::default() };
        mesh.cells.push_polyhedron(faces.iter().map(Vec::as_slice));
        mesh
    };
    assert!(Solid::new(&prism(128)).is_ok());
    let error = Solid::new(&prism(140)).map(|_| ()).expect_err("too many corners");
    assert!(error.to_string().contains("cell 0 has 280 corners, limits take at most 256"));
    let refined = refine_mesh(&prism(140), 1, VertexRule::default()).unwrap();
    assert!(Solid::new(&refined).is_ok());
}
