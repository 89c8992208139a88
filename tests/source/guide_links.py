"""Checks that the guide is a whole book: SUMMARY.md, README.md and mod.rs list every page, and all
links between pages, to headings and to files lead somewhere.

    python3 tests/source/guide_links.py

Links to Rust items (`crate::Solid`) are checked by rustdoc.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).parents[2]
GUIDE = ROOT / "src" / "guide"
sys.path.insert(0, str(GUIDE))
sys.dont_write_bytecode = True
from book import FENCE, LINK, page_of  # noqa: E402


def anchors(text):
    """The names that rustdoc and mdBook give to the headings of a page."""
    found = set()
    for heading in re.findall(r"^#+ +(.*)$", FENCE.sub("", text), re.M):
        heading = re.sub(r"\]\([^)]*\)", "]", heading).lower()
        name = "".join(c for c in heading if c.isalnum() or c in " -_").strip().replace(" ", "-")
        repeats = sum(name == other or re.fullmatch(f"{name}-\\d+", other) is not None for other in found)
        found.add(f"{name}-{repeats}" if repeats else name)
    return found


def dead(file, text, pages):
    """The links of a file that lead nowhere."""
    for target in LINK.findall(FENCE.sub("", text)):
        if target.startswith(("https://", "http://")):
            continue
        if page := page_of(target):
            name, anchor = page
            if name not in pages:
                yield target
                continue
        elif "crate" in target.split("::")[0]:
            continue
        else:
            path, _, anchor = target.partition("#")
            path = file.parent / path if path else file
            if not path.exists():
                yield target
            name = path.stem if path.parent.resolve() == GUIDE and path.suffix == ".md" else None
        if anchor and name in pages and anchor.lstrip("#") not in anchors(pages[name]):
            yield target


def main():
    texts = {file.stem: file.read_text() for file in sorted(GUIDE.glob("*.md"))}
    summary = texts.pop("SUMMARY")
    start = texts["README"]
    names = set(texts) - {"README"}
    lists = {
        "SUMMARY.md": re.findall(r"\((\w+)\.md\)", summary.replace("(README.md)", "")),
        "README.md": re.findall(r"crate::guide::(\w+)", start),
        "mod.rs": re.findall(r'include_str!\("(\w+)\.md"\)\]\npub mod', (GUIDE / "mod.rs").read_text()),
    }
    wrong = []
    for where, listed in lists.items():
        wrong += [f"src/guide/{where}: {name}.md is missing" for name in sorted(names - set(listed))]
        wrong += [f"src/guide/{where}: no page {name}.md" for name in sorted(set(listed) - names)]
        if len(set(listed)) < len(listed):
            wrong.append(f"src/guide/{where} lists a page twice")
    count = 0
    files = [GUIDE / f"{name}.md" for name in texts]
    files += [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "python/README.md")]
    for file in files:
        text = file.read_text()
        count += len(LINK.findall(text))
        wrong += [f"{file.relative_to(ROOT)}: {target} leads nowhere" for target in dead(file, text, texts)]
    print("\n".join(wrong) or f"{len(names)} pages, {count} links")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
