//! The library knows nothing of its doors.

use super::{code, files};

#[test]
fn the_library_names_clap_only_where_types_derive_their_options() {
    let mut found = Vec::new();
    for (path, text) in files() {
        if path.starts_with("cli") || path.ends_with("main.rs") {
            continue;
        }
        let named = code(&text).filter(|(_, line)| line.contains("clap::"));
        let alone = named.filter(|(_, line)| !line.trim_start().starts_with("#[cfg_attr(feature"));
        found.extend(alone.map(|(number, line)| format!("{}:{number}: {line}", path.display())));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
