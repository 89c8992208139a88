//! Point arrays of fitted solids.

use subsolid::fit::project_attributes;
use subsolid::jobs::fit::{FitAttributes, FitRequest, FitTarget};
use subsolid::mesh::shape::Shape;
use subsolid::mesh::{Attribute, CellKind};
use subsolid::plan::Want;
use subsolid::quadrature::{LeafQuantities, Mapping, QuadratureScheme};
use subsolid::refine::crease_by_angle;
use subsolid::{Quadrature, Solid, SolidMesh};

use crate::shapes::cylinder;

fn with_array(mesh: &mut SolidMesh, name: &str, value: impl Fn([f64; 3]) -> Vec<f64>) {
    let rows: Vec<Vec<f64>> = mesh.points.iter().map(|&p| value(p)).collect();
    let (name, width) = (name.into(), rows[0].len());
    mesh.attributes.push(Attribute { name, width, values: rows.concat() });
}

/// Trilinear functions of a creased box are fields of its space; refined for a tolerance, too.
#[test]
fn projections_of_fields_of_the_space_are_the_fields() {
    let mut target = Shape::Box { cells: [3, 2, 4] }.build().unwrap();
    crease_by_angle(&mut target, 40.0).unwrap();
    let bent = |[x, y, z]: [f64; 3]| vec![1.0 + 2.0 * x - y * z + 0.5 * x * y * z, z];
    with_array(&mut target, "bent", bent);
    with_array(&mut target, "height", |p| vec![p[1]]);
    let requests = [
        FitRequest { attributes: FitAttributes::Project, ..Default::default() },
        FitRequest {
            attributes: FitAttributes::Project,
            to: FitTarget::Facets,
            tolerance: Some(1e-300),
            max_levels: 1,
            ..Default::default()
        },
    ];
    for request in requests {
        let mut mesh = target.clone();
        let report = request.run_solid(&mut mesh, None, &mut ()).unwrap();
        assert_eq!(mesh.points.len() > target.points.len(), report.levels == 1);
        // control points of a line are where the line is
        for (v, &p) in mesh.points.iter().enumerate() {
            let found = &mesh.attributes[0].values[2 * v..][..2];
            let off = bent(p).iter().zip(found).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off < 1e-8, "{p:?}: {found:?}");
            assert!((mesh.attributes[1].values[v] - p[1]).abs() < 1e-8);
        }
    }
}

/// What a projection leaves of the trilinear field is orthogonal to all basis functions: sums over
/// other quadrature points than those of the projection, with rows of its own.
#[test]
fn projections_are_the_nearest_fields() {
    let mut mesh = cylinder(2);
    with_array(&mut mesh, "wave", |p| vec![(3.0 * p[0]).sin() * p[1] + p[2] * p[2]]);
    let found = project_attributes(&mesh, &mesh.attributes).unwrap().remove(0);
    let solid = Solid::new(&mesh).unwrap();
    let scheme = QuadratureScheme { gauss: 6, rings: Some(3) };
    let quadrature = Quadrature::new(&solid, scheme, Want::FIRST).unwrap();
    let mapping = Mapping::new(&quadrature, mesh.controls()).unwrap();
    let mut mapped = LeafQuantities::default();
    let [mut left, mut given] = [(); 2].map(|()| vec![0.0; mesh.points.len()]);
    for (b, batch) in quadrature.batches().iter().enumerate() {
        mapping.evaluate(b, 0..batch.leaves.len(), &mut mapped).unwrap();
        let (basis, parameters) = (quadrature.basis(b), quadrature.parameters(b));
        let size = 0.5f64.powi(quadrature.kind(b).1.into());
        for (i, &leaf) in batch.leaves.iter().enumerate() {
            let ids = &batch.control_ids[i * basis.controls..][..basis.controls];
            let corners = mesh.cells.vertices(solid.leaves()[leaf as usize].element as usize);
            let at = |corner: usize| mesh.attributes[0].values[corners[corner] as usize];
            for (s, row) in basis.values.chunks_exact(basis.controls).enumerate() {
                let [u, v, w] =
                    [0, 1, 2].map(|d| quadrature.origin(leaf)[d] + size * parameters[s][d]);
                let along = |a: f64, b: f64, t: f64| a + t * (b - a);
                let on = |first: usize| {
                    let [a, b, c, d] = [0, 1, 2, 3].map(|corner| at(first + corner));
                    along(along(a, b, u), along(d, c, u), v)
                };
                let value = along(on(0), on(4), w);
                let own: f64 = ids.iter().zip(row).map(|(&id, n)| n * found[id as usize]).sum();
                let measure = mapped.measures[i * basis.samples + s];
                for (&id, n) in ids.iter().zip(row) {
                    left[id as usize] += n * measure * (value - own);
                    given[id as usize] += n * measure * value;
                }
            }
        }
    }
    let [left, given] = [left, given].map(|x| x.iter().fold(0.0f64, |m, x| m.max(x.abs())));
    println!("{left:e} of {given:e}");
    assert!(left < 1e-5 * given, "{left:e} of {given:e}");
}

/// Corners of wedges have values of their own shapes: coordinates stay near those of the limit, which
/// they would not with the axes of elements exchanged.
#[test]
fn coordinates_on_wedges_are_near_those_of_the_limit() {
    const N: u32 = 3;
    let id = |i: u32, j: u32, k: u32| (k * (N + 1) + j) * (N + 1) + i;
    let mut mesh = SolidMesh::default();
    for v in 0..(N + 1).pow(3) {
        let at = [v % (N + 1), v / (N + 1) % (N + 1), v / (N + 1).pow(2)];
        mesh.points.push(at.map(f64::from));
    }
    for c in 0..N.pow(3) {
        let [i, j, k] = [c % N, c / N % N, c / N.pow(2)];
        let layer = |k: u32| [id(i, j, k), id(i + 1, j, k), id(i + 1, j + 1, k), id(i, j + 1, k)];
        let ([a, b, c, d], [e, f, g, h]) = (layer(k), layer(k + 1));
        mesh.cells.push(CellKind::Wedge, &[a, b, c, e, f, g]);
        mesh.cells.push(CellKind::Wedge, &[a, c, d, e, g, h]);
    }
    crease_by_angle(&mut mesh, 40.0).unwrap();
    with_array(&mut mesh, "place", |p| p.to_vec());
    let found = project_attributes(&mesh, &mesh.attributes).unwrap().remove(0);
    let solid = Solid::new(&mesh).unwrap();
    let quadrature = Quadrature::new(&solid, QuadratureScheme::default(), Want::FIRST).unwrap();
    let mapping = Mapping::new(&quadrature, mesh.controls()).unwrap();
    let mut mapped = LeafQuantities::default();
    let mut most: f64 = 0.0;
    for (b, batch) in quadrature.batches().iter().enumerate() {
        mapping.evaluate(b, 0..batch.leaves.len(), &mut mapped).unwrap();
        let basis = quadrature.basis(b);
        for (i, ids) in batch.control_ids.chunks_exact(basis.controls).enumerate() {
            for (s, row) in basis.values.chunks_exact(basis.controls).enumerate() {
                let x = mapped.points[i * basis.samples + s];
                for d in 0..3 {
                    let terms = ids.iter().zip(row).map(|(&id, n)| n * found[3 * id as usize + d]);
                    most = most.max((terms.sum::<f64>() - x[d]).abs());
                }
            }
        }
    }
    println!("{most:e}");
    assert!(most < 0.03, "{most:e}");
}
