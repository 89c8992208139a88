"""Executes notebooks and writes them as they are kept, with their results: python execute.py [FILE...]"""

from __future__ import annotations

import base64
import io
import pathlib
import sys
from typing import Any

import nbformat
from nbclient import NotebookClient

HERE = pathlib.Path(__file__).parent


def execute(path: pathlib.Path) -> Any:
    """The notebook with the results of a fresh kernel; raises for an error in a cell."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(HERE)}}).execute()
    return notebook


def normalize(notebook: Any) -> None:
    """Leaves out what differs from run to run, and makes pictures small."""
    from PIL import Image

    spec = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook.metadata = nbformat.from_dict({"kernelspec": spec, "language_info": {"name": "python"}})
    for number, cell in enumerate(notebook.cells):
        cell.id, cell.metadata = f"cell-{number}", {}
        if cell.cell_type == "code":
            # of VTK where there is no screen
            cell.outputs = [o for o in cell.outputs if "vtkXOpenGLRenderWindow" not in o.get("text", "")]
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "image/png" in data:
                picture = Image.open(io.BytesIO(base64.b64decode(data["image/png"])))
                small = io.BytesIO()
                picture.convert("RGB").quantize(128).save(small, "PNG", optimize=True)
                data["image/png"] = base64.b64encode(small.getvalue()).decode() + "\n"
                data.pop("text/plain", None)  # what the object is called


def main(files: list[str]) -> None:
    for path in map(pathlib.Path, files) if files else sorted(HERE.glob("*.ipynb")):
        notebook = execute(path)
        normalize(notebook)
        nbformat.write(notebook, path)
        print(f"{path.name}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
