//! Solids for some samples alone: the same limit as with all structures.

use rayon::ThreadPoolBuilder;
use rayon::prelude::*;

use crate::oracle::convert;
use crate::oracle::limit;
use crate::oracle::random::Random;
use crate::oracle::solid::VertexRule;
use crate::support::meshes::{INF, crease_box_edges, mixed, perturbed, shapes, tetrahedra};
use crate::support::{close, refused, size};
use subsolid::backend::{Backend, Cpu, Limit, Values};
use subsolid::limit::{LeafKind, Solid};
use subsolid::mesh::{Attribute, CellKind, SolidMesh};
use subsolid::parts::Blocks;
use subsolid::plan::{Samples, Want};
use subsolid::refine_mesh;
use subsolid::topology::Topology;

fn parameters(samples: &Samples) -> &[f64] {
    let Samples::Tensor(parameters) = samples else { panic!("scattered samples") };
    parameters
}

fn for_samples(mesh: &SolidMesh, samples: &Samples) -> Solid {
    let topology = Topology::of_mesh(mesh).unwrap();
    Solid::for_samples(mesh, topology, parameters(samples)).unwrap()
}

fn evaluate(solid: &Solid, mesh: &SolidMesh, samples: &Samples, want: Want) -> Limit {
    let plan = solid.plan(samples, want).unwrap();
    Cpu::default().evaluate(&plan, mesh.controls()).unwrap()
}

/// Two hundred tetrahedra, whose vertices have 24 inside and up to 12 at the boundary.
fn sharp_and_smooth() -> Vec<(String, SolidMesh)> {
    let mut smooth = perturbed(&tetrahedra([4, 3, 3]), 0.2, 1);
    let values = (0..2 * smooth.points.len()).map(|i| (i as f64 * 0.7).cos()).collect();
    smooth.attributes.push(Attribute { name: "a".into(), width: 2, values });
    let mut sharp = smooth.clone();
    crease_box_edges(&mut sharp, INF);
    let mut semi_sharp = smooth.clone();
    crease_box_edges(&mut semi_sharp, 0.7);
    let all = [("smooth", smooth), ("sharp", sharp), ("semi-sharp", semi_sharp)];
    all.map(|(name, mesh)| (name.into(), mesh)).into()
}

/// Positions, derivatives and attributes.
fn values(limit: &Limit) -> Vec<&Values> {
    let derivatives = limit.derivatives.iter();
    [&limit.positions].into_iter().chain(derivatives).chain(&limit.attributes).collect()
}

/// Largest difference of arrays, NaN being equal to NaN.
fn difference(a: &[&Values], b: &[&Values]) -> f64 {
    assert_eq!(a.len(), b.len());
    let mut largest: f64 = 0.0;
    for (a, b) in a.iter().zip(b) {
        assert_eq!(a.len(), b.len());
        for (a, b) in a.iter().zip(b.iter()) {
            assert_eq!(a.is_nan(), b.is_nan());
            largest = largest.max((a - b).abs());
        }
    }
    largest
}

#[test]
fn values_equal_those_of_structures() {
    for (name, mesh) in sharp_and_smooth() {
        let all = Solid::new(&mesh).unwrap();
        for n in [1, 2, 3, 4, 5, 9] {
            let samples = Samples::grid(n);
            let own = for_samples(&mesh, &samples);
            let many = all.spatial_structures().len();
            assert!(own.spatial_structures().len() < many, "{name}, {n}³: {many}");
            let [a, b] = [&all, &own].map(|solid| evaluate(solid, &mesh, &samples, Want::POSITION));
            let off = difference(&values(&a), &values(&b));
            assert!(off <= 1e-13 * size(&mesh.points), "{name}, {n}³: {off:e}");
        }
    }
}

#[test]
fn derivatives_inside_equal_those_of_structures() {
    for (name, mesh) in sharp_and_smooth() {
        let all = Solid::new(&mesh).unwrap();
        for n in [2, 4, 7] {
            let samples = Samples::gauss(n).unwrap();
            let want = Want::FIRST | Want::DETERMINANT;
            let own = for_samples(&mesh, &samples);
            let [a, b] = [&all, &own].map(|solid| evaluate(solid, &mesh, &samples, want));
            let off = difference(&values(&a), &values(&b));
            assert!(off <= 1e-12 * size(&mesh.points), "{name}, {n}³: {off:e}");
        }
    }
}

#[test]
fn values_equal_explicit_refinement() {
    for (name, mesh) in sharp_and_smooth() {
        if name == "semi-sharp" {
            continue; // its rules change where it is refined
        }
        let samples = Samples::grid(4);
        let limit = evaluate(&for_samples(&mesh, &samples), &mesh, &samples, Want::POSITION);
        // elements are the cells of the mesh refined once
        let truth = convert::solid(&refine_mesh(&mesh, 1, Default::default()).unwrap());
        let mut random = Random::new(5);
        let rows: Vec<usize> = (0..60).map(|_| random.below(limit.len())).collect();
        // and vertices of tetrahedra, in the first sample of each
        let rows: Vec<usize> = rows.into_iter().chain((0..limit.len()).step_by(64 * 40)).collect();
        rows.into_par_iter().for_each(|row| {
            let p = [1, 4, 16].map(|step| parameters(&samples)[row % 64 / step % 4]);
            let rule = VertexRule::LayerConsistent;
            let expected = limit::evaluate(&truth, rule, row / 64, p).position;
            let found = limit.positions.triple(row);
            close(found, expected, 1e-12 * size(&mesh.points), || format!("{name}, row {row}"));
        });
    }
}

