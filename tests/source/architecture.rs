//! The page about the architecture names files and folders that are there.

use std::path::Path;

/// Where the page's paths start.
const ROOTS: [&str; 5] = ["", "src", "kernels", "src/backend/cuda", "src/scheme"];

#[test]
fn the_page_about_the_architecture_names_what_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("src/guide/architecture.md")).unwrap();
    let text = page.rsplit("```").next().unwrap();
    let named = text.split('`').skip(1).step_by(2).filter(|name| name.contains('/'));
    let named: Vec<&str> = named.filter(|name| !name.contains('{')).collect();
    assert!(named.len() > 60, "{named:?}");
    let is_there = |name: &&str| ROOTS.iter().any(|folder| root.join(folder).join(name).exists());
    let missing: Vec<&str> = named.into_iter().filter(|name| !is_there(name)).collect();
    assert!(missing.is_empty(), "not there: {missing:?}");
}
