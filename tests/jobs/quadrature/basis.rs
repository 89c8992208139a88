//! The basis functions: partition of unity, and the limit itself.

use rayon::prelude::*;

use subsolid::Quadrature;
use subsolid::limit::Solid;
use subsolid::mesh::SolidMesh;
use subsolid::plan::Want;
use subsolid::quadrature::{
    LeafQuantities, Mapping, PhysicalDerivatives, QuadratureScheme, physical_derivatives,
};

use crate::oracle::vector::Greatest;
use crate::support::meshes::{INF, crease_at_random, mixed, models, perturbed, shapes};
use crate::support::{FIRST, Limits, SECOND, close, size};

fn all() -> Vec<(String, SolidMesh)> {
    let mut all = shapes();
    all.extend(models().into_iter().filter(|(_, mesh)| mesh.cells.len() < 1000));
    all.push(("mixed cells".into(), mixed()));
    let mut creased = crate::support::meshes::fan(5, 3, 2);
    crease_at_random(&mut creased, &[0.5, 1.7, INF], 8, 5);
    all.push(("creased fan".into(), creased));
    all
}

/// Largest distance of the sums of rows from `sum`.
fn defect(rows: &[f64], controls: usize, sum: f64) -> f64 {
    let defects = rows.chunks_exact(controls).map(|row| (total(row) - sum).abs());
    defects.greatest()
}

/// The sum of many numbers, eight sums at once: one alone waits for each of its additions.
fn total(numbers: &[f64]) -> f64 {
    let (eights, rest) = numbers.as_chunks::<8>();
    let mut sums = [0.0; 8];
    eights.iter().for_each(|eight| (0..8).for_each(|k| sums[k] += eight[k]));
    sums.iter().chain(rest).sum()
}

#[test]
fn values_sum_to_one_and_gradients_to_zero() {
    let deep = QuadratureScheme { gauss: 2, rings: None };
    for (scheme, all) in [(QuadratureScheme { gauss: 3, rings: Some(4) }, all()), (deep, shapes())]
    {
        all.par_iter().for_each(|(name, mesh)| {
            let solid = Solid::new(mesh).unwrap();
            let quadrature = Quadrature::new(&solid, scheme, Want::SECOND).unwrap();
            for batch in 0..quadrature.batches().len() {
                let basis = quadrature.basis(batch);
                assert_eq!(basis.samples, quadrature.samples(batch));
                let [values, gradients, second] = [
                    defect(&basis.values, basis.controls, 1.0),
                    defect(&basis.gradients, basis.controls, 0.0),
                    defect(&basis.second, basis.controls, 0.0),
                ];
                assert!(values < 1e-12, "{name}: {values:e}");
                assert!(gradients < 1e-12, "{name}: {gradients:e}");
                // second derivatives grow by up to 4 per level
                let largest = || basis.second.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                let bound = if scheme.rings.is_some() { 1e-10 } else { 1e-12 * largest() };
                assert!(second < bound, "{name}: {second:e}, not below {bound:e}");
            }
        });
    }
}

#[test]
fn every_leaf_is_in_one_batch_and_ids_are_different() {
    for (name, mesh) in all() {
        let solid = Solid::new(&mesh).unwrap();
        let quadrature =
            Quadrature::new(&solid, QuadratureScheme { gauss: 1, rings: Some(1) }, Want::FIRST);
        let quadrature = quadrature.unwrap();
        let batches = quadrature.batches();
        let mut leaves: Vec<u32> = batches.iter().flat_map(|b| b.leaves.clone()).collect();
        leaves.sort_unstable();
        assert!(leaves.into_iter().eq(0..solid.leaves().len() as u32), "{name}");
        for batch in batches {
            assert_eq!(batch.control_ids.len(), batch.leaves.len() * batch.controls);
            for row in batch.control_ids.chunks_exact(batch.controls) {
                let mut ids = row.to_vec();
                ids.sort_unstable();
                ids.dedup();
                assert_eq!(ids.len(), batch.controls, "{name}");
                assert!(ids.iter().all(|&id| (id as usize) < mesh.points.len()), "{name}");
            }
        }
    }
}

