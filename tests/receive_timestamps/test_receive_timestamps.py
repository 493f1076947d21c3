"""What is made of the lab's files, and all of it once on two short paths."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import encoder
import groups
import pytest
from lab_runs import File, Point, Run, Variant, decoded, errors, settings_of, start, variants
from worth_page import bias, row, size_of_error, spread

HERE = Path(__file__).resolve().parent
BUILD = Path(os.environ.get("QUICHE_CC_BUILD_DIR", HERE.parents[1] / "build"))
TINY = """
seeds = 1
packets_per_ack = [2]
timestamps_per_ack = [64]
set = { duration = "4s", warmup = "1s", interval = "20ms" }
fairness = { "flow.main.count" = "2", duration = "4s", warmup = "1s" }
[[path]]
name = "wired"
scenario = "SCENARIOS/access-link.toml"
packets_per_ack = [2, 8]
[[path]]
name = "recorded"
scenario = "SCENARIOS/recorded-link.toml"
recording = "nowhere.down"
"""


LIVE = """
[claim_set]
letter = "E"
[run.short]
scenario = "SCENARIOS/encoder-beside.toml"
cc = "hybrid"
seeds = 1
set = { duration = "6s", "flow.download.start" = "3s", "flow.download.stop" = "6s", "flow.main.timestamps" = "{t}" }
"""


def bins(queueing: list[str], told: list[str], rates: list[float] | None = None) -> list[dict[str, str]]:
    rates = rates or [1.0] * len(told)
    lines = zip(queueing, told, rates, strict=True)
    return [
        {"from_s": str(number), "queueing_mean_ms": truth, "told_queueing_ms": belief, "throughput_bps": str(rate)}
        for number, (truth, belief, rate) in enumerate(lines)
    ]


def test_a_belief_is_held_against_what_waited_in_the_bin_before() -> None:
    assert errors(bins(["1", "2", "", "4"], ["9", "1.5", "3", "7"]), 0) == [0.5, 1.0]
    assert errors(bins(["1", "2", "3"], ["9", "", "5"]), 2) == [3.0]


def test_a_flow_has_started_with_most_of_its_later_throughput_in_as_many_bins() -> None:
    rates = [0.0] * 10 + [10.0] * 30
    assert start(bins([""] * 40, [""] * 40, rates), 20) == 19
    assert start(bins([""] * 15, [""] * 15, [1.0] * 14 + [100.0]), 14) != start([*bins(["", ""], ["", ""])], 0)


def test_a_cell_has_the_median_and_the_range_where_it_shows() -> None:
    assert spread([3.0, 1.0, 2.0], 1) == "2.0 (1.0 to 3.0)"
    assert spread([1.01, 1.02, 1.04], 1) == "1.0"
    assert spread([float("nan")], 1) == ""


def test_a_row_has_a_cell_for_every_column() -> None:
    run = Run(used=0.5, p95_ms=4.0, start_s=0.5, errors_ms=[-1.0, 3.0, -4.0], ack_packets=400.0, ack_bytes=20e3)
    assert (bias(run), size_of_error(run)) == (-1.0, 4.0)
    point = Point("a path", Variant(2, 0), [run], [])
    assert row(point) == "| a path | 2 | none | 50.0 | 4.0 |  | 0.50 | -1.0 | 4.0 | 400 | 20.0 |"


def test_every_path_of_the_file_has_a_run_without_receive_timestamps() -> None:
    file = decoded(HERE / "paths.toml", File)
    for path in file.path:
        assert (HERE / path.scenario).is_file()
        assert variants(file, path)[0].settings()["flow.main.timestamps"] == "false"
    recorded = [path for path in file.path if path.recording]
    assert recorded
    assert all(settings_of(path, None) is None for path in recorded)


def test_a_file_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.toml"
    wrong.write_text("seeds = 1\n")
    with pytest.raises(SystemExit, match=r"wrong\.toml.*packets_per_ack"):
        decoded(wrong, File)


def test_worth_and_cost_are_measured_and_drawn(tmp_path: Path) -> None:
    paths = tmp_path / "paths.toml"
    paths.write_text(TINY.replace("SCENARIOS", str(HERE.parent / "scenarios")))
    command = [sys.executable, HERE / "worth.py", "--build-dir", BUILD, "--paths", paths, "--out", tmp_path / "out"]
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    rows = [line.split(" | ") for line in result.stdout.splitlines() if line.startswith("| wired")]
    assert [line[1:3] for line in rows] == [["2", "none"], ["2", "64"], ["8", "none"], ["8", "64"]]
    used = [float(line[3]) for line in rows]
    assert min(used) > 90
    acks, size = ([float(line[place].split()[0]) for line in rows] for place in (9, 10))
    # Four times the packets in an ACK, and timestamps cost bytes.
    assert 3.5 < acks[0] / acks[2] < 4.5
    assert size[0] < size[1]
    for plot in ("gain", "price"):
        assert "<svg" in (tmp_path / "out" / f"receive-timestamps-{plot}.svg").read_text()


def test_a_group_is_full_whose_mean_queue_is_half_of_the_buffer() -> None:
    group = groups.Group(1, 10e6, 2.0, [0.020, 0.100], [0.0, 1.0])
    lost = [groups.Seen(group, delay, 1.0, share).full for delay, share in ((99.0, 0.2), (101.0, 0.0))]
    assert lost == [False, True]
    assert groups.draw(7) == groups.draw(7) != groups.draw(8)


def test_groups_have_a_row_without_receive_timestamps_and_one_with(tmp_path: Path) -> None:
    command = [sys.executable, HERE / "groups.py", "--build-dir", BUILD, "--cc", "cubic", "--groups", "2"]
    command += ["--out", tmp_path]
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    rows = [line.split(" | ") for line in result.stdout.splitlines() if line.startswith("| with")]
    # cubic keeps every buffer full.
    assert [row[:3] for row in rows] == [["| without", "1", "1"], ["| with", "1", "1"]]


def test_live_video_has_a_row_for_every_controller(tmp_path: Path) -> None:
    targets = tmp_path / "targets.toml"
    targets.write_text(LIVE.replace("SCENARIOS", str(HERE.parent / "scenarios")))
    command = [
        sys.executable,
        HERE / "encoder.py",
        "--build-dir",
        BUILD,
        "--targets",
        targets,
        "--out",
        tmp_path / "out",
    ]
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    rows = [line.strip("| ").split(" | ") for line in result.stdout.splitlines()]
    names = [f"`{cc}`" + ", receive timestamps" * (given == "true") for cc, given in encoder.CONTROLLERS]
    assert [cells[1] for cells in rows] == names
    for cells in rows:
        assert len(cells) == encoder.HEAD.splitlines()[0].count(" | ") + 1
        median, p95, video, download = (float(cells[place]) for place in (2, 3, 7, 9))
        assert 20 < median <= p95
        assert 0.5 <= video <= 8
        assert download > 0
    assert (tmp_path / "out" / "table.md").read_text().count("short") == len(names)


def test_who_has_no_download_beside_it_has_an_empty_cell() -> None:
    media = encoder.Media(encoder.Latency(45, 112.4), encoder.Latency(20, 26), 0.05, 2, 7.5e6, 3)
    flow = encoder.Flow("main", media, 5, 60, 7.7e6)
    found = encoder.row("alone", "bbr2", "false", [encoder.Summary([flow])])
    assert found == "| alone | `bbr2` | 45 | 112 | 26 | 5.0 | 2 | 7.50 | 3 |  |"
