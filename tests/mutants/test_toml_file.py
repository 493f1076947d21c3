"""What is wrong with a TOML file is told with the file and with what is allowed, and not by the parser alone."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
import toml_file


class Drive(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    runs: int = 1
    sets: tuple[str, ...] = ()


class File(msgspec.Struct, forbid_unknown_fields=True):
    path: list[Drive]


GOOD = '[[path]]\nname = "a"\n'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (GOOD + "rnus = 2", "in path[0]: there is no key rnus; allowed: name, runs, sets"),
        (GOOD + "[[other]]", "there is no key other; allowed: path"),
        (GOOD + '[[path]]\nname = "b"\nruns = "2"', "in path[1].runs: a text is not allowed; allowed: a whole"),
        (GOOD + 'sets = "a"', "in path[0].sets: a text is not allowed; allowed: a list in brackets"),
        ("[path]", "in path: a table is not allowed; allowed: a list in brackets; of tables,"),
        ("[[path]]", "in path[0]: the key name is missing"),
        ("", "the key path is missing"),
        ("path", "this is no TOML ("),
        (GOOD + 'name = "b"', "this is no TOML ("),
        ("\0", "this is no TOML ("),
    ],
)
def test_an_error_names_file_place_and_what_is_allowed(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "file.toml"
    file.write_text(text)
    with pytest.raises(toml_file.TomlFileError) as refused:
        toml_file.read(file, File)
    assert str(refused.value).startswith(f"{file}: {told}")
    assert "missing" in told or "allowed: " in str(refused.value)


def test_what_is_no_text_or_no_file_is_refused(tmp_path: Path) -> None:
    binary = tmp_path / "binary.toml"
    binary.write_bytes(bytes(range(256)))
    for file, told in (
        (binary, "is no text; allowed: TOML, in UTF-8"),
        (tmp_path, "is a directory; allowed: a file of TOML"),
        (tmp_path / "absent.toml", "cannot be read: there is no such file"),
    ):
        with pytest.raises(toml_file.TomlFileError) as refused:
            toml_file.read(file, File)
        assert str(refused.value) == f"{file}: {told}"


def test_what_is_right_is_read(tmp_path: Path) -> None:
    file = tmp_path / "file.toml"
    file.write_text(GOOD)
    assert toml_file.read(file, File).path == [Drive("a")]
