"""Live video whose encoder follows the estimate, by controller: docs/results/media.md.

    build/venv/bin/python tests/receive_timestamps/encoder.py    the table in build/encoder

The runs are those of tests/targets/encoder.toml, which holds hybrid against bounds; here all controllers make them.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec
from lab_runs import SUBJECT, Lab, decoded
from worth_page import spread

ROOT = Path(__file__).resolve().parents[2]
CONTROLLERS = ((SUBJECT, "false"), (SUBJECT, "true"), ("cubic", "false"), ("bbr2", "false"), ("smallq", "false"))
"""And whether the client reports receive timestamps."""
TIMESTAMPS = "flow.main.timestamps"
HEAD = (
    "| run | controller | frame, median, ms | frame, p95, ms | audio, p95, ms | frozen, % | freezes | video, Mbit/s "
    "| changes of rung | download, Mbit/s |\n"
    "|---|---|---|---|---|---|---|---|---|---|\n"
)


class RunDecl(msgspec.Struct):
    """A run of the targets. Who is under test is another matter here."""

    scenario: str
    seeds: int
    set: dict[str, str]


class Targets(msgspec.Struct):
    run: dict[str, RunDecl]


class Latency(msgspec.Struct):
    p50: float
    p95: float


class Media(msgspec.Struct):
    frame_ms: Latency
    audio_ms: Latency
    frozen_share: float
    freezes: int
    encoded_bps: float
    rung_changes: int


class Flow(msgspec.Struct):
    name: str
    media: Media | None
    from_s: float
    to_s: float
    goodput_bps: float


class Summary(msgspec.Struct):
    flows: list[Flow]


COLUMNS: Sequence[tuple[Callable[[Media], float], int]] = (
    (lambda media: media.frame_ms.p50, 0),
    (lambda media: media.frame_ms.p95, 0),
    (lambda media: media.audio_ms.p95, 0),
    (lambda media: 100 * media.frozen_share, 1),
    (lambda media: media.freezes, 0),
    (lambda media: media.encoded_bps / 1e6, 2),
    (lambda media: media.rung_changes, 0),
)


def row(name: str, cc: str, timestamps: str, summaries: Sequence[Summary]) -> str:
    flows = [flow for summary in summaries for flow in summary.flows]
    media = [flow.media for flow in flows if flow.media]
    download = [flow.goodput_bps / 1e6 for flow in flows if not flow.media]
    label = f"`{cc}`, receive timestamps" if timestamps == "true" else f"`{cc}`"
    cells = [spread([of(one) for one in media], digits) for of, digits in COLUMNS]
    return "| " + " | ".join([name, label, *cells, spread(download, 2)]) + " |"


def rows(lab: Lab) -> Iterator[str]:
    targets = decoded(lab.file, Targets)
    for name, decl in targets.run.items():
        for cc, timestamps in CONTROLLERS:
            own = decl.set | {TIMESTAMPS: timestamps}
            place = f"{name}-{cc}-{timestamps}"
            folders = lab.run(lab.file.parent / decl.scenario, place, own, decl.seeds, cc)
            yield row(name, cc, timestamps, [decoded(folder / "summary.json", Summary) for folder in folders])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-dir", type=Path, default=ROOT / "build", help="where bin/cc-lab is")
    parser.add_argument("--targets", type=Path, default=ROOT / "tests" / "targets" / "encoder.toml", help="whose runs")
    parser.add_argument("--out", type=Path, help="folder for runs and table (default: build/encoder)")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time (default: 1)")
    given = parser.parse_args()
    out = given.out or given.build_dir / "encoder"
    shutil.rmtree(out / "runs", ignore_errors=True)
    out.mkdir(parents=True, exist_ok=True)
    table = HEAD
    for found in rows(Lab(given.build_dir / "bin" / "cc-lab", given.targets, out / "runs", given.jobs, None)):
        print(found, flush=True)
        table += found + "\n"
    (out / "table.md").write_text(table, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
