//! Files of pieces that repeat the vertices where they touch: read, they are the mesh that was cut.

use std::collections::BTreeSet;
use std::path::Path;

use crate::oracle::random::Random;
use crate::parts::with_data;
use crate::support::meshes;
use subsolid::WriteOptions;
use subsolid::io::{Dataset, PieceWriter, Points};
use subsolid::mesh::{Attribute, CellKind, Cells, SolidMesh};

/// Appends a cell of other cells.
fn push(cells: &mut Cells, from: &Cells, cell: usize, number: impl Fn(u32) -> u32) {
    let renamed = |vertices: &[u32]| vertices.iter().map(|&v| number(v)).collect::<Vec<u32>>();
    match from.kind(cell) {
        CellKind::Polyhedron => {
            let mut faces = Vec::new();
            from.for_each_face(cell, |face| faces.push(renamed(face)));
            cells.push_polyhedron(faces.iter().map(Vec::as_slice));
        }
        kind => cells.push(kind, &renamed(from.vertices(cell))),
    }
}

/// The cells of a run with their vertices, which are up to `off` units in the last place away.
fn piece(
    mesh: &SolidMesh,
    cells: std::ops::Range<usize>,
    off: u64,
    random: &mut Random,
) -> SolidMesh {
    let mut vertices: Vec<u32> =
        cells.clone().flat_map(|c| mesh.cells.vertices(c)).copied().collect();
    vertices.sort_unstable();
    vertices.dedup();
    let local = |v: u32| vertices.binary_search(&v).ok().map(|v| v as u32);
    let mut own = SolidMesh::default();
    cells.clone().for_each(|c| push(&mut own.cells, &mesh.cells, c, |v| local(v).unwrap()));
    let mut moved = |x: f64| match off {
        0 => x,
        _ => f64::from_bits(x.to_bits() + random.bits() % (off + 1)),
    };
    own.points = vertices.iter().map(|&v| mesh.points[v as usize].map(&mut moved)).collect();
    for array in &mesh.attributes {
        let row = |&v: &u32| array.values[v as usize * array.width..][..array.width].to_vec();
        let values = vertices.iter().flat_map(row).collect();
        own.attributes.push(Attribute { name: array.name.clone(), width: array.width, values });
    }
    own.cell_data =
        mesh.cell_data.iter().map(|a| a.of_cells(cells.clone().map(|c| c as u32))).collect();
    for crease in &mesh.creases.edges {
        if let [Some(a), Some(b)] = crease.edge().map(|v| local(v.0)) {
            own.creases.push_edge(a, b, crease.sharpness);
        }
    }
    for corner in &mesh.creases.corners {
        if let Some(v) = local(corner.vertex.0) {
            own.creases.push_corner(v, corner.sharpness);
        }
    }
    own
}

/// Writes a mesh in so many pieces, with one that is empty.
fn write(path: &Path, mesh: &SolidMesh, count: usize, off: u64, random: &mut Random) {
    let mut cuts: Vec<usize> = (1..count)
        .map(|_| random.below(mesh.cells.len() + 1))
        .chain([0, mesh.cells.len()])
        .collect();
    cuts.sort_unstable();
    let mut writer = PieceWriter::create(path, WriteOptions::default()).unwrap();
    for cut in cuts.windows(2) {
        let own = piece(mesh, cut[0]..cut[1], off, random);
        writer.push(&Dataset::of_piece(&own, true)).unwrap();
    }
    writer.finish().unwrap();
}

/// Compares what is read with the mesh that was cut, whose vertices have other numbers.
fn compare_pieces(name: &str, mesh: &SolidMesh, off: u64, random: &mut Random) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("model.pvtu");
    write(&path, mesh, 1 + random.below(6), off, random);
    let (whole, report) = subsolid::io::read_with_report(&path).unwrap();
    assert_eq!(report.left_out(), None);
    assert_eq!(whole.cells.len(), mesh.cells.len());
    assert_eq!(whole.points.len(), mesh.points.len(), "{name}");
    assert_eq!(whole.cell_data, mesh.cell_data, "{name}");
    // two pieces may have the same crease
    let counts = |mesh: &SolidMesh| {
        let edges: BTreeSet<[u32; 2]> =
            mesh.creases.edges.iter().map(|crease| crease.edge().map(|v| v.0)).collect();
        let corners: BTreeSet<u32> = mesh.creases.corners.iter().map(|c| c.vertex.0).collect();
        [edges.len(), corners.len()]
    };
    assert_eq!(counts(&whole), counts(mesh), "{name}");
    let near = |a: f64, b: f64| a.to_bits().abs_diff(b.to_bits()) <= off;
    for c in 0..mesh.cells.len() {
        let corners = |mesh: &SolidMesh| mesh.cells.vertices(c).to_vec();
        let (own, given) = (corners(&whole), corners(mesh));
        assert_eq!(own.len(), given.len(), "{name}");
        for [own, given] in own.into_iter().zip(given).map(|(a, b)| [a, b].map(|v| v as usize)) {
            let pairs = whole.points[own].iter().zip(&mesh.points[given]);
            assert!(pairs.into_iter().all(|(&a, &b)| near(a, b)), "{name}, cell {c}");
            for (a, b) in whole.attributes.iter().zip(&mesh.attributes) {
                let row = |values: &[f64], v: usize| values[v * a.width..][..a.width].to_vec();
                assert_eq!(row(&a.values, own), row(&b.values, given), "{name}, cell {c}");
            }
        }
    }
}

