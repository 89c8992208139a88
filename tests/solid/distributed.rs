//! Meshes that ranks hold together: each gets the part that a cutter makes of the whole, to the
//! bit.

use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::oracle::random::Random;
use crate::parts::{solids, with_data};
use crate::support::encodings::{Encoding, File};
use crate::support::meshes;
use subsolid::backend::{Backend, Cpu};
use subsolid::cluster::{Ranks, Threads};
use subsolid::io::read_block;
use subsolid::mesh::{CellKind, Cells, Controls, SolidMesh, UnusedVertices};
use subsolid::parts::{Blocks, Cut, Cutter, DistributedMesh, Part, PointExchange, RankPart};
use subsolid::plan::{Samples, Want};
use subsolid::scheme::VertexRule;
use subsolid::{Solid, WriteOptions};

/// Elements of every cell.
fn counts(mesh: &SolidMesh, levels: usize) -> Vec<usize> {
    let count = |c: usize| match (levels, mesh.cells.kind(c)) {
        (0, CellKind::Hexahedron) => 1,
        (0, _) => mesh.cells.vertices(c).len(),
        _ => mesh.cells.vertices(c).len() << (3 * (levels - 1)),
    };
    (0..mesh.cells.len()).map(count).collect()
}

/// The part that a cutter makes of the cells of some elements.
fn expected(mesh: &SolidMesh, levels: usize, elements: &Range<usize>) -> subsolid::parts::Part {
    let mut end = 0;
    let owner = |count: usize| {
        let own = end..end + count;
        end = own.end;
        let is_apart = own.end <= elements.start || elements.end <= own.start;
        u32::from(elements.is_empty() || is_apart)
    };
    let owners = counts(mesh, levels).into_iter().map(owner).collect();
    Cutter::new(mesh, &Cut::of_owners(owners, 2).unwrap()).unwrap().part(0)
}

/// Compares the parts of so many ranks, whose runs of elements are random.
pub fn compare(
    name: &str,
    mesh: &SolidMesh,
    levels: usize,
    size: usize,
    random: &mut Random,
    load: impl Fn(&Ranks<'_>) -> DistributedMesh + Sync,
) {
    let count: usize = counts(mesh, levels).iter().sum();
    let mut cuts: Vec<usize> = (1..size).map(|_| random.below(count + 1)).collect();
    cuts.extend([0, count]);
    cuts.sort_unstable();
    let found = Threads::run(size, |group| {
        let ranks = Ranks::new(group);
        let all = load(&ranks);
        assert_eq!([all.cell_count(), all.vertex_count()], [mesh.cells.len(), mesh.points.len()]);
        assert_eq!(all.element_count(levels).unwrap(), count);
        let own = cuts[ranks.rank()]..cuts[ranks.rank() + 1];
        let part = all.into_part(&ranks, levels, own.clone()).unwrap();
        let found = part.check_hexahedra(&ranks).unwrap();
        (own, part, found)
    });
    let handedness = mesh.handedness();
    for (own, part, found) in found {
        let expected = expected(mesh, levels, &own);
        assert!(*part.part() == expected, "{name}, {size} ranks, {levels} levels, {own:?}");
        assert_eq!(found, (handedness, mesh.folded_corners(&handedness)), "{name}");
        if !own.is_empty() {
            let elements = Blocks::new(&part, VertexRule::default()).unwrap().elements();
            assert!(elements.start <= own.start && own.end <= elements.end, "{name}");
        }
    }
}

/// From rank 0, and from a file of which every rank reads its block.
fn compare_both(name: &str, mesh: &SolidMesh, sizes: &[usize], random: &mut Random) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("model.vtu");
    let mut plain = mesh.clone();
    plain.face_groups.clear();
    subsolid::write(&path, &plain, WriteOptions::default()).unwrap();
    let plain = subsolid::read(&path).unwrap();
    for &size in sizes {
        let levels = random.below(3);
        let scattered = |ranks: &Ranks<'_>| {
            DistributedMesh::scatter(ranks, ranks.is_first().then(|| mesh.clone())).unwrap()
        };
        compare(name, mesh, levels, size, random, scattered);
        let read = |ranks: &Ranks<'_>| {
            let (block, report) = read_block(&path, ranks.rank(), ranks.size()).unwrap();
            assert_eq!(report.left_out(), None);
            DistributedMesh::of_blocks(ranks, block).unwrap()
        };
        compare(name, &plain, levels, size, random, read);
    }
}

/// Writes a mesh in an encoding of VTK.
fn write_encoded(directory: &Path, mesh: &SolidMesh, encoding: Encoding) -> PathBuf {
    let path = directory.join("written.vtk");
    subsolid::write(&path, mesh, WriteOptions::default()).unwrap();
    let file = File::read(&std::fs::read(&path).unwrap());
    let path = directory.join("encoded").with_extension(encoding.extension());
    std::fs::write(&path, encoding.encode(&file)).unwrap();
    path
}

