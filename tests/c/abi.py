"""What a C header and a library promise: symbols, declarations, and how values lie in memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from conftest import run

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_STRUCT = re.compile(r"\btypedef struct(?: \w+)? \{(?P<fields>[^{}]*)\} (?P<name>\w+);")
_ENUM = re.compile(r"\benum(?: \w+)? \{(?P<values>[^{}]*)\}")
_FIELD = re.compile(r"(?:(?P<name>\w+)(?:\[[^\]]*\])?|\(\*(?P<function>\w+)\)\([^;]*\));")


def exported(library: Path) -> set[str]:
    """What programs can link to in a shared library."""
    lines = run("nm", "--dynamic", "--defined-only", library).splitlines()
    return {line.split()[-1] for line in lines}


def plain_symbols(archive: Path) -> set[str]:
    """Names in a static library that are visible outside of it, but for those that Rust and C++ have made up."""
    lines = run("nm", "--defined-only", "--extern-only", "--quiet", archive).splitlines()
    names = {line.split()[-1] for line in lines if len(line.split()) == 3}
    return {name for name in names if not name.startswith(("_Z", "_R", "anon."))}


def declarations(header: Path) -> set[str]:
    """Every declaration that ends with a semicolon, outside of braces, with single blanks."""
    text = _COMMENT.sub(" ", header.read_text())
    text = re.sub(r"^#.*$", "", text, flags=re.MULTILINE).replace('extern "C" {', "")
    while (smaller := re.sub(r"\{[^{}]*\}", "", text)) != text:
        text = smaller
    return {" ".join(part.split()) for part in text.split(";")}


def functions(header: Path) -> set[str]:
    """Names of the functions that are declared."""
    found = (re.search(r"\b(quiche_\w+)\s*\(", declaration) for declaration in declarations(header))
    return {match.group(1) for match in found if match}


def layouts(header: Path, of: Path, folder: Path) -> list[str]:
    """Size, offset and value of everything that the header `of` defines, as programs see it that include `header`."""
    text = _COMMENT.sub(" ", of.read_text())
    lines = [f'printf("%s %lld\\n", "{what}", (long long)({what}));' for what in _expressions(text)]
    assert lines, f"{of} defines nothing"
    source, program = folder / "layouts.c", folder / "layouts"
    includes = f'#include "{header}"\n#include <stddef.h>\n#include <stdio.h>\n'
    source.write_text(includes + "int main(void) {\n" + "\n".join(lines) + "\nreturn 0;\n}\n")
    run("cc", source, "-o", program)
    return run(program).splitlines()


def _expressions(text: str) -> Iterator[str]:
    for struct in _STRUCT.finditer(text):
        name = struct.group("name")
        yield f"sizeof({name})"
        for field in _FIELD.finditer(struct.group("fields")):
            member = field.group("name") or field.group("function")
            yield f"offsetof({name}, {member})"
            yield f"sizeof((({name} *)0)->{member})"
    for enum in _ENUM.finditer(text):
        for value in enum.group("values").split(","):
            if name := value.split("=")[0].strip():
                yield name
