//! Files of pieces that repeat the vertices where they touch: ranks that each read a block have the
//! mesh that one program reads.

use std::path::Path;

use crate::distributed::{compare, shapes};
use crate::oracle::random::Random;
use crate::parts::with_data;
use crate::support::meshes;
use subsolid::WriteOptions;
use subsolid::cluster::Ranks;
use subsolid::io::{Dataset, PieceWriter, Points, read_block};
use subsolid::mesh::{Attribute, CellKind, Cells, SolidMesh};
use subsolid::parts::DistributedMesh;

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

/// Compares with what one program reads.
fn compare_pieces(name: &str, mesh: &SolidMesh, off: u64, random: &mut Random) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("model.pvtu");
    write(&path, mesh, 1 + random.below(6), off, random);
    let whole = subsolid::read(&path).unwrap();
    assert_eq!(whole.cells.len(), mesh.cells.len());
    assert_eq!(whole.points.len(), mesh.points.len(), "{name}");
    let load = |ranks: &Ranks<'_>| {
        let (block, report) = read_block(&path, ranks.rank(), ranks.size()).unwrap();
        assert_eq!(report.left_out(), None);
        DistributedMesh::of_blocks(ranks, block).unwrap()
    };
    for size in [2, 2 + random.below(6)] {
        compare(name, &whole, random.below(3), size, random, load);
    }
}

/// Groups of faces are read by rank 0 alone.
fn without_groups(mesh: SolidMesh) -> SolidMesh {
    SolidMesh { face_groups: Vec::new(), ..with_data(mesh) }
}

#[test]
fn blocks_of_pieces_are_those_of_the_whole() {
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
fn cuts_and_clusters_are_those_of_one_program() {
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
        for size in [2, 3, 5] {
            compare("cluster", &whole, 0, size, &mut random, |ranks| {
                let (block, _) = read_block(&path, ranks.rank(), ranks.size()).unwrap();
                DistributedMesh::of_blocks(ranks, block).unwrap()
            });
        }
    }
}

/// Far from the origin the rounding of single precision is more than the edges are long: numbers
/// that single precision holds too are not taken for rounded ones, and rounded ones are not joined
/// over more than a part of an edge.
#[test]
fn points_an_edge_apart_are_not_joined() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("model.pvtu");
    let mut random = Random::new(5);
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
        compare("far", &whole, 0, 3, &mut random, |ranks| {
            let (block, _) = read_block(&path, ranks.rank(), ranks.size()).unwrap();
            DistributedMesh::of_blocks(ranks, block).unwrap()
        });
    }
}

/// Pieces of which one is missing or has other arrays are left to the reader of whole files.
#[test]
fn pieces_that_do_not_fit_are_not_read_in_blocks() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("model.pvtu");
    let mesh = without_groups(meshes::block([4, 2, 2]));
    let mut random = Random::new(1);
    let can = || (0..3).map(|rank| read_block(&path, rank, 3).is_some()).collect::<Vec<_>>();
    write(&path, &mesh, 3, 0, &mut random);
    assert_eq!(can(), [true; 3]);
    let last = directory.path().join("model/model_0002.vtu");
    let mut other = subsolid::read(&last).unwrap();
    other.attributes[0].name = "b".into();
    subsolid::write(&last, &other, WriteOptions::default()).unwrap();
    assert_eq!(can(), [false; 3]);
    std::fs::remove_file(last).unwrap();
    assert_eq!(can(), [false; 3]);
}
