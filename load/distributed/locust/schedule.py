"""The schedule of a swapcheck load profile: when each request is due.

A stage has durationS in seconds, and the rates at its start and end (fromRate,
toRate) in requests a second. Request n is due when the area under
the rate reaches n.
"""


def area_of(stage):
    """Returns the number of requests in a stage."""
    return (stage["fromRate"] + stage["toRate"]) / 2 * stage["durationS"]


def duration_of(stages):
    """Returns the length of all stages in seconds."""
    return sum(stage["durationS"] for stage in stages)


def due_times(stages, index=0, count=1):
    """Yields (number, seconds after the start) for every request of share "index" of "count"."""
    number, area_before, start_s = index, 0.0, 0.0
    for stage in stages:
        area = area_of(stage)
        slope = (stage["toRate"] - stage["fromRate"]) / stage["durationS"]
        while number < area_before + area - 1e-9:
            part = number - area_before
            root = max(0.0, stage["fromRate"] ** 2 + 2 * slope * part) ** 0.5
            divisor = stage["fromRate"] + root
            yield number, start_s + (0.0 if divisor == 0 else 2 * part / divisor)
            number += count
        area_before += area
        start_s += stage["durationS"]
