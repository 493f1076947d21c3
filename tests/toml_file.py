"""TOML files that people write, and what is wrong with one: the file, what was found, and what is allowed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TypeVar, get_args

import msgspec

T = TypeVar("T")

TYPES = {
    "str": "a text in quotes",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list in brackets; of tables, one after each [[name]] in two brackets",
    "object": "a table, in braces or after [name]",
}
FOUND = {
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
}
TOML = "key = value, [table] or [[table]], each key once, and texts in quotes"


class TomlFileError(Exception):
    """What is wrong with the file, for the user."""


def read(file: Path, kind: type[T]) -> T:
    """What the file holds, as such a value. Raises TomlFileError."""
    try:
        return msgspec.toml.decode(file.read_text(encoding="utf-8"), type=kind)
    except UnicodeDecodeError as error:
        raise TomlFileError(f"{file}: is no text; allowed: TOML, in UTF-8") from error
    except IsADirectoryError as error:
        raise TomlFileError(f"{file}: is a directory; allowed: a file of TOML") from error
    except FileNotFoundError as error:
        raise TomlFileError(f"{file}: cannot be read: there is no such file") from error
    except OSError as error:
        raise TomlFileError(f"{file}: cannot be read: {error.strerror}") from error
    except msgspec.ValidationError as error:
        raise TomlFileError(f"{file}: {_in_words(str(error), kind)}") from error
    except msgspec.DecodeError as error:
        raise TomlFileError(f"{file}: this is no TOML ({error}); allowed: {TOML}") from error


def _in_words(message: str, kind: type) -> str:
    """What msgspec says, with the place as a path of keys."""
    said, _, place = message.partition(" - at `")
    place = place.rstrip("`").removeprefix("$").removeprefix(".")
    at = f"in {place}: " if place else ""
    if found := re.fullmatch(r"Object contains unknown field `(.*)`", said):
        allowed = ", ".join(_keys(kind, place))
        return f"{at}there is no key {found[1]}; allowed: {allowed}"
    if found := re.fullmatch(r"Object missing required field `(.*)`", said):
        return f"{at}the key {found[1]} is missing"
    if found := re.fullmatch(r"Expected `(.*)`, got `(.*)`", said):
        wanted = " or ".join(TYPES.get(one, one) for one in found[1].split(" | ") if one != "null")
        return f"{at}{FOUND.get(found[2], found[2])} is not allowed; allowed: {wanted}"
    return f"{at}{said[:1].lower()}{said[1:]}"


def _keys(kind: object, place: str) -> list[str]:
    """The keys of the table at a place of a value of this type."""
    for step in re.findall(r"[^.\[\]]+|\[[^\]]*\]", place):
        inner = [one for one in get_args(kind) if one not in (Ellipsis, type(None))]
        kind = inner[-1] if inner else _field(kind, step)
    return list(getattr(kind, "__struct_encode_fields__", ()))


def _field(kind: object, name: str) -> object:
    fields = msgspec.structs.fields(kind) if isinstance(kind, type) and issubclass(kind, msgspec.Struct) else ()
    return next((field.type for field in fields if field.encode_name == name), None)
