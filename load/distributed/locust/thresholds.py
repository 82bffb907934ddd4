"""Checks the thresholds of a swapcheck load profile against the metrics of Locust's master."""

PERCENTILES = {
    "p50": 0.5,
    "p75": 0.75,
    "p90": 0.9,
    "p95": 0.95,
    "p99": 0.99,
    "p99.9": 0.999,
    "p99.99": 0.9999,
}


def metrics_of(entry, sent_in_time, due=None):
    """Returns the metrics of one of Locust's statistics entries, with latencies in milliseconds.

    "due" is the number of requests that were due. Default: the requests in the entry.
    """
    return {
        "due": entry.num_requests if due is None else due,
        "requests": entry.num_requests,
        "errors": entry.num_failures,
        "sentInTime": sent_in_time,
        "latencyMs": {
            **{name: entry.get_response_time_percentile(share) for name, share in PERCENTILES.items()},
            "mean": entry.avg_response_time,
            "max": entry.max_response_time,
        },
    }


def measure(threshold, endpoints, wrong):
    """Returns the value that a threshold bounds, or None if it was not measured."""
    metric = threshold["metric"]
    if metric == "wrong":
        return wrong
    metrics = endpoints.get(threshold.get("endpoint", "all"))
    if metrics is None or metrics["requests"] == 0:
        return None
    if metric == "rate":
        return metrics["sentInTime"] / metrics["due"]
    if metric == "errors":
        return metrics["errors"] / metrics["requests"]
    return metrics["latencyMs"][metric]


def check(threshold, endpoints, wrong):
    """Returns the threshold with its measured value and whether it held. Without a value, it did not hold."""
    actual = measure(threshold, endpoints, wrong)
    held = actual is not None and threshold.get("min", actual) <= actual <= threshold.get("max", actual)
    return {**threshold, "actual": actual, "held": held}


def describe(result):
    """Returns a checked threshold as a line of text."""
    words = (("max", "at most"), ("min", "at least"))
    bounds = " and ".join(f"{word} {result[key]:g}" for key, word in words if key in result)
    shown = "not measured" if result["actual"] is None else f"{result['actual']:g}"
    sign = "UNKNOWN" if result["actual"] is None else "held" if result["held"] else "CROSSED"
    return f"{sign:7} {result['metric']} of {result.get('endpoint', 'all')}: {shown} ({bounds})"


def exit_code(results, lost_workers):
    """Returns 1 if a threshold was crossed, 3 if one could not be measured or a worker was lost, else 0."""
    if lost_workers > 0:
        return 3
    missed = [result for result in results if not result["held"]]
    if any(result["actual"] is not None for result in missed):
        return 1
    return 3 if missed else 0
