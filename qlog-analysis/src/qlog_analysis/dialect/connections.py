"""Several connections in one file: quinn writes those of an endpoint one among the other, each event with its
`group_id`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from ..errors import SeveralConnectionsError

SHOWN = 8
MOST_DIGITS = 9


class ByNameError(SeveralConnectionsError):
    """A number that was asked for is none of the file, but how one of its names begins: the file is to be read again
    for that one."""

    def __init__(self, number: int, count: int) -> None:
        super().__init__(f"the connection that was asked for is number {number} of {count}", count)
        self.number = number


def number_of(connection: str | None) -> int | None:
    """If it can be one."""
    is_number = connection and connection.isascii() and connection.isdigit() and len(connection) <= MOST_DIGITS
    return int(connection) if connection and is_number else None


def chosen(of: list[str], connection: str) -> int | None:
    """The place of the one that is meant by its number (from 1) or the beginning of its name."""
    number = number_of(connection)
    if number is not None and 1 <= number <= len(of):
        return number - 1
    places = [i for i, name in enumerate(of) if name.startswith(connection)]
    return places[0] if len(places) == 1 else None


def choose_one(of: list[str], connection: str | None) -> SeveralConnectionsError:
    """The error that lists what there is to choose from."""
    listed = "; ".join(f"{number}: {name}" for number, name in enumerate(of[:SHOWN], start=1))
    more = f"; and {len(of) - SHOWN} more" if len(of) > SHOWN else ""
    wrong = "" if connection is None else f"none of them is {connection!r}, "
    return SeveralConnectionsError(
        f"the file holds {len(of)} connections, {wrong}choose one with --connection: {listed}{more}", len(of)
    )


def require_the_only_one(connection: str | None) -> None:
    """Raises an error if a connection is asked for that is not the first, of a file that holds no other."""
    if connection not in (None, "1"):
        raise SeveralConnectionsError(
            f"the file holds 1 connection, and {connection!r} is not it: leave --connection out, or give 1", 1
        )


class Connections:
    """The connections that the events of a file belong to, in the order of their first events."""

    def __init__(self, connection: str | None) -> None:
        self._connection = connection
        self._number = number_of(connection)
        self._events: Counter[str] = Counter()
        self._is_chosen: dict[str, bool] = {}
        self._first_name: dict[str, str] = {}
        self._last = ""

    def wanted(self, name: str, goes_on: Callable[[], bool]) -> bool:
        """Whether an event is of the connection that was chosen, or of the first one. `goes_on`: whether it is one in
        the midst of a connection, which then has got another name: quinn's clients take the name that the server's
        first packet gives."""
        if name not in self._first_name:
            first = self._first_name[name] = self._last if self._last and goes_on() else name
            if first == name:
                self._is_chosen[name] = self._chooses(name)
        self._last = self._first_name[name]
        self._events[self._last] += 1
        return self._is_chosen[self._last]

    def _chooses(self, name: str) -> bool:
        """A number has precedence, also that of a connection which is still to come."""
        number = len(self._is_chosen) + 1
        if self._connection is None:
            return number == 1
        return name.startswith(self._connection) if self._number is None else number == self._number

    def conclude(self) -> None:
        """When all events have been seen. Raises an error that lists the connections if not exactly one was chosen."""
        names = list(self._is_chosen)
        place = None if self._connection is None else chosen(names, self._connection)
        if place is not None:
            if not self._is_chosen[names[place]]:
                raise ByNameError(place + 1, len(names))
        elif len(names) < 2:
            require_the_only_one(self._connection)
        else:
            raise choose_one([f"{name} ({count} events)" for name, count in self._events.items()], self._connection)