/// Whether every rank reads its block of a file, which is then a part of what one program reads.
fn blocks_are_read(name: &str, path: &Path, size: usize, random: &mut Random) -> bool {
    let read = |rank| read_block(path, rank, size);
    let Some(blocks) = (0..size).map(read).collect::<Option<Vec<_>>>() else { return false };
    let (whole, report) = subsolid::io::read_with_report(path).unwrap();
    let [mut cells, mut vertices] = [0, 0];
    for (block, found) in &blocks {
        assert_eq!([block.cells, block.vertices], [whole.cells.len(), whole.points.len()]);
        assert_eq!(found, &report, "{name}");
        cells += block.mesh.cells.len();
        vertices += block.mesh.points.len();
    }
    assert_eq!([cells, vertices], [whole.cells.len(), whole.points.len()], "{name}");
    compare(name, &whole, 0, size, random, |ranks| {
        DistributedMesh::of_blocks(ranks, read_block(path, ranks.rank(), size).unwrap().0).unwrap()
    });
    true
}

/// Shapes of all kinds, every second with creases.
pub fn shapes() -> Vec<(String, SolidMesh)> {
    let mut all = meshes::shapes();
    all.push(("mixed".into(), meshes::mixed()));
    all.push(("two cells".into(), meshes::block([2, 1, 1])));
    for (seed, (_, mesh)) in (0..).zip(&mut all).step_by(2) {
        meshes::crease_at_random(mesh, &[0.4, 1.0, 2.3, f64::INFINITY], 3, seed);
    }
    all
}

/// The models of up to 5,000 cells that evaluate, some of cells that are not hexahedra.
pub fn small_models() -> Vec<(String, SolidMesh)> {
    let read = |path: &PathBuf| {
        let mesh = subsolid::read(path).ok()?;
        let fits = mesh.cells.len() <= 5_000 && Solid::new(&mesh).is_ok();
        fits.then(|| (path.display().to_string(), mesh))
    };
    let all: Vec<_> = solids().iter().filter_map(read).collect();
    assert!(all.iter().any(|(_, mesh)| !mesh.cells.all_hexahedra()));
    all
}

#[test]
fn parts_of_ranks_are_those_of_a_cutter() {
    let mut random = Random::new(5);
    for (seed, (name, mesh)) in shapes().into_iter().enumerate() {
        compare_both(&name, &with_data(mesh), &[1 + seed % 7, 7], &mut random);
    }
}

/// More cells and vertices per rank than it asks for in a round, or reads at a time.
#[test]
fn parts_of_large_meshes_are_those_of_a_cutter() {
    let mesh = meshes::block([52, 52, 52]);
    compare_both("large", &with_data(mesh), &[2], &mut Random::new(3));
}

#[test]
fn parts_of_models_on_ranks_are_those_of_a_cutter() {
    let mut random = Random::new(8);
    for (seed, (name, mesh)) in small_models().into_iter().enumerate() {
        compare_both(&name, &with_data(mesh), &[2 + seed % 6], &mut random);
    }
}

/// Text and bytes, cells in rows or apart from their ends.
#[test]
fn blocks_of_every_encoding_are_those_of_the_whole() {
    let directory = tempfile::tempdir().unwrap();
    let mut random = Random::new(6);
    let mut all = shapes();
    all.push(("large".into(), meshes::block([32, 32, 32])));
    for (name, mesh) in all {
        let mut mesh = with_data(mesh);
        mesh.face_groups.clear();
        for encoding in Encoding::ALL {
            let path = write_encoded(directory.path(), &mesh, encoding);
            let name = format!("{name}, {encoding:?}");
            assert!(blocks_are_read(&name, &path, 1 + random.below(5), &mut random), "{name}");
        }
    }
}

/// Legacy files of other programs.
#[test]
fn blocks_of_models_are_those_of_the_whole() {
    let mut random = Random::new(7);
    let is_legacy = |path: &&PathBuf| path.extension().is_some_and(|e| e == "vtk");
    let all: Vec<PathBuf> = solids().into_iter().filter(|path| is_legacy(&path)).collect();
    let read = |path: &&PathBuf| {
        let name = path.display().to_string();
        let is_sound = subsolid::read(path).is_ok_and(|mesh| Solid::new(&mesh).is_ok());
        is_sound && blocks_are_read(&name, path, 3, &mut random)
    };
    let count = all.iter().filter(read).count();
    assert!(count >= 4, "{count} of {}", all.len());
}

