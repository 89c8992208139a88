//! What this build of the library is: version, features, commit.

/// The version, as in `Cargo.toml`.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The commit that this was built from, if the environment variable `SUBSOLID_COMMIT` named it to the compiler.
pub const COMMIT: Option<&str> = option_env!("SUBSOLID_COMMIT");

/// The cargo features that this was built with, by name.
pub fn features() -> Vec<&'static str> {
    chosen([
        ("cli", cfg!(feature = "cli")),
        ("cuda", cfg!(feature = "cuda")),
        ("mpi", cfg!(feature = "mpi")),
        ("vtkio", cfg!(feature = "vtkio")),
    ])
}

/// The kinds of processors that this was built for, by the names that
/// [`Choice`](crate::backend::Choice) takes. A machine may lack the driver of one.
pub fn backends() -> Vec<&'static str> {
    chosen([("cpu", true), ("cuda", cfg!(feature = "cuda"))])
}

fn chosen<const N: usize>(all: [(&'static str, bool); N]) -> Vec<&'static str> {
    all.into_iter().filter_map(|(name, has)| has.then_some(name)).collect()
}
