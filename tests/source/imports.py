"""Checks that imports between the files of src are acyclic, and those between its folders, and that
files import from the modules that define, not from `lib.rs`.

    python3 tests/source/imports.py

A file imports another if a `use` of it names something that the other one defines. `pub use` hands
a name on and imports nothing; who takes the name imports the file that defines it. `lib.rs` and
modules of tests do not count.
"""

import pathlib
import re
import sys

SRC = pathlib.Path(__file__).parents[2] / "src"


def module(path):
    """`slice/mod.rs` is ("slice",), `slice/stack.rs` ("slice", "stack")."""
    parts = path.relative_to(SRC).with_suffix("").parts
    return parts[:-1] if parts[-1] in ("mod", "lib") else parts


def leaves(tree):
    """Paths and names of a use tree: `a::{b, c as d}` has (a::b, b) and (a::c, d)."""
    if match := re.fullmatch(r"([\w:]*?)(?:::)?\{(.*)\}", tree, re.S):
        depth, start, inner = 0, 0, match[2] + ","
        for at, char in enumerate(inner):
            depth += (char == "{") - (char == "}")
            if char == "," and depth == 0:
                for path, name in leaves(inner[start:at].strip()):
                    yield ([*match[1].split("::")] if match[1] else []) + path, name
                start = at + 1
    elif tree:
        path, _, name = tree.partition(" as ")
        path = path.split("::")
        yield path, name.strip() or path[-1]


def absolute(path, own, files):
    """The path from the root of the crate; `None` for one of another crate."""
    if path[0] == "crate":
        return (*path[1:],)
    above = 0
    while path[0] in ("self", "super"):
        above += path[0] == "super"
        path = path[1:] or [""]
        if path == [""]:
            return own[: len(own) - above]
    inside = own[: len(own) - above]
    return inside + (*path,) if above or inside + (path[0],) in files else None


def resolve(path, files, names):
    """The module of the file that defines what a path names."""
    for length in range(len(path), -1, -1):
        if path[:length] in files:
            handed_on = names.get(path[: length + 1])
            if length < len(path) and handed_on and handed_on != path[: length + 1]:
                return resolve(handed_on + path[length + 1 :], files, names)
            return path[:length]


def read():
    """The imports of every file, by modules."""
    files = {module(path): path for path in SRC.rglob("*.rs") if path.name != "main.rs"}
    uses, names = [], {}
    for own, path in files.items():
        text = re.sub(r"^\s*//.*$", "", path.read_text(), flags=re.M)
        text = re.split(r"#\[cfg\(test\)\]\s*mod \w+ \{", text)[0]
        for public, tree in re.findall(r"^ *(pub(?:\(.*?\))? )?use ([^;]+);", text, flags=re.M):
            for parts, name in leaves(tree):
                if own and parts[0] == "crate" and (parts[1],) not in files:
                    sys.exit(f"{path}: import {parts[1]} from the module that defines it")
                if target := absolute(parts, own, files):
                    names.setdefault(own + (name,), target)
                    uses.append((own, target, bool(public)))
    imports = {own: set() for own in files}
    for own, target, public in uses:
        if own and not public and (found := resolve(target, files, names)) and found != own:
            imports[own].add(found)
    return imports


def of_folders(imports):
    """The imports of the folders of src, and of the files beside them."""
    folders = {(file[0],): set() for file in imports if file}
    for file, others in imports.items():
        if file:
            folders[file[:1]] |= {other[:1] for other in others if other and other[0] != file[0]}
    return folders


def circle(imports):
    """The files or folders of a circle, if there is one."""
    done, trail = set(), []

    def visit(file):
        if file in trail:
            return trail[trail.index(file) :] + [file]
        if file not in done:
            trail.append(file)
            for other in sorted(imports[file]):
                if found := visit(other):
                    return found
            done.add(trail.pop())

    return next(filter(None, map(visit, sorted(imports))), None)


def page_order():
    """Folders in the order of the table on the page about the architecture."""
    page = (SRC / "guide" / "architecture.md").read_text()
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    return [name.rstrip("/").removesuffix(".rs") for row in rows for name in re.findall("`(.*?)`", row)]


IMPORTS = read()
for what, imports in ("files", IMPORTS), ("folders", of_folders(IMPORTS)):
    if found := circle(imports):
        names = " -> ".join(map("::".join, found))
        sys.exit(f"{what} import each other in a circle: {names}")

ORDER = page_order()
for (folder,), others in of_folders(IMPORTS).items():
    for (other,) in others:
        if folder in ORDER and other in ORDER and ORDER.index(folder) < ORDER.index(other):
            sys.exit(f"src/guide/architecture.md: {folder} imports {other}, which is below it")
