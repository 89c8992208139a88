//! What must hold of anything that a reader is given: it returns, and what it returns is sound.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use subsolid::io::{ControlMesh, ReadOptions, read_creases, read_mesh};
use subsolid::locate::PointTable;

/// Most bytes that compressed arrays may take: a run is to stay small.
const MOST_UNPACKED: u64 = 64 << 20;

/// A file of these bytes; each overwrites the one before of its name.
fn file(name: &str, bytes: &[u8]) -> PathBuf {
    thread_local!(static FOLDER: OnceCell<tempfile::TempDir> = const { OnceCell::new() });
    FOLDER.with(|folder| {
        let folder = folder.get_or_init(|| tempfile::tempdir().unwrap());
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    })
}

/// A control mesh in a file with an extension.
pub fn mesh(extension: &str, bytes: &[u8]) {
    control_mesh(&file(&format!("file.{extension}"), bytes));
}

/// The files of a mesh of OpenFOAM, with a zero byte between them.
pub fn case(bytes: &[u8]) {
    let names = ["points", "faces", "owner", "neighbour", "boundary", "cellZones"];
    let mut parts = bytes.splitn(names.len(), |&byte| byte == 0);
    for name in names {
        file(name, parts.next().unwrap_or_default());
    }
    control_mesh(file("case.foam", &[]).parent().unwrap());
}

fn control_mesh(path: &Path) {
    let options = ReadOptions { most_unpacked: MOST_UNPACKED };
    match read_mesh(path, options) {
        Ok((ControlMesh::Solid(mesh), _)) => {
            assert!(!mesh.cells.is_empty());
            assert!(mesh.points.iter().flatten().all(|x| x.is_finite()));
            for cell in 0..mesh.cells.len() {
                let corners = mesh.cells.vertices(cell);
                assert!(corners.iter().all(|&v| (v as usize) < mesh.points.len()));
            }
            for attribute in &mesh.attributes {
                assert_eq!(attribute.values.len(), attribute.width * mesh.points.len());
            }
        }
        Ok((ControlMesh::Surface(mesh), _)) => mesh.check().unwrap(),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// A table of creases.
pub fn creases(extension: &str, bytes: &[u8]) {
    if let Ok(table) = read_creases(file(&format!("file.{extension}"), bytes)) {
        assert!(table.creases.edges.iter().all(|c| c.sharpness >= 0.0 && c.edge()[0] < c.edge()[1]));
    }
}

/// A table of points.
pub fn points(extension: &str, bytes: &[u8]) {
    let points = PointTable::open(file(&format!("file.{extension}"), bytes)).and_then(|mut table| table.read(1 << 16));
    if let Ok(points) = points {
        assert!(points.iter().flatten().all(|x| x.is_finite()));
    }
}
