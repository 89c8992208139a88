"""Reads with meshio what subsolid wrote, and compares points, cells and arrays.

    python -m venv .ci/venv && .ci/venv/bin/pip install meshio numpy
    cargo build --release
    .ci/venv/bin/python tests/io/meshio_readback.py target/release/subsolid MODEL [MODEL …]

Each model is refined and evaluated into `.vtu` (plain and compressed), `.pvtu` and
`.vtk`; meshio reads the `.vtk` by another path than the `.vtu`, and all must agree.
A `.pvtu` is also read back by subsolid. Exit code 1 at the first difference.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

import meshio
import numpy as np

PROGRAM = pathlib.Path(sys.argv[1]).absolute()


def run(*arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{arguments}: exit code {done.returncode}: {done.stderr}"


def equal(actual, expected, what):
    np.testing.assert_array_equal(np.squeeze(actual), np.squeeze(expected), err_msg=what)


def same(path, expected):
    mesh = meshio.read(path)
    equal(mesh.points, expected.points, f"{path}: points")
    assert len(mesh.points) > 0 and len(mesh.cells) > 0, f"{path}: nothing read"
    assert [block.type for block in mesh.cells] == [block.type for block in expected.cells], path
    for block, other in zip(mesh.cells, expected.cells):
        equal(block.data, other.data, f"{path}: {block.type}")
    assert mesh.point_data.keys() == expected.point_data.keys(), f"{path}: names of arrays"
    for name, values in mesh.point_data.items():
        equal(values, expected.point_data[name], f"{path}: {name}")
    return mesh


def corners(mesh):
    """Corner coordinates of all cells, in order."""
    return np.concatenate([mesh.points[block.data].reshape(-1, 3) for block in mesh.cells])


def in_pieces(path, expected):
    names = re.findall(r'Source="([^"]*)"', path.read_text())
    assert names, f"{path}: no pieces"
    pieces = [meshio.read(path.parent / name) for name in names]
    equal(np.concatenate([corners(piece) for piece in pieces]), corners(expected), str(path))
    back = path.with_suffix(".back.vtk")
    run("refine", path, "--levels", "0", "-o", back)
    equal(corners(meshio.read(back)), corners(expected), f"{path} read back")


def main():
    for model in sys.argv[2:]:
        for command in (["refine", "--levels", "1"], ["evaluate", "--samples", "3"]):
            with tempfile.TemporaryDirectory() as directory:
                directory = pathlib.Path(directory)
                job = [command[0], model, *command[1:]]
                run(*job, "-o", directory / "a.vtk")
                expected = meshio.read(directory / "a.vtk")
                run(*job, "-o", directory / "a.vtu")
                same(directory / "a.vtu", expected)
                run(*job, "--compress", "-o", directory / "b.vtu")
                same(directory / "b.vtu", expected)
                run(*job, "-o", directory / "a.pvtu")
                in_pieces(directory / "a.pvtu", expected)
                print(f"{model}: {' '.join(command)}: {len(expected.points)} points agree")


if __name__ == "__main__":
    main()
