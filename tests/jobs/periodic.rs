//! Periodic solids: their limit is that of the solid repeated cell by cell, and unknowns of images
//! are one.

use subsolid::backend::{Backend, Cpu};
use subsolid::extend::extend_periodic;
use subsolid::limit::Summary;
use subsolid::mesh::{CellKind, Lattice, SolidMesh};
use subsolid::plan::{Samples, Want};
use subsolid::quadrature::{Mapping, QuadratureScheme, Report};
use subsolid::refine::{MeshRefinement, crease_by_angle};
use subsolid::scheme::VertexRule;
use subsolid::topology::Topology;
use subsolid::{Quadrature, Solid};

use crate::oracle::random::Random;
use crate::oracle::vector::euclidean as distance;
use crate::support::meshes::{block, fan};
use crate::support::refused;

const SCHEME: QuadratureScheme = QuadratureScheme { gauss: 5, rings: Some(2) };

fn periodic(mesh: &SolidMesh, periods: &[[f64; 3]]) -> SolidMesh {
    extend_periodic(mesh, &Lattice::new(periods).unwrap()).unwrap().0
}

/// Moves the vertices of a mesh at random, images of each other alike.
fn perturbed(mesh: &SolidMesh, periods: &[[f64; 3]], amount: f64, seed: u64) -> SolidMesh {
    let own = SolidMesh { cell_data: Vec::new(), ..mesh.clone() };
    let images = periodic(&own, periods).periodic_vertices().unwrap().unwrap();
    let mut random = Random::new(seed);
    let moves: Vec<[f64; 3]> =
        images.iter().map(|_| [(); 3].map(|()| amount * (2.0 * random.unit() - 1.0))).collect();
    let mut moved = own;
    for (v, point) in moved.points.iter_mut().enumerate() {
        (0..3).for_each(|d| point[d] += moves[images[v] as usize][d]);
    }
    moved
}

/// A mesh and its translations by −1, 0 and 1 of each period, its own cells first.
fn repeated(mesh: &SolidMesh, periods: &[[f64; 3]]) -> SolidMesh {
    let mut all = vec![[0.0; 3]];
    for period in periods {
        let others = all.clone();
        for sign in [-1.0, 1.0] {
            all.extend(others.iter().map(|t| [0, 1, 2].map(|d| t[d] + sign * period[d])));
        }
    }
    let mut whole = SolidMesh::default();
    for translation in all {
        let first = whole.points.len() as u32;
        whole.points.extend(mesh.points.iter().map(|p| [0, 1, 2].map(|d| p[d] + translation[d])));
        for c in 0..mesh.cells.len() {
            let vertices: Vec<u32> = mesh.cells.vertices(c).iter().map(|v| v + first).collect();
            match mesh.cells.kind(c) {
                CellKind::Polyhedron => panic!("no polyhedra here"),
                kind => whole.cells.push(kind, &vertices),
            }
        }
    }
    whole.weld(1e-9).unwrap();
    whole
}

/// Limit points at 4³ samples of the elements of the first cells.
fn limits(mesh: &SolidMesh, cells: usize) -> Vec<[f64; 3]> {
    let solid = Solid::new(mesh).unwrap();
    let plan = solid.plan(&Samples::grid(4), Want::POSITION).unwrap();
    let limit = Cpu::default().evaluate(&plan, mesh.controls()).unwrap();
    let own = solid.elements().iter().filter(|element| (element.cell as usize) < cells).count();
    (0..own * 64).map(|i| limit.positions.triple(i)).collect()
}

fn volume(mesh: &SolidMesh) -> f64 {
    let solid = Solid::new(mesh).unwrap();
    let quadrature = Quadrature::new(&solid, SCHEME, Want::FIRST).unwrap();
    Report::new(&Mapping::new(&quadrature, mesh.controls()).unwrap()).unwrap().volume
}

