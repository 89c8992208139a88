//! Solutions without a matrix against those with one.

use subsolid::extend::extend;
use subsolid::jobs::solve::{OperatorForm, SolveRequest};
use subsolid::mesh::SolidMesh;
use subsolid::mesh::shape::Shape;
use subsolid::quadrature::QuadratureScheme;

use super::{run, sharp_box};

const SCHEME: QuadratureScheme = QuadratureScheme { gauss: 3, rings: Some(1) };

fn solved_alike(mesh: &SolidMesh, request: SolveRequest) {
    let operator = OperatorForm::MatrixFree;
    let request = SolveRequest { tolerance: 1e-12, operator, ..request };
    let (free, found) = run(mesh, &request);
    let matrix = SolveRequest { operator: OperatorForm::Matrix, ..request };
    let (matrix, expected) = run(mesh, &matrix);
    assert_eq!((found.operator, expected.operator), ("matrix-free", "matrix"));
    assert!(expected.operator_bytes > 0 && found.entries <= expected.entries);
    assert_eq!((found.iterations, found.unknowns), (expected.iterations, expected.unknowns));
    assert!((found.energy / expected.energy - 1.0).abs() < 1e-11);
    let [a, b] = [&free, &matrix].map(|solved| &solved.attributes[0].values);
    let most = b.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let error = a.iter().zip(b).fold(0.0_f64, |e, (a, b)| e.max((a - b).abs()));
    assert!(most > 0.0 && error < 1e-9 * most, "{error:e}");
    for (a, b) in found.fields.iter().zip(&expected.fields) {
        let error = (a.greatest.value - b.greatest.value).abs();
        assert!(error < 1e-8 * b.greatest.value.abs(), "{}: {error:e}", a.name);
    }
}

fn elastic() -> SolveRequest {
    SolveRequest {
        elasticity: vec!["200,0.3".parse().unwrap()],
        fix: vec!["side:0".parse().unwrap()],
        total_force: vec!["side:5=1,0,3".parse().unwrap()],
        scheme: SCHEME,
        ..SolveRequest::default()
    }
}

fn thermal() -> SolveRequest {
    SolveRequest {
        heat: vec!["2".parse().unwrap()],
        temperature: vec!["0=1".parse().unwrap()],
        source: Some(0.5),
        scheme: SCHEME,
        ..SolveRequest::default()
    }
}

#[test]
fn matrices_and_products_solve_alike() {
    let box_of_ghosts = extend(&Shape::Box { cells: [2, 2, 2] }.build().unwrap(), 40.0).unwrap().0;
    let mut fan = Shape::Fan { valence: 5, layers: 2, rings: 2 }.build().unwrap();
    subsolid::refine::crease_by_angle(&mut fan, 40.0).unwrap();
    for mesh in [sharp_box([3, 3, 4]), box_of_ghosts, fan] {
        solved_alike(&mesh, elastic());
        solved_alike(&mesh, thermal());
    }
}
