"""What quiche's own events around an epoch should say."""

from __future__ import annotations

from ..check.numbers import TIME_TOLERANCE
from ..events import HybridEpoch
from ..zones.surroundings import Expected
from ..zones.windows import Windows
from . import law
from .measured import Measured
from .windows import windows


def expected(r: HybridEpoch, m: Measured, return_delay: float) -> list[Expected]:
    """At each of its feedbacks; `return_delay` is that of the epoch before, which holds while an epoch lasts, s."""
    known: dict[tuple[tuple[float, float], tuple[float, ...]], Windows] = {}
    out = []
    for step in m.steps[:-1]:
        its_rates = (r.rate_before, r.rate_before) if step.rates is None else step.rates
        if (its_rates, step.lengths) not in known:
            known[its_rates, step.lengths] = _while_it_lasts(its_rates, step.lengths, r, m, return_delay)
        out.append(Expected(step, its_rates, known[its_rates, step.lengths]))
    return [*out, Expected(m.steps[-1], (r.rate_after, r.rate_after), Windows(r.window, r.window, 1))]


def _while_it_lasts(
    rates: tuple[float, float], lengths: tuple[float, ...], r: HybridEpoch, m: Measured, return_delay: float
) -> Windows:
    its = ((x, x) for x in (r.jitter / 1e3, r.ack_gap / 1e3, r.competing_queue / 1e3))
    return windows(rates, [x + return_delay for x in lengths], TIME_TOLERANCE, m, *its)


def first_pacing(m: Measured, rtt: float) -> list[float]:
    """How packets may leave before the first sample, bit/s; `rtt` is that of the handshake, s."""
    starts = m.beginning.rates(rtt, m.max_datagram_size, m.limits.parameters.initial_rate)
    return [law.FIRST_FLIGHT * rate for rate in starts]
