//! Output in pieces: all of it, or what was there before.

use std::fs;

use subsolid::io::{Array, PieceWriter, WriteOptions};
use tempfile::tempdir;

use super::atomic::{names, report};
use super::models::box_dataset;

const OPTIONS: WriteOptions = WriteOptions { compress: false, format: None };

#[test]
fn nothing_stands_before_finish_and_nothing_after_drop() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("a.pvtu");
    let mut pieces = PieceWriter::create(&path, OPTIONS).unwrap();
    pieces.push(&box_dataset(1)).unwrap();
    assert!(names(directory.path()).iter().all(|name| name.starts_with('.')));
    drop(pieces);
    assert!(names(directory.path()).is_empty());
}

#[test]
fn fewer_pieces_replace_more() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("a.pvtu");
    for count in [3, 2] {
        let mut pieces = PieceWriter::create(&path, OPTIONS).unwrap();
        (0..count).for_each(|_| pieces.push(&box_dataset(1)).unwrap());
        pieces.finish().unwrap();
    }
    assert_eq!(names(directory.path()), ["a", "a.pvtu"]);
    assert_eq!(names(&directory.path().join("a")), ["a_0000.vtu", "a_0001.vtu"]);
    let index = fs::read_to_string(&path).unwrap();
    assert_eq!(index.matches("<Piece Source=\"a/a_000").count(), 2, "{index}");
}

#[test]
fn a_failed_finish_restores_what_was_there() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("a.pvtu");
    let mut first = PieceWriter::create(&path, OPTIONS).unwrap();
    first.push(&box_dataset(1)).unwrap();
    first.finish().unwrap();
    let index = fs::read(&path).unwrap();

    let mut second = PieceWriter::create(&path, OPTIONS).unwrap();
    second.push(&box_dataset(2)).unwrap();
    let all = names(directory.path());
    let hidden = all.iter().find(|name| name.starts_with('.')).unwrap();
    fs::remove_dir_all(directory.path().join(hidden).join("a")).unwrap();
    assert!(report(second.finish()).contains("a.pvtu"));
    assert_eq!(fs::read(&path).unwrap(), index);
    assert_eq!(names(directory.path()), ["a", "a.pvtu"]);
    assert_eq!(names(&directory.path().join("a")), ["a_0000.vtu"]);
}

#[test]
fn a_directory_of_other_files_is_never_replaced() {
    let directory = tempdir().unwrap();
    let other = directory.path().join("a");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("a_0000.vtu"), "").unwrap();
    let path = directory.path().join("a.pvtu");
    PieceWriter::create(&path, OPTIONS).unwrap();
    fs::write(other.join("thesis.tex"), "").unwrap();
    let refused = report(PieceWriter::create(&path, OPTIONS).map(drop));
    assert!(refused.contains("thesis.tex") && refused.contains("another name"), "{refused}");
    assert_eq!(names(&other), ["a_0000.vtu", "thesis.tex"]);
}

#[test]
fn pieces_with_other_arrays_are_refused() {
    let directory = tempdir().unwrap();
    let mut pieces = PieceWriter::create(directory.path().join("a.pvtu"), OPTIONS).unwrap();
    pieces.push(&box_dataset(1)).unwrap();
    let mut other = box_dataset(1);
    other.cell_arrays[1] = Array::new("class", 1, vec![1.0f32]);
    assert!(report(pieces.push(&other)).contains("other arrays than the first"));
}
