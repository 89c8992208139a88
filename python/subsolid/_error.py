"""The exception and the warning of the package."""

from __future__ import annotations

from typing import Optional, Sequence


class Error(ValueError):
    """What is wrong, where, and how to fix it.

    Attributes:
        message: What is wrong, with the ids of the elements concerned.
        help: How to fix it; ``None`` where that is plain.
        elements: The elements named, as pairs of a kind and an id: ``[("cell", 12)]``.
    """

    def __init__(
        self,
        message: str,
        help: Optional[str] = None,
        elements: Sequence[tuple[str, int]] = (),
    ) -> None:
        super().__init__(message if help is None else f"{message}\nhelp: {help}")
        self.message = message
        self.help = help
        self.elements = list(elements)

    def __reduce__(self) -> tuple[type, tuple[str, Optional[str], list[tuple[str, int]]]]:
        return type(self), (self.message, self.help, self.elements)


class CopyWarning(UserWarning):
    """An array was copied because it was not a C-contiguous float64 array."""
