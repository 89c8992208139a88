//! Quadratures of the boundary: closed surfaces, areas, and loads that solve problems.

use rayon::prelude::*;

use subsolid::Quadrature;
use subsolid::basis::bspline::Order;
use subsolid::limit::Solid;
use subsolid::mesh::{FaceGroup, Polygons, SolidMesh};
use subsolid::plan::{Location, Want};
use subsolid::quadrature::{
    BoundaryReport, LeafQuantities, Mapping, QuadratureScheme, Regions, side_vertices, sides,
};
use subsolid::refine::refine_mesh;
use subsolid::scheme::VertexRule;
use subsolid::topology::{NONE, Topology};

use super::archive::Archive;
use super::solve::{creased, distance};
use super::system::{elasticity, poisson};
use super::volume::VOLUMES;
use crate::oracle::vector::Greatest;
use crate::support::meshes::{INF, block, crease_box_edges, fan};

fn report(mesh: &SolidMesh, scheme: QuadratureScheme) -> BoundaryReport {
    let solid = Solid::new(mesh).unwrap();
    let quadrature = Quadrature::boundary(&solid, scheme, Want::FIRST, |_| true).unwrap();
    let mapping = Mapping::new(&quadrature, mesh.controls()).unwrap();
    let regions = Regions::new(&solid, mesh).unwrap();
    BoundaryReport::new(&mapping, &regions, mesh.points[0]).unwrap()
}

/// ∮ n = 0 and ∮ x · n / 3 is the volume, which other code evaluates as a surface.
#[test]
fn boundaries_close_around_the_volume() {
    VOLUMES.par_iter().for_each(|(name, mesh, expected)| {
        let report = report(mesh, QuadratureScheme::default());
        let open = report.normal.iter().map(|x| x.abs()).greatest() / report.area;
        let error = report.flux / expected - 1.0;
        println!("{name}: normals {open:.1e}, volume {error:.1e}, {} samples", report.samples);
        assert!(open < 1e-9, "{name}: {open:e}");
        assert!(error.abs() < 2e-9, "{name}: {error:e}");
    });
}

/// A name as it is goes before what its prefix says.
#[test]
fn groups_may_be_named_as_prefixes() {
    let mut mesh = block([2, 1, 1]);
    crease_box_edges(&mut mesh, INF);
    let names = ["side:1", "group:1", "group:side:1", "101", "+1", "2"];
    let topology = Topology::of_mesh(&mesh).unwrap();
    let faces: Vec<u32> =
        (0..topology.face_count() as u32).filter(|&f| topology.is_boundary_face(f)).collect();
    for (name, &face) in names.iter().zip(&faces) {
        let faces = Polygons::uniform(4, topology.face_vertices(face).to_vec());
        mesh.face_groups.push(FaceGroup { name: name.to_string(), faces });
    }
    let solid = Solid::new(&mesh).unwrap();
    let regions = Regions::new(&solid, &mesh).unwrap();
    // there is no side 101
    for (name, &face) in names[..5].iter().zip(&faces) {
        assert_eq!(regions.find(name).unwrap(), [face], "{name}");
    }
    assert_eq!(regions.find("group:group:1").unwrap(), [faces[1]]);
    assert_eq!(regions.find("group:2").unwrap(), [faces[5]]);
    let side = regions.find("1").unwrap();
    assert!(side.iter().all(|&face| regions.sides()[face as usize] == 1) && !side.is_empty());
    assert!(regions.find("2").unwrap_err().to_string().contains("2 is a side and a group"));
    assert!(regions.find("side:9").unwrap_err().to_string().contains("no side 9"));
}

