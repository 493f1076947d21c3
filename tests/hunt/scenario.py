"""A path as a scenario of the lab (docs/lab.md)."""

from __future__ import annotations

from collections.abc import Sequence

from .events import longer, outages, rates
from .space import Path

LINK_MS = 1.0
"""The bottleneck's own delay, one way; the rest is that of the flows' own wires."""
MAIN, NEIGHBOUR, BOTTLENECK = "main", "neighbour", "bottleneck"
POLICED = 0.6
"""Of the link's rate, what a policer lets through: it has to be slower than the link, or a queue hides it."""
PAUSES = '{ kind = "on_off", on = "1s", off = "500ms", fixed = true }'
CBR_SHARE = 0.3
"""Of the link, that a source has which has not always something to send."""
ACK_BPS = 8 * 60.0
"""Of an ACK and more, by which a slow return path is made: an ACK of every second packet then just fits into it."""
ELASTIC = ("cubic", "bbr2")
"""Neighbours that give way. None of them is of the kind under test: the path would not be the same for all."""
INTERVAL_MS = 50


def text(path: Path, title: str, timestamps: bool) -> str:
    """The scenario, the controller under test left out."""
    head = f'title = "{title}"\nduration = "{path.duration_s:g}s"\ninterval = "{INTERVAL_MS}ms"\n'
    tables = [_bottleneck(path)]
    if _has_own_wire(path):
        tables.append('[[link]]\nname = "own"\n' + _wire(path))
    if path.back != "plain":
        tables.append('[[link]]\nname = "back"\n' + _back(path))
    tables.append(_main(path, timestamps))
    if path.neighbours != "none":
        tables.append(_neighbours(path))
    return "\n".join([head, *tables])


def _has_own_wire(path: Path) -> bool:
    return path.wire == "own" and (path.loss, path.jitter) != ("none", "none")


def _bottleneck(path: Path) -> str:
    bdp = max(path.buffer_bdp * path.rate_mbps * 1e6 * path.rtt_ms * 1e-3 / 8, 4 * 1250)
    lines = f'[[link]]\nname = "{BOTTLENECK}"\nrate = "{_rates(path)}"\ndelay = "{_delays(path)}"\n'
    lines += f'buffer = "{bdp:.0f}B"\n'
    if path.queue == "policer":
        lines += f'queue = "policer:rate={POLICED * path.rate_mbps * 1e3:.0f}kbps,burst={bdp:.0f}B"\n'
    elif path.queue != "droptail":
        lines += f'queue = "{path.queue}"\n'
    if times := outages(path):
        lines += 'outages = "' + ",".join(f"{begin:.2f}s..{end:.2f}s" for begin, end in times) + '"\n'
    return lines + ("" if path.wire == "own" else _wire(path))


def _rates(path: Path) -> str:
    steps = ((at, 1e3 * share * path.rate_mbps) for at, share in rates(path))
    return _texts([(at, f"{kbps:.0f}kbps") for at, kbps in steps])


def _delays(path: Path) -> str:
    plain = f"{LINK_MS:g}ms"
    steps = [(at, f"{LINK_MS + by * path.rtt_ms:.1f}ms" if by else plain) for at, by in longer(path)]
    return _texts(steps)


def _texts(steps: Sequence[tuple[float, str]]) -> str:
    """A schedule, or what is all the time. Of changes at the same time the last counts."""
    times = {"0" if at == 0 else f"{at:.2f}": value for at, value in steps}
    if len(times) == 1:
        return times["0"]
    return ",".join(f"{value}@{at}s" for at, value in times.items())


def _wire(path: Path) -> str:
    share, most = 100 * path.loss_share, path.jitter_ms
    loss = {
        "random": f'loss = "{share:.3g}%"\n',
        # Bursts of four packets on average, with the same share.
        "bursts": f'loss = "ge:p={share / 4:.3g}%,r=25%,good=0%,bad=100%"\n',
    }
    jitter = {
        "uniform": f'jitter = "uniform:min=0ms,max={most:g}ms,order=keep"\n',
        "wifi": f'jitter = "wifi:median={most / 4:.3g}ms,stall={2 * most:g}ms..{4 * most:g}ms,every=3s"\n',
        "retries": f'jitter = "retries:{1 + most / 4:.3g}ms"\n',
        "batches": f'aggregate = "interval={most:g}ms"\n',
    }
    return loss.get(path.loss, "") + jitter.get(path.jitter, "")


def _back(path: Path) -> str:
    if path.back == "batches":
        return f'aggregate = "interval={path.back_ms:g}ms"\n'
    acks = ACK_BPS * path.rate_mbps * 1e6 / (8 * 1250) / 2
    return f'rate = "{max(acks, 1e4) / 1e3:.0f}kbps"\nbuffer = "{path.back_ms:g}ms"\n'


def _main(path: Path, timestamps: bool) -> str:
    way = f'["own", "{BOTTLENECK}"]' if _has_own_wire(path) else f'["{BOTTLENECK}"]'
    cbr = f'{{ kind = "cbr", rate = "{CBR_SHARE * path.rate_mbps * 1e3:.0f}kbps" }}'
    traffic = {"unlimited": '{ kind = "unlimited" }', "pauses": PAUSES, "cbr": cbr}[path.source]
    lines = f'[[flow]]\nname = "{MAIN}"\npath = {way}\n' + _delay(path.rtt_ms)
    if path.back != "plain":
        lines += 'back = ["back"]\n'
    if path.packets_per_ack != "1":
        lines += f"packets_per_ack = {path.packets_per_ack}\n"
    return lines + f"timestamps = {str(timestamps).lower()}\ntraffic = {traffic}\n"


def _delay(rtt_ms: float) -> str:
    return f'delay = "{max(rtt_ms / 2 - LINK_MS, 0):.4g}ms"\nreturn_delay = "{rtt_ms / 2:.4g}ms"\n'


def _neighbours(path: Path) -> str:
    begin = path.neighbour_from * path.duration_s
    end = begin + path.neighbour_for * (path.duration_s - begin)
    lines = f'[[flow]]\nname = "{NEIGHBOUR}"\ncount = {path.count}\npath = ["{BOTTLENECK}"]\nstart = "{begin:.2f}s"\n'
    if path.neighbour_for < 1.0:
        lines += f'stop = "{end:.2f}s"\n'
    lines += _delay(path.neighbour_rtt * path.rtt_ms)
    if path.neighbours in ELASTIC:
        return lines + f'cc = "{path.neighbours}"\ntraffic = {{ kind = "unlimited" }}\n'
    each = path.neighbour_rate * path.rate_mbps * 1e3 / int(path.count)
    # A source with pauses sends twice as fast in half of the time.
    on_off = f'{{ kind = "on_off", on = "300ms", off = "300ms", rate = "{2 * each:.0f}kbps" }}'
    cbr = f'{{ kind = "cbr", rate = "{each:.0f}kbps" }}'
    return lines + f'transport = "udp"\ntraffic = {cbr if path.neighbours == "cbr" else on_off}\n'
