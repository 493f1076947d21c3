"""What receive timestamps are worth to hybrid, and what they cost: docs/results/receive-timestamps.md.

    build/venv/bin/python tests/receive_timestamps/worth.py --recordings DIR    into build/receive-timestamps

Without --recordings the recorded links are left out. DIR has recordings in mahimahi's format, by the names of
paths.toml.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from lab_runs import Lab, measure
from worth_page import draw_gain, draw_price, table

ROOT = Path(__file__).resolve().parents[2]
GAIN, PRICE = "receive-timestamps-gain.svg", "receive-timestamps-price.svg"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-dir", type=Path, default=ROOT / "build", help="where bin/cc-lab is")
    parser.add_argument("--paths", type=Path, default=Path(__file__).with_name("paths.toml"), help="the paths")
    parser.add_argument("--out", type=Path, help="folder for runs, table and plots (default: build/receive-timestamps)")
    parser.add_argument("--recordings", type=Path, help="folder of recorded links")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time (default: 1)")
    given = parser.parse_args()
    out = given.out or given.build_dir / "receive-timestamps"
    shutil.rmtree(out / "runs", ignore_errors=True)
    out.mkdir(parents=True, exist_ok=True)
    lab = Lab(given.build_dir / "bin" / "cc-lab", given.paths, out / "runs", given.jobs, given.recordings)
    points = []
    for point in measure(lab):
        print(f"{point.path}, {point.variant}", file=sys.stderr, flush=True)
        points.append(point)
    (out / "table.md").write_text(table(points), encoding="utf-8")
    draw_gain(points, out / GAIN)
    draw_price(points, out / PRICE)
    print(table(points))
    return 0


if __name__ == "__main__":
    sys.exit(main())
