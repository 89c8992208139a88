"""The program: `python -m subsolid`, and the command `subsolid` of an installed package."""

from __future__ import annotations

import signal
import sys

from . import _subsolid


def main() -> int:
    """Runs the program with the arguments of this process; returns the exit code."""
    # the program ends by itself, and removes files that are not complete
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _subsolid.main(["subsolid", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
