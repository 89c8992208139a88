//! Fits of solids with ghosts.

use subsolid::backend::{Backend, Cpu};
use subsolid::extend::extend;
use subsolid::jobs::fit::FitRequest;
use subsolid::mesh::shape::Shape;
use subsolid::mesh::{Attribute, SolidMesh};
use subsolid::plan::{Samples, Want};
use subsolid::refine::crease_by_angle;
use subsolid::{Limit, Solid};

/// The limit at 4³ samples of each cell of the solid.
fn limit(mesh: &SolidMesh) -> Limit {
    let solid = Solid::new(mesh).unwrap();
    let plan = solid.plan(&Samples::grid(4), Want::POSITION).unwrap();
    Cpu::default().evaluate(&plan, mesh.controls()).unwrap()
}

/// A box that is bent and sheared, with a field.
fn bent(cells: [usize; 3]) -> SolidMesh {
    let mut mesh = Shape::Box { cells }.build().unwrap();
    for p in &mut mesh.points {
        let [x, y, z] = *p;
        *p = [x + 0.1 * (y - z).sin(), y + 0.05 * x * x, z + 0.1 * x.sin() * y];
    }
    let heat = mesh.points.iter().map(|p| p[0] * p[1] + p[2].cos()).collect();
    mesh.attributes.push(Attribute { name: "heat".into(), width: 1, values: heat });
    mesh
}

/// Ghosts by natural extrapolation and sharp creases have one limit where stars are those of a grid: so
/// have their fits.
#[test]
fn the_fit_of_a_box_is_that_with_creases() {
    let mut creased = bent([3, 4, 3]);
    let (mut extended, _) = extend(&creased, 40.0).unwrap();
    crease_by_angle(&mut creased, 40.0).unwrap();
    let request = FitRequest::default();
    request.run_solid(&mut creased, None, &mut ()).unwrap();
    let report = request.run_solid(&mut extended, None, &mut ()).unwrap();
    assert!(report.vertices[1].max < 1e-12 && report.vertices[0].max > 1e-3, "{report:?}");
    assert!(extended.is_fitted && report.determinant.unwrap().bound > 0.0);
    let [expected, found] = [&creased, &extended].map(limit);
    for i in 0..expected.len() {
        let [a, b] = [&expected, &found].map(|limit| limit.positions.triple(i));
        assert!((0..3).all(|d| (a[d] - b[d]).abs() < 1e-10), "{a:?} {b:?}");
        let [a, b] = [&expected, &found].map(|limit| limit.attributes[0].get(i));
        assert!((a - b).abs() < 1e-10, "{a} {b}");
    }
}

/// Sharp edges, many of them concave: creases fold three cells of the second.
#[test]
fn parts_with_sharp_edges_do_not_fold() {
    for (name, volume) in [("tripod.vtk", 45.13), ("cad9.mesh", 17.51)] {
        let mesh = subsolid::read(format!("models/solids/{name}")).unwrap();
        let (mut extended, _) = extend(&mesh, 40.0).unwrap();
        let report = FitRequest::default().run_solid(&mut extended, None, &mut ()).unwrap();
        assert!(report.vertices[1].max < 1e-11, "{name}: {:?}", report.vertices);
        assert!((report.volume[1] / volume - 1.0).abs() < 1e-3, "{name}: {:?}", report.volume);
        let folds = report.folds.unwrap();
        assert_eq!(folds.folded, 0, "{name}: {folds:?}");
        assert_eq!(report.determinant.unwrap().folded, 0, "{name}: {:?}", report.determinant);
    }
}
