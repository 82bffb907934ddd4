import { NO_API_KEY } from '../client/api-key.ts';
import { createClient } from '../client/client.ts';
import {
  DELAYED_WRITES,
  DELAYED_WRITES_FIX,
  isLoopback,
  MIN_TIMED_REPLIES,
  noteOnDelayedWrites,
} from '../client/delayed-writes.ts';
import { type Exchange, statusOf } from '../client/exchange.ts';
import { createOperations } from '../client/operations.ts';
import type { Reach } from '../client/reach.ts';
import type { RequestTarget } from '../client/request.ts';
import { PATHS } from '../contract/paths.ts';
import { explainRejection } from '../discovery/explain-rejection.ts';
import { medianOf } from '../model/statistics.ts';
import { formatStatus } from '../rule-kit/reply-status.ts';
import { type Diagnosis, diagnosis, MAX_REPLY_MS, MAX_SKEW_MS } from './diagnosis.ts';

/** Diagnoses a service: whether it responds and accepts the key, its clock, and its reply times. */
export async function diagnoseService(
  url: URL,
  apiKey: string,
  reach: Reach,
): Promise<readonly Diagnosis[]> {
  const client = createClient({ ...reach, url, apiKey, timeoutMs: MAX_REPLY_MS });
  try {
    const { signal } = new AbortController();
    const get = (target: RequestTarget) => client.send(target, signal);
    const { exchange } = await createOperations(get).chains();
    return [
      diagnoseReply(url, exchange),
      await diagnoseKey(apiKey, exchange, get),
      ...diagnoseClock(exchange),
      ...(await diagnoseReplyTimes(url, exchange, get)),
    ];
  } finally {
    await client.close();
  }
}

function diagnoseReply(url: URL, { outcome, durationMs }: Exchange): Diagnosis {
  if (outcome.kind === 'no-reply') {
    const { cause, message: words } = outcome;
    // Other messages name the cause, such as TLS, and the fix.
    if (cause !== 'refused') return { what: 'Service', state: 'missing', words };
    const fix = `start the service, or pass a BASE_URL other than ${url.origin}`;
    return diagnosis(false, 'Service', words, fix);
  }
  const words = `${PATHS.chains} returned ${outcome.status} in ${Math.round(durationMs)} ms`;
  const fix = 'pass the base URL of the service, without /api/v1.0';
  return diagnosis(outcome.status !== 404, 'Service', words, fix);
}

/**
 * Returns a diagnosis if replies of a service on this machine are held back. Requests more replies
 * only if the first took long enough.
 */
export async function diagnoseReplyTimes(
  { href }: Pick<URL, 'href'>,
  { outcome, durationMs }: Pick<Exchange, 'outcome' | 'durationMs'>,
  get: (target: RequestTarget) => Promise<Exchange>,
): Promise<readonly Diagnosis[]> {
  if (outcome.kind === 'no-reply' || !isLoopback(href) || durationMs < MIN_HELD_BACK_MS) return [];
  const timesMs: number[] = [];
  const { chains } = createOperations(get);
  while (timesMs.length < MIN_TIMED_REPLIES) timesMs.push((await chains()).exchange.durationMs);
  const p50Ms = medianOf(timesMs);
  const times = { requests: timesMs.length, p50Ms, p99Ms: Math.max(...timesMs) };
  if (noteOnDelayedWrites(href, [times]) === undefined) return [];
  return [
    { what: 'Reply times', state: 'doubtful', words: DELAYED_WRITES, fix: DELAYED_WRITES_FIX },
  ];
}

/** Minimum duration of a reply that may have been held back. */
const MIN_HELD_BACK_MS = 35;

async function diagnoseKey(
  apiKey: string,
  exchange: Exchange,
  get: (target: RequestTarget) => Promise<Exchange>,
): Promise<Diagnosis> {
  const what = 'API key';
  const fix = 'set SWAPCHECK_API_KEY or pass --api-key';
  const status = statusOf(exchange);
  if (apiKey === '') return diagnosis(false, what, NO_API_KEY, fix);
  if (status === 200) return diagnosis(true, what, 'is accepted', fix);
  if (status === undefined) {
    return { what, state: 'doubtful', words: 'was not tested: the service did not respond' };
  }
  const rejection = await explainRejection(get);
  if (rejection?.cause === 'key') {
    const words = `is wrong: the service rejects it like an unknown key, with ${rejection.answer}`;
    return diagnosis(false, what, words, fix);
  }
  if (rejection === undefined) {
    const words = `was not tested: ${PATHS.chains} returns ${formatStatus(exchange)}`;
    return { what, state: 'doubtful', words };
  }
  if (rejection.cause === 'redirect') {
    const words = `was not tested: the service redirects every request to ${rejection.baseUrl}`;
    return diagnosis(false, what, words, `pass ${rejection.baseUrl}`);
  }
  const words = `was not tested: the service rejects every request in the same way: ${rejection.answer}`;
  const reach = 'the service may require a header (--header) or another address (--proxy)';
  return diagnosis(false, what, words, reach);
}

function diagnoseClock({ outcome, startedAtMs, durationMs }: Exchange): readonly Diagnosis[] {
  const date = outcome.kind === 'reply' ? outcome.headers['date']?.[0] : undefined;
  const theirs = Date.parse(date ?? '');
  if (Number.isNaN(theirs)) return [];
  // A Date header contains only whole seconds, so the skew may be off by a second.
  const skewMs = Math.round(theirs - (startedAtMs + durationMs / 2));
  const isClose = Math.abs(skewMs) <= MAX_SKEW_MS;
  const words = `the service's clock is ${Math.abs(skewMs / 1000).toFixed(0)} s ${skewMs < 0 ? 'behind' : 'ahead of'} ours`;
  const fix =
    'synchronize both clocks with NTP, since deadlines in calldata and the ages of markets depend on them';
  return [diagnosis(isClose, 'Clock', words, fix, 'doubtful')];
}
