//! Bézier extraction operators on every shape and model: against the limit, which is
//! evaluated by other code.

use crate::oracle::random::Random;
use crate::oracle::vector::{Point, distance};
use crate::support::bezier::bezier;
use crate::support::meshes::{
    INF, block, crease_at_random, crease_box_edges, mixed, models, shapes,
};
use crate::support::{Limits, meshes::perturbed, refused, size};
use rayon::prelude::*;
use subsolid::basis::MissingLayers;
use subsolid::bezier::extraction::ExtractionOperator;
use subsolid::bezier::{Extraction, Pieces};
use subsolid::limit::{LeafKind, Solid};
use subsolid::mesh::SolidMesh;
use subsolid::mesh::shape::Shape;
use subsolid::refine::crease_by_angle;

const NO_LIMIT: usize = usize::MAX;
/// Pieces of a mesh that are tested, spread over all.
const TESTED: usize = 150;

fn triples(flat: Vec<f64>) -> Vec<Point> {
    flat.as_chunks().0.to_vec()
}

/// Shapes, moved at random, and models; some creased, and one of other cells.
fn all_meshes() -> Vec<(String, SolidMesh)> {
    let mut all = shapes();
    for (seed, (_, mesh)) in all.iter_mut().enumerate() {
        *mesh = perturbed(mesh, 0.01, seed as u64);
    }
    all.extend(models());
    let creased: Vec<_> = (all.iter().enumerate())
        .filter(|(i, _)| i % 4 == 1)
        .map(|(seed, (name, mesh))| {
            let mut mesh = mesh.clone();
            crease_at_random(&mut mesh, &[0.5, 1.0, 1.7, INF], 4, seed as u64);
            (format!("creased {name}"), mesh)
        })
        .collect();
    all.extend(creased);
    let mut sharp = block([5, 4, 3]);
    crease_box_edges(&mut sharp, INF);
    all.push(("sharp block".into(), sharp));
    all.push(("other cells".into(), mixed()));
    all
}

/// Rows sum to 1, and control points are known and stand once.
fn check_form(operator: &ExtractionOperator<'_>, controls: usize, exact: bool, what: &str) {
    let count = operator.controls.len();
    assert_eq!(operator.weights.len(), 64 * count, "{what}");
    for row in operator.weights.chunks_exact(count) {
        let sum: f64 = row.iter().sum();
        assert!((sum - 1.0).abs() < 1e-13, "{what}: a row sums to {sum}");
        if exact {
            let least = row.iter().copied().fold(f64::INFINITY, f64::min);
            assert!(least > -1e-13, "{what}: a weight of {least}");
        }
    }
    let mut sorted = operator.controls.to_vec();
    sorted.sort_unstable();
    assert!(sorted.is_sorted_by(|a, b| a < b), "{what}: a control point twice");
    assert!((*sorted.last().unwrap() as usize) < controls, "{what}: an unknown control point");
}

fn check(name: &str, mesh: &SolidMesh, seed: u64) {
    let limits = Limits::new(mesh);
    let solid = &limits.solid;
    let pieces = Pieces::new(solid, 1).unwrap();
    let compact = Extraction::new(&pieces).unwrap();
    let expanded = compact.clone().expanded(NO_LIMIT).unwrap();
    let bounds = pieces.error_bounds(&mesh.points).unwrap();
    let positions = mesh.points.as_flattened();
    let all = [positions, &compact.refined().apply(positions, 3)[..]].concat();
    assert!(expanded.refined().is_empty());
    assert_eq!([compact.pieces().len(), expanded.pieces().len()], [bounds.len(); 2]);
    let volume: f64 = compact.pieces().iter().map(|p| p.size.iter().product::<f64>()).sum();
    let elements = solid.elements().len() as f64;
    assert!((volume - elements).abs() < 1e-12 * elements, "{name}: the boxes fill the cells");

    let points = solid.refined_points(positions, 3);
    let of_leaves = solid.leaves().iter().map(|leaf| pieces.points(leaf, &points, 3));
    let reference: Vec<Point> = of_leaves.flat_map(triples).collect();
    let tolerance = 1e-13 * size(&mesh.points).max(1.0);
    let mut random = Random::new(seed);
    let step = bounds.len().div_ceil(TESTED);
    for piece in (0..bounds.len()).step_by(step) {
        let what = format!("{name}, piece {piece}");
        let [a, b] = [compact.operator(piece), expanded.operator(piece)];
        let box_ = compact.pieces()[piece];
        check_form(&a, all.len() / 3, box_.exact, &what);
        check_form(&b, mesh.points.len(), box_.exact, &what);
        let found = [(&a, &all[..]), (&b, positions)]
            .map(|(operator, values)| triples(operator.apply(values, 3).unwrap()));
        for (i, expected) in reference[64 * piece..][..64].iter().enumerate() {
            for found in &found {
                let d = distance(found[i], *expected);
                assert!(d <= tolerance, "{what}: Bézier point {i} is {d:e} away");
            }
        }
        assert_eq!(box_.exact, bounds[piece] == 0.0, "{what}");
        for close in [false, false, true, true] {
            let mut t = random.parameters();
            if close {
                // to the corners, where the last pieces are worst
                t = t.map(|x| x * x * (3.0 - 2.0 * x));
            }
            let p = std::array::from_fn(|d| box_.origin[d] + box_.size[d] * t[d]);
            let expected = limits.position(box_.element as usize, p);
            let d = distance(bezier(&found[1], t), expected);
            assert!(d <= tolerance + bounds[piece], "{what}: {d:e} from the limit at {p:?}");
        }
    }
}

