"""What continuous integration and scripts read: JUnit's XML, lists of what was written, and what to do next."""

from __future__ import annotations

import json
from pathlib import Path as FilePath
from xml.etree import ElementTree

import pytest

import tampering
import tracewriter
from qlog_analysis.cli import main
from traces import FAST, SLOW, records

Output = pytest.CaptureFixture[str]


def cases(path: FilePath) -> tuple[dict[str, str], dict[str, ElementTree.Element]]:
    """Attributes of the suite, and the cases by trace."""
    suite = ElementTree.parse(path).getroot().find("testsuite")
    assert suite is not None
    return suite.attrib, {case.attrib["name"]: case for case in suite}


def test_junit_has_a_case_per_trace_with_what_came_of_it(
    good: str,
    cubic: str,
    falsified: str,
    tmp_path: FilePath,
) -> None:
    short = str(tracewriter.write(tmp_path / "short.sqlog", records(SLOW, 1.0)))
    out = tmp_path / "junit.xml"
    assert main(["check", good, cubic, falsified, short, "/none.sqlog", "--junit", str(out)]) == 4
    suite, by_trace = cases(out)
    assert (suite["tests"], suite["failures"], suite["errors"], suite["skipped"]) == ("5", "1", "2", "1")
    assert by_trace[good].find("failure") is by_trace[good].find("error") is None
    assert by_trace[good].attrib["classname"] == "hybrid"
    failure = by_trace[falsified].find("failure")
    assert failure is not None
    assert "rate" in failure.attrib["message"]
    assert "disagreements" in (failure.text or "")
    assert by_trace[cubic].find("skipped") is not None
    assert by_trace[short].find("error") is not None
    missing = by_trace["/none.sqlog"].find("error")
    assert missing is not None
    assert "cannot read" in missing.attrib["message"]
    assert main(["zones", cubic, "--junit", str(out)]) == 2
    assert cases(out)[0]["errors"] == "1"


def test_junit_is_xml_whatever_a_trace_is_called(tmp_path: FilePath) -> None:
    some = records(FAST, 4.0)
    tampering.skipped_update(some)
    trace = tracewriter.write(tmp_path / "a<b>&\"'\x07é.sqlog", some)
    out = tmp_path / "junit.xml"
    assert main(["check", str(trace), "--junit", str(out)]) == 1
    (name,) = cases(out)[1]
    assert name == str(trace).replace("\x07", "?")


def test_junit_may_go_to_the_standard_output_alone(good: str, capsys: Output) -> None:
    assert main(["check", good, "--junit", "-"]) == 0
    assert ElementTree.fromstring(capsys.readouterr().out).tag == "testsuites"
    assert main(["check", good, "--junit", "-", "--json", "-"]) == 2
    assert "cannot both" in capsys.readouterr().err


@pytest.mark.parametrize(("command", "suffix"), [("plot", ".svg"), ("to-qvis", ".qvis.sqlog")])
def test_what_was_written_of_which_trace_is_listed(
    command: str,
    suffix: str,
    good: str,
    cubic: str,
    tmp_path: FilePath,
    capsys: Output,
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    assert main([command, good, "/none.sqlog", cubic, "--out", str(folder), "--json", "-"]) == 4
    rows = json.loads(capsys.readouterr().out)
    assert [r["trace"] for r in rows] == [good, "/none.sqlog", cubic]
    assert [r.get("out") for r in rows] == [str(folder / f"good{suffix}"), None, str(folder / f"cubic{suffix}")]
    assert all(FilePath(r["out"]).exists() for r in rows if "out" in r)


def test_every_plot_has_its_own_link_log(good: str, cubic: str, tmp_path: FilePath, capsys: Output) -> None:
    links = []
    for name, delay in (("one", 11.0), ("two", 77.0)):
        rows = ({"time": i / 100, "queue_delay_ms": delay} for i in range(600))
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
        links += ["--link", str(tmp_path / f"{name}.jsonl")]
    folder = tmp_path / "out"
    folder.mkdir()
    assert main(["plot", good, cubic, *links, "--out", str(folder)]) == 0
    assert all("Queue of the bottleneck" in (folder / f"{n}.svg").read_text() for n in ("good", "cubic"))
    assert main(["plot", good, cubic, *links[:2], "--out", str(folder)]) == 2
    assert "1 link logs for 2 traces" in capsys.readouterr().err


def test_an_error_says_what_to_do_next(good: str, cubic: str, tmp_path: FilePath, capsys: Output) -> None:
    content = FilePath(good).read_bytes()
    cut, damaged, renamed = (tmp_path / f"{n}.sqlog" for n in ("cut", "damaged", "renamed"))
    headless, short, loop = (tmp_path / f"{n}.sqlog" for n in ("headless", "short", "loop"))
    headless.write_bytes(content.replace(b"{", b"{!", 1))
    short.write_bytes(content[:50])
    loop.symlink_to(loop)
    cut.write_bytes(content[:-9])
    damaged.write_bytes(content.replace(b'"name":', b'"name":!', 1))
    renamed.write_bytes(content.replace(b'"quic:packet_sent"', b'"quic:packetsent"').replace(b"packet_received", b"x"))
    for arguments, code, expected in (
        (["check", str(cut)], 2, "--allow-truncated uses it as far as it goes\n"),
        (["metrics", str(cut), "--strict"], 2, "without --strict it is used so far\n"),
        (["check", cubic], 3, "`qlog-analysis explain` says of any controller what happened\n"),
        (["check", str(damaged)], 2, "`report` use the rest of the trace\n"),
        (["check", str(headless)], 2, "object keys must be strings (byte 1)\n"),
        (["metrics", str(short)], 2, "; not even its header is whole, so that nothing of it can be used\n"),
        (["metrics", str(tmp_path / "cut.sqlo")], 2, f"; did you mean {cut}?\n"),
        (["metrics", str(loop)], 2, "cannot read: Too many levels of symbolic links\n"),
        (["metrics", str(renamed)], 2, "; is `quic:packetsent` meant to be `quic:packet_sent`?\n"),
    ):
        assert main(arguments) == code, arguments
        assert capsys.readouterr().err.endswith(expected), arguments
