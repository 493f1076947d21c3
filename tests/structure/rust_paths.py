"""Which paths a Rust source file names: enough of the syntax to see who uses whom."""

from __future__ import annotations

import re
from collections.abc import Iterator

Path = tuple[str, ...]

_BLANK = re.compile(
    r"""//[^\n]*|/\*.*?\*/|b?r(?P<hashes>\#*)".*?"(?P=hashes)|b?"(?:\\.|[^"\\])*"|b?'(?:\\[^\n]*?|[^'\\])'""",
    re.DOTALL,
)
_TOKEN = re.compile(r"(?:r#)?[A-Za-z_]\w*|::|\S")


def tokens(source: str) -> list[str]:
    """The tokens outside of comments and literals."""
    return _TOKEN.findall(_BLANK.sub(" ", source))


def paths(source: str, module: Path) -> set[Path]:
    """Every path in the source, `use` trees expanded.

    Paths that start with `crate`, `self` or `super` are resolved against `module`, the module that the file
    is, and start with `crate`; all others are as written.
    """
    words = tokens(source)
    found: set[Path] = set()
    scope = list(module)
    # For every open brace the name of the module it opens, or None.
    braces: list[str | None] = []
    i = 0
    while i < len(words):
        end = i + 1
        if words[i] == "use" and words[end] != "<":
            end = words.index(";", i)
            found |= {_resolve(path, tuple(scope)) for path in _branches(words[i + 1 : end])}
        elif words[i] == "{":
            opened = words[i - 1] if i > 1 and words[i - 2] == "mod" else None
            braces.append(opened)
            scope += [opened] if opened else []
        elif words[i] == "}" and braces:
            if braces.pop():
                scope.pop()
        elif _is_name(words[i]) and words[i + 1 : i + 2] == ["::"]:
            while words[end : end + 1] == ["::"] and _is_name(words[end + 1]):
                end += 2
            found.add(_resolve(tuple(words[i:end:2]), tuple(scope)))
        i = end
    return found


def _is_name(word: str) -> bool:
    return word[0].isalpha() or word[0] == "_"


def _branches(words: list[str]) -> Iterator[Path]:
    """The paths of a `use` tree, or of the comma-separated trees inside its braces."""
    depth, start = 0, 0
    for i, word in enumerate([*words, ","]):
        depth += {"{": 1, "}": -1}.get(word, 0)
        if depth == 0 and word == ",":
            if start < i:
                yield from _tree(words[start:i])
            start = i + 1


def _tree(words: list[str]) -> Iterator[Path]:
    if "{" not in words:
        names = words[: words.index("as")] if "as" in words else words
        yield tuple(name for name in names if name != "::")
        return
    brace = words.index("{")
    prefix = tuple(name for name in words[:brace] if name != "::")
    for rest in _branches(words[brace + 1 : -1]):
        yield (*prefix, *rest)


def _resolve(path: Path, scope: Path) -> Path:
    if path[:1] == ("crate",) or path[:1] not in (("self",), ("super",)):
        return path
    rest, where = list(path), list(scope)
    if rest[0] == "self":
        rest.pop(0)
    while rest and rest[0] == "super":
        rest.pop(0)
        where = where[:-1]
    return ("crate", *where, *rest)