/// Σ N p and its derivatives, from the basis and the mesh's own points alone, against the
/// limit evaluated point by point, and against [`Mapping`].
#[test]
fn the_basis_makes_the_limit() {
    all().par_iter().enumerate().for_each(|(seed, (name, original))| {
        let solid = Solid::new(original).unwrap();
        let mesh = perturbed(original, 0.02, seed as u64);
        let quadrature =
            Quadrature::new(&solid, QuadratureScheme { gauss: 2, rings: Some(2) }, Want::SECOND);
        let quadrature = quadrature.unwrap();
        let mapping = Mapping::new(&quadrature, mesh.controls()).unwrap();
        let size = size(&mesh.points);
        let limits = Limits::of(Solid::new(original).unwrap(), &mesh.points);
        let mut mapped = LeafQuantities::default();
        for (b, batch) in quadrature.batches().iter().enumerate() {
            let basis = quadrature.basis(b);
            let parameters = quadrature.parameters(b);
            let scale = f64::from(quadrature.kind(b).1).exp2().recip();
            let last = batch.leaves.len() - 1;
            mapping.evaluate(b, last..last + 1, &mut mapped).unwrap();
            let ids = &batch.control_ids[last * batch.controls..];
            let origin = quadrature.origin(batch.leaves[last]);
            let element = solid.leaves()[batch.leaves[last] as usize].element as usize;
            for s in (0..basis.samples).step_by(7) {
                let sum = |row: &[f64]| -> [f64; 3] {
                    let term = |d: usize| {
                        let product = |(n, &id): (&f64, &u32)| n * mesh.points[id as usize][d];
                        row.iter().zip(ids).map(product).sum()
                    };
                    std::array::from_fn(term)
                };
                let n = basis.controls;
                let p = std::array::from_fn(|d| origin[d] + scale * parameters[s][d]);
                let at = || format!("{name}, element {element} at {p:?}");
                let position = sum(&basis.values[s * n..][..n]);
                close(position, limits.position(element, p), 1e-12 * size, at);
                close(position, mapped.points[s], 1e-12 * size, at);
                for (d, orders) in FIRST.into_iter().enumerate() {
                    let found = sum(&basis.gradients[(3 * s + d) * n..][..n]);
                    let expected = limits.evaluate(element, p, orders).unwrap();
                    let column = mapped.jacobians[s].map(|row| row[d]);
                    close(found, expected, 1e-10 * size, at);
                    close(column, expected, 1e-10 * size, at);
                }
                for ([a, b], orders) in SECOND {
                    let row = if a == b { a } else { 2 + a + b };
                    let found = sum(&basis.second[(6 * s + row) * n..][..n]);
                    let expected = limits.evaluate(element, p, orders).unwrap();
                    close(found, expected, 1e-8 * size, at);
                    close(mapped.second[s][row], expected, 1e-8 * size, at);
                }
            }
        }
    });
}

/// The field whose coefficients are positions is the position itself: its gradient in
/// space is the identity, and it has no second derivatives.
#[test]
fn derivatives_in_space_are_those_of_known_fields() {
    for (name, mesh) in all() {
        let solid = Solid::new(&mesh).unwrap();
        let mesh = perturbed(&mesh, 0.01, 1);
        let quadrature =
            Quadrature::new(&solid, QuadratureScheme { gauss: 2, rings: Some(1) }, Want::SECOND);
        let quadrature = quadrature.unwrap();
        let mapping = Mapping::new(&quadrature, mesh.controls()).unwrap();
        let (mut mapped, mut derivatives) =
            (LeafQuantities::default(), PhysicalDerivatives::default());
        let mut checked = 0;
        for (b, leaves) in quadrature.pieces(1000) {
            mapping.evaluate(b, leaves.clone(), &mut mapped).unwrap();
            let basis = quadrature.basis(b);
            physical_derivatives(&basis, &mapped, &mut derivatives);
            let (samples, n) = (basis.samples, basis.controls);
            let ids = &quadrature.batches()[b].control_ids[leaves.start * n..leaves.end * n];
            for (i, rows) in derivatives.gradients.chunks_exact(3 * n).enumerate() {
                let length = |c: usize| mapped.jacobians[i].map(|row| row[c] * row[c]);
                let squares = [0, 1, 2].map(|c| length(c).iter().sum::<f64>());
                let scaled = mapped.determinants[i] / squares.iter().product::<f64>().sqrt();
                if scaled.abs() < 1e-3 {
                    continue; // the inverse magnifies rounding
                }
                checked += 1;
                let ids = &ids[i / samples * n..][..n];
                let point = |id: u32| mesh.points[id as usize];
                for (d, row) in rows.chunks_exact(n).enumerate() {
                    for c in 0..3 {
                        let sum: f64 = row.iter().zip(ids).map(|(x, &id)| x * point(id)[c]).sum();
                        let expected = f64::from(u8::from(c == d));
                        assert!((sum - expected).abs() < 1e-10, "{name}: {sum} {expected}"); // 6e-12
                    }
                }
                for row in derivatives.second[6 * n * i..][..6 * n].chunks_exact(n) {
                    for c in 0..3 {
                        let terms = row.iter().zip(ids).map(|(x, &id)| x * point(id)[c]);
                        let size: f64 = row.iter().map(|x| x.abs()).sum();
                        assert!(terms.sum::<f64>().abs() < 1e-9 * size, "{name}");
                    }
                }
            }
        }
        assert!(2 * checked > quadrature.sample_count(), "{name}: {checked} samples");
    }
}
