// Runs a swapcheck load profile with k6. Written by "swapcheck load export".
//
// A virtual user is a connection. It takes the next request, waits until it is
// due, and sends it. Requests are late only if no connection is free, and the
// metric "latency" runs from when a request was due. Under the Kubernetes
// operator each runner sends its part of the requests, and checks the thresholds
// against that part.
import { sleep } from 'k6';
import { SharedArray } from 'k6/data';
import exec from 'k6/execution';
import http from 'k6/http';
import { Rate, Trend } from 'k6/metrics';
import { dueSeconds, durationOf, rateAt, requestCount } from './schedule.js';

const KEY_PLACEHOLDER = '$SWAPCHECK_API_KEY';
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
const durationMs = durationOf(stages) * 1000;
const requests = requestCount(stages);
const latency = new Trend('latency', true);
const errors = new Rate('errors');
const inTime = new Rate('in_time');
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
  thresholds: thresholds(),
  summaryTrendStats: [
    'avg',
    'min',
    'med',
    'p(75)',
    'p(90)',
    'p(95)',
    'p(99)',
    'p(99.9)',
    'p(99.99)',
    'max',
  ],
};

// Thresholds select requests with the tag measured:yes, which are due after the warm-up.
function thresholds() {
  const sources = { errors: ['errors', 'rate'], rate: ['in_time', 'rate'] };
  const trends = { mean: 'avg', max: 'max' };
  const bounds = {};
  for (const { metric, endpoint = 'all', min, max } of profile.thresholds) {
    const percentile = `p(${metric.slice(1)})`;
    const [name, statistic] = sources[metric] || ['latency', trends[metric] || percentile];
    const of = endpoint === 'all' ? '' : `,endpoint:${endpoint}`;
    const tagged = `${name}{measured:yes${of}}`;
    bounds[tagged] = [
      ...(bounds[tagged] || []),
      ...(max === undefined ? [] : [`${statistic}<=${max}`]),
      ...(min === undefined ? [] : [`${statistic}>=${min}`]),
    ];
  }
  return bounds;
}

function nowMs() {
  return Date.now() - exec.scenario.startTime;
}

export function send() {
  const number = exec.scenario.iterationInTest;
  const [endpoint, status, target] = corpus[number % corpus.length];
  const dueMs = dueSeconds(stages, number) * 1000;
  const measured = dueMs >= profile.warmUpS * 1000 ? 'yes' : 'no';
  const tags = { endpoint, name: endpoint, measured };
  const isFree = dueMs > nowMs();
  if (isFree) sleep((dueMs - nowMs()) / 1000);
  const sentMs = nowMs();
  inTime.add(sentMs <= durationMs, tags);
  // The request was due, but no connection was free before the end.
  if (sentMs > durationMs + profile.timeoutMs) {
    latency.add(sentMs - dueMs, tags);
    errors.add(true, tags);
    return writeLine({ request: [endpoint, dueMs, sentMs, sentMs, 'unsent', null, null] });
  }
  const reply = http.get(base + target + key, {
    tags,
    timeout: profile.timeoutMs,
    responseCallback: expected[status],
  });
  const latencyMs = Math.max(reply.timings.duration, nowMs() - dueMs);
  latency.add(latencyMs, tags);
  errors.add(reply.status !== status, tags);
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
  const shown = rawKey.length >= 8 ? body.split(rawKey).join(KEY_PLACEHOLDER) : body;
  return { url: target + KEY_PLACEHOLDER, status, body: shown };
}

export function setup() {
  const id = `k6-${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
  writeLine({ run: { id, startedAt: new Date().toISOString(), engine: 'k6' } });
}

// For "swapcheck load merge" and "swapcheck check": run with --log-format=raw --console-output=requests.ndjson
function writeLine(line) {
  // biome-ignore lint/suspicious/noConsole: k6 writes only its log to a file.
  console.log(JSON.stringify(line));
}
