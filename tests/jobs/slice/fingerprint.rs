//! What tells the models of two jobs apart.

use subsolid::mesh::shape::Shape;
use subsolid::mesh::{CellArray, CellKind};
use subsolid::slice::{fingerprint, refined_fingerprint, surface_fingerprint};
use subsolid::surface::Scheme;

#[test]
fn the_scheme_of_a_surface_counts() {
    let mesh = subsolid::read_surface("models/surfaces/spot_control_mesh.obj").unwrap();
    let mut moved = mesh.clone();
    moved.points[3][1] += 1e-15;
    let mut prints = Scheme::ALL.map(|scheme| surface_fingerprint(&mesh, scheme)).to_vec();
    prints.extend(Scheme::ALL.map(|scheme| surface_fingerprint(&moved, scheme)));
    assert_eq!(prints[0], surface_fingerprint(&mesh.clone(), Scheme::ALL[0]));
    let count = prints.len();
    prints.sort_unstable();
    prints.dedup();
    assert_eq!(prints.len(), count);
}

#[test]
fn whatever_the_limit_depends_on_counts() {
    let mesh = Shape::parse("box", &[1, 1, 1]).unwrap().build().unwrap();
    let plain = fingerprint(&mesh);
    assert_eq!(plain.len(), 64);
    assert_eq!(fingerprint(&mesh.clone()), plain);
    let mut moved = mesh.clone();
    moved.points[3][1] += 1e-15;
    let mut creased = mesh.clone();
    creased.creases.push_edge(0, 1, 1.0);
    let mut sharper = mesh.clone();
    sharper.creases.push_edge(0, 1, 2.0);
    let mut renamed = mesh.clone();
    renamed.cells = Default::default();
    renamed.cells.push(
        CellKind::Hexahedron,
        &mesh.cells.vertices(0).iter().map(|v| v ^ 1).collect::<Vec<_>>(),
    );
    let material = |value: f64| {
        let mut mesh = mesh.clone();
        mesh.cell_data.push(CellArray::new("material", 1, vec![value], true));
        mesh
    };
    let mut others = vec![refined_fingerprint(plain.clone(), 1), plain];
    for changed in [moved, creased, sharper, renamed, material(1.0), material(2.0)] {
        let print = fingerprint(&changed);
        assert!(!others.contains(&print));
        others.push(print);
    }
}
