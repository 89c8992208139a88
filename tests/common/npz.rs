//! Reads NumPy archives.
#![allow(dead_code, reason = "every test program uses some of it")]

use std::fs::File;
use std::io::{BufReader, Cursor, Read};
use std::path::Path;

use npyz::{Deserialize, NpyFile};
use zip::ZipArchive;

/// An array: its shape and its values.
pub type Shaped<T> = (Vec<u64>, Vec<T>);

/// An open archive.
pub struct Npz(ZipArchive<BufReader<File>>);

impl Npz {
    pub fn open(path: &Path) -> Self {
        let file = File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self(ZipArchive::new(BufReader::new(file)).unwrap())
    }

    /// The names of all arrays, without `.npy`.
    pub fn names(&self) -> Vec<String> {
        let name = |file: &str| file.strip_suffix(".npy").expect("an array").to_owned();
        self.0.file_names().map(|file| name(&file.unwrap())).collect()
    }

    pub fn contains(&self, name: &str) -> bool {
        self.names().iter().any(|other| other == name)
    }

    /// The bytes of array `name`, header included.
    pub fn bytes(&mut self, name: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        let entry = self.0.by_name(&format!("{name}.npy"));
        entry.unwrap_or_else(|e| panic!("{name}: {e}")).read_to_end(&mut bytes).unwrap();
        bytes
    }

    pub fn array<T: Deserialize>(&mut self, name: &str) -> Shaped<T> {
        let array = NpyFile::new(Cursor::new(self.bytes(name))).unwrap();
        let shape = array.shape().to_vec();
        (shape, array.into_vec().unwrap_or_else(|e| panic!("{name}: {e}")))
    }
}

/// Array `name` of the archive at `path`.
pub fn array<T: Deserialize>(path: &Path, name: &str) -> Shaped<T> {
    Npz::open(path).array(name)
}
