//! The program as its users run it. The files that `vtk_files_of_evaluate_read_back` leaves in
//! `target/readback_evaluate` are read by `tests/io/vtk_evaluate.py`.

#[path = "../common/decoded_page.rs"]
mod decoded_page;
#[path = "../common/npz.rs"]
mod npz;
#[path = "../common/oracle/mod.rs"]
mod oracle;
#[path = "../common/program.rs"]
mod program;
#[path = "../common/schema_check.rs"]
mod schema_check;
#[path = "../common/support/mod.rs"]
mod support;
#[path = "../common/surfaces.rs"]
mod surfaces;

mod assemble;
mod cell_data;
mod coincident;
mod consistency;
mod evaluate;
mod evaluate_files;
mod extract;
mod fit;
mod fit_processor;
mod groups;
mod handedness;
mod hatches;
mod inputs;
#[cfg(target_os = "linux")]
mod interrupted;
mod layer_files;
mod measures;
#[cfg(target_os = "linux")]
mod memory;
mod models;
mod options;
#[cfg(unix)]
mod outputs;
mod pieces;
mod printed;
mod process;
mod quadrature;
mod query;
mod ranks;
mod refusals;
mod requests;
mod schema;
mod slice;
mod slice_input;
mod slice_lattice;
mod slice_lengths;
mod slice_plate;
mod slice_refusals;
mod slice_stopped;
mod slice_surface;
mod solve;
mod standard_output;
mod surface;
mod unused;
mod view;
mod volumes;
#[path = "../common/vtk_files.rs"]
mod vtk_files;

use std::fs;
use std::path::{Path, PathBuf};

use program::done;
use tempfile::{TempDir, tempdir};

fn names(directory: &Path) -> Vec<PathBuf> {
    let mut names: Vec<PathBuf> =
        fs::read_dir(directory).unwrap().map(|file| file.unwrap().path()).collect();
    names.sort();
    names
}

/// A directory with a fan in it.
fn with_fan() -> TempDir {
    let directory = tempdir().unwrap();
    done(directory.path(), "shape fan 5 2 2 -o fan.vtu");
    directory
}

/// A report, which is as its schema says.
fn json(directory: &Path, arguments: &str) -> serde_json::Value {
    let report: serde_json::Value = serde_json::from_str(&done(directory, arguments)).unwrap();
    schema::check(&report, arguments);
    assert_eq!(report["program"], concat!("subsolid ", env!("CARGO_PKG_VERSION")), "{arguments}");
    report
}
