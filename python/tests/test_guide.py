"""The code of pages of the guide: the gallery, and tutorials with Python."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

ROOT = pathlib.Path(__file__).parents[2]
GUIDE = ROOT / "src" / "guide"
TUTORIALS = re.split(r"^## ", (GUIDE / "tutorials.md").read_text(encoding="utf-8"), flags=re.M)[1:]
WITH_PYTHON = [section for section in TUTORIALS if "\n```python\n" in section]


@pytest.fixture(autouse=True)
def pictures(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    for package in ("pyvista", "scipy", "PIL"):
        pytest.importorskip(package)
    import pyvista

    monkeypatch.setattr(sys, "path", [str(ROOT / "python" / "examples"), *sys.path])
    before = pyvista.OFF_SCREEN
    yield
    pyvista.OFF_SCREEN = before
    pyvista.global_theme.restore_defaults()


def test_gallery(tmp_path: pathlib.Path) -> None:
    from gallery import GALLERY, blocks, main

    main(tmp_path)
    page = GALLERY.read_text(encoding="utf-8")
    shown = re.findall(r"models/gallery/(\w+)\.png", page)
    sizes = {file.stem: file.stat().st_size for file in tmp_path.glob("*.png")}
    assert set(sizes) == set(shown) and len(shown) == 12
    assert all(3000 < size < 60_000 for size in sizes.values()), sizes
    assert max(block.count("\n") for block in blocks(page)) <= 10


@pytest.mark.parametrize("section", WITH_PYTHON, ids=lambda section: section.split("\n")[0])
def test_tutorials(section: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from gallery import style

    style()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").symlink_to(ROOT / "models")
    # the program that the package contains
    programs = str(pathlib.Path(sys.executable).parent)
    environment = {**os.environ, "PATH": os.pathsep.join([programs, os.environ["PATH"]])}
    names: dict[str, Any] = {}
    for language, block in re.findall(r"^```(sh|python)\n(.*?)^```$", section, re.M | re.S):
        if language == "sh":
            subprocess.run(["bash", "-euo", "pipefail", "-c", block], check=True, env=environment)
        else:
            exec(compile(block, "tutorials.md", "exec"), names)
    assert [file for file in tmp_path.glob("*.png") if file.stat().st_size > 3000]


def test_there_are_six_tutorials() -> None:
    assert len(TUTORIALS) == 6 and len(WITH_PYTHON) == 2
