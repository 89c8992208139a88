//! What `subsolid --version` says.

use std::sync::LazyLock;

use subsolid::build_info;

/// The version, what has been compiled in, and the commit, if the build named it.
pub fn long() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        format!(
            "{}\nfeatures: {}\nbackends: {}\ncommit: {}",
            build_info::VERSION,
            build_info::features().join(", "),
            build_info::backends().join(", "),
            build_info::COMMIT.unwrap_or("unknown")
        )
    });
    &TEXT
}
