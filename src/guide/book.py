"""Makes pages of the guide, which are written for rustdoc, pages of a book: mdBook runs this.

Links have the notation of rustdoc: `crate::guide::python#layers` becomes `python.md#layers`, other
items lead to the reference. Pictures outside the folder become part of the page.
"""

import base64
import json
import pathlib
import re
import sys
from urllib.parse import quote

GUIDE = pathlib.Path(__file__).parent
REFERENCE = "https://docs.rs/subsolid/latest/subsolid/"

#: A link of Markdown: text, and target, which may end in (), as functions do.
LINK = re.compile(r"(?<=\])\(((?:[^()\s]|\(\))+)\)")
FENCE = re.compile(r"^(```.*?^```[^\n]*$)", re.M | re.S)


def outside_code(text, change):
    """The text with its parts outside of code blocks changed."""
    return "".join(p if p.startswith("```") else change(p) for p in FENCE.split(text))


def page_of(target):
    """The page and the anchor that `crate::guide::PAGE#ANCHOR` names; None for other targets."""
    match = re.fullmatch(r"crate::guide::(\w+)(#.*)?", target)
    return match and (match[1], match[2] or "")


def in_book(target):
    """Where a link leads in the book."""
    if page := page_of(target):
        return f"{page[0]}.md{page[1]}"
    if item := re.fullmatch(r"(?:\w+@)?crate(?:::(.*?))?(?:\(\))?", target):
        return REFERENCE + (f"?search={quote(item[1], safe=':')}" if item[1] else "")
    if target.endswith(".png") and "://" not in target:
        data = base64.b64encode((GUIDE / target).read_bytes()).decode()
        return f"data:image/png;base64,{data}"
    return target


def page(text):
    return outside_code(text, lambda part: LINK.sub(lambda m: f"({in_book(m[1])})", part))


def change(book):
    """Changes all chapters below a part of the book."""
    if isinstance(book, dict):
        if "content" in book:
            book["content"] = page(book["content"])
        book = list(book.values())
    if isinstance(book, list):
        for part in book:
            change(part)


if __name__ == "__main__":
    if sys.argv[1:2] == ["supports"]:
        sys.exit(0 if sys.argv[2:] == ["html"] else 1)
    _, whole = json.load(sys.stdin)
    change(whole)
    json.dump(whole, sys.stdout)
