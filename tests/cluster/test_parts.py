"""Shards, store, progress and the loop, without a cluster."""

from __future__ import annotations

import json
from concurrent.futures import CancelledError, ThreadPoolExecutor
from pathlib import Path

import pytest

from .engine import Crew, worked
from .errors import ClusterError
from .lab import Job, Listing, Program
from .progress import Progress
from .shards import Shard, cut
from .store import Store
from .there import Made


def job(name: str, packets: int = 1000, recordings: tuple[str, ...] = ()) -> Job:
    return Job(name, f"run of {name}", "v1", packets, {f"link {one}": one for one in recordings})


def listing(*jobs: Job) -> Listing:
    out = Listing(Path("store"), {job.run: job for job in jobs})
    out.lines = {one: f"line of {one}" for job in jobs for one in (job.run, *job.recordings.values())}
    return out


def line(name: str, version: str = "v1") -> str:
    return json.dumps({"name": name, "run": f"run of {name}", "version": version, "result": {"loss": 0.1}})


def test_shards_have_every_run_once_the_long_ones_first() -> None:
    jobs = [job(f"{packets}", packets) for packets in (10, 500_000, 3000, 90_000, *range(100, 160))]
    shards = list(cut(listing(*jobs), 2))
    runs = [job.packets for shard in shards for job in shard.jobs]
    assert runs == sorted((job.packets for job in jobs), reverse=True)
    assert [len(shard.jobs) for shard in shards][:2] == [1, 1]
    assert len(shards) < 10


def test_a_shard_has_the_recordings_that_its_runs_need_in_front_and_no_other() -> None:
    jobs = [job("a", recordings=("one", "two")), job("b", recordings=("two",)), job("c", recordings=("three",))]
    texts = {shard.jobs[0].name: shard.text for shard in cut(listing(*jobs), 4)}
    assert texts == {
        "a": "line of one\nline of two\nline of run of a\n",
        "b": "line of two\nline of run of b\n",
        "c": "line of three\nline of run of c\n",
    }


def test_a_store_takes_each_missing_run_once_and_of_its_version_only(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    file.write_text("what was there\n")
    store = Store(file, listing(job("a"), job("b"), job("c")).jobs)
    assert store.add([line("a")]) == []
    wrong = store.add([line("b"), line("b"), line("a"), line("c", "v2"), line("d"), line("c")[:-5]])
    assert [why.split(" ", 6)[-1] for why in wrong[:4]] == [
        "of b is there already, or nobody asked for it",
        "of a is there already, or nobody asked for it",
        "of c is of another version of cc-lab",
        "of d is there already, or nobody asked for it",
    ]
    assert len(wrong) == 5
    assert [job.name for job in store.missing.values()] == ["c"]
    assert file.read_text() == f"what was there\n{line('a')}\n{line('b')}\n"


def test_what_is_left_is_told_by_the_size_of_the_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    long, short = job("long", 896_000), job("short", 96_000)
    told = Progress([long, short])
    assert told.line() == "cluster: 0 of 2 runs, 0.0 per second"
    now += 30.0
    told.add([short], 1)
    assert told.line() == "cluster: 1 of 2 runs, 0.0 per second, about 4 minutes left"
    told.add([long], 0)
    assert told.line() == "cluster: 2 of 2 runs, 1 without a result, 0.1 per second"


def results(make: object) -> list[Made]:
    shards = [Shard([job(name)], name) for name in "abcdef"]
    with ThreadPoolExecutor(2) as executor:
        over = list(worked(Crew(executor, make, lambda: 1), iter(shards)))  # type: ignore[arg-type]
    got = {one[0].text: one[1] for one in over if one is not None}
    assert sorted(got) == list("abcdef")
    return [got[name] for name in "abcdef"]


def test_a_shard_that_the_cluster_gives_up_is_named_and_the_others_go_on() -> None:
    def make(text: str) -> Made:
        if text == "c":
            raise RuntimeError("killed again and again")
        return Made([text], [])

    made = results(make)
    assert [one.lines for one in made] == [["a"], ["b"], [], ["d"], ["e"], ["f"]]
    assert made[2].problem == "RuntimeError: killed again and again"


@pytest.mark.parametrize(("error", "said"), [(CancelledError(), "dropped the work"), (ImportError("x"), "load")])
def test_without_a_cluster_it_stops(error: BaseException, said: str) -> None:
    def make(_: str) -> Made:
        raise error

    with pytest.raises(ClusterError, match=said):
        results(make)


def test_plugins_of_the_command_are_for_all_machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    program = Program.for_command(Path("cc-lab"), ["--plugin", "a.so", "compare", "s.toml", "--plugin=/b.so"])
    assert program.called("shard") == ["cc-lab", f"--plugin={tmp_path}/a.so", "--plugin=/b.so", "shard"]