/// Faces all of whose vertices have their limit points there, not their control points.
#[test]
fn conditions_name_faces_by_their_place() {
    let mut mesh = block([3, 2, 4]);
    let smooth = mesh.clone();
    crease_box_edges(&mut mesh, INF);
    let solid = Solid::new(&mesh).unwrap();
    let topology = solid.topology();
    let regions = Regions::new(&solid, &mesh).unwrap();
    let ends = |face: u32, d: usize| {
        let along = topology.face_vertices(face).iter().map(|&v| mesh.points[v as usize][d]);
        along.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)))
    };
    let boundary = (0..topology.face_count() as u32).filter(|&f| topology.is_boundary_face(f));
    let boundary: Vec<u32> = boundary.collect();
    let expected = |holds: &dyn Fn(u32) -> bool| -> Vec<u32> {
        boundary.iter().copied().filter(|&face| holds(face)).collect()
    };
    for (text, faces) in [
        ("where:x<1e-9", expected(&|f| ends(f, 0).1 == 0.0)),
        ("where: 1e-9 > x", expected(&|f| ends(f, 0).1 == 0.0)),
        ("where:z>=4", expected(&|f| ends(f, 2).0 == 4.0)),
        ("where:-1<y<1.5 and 0.5<=x", expected(&|f| ends(f, 1).1 < 1.5 && ends(f, 0).0 >= 1.0)),
    ] {
        assert_eq!(regions.find(text).unwrap(), faces, "{text}");
    }
    let diagonal = regions.find_named("where:z>x").unwrap();
    assert!(diagonal.iter().all(|&f| topology.face_vertices(f).iter().all(|&v| {
        let [x, _, z] = mesh.points[v as usize];
        z > x
    })));
    assert!(!diagonal.is_empty());
    for text in
        ["where:", "where:x", "where:x<", "where:x<nan", "where:1<2", "where:r<1", "where:x==1"]
    {
        let error = regions.find(text).unwrap_err().to_string();
        assert!(error.contains("cannot read the condition"), "{text}: {error}");
    }
    let error = regions.find("where:x>3").unwrap_err();
    assert!(error.to_string().contains("no face of the boundary has x>3 at all its vertices"));
    assert!(
        error.help().unwrap().to_string().contains("(0, 0, 0) and (3.00000, 2.00000, 4.00000)")
    );

    // the limit of the smooth box is round at its edges: no face has all of x = 0
    let round = Solid::new(&smooth).unwrap();
    let regions = Regions::new(&round, &smooth).unwrap();
    let error = regions.find("where:x<1e-9").unwrap_err().to_string();
    assert!(error.contains("no face of the boundary"), "{error}");
    let limits = round.limit_matrix().apply(smooth.points.as_flattened(), 3);
    let low = |f: u32| topology.face_vertices(f).iter().all(|&v| limits[3 * v as usize] < 0.4);
    let found = regions.find("where:x<0.4").unwrap();
    assert_eq!(found, expected(&low));
    assert!(!found.is_empty());
}

/// Flat faces have no rings that stand for others: all is exact.
#[test]
fn a_creased_box_has_the_sides_of_a_box() {
    let mut mesh = block([3, 2, 4]);
    crease_box_edges(&mut mesh, INF);
    let report = report(&mesh, QuadratureScheme { gauss: 3, rings: None });
    assert_eq!((report.samples, report.sides.len()), (9 * 52, 6));
    assert!((report.area - 52.0).abs() < 1e-12 && (report.flux - 24.0).abs() < 1e-12);
    for side in &report.sides {
        let axis = (0..3).find(|&d| side.sums.normal[d].abs() > 1.0).unwrap();
        assert!((side.sums.normal[axis].abs() - side.sums.area).abs() < 1e-12);
        let outward = if side.sums.centroid[axis] == 0.0 { -1.0 } else { 1.0 };
        assert_eq!(side.sums.normal[axis].signum(), outward);
        assert!((side.sums.area - side.sums.faces as f64).abs() < 1e-12);
    }
}

/// Semi-sharp edges end no side, for basis functions reach across them; across infinitely sharp
/// edges none does, whatever is semi-sharp beside them.
#[test]
fn basis_functions_on_a_side_are_those_of_its_vertices() {
    let mut mesh = block([2, 2, 3]);
    crease_box_edges(&mut mesh, 1.5);
    let points = mesh.points.clone();
    let is_low = |v: u32| points[v as usize][2] == 0.0;
    for crease in mesh.creases.edges.iter_mut().filter(|c| c.edge().iter().all(|v| is_low(v.0))) {
        crease.sharpness = INF;
    }
    let solid = Solid::new(&mesh).unwrap();
    let (side, count) = sides(solid.topology(), &mesh.creases);
    assert_eq!(count, 2);
    let all = side_vertices(solid.topology(), &side, count);
    let low = all.iter().find(|own| own.iter().all(|&v| is_low(v))).unwrap();
    assert_eq!(low.len(), 9);
    let along = [0.0, 0.3, 1.0];
    let place = |element, u, v| Location { element, parameters: [u, v, 0.0] };
    let places: Vec<Location> = (0..4)
        .flat_map(|e| along.iter().flat_map(move |&u| along.map(|v| place(e, u, v))))
        .collect();
    let rows = solid.basis_rows(&places, [Order::Value; 3]).unwrap();
    for (r, place) in places.iter().enumerate() {
        let other = rows.row(r).find(|&(v, weight)| weight.abs() > 1e-14 && !low.contains(&v));
        assert_eq!(other, None, "{place:?}");
    }
}

