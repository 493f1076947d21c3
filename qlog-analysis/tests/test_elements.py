"""Elements of a JSON list stand where a JSON reader finds them, wherever the text is cut into parts."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from qlog_analysis import elements as module
from qlog_analysis.elements import elements, extent

TEXTS = ("", ",", "[", "]}", '"', "\\", "\\\\", '\\"', '\\",{[', "ü", "\t", "\\" * 7)


def some(random_: random.Random, depth: int) -> Any:
    kind = random_.randrange(6 if depth else 4)
    if kind == 4:
        return [some(random_, depth - 1) for _ in range(random_.randrange(4))]
    if kind == 5:
        return {random_.choice(TEXTS): some(random_, depth - 1) for _ in range(random_.randrange(4))}
    return random_.choice((random_.choice(TEXTS), random_.choice(TEXTS), -1.5e3, None))


def found(text: bytes) -> list[bytes]:
    return [text[begin:end] for begin, end in elements(memoryview(text))]


@pytest.mark.parametrize("part", [2, 4, 6, 64, 1 << 18])
def test_every_element_is_found_whatever_stands_in_it(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FIRST_PART", part)
    monkeypatch.setattr(module, "PART", part)
    random_ = random.Random(1)
    for indent in (None, 1) * 50:
        values = [some(random_, 3) for _ in range(random_.randrange(6))]
        text = json.dumps(values, indent=indent, ensure_ascii=False).encode()
        behind = text + b', "events": [1, 2]}'
        assert [json.loads(element) for element in found(behind)] == values
        assert extent(memoryview(behind)) == (len(values), len(text) - 1)


def test_of_a_list_that_ends_early_those_before_a_comma_are_found() -> None:
    assert found(b'[{"a": [1, 2]} , "x,]\\",", 12') == [b'{"a": [1, 2]}', b'"x,]\\","']
    assert found(b"[ \n") == found(b"[ ]") == []
    assert extent(memoryview(b"[1, [2, 3],[4, 5")) == (2, 10)
    assert [extent(memoryview(empty))[0] for empty in (b"[ \n", b"[ ]")] == [0, 0]
