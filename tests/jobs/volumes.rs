//! Cells of the limit: Bézier cells, shared points, and numbers of their quality.

use subsolid::backend::{Backend, Cpu};
use subsolid::basis::bernstein;
use subsolid::bezier::MAX_EXACT_RINGS;
use subsolid::io::{Array, ArrayData, Dataset, DatasetCells, Points, hexahedron_order};
use subsolid::mesh::shape::Shape;
use subsolid::plan::Location;
use subsolid::refine::crease_by_angle;
use subsolid::volume::{self, Bezier, CellQuality, Extreme, Quality, SharedPoints, Sharing};
use subsolid::{Samples, Solid, SolidMesh, Want};

fn reals(array: &Array) -> &[f64] {
    match &array.data {
        ArrayData::F64(values) => values,
        _ => panic!("{} holds other numbers", array.name),
    }
}

/// Largest distance between Bézier cells and the limit: of exact ones, and of
/// the others beyond their bound.
fn distances(mesh: &SolidMesh) -> [f64; 2] {
    let solid = Solid::new(mesh).unwrap();
    let bezier = Bezier::new(&solid, 2).unwrap();
    let piece = bezier.piece(mesh.controls(), 0..solid.elements().len()).unwrap();
    piece.dataset.check().unwrap();
    assert_eq!(piece.dataset.cells.len(), bezier.cell_count());
    let arrays = &piece.dataset.cell_arrays;
    let ArrayData::I32(cells) = &arrays[0].data else { panic!("cell ids") };
    let [origins, sizes, bounds] = [2, 3, 4].map(|i| reals(&arrays[i]));
    let Points::F64(points) = &piece.dataset.points else { panic!("double precision") };
    let mut volume = 0.0;
    let mut samples = Vec::new();
    for (c, &cell) in cells.iter().enumerate() {
        volume += sizes[3 * c..3 * c + 3].iter().product::<f64>();
        for t in [[0.13, 0.71, 0.42], [0.93, 0.06, 0.55]] {
            let at = std::array::from_fn(|d| origins[3 * c + d] + t[d] * sizes[3 * c + d]);
            samples.push((c, t, Location { element: cell as u32, parameters: at }));
        }
    }
    assert!((volume - mesh.cells.len() as f64).abs() < 1e-12, "the boxes fill the cells");
    let locations = Samples::Points(samples.iter().map(|s| s.2).collect());
    let plan = solid.plan(&locations, Want::POSITION).unwrap();
    let limit = Cpu::default().evaluate(&plan, mesh.controls()).unwrap();
    let mut worst = [0.0_f64; 2];
    for (row, (c, t, _)) in samples.iter().enumerate() {
        let basis = t.map(bernstein::cubic);
        let mut p = limit.positions.triple(row);
        for (node, [i, j, k]) in hexahedron_order(3).into_iter().enumerate() {
            let weight = basis[0][i] * basis[1][j] * basis[2][k];
            (0..3).for_each(|d| p[d] -= weight * points[64 * c + node][d]);
        }
        let distance = p.iter().map(|x| x * x).sum::<f64>().sqrt();
        let exact = bounds[*c] == 0.0;
        let slot = &mut worst[usize::from(!exact)];
        *slot = slot.max(if exact { distance } else { distance - bounds[*c] });
    }
    worst
}

#[test]
fn exact_cells_equal_the_limit_and_others_stay_within_their_bound() {
    let mut creased = Shape::parse("box", &[]).unwrap().build().unwrap();
    crease_by_angle(&mut creased, 40.0).unwrap();
    assert!(distances(&creased)[0] < 1e-14);
    for name in ["box", "fan", "tripod", "link-3444555", "link-tetrahedron"] {
        let [exact, beyond] = distances(&Shape::parse(name, &[]).unwrap().build().unwrap());
        assert!(exact < 1e-13 && beyond <= 0.0, "{name}: {exact} {beyond}");
    }
}

