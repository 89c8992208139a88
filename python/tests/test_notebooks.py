"""The notebooks: each runs in a fresh kernel, and is kept with its results."""

from __future__ import annotations

import json
import pathlib
import re
import sys
from typing import Any

import pytest

NOTEBOOKS = pathlib.Path(__file__).parents[1] / "notebooks"
FILES = sorted(NOTEBOOKS.glob("*.ipynb"))


def texts(notebook: Any) -> list[str]:
    """What its cells print and show as text."""
    found = []
    for output in (o for cell in notebook["cells"] for o in cell.get("outputs", [])):
        assert output["output_type"] != "error"
        # VTK says that there is no screen
        is_warning = output.get("name") == "stderr" and "vtkXOpenGLRenderWindow" not in output["text"]
        assert not is_warning, output["text"]
        shown = output.get("data", {})
        found += [output.get("text", ""), *(shown[kind] for kind in shown if kind.startswith("text/"))]
    return ["".join(text) for text in found]


def test_there_are_six() -> None:
    assert [path.stem[0] for path in FILES] == list("123456")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_results_are_kept(path: pathlib.Path) -> None:
    notebook = json.loads(path.read_text())
    assert path.stat().st_size <= 200_000
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    shown = [set(o.get("data", ())) for cell in code for o in cell["outputs"]]
    assert sum("image/png" in kinds for kinds in shown) >= 2
    for text in texts(notebook):
        assert not re.search(r"/(home|root|tmp|work|Users)\b|[A-Z]:\\", text), text


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
# of the packages that start the kernel
@pytest.mark.filterwarnings("ignore")
def test_notebook_runs(path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("nbclient", "ipykernel", "pyvista", "scipy", "matplotlib"):
        pytest.importorskip(package)
    monkeypatch.setattr(sys, "path", [str(NOTEBOOKS), *sys.path])
    from execute import execute

    texts(execute(path))