/// The area of the limit is that of the limit of the refined mesh: other leaves, other rings.
#[test]
fn areas_stay_when_the_mesh_is_refined() {
    for (name, mesh, bound) in [
        ("smooth box", block([2, 2, 3]), 1e-7),
        ("fan of valence 5", fan(5, 2, 2), 1e-7),
        ("creased fan", creased(fan(3, 2, 2)), 1e-9),
    ] {
        let refined = refine_mesh(&mesh, 1, VertexRule::default()).unwrap();
        let scheme = QuadratureScheme { gauss: 10, rings: None };
        let areas = [&mesh, &refined].map(|mesh| report(mesh, scheme).area);
        println!("{name}: {areas:?}");
        assert!((areas[1] / areas[0] - 1.0).abs() < bound, "{name}: {areas:?}");
    }
}

/// Points lie on the boundary where parameters say, and normals are unit vectors across the
/// surface.
#[test]
fn points_and_normals_are_those_of_the_limit() {
    let mesh = fan(5, 2, 2);
    let solid = Solid::new(&mesh).unwrap();
    let scheme = QuadratureScheme { gauss: 2, rings: Some(2) };
    let quadrature = Quadrature::boundary(&solid, scheme, Want::FIRST, |_| true).unwrap();
    let mapping = Mapping::new(&quadrature, mesh.controls()).unwrap();
    let mut mapped = LeafQuantities::default();
    for (b, leaves) in quadrature.pieces(1 << 20) {
        mapping.evaluate(b, leaves.clone(), &mut mapped).unwrap();
        let batch = &quadrature.batches()[b];
        let side = batch.side.unwrap();
        let axis = usize::from(side.axis);
        let (parameters, basis) = (quadrature.parameters(b), quadrature.basis(b));
        assert!(parameters.iter().all(|p| p[axis] == f64::from(side.end)));
        for (i, leaf) in leaves.enumerate() {
            let ids = &batch.control_ids[leaf * basis.controls..][..basis.controls];
            for s in 0..basis.samples {
                let at = i * basis.samples + s;
                let row = &basis.values[s * basis.controls..][..basis.controls];
                for d in 0..3 {
                    let terms = row.iter().zip(ids).map(|(n, &id)| n * mesh.points[id as usize][d]);
                    assert!((terms.sum::<f64>() - mapped.points[at][d]).abs() < 1e-12);
                }
                let normal = mapped.normals[at];
                let dot = |a: [f64; 3], b: [f64; 3]| (0..3).map(|d| a[d] * b[d]).sum::<f64>();
                assert!((dot(normal, normal) - 1.0).abs() < 1e-14);
                for along in (0..3).filter(|&c| c != axis) {
                    let column = [0, 1, 2].map(|d| mapped.jacobians[at][d][along]);
                    assert!(dot(normal, column).abs() < 1e-13);
                }
                let across = [0, 1, 2].map(|d| mapped.jacobians[at][d][axis]);
                let outward = if side.end == 1 { 1.0 } else { -1.0 };
                assert!(dot(normal, across) * outward > 0.0);
            }
        }
    }
}

