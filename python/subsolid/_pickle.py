"""What pickles name: functions that make objects of their states."""

from __future__ import annotations

from typing import Any

from ._subsolid import Solid, Surface


def solid(state: dict[str, Any]) -> Solid:
    """The solid of a pickle."""
    return Solid._restore(state)


def surface(state: dict[str, Any]) -> Surface:
    """The surface of a pickle."""
    return Surface._restore(state)
