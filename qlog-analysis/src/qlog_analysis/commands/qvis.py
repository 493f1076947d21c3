"""`to-qvis` and `qvis serve`."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from argparse import Namespace
from pathlib import Path

from .. import qvis
from ..output import STANDARD_OUTPUT
from ..qvis.serve import serve_on
from .codes import Code
from .outputs import outputs
from .used import Used, choice, told

MANY_EVENTS, FEWER = 200_000, 100_000
"""More than that qvis draws slowly (README, "Export for qvis"); what is proposed instead."""


def to_qvis(args: Namespace) -> Code:
    copies = outputs(args.traces, args.out, ".qvis.sqlog", args.json)

    def export(path: Path) -> tuple[Path, qvis.Exported]:
        written = _exported(args, path, copies[path])
        if args.json != STANDARD_OUTPUT:
            of = f" of {written.of_events}" if written.events < written.of_events else ""
            print(f"{copies[path]}: {written.events}{of} events")
        return path, written

    used = Used.of(list(copies), export)
    used.write_json(args.json, lambda done: {"trace": str(done[0]), "out": str(copies[done[0]]), **done[1]._asdict()})
    return used.done()


def _exported(args: Namespace, path: Path, copy: Path) -> qvis.Exported:
    part = qvis.Part(args.events, args.begin, args.end)
    written = qvis.export(path, copy, choice(args), told, part)
    if written.events > MANY_EVENTS and args.events is None:
        print(
            f"qlog-analysis: {copy.name}: qvis is slow with {written.events} events; --from and --to choose a shorter "
            f"time, and `--events {FEWER}` thins them",
            file=sys.stderr,
        )
    return written


def serve(args: Namespace) -> Code:
    with tempfile.TemporaryDirectory(prefix="qlog-analysis-") as folder:
        copies = outputs(args.traces, Path(folder), ".qvis.sqlog")

        def export(path: Path) -> Path:
            _exported(args, path, copies[path])
            return copies[path]

        used = Used.of(list(copies), export)
        if not used.results:
            return used.done()
        with serve_on(args.port, {copy.name: copy for copy in used.results}, args.qvis) as server:
            linked = f"{len(used.results)} of {len(args.traces)}"
            print(f"http://127.0.0.1:{server.server_port}/ links to qvis for {linked}; Ctrl-C ends it", flush=True)
            with contextlib.suppress(KeyboardInterrupt):
                server.serve_forever()
        return used.done()