/// Left-handed cells have the same outward normals.
#[test]
fn left_handed_cells_have_outward_normals() {
    let mesh = fan(3, 2, 2);
    let mut mirrored = mesh.clone();
    mirrored.points.iter_mut().for_each(|p| p[2] = -p[2]);
    // some or all cells of a block, listed the other way round
    let right = block([2, 2, 2]);
    let turned = |turned: &[usize]| {
        let mut cells: Vec<[u32; 8]> =
            (0..8).map(|c| *right.cells.hexahedron(c).unwrap()).collect();
        turned.iter().for_each(|&c| cells[c].rotate_left(4));
        SolidMesh::from_hexahedra(right.points.clone(), &cells)
    };
    for (plain, mirrored) in [
        (mesh, mirrored),
        (right.clone(), turned(&[0, 3, 5, 6])),
        (right.clone(), turned(&[0, 1, 2, 3, 4, 5, 6, 7])),
    ] {
        let [plain, mirrored] =
            [plain, mirrored].map(|mesh| report(&mesh, QuadratureScheme::default()));
        assert!((mirrored.flux / plain.flux - 1.0).abs() < 1e-12);
        assert!((mirrored.area / plain.area - 1.0).abs() < 1e-12);
    }
}

/// For every vertex whether it lies on side 0.
fn on_first_side(mesh: &SolidMesh) -> Vec<bool> {
    let topology = Topology::build(mesh.cells.clone(), mesh.points.len()).unwrap();
    let (side, count) = sides(&topology, &mesh.creases);
    assert!(count > 1, "a side that is free");
    let mut fixed = vec![false; mesh.points.len()];
    for (face, _) in (0..).zip(&side).filter(|&(_, &s)| s == 0 && s != NONE) {
        topology.face_vertices(face).iter().for_each(|&v| fixed[v as usize] = true);
    }
    fixed
}

/// Linear fields come out, to 1e-10 of their largest value, where one side is fixed and the others
/// have their fluxes or tractions.
#[test]
fn mixed_conditions_pass_the_patch_test() {
    let bracket = subsolid::read("models/bracket.vtk").unwrap();
    for (name, mesh, rings) in [
        ("creased box", creased(block([3, 3, 3])), 0),
        ("bracket", creased(bracket), 14),
        ("fan of valence 3", creased(fan(3, 2, 2)), 14),
    ] {
        let scheme = QuadratureScheme { gauss: 5, rings: Some(rings) };
        let (volume, boundary) = (Archive::of(&mesh, scheme), Archive::of_boundary(&mesh, scheme));
        let fixed = on_first_side(&mesh);
        assert!(fixed.contains(&false), "an unknown");

        let slope = [0.5, -0.3, 0.7];
        let temperature = |p: &[f64; 3]| 1.0 + (0..3).map(|d| slope[d] * p[d]).sum::<f64>();
        let expected: Vec<f64> = volume.control_points.iter().map(temperature).collect();
        let heat = boundary.loads(|side, _, n| {
            let flux: f64 = (0..3).map(|d| slope[d] * n[d]).sum();
            [if side == 0 { 0.0 } else { flux }]
        });
        let (matrix, _) = poisson(&volume, |_| 0.0);
        let largest = |values: &[f64]| values.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let found = matrix.solve(&heat, &fixed, &expected);
        let error = distance(&found, &expected) / largest(&expected);
        println!("{name}: temperature {error:.1e}");
        assert!(error < 1e-10, "{name}: {error:e}");
        if name == "bracket" {
            continue; // its elasticity would be most of the time of this test
        }

        let [lambda, mu] = [1.2, 0.8];
        let gradient = [[0.2, -0.4, 0.0], [0.3, 0.1, -0.6], [-0.2, 0.3, 0.5]];
        let moved = |p: &[f64; 3]| gradient.map(|row| (0..3).map(|d| row[d] * p[d]).sum::<f64>());
        let expected: Vec<f64> = volume.control_points.iter().flat_map(moved).collect();
        let trace = gradient[0][0] + gradient[1][1] + gradient[2][2];
        let loads = boundary.loads(|side, _, n| {
            let row = |r: usize| {
                let shear = (0..3).map(|c| mu * (gradient[r][c] + gradient[c][r]) * n[c]);
                lambda * trace * n[r] + shear.sum::<f64>()
            };
            if side == 0 { [0.0; 3] } else { [row(0), row(1), row(2)] }
        });
        let found = elasticity(&volume, [lambda, mu]).solve(&loads, &fixed, &expected);
        let error = distance(&found, &expected) / largest(&expected);
        println!("{name}: displacement {error:.1e}");
        assert!(error < 1e-10, "{name}: {error:e}");
    }
}