/// A damaged file is read as one program reads it, or by it alone.
#[test]
fn damaged_files_are_no_other_meshes() {
    let directory = tempfile::tempdir().unwrap();
    let mut random = Random::new(9);
    let mut mesh = with_data(meshes::mixed());
    mesh.face_groups.clear();
    let (mut read, mut refused) = (0, 0);
    for encoding in Encoding::ALL {
        let path = write_encoded(directory.path(), &mesh, encoding);
        let bytes = std::fs::read(&path).unwrap();
        for _ in 0..200 {
            let mut damaged = bytes.clone();
            match random.below(3) {
                0 => damaged.truncate(random.below(bytes.len())),
                1 => drop(damaged.remove(random.below(bytes.len()))),
                _ => damaged[random.below(bytes.len())] = b"0 1<9\nx-"[random.below(8)],
            }
            std::fs::write(&path, &damaged).unwrap();
            let blocks: Option<Vec<_>> = (0..2).map(|rank| read_block(&path, rank, 2)).collect();
            let Some(blocks) = blocks else {
                refused += 1;
                continue;
            };
            read += 1;
            let whole = subsolid::read(&path).unwrap();
            let points: Vec<_> = blocks.iter().flat_map(|(block, _)| &block.mesh.points).collect();
            assert!(points.iter().zip(&whole.points).all(|(a, b)| *a == b));
            assert_eq!([points.len(), blocks[0].0.cells], [whole.points.len(), whole.cells.len()]);
            let vertices = |mesh: &SolidMesh| -> Vec<Vec<u32>> {
                (0..mesh.cells.len()).map(|c| mesh.cells.vertices(c).to_vec()).collect()
            };
            let cells: Vec<_> =
                blocks.iter().flat_map(|(block, _)| vertices(&block.mesh)).collect();
            assert_eq!(cells, vertices(&whole));
        }
    }
    assert!(read > 100 && refused > 100, "{read} read, {refused} not");
}

/// Control points that move: limits on ranks are those of one program.
#[test]
fn moved_points_come_from_their_holders() {
    let mesh = with_data(meshes::perturbed(&meshes::fan(5, 4, 3), 0.02, 1));
    let mut moved = mesh.clone();
    for (i, p) in moved.points.iter_mut().enumerate() {
        p[2] += 0.1 * (3.0 * p[0]).sin() + 1e-3 * (i as f64).cos();
    }
    let samples = Samples::grid(3);
    let limit = |solid: &Solid, controls: Controls<'_>| -> Vec<[f64; 3]> {
        let plan = solid.plan(&samples, Want::POSITION).unwrap();
        let limit = Cpu::default().evaluate(&plan, controls).unwrap();
        (0..limit.len()).map(|i| limit.positions.triple(i)).collect()
    };
    let whole = limit(&Solid::new(&moved).unwrap(), moved.controls());
    for size in [1, 2, 5, 70] {
        let found = Threads::run(size, |group| {
            let ranks = Ranks::new(group);
            let all = DistributedMesh::scatter(&ranks, ranks.is_first().then(|| mesh.clone()));
            let all = all.unwrap();
            let own = all.own_elements(&ranks, 0);
            let part = all.into_part(&ranks, 0, own.clone()).unwrap();
            let exchange = PointExchange::new(&part, &ranks).unwrap();
            let held = &moved.points[exchange.held()];
            let few = exchange.values(&ranks, &held.as_flattened()[exchange.held().len()..], 3);
            assert!(few.is_err() || held.is_empty());
            let ranks = Ranks::new(group);
            let values = exchange.values(&ranks, held.as_flattened(), 3).unwrap();
            let Part { mesh: own_mesh, vertices, .. } = part.part();
            assert_eq!(values, part.part().gather(moved.points.as_flattened(), 3));
            let points: Vec<[f64; 3]> = values.as_chunks().0.to_vec();
            assert_eq!(points.len(), vertices.len());
            if own.is_empty() {
                return exchange.held().len();
            }
            let controls = Controls { positions: &points, attributes: &own_mesh.attributes };
            let solid = part.part().solid().unwrap();
            assert_eq!(limit(&solid, controls), whole[27 * own.start..27 * own.end]);
            assert_eq!(exchange.sent(&ranks) == 0, size == 1);
            exchange.held().len()
        });
        assert_eq!(found.iter().sum::<usize>(), mesh.points.len());
    }
}

