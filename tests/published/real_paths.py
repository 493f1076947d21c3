"""The tables of docs/results/real-paths.md, of what the claims in measured/ came to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import geometric_mean, median

from .claims import WITH, WITHOUT, Check, Claim, ms, number, of, percent, read, round_trip_ms, table
from .publication import Part, Place

PAGE = "docs/results/real-paths.md"
WIFI, JITTER, BATCHES, RETRIES = (Part(PAGE, mark) for mark in ("wifi", "jitter", "batches", "retries"))
RECORDED, WANDERING = Part(PAGE, "recorded"), Part(PAGE, "wandering")
HYBRID, LONE, CUBIC, BBR2 = "hybrid", "hybrid:without=contention", "cubic", "bbr2"
THREE = ("`hybrid`", "`hybrid`, receive timestamps", "bbr2")
# As measured/paths/paths.toml sets it: round trip, and ACKs that come together every so often.
WIFI_PATHS = {"close": ("20", "20"), "plain": ("40", ""), "usual": ("40", "8"), "far": ("100", "8")}


def cell(claim: Claim, prefix: str, **parameters: str) -> str:
    used, delay = (claim.check(f"{prefix}{what}").values(**parameters)[0] for what in ("used", "p95 delay"))
    return f"{percent(used)}, {ms(delay)} ms"


def three(claim: Claim, prefix: str, **parameters: str) -> list[str]:
    """hybrid without and with receive timestamps, and bbr2, on a path."""
    own = [cell(claim, f"{prefix}hybrid, ", timestamps=timestamps, **parameters) for timestamps in (WITHOUT, WITH)]
    return [*own, cell(claim, f"{prefix}bbr2, ", **parameters)]


def wifi(claim: Claim) -> str:
    rows = []
    for rate in claim.check("close, bbr2, used").each("rate"):
        for name, (round_trip, batches) in WIFI_PATHS.items():
            rows.append([number(rate), round_trip, batches, *three(claim, f"{name}, ", rate=rate)])
    return table(("Mbit/s", "RTT, ms", "ACK batches, ms", *THREE), rows)


def jitter(claim: Claim) -> str:
    check = claim.check("bbr2, used")
    rows = [
        [number(rate), number(most), *three(claim, "", rate=rate, most=most)]
        for rate in check.each("rate")
        for most in check.each("most")
    ]
    return table(("Mbit/s", "jitter up to, ms", *THREE), rows)


def batches(claim: Claim) -> str:
    jain, delay = claim.check("Jain's index"), claim.check("p95 delay")

    def one(**path: str) -> str:
        return f"{jain.values(**path)[0]:.3f}, {ms(delay.values(**path)[0])} ms"

    rows = [
        [number(rate), "" if batch.endswith("us") else number(batch)]
        + [one(rate=rate, batch=batch, timestamps=timestamps) for timestamps in (WITHOUT, WITH)]
        for rate in jain.each("rate")
        for batch in jain.each("batch")
    ]
    return table(("Mbit/s", "batches, ms", *THREE[:2]), rows)


def retries(claim: Claim) -> str:
    check = claim.check("bbr2, used")
    rows = [
        [number(rate), round_trip_ms(way), number(mean), *three(claim, "", rate=rate, way=way, mean=mean)]
        for rate in check.each("rate")
        for way in check.each("way")
        for mean in check.each("mean")
    ]
    return table(("Mbit/s", "RTT, ms", "mean, ms", *THREE), rows)


def write_paths(place: Place, folder: Path, commit: str) -> None:
    claims = read(folder)
    for part, name, made in (
        (WIFI, "P1", wifi),
        (JITTER, "P2", jitter),
        (BATCHES, "P3", batches),
        (RETRIES, "P4", retries),
    ):
        part.write(place.root, made(of(claims, name)), commit)


def lossy(share: float) -> str:
    return f", {percent(share)}" if share >= 0.01 else ""


def recorded(claim: Claim) -> str:
    throughput, delay, loss = (claim.check(what) for what in ("throughput", "p95 delay", "loss"))
    beside, waits = claim.check("others, throughput"), claim.check("others, p95 delay")

    def one(link: str, **who: str) -> str:
        rate, most = throughput.values(link=link, **who)[0], beside.values(link=link, cc=CUBIC)[0]
        return f"{100 * rate / most:.0f}, {ms(delay.values(link=link, **who)[0])}" + lossy(
            loss.values(link=link, **who)[0]
        )

    rows = []
    for timestamps, label in ((WITHOUT, "no"), (WITH, "yes")):
        for link in throughput.each("link"):
            own = [one(link, cc=cc, timestamps=timestamps) for cc in (HYBRID, LONE)]
            rows.append([named(link), label, *own, ms(waits.values(link=link, cc=CUBIC)[0])])
    return table(("recording", "receive timestamps", "`hybrid`", f"`{LONE}`", "cubic's p95"), rows)


def named(link: str) -> str:
    """`Verizon-LTE-short.down` is Verizon LTE, down."""
    recording, _, way = link.rpartition(".")
    network, technology, *_ = recording.split("-")
    return f"{network} {technology}, {way}"


def over_all(check: Check, **who: str) -> Sequence[float]:
    """A number of each run of a controller."""
    found = [point for point in check.points if who.items() <= dict(point.parameters).items()]
    return [value for point in found for value in point.measured if value is not None]


def wandering(claim: Claim) -> str:
    def rows() -> Iterator[list[str]]:
        for cc, prefix in ((HYBRID, ""), (LONE, ""), (BBR2, "others, "), (CUBIC, "others, ")):
            throughput, delay, loss = (claim.check(prefix + what) for what in ("throughput", "p95 delay", "loss"))
            name = f"`{cc}`" if cc.startswith(HYBRID) else cc
            rate = geometric_mean(over_all(throughput, cc=cc)) / 1e6
            waits = over_all(delay, cc=cc)
            yield [
                name,
                f"{rate:.2f}",
                ms(geometric_mean(waits)),
                ms(median(waits)),
                percent(max(over_all(loss, cc=cc))),
            ]

    head = ("controller", "throughput, Mbit/s", "p95 queueing delay, ms", "its median, ms", "loss in the worst run")
    return table(head, list(rows()))


def write_recorded(place: Place, folder: Path, commit: str) -> None:
    RECORDED.write(place.root, recorded(of(read(folder), "R1")), commit)


def write_wandering(place: Place, folder: Path, commit: str) -> None:
    WANDERING.write(place.root, wandering(of(read(folder / "runs"), "W1")), commit)
