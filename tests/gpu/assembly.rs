//! Assembled matrices.

use subsolid::assembly::{Matrix, Operator, assemble};
use subsolid::backend::{Cpu, Cuda, Precision};
use subsolid::limit::Solid;
use subsolid::mesh::SolidMesh;
use subsolid::plan::Want;
use subsolid::quadrature::{Quadrature, QuadratureScheme};
use subsolid::refine::crease_by_angle;

use super::products::ORTHOTROPIC;
use super::support::meshes::{crease_at_random, mixed};
use super::{gpu, shape};

const SCHEME: QuadratureScheme = QuadratureScheme { gauss: 3, rings: Some(2) };
const ALL: [Operator; 4] = [
    Operator::Mass { density: 2.5 },
    Operator::Stiffness { conductivity: 3.0 },
    Operator::Elasticity { young: 10.0, poisson: 0.3 },
    ORTHOTROPIC,
];

fn on(gpu: &Cuda, quadrature: &Quadrature<'_>, mesh: &SolidMesh) -> Vec<Matrix> {
    assemble(gpu, quadrature, mesh.controls(), &ALL).unwrap()
}

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |m: f64, x| if x.is_nan() || m.is_nan() { f64::NAN } else { m.max(x.abs()) })
}

fn rows(matrix: &Matrix) -> Vec<Vec<(u32, f64)>> {
    let mut rows: Vec<Vec<(u32, f64)>> = Vec::new();
    let collected: Result<(), ()> = matrix.for_each_row(|columns, values| {
        rows.push(columns.iter().copied().zip(values.iter().copied()).collect());
        Ok(())
    });
    collected.unwrap();
    rows
}

/// Entries equal the CPU's to 1e-13 of the largest: sums of some thousand products of numbers that
/// are right to some units of the last place each. They are exactly symmetric; rigid motions have
/// no energy.
fn is_that_of_the_cpu(mesh: &SolidMesh) {
    let gpu = gpu(Precision::F64);
    let solid = Solid::new(mesh).unwrap();
    let quadrature = Quadrature::new(&solid, SCHEME, Want::FIRST).unwrap();
    let expected = assemble(&Cpu::default(), &quadrature, mesh.controls(), &ALL).unwrap();
    let found = on(&gpu, &quadrature, mesh);
    assert_eq!(found.len(), expected.len());
    for ((found, expected), operator) in found.iter().zip(&expected).zip(ALL) {
        let size = largest(expected.values().iter().copied());
        let pairs = found.values().iter().zip(expected.values());
        let off = largest(pairs.map(|(a, b)| a - b)) / size;
        assert!(off <= 1e-13, "{operator:?} off by {off:e}");
        let all = rows(found);
        assert_eq!(all.len(), expected.size());
        for (r, row) in (0..).zip(&all) {
            for &(c, value) in row {
                let other = &all[c as usize];
                let at = other.binary_search_by_key(&r, |entry| entry.0).unwrap();
                assert!(other[at].1 == value, "{operator:?}: ({r}, {c})");
            }
        }
        let turned = |&[x, y, z]: &[f64; 3]| [0.3 * y + z, -0.3 * x, 1.0 - x];
        let motion: Vec<f64> = match operator {
            Operator::Mass { .. } => continue,
            Operator::Stiffness { .. } => vec![1.0; mesh.points.len()],
            _ => mesh.points.iter().flat_map(turned).collect(),
        };
        let rest = largest(found.times(&motion).into_iter());
        let scale = size * largest(motion.into_iter());
        assert!(rest <= 1e-13 * scale, "{operator:?} keeps {:e}", rest / scale);
    }
}

macro_rules! compared {
    ($($name:ident, $mesh:expr;)*) => {$(
        #[test]
        #[ignore = "needs an NVIDIA GPU"]
        fn $name() {
            is_that_of_the_cpu(&$mesh);
        }
    )*};
}

compared! {
    regular_cells, {
        let mut mesh = shape("box", &[7, 6, 5]);
        crease_by_angle(&mut mesh, 40.0).unwrap();
        mesh
    };
    smooth_edges, shape("box", &[3, 2, 4]);
    extraordinary_vertices, shape("link-3444555", &[2]);
    left_handed_cells, {
        let mut mesh = shape("fan", &[5, 3, 2]);
        mesh.points.iter_mut().for_each(|p| p[0] = -p[0]);
        mesh
    };
    // over several levels, as in octree meshes
    cells_refined_inside, {
        let mut mesh = shape("box", &[4, 3, 2]);
        crease_at_random(&mut mesh, &[2.5, 1.5], 4, 7);
        mesh
    };
    cells_of_a_model, subsolid::read("models/solids/cad9.mesh").unwrap();
    mixed_cells, mixed();
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn runs_give_the_same_bits() {
    let gpu = gpu(Precision::F64);
    for (name, mesh) in [("mixed", mixed()), ("box", shape("box", &[9, 8, 7]))] {
        let solid = Solid::new(&mesh).unwrap();
        let quadrature = Quadrature::new(&solid, SCHEME, Want::FIRST).unwrap();
        let first = on(&gpu, &quadrature, &mesh);
        for run in 1..20 {
            for (a, b) in first.iter().zip(&on(&gpu, &quadrature, &mesh)) {
                assert!(a.values() == b.values(), "{name}, run {run}");
            }
        }
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn boundaries_bad_densities_and_other_meshes_are_refused() {
    let gpu = gpu(Precision::F64);
    let mesh = shape("box", &[2, 2, 2]);
    let solid = Solid::new(&mesh).unwrap();
    let volume = Quadrature::new(&solid, SCHEME, Want::FIRST).unwrap();
    let boundary = Quadrature::boundary(&solid, SCHEME, Want::FIRST, |_| true).unwrap();
    let refused = |quadrature: &Quadrature<'_>, mesh: &SolidMesh, operator| {
        let error = assemble(&gpu, quadrature, mesh.controls(), &[operator]).unwrap_err();
        error.to_string()
    };
    assert!(refused(&boundary, &mesh, ALL[0]).contains("of the boundary"));
    assert!(refused(&volume, &mesh, Operator::Mass { density: -1.0 }).contains("of -1"));
    let other = shape("box", &[1, 2, 2]);
    assert!(refused(&volume, &other, ALL[0]).contains("18 control points for 27 vertices"));
    assert!(assemble(&gpu, &volume, mesh.controls(), &[]).unwrap().is_empty());
}
