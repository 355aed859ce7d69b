"""The widgets in a real browser: first draw of a large run, a step of its slider, bytes on the wire."""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench.frame import Place, Row, bench, ms
from tests.widgets.large import measure
from tests.widgets.page import browsing, new_page


@bench
def player(place: Place) -> Iterator[Row]:
    with browsing() as browser, new_page(browser) as page:
        found = measure(page)
    yield Row(
        "player of 100 nodes, 10,000 events: first draw in Chromium",
        ms(found.first_draw),
        target="< 1 s",
        kept=found.first_draw < 1,
    )
    yield Row("the same: made in Python", ms(found.python))
    yield Row(
        "the same: a step of the slider, to any place (median; worst)",
        f"{ms(found.step)}; {ms(found.worst_step)}",
        target="< 50 ms",
        kept=found.step < 0.05,
    )
    yield Row("the same: messages a step, prefetched steps included", f"{found.bytes_a_step / 1000:.1f} kB")
    yield Row("the same: sent once at the beginning", f"{found.opening / 1000:.0f} kB")
