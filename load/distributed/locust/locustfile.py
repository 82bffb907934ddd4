"""Plays a swapcheck load profile with Locust. Written by "swapcheck load export".

Requests arrive on a schedule that does not wait for replies. Latency runs from
when a request was due. The master divides the schedule among its workers.
"""

import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
import time
import uuid
from collections import Counter
from datetime import datetime, timezone
from pathlib import Path
from urllib.parse import quote, urlsplit

import gevent
import gevent.event
import locust.runners
from geventhttpclient import HTTPClient
from locust import User, constant, events, task
from locust.runners import MasterRunner, WorkerRunner

FOLDER = Path(__file__).resolve().parent
# Locust does not promise to look for modules beside the locustfile.
sys.path.insert(0, str(FOLDER))

from schedule import due_count, due_times, duration_of  # noqa: E402
from thresholds import describe, exit_code, figures_of, hold  # noqa: E402

# Some packages of Locust have an empty version string; a master refuses workers without one.
if not locust.runners.__version__:
    locust.runners.__version__ = "0.0.0"

PROFILE = json.loads((FOLDER / "profile.json").read_text())
CORPUS = [json.loads(line) for line in (FOLDER / "corpus.ndjson").read_text().splitlines()]
STAGES = PROFILE["schedule"]
KEY = os.environ.get("SWAPCHECK_API_KEY", "")
KEY_PLACEHOLDER = "$SWAPCHECK_API_KEY"
TIMEOUT_S = PROFILE["timeoutMs"] / 1000
WARM_UP_S = PROFILE["warmUpS"]
DURATION_S = duration_of(STAGES)


