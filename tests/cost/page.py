"""The figures of instructions, docs/results/cost.json, in words and tables: docs/cost.md and the README.

    python3 tests/cost/page.py            writes them from docs/results/cost.json
    python3 tests/cost/page.py --check    fails where a document says something else

`cost.py --numbers` measures; `python -m published run cost` does both, and names the commit.
"""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "interop" / "testbed"))

import document_parts
import revision

ROOT = Path(__file__).parents[2]
LINE = 120
BEGIN = "<!-- {}: by tests/cost -->"
ORDER = ("singles", "pairs", "pairs-silent", "bursts")
# How the table of the target calls the variants, in its order.
TARGET = {
    "pairs": "two, with receive timestamps",
    "pairs-silent": "two, without",
    "bursts": "eight",
    "singles": "one",
}

Numbers = dict[str, dict[str, dict[str, Any]]]
"""By variant and controller: packets per ACK, and instructions per ACK, per packet sent, and of both together."""


def read(root: Path) -> Numbers:
    numbers: Numbers = json.loads((root / "docs" / "results" / "cost.json").read_text(encoding="utf-8"))
    return numbers


def by_cubic(numbers: Numbers, variant: str, figure: str) -> float:
    """What hybrid needs, in what CUBIC needs: of the numbers as they stand in the tables."""
    ccs = numbers[variant]
    return float(ccs["hybrid"][figure]) / float(ccs["cubic"][figure])


def paragraph(text: str, indent: str = "") -> str:
    return textwrap.fill(text, LINE, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def in_readme(numbers: Numbers) -> str:
    ratios = {variant: f"{by_cubic(numbers, variant, 'together'):.2f}" for variant in ORDER}
    return paragraph(
        f"**CPU.** To send a packet and process its ACK, `hybrid` executes {ratios['pairs-silent']} times the "
        f"instructions of quiche's CUBIC with two packets per ACK, {ratios['pairs']} times with receive timestamps as "
        f"well, and {ratios['singles']} times with receive timestamps and an ACK for each packet "
        f"([cost](docs/cost.md))."
    )


def summary(numbers: Numbers) -> str:
    ack = {variant: f"{by_cubic(numbers, variant, 'per_ack'):.2f}" for variant in ORDER}
    both = {variant: f"{by_cubic(numbers, variant, 'together'):.2f}" for variant in ORDER}
    pairs = numbers["pairs"]
    bullets = (
        f"- With two packets per ACK, an ACK costs {ack['pairs-silent']} times the instructions that it costs in "
        f"CUBIC, and {ack['pairs']} times with receive timestamps. With these and an ACK for each packet "
        f"it costs {ack['singles']} times as many.",
        f"- Each packet that is sent costs {pairs['hybrid']['per_packet']} instructions with `hybrid` and "
        f"{pairs['cubic']['per_packet']} with CUBIC.",
        f"- Together, a packet sent and its share of an ACK cost {both['pairs-silent']} times as many as with CUBIC, "
        f"{both['pairs']} times with receive timestamps, and {both['singles']} times with these and an ACK for each "
        "packet.",
    )
    return "\n".join(paragraph(bullet, "  ") for bullet in bullets)


def per_ack(numbers: Numbers) -> str:
    columns = " | ".join(f"`{variant}`" for variant in ORDER)
    rows = [f"| packets per ACK: instructions per ACK | {columns} | per packet sent (`pairs`) |", "|---" * 6 + "|"]
    for cc in numbers["pairs"]:
        cells = [f"{numbers[v][cc]['packets_per_ack']:.1f}: {numbers[v][cc]['per_ack']:,}" for v in ORDER]
        rows.append(f"| `{cc}` | {' | '.join(cells)} | {numbers['pairs'][cc]['per_packet']} |")
    return "\n".join(rows)


def together(numbers: Numbers) -> str:
    rows = [f"| together, per packet | {' | '.join(f'`{v}`' for v in ORDER)} |", "|---" * 5 + "|"]
    for cc in ("cubic", "hybrid"):
        rows.append(f"| `{cc}` | {' | '.join(str(numbers[v][cc]['together']) for v in ORDER)} |")
    ratios = " | ".join(f"{by_cubic(numbers, v, 'together'):.2f}" for v in ORDER)
    return "\n".join([*rows, f"| `hybrid` by `cubic` | {ratios} |"])


def target(numbers: Numbers) -> str:
    rows = ["| packets per ACK | `hybrid` by CUBIC | target |", "|---|---|---|"]
    for variant, called in TARGET.items():
        ratio = by_cubic(numbers, variant, "per_ack")
        verdict = "reached" if ratio <= 1 else f"missed by {100 * (ratio - 1):.0f} %"
        rows.append(f"| {called} | {ratio:.2f} | {verdict} |")
    return "\n".join(rows)


PARTS = {
    "README.md": {"cpu": in_readme},
    "docs/cost.md": {"summary": summary, "per-ack": per_ack, "together": together, "target": target},
}


def pages(root: Path) -> dict[Path, str]:
    """The documents as they should be."""
    numbers = read(root)
    wanted = {}
    for name, parts in PARTS.items():
        text = (root / name).read_text(encoding="utf-8")
        for part, content in parts.items():
            text = document_parts.replaced(text, BEGIN.format(part), f"{content(numbers)}\n")
        wanted[root / name] = text
    return wanted


def write(root: Path = ROOT) -> None:
    for page, text in pages(root).items():
        page.write_text(text, encoding="utf-8")


def check(root: Path) -> int:
    """Which commit they name does not count: the numbers do not have it."""
    wrong = [
        page
        for page, text in pages(root).items()
        if revision.unsigned(page.read_text(encoding="utf-8")) != revision.unsigned(text)
    ]
    for page in wrong:
        print(
            f"{page.relative_to(root)} differs from docs/results/cost.json; tests/cost/page.py writes it",
            file=sys.stderr,
        )
    return int(bool(wrong))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=ROOT, help="of the repository (%(default)s)")
    parser.add_argument("--check", action="store_true", help="write nothing")
    given = parser.parse_args()
    if given.check:
        return check(given.root)
    write(given.root)
    return 0


if __name__ == "__main__":
    sys.exit(main())
