"""Prints the peak of the process's memory during an evaluation, less that before, in multiples of
the size of its results."""

from __future__ import annotations

import pathlib
import sys

import numpy as np
from boxes import box

import subsolid

SAMPLES = 16


def memory(of: str) -> int:
    """Bytes that are resident: now (VmRSS), or at most since the last reset (VmHWM)."""
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(of))


def main(case: str) -> float:
    solid = subsolid.Solid(*box(13, 13, 12))
    precision = "f32" if case == "single" else "f64"
    plan = solid.plan(samples=SAMPLES, precision=precision)
    numbers = np.float32 if case == "single" else np.float64
    # ru_maxrss would begin with the peak of the process that started this one
    pathlib.Path("/proc/self/clear_refs").write_text("5")
    before = memory("VmRSS")
    if case == "solid":
        result = solid.evaluate(samples=SAMPLES).points
    elif case == "copy":
        result = solid.evaluate(samples=SAMPLES).points.copy()
    elif case == "limit":
        result = plan.evaluate(out=plan.evaluate()).points
    else:
        result = plan.evaluate(out=np.empty((len(plan), 3), dtype=numbers))
    assert result.nbytes >= 99e6
    return (memory("VmHWM") - before) / result.nbytes


if __name__ == "__main__":
    print(main(sys.argv[1]))
