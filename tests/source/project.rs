//! The project's own files agree with each other.

use std::path::{Path, PathBuf};

fn text(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

#[test]
fn the_citation_is_of_this_version() {
    let text = text("CITATION.cff");
    let version = text.lines().find_map(|line| line.strip_prefix("version: "));
    assert_eq!(version, Some(env!("CARGO_PKG_VERSION")));
    assert_eq!(text.matches("\n  - type: ").count(), 5, "references");
}

/// The targets of `[text](target)` in Markdown.
fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target)
}

#[test]
fn links_between_files_lead_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut count = 0;
    for name in ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "python/README.md"]
    {
        let text = text(name);
        let folder = root.join(name).parent().unwrap().to_owned();
        for target in links(&text).filter(|target| !target.contains("://")) {
            let file = target.split('#').next().unwrap();
            assert!(folder.join(file).exists(), "{name}: {target}");
            count += 1;
        }
    }
    assert!(count > 30, "{count} links");
}

/// Folders and files of `src` whose tests stand under `tests`. A test module in `src` has the whole
/// library compiled a second time; the others have some yet.
const WITHOUT_UNIT_TESTS: [&str; 14] = [
    "assembly",
    "basis",
    "cluster",
    "compare",
    "error",
    "io",
    "limit",
    "mesh",
    "plan",
    "quadrature",
    "query",
    "scheme",
    "simd",
    "topology",
];

/// Files there that have refusals of more than 32 bits number, which no test from outside reaches.
const OF_HUGE_COUNTS: [&str; 6] = [
    "io/write/glb.rs",
    "io/write/stl.rs",
    "io/write/values.rs",
    "limit/memo.rs",
    "limit/numbering.rs",
    "mesh/cells.rs",
];

#[test]
fn tests_stand_under_tests() {
    let is_done = |path: &Path| {
        let first = path.iter().next().and_then(|first| first.to_str()).unwrap_or_default();
        WITHOUT_UNIT_TESTS.contains(&first.trim_end_matches(".rs"))
    };
    let files: Vec<_> = super::files().into_iter().filter(|(path, _)| is_done(path)).collect();
    assert!(files.len() > 300, "{} files", files.len());
    let has_tests = |(path, text): &&(PathBuf, String)| {
        let is_known = OF_HUGE_COUNTS.iter().any(|known| path == Path::new(known));
        text.contains("cfg(test)") != is_known
    };
    let found = files.iter().filter(has_tests);
    let found: Vec<_> = found.map(|(path, _)| path).collect();
    assert!(
        found.is_empty(),
        "tests that belong under tests, or a list that is not up to date: {found:?}"
    );
}
