"""Verdicts as JUnit's XML, which continuous integration shows: a test case per trace."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

from .check.verdict import Outcome, Verdict
from .check.whole import Checked
from .errors import AnalysisError

_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""No such character may stand in XML 1.0 (section 2.2), not even escaped."""

Tried = tuple[Path, Verdict | Checked | AnalysisError]
"""A trace and what came of it."""


def to_xml(command: str, tried: Iterable[Tried]) -> str:
    suite = ElementTree.Element("testsuite", name=f"qlog-analysis {command}")
    for path, result in tried:
        controller = "unknown" if isinstance(result, AnalysisError) else result.controller
        case = ElementTree.SubElement(suite, "testcase", classname=_plain(controller), name=_plain(str(path)))
        if isinstance(result, AnalysisError):
            _problem(case, "error", str(result), type(result).__name__, "")
        else:
            _judged(case, result)
    suite.set("tests", str(len(suite)))
    for attribute, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(attribute, str(len(suite.findall(f"testcase/{kind}"))))
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suites, encoding="unicode") + "\n"


def _judged(case: ElementTree.Element, judged: Verdict | Checked) -> None:
    if judged.outcome is Outcome.FAIL:
        names = judged.disagreements
        message = f"{len(names)} disagreements: {', '.join(sorted(set(names)))}"
        _problem(case, "failure", message, "disagreement", judged.to_text())
    elif judged.outcome is Outcome.INCONCLUSIVE:
        _problem(case, "error", "too short to say anything", "inconclusive", judged.to_text())
    elif judged.outcome is None:
        # No law is known, and invariants alone are no pass.
        _problem(case, "skipped", "no equations to check, and no invariant is broken", "NoLawError", judged.to_text())
    else:
        ElementTree.SubElement(case, "system-out").text = _plain(judged.to_text())


def _problem(case: ElementTree.Element, kind: str, message: str, of_type: str, text: str) -> None:
    problem = ElementTree.SubElement(case, kind, message=_plain(message), type=of_type)
    problem.text = _plain(text) or None


def _plain(text: str) -> str:
    return _NOT_XML.sub("?", text)