/// Groups of faces are not in pieces here.
fn without_groups(mesh: SolidMesh) -> SolidMesh {
    SolidMesh { face_groups: Vec::new(), ..with_data(mesh) }
}

/// Shapes of all kinds, every second with creases.
fn shapes() -> Vec<(String, SolidMesh)> {
    let mut all = meshes::shapes();
    all.push(("mixed".into(), meshes::mixed()));
    all.push(("two cells".into(), meshes::block([2, 1, 1])));
    for (seed, (_, mesh)) in (0..).zip(&mut all).step_by(2) {
        meshes::crease_at_random(mesh, &[0.4, 1.0, 2.3, f64::INFINITY], 3, seed);
    }
    all
}

#[test]
fn pieces_make_the_mesh_that_was_cut() {
    let mut random = Random::new(12);
    for (name, mesh) in shapes() {
        let off = [0, 2][random.below(2)];
        compare_pieces(&name, &without_groups(mesh), off, &mut random);
    }
    compare_pieces("large", &without_groups(meshes::block([30, 40, 30])), 1, &mut random);
}

/// Points stand where they are sorted into different places, and the last bits decide which, and
/// whether a point is near another place at all.
#[test]
fn points_between_places_are_joined() {
    let mut mesh = meshes::block([7, 8, 5]);
    // the largest is 1, so places are 2⁻³⁶ wide, the first about 0, and near is 2⁻⁴⁶
    let (between, near) = (0.5_f64.powi(37), 0.5_f64.powi(46));
    for p in &mut mesh.points {
        *p = [p[0] / 8.0 + between + near, p[1] / 8.0, p[2] / 8.0];
    }
    let mut random = Random::new(2);
    for off in [0, 1, 60] {
        compare_pieces("between", &without_groups(mesh.clone()), off, &mut random);
    }
}

/// A cut inside a piece stays a cut, and of several points that are near enough one is taken.
#[test]
fn cuts_stay_and_clusters_are_joined() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("model.pvtu");
    let mut random = Random::new(7);
    let block = meshes::block([2, 2, 1]);
    for off in [0, 40] {
        let mut writer = PieceWriter::create(&path, WriteOptions::default()).unwrap();
        for _ in 0..4 {
            // every cell with vertices of its own, twice in a piece
            let mut own = SolidMesh::default();
            for c in [0, 1, 1, 3] {
                let cell = piece(&block, c..c + 1, off, &mut random);
                let first = own.points.len() as u32;
                push(&mut own.cells, &cell.cells, 0, |v| v + first);
                own.points.extend(cell.points);
            }
            writer.push(&Dataset::of_piece(&own, false)).unwrap();
        }
        writer.finish().unwrap();
        let whole = subsolid::read(&path).unwrap();
        assert!(whole.points.len() >= 32 && whole.points.len() < 96, "{}", whole.points.len());
    }
}

/// Far from the origin the rounding of single precision is more than the edges are long: numbers
/// that single precision holds too are not taken for rounded ones, and rounded ones are not joined
/// over more than a part of an edge.
#[test]
fn points_an_edge_apart_are_not_joined() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("model.pvtu");
    // two halves of a block, with a gap between if `gap` is not 0; [east, north, edge]
    for (origin, gap, single, count) in [
        ([500_000.0, 4_500_000.0, 20.0], 0.0, false, 5 * 4 * 4),
        ([500_000.0, 4_500_000.0, 20.0], 20.0, false, 6 * 4 * 4),
        ([10_000.0, 10_000.0, 0.03125], 0.0, true, 5 * 4 * 4),
        ([10_000.0, 10_000.0, 0.03125], 0.0078125, true, 6 * 4 * 4),
    ] {
        let [east, north, edge] = origin;
        let mut writer = PieceWriter::create(&path, WriteOptions::default()).unwrap();
        for half in [0.0, 1.0] {
            let mut own = meshes::block([2, 3, 3]);
            for p in &mut own.points {
                let x = p[0] + 2.0 * half;
                *p = [east + edge * x + gap * half, north + edge * p[1], edge * p[2]];
            }
            let mut dataset = Dataset::of_piece(&own, false);
            if single {
                let points = own.points.iter().map(|p| p.map(|x| x as f32));
                dataset.points = Points::F32(points.collect());
            }
            writer.push(&dataset).unwrap();
        }
        writer.finish().unwrap();
        let whole = subsolid::read(&path).unwrap();
        assert_eq!(whole.points.len(), count, "{origin:?} {gap}");
    }
}
