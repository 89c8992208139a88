"""Compares .vdb files with OpenVDB, the reference implementation of the format.

    apt-get install python3-openvdb
    cargo build --release
    /usr/bin/python3 tests/io/vdb_readback.py target/release/subsolid target/vdb

The densities are those of images of 16 bits, and attributes those that `locate` finds at 1,000 voxels,
to single precision or half precision. Stops at the first difference.
"""

import csv
import json
import pathlib
import struct
import shutil
import subprocess
import sys
import zlib

import numpy as np
import pyopenvdb

PROGRAM = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "target/release/subsolid").absolute()
DIRECTORY = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "target/vdb")
MODEL = pathlib.Path("models/graded_bracket.vtu").absolute()
SLICE = ["--layer-height", "0.1", "--pixel", "0.1", "--antialias", "2", "--unit", "cm",
         "--attribute", "hardness"]


def run(*words):
    command = [PROGRAM, "--quiet", *map(str, words)]
    subprocess.run(command, cwd=DIRECTORY, check=True)


def gray(path):
    """Levels [row][column] of a gray PNG of 16 bits, row 0 the highest."""
    data, at, packed = path.read_bytes(), 8, b""
    while at < len(data):
        (length,), kind = struct.unpack(">I", data[at:at + 4]), data[at + 4:at + 8]
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            columns, rows, depth, color = struct.unpack(">IIBB", body[:10])
            assert (depth, color) == (16, 0)
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    lines = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(rows, -1)
    plain = np.zeros((rows, 2 * columns), int)
    for row in range(rows):
        kind, line = lines[row, 0], lines[row, 1:].astype(int)
        above = plain[row - 1] if row else np.zeros(2 * columns, int)
        if kind in (0, 2):
            plain[row] = line + (above if kind else 0)
        elif kind == 1:
            for start in (0, 1):
                plain[row, start::2] = np.cumsum(line[start::2])
        else:
            for i in range(2 * columns):
                left, corner = (plain[row, i - 2], above[i - 2]) if i > 1 else (0, 0)
                if kind == 3:
                    guess = (left + above[i]) // 2
                else:
                    near = [abs(above[i] - corner), abs(left - corner), abs(left + above[i] - 2 * corner)]
                    guess = (left, above[i], corner)[int(np.argmin(near))]
                plain[row, i] = line[i] + guess & 255
        plain[row] &= 255
    return 256 * plain[:, ::2] + plain[:, 1::2]


def check(half):
    name = "half.vdb" if half else "full.vdb"
    run("slice", MODEL, *SLICE, "--vdb", name, *(["--half"] if half else []))
    grids, _ = pyopenvdb.readAll(str(DIRECTORY / name))
    assert [grid.name for grid in grids] == ["density", "hardness"]
    assert all(grid.saveFloatAsHalf == half for grid in grids)
    manifest = json.loads((DIRECTORY / "images/manifest.json").read_text())
    images = [gray(DIRECTORY / "images" / layer["files"][0]["path"]) for layer in manifest["layers"]]
    expected = np.array(images)[:, ::-1].transpose(2, 1, 0) / 65535
    density = np.zeros(expected.shape)
    grids[0].copyToArray(density)
    assert np.abs(density - expected).max() < (3e-4 if half else 1e-7)
    count = int((expected > 0).sum())
    assert grids[0].activeVoxelCount() == grids[1].activeVoxelCount() == count
    # voxels that are inside as a whole; the unit is 10 mm
    inside = np.argwhere(expected == 1)
    chosen = inside[np.random.default_rng(3).choice(len(inside), 1000, replace=False)]
    points = [[x / 10 for x in grids[1].transform.indexToWorld(tuple(map(int, ijk)))] for ijk in chosen]
    with open(DIRECTORY / "points.csv", "w", newline="", encoding="utf8") as file:
        csv.writer(file).writerows([["x", "y", "z"], *points])
    run("locate", MODEL, "--points", "points.csv", "-o", "places.csv")
    with open(DIRECTORY / "places.csv", encoding="utf8") as file:
        rows = list(csv.DictReader(file))
    assert all(row["status"] == "inside" for row in rows)
    accessor = grids[1].getConstAccessor()
    found = np.array([accessor.getValue(tuple(map(int, ijk))) for ijk in chosen])
    error = np.abs(found - [float(row["hardness"]) for row in rows]).max()
    scale = np.abs(found).max()
    assert error <= (6e-4 if half else 2e-7) * scale, error / scale
    size = (DIRECTORY / name).stat().st_size
    print(f"{name}: {count} voxels equal, {size} bytes, hardness to {error / scale:.1e}")


if __name__ == "__main__":
    shutil.rmtree(DIRECTORY, ignore_errors=True)
    DIRECTORY.mkdir(parents=True)
    run("slice", MODEL, *SLICE, "--png", "images", "--bits", "16")
    for half in (False, True):
        check(half)
