//! The project's own files agree with each other.

use std::path::Path;

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

/// A test module in `src` has the whole library compiled a second time.
#[test]
fn tests_stand_under_tests() {
    let files = super::files();
    assert!(files.len() > 600, "{} files", files.len());
    let is_word = |line: &str, word: &str| {
        line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|own| own == word)
    };
    let has_tests = |(_, line): (usize, &str)| {
        is_word(line, "test") && (is_word(line, "cfg") || line.contains("#["))
    };
    let found = files.iter().filter(|(_, text)| super::code(text).any(has_tests));
    let found: Vec<_> = found.map(|(path, _)| path).collect();
    assert!(found.is_empty(), "tests that belong under tests: {found:?}");
}
