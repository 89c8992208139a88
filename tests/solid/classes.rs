//! Cell classes: counts known from the literature and from independent counting,
//! and the cells that touch an extraordinary vertex without owning its edges.

use crate::oracle::spline::tricubic;
use crate::oracle::vector::{Point, distance};
use crate::oracle::{convert, limit, solid::VertexRule as OracleRule};
use crate::support::Limits;
use crate::support::compare::with_refinement;
use crate::support::meshes::{INF, block, crease_box_edges, link, model, perturbed};
use subsolid::basis::MissingLayers;
use subsolid::limit::{AxisPermutation, Class, Frame, LeafKind, Solid, Walker};
use subsolid::mesh::SolidMesh;
use subsolid::mesh::shape::VertexLink;
use subsolid::refine::refine_mesh;
use subsolid::scheme::VertexRule;
use subsolid::topology::{Sharpness, is_extraordinary};

/// Cells that are regular, layered, irregular, refined.
fn counts(solid: &Solid) -> [usize; 4] {
    let mut counts = [0; 4];
    for class in solid.classes() {
        counts[usize::from(class.number())] += 1;
    }
    counts
}

/// Missing end layers of every regular cell.
fn missing_layers(solid: &Solid) -> Vec<u32> {
    let leaves = solid.leaves().iter().filter(|leaf| leaf.depth == 0);
    let ends = leaves.filter_map(|leaf| match leaf.kind {
        LeafKind::Regular(ends) => Some(ends.count()),
        _ => None,
    });
    ends.collect()
}

#[test]
fn the_car_has_the_classes_of_the_papers_table_1() {
    let car = model("car_box_2x2x6.mesh");
    // regular with no and with one missing layer, layered, irregular
    let table = [[0, 0, 16, 8], [40, 88, 56, 8], [792, 600, 136, 8]];
    for (level, expected) in table.into_iter().enumerate() {
        let mesh = refine_mesh(&car, level, VertexRule::default()).expect("valid");
        let solid = Solid::new(&mesh).expect("valid");
        let [regular, layered, irregular, refined] = counts(&solid);
        let missing = missing_layers(&solid);
        let with = |n: u32| missing.iter().filter(|&&m| m == n).count();
        assert_eq!([with(0), with(1), layered, irregular], expected, "level {level}");
        assert_eq!((regular, refined), (missing.len(), 0), "level {level}");
    }
}

#[test]
fn the_models_have_the_classes_counted_independently() {
    // regular, layered, irregular, refined, by vertex stars
    let table = [
        ("car_box_2x2x6.mesh", [0, 16, 8, 0]),
        ("cad9.mesh", [0, 4, 0, 51]),
        ("rocket.mesh", [169, 52, 4, 160]),
        ("rod_hex.vtk", [1032, 228, 20, 0]),
        ("micro/hole.mesh", [0, 0, 0, 9]),
        ("micro/twisting.mesh", [0, 56, 8, 0]),
        ("micro/val3.mesh", [0, 0, 0, 3]),
        ("micro/val5.mesh", [0, 0, 0, 5]),
        ("micro/val11.mesh", [0, 0, 0, 11]),
    ];
    for (name, expected) in table {
        let solid = Solid::new(&model(name)).expect("valid");
        assert_eq!(counts(&solid), expected, "{name}");
    }
}

#[test]
fn cells_of_a_fin_lack_the_layers_on_both_sides() {
    let solid = Solid::new(&model("rocket.mesh")).expect("valid");
    let opposite = |ends: MissingLayers| (0..3).any(|d| ends.axis(d).count() == 2);
    let fins = solid.leaves().iter().filter(|leaf| leaf.depth == 0);
    let fins = fins.filter(|leaf| matches!(leaf.kind, LeafKind::Regular(e) if opposite(e)));
    assert!(fins.count() >= 100);

    let mut plate = block([4, 1, 4]);
    crease_box_edges(&mut plate, INF);
    let solid = Solid::new(&plate).expect("valid");
    assert_eq!(counts(&solid), [16, 0, 0, 0]);
    let mut missing = missing_layers(&solid);
    missing.sort_unstable();
    // 4 in the middle, 8 at an edge of the plate, 4 at a corner of it
    assert_eq!(missing, [vec![2; 4], vec![3; 8], vec![4; 4]].concat());
    with_refinement("plate", &plate, 4, 1);
}

/// The 4 × 4 × 4 control points that a walk across faces finds around a cell.
fn walked_net(walker: &Walker, start: &Frame, points: &[Point]) -> [[[Point; 4]; 4]; 4] {
    let mut net = [[[[0.0; 3]; 4]; 4]; 4];
    let line = |frame: &Frame, axis: usize| {
        [0, 1, 2].map(|i| match i {
            1 => *frame,
            side => walker.across(frame, axis, side / 2).expect("an inner cell"),
        })
    };
    for (u, frame) in line(start, 0).iter().enumerate() {
        for (v, frame) in line(frame, 1).iter().enumerate() {
            for (w, frame) in line(frame, 2).iter().enumerate() {
                for (bits, &vertex) in frame.vertices.iter().enumerate() {
                    let at = |offset: usize, d: usize| offset + (bits >> d & 1);
                    net[at(u, 0)][at(v, 1)][at(w, 2)] = points[vertex as usize];
                }
            }
        }
    }
    net
}

#[test]
fn a_cell_may_touch_an_extraordinary_vertex_and_own_none_of_its_edges() {
    let mesh: SolidMesh = perturbed(&link(VertexLink::stacked_octahedron(), 3), 0.02, 3);
    let limits = Limits::new(&mesh);
    let topology = limits.solid.topology();
    let center = (0..topology.vertex_count() as u32)
        .find(|&v| topology.vertex_cells(v).len() == 10 && !topology.is_boundary_vertex(v))
        .expect("the vertex of the link");
    let ordinary_edges = |cell: &u32| {
        (0..topology.edge_count() as u32)
            .filter(|&e| {
                let faces = topology.edge_faces(e);
                faces.iter().any(|&f| topology.face_cells(f).contains(cell))
                    && topology
                        .edge_vertices(e)
                        .iter()
                        .all(|v| topology.cells().vertices(*cell as usize).contains(v))
            })
            .all(|e| !is_extraordinary(topology, &Sharpness::default(), e))
    };
    let cells = topology.vertex_cells(center).iter().copied();
    let hidden: Vec<u32> = cells.filter(ordinary_edges).collect();
    let &[cell] = &hidden[..] else { panic!("cells {hidden:?} own ordinary edges only") };

    assert!(matches!(limits.solid.classes()[cell as usize], Class::Irregular(_)));
    let walker = Walker::new(topology);
    let net = walked_net(&walker, &walker.frame(cell, AxisPermutation::IDENTITY), &mesh.points);
    let at = topology.cells().vertices(cell as usize).iter().position(|&v| v == center);
    let corner = crate::oracle::solid::CORNERS[at.expect("a corner")].map(|x| x as f64);
    for t in [0.0, 0.1, 0.3] {
        let p = corner.map(|x| x * (1.0 - t) + (1.0 - x) * t);
        let truth =
            limit::evaluate(&convert::solid(&mesh), OracleRule::LayerConsistent, cell as usize, p);
        let evaluated = limits.position(cell as usize, p);
        assert!(distance(evaluated, truth.position) < 1e-12, "at {p:?}");
        let plain = distance(tricubic(&net, [0; 3], p), truth.position);
        assert!(plain > 1e-4, "at {p:?} a plain net errs by {plain:e} only");
    }
}
