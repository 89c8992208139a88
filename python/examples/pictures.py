"""Draws the pictures of the guide with all examples: python pictures.py DIRECTORY."""

from __future__ import annotations

import pathlib
import sys
import tempfile

import elasticity
import evaluate_and_look
import fit_points
import graded_lattice
import optimize_volume
from gallery import shrink, style


def main(directory: pathlib.Path) -> None:
    """Writes six files, off-screen."""
    style()
    evaluate_and_look.main(directory, samples=5)
    fit_points.main(picture=directory / "fit.png")
    optimize_volume.main(picture=directory / "volume.png")
    elasticity.main(picture=directory / "elasticity.png")
    with tempfile.TemporaryDirectory() as layers:
        graded_lattice.main(pathlib.Path(layers), pixel=0.2, picture=directory / "lattice.png")
    shrink(directory)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "."))