#[test]
fn attributes_follow_the_positions() {
    let mut mesh = Shape::parse("fan", &[]).unwrap().build().unwrap();
    let values = mesh.points.iter().map(|p| p[0] - 2.0 * p[2]).collect();
    mesh.attributes.push(subsolid::mesh::Attribute { name: "heat".into(), width: 1, values });
    let solid = Solid::new(&mesh).unwrap();
    let bezier = Bezier::new(&solid, 1).unwrap();
    let piece = bezier.piece(mesh.controls(), 3..9).unwrap();
    let Points::F64(points) = &piece.dataset.points else { panic!("double precision") };
    for (p, heat) in points.iter().zip(reals(&piece.dataset.point_arrays[0])) {
        assert!((p[0] - 2.0 * p[2] - heat).abs() < 1e-12);
    }
    assert!(Bezier::new(&solid, MAX_EXACT_RINGS + 1).is_err());
}

/// Every face, edge and vertex of the mesh has its samples once, and where they are.
#[test]
fn shared_points_are_those_of_the_mesh() {
    for name in ["box", "fan", "tripod", "link-3444555", "torus"] {
        let mesh = Shape::parse(name, &[]).unwrap().build().unwrap();
        let solid = Solid::new(&mesh).unwrap();
        let topology = solid.topology();
        let counts = [
            topology.vertex_count(),
            topology.edge_count(),
            topology.face_count(),
            topology.cell_count(),
        ];
        for n in [2, 3, 5] {
            let expected: usize = (0..4).map(|d| counts[d] * (n - 2_usize).pow(d as u32)).sum();
            let plan = solid.plan(&Samples::grid(n), Want::POSITION).unwrap();
            assert_eq!(SharedPoints::new(&plan).unwrap().len(), expected, "{name} {n}");
            let limit = Cpu::default().evaluate(&plan, mesh.controls()).unwrap();
            let [welded, own] = [Sharing::Welded, Sharing::None]
                .map(|sharing| volume::hexahedra(&plan, &limit, &[], sharing).unwrap());
            assert_eq!((welded.points.len(), own.points.len()), (expected, limit.len()));
            let corners = |dataset: &Dataset| -> Vec<[f64; 3]> {
                let Points::F64(points) = &dataset.points else { panic!("double precision") };
                let DatasetCells::Uniform { connectivity, .. } = &dataset.cells else { panic!() };
                connectivity.iter().map(|&v| points[v as usize]).collect()
            };
            let [welded, own] = [welded, own].map(|dataset| corners(&dataset));
            assert_eq!(welded.len(), own.len());
            for (a, b) in welded.iter().zip(&own) {
                assert!((0..3).all(|d| (a[d] - b[d]).abs() < 1e-12), "{name}: {a:?} {b:?}");
            }
        }
    }
}

#[test]
fn qualities_come_back() {
    let extreme = |cell: u32, corner| Extreme {
        value: -0.1 / 3.0,
        cell,
        corner,
        parameters: [0.0, 1.0 / 3.0, 1.0],
        point: [1e300, f64::INFINITY, -0.0],
    };
    let mut quality = Quality { samples: 7, undefined: 1, flat: 2, ..Quality::default() };
    assert_eq!(Quality::from_numbers(&quality.to_numbers()).unwrap(), quality);
    quality.least_determinant = Some(extreme(1, None));
    quality.greatest_scaled_jacobian = Some(extreme(0, Some(3)));
    quality.non_positive.insert(1, CellQuality { samples: 2, worst: extreme(1, Some(0)) });
    assert_eq!(Quality::from_numbers(&quality.to_numbers()).unwrap(), quality);
    let numbers = quality.to_numbers();
    for length in [0, 1, 2, 38, numbers.len() - 1] {
        assert!(Quality::from_numbers(&numbers[..length]).is_err(), "{length} numbers");
    }
    let mut nameless = numbers.clone();
    nameless[numbers.len() - 9] = f64::NAN;
    assert!(Quality::from_numbers(&nameless).is_err());
    let whole = quality.of_whole(&[5, 9]);
    assert_eq!(whole.non_positive.keys().collect::<Vec<_>>(), [&9]);
    assert_eq!(whole.least_determinant.map(|found| found.cell), Some(9));
}