#[test]
fn limits_are_those_of_the_solid_repeated() {
    let all = [[3.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]];
    let skew = |p: [f64; 3]| [p[0] + 0.3 * p[1], p[1] + 0.2 * p[2], p[2]];
    let mut skewed = block([3, 2, 2]);
    skewed.points.iter_mut().for_each(|p| *p = skew(*p));
    for (name, mesh, periods) in [
        ("box, one period", block([3, 2, 2]), all[..1].to_vec()),
        ("box, two periods", block([3, 2, 2]), vec![all[0], all[2]]),
        ("box, three periods", block([3, 2, 2]), all.to_vec()),
        ("one cell", block([1, 1, 1]), vec![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
        ("skewed", skewed, all.map(skew).to_vec()),
        ("fan of five", fan(5, 2, 2), vec![[0.0, 0.0, 1.0]]),
        ("fan of three, one layer", fan(3, 1, 2), vec![[0.0, 0.0, 0.5]]),
    ] {
        let mesh = perturbed(&mesh, &periods, 0.1, 7);
        let extended = periodic(&mesh, &periods);
        let whole = repeated(&mesh, &periods);
        let [own, expected] = [&extended, &whole].map(|m| limits(m, mesh.cells.len()));
        assert_eq!(own.len(), expected.len());
        for (a, b) in own.iter().zip(&expected) {
            assert!(distance(*a, *b) < 1e-13, "{name}: {a:?} {b:?}");
        }
        // ghosts are of no class
        let topology = Topology::of_mesh(&extended).unwrap();
        let counts = Summary::new(&extended, &topology).unwrap().classes;
        let classed = counts.regular + counts.layered + counts.irregular + counts.refined;
        assert_eq!(classed, mesh.cells.len(), "{name}");
        if periods.len() == 3 {
            let lattice = [0, 1, 2].map(|i| nalgebra::Vector3::from(periods[i]));
            let cell = lattice[0].cross(&lattice[1]).dot(&lattice[2]);
            assert!((volume(&extended) - cell).abs() < 1e-12 * cell, "{name}");
        }
    }
}

/// Creases of the free boundary go on in the images, and where solid and image meet are none.
#[test]
fn creases_run_through_the_ends() {
    let mesh = perturbed(&block([3, 2, 2]), &[[3.0, 0.0, 0.0]], 0.1, 3);
    let mut extended = periodic(&mesh, &[[3.0, 0.0, 0.0]]);
    crease_by_angle(&mut extended, 60.0).unwrap();
    let mut whole = repeated(&mesh, &[[3.0, 0.0, 0.0]]);
    crease_by_angle(&mut whole, 60.0).unwrap();
    let [own, expected] = [&extended, &whole].map(|m| limits(m, mesh.cells.len()));
    let worst = own.iter().zip(&expected).map(|(a, b)| distance(*a, *b)).fold(0.0, f64::max);
    assert!(worst < 1e-13, "{worst}");
    // a mesh that was creased before loses the creases of its ends
    let mut creased = mesh.clone();
    crease_by_angle(&mut creased, 60.0).unwrap();
    let lattice = Lattice::new(&[[3.0, 0.0, 0.0]]).unwrap();
    let (extended, report) = extend_periodic(&creased, &lattice).unwrap();
    assert_eq!(report.dropped_creases, 2 * 8);
    let own = limits(&extended, mesh.cells.len());
    assert!(own.iter().zip(&expected).all(|(a, b)| distance(*a, *b) < 1e-13));
}

/// Files keep periods, and refinement does: of a grid one unknown for every cell stays.
#[test]
fn refined_and_read_again_it_stays_periodic() {
    let periods = [[3.0, 0.0, 0.0], [0.0, 0.0, 2.0]];
    let mesh = periodic(&perturbed(&block([3, 2, 2]), &periods, 0.1, 5), &periods);
    let fine = MeshRefinement::new(&mesh, 1, VertexRule::default()).unwrap().mesh(&mesh).unwrap();
    let ghosts = fine.ghosts();
    let images = fine.periodic_vertices().unwrap().unwrap();
    let own = (0..fine.cells.len()).filter(|&c| !ghosts[c]);
    let mut unknowns: Vec<u32> =
        own.flat_map(|c| fine.cells.vertices(c)).map(|&v| images[v as usize]).collect();
    unknowns.sort_unstable();
    unknowns.dedup();
    assert_eq!(unknowns.len(), 6 * 5 * 4);
    let folder = crate::vtk_files::folder("periodic");
    for name in ["solid.vtu", "solid.vtk"] {
        let path = folder.join(name);
        subsolid::io::write(&path, &mesh, subsolid::io::WriteOptions::default()).unwrap();
        assert_eq!(subsolid::read(&path).unwrap(), mesh, "{name}");
    }
    assert!((volume(&fine) - volume(&mesh)).abs() < 1e-12);
}

#[test]
fn what_is_not_periodic_is_refused() {
    let lattice = |periods: &[[f64; 3]]| Lattice::new(periods);
    refused(lattice(&[[0.0; 3]]), "0 or no finite vector");
    refused(lattice(&[[f64::NAN, 0.0, 0.0]]), "0 or no finite vector");
    refused(lattice(&[[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]), "in one line or plane");
    refused(lattice(&[[1.0, 0.0, 0.0]; 4]), "4 of them");
    refused(lattice(&[]), "0 of them");
    let extended =
        |mesh: &SolidMesh, x: f64| extend_periodic(mesh, &lattice(&[[x, 0.0, 0.0]]).unwrap());
    let mesh = block([3, 2, 2]);
    refused(extended(&mesh, 2.5), "no face lies");
    refused(extended(&periodic(&mesh, &[[3.0, 0.0, 0.0]]), 3.0), "ghost cells already");
    let mut scaled = periodic(&mesh, &[[3.0, 0.0, 0.0]]);
    scaled.points.iter_mut().for_each(|p| p[0] *= 0.7);
    refused(scaled.periodic_vertices(), "is no image of one of the solid");
    let mut uneven = mesh.clone();
    let moved = uneven.points.iter_mut().find(|p| p[0] == 3.0 && p[1] == 1.0).unwrap();
    moved[1] = 1.2;
    refused(extended(&uneven, 3.0), "has no image one period on");
    let mut twice = mesh.clone();
    twice.points.extend(mesh.points.iter());
    let first = mesh.points.len() as u32;
    for c in 0..mesh.cells.len() {
        let vertices: Vec<u32> = mesh.cells.vertices(c).iter().map(|v| v + first).collect();
        twice.cells.push(CellKind::Hexahedron, &vertices);
    }
    refused(extended(&twice, 3.0), "are in one place");
    // a lattice of translations that repeat and add up
    let all = vec![[0.0, 4.0, 0.0], [3.0, 0.0, 0.0], [-3.0, 4.0, 0.0], [3.0, 0.0, 0.0]];
    let spanned = Lattice::spanned(all, 1e-9).unwrap();
    assert_eq!(spanned.periods(), [[3.0, 0.0, 0.0], [0.0, 4.0, 0.0]]);
    refused(Lattice::spanned(vec![[3.0, 0.0, 0.0], [4.0, 0.0, 0.0]], 1e-9), "no sum of periods");
}
