"""Runs the code of a page of the guide, the gallery: python gallery.py DIRECTORY."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import sys
import tempfile
from typing import Any

ROOT = pathlib.Path(__file__).parents[2]
GALLERY = ROOT / "src" / "guide" / "gallery.md"


def blocks(text: str, language: str = "python") -> list[str]:
    """The code blocks of a page that run; those of "```python no_run" are shown only."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


def style() -> None:
    """Small pictures, off-screen."""
    import pyvista

    pyvista.OFF_SCREEN = True
    theme = pyvista.global_theme
    theme.window_size = [520, 400]
    theme.colorbar_orientation = "vertical"
    theme.colorbar_vertical.position_x = 0.8
    theme.font.label_size, theme.font.title_size, theme.font.fmt = 11, 12, "%.3f"


def shrink(directory: pathlib.Path) -> None:
    """Makes the files of the pictures small."""
    from PIL import Image

    for file in directory.glob("*.png"):
        Image.open(file).convert("RGB").quantize(256).save(file, optimize=True)


def main(directory: pathlib.Path, page: pathlib.Path = GALLERY) -> None:
    """Runs the blocks of a page beside a link to `models`; their pictures go to the directory."""
    style()
    before = pathlib.Path.cwd()
    directory = directory.resolve()
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        (scratch / "models").symlink_to(ROOT / "models")
        os.chdir(scratch)
        try:
            names: dict[str, Any] = {}
            for block in blocks(page.read_text(encoding="utf-8")):
                exec(compile(block, str(page), "exec"), names)
        finally:
            os.chdir(before)
        shrink(scratch)
        directory.mkdir(parents=True, exist_ok=True)
        for picture in scratch.glob("*.png"):
            shutil.copy(picture, directory)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "."))
