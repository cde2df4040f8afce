"""The simplest expression that still shows a finding."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .language import Tree, parse, write

#: How often a smaller expression is tried.
TRIES = 200


def shrunk(expression: str, still: Callable[[str], bool]) -> str:
    """A smaller expression for which ``still`` holds, tried part by part."""
    tree, tries = parse(expression), 0
    found = True
    while found and tries < TRIES:
        found = False
        for smaller in sorted(set(_smaller(tree)), key=lambda t: len(write(t))):
            tries += 1
            if tries > TRIES:
                break
            if len(write(smaller)) < len(write(tree)) and still(write(smaller)):
                tree, found = smaller, True
                break
    return write(tree)


def _smaller(tree: Tree) -> Iterator[Tree]:
    """Each tree with one part replaced by a part of that part, or by 1, 2, x or y."""
    for i, part in enumerate(tree):
        if isinstance(part, tuple):
            yield part
            for smaller in _smaller(part):
                yield (*tree[:i], smaller, *tree[i + 1 :])
    if tree[0] == "number":
        for simple in ("1", "2", "0.5"):
            if len(simple) < len(write(tree)):
                yield parse(simple)
    elif len(tree) > 1:
        yield from (("x",), ("y",), parse("1"))