#[test]
fn operators_give_the_limit_on_every_shape_and_model() {
    let meshes = all_meshes();
    assert!(meshes.len() > 40);
    meshes.par_iter().enumerate().for_each(|(seed, (name, mesh))| check(name, mesh, seed as u64));
}

#[test]
fn a_regular_operator_is_the_product_of_three_insertions_of_knots() {
    let mesh = block([5, 5, 5]);
    let limits = Limits::new(&mesh);
    let extraction = Extraction::new(&Pieces::new(&limits.solid, 0).unwrap()).unwrap();
    let middle = extraction.pieces().iter().position(|p| p.element == 62).unwrap();
    let operator = extraction.operator(middle);
    // in sixths: a cubic span between uniform knots
    let span = [[1.0, 4.0, 1.0, 0.0], [0.0, 4.0, 2.0, 0.0], [0.0, 2.0, 4.0, 0.0]];
    let span = [span[0], span[1], span[2], [0.0, 1.0, 4.0, 1.0]];
    let digits = |i: usize| [i % 4, i / 4 % 4, i / 16];
    for (row, weights) in operator.weights.chunks_exact(64).enumerate() {
        for (column, &weight) in weights.iter().enumerate() {
            let [r, c] = [digits(row), digits(column)];
            let expected = (0..3).map(|d| span[r[d]][c[d]] / 6.0).product::<f64>();
            assert!((weight - expected).abs() < 1e-16, "{row} {column}");
        }
    }
    // its control points are a grid around the cell
    let corner = mesh.points[operator.controls[0] as usize];
    for (column, &id) in operator.controls.iter().enumerate() {
        let offset = digits(column).map(|x| x as f64);
        let expected = std::array::from_fn(|d| corner[d] + offset[d]);
        assert_eq!(mesh.points[id as usize], expected);
    }
}

#[test]
fn equal_cells_share_operators() {
    let mesh = crate::support::meshes::model("rod_hex.vtk");
    let limits = Limits::new(&mesh);
    let extraction = Extraction::new(&Pieces::new(&limits.solid, 2).unwrap()).unwrap();
    assert!(3 * extraction.operator_count() < extraction.pieces().len());
    let whole = limits
        .solid
        .leaves()
        .iter()
        .filter(|leaf| leaf.kind == LeafKind::Regular(MissingLayers::NONE));
    let elements: Vec<u32> = whole.map(|leaf| leaf.element).collect();
    let pieces = extraction.pieces().iter().enumerate();
    let inside = pieces.filter(|(_, piece)| elements.binary_search(&piece.element).is_ok());
    let ids: Vec<u32> = inside.map(|(piece, _)| extraction.operator(piece).id).collect();
    assert!(ids.len() == elements.len() && ids.len() > 100);
    assert!(ids.iter().all(|&id| id == ids[0]), "one operator for all cells inside");
    let expanded = extraction.clone().expanded(NO_LIMIT).unwrap();
    assert_eq!(extraction.pieces(), expanded.pieces());
}

