"""Evaluate a solid, and make pictures of it: python evaluate_and_look.py [DIRECTORY]."""

from __future__ import annotations

import pathlib
import sys

import numpy as np

import subsolid

MODELS = pathlib.Path(__file__).parents[2] / "models"


def main(directory: pathlib.Path, samples: int = 8) -> float:
    """Writes two pictures; returns the greatest hardness at the samples."""
    solid = subsolid.read(MODELS / "graded_bracket.vtu")
    limit = solid.evaluate(samples=samples, derivatives=1, jacobian=True, gradients=True)
    print(limit, "least det J:", np.nanmin(limit.det_j))
    solid.plot("class", clip="x", samples=samples, screenshot=directory / "classes.png")
    solid.plot("hardness", samples=samples, screenshot=directory / "hardness.png")
    return float(limit.attributes["hardness"].max())


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "."))
