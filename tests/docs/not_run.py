"""Commands in blocks of the documents that no test runs as they stand there, with the reason.

A pattern is held against the whole command (fnmatch). One that no command needs any more fails a test. What a test of
CTest runs instead is named as `ctest: NAME`, and has to exist.
"""

from __future__ import annotations

NOT_RUN = {
    # Building, and tests that run tests.
    "cmake --workflow --preset *": "builds and runs all that the preset names, this test included",
    "cmake --build *": "builds everything, for minutes",
    "cmake --preset default *": "a second CMake would work in the build folder of this test",
    "cmake --preset nightly": "a second CMake would work in the build folder of this test",
    "cmake --install *": "writes to /opt; ctest: c-install",
    "ctest *": "one ctest at a time works in a build folder, and this is a test of one",
    "cargo test -p quiche-cc --no-default-features": "ctest: controllers",
    "cargo test -p quiche-cc-contract": "ctest: contract",
    "cargo test --no-default-features --manifest-path qlog-analysis/reader/*": "ctest: reader",
    "cargo test --release -p quiche-cc-lab *": "alone it compiles quiche with other features; ctest: lab",
    "cargo run -p quiche-cc --no-default-features --example own_controller": "compiles it once more; ctest: plugin",
    "cargo build * --example evaluate": "ctest: search",
    "build/fuzz/*": "takes an hour, after a build of its own; ctest: fuzz",
    "build/tokio-quiche/*": "takes a build of eight minutes; ctest: tokio-quiche",
    "python3 patches/series.py try-release*": "asks the registry for other releases; ctest: newest-release",
    # Hours, or a quiet machine.
    "build/bin/cc-lab claims *": "takes up to hours; ctest: papers",
    "build/bin/cc-lab compare tests/suites/paths.toml *": "takes hours",
    "build/bin/cc-lab compare tests/suites/headline*": "takes minutes; the tier nightly compares over all suites",
    "build/venv/bin/python -m published run*": "takes hours, and writes to the documents; ctest: published",
    "build/venv/bin/python -m cluster*": "takes hours; ctest: cluster",
    "build/bin/cc-lab shard *": "takes hours; ctest: cluster",
    "build/venv/bin/dask *": "a cluster; ctest: cluster",
    "../build/venv/bin/python -m lemmas*": "takes minutes; ctest: lemmas, lemmas-of-paths",
    "../build/venv/bin/python -m search *": "takes hours; ctest: search",
    "../build/venv/bin/python -m mutants *": "takes hours; ctest: mutants, mutants-tests",
    "../build/venv/bin/python -m hunt *": "takes up to an hour; ctest: hunt, hunts",
    "../build/venv/bin/python tests/drawn_paths.py *": "takes an hour",
    "*tests/cost/cost.py*": "wants valgrind; ctest: cost",
    "python3 tests/cost/bbr2.py*": "builds two quiches and counts for minutes; ctest: cost-of-interface",
    "build/venv/bin/python qlog-analysis/tests/speed.py *": "takes minutes and 2 GB of disk; ctest: reading-speed",
    # Other machines, networks and programs.
    "build/venv/bin/python interop/matrix/run.py *": "downloads peers; ctest: matrix",
    "docker *": "wants docker",
    "openssl *": "for a server on another machine; the commands on loopback are run",
    "build/bin/cc-server * --listen 0.0.0.0:4433 *": "on another machine; the commands on loopback are run",
    "build/bin/cc-client * https://192.0.2.10:4433/*": "from another machine; the commands on loopback are run",
    "dask *": "a cluster; ctest: qlog-analysis-traces",
    "qlog-analysis fleet *": "traces of the reader; ctest: qlog-analysis-traces",
    "*/python -c *": "the table that the command before it wrote",
    "python3 -m venv *": "makes an environment in the home folder",
    "*/pip install *": "installs into that environment; ctest: qlog-analysis-outputs",
    "pip install *": "installs into the environment of the reader; ctest: qlog-analysis-outputs",
    "PROGRAM": "stands for a program of the reader; ctest: c-transfer",
    "ruff *": "ctest: ruff",
    "mypy": "ctest: mypy-qlog-analysis",
    "python -m pytest qlog-analysis": "takes minutes; ctest: qlog-analysis-traces",
}
