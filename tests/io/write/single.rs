//! Single files from pieces: the bytes that all of the data at once gives, whatever the pieces.

use std::fs;
use std::path::Path;

use subsolid::backend::{Backend, Cpu, Limit};
use subsolid::io::{Array, Dataset, FileOutline, WriteOptions, write_pieces};
use subsolid::mesh::SolidMesh;
use subsolid::mesh::shape::Shape;
use subsolid::plan::Plan;
use subsolid::volume::{self, Bezier, SharedPoints, Sharing};
use subsolid::{Samples, Solid, Want};
use tempfile::tempdir;

use super::atomic::{names, report};
use super::models::box_dataset;

const ENDINGS: [&str; 4] = ["vtu", "vtk", "npz", "csv"];

/// An interior extraordinary vertex, with an attribute of three components and arrays of cells.
fn model() -> SolidMesh {
    let mut mesh = Shape::parse("link-3444555", &[]).unwrap().build().unwrap();
    let values = mesh.points.iter().flat_map(|p| [p[0] * p[1], p[2], -p[0]]).collect();
    mesh.attributes.push(subsolid::mesh::Attribute { name: "Wärme".into(), width: 3, values });
    let cells = mesh.cells.len();
    let wide = (0..cells).map(|c| (c as f64) * 1e9).collect();
    mesh.cell_data.push(subsolid::mesh::CellArray::new("wide", 1, wide, true));
    mesh
}

/// Results of each range of elements as `dataset` makes them.
fn pieces<'p>(
    plan: &'p Plan<'_>,
    mesh: &'p SolidMesh,
    results: usize,
    dataset: impl Fn(&Limit) -> subsolid::Result<Dataset> + 'p,
) -> impl Iterator<Item = subsolid::Result<Dataset>> + 'p {
    let mut evaluator = Cpu::default().prepare(plan).unwrap();
    let mut limit = Limit::default();
    plan.pieces(results).map(move |range| {
        evaluator.evaluate(mesh.controls(), range, &mut limit)?;
        let mut dataset = dataset(&limit)?;
        volume::add_cell_data(&mut dataset, &mesh.cell_data);
        Ok(dataset)
    })
}

fn same(
    directory: &Path,
    ending: &str,
    whole: &Dataset,
    what: &str,
    write: impl Fn(&Path, &FileOutline, WriteOptions),
) {
    for compress in [false, true] {
        let [at_once, in_pieces] =
            ["whole", "pieces"].map(|name| directory.join(name).with_extension(ending));
        let options = WriteOptions { compress, format: None };
        subsolid::write(&at_once, whole, options).unwrap();
        write(&in_pieces, &FileOutline::of(whole), options);
        let [at_once, in_pieces] = [at_once, in_pieces].map(|path| fs::read(path).unwrap());
        assert!(at_once == in_pieces, "{what} {ending} {compress}");
    }
}

#[test]
fn pieces_of_shared_points_give_the_bytes_of_the_whole() {
    let directory = tempdir().unwrap();
    let mesh = model();
    let solid = Solid::new(&mesh).unwrap();
    for n in [2, 4] {
        let plan = solid.plan(&Samples::grid(n), Want::GRADIENT).unwrap();
        let limit = Cpu::default().evaluate(&plan, mesh.controls()).unwrap();
        let shared = SharedPoints::new(&plan).unwrap();
        let mut whole =
            volume::hexahedra(&plan, &limit, &mesh.attributes, Sharing::Welded).unwrap();
        volume::add_cell_data(&mut whole, &mesh.cell_data);
        for results in [1, 5 * n.pow(3), usize::MAX] {
            for ending in ENDINGS {
                same(directory.path(), ending, &whole, "hexahedra", |path, outline, options| {
                    let dataset = |limit: &Limit| {
                        volume::hexahedra(
                            &plan,
                            limit,
                            &mesh.attributes,
                            Sharing::Numbered(&shared),
                        )
                    };
                    let pieces = pieces(&plan, &mesh, results, dataset);
                    write_pieces(path, outline, pieces, options).unwrap();
                });
            }
        }
    }
    let only = names(directory.path());
    assert!(only.len() == 2 * ENDINGS.len(), "no spool is left: {only:?}");
}

#[test]
fn pieces_that_share_nothing_give_the_bytes_of_the_whole() {
    let directory = tempdir().unwrap();
    let mesh = model();
    let solid = Solid::new(&mesh).unwrap();
    let plan = solid.plan(&Samples::grid(3), Want::POSITION).unwrap();
    let limit = Cpu::default().evaluate(&plan, mesh.controls()).unwrap();
    let mut whole = volume::points(&plan, &limit, &mesh.attributes);
    volume::add_cell_data(&mut whole, &mesh.cell_data);
    let bezier = Bezier::new(&solid, 1).unwrap();
    let exact = bezier.piece(mesh.controls(), 0..solid.elements().len()).unwrap().dataset;
    for ending in ENDINGS {
        same(directory.path(), ending, &whole, "points", |path, outline, options| {
            let mut before = 0;
            let dataset = |limit: &Limit| Ok(volume::points(&plan, limit, &mesh.attributes));
            let pieces = pieces(&plan, &mesh, 100, dataset).map(|piece| {
                let mut piece = piece?;
                piece.offset_points(before)?;
                before += piece.points.len();
                Ok(piece)
            });
            write_pieces(path, outline, pieces, options).unwrap();
        });
        if ending == "vtk" {
            continue; // has no Bézier cells
        }
        same(directory.path(), ending, &exact, "bezier", |path, outline, options| {
            let mut before = 0;
            let pieces = plan.pieces(1).map(|range| {
                let mut piece = bezier.piece(mesh.controls(), range)?.dataset;
                piece.offset_points(before)?;
                before += piece.points.len();
                Ok(piece)
            });
            write_pieces(path, outline, pieces, options).unwrap();
        });
    }
}

#[test]
fn pieces_that_do_not_fit_leave_nothing() {
    let directory = tempdir().unwrap();
    let whole = box_dataset(2);
    let mut plain = whole.clone();
    plain.field_arrays.clear();
    let mut other = plain.clone();
    other.cell_arrays[1] = Array::new("class", 1, vec![1.0_f32; other.cells.len()]);
    let twice = FileOutline {
        points: 2 * whole.points.len(),
        cells: 2 * whole.cells.len(),
        ..FileOutline::of(&whole)
    };
    let once = FileOutline::of(&whole);
    let narrow = FileOutline { wide_cell_arrays: Vec::new(), ..once.clone() };
    let stop = || subsolid::read("there is no such file.vtu").map(|_| plain.clone());
    for (ending, outline, pieces, message) in [
        ("vtu", &twice, vec![Ok(plain.clone()), Ok(other)], "other arrays than piece 0"),
        ("npz", &twice, vec![Ok(plain.clone())], "pieces of"),
        ("vtu", &once, vec![Ok(plain.clone()), Ok(plain.clone())], "pieces of"),
        ("vtk", &narrow, vec![Ok(plain.clone())], "beyond 32 bits"),
        ("vtu", &twice, vec![Ok(whole.clone())], "fields"),
        ("csv", &twice, vec![Ok(plain.clone()), stop()], "no such file"),
        ("vtu", &once, vec![], "pieces of 0 points"),
    ] {
        let path = directory.path().join("a").with_extension(ending);
        let refused = report(write_pieces(&path, outline, pieces, WriteOptions::default()));
        assert!(refused.contains(message), "{ending}: {refused}");
        assert!(names(directory.path()).is_empty(), "{ending}");
    }
}
