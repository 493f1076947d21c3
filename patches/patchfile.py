"""One patch file and the series of them: format, naming, reading, sizes.

A patch file is a DEP-3 style header, an empty line, and a plain git diff:

    Subject: One line
    Description: Why this cannot live outside of quiche.
     Further lines are indented by one space;
     .
     a lone dot stands for an empty line.
    Forwarded: no

    diff --git a/src/lib.rs b/src/lib.rs
    ...

The same three things as a commit message: the subject, the description as the body, and
`Forwarded: ...` as the last paragraph.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from common import SeriesError

FORWARDED = re.compile(r"no|not-needed|https://\S+")
SERIES_HEADER = "# Patches in the order in which they apply; written by `series.py export`.\n"


@dataclass(frozen=True)
class Patch:
    subject: str
    description: str
    forwarded: str
    diff: str

    def file_name(self, number: int) -> str:
        slug = re.sub(r"[^a-z0-9]+", "-", self.subject.lower()).strip("-")
        return f"{number:04}-{slug[:60].rstrip('-')}.patch"

    def render(self) -> str:
        first, *rest = self.description.split("\n")
        continuation = "".join(f" {line or '.'}\n" for line in rest)
        return (
            f"Subject: {self.subject}\nDescription: {first}\n{continuation}Forwarded: {self.forwarded}\n\n{self.diff}"
        )

    def message(self) -> str:
        return f"{self.subject}\n\n{self.description}\n\nForwarded: {self.forwarded}\n"

    def sizes(self) -> tuple[int, int, int]:
        """Files touched, lines added, lines removed."""
        files = added = removed = 0
        in_hunk = False
        for line in self.diff.split("\n"):
            if line.startswith("diff --git "):
                files, in_hunk = files + 1, False
            elif line.startswith("@@ "):
                in_hunk = True
            elif in_hunk:
                added += line.startswith("+")
                removed += line.startswith("-")
        return files, added, removed


def checked(subject: str, description: str, forwarded: str, diff: str, where: str) -> Patch:
    """The patch, or an error that says which of its fields is missing or wrong."""
    if not subject or "\n" in subject:
        raise SeriesError(f"{where}: the subject has to be one line that says what the patch does")
    if not description:
        raise SeriesError(f"{where}: the description is missing; say why the change cannot live outside of quiche")
    if any(line.startswith(".") for line in description.split("\n")):
        raise SeriesError(f"{where}: a line of the description starts with a dot, which the header format reserves")
    if not FORWARDED.fullmatch(forwarded):
        raise SeriesError(
            f"{where}: `Forwarded: {forwarded}`: allowed are `no`, `not-needed` and the https:// address of the "
            "upstream issue or pull request"
        )
    if not diff.startswith("diff --git "):
        raise SeriesError(f"{where}: there is no `diff --git` after the header")
    if re.search(r"^(GIT binary patch|Binary files )", diff, re.MULTILINE):
        raise SeriesError(f"{where}: binary changes do not belong into the series")
    if re.search(r"^(old mode|similarity index|rename from|copy from|new file mode (?!100644))", diff, re.MULTILINE):
        raise SeriesError(f"{where}: changes of file modes, renames and symbolic links do not belong into the series")
    return Patch(subject, description, forwarded, diff)


def parse(text: str, where: str) -> Patch:
    header, _, diff = text.partition("\n\n")
    fields: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in header.split("\n"):
        key, colon, value = line.partition(": ")
        if line.startswith(" ") and lines:
            lines.append("" if line == " ." else line[1:])
        elif colon and key in ("Subject", "Description", "Forwarded") and key not in fields:
            lines = fields[key] = [value]
        else:
            raise SeriesError(
                f"{where}: unexpected header line `{line}`: a patch starts with Subject:, Description: "
                "(continued lines indented by one space) and Forwarded:, one each, then an empty line"
            )
    values = {key: "\n".join(value) for key, value in fields.items()}
    get = values.get
    return checked(get("Subject", ""), get("Description", ""), get("Forwarded", ""), diff, where)


def parse_message(message: str, diff: str, where: str) -> Patch:
    subject, _, body = message.strip("\n").partition("\n")
    paragraphs, _, trailer = body.strip("\n").rpartition("\n")
    key, _, forwarded = trailer.partition(": ")
    if key != "Forwarded":
        raise SeriesError(
            f"{where} (`{subject}`): the last line of the commit message has to be `Forwarded: no`, "
            f"`Forwarded: not-needed` or `Forwarded: https://...`; it is `{trailer}`"
        )
    description = "\n".join(line.rstrip() for line in paragraphs.strip("\n").split("\n"))
    return checked(subject.strip(), description, forwarded.strip(), diff, f"{where} (`{subject}`)")


def read_series(folder: Path) -> list[str]:
    """The names in `series`, in order; every patch in the folder has to be listed, and to exist."""
    path = folder / "series"
    if not path.is_file():
        raise SeriesError(f"{path} is missing: it lists the patches in the order in which they apply")
    names = [line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    for name in names:
        if names.count(name) > 1:
            raise SeriesError(f"{path} lists {name} more than once")
        if "/" in name or not (folder / name).is_file():
            raise SeriesError(f"{path} lists {name}, but there is no such file in {folder}")
    unlisted = sorted(found.name for found in folder.glob("*.patch") if found.name not in names)
    if unlisted:
        raise SeriesError(f"{path} does not list {', '.join(unlisted)}, found in {folder}: list or delete")
    return names


def read_patches(folder: Path) -> dict[str, Patch]:
    patches = {}
    for name in read_series(folder):
        try:
            text = (folder / name).read_bytes().decode("utf-8")
        except UnicodeDecodeError as error:
            raise SeriesError(f"{name}: not UTF-8 at byte {error.start}") from None
        patches[name] = parse(text, name)
    return patches


def series_files(patches: list[Patch]) -> dict[str, str]:
    """The files of the folder that stand for `patches`: `series` and one file each."""
    files = {patch.file_name(number): patch.render() for number, patch in enumerate(patches, 1)}
    return {"series": SERIES_HEADER + "".join(f"{name}\n" for name in files), **files}
