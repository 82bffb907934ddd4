"""Runs a swapcheck load profile with Locust. Written by "swapcheck load export".

Requests arrive on a schedule that does not wait for replies. Latency runs from
when a request was due. The master divides the schedule among its workers, and
writes requests.ndjson: "swapcheck load merge" checks the thresholds, and
"swapcheck check requests.ndjson" judges the sample of replies.
"""

import json
import os
import socket
import sys
import time
import uuid
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
# Locust does not guarantee that it finds modules next to the locustfile.
sys.path.insert(0, str(FOLDER))

from redaction import KEY_PLACEHOLDER, redactor  # noqa: E402
from schedule import due_times, duration_of  # noqa: E402

# Some packages of Locust have an empty version string; a master rejects workers without a version.
if not locust.runners.__version__:
    locust.runners.__version__ = "0.0.0"

PROFILE = json.loads((FOLDER / "profile.json").read_text())
CORPUS = [json.loads(line) for line in (FOLDER / "corpus.ndjson").read_text().splitlines()]
STAGES = PROFILE["schedule"]
KEY = os.environ.get("SWAPCHECK_API_KEY", "")
redact = redactor(KEY)
TIMEOUT_S = PROFILE["timeoutMs"] / 1000
WARM_UP_S = PROFILE["warmUpS"]
DURATION_S = duration_of(STAGES)


class ClientRun:
    """This process's share of the schedule."""

    def __init__(self):
        self.ready = gevent.event.Event()
        self.done = gevent.event.Event()
        self.exhausted = False
        self.in_flight = 0
        self.lines = []
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
        text = redact(body.decode("utf-8", "replace"))
        self.lines.append({"url": target + KEY_PLACEHOLDER, "status": status, "body": text})

    def take(self):
        taken, self.lines = self.lines, []
        return taken


class Crew:
    """State of all workers on the master, or of the only process."""

    def __init__(self):
        self.running = set()
        self.lost = 0

    def write(self, lines):
        with open(FOLDER / "requests.ndjson", "a", encoding="utf-8") as file:
            for line in lines:
                file.write(json.dumps(line) + "\n")

    def begin(self, runner):
        clients = [client.id for client in runner.clients.all if client.state != "missing"]
        self.running = set(clients)
        for index, client_id in enumerate(clients):
            runner.send_message("swapcheck-begin", {"index": index, "count": len(clients)}, client_id)

    def watch(self, runner):
        """Ends the run when every worker has finished or disappeared."""
        while self.running:
            gevent.sleep(0.2)
            present = {client.id for client in runner.clients.all if client.state != "missing"}
            for client_id in self.running - present:
                print(f"worker {client_id} was lost: its share of the run is missing", file=sys.stderr)
                self.lost += 1
                self.running.discard(client_id)
        runner.quit()


client_run = ClientRun()
crew = Crew()


class Connection(User):
    """One connection, which takes the next request, waits until it is due, and sends it."""

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
    def send_next(self):
        client_run.ready.wait()
        slot = client_run.next_slot()
        if slot is None:
            gevent.event.Event().wait()
        number, due_s = slot
        client_run.in_flight += 1
        try:
            wait_s = due_s - client_run.now()
            if wait_s > 0:
                gevent.sleep(wait_s)
            self.send(number, due_s, wait_s > 0)
        finally:
            client_run.in_flight -= 1
            client_run.settle()

    def send(self, number, due_s, is_free):
        name, expected, target = CORPUS[number % len(CORPUS)]
        sent_s = client_run.now()
        if sent_s > DURATION_S + TIMEOUT_S:
            error, size, status = "unsent", 0, None
        else:
            error, size, status = self.get(target, expected)
        end_s = client_run.now()
        times = [round(seconds * 1000, 3) for seconds in (due_s, sent_s, end_s)]
        kind = "status" if error and error.startswith("status ") else error
        lag_ms = round(max(0, sent_s - due_s) * 1000, 3) if is_free else None
        client_run.lines.append({"request": [name, *times, kind, status, lag_ms]})
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
        """Sends one request; returns the error or None, the size of the body and the status."""
        try:
            with gevent.Timeout(TIMEOUT_S, socket.timeout):
                response = self.http.get(self.prefix + target + quote(KEY, safe=""))
                body = bytes(response.read())
        except Exception as cause:
            # A closed client cannot be used again.
            self.http.close()
            self.connect()
            return loss(cause), 0, None
        client_run.sample(target, response.status_code, body)
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
    started_at = datetime.now(timezone.utc).isoformat()
    run = {"run": {"id": str(uuid.uuid4()), "startedAt": started_at, "engine": "Locust"}}
    (FOLDER / "requests.ndjson").write_text(json.dumps(run) + "\n")
    if isinstance(runner, MasterRunner):
        runner.register_message("swapcheck-done", on_worker_done)

    # The run begins when every user has been spawned.
    @environment.events.spawning_complete.add_listener
    def begin(user_count, **_):
        if client_run.ready.is_set() or crew.running:
            return
        if isinstance(runner, MasterRunner):
            crew.begin(runner)
            gevent.spawn(crew.watch, runner)
        else:
            client_run.begin(0, 1)
            gevent.spawn(end_when_done, runner)


def on_begin(environment, msg, **_):
    if client_run.ready.is_set():
        return
    client_run.begin(msg.data["index"], msg.data["count"])
    gevent.spawn(report_when_done, environment.runner)


def report_when_done(runner):
    client_run.done.wait()
    # The master waits half a second for last reports, so a report sent before "swapcheck-done" is never late.
    last = {}
    events.report_to_master.fire(client_id=runner.client_id, data=last)
    runner.send_message("stats", last)
    runner.send_message("swapcheck-done", {})


def on_worker_done(environment, msg, **_):
    crew.running.discard(msg.node_id)


def end_when_done(runner):
    client_run.done.wait()
    runner.quit()


@events.report_to_master.add_listener
def add_to_report(client_id, data, **_):
    data["swapcheck"] = client_run.take()


@events.worker_report.add_listener
def read_report(client_id, data, **_):
    if "swapcheck" in data:
        crew.write(data["swapcheck"])


@events.quitting.add_listener
def conclude(environment, **_):
    if isinstance(environment.runner, WorkerRunner):
        return
    if not isinstance(environment.runner, MasterRunner):
        crew.write(client_run.take())
    crew.write([{"lost": crew.lost}])
    # Locust would exit with 1 if any request failed, but the profile's thresholds decide.
    environment.process_exit_code = 3 if crew.lost else 0