#[test]
fn requests_that_cannot_be_met_are_refused() {
    let mut mesh = mixed(); // its cells are refined inside
    let limits = Limits::new(&mesh);
    let pieces = Pieces::new(&limits.solid, 1).unwrap();
    let extraction = Extraction::new(&pieces).unwrap();
    assert!(!extraction.refined().is_empty());
    let message = |error: subsolid::Error| error.to_string();
    let small = extraction.clone().expanded(1000).map(|_| ()).map_err(message).unwrap_err();
    assert!(small.contains("GB"), "{small}");
    let patch = extraction.patch(&mesh.points).map(|_| ()).map_err(message).unwrap_err();
    assert!(patch.contains("not vertices"), "{patch}");
    refused(
        extraction.arrays(&limits.solid, mesh.controls(), &[]),
        "0 error bounds for 720 pieces",
    );
    mesh.points.pop();
    let expanded = extraction.expanded(NO_LIMIT).unwrap();
    refused(expanded.patch(&mesh.points), "16 control points for 17 vertices");
}

fn operators(mesh: &SolidMesh, rings: usize) -> Extraction {
    let solid = Solid::new(mesh).unwrap();
    Extraction::new(&Pieces::new(&solid, rings).unwrap()).unwrap()
}

#[test]
fn a_sharp_block_has_the_operators_of_its_corners_edges_and_faces() {
    let mut mesh = Shape::Box { cells: [5, 5, 5] }.build().unwrap();
    crease_by_angle(&mut mesh, 40.0).unwrap();
    mesh.creases.corners.clear();
    let extraction = operators(&mesh, 0);
    assert_eq!(extraction.pieces().len(), 125);
    assert_eq!(extraction.operator_count(), 27);
    assert!(extraction.refined().is_empty());
    let mut columns = [0; 65];
    for piece in 0..125 {
        columns[extraction.operator(piece).controls.len()] += 1;
    }
    assert_eq!([columns[64], columns[48], columns[36], columns[27]], [27, 54, 36, 8]);
}

#[test]
fn one_cell_thick_plates_keep_the_two_layers_they_have() {
    let mut mesh = Shape::Box { cells: [5, 5, 1] }.build().unwrap();
    crease_by_angle(&mut mesh, 40.0).unwrap();
    let extraction = operators(&mesh, 0);
    let middle = extraction.operator(12);
    assert_eq!(middle.controls.len(), 32);
    assert_eq!(middle.weights.len(), 64 * 32);
}

#[test]
fn nets_that_meet_themselves_hold_every_vertex_once() {
    let mesh = Shape::Torus { major: 3, core: 2, rings: 1 }.build().unwrap();
    let extraction = operators(&mesh, 1);
    for piece in 0..extraction.pieces().len() {
        let mut controls = extraction.operator(piece).controls.to_vec();
        let count = controls.len();
        controls.sort_unstable();
        controls.dedup();
        assert_eq!(controls.len(), count, "piece {piece}");
    }
}

/// What is estimated before operators are made: all arrays but those of offsets and of refined points.
#[test]
fn operators_are_as_large_as_estimated() {
    let mut creased = Shape::Fan { valence: 5, layers: 1, rings: 1 }.build().unwrap();
    creased.creases.push_edge(0, 1, 2.5);
    let torus = Shape::Torus { major: 3, core: 2, rings: 1 }.build().unwrap();
    let tripod = Shape::parse("tripod", &[]).unwrap().build().unwrap();
    for mesh in [creased, torus, tripod] {
        let solid = Solid::new(&mesh).unwrap();
        let pieces = Pieces::new(&solid, 2).unwrap();
        let compact = Extraction::new(&pieces).unwrap();
        let expanded = compact.clone().expanded(usize::MAX).unwrap();
        for (made, is_expanded) in [(compact, false), (expanded, true)] {
            let nets = (0..made.pieces().len()).map(|piece| made.operator(piece).controls.as_ptr());
            let nets = nets.collect::<std::collections::HashSet<_>>().len();
            let offsets = 8 * (nets + 1 + made.operator_count() + 1);
            let refined = 8 * (made.refined().len() + 1) + 12 * made.refined().entries();
            let bytes = made.bytes() - offsets - refined;
            assert_eq!(Extraction::estimate(&pieces, is_expanded), bytes as u128);
        }
    }
}
