"""What quiche's own events around an epoch should say."""

from __future__ import annotations

from ..check.numbers import TIME_TOLERANCE
from ..events import HybridEpoch
from ..zones import rate as rates
from ..zones.surroundings import Expected
from ..zones.windows import Windows
from . import law
from .measured import HybridStep, Measured
from .windows import windows


def expected(r: HybridEpoch, m: Measured, return_delay: float) -> list[Expected]:
    """At each of its feedbacks; `return_delay` is that of the epoch before, which holds while an epoch lasts, s."""
    meanwhile = [_while_it_lasts(step, r, m, return_delay) for step in m.steps[:-1]]
    return [*meanwhile, Expected(m.steps[-1], (r.rate_after, r.rate_after), Windows(r.window, r.window, 1))]


def _while_it_lasts(step: HybridStep, r: HybridEpoch, m: Measured, return_delay: float) -> Expected:
    its_rates = (r.rate_before, r.rate_before) if step.rates is None else step.rates
    its = ((x, x) for x in (r.jitter / 1e3, r.ack_gap / 1e3, r.competing_queue / 1e3))
    lengths = [x + return_delay for x in step.lengths]
    return Expected(step, its_rates, windows(its_rates, lengths, TIME_TOLERANCE, m, *its))


def first_pacing(m: Measured, rtt: float) -> float:
    """How packets leave before the first sample, bit/s; `rtt` is that of the handshake, s."""
    initial, given = m.limits.initial_window, m.limits.parameters.initial_rate
    return law.FIRST_FLIGHT * rates.initial_rate(initial, m.max_datagram_size, rtt, given)
