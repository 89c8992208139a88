//! Assembled matrices and loads against those that the tests sum from archives.

use subsolid::Quadrature;
use subsolid::assembly::{
    Matrix, Operator, Orthotropic, assemble, body_load, point_load, project, surface_load,
};
use subsolid::backend::Cpu;
use subsolid::limit::Solid;
use subsolid::mesh::SolidMesh;
use subsolid::plan::Want;
use subsolid::quadrature::{LeafQuantities, Mapping, QuadratureScheme, Report};

use super::archive::Archive;
use super::solve::{creased, distance};
use super::system::{anisotropic, elasticity, poisson};
use crate::oracle::vector::greater;
use crate::support::meshes::{block, fan, mixed, perturbed};
use crate::support::refused;

const SCHEME: QuadratureScheme = QuadratureScheme { gauss: 3, rings: Some(2) };
pub const ALL: [Operator; 4] = [
    Operator::Mass { density: 2.5 },
    Operator::Stiffness { conductivity: 1.0 },
    Operator::Elasticity { young: 10.0, poisson: 0.3 },
    Operator::Orthotropic(Orthotropic {
        young: [14.0, 5.0, 3.0],
        shear: [4.0, 1.5, 2.5],
        poisson: [0.3, 0.4, 0.2],
        axes: AXES,
    }),
];

/// Of the orthotropic material above.
const AXES: [[f64; 3]; 3] = [[0.6, 0.8, 0.0], [-0.48, 0.36, 0.8], [0.64, -0.48, 0.6]];

/// λ and μ of the elasticity above.
const LAME: [f64; 2] = [10.0 * 0.3 / (1.3 * 0.4), 10.0 / 2.6];

/// Cᵢₖⱼₗ of an orthotropic material: the inverse of the compliance, turned.
fn stiffness_of(operator: Operator) -> impl Fn([usize; 4]) -> f64 {
    use nalgebra::Matrix3;
    let Operator::Orthotropic(own) = operator else { panic!("{operator:?}") };
    let ([e1, e2, e3], [nu12, nu23, nu13]) = (own.young, own.poisson);
    let compliance = Matrix3::new(
        1.0 / e1,
        -nu12 / e1,
        -nu13 / e1,
        -nu12 / e1,
        1.0 / e2,
        -nu23 / e2,
        -nu13 / e1,
        -nu23 / e2,
        1.0 / e3,
    );
    let stretched = compliance.try_inverse().unwrap();
    let [g12, g23, g13] = own.shear;
    let sheared = [[0.0, g12, g13], [g12, 0.0, g23], [g13, g23, 0.0]];
    move |[i, k, j, l]| {
        let along = |a: usize, b: usize, c: usize, d: usize| match (a == b, c == d) {
            (true, true) => stretched[(a, c)],
            (false, false) if (a, b) == (c, d) || (a, b) == (d, c) => sheared[a][b],
            _ => 0.0,
        };
        (0..81)
            .map(|at| {
                let [a, b, c, d] = [at / 27, at / 9 % 3, at / 3 % 3, at % 3];
                let x = own.axes;
                x[a][i] * x[b][k] * x[c][j] * x[d][l] * along(a, b, c, d)
            })
            .sum()
    }
}

fn meshes() -> Vec<(&'static str, SolidMesh)> {
    vec![
        ("box", perturbed(&block([3, 2, 2]), 0.05, 1)),
        ("fan", creased(fan(5, 2, 2))),
        ("mixed", mixed()),
    ]
}

fn assembled(mesh: &SolidMesh, operators: &[Operator]) -> Vec<Matrix> {
    let solid = Solid::new(mesh).unwrap();
    let quadrature = Quadrature::new(&solid, SCHEME, Want::FIRST).unwrap();
    assemble(&Cpu::default(), &quadrature, mesh.controls(), operators).unwrap()
}

pub fn vector(len: usize) -> Vec<f64> {
    (0..len).map(|i| ((i * 7919 + 13) % 101) as f64 / 50.0 - 1.0).collect()
}

pub fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m: f64, x| greater(m, x.abs()))
}

#[test]
fn matrices_are_those_of_another_program() {
    for (name, mesh) in meshes() {
        let archive = Archive::of(&mesh, SCHEME);
        let [mass, stiffness, elastic, orthotropic] = assembled(&mesh, &ALL).try_into().unwrap();
        let x = vector(mesh.points.len());
        let expected = poisson(&archive, |_| 0.0).0.times(&x);
        let error = distance(&stiffness.times(&x), &expected) / largest(&expected);
        assert!(error < 1e-13, "{name}: stiffness {error:e}");

        let three = vector(3 * mesh.points.len());
        let expected = elasticity(&archive, LAME).times(&three);
        let error = distance(&elastic.times(&three), &expected) / largest(&expected);
        assert!(error < 1e-13, "{name}: elasticity {error:e}");
        let expected = anisotropic(&archive, stiffness_of(ALL[3])).times(&three);
        let error = distance(&orthotropic.times(&three), &expected) / largest(&expected);
        assert!(error < 1e-12, "{name}: orthotropic {error:e}");

        // M x is the load of the field Σ xₐ Nₐ: here of a linear one
        let field: Vec<f64> = mesh.points.iter().map(|p| 2.5 * (p[0] - 0.5 * p[2])).collect();
        let linear: Vec<f64> = mesh.points.iter().map(|p| p[0] - 0.5 * p[2]).collect();
        let (_, expected) = poisson(&archive, |p| 2.5 * (p[0] - 0.5 * p[2]));
        let error = distance(&mass.times(&linear), &expected) / largest(&field);
        assert!(error < 1e-13, "{name}: mass {error:e}");
    }
}

