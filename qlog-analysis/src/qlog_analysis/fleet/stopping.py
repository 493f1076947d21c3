"""Ctrl-C and SIGTERM end a run with what it has done, but nothing is left half done."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Stopping:
    """Each signal is a KeyboardInterrupt."""

    def __init__(self) -> None:
        self._holding = self._asked = False

    @contextmanager
    def caught(self) -> Iterator[None]:
        """Only the main thread can; in others signals are as they were."""
        before = {}
        with suppress(ValueError):
            for number in _SIGNALS:
                # A shell has a run in the background ignore Ctrl-C.
                if signal.getsignal(number) is not signal.SIG_IGN:
                    before[number] = signal.signal(number, self._stop)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    @contextmanager
    def put_off(self) -> Iterator[None]:
        """A signal waits until this is over."""
        self._holding = True
        try:
            yield
        finally:
            self._holding = False
        if self._asked:
            self._asked = False
            raise KeyboardInterrupt

    def _stop(self, _: int, __: FrameType | None) -> None:
        if not self._holding:
            raise KeyboardInterrupt
        self._asked = True
