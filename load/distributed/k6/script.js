// Runs a swapcheck load profile with k6. Written by "swapcheck load export".
//
// A virtual user is a connection. It takes the next request, waits until it is
// due, and sends it, so requests are late only if no connection is free. Under the
// Kubernetes operator each runner sends its part of the requests. Latencies from when
// a request was due are in requests.ndjson: "swapcheck load merge" checks the
// thresholds, and "swapcheck check requests.ndjson" judges the sample of replies.
import { sleep } from 'k6';
import { SharedArray } from 'k6/data';
import exec from 'k6/execution';
import http from 'k6/http';
import { KEY_PLACEHOLDER, redactor } from './redaction.js';
import { dueSeconds, durationOf, rateAt, requestCount } from './schedule.js';

const profile = JSON.parse(open('./profile.json'));
const stages = profile.schedule;
const corpus = new SharedArray('corpus', () =>
  open('./corpus.ndjson')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line)),
);
const base = (__ENV.SWAPCHECK_BASE_URL || profile.target).replace(/\/+$/, '');
const rawKey = __ENV.SWAPCHECK_API_KEY || '';
const key = encodeURIComponent(rawKey);
const redact = redactor(rawKey);
const durationMs = durationOf(stages) * 1000;
const requests = requestCount(stages);
const expected = { 200: http.expectedStatuses(200), 400: http.expectedStatuses(400) };

export const options = {
  scenarios: {
    send: {
      exec: 'send',
      executor: 'shared-iterations',
      vus: Math.min(profile.connections, requests),
      iterations: requests,
      maxDuration: `${Math.ceil(durationMs / 1000 + (2 * profile.timeoutMs) / 1000 + 60)}s`,
    },
  },
};

function nowMs() {
  return Date.now() - exec.scenario.startTime;
}

export function send() {
  const number = exec.scenario.iterationInTest;
  const [endpoint, status, target] = corpus[number % corpus.length];
  const dueMs = dueSeconds(stages, number) * 1000;
  const isFree = dueMs > nowMs();
  if (isFree) sleep((dueMs - nowMs()) / 1000);
  const sentMs = nowMs();
  // The request was due, but no connection was free before the end.
  if (sentMs > durationMs + profile.timeoutMs) {
    return writeLine({ request: [endpoint, dueMs, sentMs, sentMs, 'unsent', null, null] });
  }
  const reply = http.get(base + target + key, {
    tags: { name: endpoint },
    timeout: profile.timeoutMs,
    responseCallback: expected[status],
  });
  const latencyMs = Math.max(reply.timings.duration, nowMs() - dueMs);
  const ended = [sentMs, dueMs + latencyMs, errorOf(reply, status), reply.status || null];
  const request = [endpoint, dueMs, ...ended, isFree ? Math.max(0, sentMs - dueMs) : null];
  writeLine({ request, ...sample(number, dueMs, target, reply) });
}

function errorOf({ status, error }, wanted) {
  if (status === wanted) return null;
  if (status !== 0) return 'status';
  if (/timeout/i.test(error)) return 'timeout';
  return /refused/.test(error) ? 'refused' : 'reset';
}

function sample(number, dueMs, target, { status, body }) {
  const every = Math.round(rateAt(stages, dueMs / 1000) / profile.samplesPerSecond);
  if (status === 0 || number % Math.max(1, every) !== 0) return {};
  return { url: target + KEY_PLACEHOLDER, status, body: redact(body) };
}

export function setup() {
  const id = `k6-${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
  writeLine({ run: { id, startedAt: new Date().toISOString(), engine: 'k6' } });
}

// The lines reach the file if k6 runs with --log-format=raw --console-output=requests.ndjson
function writeLine(line) {
  // biome-ignore lint/suspicious/noConsole: k6 writes only its log to a file.
  console.log(JSON.stringify(line));
}