#[test]
fn matrices_are_symmetric_and_keep_rigid_motions() {
    for (name, mesh) in meshes() {
        for matrix in assembled(&mesh, &ALL) {
            let mut rows: Vec<Vec<(u32, f64)>> = Vec::new();
            let collected: Result<(), ()> = matrix.for_each_row(|columns, values| {
                assert!(columns.is_sorted_by(|a, b| a < b));
                rows.push(columns.iter().copied().zip(values.iter().copied()).collect());
                Ok(())
            });
            collected.unwrap();
            assert_eq!(rows.len(), matrix.size());
            for (r, row) in (0..).zip(&rows) {
                for &(c, value) in row {
                    let other = &rows[c as usize];
                    let at = other.binary_search_by_key(&r, |entry| entry.0).unwrap();
                    assert!(other[at].1 == value, "{name}: ({r}, {c})");
                }
            }
        }
        let [_, stiffness, elastic, orthotropic] = assembled(&mesh, &ALL).try_into().unwrap();
        let ones = vec![1.0; mesh.points.len()];
        let scale = largest(stiffness.values());
        assert!(largest(&stiffness.times(&ones)) < 1e-13 * scale, "{name}");
        let turned: Vec<f64> =
            mesh.points.iter().flat_map(|&[x, y, z]| [0.3 * y + z, -0.3 * x, 1.0 - x]).collect();
        for matrix in [elastic, orthotropic] {
            let scale = largest(matrix.values()) * largest(&turned);
            assert!(largest(&matrix.times(&turned)) < 1e-13 * scale, "{name}");
        }
    }
}

#[test]
fn threads_change_no_bit() {
    let mesh = creased(fan(3, 3, 2));
    let of = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| assembled(&mesh, &ALL))
    };
    for (one, three) in of(1).iter().zip(&of(3)) {
        assert!(one.values() == three.values());
    }
}

#[test]
fn loads_add_up_to_the_forces() {
    let mesh = creased(fan(5, 2, 2));
    let solid = Solid::new(&mesh).unwrap();
    let scheme = QuadratureScheme::default();
    let boundary = Quadrature::boundary(&solid, scheme, Want::FIRST, |_| true).unwrap();
    let on_boundary = Mapping::new(&boundary, mesh.controls()).unwrap();
    // a pressure of 1 + z: its force is −∫ (0, 0, 1) over the volume
    let pressure = surface_load(&on_boundary, |_, p, n| n.map(|x| -(1.0 + p[2]) * x)).unwrap();
    let volume = Quadrature::new(&solid, scheme, Want::FIRST).unwrap();
    let in_volume = Mapping::new(&volume, mesh.controls()).unwrap();
    let weight = body_load(&in_volume, |_| [0.0, 0.0, -1.0]).unwrap();
    let sum = |load: &[[f64; 3]], d: usize| load.iter().map(|f| f[d]).sum::<f64>();
    for d in 0..3 {
        let (a, b) = (sum(&pressure, d), sum(&weight, d));
        assert!((a - b).abs() < 1e-14 * sum(&weight, 2).abs(), "{d}: {a} {b}");
    }
    // and its moments about the x axis
    let moment = |load: &[[f64; 3]]| -> f64 {
        load.iter().zip(&mesh.points).map(|(f, p)| p[1] * f[2] - p[2] * f[1]).sum()
    };
    let (a, b) = (moment(&pressure), moment(&weight));
    assert!((a - b).abs() < 1e-14 * sum(&weight, 2).abs(), "{a} {b}");
    assert!(surface_load(&in_volume, |_, _, _| [0.0; 3]).is_err());
    for error in [
        assemble(&Cpu::default(), &boundary, mesh.controls(), &ALL).map(|_| ()).unwrap_err(),
        body_load(&on_boundary, |_| [0.0; 3]).map(|_| ()).unwrap_err(),
        Report::new(&on_boundary).map(|_| ()).unwrap_err(),
    ] {
        assert!(error.to_string().contains("of the boundary"), "{error}");
    }
    let scheme = QuadratureScheme { gauss: 1, rings: Some(1000) };
    let error = Quadrature::check_memory(&solid, scheme, Want::FIRST).unwrap_err().to_string();
    assert!(error.contains("1000 rings"), "{error}");
}

