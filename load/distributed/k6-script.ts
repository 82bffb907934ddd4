/** The k6 script: plays `profile.json` and `corpus.ndjson` from its folder, with the binary or its Kubernetes operator. */
export const K6_SCRIPT = String.raw`// Plays a swapcheck load profile with k6. Written by "swapcheck load export".
//
// Requests arrive on a schedule that does not wait for replies. The metric
// "latency" runs from when a request was due. Under the Kubernetes operator each
// runner holds the thresholds against its own part of the run.
import exec from 'k6/execution';
import http from 'k6/http';
import { SharedArray } from 'k6/data';
import { Rate, Trend } from 'k6/metrics';

const profile = JSON.parse(open('./profile.json'));
const corpus = new SharedArray('corpus', () =>
  open('./corpus.ndjson').split('\n').filter((line) => line !== '').map((line) => JSON.parse(line)),
);
const base = (__ENV.SWAPCHECK_BASE_URL || profile.target).replace(/\/+$/, '');
const key = encodeURIComponent(__ENV.SWAPCHECK_API_KEY || '');
const latency = new Trend('latency', true);
const errors = new Rate('errors');
const stages = profile.schedule;
const expected = {
  200: http.expectedStatuses(200),
  400: http.expectedStatuses(400),
};

export const options = {
  scenarios: { play: scenario() },
  thresholds: thresholds(),
  summaryTrendStats: ['avg', 'min', 'med', 'p(75)', 'p(90)', 'p(95)', 'p(99)', 'p(99.9)', 'p(99.99)', 'max'],
  noVUConnectionReuse: false,
  discardResponseBodies: false,
};

// A constant rate is k6's own; anything else is a ramp, in which a step is a ramp of no length.
function scenario() {
  const common = { preAllocatedVUs: profile.connections, maxVUs: profile.connections, gracefulStop: profile.timeoutMs + 'ms' };
  const whole = stages.length === 1 && stages[0].fromRate === stages[0].toRate;
  // k6 takes whole numbers: the rate is given for a longer unit of time instead.
  const unit = 60;
  const asWhole = (rate) => Math.round(rate * unit);
  if (whole) {
    return Object.assign(common, { executor: 'constant-arrival-rate', rate: asWhole(stages[0].toRate), timeUnit: unit + 's', duration: stages[0].durationS * 1000 + 'ms' });
  }
  return Object.assign(common, {
    executor: 'ramping-arrival-rate',
    startRate: asWhole(stages[0].fromRate),
    timeUnit: unit + 's',
    stages: stages.flatMap(({ durationS, fromRate, toRate }) => [
      { duration: '0s', target: asWhole(fromRate) },
      { duration: durationS * 1000 + 'ms', target: asWhole(toRate) },
    ]),
  });
}

// Only requests due after the warm-up carry the tag that thresholds look at.
function thresholds() {
  const held = {};
  const add = (metric, bound) => { held[metric] = [...(held[metric] || []), bound]; };
  const asked = stages.reduce((sum, { durationS, fromRate, toRate }) => sum + ((fromRate + toRate) / 2) * durationS, 0);
  for (const { metric, endpoint, min, max } of profile.thresholds) {
    const tags = '{measured:yes' + (endpoint === undefined || endpoint === 'all' ? '' : ',endpoint:' + endpoint) + '}';
    const bounds = (figure) => [
      ...(max === undefined ? [] : [figure + '<=' + max]),
      ...(min === undefined ? [] : [figure + '>=' + min]),
    ];
    if (metric === 'errors') for (const bound of bounds('rate')) add('errors' + tags, bound);
    else if (metric === 'rate' && min !== undefined) add('dropped_iterations', 'count<=' + Math.ceil((1 - min) * asked));
    else if (metric === 'mean') for (const bound of bounds('avg')) add('latency' + tags, bound);
    else if (metric === 'max') for (const bound of bounds('max')) add('latency' + tags, bound);
    else if (metric[0] === 'p') for (const bound of bounds('p(' + metric.slice(1) + ')')) add('latency' + tags, bound);
  }
  return held;
}

// Milliseconds after the start: request n is due when the area under the rate reaches n.
function dueMs(number) {
  let areaBefore = 0;
  let startS = 0;
  for (const { durationS, fromRate, toRate } of stages) {
    const area = ((fromRate + toRate) / 2) * durationS;
    if (number < areaBefore + area) {
      const part = number - areaBefore;
      const root = Math.sqrt(Math.max(0, fromRate * fromRate + (2 * (toRate - fromRate) * part) / durationS));
      return (startS + (fromRate + root === 0 ? 0 : (2 * part) / (fromRate + root))) * 1000;
    }
    areaBefore += area;
    startS += durationS;
  }
  return startS * 1000;
}

export default function () {
  const number = exec.scenario.iterationInTest;
  const [endpoint, status, target] = corpus[number % corpus.length];
  const due = dueMs(number);
  const tags = { endpoint, name: endpoint, measured: due >= profile.warmUpS * 1000 ? 'yes' : 'no' };
  const reply = http.get(base + target + key, { tags, timeout: profile.timeoutMs, responseCallback: expected[status] });
  latency.add(Math.max(reply.timings.duration, Date.now() - exec.scenario.startTime - due), tags);
  errors.add(reply.status !== status, tags);
  // About a hundred a second, for "swapcheck check": run with --log-format=raw --console-output=samples.ndjson
  if (reply.status !== 0 && number % Math.max(1, Math.round(rateAt(due) / profile.samplesPerSecond)) === 0) {
    console.log(JSON.stringify({ url: target + '$SWAPCHECK_API_KEY', status: reply.status, body: reply.body }));
  }
}

function rateAt(ms) {
  let startMs = 0;
  for (const { durationS, fromRate, toRate } of stages) {
    const share = (ms - startMs) / (durationS * 1000);
    if (share < 1) return fromRate + (toRate - fromRate) * share;
    startMs += durationS * 1000;
  }
  return stages[stages.length - 1].toRate;
}
`;

/** A run of the k6 operator. The corpus is larger than a ConfigMap may be, so the folder is on a volume. */
export const K6_MANIFEST = `# Before: put this folder on the volume claim "swapcheck-load", and the key in a secret:
#   kubectl create secret generic swapcheck-api-key --from-literal=SWAPCHECK_API_KEY=...
# The operator divides the schedule among the runners. Each holds the thresholds
# against its own part, and none sees the whole: read the merged figures from
# the store that the runners write to.
apiVersion: k6.io/v1alpha1
kind: TestRun
metadata:
  name: swapcheck-load
spec:
  parallelism: 4
  script:
    volumeClaim:
      name: swapcheck-load
      file: script.js
  runner:
    env:
      - name: SWAPCHECK_BASE_URL
        value: "@TARGET@"
      - name: SWAPCHECK_API_KEY
        valueFrom:
          secretKeyRef:
            name: swapcheck-api-key
            key: SWAPCHECK_API_KEY
`;