#[test]
fn meshes_of_few_cells_at_vertices_stay_as_they_are() {
    let mut all = shapes();
    all.push(("mixed".into(), mixed()));
    for (name, mesh) in all {
        assert!(!Solid::has_many_structures(&mesh), "{name}");
        let around = Topology::of_mesh(&mesh).unwrap();
        if (0..mesh.points.len() as u32).any(|v| around.vertex_cells(v).len() > 6) {
            continue;
        }
        let samples = Samples::grid(3);
        let [all, own] = [Solid::new(&mesh).unwrap(), for_samples(&mesh, &samples)];
        let kinds = |solid: &Solid| solid.leaves().iter().map(|l| l.kind).collect::<Vec<_>>();
        assert_eq!(kinds(&all), kinds(&own), "{name}");
    }
}

#[test]
fn all_shapes_have_the_same_values() {
    let mut all = shapes();
    all.push(("mixed".into(), mixed()));
    all.par_iter().for_each(|(name, mesh)| {
        let mesh = perturbed(mesh, 0.1, 2);
        let samples = Samples::grid(4);
        let solids = [Solid::new(&mesh).unwrap(), for_samples(&mesh, &samples)];
        let [a, b] = solids.each_ref().map(|s| evaluate(s, &mesh, &samples, Want::POSITION));
        let off = difference(&values(&a), &values(&b));
        assert!(off <= 1e-13 * size(&mesh.points), "{name}: {off:e}");
    });
}

fn bits(limit: &Limit) -> Vec<u64> {
    (0..limit.positions.len()).map(|i| limit.positions.get(i).to_bits()).collect()
}

#[test]
fn threads_and_blocks_do_not_change_a_bit() {
    for (name, mesh) in sharp_and_smooth() {
        let samples = Samples::grid(4);
        let run = |threads: usize| {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let solid = for_samples(&mesh, &samples);
                bits(&evaluate(&solid, &mesh, &samples, Want::POSITION))
            })
        };
        let whole = run(1);
        assert!(whole == run(2), "{name}");
        let blocks = Blocks::new(&mesh, 0, Default::default()).unwrap();
        for range in blocks.runs(0..blocks.count(), blocks.count() / 5) {
            let block = blocks.block(range.clone()).unwrap();
            let solid = block.solid_for(Some(parameters(&samples))).unwrap();
            let own = bits(&evaluate(&solid, &block.mesh, &samples, Want::POSITION));
            let numbers =
                |elements: std::ops::Range<usize>| 192 * elements.start..192 * elements.end;
            assert!(own[numbers(block.elements)] == whole[numbers(range)], "{name}");
        }
    }
}

#[test]
fn other_samples_are_refused() {
    let mesh = tetrahedra([2, 2, 2]);
    let samples = Samples::grid(3);
    let solid = for_samples(&mesh, &samples);
    for (samples, want) in [
        (Samples::grid(4), Want::POSITION),
        (samples.clone(), Want::FIRST),
        (samples.clone(), Want::QUALITY),
        (Samples::Points(Vec::new()), Want::POSITION),
    ] {
        refused(solid.plan(&samples, want), "for other samples");
    }
    assert!(solid.plan(&Samples::grid(2), Want::POSITION).is_ok());
    // samples inside have derivatives
    let inside = Samples::gauss(2).unwrap();
    assert!(for_samples(&mesh, &inside).plan(&inside, Want::QUALITY).is_ok());
}

/// Vertices of many cells count once for each kind: a lattice has few structures.
#[test]
fn many_different_stars_make_many_structures() {
    assert!(!Solid::has_many_structures(&tetrahedra([20, 20, 20])));
    let mut random = Random::new(3);
    let mut mesh = SolidMesh { points: vec![[0.0; 3]; 100], ..SolidMesh::default() };
    for _ in 0..10_000 {
        let cell = [0; 4].map(|_: u32| random.below(100) as u32);
        mesh.cells.push(CellKind::Tetrahedron, &cell);
    }
    assert!(Solid::has_many_structures(&mesh));
    mesh.cells.push(CellKind::Tetrahedron, &[0, 1, 2, 100]);
    assert!(!Solid::has_many_structures(&mesh)); // no vertex 100
}

#[test]
fn vertex_leaves_are_points() {
    let mesh = tetrahedra([3, 3, 3]);
    let solid = for_samples(&mesh, &Samples::grid(3));
    let point = |net: &[u32]| net.iter().all(|&v| v == net[0]);
    let leaves = solid.leaves().iter().filter(|leaf| point(solid.net(leaf)));
    let vertices = leaves.inspect(|l| assert!(matches!(l.kind, LeafKind::Regular(_)))).count();
    // 8 inside with 24 tetrahedra, more at the boundary
    assert!(vertices >= 8 * 24, "{vertices}");
}
