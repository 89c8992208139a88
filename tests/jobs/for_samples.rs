//! Evaluations of which parts of a mesh are analyzed one by one.

use std::path::Path;

use subsolid::jobs::evaluate::{
    EvaluateReport, EvaluateRequest, LimitCells, QuantityRequest, SampleRequest,
};
use subsolid::limit::Solid;
use subsolid::mesh::{Attribute, SolidMesh};
use subsolid::topology::Topology;

use crate::support::meshes::{perturbed, tetrahedra};
use crate::support::refused;

fn mesh() -> SolidMesh {
    let mut mesh = perturbed(&tetrahedra([3, 3, 2]), 0.2, 1);
    let values = (0..2 * mesh.points.len()).map(|i| (i as f64 * 0.7).cos()).collect();
    mesh.attributes.push(Attribute { name: "a".into(), width: 2, values });
    mesh
}

fn run(mesh: &SolidMesh, solid: &Solid, request: &EvaluateRequest) -> EvaluateReport {
    request.run((mesh, solid), None, &mut ()).unwrap().expect("no part of a job")
}

fn to(output: &Path, places: SampleRequest) -> EvaluateRequest {
    EvaluateRequest { places, output: Some(output.into()), ..EvaluateRequest::default() }
}

/// The numbers of a table, without its header.
fn numbers(path: &Path) -> Vec<f64> {
    let text = std::fs::read_to_string(path).unwrap();
    let rows = text.lines().skip(1);
    rows.flat_map(|row| row.split(',').map(|x| x.parse().unwrap_or(f64::NAN))).collect()
}

fn close(a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len());
    assert!(!a.is_empty());
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() <= 1e-12 || a.is_nan() && b.is_nan(), "{a} {b}");
    }
}

#[test]
fn parts_give_what_the_whole_gives() {
    let mesh = mesh();
    let whole = Solid::new(&mesh).unwrap();
    let outline = Solid::outline(&mesh, Topology::of_mesh(&mesh).unwrap()).unwrap();
    assert_eq!(whole.elements().len(), outline.elements().len());
    let directory = tempfile::tempdir().unwrap();
    let [a, b] = ["a", "b"].map(|name| directory.path().join(name));

    let grid = SampleRequest { samples: Some(3), ..SampleRequest::default() };
    let inside = SampleRequest { gauss: Some(2), ..SampleRequest::default() };
    let slopes = QuantityRequest { derivatives: 1, ..QuantityRequest::default() };
    for (places, quantities) in [(grid.clone(), QuantityRequest::default()), (inside, slopes)] {
        let [a, b] = [&a, &b].map(|path| path.with_extension("csv"));
        for (path, solid) in [(&a, &whole), (&b, &outline)] {
            let request = EvaluateRequest { quantities, ..to(path, places.clone()) };
            let report = run(&mesh, solid, &request);
            assert_eq!(report.evaluated % outline.elements().len(), 0);
        }
        close(&numbers(&a), &numbers(&b));
    }
    for cells in [LimitCells::Hexahedra, LimitCells::Lagrange] {
        let [a, b] = [(&a, &whole), (&b, &outline)].map(|(path, solid)| {
            let path = path.with_extension("vtu");
            let places =
                if cells == LimitCells::Lagrange { Default::default() } else { grid.clone() };
            let order = (cells == LimitCells::Lagrange).then_some(2);
            let request = EvaluateRequest { cells: Some(cells), order, ..to(&path, places) };
            let report = run(&mesh, solid, &request);
            // of Lagrange cells the distance from the limit, too
            assert_eq!(report.distance.is_some(), cells == LimitCells::Lagrange);
            (report.points, subsolid::read(&path).unwrap())
        });
        assert_eq!(a.0, b.0);
        close(a.1.points.as_flattened(), b.1.points.as_flattened());
        close(&a.1.attributes[0].values, &b.1.attributes[0].values);
    }
}

#[test]
fn an_outline_is_for_samples_alone() {
    let mesh = mesh();
    let outline = Solid::outline(&mesh, Topology::of_mesh(&mesh).unwrap()).unwrap();
    let places = SampleRequest { samples: Some(3), ..SampleRequest::default() };
    let request = EvaluateRequest { places, quality: true, ..EvaluateRequest::default() };
    refused(request.run((&mesh, &outline), None, &mut ()), "for other samples");
}

/// Few structures: the mesh is analyzed as a whole.
#[test]
fn small_meshes_are_analyzed_as_a_whole() {
    let mesh = mesh();
    let places = SampleRequest { samples: Some(3), ..SampleRequest::default() };
    let request = to(Path::new("a.vtu"), places);
    let solid = request.analyze(&mesh, Topology::of_mesh(&mesh).unwrap()).unwrap();
    assert_eq!(solid.leaves().len(), Solid::new(&mesh).unwrap().leaves().len());
}
