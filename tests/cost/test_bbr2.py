"""Which patches each build has, and what is said of the runs."""

from __future__ import annotations

from bbr2 import BUILDS, LAST_PATCH, RUST_ONLY, Run, patches_of, table
from callgrind import Cost


def test_each_build_has_the_patches_up_to_its_last_one() -> None:
    interface = [patch.subject for patch in patches_of("interface").values()]
    boxed = [patch.subject for patch in patches_of("boxed").values()]
    assert boxed == [LAST_PATCH["boxed"], *RUST_ONLY]
    assert len(interface) > len(boxed)
    assert interface[-3:] == [LAST_PATCH["interface"], *RUST_ONLY]


def test_the_table_compares_with_the_published_release() -> None:
    costs = {"published": 1000, "boxed": 1010, "interface": 1020, "series": 1100}
    assert costs.keys() == BUILDS.keys()
    runs = {name: Run("5 1 0.25", total * 1000, Cost(2, 30), Cost(4, 100)) for name, total in costs.items()}
    lines = table(runs).splitlines()
    assert lines[3].split() == ["with", "the", "interface", "15", "25", "1.0", "1.0200"]
    assert lines[-1] == "each run: 5 datagrams sent, 1 dropped, 0.25 s of virtual time"