/// What reading warns of: vertices of no cell, and in one place.
#[test]
fn ranks_find_what_one_program_finds() {
    let whole = meshes::block([3, 2, 2]);
    let mut soup = SolidMesh::default();
    let mut cells = Cells::default();
    for (c, corners) in whole.cells.hexahedra().unwrap().iter().enumerate() {
        if c % 5 == 1 {
            soup.points.push([9.0; 3]); // of no cell
        }
        let first = soup.points.len() as u32;
        soup.points.extend(corners.map(|v| whole.points[v as usize]));
        let mut own: [u32; 8] = std::array::from_fn(|i| first + i as u32);
        if c % 4 == 3 {
            own.rotate_left(4); // mirrored
        }
        cells.push(CellKind::Hexahedron, &own);
    }
    soup.cells = cells;
    soup.points[3][0] = -0.0;
    let coincident = soup.coincident_vertices();
    assert!(coincident.count > 10);
    for size in [1, 2, 3, 7, 40] {
        let found = Threads::run(size, |group| {
            let ranks = Ranks::new(group);
            let mesh = ranks.is_first().then(|| soup.clone());
            let all = DistributedMesh::scatter(&ranks, mesh).unwrap();
            (all.unused_vertices(&ranks).unwrap(), all.coincident_vertices(&ranks).unwrap())
        });
        let unused = UnusedVertices { count: 3, first: Some(8) };
        assert_eq!(soup.unused_vertices(), unused);
        assert!(found.iter().all(|found| *found == (unused, coincident)), "{found:?}");
    }
    compare_both("soup", &with_data(soup), &[3, 5], &mut Random::new(1));
}

/// A fault is told in the ids of the whole; so are creases that are not edges.
#[test]
fn ranks_name_the_cells_and_vertices_of_the_whole() {
    let block = meshes::block([3, 3, 5]);
    let mut mesh = SolidMesh { points: block.points.clone(), ..SolidMesh::default() };
    // in the last layer two cells touch in an edge only
    for cell in (0..45).filter(|cell| ![36, 37, 39, 41, 43, 44].contains(cell)) {
        mesh.cells.push(CellKind::Hexahedron, block.cells.vertices(cell));
    }
    let rule = VertexRule::default();
    let whole = RankPart::whole(mesh.clone(), 0).unwrap();
    let fault = |part: &RankPart| {
        let blocks = Blocks::new(part, rule).unwrap();
        let error = blocks.block(blocks.elements()).unwrap().solid().err()?;
        let fault = blocks.fault(error);
        Some((fault.to_string(), fault.elements()))
    };
    let expected = fault(&whole).unwrap();
    let errors = Threads::run(3, |group| {
        let ranks = Ranks::new(group);
        let all = DistributedMesh::scatter(&ranks, ranks.is_first().then(|| mesh.clone())).unwrap();
        let own = subsolid::cluster::block(mesh.cells.len(), ranks.rank(), 3);
        fault(&all.into_part(&ranks, 0, own).unwrap())
    });
    assert_eq!(errors[0], None);
    assert_eq!(errors[2].as_ref(), Some(&expected), "{errors:?}");

    let mut creased = block.clone();
    let [a, b] = [block.points.len() as u32 - 1, 0];
    creased.creases.push_edge(0, 1, 1.0);
    creased.creases.push_edge(a, b, 1.0);
    creased.creases.push_edge(a - 1, 1, 1.0);
    let expected = Cutter::new(&creased, &Cut::of_owners(vec![0; 45], 1).unwrap()).unwrap_err();
    let errors = Threads::run(4, |group| {
        let ranks = Ranks::new(group);
        let mesh = ranks.is_first().then(|| creased.clone());
        let all = DistributedMesh::scatter(&ranks, mesh).unwrap();
        let own = subsolid::cluster::block(45, ranks.rank(), 4);
        all.into_part(&ranks, 0, own).unwrap_err().to_string()
    });
    assert!(errors.iter().all(|error| *error == expected.to_string()), "{errors:?}");
}

/// Files that only the reader of whole files reads, or refuses.
#[test]
fn blocks_are_read_of_plain_files_alone() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, mesh: &SolidMesh, compress: bool| {
        let path = directory.path().join(name);
        subsolid::write(&path, mesh, WriteOptions { compress }).unwrap();
        path
    };
    let mesh = meshes::block([2, 2, 2]);
    let plain = write("plain.vtu", &mesh, false);
    let can = |path: &Path| (0..3).all(|rank| read_block(path, rank, 3).is_some());
    assert!(can(&plain));
    assert!(!can(&write("small.vtu", &mesh, true)));
    assert!(can(&write("legacy.vtk", &mesh, false)));
    assert!(!can(&write("groups.vtu", &with_data(mesh), false)));
    assert!(!can(Path::new("none.vtu")));
    let bytes = std::fs::read(&plain).unwrap();
    let cut = directory.path().join("cut.vtu");
    std::fs::write(&cut, &bytes[..bytes.len() - 60]).unwrap();
    assert!(!can(&cut));
}
