//! How much memory there is, so that too much is refused before it is asked for.

pub use subsolid::physical_memory as physical;

/// Bytes as people say them.
pub fn gigabytes(bytes: u128) -> String {
    format!("{:.1} GB", bytes as f64 / 1e9)
}