#[test]
fn loads_of_points_are_those_of_functions() {
    let mesh = creased(fan(5, 2, 2));
    let solid = Solid::new(&mesh).unwrap();
    let boundary = Quadrature::boundary(&solid, SCHEME, Want::FIRST, |_| true).unwrap();
    let volume = Quadrature::new(&solid, SCHEME, Want::FIRST).unwrap();
    for quadrature in [&boundary, &volume] {
        let mapping = Mapping::new(quadrature, mesh.controls()).unwrap();
        let force = |p: [f64; 3]| [p[0] * p[1], 1.0 - p[2], p[0]];
        let (mut forces, mut mapped) = (Vec::new(), LeafQuantities::default());
        for (batch, leaves) in quadrature.pieces(1) {
            mapping.evaluate(batch, leaves, &mut mapped).unwrap();
            forces.extend(mapped.points.iter().map(|&p| force(p)));
        }
        let expected = if quadrature.is_boundary() {
            surface_load(&mapping, |_, p, _| force(p)).unwrap()
        } else {
            body_load(&mapping, force).unwrap()
        };
        assert_eq!(point_load(&mapping, &forces).unwrap(), expected);
        let error = point_load(&mapping, &forces[1..]).unwrap_err().to_string();
        assert!(error.contains(&format!("{} forces for", forces.len() - 1)), "{error}");
    }
}

#[test]
fn materials_out_of_range_are_refused() {
    let mesh = block([1, 1, 1]);
    let solid = Solid::new(&mesh).unwrap();
    let quadrature = Quadrature::new(&solid, SCHEME, Want::FIRST).unwrap();
    for (bad, words) in [
        (Operator::Mass { density: 0.0 }, "a density of 0"),
        (Operator::Stiffness { conductivity: f64::NAN }, "a conductivity of NaN"),
        (Operator::Elasticity { young: 1.0, poisson: 0.5 }, "Poisson's ratio 0.5"),
        (Operator::Elasticity { young: -1.0, poisson: 0.3 }, "Young's modulus -1"),
    ] {
        refused(assemble(&Cpu::default(), &quadrature, mesh.controls(), &[bad]), words);
    }
}

/// Values at all quadrature points, by `value` of a leaf's control points, rows of its basis and
/// positions, and the integrals of each basis function times them.
fn at_points(
    mapping: &Mapping<'_>,
    value: impl Fn(&[u32], &[f64], [f64; 3]) -> [f64; 2],
) -> (Vec<f64>, Vec<[f64; 2]>) {
    let quadrature = mapping.quadrature();
    let mut sums = vec![[0.0; 2]; quadrature.solid().topology().vertex_count()];
    let (mut mapped, mut all) = (LeafQuantities::default(), Vec::new());
    for (b, batch) in quadrature.batches().iter().enumerate() {
        mapping.evaluate(b, 0..batch.leaves.len(), &mut mapped).unwrap();
        let basis = quadrature.basis(b);
        for (i, ids) in batch.control_ids.chunks_exact(basis.controls).enumerate() {
            for (s, row) in basis.values.chunks_exact(basis.controls).enumerate() {
                let at = i * basis.samples + s;
                let found = value(ids, row, mapped.points[at]);
                all.extend(found);
                for (&id, n) in ids.iter().zip(row) {
                    (0..2).for_each(|d| sums[id as usize][d] += n * found[d] * mapped.measures[at]);
                }
            }
        }
    }
    (all, sums)
}

#[test]
fn projections_are_the_nearest_fields() {
    for (name, mesh) in meshes() {
        let solid = Solid::new(&mesh).unwrap();
        let quadrature = Quadrature::new(&solid, SCHEME, Want::FIRST).unwrap();
        let mapping = Mapping::new(&quadrature, mesh.controls()).unwrap();
        // a field of the space comes back
        let controls = vector(2 * mesh.points.len());
        let (values, _) = at_points(&mapping, |ids, row, _| {
            [0, 1].map(|d| {
                let terms = ids.iter().zip(row).map(|(&id, n)| n * controls[2 * id as usize + d]);
                terms.sum()
            })
        });
        let found = project(&mapping, &values, 2).unwrap();
        let error = distance(&found, &controls) / largest(&controls);
        assert!(error < 1e-8, "{name}: {error:e}");
        // what is left of any other is orthogonal to all basis functions
        let waves = |p: [f64; 3]| [(3.0 * p[0]).sin() * p[1], (p[2] - 2.0 * p[1]).exp()];
        let (values, loads) = at_points(&mapping, |_, _, p| waves(p));
        let found = project(&mapping, &values, 2).unwrap();
        let (_, own) = at_points(&mapping, |ids, row, _| {
            [0, 1].map(|d| ids.iter().zip(row).map(|(&id, n)| n * found[2 * id as usize + d]).sum())
        });
        let error = distance(own.as_flattened(), loads.as_flattened());
        assert!(error < 1e-10 * largest(loads.as_flattened()), "{name}: {error:e}");
        refused(project(&mapping, &values[1..], 2), "quadrature points of 2 components");
    }
}