class Player:
    """This process's share of the schedule."""

    def __init__(self):
        self.ready = gevent.event.Event()
        self.done = gevent.event.Event()
        self.exhausted = False
        self.in_flight = 0
        self.sent_in_time = Counter()
        self.samples = []
        self.requests = []
        self.sample_second = -1
        self.samples_this_second = 0

    def begin(self, index, count):
        self.slots = due_times(STAGES, index, count)
        self.samples_allowed = max(1, PROFILE["samplesPerSecond"] // count)
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
            text = text.replace(KEY, KEY_PLACEHOLDER)
        self.samples.append({"url": target + KEY_PLACEHOLDER, "status": status, "body": text})

    def take(self):
        taken = {"samples": self.samples, "requests": self.requests, "sentInTime": dict(self.sent_in_time)}
        self.samples, self.requests, self.sent_in_time = [], [], Counter()
        return taken


class Crew:
    """What the master knows of its workers, or of itself where it plays alone."""

    def __init__(self):
        self.sent_in_time = Counter()
        self.samples = 0
        self.playing = set()
        self.lost = 0

    def keep(self, part):
        self.sent_in_time.update(part["sentInTime"])
        self.samples += len(part["samples"])
        self.write("samples.ndjson", part["samples"])
        self.write("requests.ndjson", [{"request": request} for request in part["requests"]])

    def write(self, name, lines):
        """Adds lines to a file: to requests.ndjson for "swapcheck load merge"."""
        with open(FOLDER / name, "a", encoding="utf-8") as file:
            for line in lines:
                file.write(json.dumps(line) + "\n")

    def begin(self, runner):
        clients = [client.id for client in runner.clients.all if client.state != "missing"]
        self.playing = set(clients)
        for index, client_id in enumerate(clients):
            runner.send_message("swapcheck-begin", {"index": index, "count": len(clients)}, client_id)

    def watch(self, runner):
        """Ends the run when every worker is done; one that is gone will not be."""
        while self.playing:
            gevent.sleep(0.2)
            present = {client.id for client in runner.clients.all if client.state != "missing"}
            for client_id in self.playing - present:
                print(f"worker {client_id} was lost, and its share of the run", file=sys.stderr)
                self.lost += 1
                self.playing.discard(client_id)
        runner.quit()


player = Player()
crew = Crew()


class Connection(User):
    """One connection: takes the next request, waits until it is due, sends it."""

    wait_time = constant(0)

    def on_start(self):
        parts = urlsplit(self.environment.host or PROFILE["target"])
        self.prefix = parts.path.rstrip("/")
        self.origin = f"{parts.scheme}://{parts.netloc}"
        self.connect()

    def connect(self):
        timeouts = {"connection_timeout": TIMEOUT_S, "network_timeout": TIMEOUT_S}
        self.http = HTTPClient.from_url(self.origin, concurrency=1, **timeouts)

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
            self.send(number, due_s, wait_s > 0)
        finally:
            player.in_flight -= 1
            player.settle()

    def send(self, number, due_s, is_free):
        name, expected, target = CORPUS[number % len(CORPUS)]
        sent_s = player.now()
        if sent_s > DURATION_S + TIMEOUT_S:
            error, size, status = "unsent", 0, None
        else:
            if due_s >= WARM_UP_S and sent_s <= DURATION_S:
                player.sent_in_time[name] += 1
            error, size, status = self.get(target, expected)
        end_s = player.now()
        times = [round(seconds * 1000, 3) for seconds in (due_s, sent_s, end_s)]
        kind = "status" if error and error.startswith("status ") else error
        lag_ms = round(max(0, sent_s - due_s) * 1000, 3) if is_free else None
        player.requests.append([name, *times, kind, status, lag_ms])
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

    def get(self, target, expected):
        """Sends one request; returns what went wrong, if anything, the body's size, and the status."""
        try:
            with gevent.Timeout(TIMEOUT_S, socket.timeout):
                response = self.http.get(self.prefix + target + quote(KEY, safe=""))
                body = bytes(response.read())
        except Exception as cause:
            # A client that was closed answers nothing more.
            self.http.close()
            self.connect()
            return loss(cause), 0, None
        player.sample(target, response.status_code, body)
        error = None if response.status_code == expected else f"status {response.status_code}"
        return error, len(body), response.status_code


def loss(cause):
    if isinstance(cause, (socket.timeout, TimeoutError)):
        return "timeout"
    return "refused" if isinstance(cause, ConnectionRefusedError) else "reset"


@events.init.add_listener
def prepare(environment, **_):
    runner = environment.runner
    if isinstance(runner, WorkerRunner):
        runner.register_message("swapcheck-begin", on_begin)
        environment.process_exit_code = 0
        return
    expect_judge()
    started_at = datetime.now(timezone.utc).isoformat()
    run = {"run": {"id": str(uuid.uuid4()), "startedAt": started_at, "engine": "Locust"}}
    (FOLDER / "samples.ndjson").write_text("")
    (FOLDER / "requests.ndjson").write_text(json.dumps(run) + "\n")
    if isinstance(runner, MasterRunner):
        runner.register_message("swapcheck-done", on_worker_done)

    # Users are spawned when they are all there, and the run begins with them.
    @environment.events.spawning_complete.add_listener
    def begin(user_count, **_):
        if player.ready.is_set() or crew.playing:
            return
        if isinstance(runner, MasterRunner):
            crew.begin(runner)
            gevent.spawn(crew.watch, runner)
        else:
            player.begin(0, 1)
            gevent.spawn(end_when_done, runner)


def on_begin(environment, msg, **_):
    if player.ready.is_set():
        return
    player.begin(msg.data["index"], msg.data["count"])
    gevent.spawn(tell_when_done, environment.runner)


def tell_when_done(runner):
    player.done.wait()
    # The master waits half a second for last reports: one that comes before this word is never late.
    last = {}
    events.report_to_master.fire(client_id=runner.client_id, data=last)
    runner.send_message("stats", last)
    runner.send_message("swapcheck-done", {})


def on_worker_done(environment, msg, **_):
    crew.playing.discard(msg.node_id)


def end_when_done(runner):
    player.done.wait()
    runner.quit()


@events.report_to_master.add_listener
def tell(client_id, data, **_):
    data["swapcheck"] = player.take()


@events.worker_report.add_listener
def hear(client_id, data, **_):
    if "swapcheck" in data:
        crew.keep(data["swapcheck"])


def judge_command():
    """Returns the words of the command that judges the sample: SWAPCHECK, else the program on the PATH; None where neither is."""
    named = shlex.split(os.environ.get("SWAPCHECK", ""))
    found = shutil.which(named[0] if named else "swapcheck")
    return None if found is None else [found, *named[1:]]


def expect_judge():
    """Says before the run, not after it, that the sample cannot be judged; a threshold on it ends the run here."""
    if judge_command() is not None:
        return
    named = (shlex.split(os.environ.get("SWAPCHECK", "")) or ["swapcheck"])[0]
    hint = f"{named} is not on the PATH: name the program in SWAPCHECK, such as SWAPCHECK='npx swapcheck'"
    if any(threshold["metric"] == "wrong" for threshold in PROFILE["thresholds"]):
        print(f"error: 'wrong' could not be measured: {hint}", file=sys.stderr)
        sys.exit(3)
    print(f"The sample will not be judged: {hint}", file=sys.stderr)


def judge():
    """Returns how many rules the sample breaks, or None where it could not be judged."""
    command = judge_command()
    if crew.samples == 0 or command is None:
        return None
    report = FOLDER / "samples-report.json"
    report.unlink(missing_ok=True)
    try:
        subprocess.run([*command, "check", str(FOLDER / "samples.ndjson"), "--report", f"json={report}"], check=False)
        return json.loads(report.read_text())["summary"]["must"]["fail"]
    except (OSError, ValueError, KeyError) as cause:
        print(f"The sample was not judged ({cause}); do it with: swapcheck check samples.ndjson", file=sys.stderr)
        return None


@events.quitting.add_listener
def conclude(environment, **_):
    if isinstance(environment.runner, WorkerRunner):
        return
    if not isinstance(environment.runner, MasterRunner):
        crew.keep(player.take())
    crew.write("requests.ndjson", [{"lost": crew.lost}])
    stats = environment.stats
    sent_in_time = crew.sent_in_time
    due = due_count(STAGES, WARM_UP_S)
    endpoints = {"all": figures_of(stats.total, sum(sent_in_time.values()), due)}
    for (name, _method), entry in stats.entries.items():
        endpoints[name] = figures_of(entry, sent_in_time[name])
    wrong = judge()
    results = [hold(threshold, endpoints, wrong) for threshold in PROFILE["thresholds"]]
    for result in results:
        print(describe(result), file=sys.stderr)
    span_s = DURATION_S - WARM_UP_S
    asked, reached = (endpoints["all"][name] / span_s for name in ("due", "sentInTime"))
    print(f"rate {reached:.1f}/s of {asked:.1f}/s asked for", file=sys.stderr)
    result = {
        "rateAsked": asked,
        "rateReached": reached,
        "lostWorkers": crew.lost,
        "samples": crew.samples,
        "wrong": wrong,
        "thresholds": results,
        "endpoints": endpoints,
    }
    (FOLDER / "result.json").write_text(json.dumps(result, indent=2) + "\n")
    environment.process_exit_code = exit_code(results, crew.lost)
