/** The locustfile: plays `profile.json` and `corpus.ndjson` from its folder, on one machine or on many. */
export const LOCUST_SCRIPT = String.raw`"""Plays a swapcheck load profile with Locust. Written by "swapcheck load export".

Requests arrive on a schedule that does not wait for replies. Latency runs from
when a request was due. The master divides the schedule among its workers.
"""

import json
import os
import shlex
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import quote, urlsplit

import gevent
import gevent.event
import locust.runners
from geventhttpclient import HTTPClient
from locust import User, constant, events, task
from locust.runners import MasterRunner, WorkerRunner

# Some packages of Locust have an empty version string; a master refuses workers without one.
if not locust.runners.__version__:
    locust.runners.__version__ = "0.0.0"

FOLDER = Path(__file__).resolve().parent
PROFILE = json.loads((FOLDER / "profile.json").read_text())
CORPUS = [json.loads(line) for line in (FOLDER / "corpus.ndjson").read_text().splitlines()]
STAGES = PROFILE["schedule"]
KEY = os.environ.get("SWAPCHECK_API_KEY", "")
TIMEOUT_S = PROFILE["timeoutMs"] / 1000
WARM_UP_S = PROFILE["warmUpS"]
DURATION_S = sum(stage["durationS"] for stage in STAGES)
SAMPLES_PER_SECOND = PROFILE["samplesPerSecond"]
PERCENTILES = {"p50": 0.5, "p75": 0.75, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p99.9": 0.999, "p99.99": 0.9999}


def area_of(stage):
    return (stage["fromRate"] + stage["toRate"]) / 2 * stage["durationS"]


def due_times(index, count):
    """Yields the number of a request and when it is due, for one of "count" shares."""
    number, area_before, start_s = index, 0.0, 0.0
    for stage in STAGES:
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


def asked_between(from_s, to_s):
    def until(limit_s):
        asked, start_s = 0.0, 0.0
        for stage in STAGES:
            length = min(stage["durationS"], limit_s - start_s)
            if length <= 0:
                break
            to_rate = stage["fromRate"] + (stage["toRate"] - stage["fromRate"]) * length / stage["durationS"]
            asked += (stage["fromRate"] + to_rate) / 2 * length
            start_s += stage["durationS"]
        return asked

    return until(to_s) - until(from_s)


class Player:
    """This process's share of the schedule."""

    def __init__(self):
        self.ready = gevent.event.Event()
        self.done = gevent.event.Event()
        self.exhausted = False
        self.in_flight = 0
        self.sent_in_time = 0
        self.samples = []
        self.sample_second = -1
        self.samples_this_second = 0

    def begin(self, index, count):
        self.slots = due_times(index, count)
        self.samples_allowed = max(1, SAMPLES_PER_SECOND // count)
        self.started = time.perf_counter() + 0.2
        self.ready.set()

    def now(self):
        return time.perf_counter() - self.started

    def next_slot(self):
        slot = next(self.slots, None)
        if slot is None:
            self.exhausted = True
            self.settle()
        return slot

    def settle(self):
        if self.exhausted and self.in_flight == 0:
            self.done.set()

    def sample(self, target, status, body):
        second = int(self.now())
        if second != self.sample_second:
            self.sample_second, self.samples_this_second = second, 0
        if self.samples_this_second >= self.samples_allowed:
            return
        self.samples_this_second += 1
        text = body.decode("utf-8", "replace")
        if len(KEY) >= 8:
            text = text.replace(KEY, "$SWAPCHECK_API_KEY")
        self.samples.append({"url": target + "$SWAPCHECK_API_KEY", "status": status, "body": text})

    def take(self):
        taken = {"samples": self.samples, "sentInTime": self.sent_in_time}
        self.samples, self.sent_in_time = [], 0
        return taken


player = Player()
totals = {"sentInTime": 0, "samples": 0, "done": 0}


def keep(part):
    totals["sentInTime"] += part["sentInTime"]
    totals["samples"] += len(part["samples"])
    with open(FOLDER / "samples.ndjson", "a", encoding="utf-8") as file:
        for sample in part["samples"]:
            file.write(json.dumps(sample) + "\n")


class Connection(User):
    """One connection: takes the next request, waits until it is due, sends it."""

    wait_time = constant(0)

    def on_start(self):
        parts = urlsplit(self.environment.host or PROFILE["target"])
        self.prefix = parts.path.rstrip("/")
        origin = f"{parts.scheme}://{parts.netloc}"
        self.http = HTTPClient.from_url(origin, concurrency=1, connection_timeout=TIMEOUT_S, network_timeout=TIMEOUT_S)

    def on_stop(self):
        self.http.close()

    @task
    def play(self):
        player.ready.wait()
        slot = player.next_slot()
        if slot is None:
            gevent.event.Event().wait()
        number, due_s = slot
        player.in_flight += 1
        try:
            wait_s = due_s - player.now()
            if wait_s > 0:
                gevent.sleep(wait_s)
            self.send(number, due_s)
        finally:
            player.in_flight -= 1
            player.settle()

    def send(self, number, due_s):
        name, expected, target = CORPUS[number % len(CORPUS)]
        sent_s = player.now()
        error, size = None, 0
        if sent_s > DURATION_S + TIMEOUT_S:
            error = "unsent"
        else:
            if due_s >= WARM_UP_S and sent_s <= DURATION_S:
                player.sent_in_time += 1
            try:
                with gevent.Timeout(TIMEOUT_S, socket.timeout):
                    response = self.http.get(self.prefix + target + quote(KEY, safe=""))
                    body = bytes(response.read())
                size = len(body)
                if response.status_code != expected:
                    error = f"status {response.status_code}"
                player.sample(target, response.status_code, body)
            except Exception as cause:
                self.http.close()
                error = loss(cause)
        end_s = player.now()
        if due_s < WARM_UP_S:
            return
        self.environment.events.request.fire(
            request_type="GET",
            name=name,
            response_time=(end_s - due_s) * 1000,
            response_length=size,
            response=None,
            context={},
            exception=None if error is None else RuntimeError(error),
        )


def loss(cause):
    if isinstance(cause, (socket.timeout, TimeoutError)):
        return "timeout"
    return "refused" if isinstance(cause, ConnectionRefusedError) else "reset"


@events.init.add_listener
def prepare(environment, **_):
    if not isinstance(environment.runner, WorkerRunner):
        (FOLDER / "samples.ndjson").write_text("")
    if isinstance(environment.runner, MasterRunner):
        environment.runner.register_message("swapcheck-done", on_worker_done)
    if isinstance(environment.runner, WorkerRunner):
        environment.runner.register_message("swapcheck-begin", on_begin)
        environment.process_exit_code = 0


@events.spawning_complete.add_listener
def begin(user_count, **_):
    runner = locust_environment.runner
    if isinstance(runner, WorkerRunner):
        return
    if isinstance(runner, MasterRunner):
        clients = [client.id for client in runner.clients.all if client.state != "missing"]
        totals["workers"] = len(clients)
        for index, client_id in enumerate(clients):
            runner.send_message("swapcheck-begin", {"index": index, "count": len(clients)}, client_id)
    elif not player.ready.is_set():
        player.begin(0, 1)
        gevent.spawn(end_when_done, runner)


def on_begin(environment, msg, **_):
    if player.ready.is_set():
        return
    player.begin(msg.data["index"], msg.data["count"])
    gevent.spawn(tell_when_done, environment.runner)


def tell_when_done(runner):
    player.done.wait()
    runner.send_message("swapcheck-done", {})


def on_worker_done(environment, msg, **_):
    totals["done"] += 1
    if totals["done"] == totals["workers"]:
        gevent.spawn(environment.runner.quit)


def end_when_done(runner):
    player.done.wait()
    runner.quit()


@events.report_to_master.add_listener
def tell(client_id, data, **_):
    data["swapcheck"] = player.take()


@events.worker_report.add_listener
def hear(client_id, data, **_):
    if "swapcheck" in data:
        keep(data["swapcheck"])


@events.init.add_listener
def remember(environment, **_):
    global locust_environment
    locust_environment = environment


def judge():
    """Returns how many rules the sample breaks, or None where it could not be judged."""
    if totals["samples"] == 0:
        return None
    command = shlex.split(os.environ.get("SWAPCHECK", "swapcheck"))
    report = FOLDER / "samples-report.json"
    report.unlink(missing_ok=True)
    try:
        subprocess.run([*command, "check", str(FOLDER / "samples.ndjson"), "--report", f"json={report}"], check=False)
        return json.loads(report.read_text())["summary"]["must"]["fail"]
    except (OSError, ValueError, KeyError) as cause:
        print(f"The sample was not judged ({cause}); do it with: swapcheck check samples.ndjson", file=sys.stderr)
        return None


def measure(threshold, stats, rate, wrong):
    entry = stats.total if threshold.get("endpoint", "all") == "all" else stats.get(threshold["endpoint"], "GET")
    metric = threshold["metric"]
    if metric == "wrong":
        return wrong
    if metric == "rate":
        return rate
    if entry.num_requests == 0:
        return None
    if metric == "errors":
        return entry.num_failures / entry.num_requests
    if metric == "max":
        return entry.max_response_time
    if metric == "mean":
        return entry.avg_response_time
    return entry.get_response_time_percentile(PERCENTILES[metric])


@events.quitting.add_listener
def hold_thresholds(environment, **_):
    if isinstance(environment.runner, WorkerRunner):
        return
    if not isinstance(environment.runner, MasterRunner):
        keep(player.take())
    stats = environment.stats
    span_s = DURATION_S - WARM_UP_S
    asked = asked_between(WARM_UP_S, DURATION_S) / span_s
    reached = totals["sentInTime"] / span_s
    wrong = judge()
    code, lines = 0, []
    for threshold in PROFILE["thresholds"]:
        actual = measure(threshold, stats, reached / asked, wrong)
        held = actual is not None
        held = held and actual <= threshold.get("max", actual) and actual >= threshold.get("min", actual)
        bounds = " and ".join(f"{word} {threshold[key]:g}" for key, word in (("max", "at most"), ("min", "at least")) if key in threshold)
        shown = "not measured" if actual is None else f"{actual:g}"
        name = f"{threshold['metric']} of {threshold.get('endpoint', 'all')}"
        print(f"{'held   ' if held else 'CROSSED'} {name}: {shown} ({bounds})", file=sys.stderr)
        lines.append({**threshold, "actual": actual, "held": held})
        if not held:
            code = 1 if actual is not None else max(code, 3) if code != 1 else 1
    entries = {"all": stats.total, **{name: entry for (name, _), entry in stats.entries.items()}}
    result = {
        "rateAsked": asked,
        "rateReached": reached,
        "samples": totals["samples"],
        "wrong": wrong,
        "thresholds": lines,
        "endpoints": {
            name: {
                "requests": entry.num_requests,
                "errors": entry.num_failures,
                "latencyMs": {key: entry.get_response_time_percentile(share) for key, share in PERCENTILES.items()},
            }
            for name, entry in entries.items()
        },
    }
    (FOLDER / "result.json").write_text(json.dumps(result, indent=2) + "\n")
    print(f"rate {reached:.1f}/s of {asked:.1f}/s asked for", file=sys.stderr)
    environment.process_exit_code = code
`;
