//! Far from the origin results keep the digits that the coordinates have, in cells that are
//! refined first too.

use crate::oracle::random::Random;
use crate::oracle::vector::Greatest;
use crate::support::meshes::{block, crease_at_random, link, mixed, shapes};
use subsolid::backend::{Backend, Cpu, Precision};
use subsolid::limit::Solid;
use subsolid::mesh::shape::VertexLink;
use subsolid::mesh::{Attribute, SolidMesh};
use subsolid::plan::{Location, Samples, Want};
use subsolid::quadrature::{LeafQuantities, Mapping, QuadratureScheme};
use subsolid::{Limit, Quadrature};

/// Far, and a power of 2, so that the meshes below move there without rounding.
const FAR: f64 = 1048576.0;

/// The mesh with coordinates (and an attribute) that are multiples of 2⁻³⁰, here and far away.
fn pair(mut mesh: SolidMesh, seed: u64) -> [SolidMesh; 2] {
    let grid = f64::exp2(30.0);
    let mut random = Random::new(seed);
    for p in &mut mesh.points {
        *p = p.map(|x| ((x + 0.03 * (random.parameters()[0] - 0.5)) * grid).round() / grid);
    }
    let values = |shift: f64| mesh.points.iter().flat_map(|p| [p[0] * 0.5 + shift, p[1]]).collect();
    let attribute = |shift| Attribute { name: "heat".into(), width: 2, values: values(shift) };
    let [near, far] = [0.0, FAR].map(attribute);
    let moved = mesh.points.iter().map(|p| [p[0] + FAR, p[1] - FAR, p[2] + FAR]).collect();
    let moved = SolidMesh { points: moved, attributes: vec![far], ..mesh.clone() };
    mesh.attributes = vec![near];
    [mesh, moved]
}

fn meshes() -> Vec<[SolidMesh; 2]> {
    let mut semi_sharp = block([3, 3, 2]);
    crease_at_random(&mut semi_sharp, &[0.5, 1.7, 2.0], 3, 4);
    let mut all = vec![mixed(), semi_sharp];
    all.push(link(
        VertexLink::new(vec![[0, 1, 2], [0, 2, 3], [0, 3, 1], [3, 2, 1]]).expect("a link"),
        1,
    ));
    all.extend(shapes().into_iter().map(|(_, mesh)| mesh));
    all.into_iter().zip(1..).map(|(mesh, seed)| pair(mesh, seed)).collect()
}

fn limit(mesh: &SolidMesh, samples: impl Fn(&Solid) -> Samples, precision: Precision) -> Limit {
    let solid = Solid::new(mesh).expect("a solid");
    let plan = solid.plan(&samples(&solid), Want::FIRST | Want::SECOND).expect("a plan");
    Cpu::new(precision).evaluate(&plan, mesh.controls()).expect("a limit")
}

/// Results of two limits differ by this much where they are not undefined in both.
fn largest_difference(
    a: &subsolid::backend::Values,
    b: &subsolid::backend::Values,
    shift: [f64; 3],
) -> f64 {
    assert_eq!(a.len(), b.len());
    let difference = |i: usize| match [a.get(i), b.get(i) - shift[i % 3]] {
        [a, b] if a.is_nan() && b.is_nan() => 0.0,
        [a, b] => (a - b).abs(),
    };
    (0..a.len()).map(difference).greatest()
}

#[test]
fn refined_cells_keep_their_digits() {
    let mut refined = 0;
    for [near, far] in meshes() {
        refined += usize::from(!Solid::new(&near).expect("a solid").stencils().is_empty());
        let scattered = |solid: &Solid| {
            let mut random = Random::new(9);
            let count = solid.elements().len() as u32;
            let location = |element| Location { element, parameters: random.parameters() };
            Samples::Points((0..count).chain(0..count).map(location).collect())
        };
        let tensor = |_: &Solid| Samples::Tensor(vec![0.11, 0.4, 0.8]);
        let samples: [&dyn Fn(&Solid) -> Samples; 2] = [&tensor, &scattered];
        for samples in samples {
            let [a, b] = [&near, &far].map(|mesh| limit(mesh, samples, Precision::F64));
            // half a unit in the last place of the coordinates, and a little for the sums
            let moved = largest_difference(&a.positions, &b.positions, [FAR, -FAR, FAR]);
            assert!(moved <= 0.6 * FAR * f64::EPSILON, "{moved:e}");
            for (a, b) in a.derivatives.iter().zip(&b.derivatives) {
                let off = largest_difference(a, b, [0.0; 3]);
                assert!(off <= 1e-11, "{off:e}");
            }
            for (i, shift) in [(0, FAR), (1, 0.0)] {
                let [a, b] = [&a, &b].map(|limit| &limit.attributes[0]);
                for k in (i..a.len()).step_by(2) {
                    let off = (a.get(k) - (b.get(k) - shift)).abs();
                    assert!(off <= 0.6 * FAR * f64::EPSILON, "{off:e}");
                }
            }
            let single = limit(&far, samples, Precision::F32);
            let rounded = largest_difference(&single.positions, &b.positions, [0.0; 3]);
            assert!(rounded <= 0.51 * FAR * f64::from(f32::EPSILON), "{rounded:e}");
        }
    }
    assert!(refined >= 3);
}

#[test]
fn quadrature_points_keep_their_digits() {
    for [near, far] in meshes() {
        let solids = [&near, &far].map(|mesh| Solid::new(mesh).expect("a solid"));
        let scheme = QuadratureScheme { gauss: 3, rings: Some(2) };
        let [a, b] = [0, 1].map(|i| {
            Quadrature::new(&solids[i], scheme, Want::FIRST | Want::SECOND).expect("a quadrature")
        });
        let mappings = [
            Mapping::new(&a, near.controls()).expect("a mapping"),
            Mapping::new(&b, far.controls()).expect("a mapping"),
        ];
        for (batch, leaves) in a.pieces(1000) {
            let [a, b] = mappings.each_ref().map(|mapping| {
                let mut mapped = LeafQuantities::default();
                mapping.evaluate(batch, leaves.clone(), &mut mapped).expect("such leaves");
                mapped
            });
            let pairs = a.determinants.iter().zip(&b.determinants);
            assert!(pairs.map(|(a, b)| (a - b).abs()).greatest() <= 1e-12);
            for (p, q) in a.points.iter().zip(&b.points) {
                let off = (p[0] - (q[0] - FAR)).abs().max((p[1] - (q[1] + FAR)).abs());
                assert!(off <= 0.6 * FAR * f64::EPSILON, "{off:e}");
            }
        }
    }
}
