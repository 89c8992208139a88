//! Lattices in layers.

use subsolid::backend::{Backend, Precision};
use subsolid::limit::Solid;
use subsolid::mesh::{Attribute, SolidMesh};
use subsolid::refine::crease_by_angle;
use subsolid::slice::{
    Axis, Graded, LatticeSize, LayerSource, PixelGrid, Sampling, SliceOptions, Slicer, SolidSource,
    Tile, TileLattice,
};

use super::{gpu, shape};
use crate::support::meshes;

fn creased(name: &str, sizes: &[usize]) -> SolidMesh {
    let mut mesh = shape(name, sizes);
    crease_by_angle(&mut mesh, 40.0).unwrap();
    mesh
}

/// The mesh with an attribute that goes from `range[0]` to `range[1]` over its vertices, at both ends
/// cut off.
fn graded(mut mesh: SolidMesh, name: &str, range: [f64; 2]) -> SolidMesh {
    let (low, high) = mesh.bounds().unwrap();
    let of = |p: &[f64; 3]| {
        let along: f64 = (0..3).map(|d| (p[d] - low[d]) / (high[d] - low[d])).sum();
        range[0] + (range[1] - range[0]) * (0.8 * along - 0.7).clamp(0.0, 1.0)
    };
    let values = mesh.points.iter().map(of).collect();
    mesh.attributes.push(Attribute { name: name.into(), width: 1, values });
    mesh
}

/// Layers of a lattice, brought to a backend if there is one.
fn source<'s>(
    solid: &'s Solid,
    mesh: &SolidMesh,
    (axis, lattice): (Axis, &TileLattice),
    backend: Option<&dyn Backend>,
) -> SolidSource<'s> {
    let options = SliceOptions { axis, tolerance: None };
    let slicer = Slicer::new(solid, mesh.controls(), options).unwrap();
    let mut source = SolidSource::with_cell_data(solid, mesh.controls(), &[], slicer).unwrap();
    source.set_lattice(lattice.clone(), &mesh.attributes, None).unwrap();
    if let Some(backend) = backend {
        source.bring(backend).unwrap();
    }
    source
}

/// Pixels have the bits of the CPU: of all tiles and sizes, by middles and by area, of one plane and of
/// several, with skins, in images that the solid leaves; in hexahedra and in parts of other cells.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn lattices_are_those_of_the_cpu() {
    let gpu = gpu(Precision::F64);
    let number = |x: f64| Graded::Constant(x);
    let named = |name: &str| Graded::Attribute(name.into());
    let level = |x: f64| LatticeSize::Level(number(x));
    let thickness = |x: f64| LatticeSize::Thickness(number(x));
    let bracket = subsolid::read("models/bracket.vtk").unwrap();
    let cases = [
        ("box", creased("box", &[3, 2, 4]), Axis::Z, Tile::SchwarzP, level(0.0)),
        ("torus", shape("torus", &[]), Axis::X, Tile::SchwarzP, thickness(0.05)),
        ("link", shape("link-3444555", &[]), Axis::Y, Tile::Iwp, level(0.3)),
        ("bracket", bracket, Axis::Z, Tile::Iwp, thickness(0.03)),
        ("fan", shape("fan", &[5, 2]), Axis::Z, Tile::Bcc, thickness(0.06)),
        ("mixed", meshes::mixed(), Axis::Z, Tile::Octet, thickness(0.04)),
        ("tripod", shape("tripod", &[]), Axis::X, Tile::Octet, level(0.09)),
        ("sharp box", creased("box", &[2, 2, 2]), Axis::Y, Tile::Cubic, level(0.2)),
        (
            "thicker",
            graded(creased("box", &[3, 2, 2]), "t", [0.0, 0.1]),
            Axis::Z,
            Tile::Cubic,
            LatticeSize::Thickness(named("t")),
        ),
        (
            "denser",
            graded(creased("box", &[4, 4, 4]), "d", [0.0, 1.0]),
            Axis::Z,
            Tile::SchwarzP,
            LatticeSize::Density(named("d")),
        ),
        (
            "higher",
            graded(shape("torus", &[]), "l", [-1.0, 2.0]),
            Axis::Z,
            Tile::Iwp,
            LatticeSize::Level(named("l")),
        ),
    ];
    for (case, (name, mesh, axis, tile, size)) in cases.into_iter().enumerate() {
        let solid = Solid::new(&mesh).unwrap();
        let (low, high) = mesh.bounds().unwrap();
        let [corner, far] = [low, high].map(|p| axis.project(p));
        let along = axis.number();
        let at = |t: f64| low[along] + t * (high[along] - low[along]);
        let pitch = [0, 1].map(|d| (far[d] - corner[d]) / [301.0, 263.0][d]);
        let skin = if case % 3 == 1 { 0.04 * (far[0] - corner[0]) } else { 0.0 };
        let lattice = TileLattice { tile, per_cell: 1 + case % 4, size, skin };
        let [cpu, device] = [None, Some(&gpu as &dyn Backend)]
            .map(|backend| source(&solid, &mesh, (axis, &lattice), backend));
        for (shift, size) in [(0.0, [301, 263]), (0.23, [299, 101])] {
            let origin = [0, 1].map(|d| corner[d] + shift * (far[d] - corner[d]));
            let grid = PixelGrid { origin, pitch, size };
            for heights in [&[at(0.5)][..], &[at(0.13)], &[at(0.7), at(0.71), at(0.72)], &[at(2.0)]]
            {
                for sampling in [Sampling::Area, Sampling::Center] {
                    let [expected, found] = [&cpu, &device]
                        .map(|source| source.coverage(heights, &grid, sampling).unwrap());
                    let other = expected.iter().zip(&found).filter(|(a, b)| a != b).count();
                    assert_eq!(other, 0, "{name}, {sampling:?} at {heights:?}");
                    let gray = found.iter().filter(|&&x| x > 0 && x < u16::MAX).count();
                    let full = found.iter().filter(|&&x| x > 0).count();
                    println!("{name}, {sampling:?}: {full} pixels, {gray} of them in part");
                    if heights == [at(0.5)] && shift == 0.0 {
                        assert!(full > 1000 && full < found.len() * 97 / 100, "{name} {full}");
                        assert_eq!(gray > 500, sampling == Sampling::Area, "{name} {gray}");
                    }
                }
            }
        }
    }
}
