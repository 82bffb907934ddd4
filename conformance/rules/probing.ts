import type { Exchange, Reply } from '../client/exchange.ts';
import type { RequestTarget, Session } from '../runner/session.ts';
import type { Finding, ProbeVerdict } from './rule.ts';

/** Gathers what a probe asserts and finds. */
export type Tally = {
  /** Counts one assertion; a finding is a failed one. */
  readonly check: (finding: Finding | undefined) => void;
  readonly observe: (text: string) => void;
  /** The verdict: could not run where nothing was asserted. */
  readonly verdict: (whyNot: string) => ProbeVerdict;
};

/** Returns an empty tally. */
export function createTally(): Tally {
  const findings: Finding[] = [];
  const seen = new Set<string>();
  let checks = 0;
  return {
    check: (finding) => {
      checks += 1;
      if (finding !== undefined) findings.push(finding);
    },
    observe: (text) => {
      seen.add(text);
    },
    verdict: (whyNot) => {
      if (checks === 0) return { kind: 'could-not-run', why: whyNot };
      const observed = [...seen].join('; ');
      return { kind: 'judged', checks, findings, ...(observed === '' ? {} : { observed }) };
    },
  };
}

/** Returns the reply of an exchange, or undefined where none came. */
export function replyOf(exchange: Exchange): Reply | undefined {
  return exchange.outcome.kind === 'reply' ? exchange.outcome : undefined;
}

/** Tries before a 500 counts: "Internal server error" now and then is within the specification. */
const TRIES = 3;

/**
 * Sends a request, and again where it is answered with 500. Returns the last
 * exchange: what the service has to say of the request, unless it never does.
 */
export async function getUnlessServerError(
  { get }: Pick<Session, 'get'>,
  target: RequestTarget,
): Promise<Exchange> {
  let exchange = await get(target);
  for (let tries = 1; tries < TRIES && replyOf(exchange)?.status === 500; tries += 1) {
    exchange = await get(target);
  }
  return exchange;
}

/** Returns the status of an exchange in words: `400 UNKNOWN_TOKEN`, with the error's value where there is one. */
export function statusWords(exchange: Exchange): string {
  const reply = replyOf(exchange);
  if (reply === undefined) return 'no reply';
  const { document } = reply;
  const body = document.kind === 'json' ? document.value : undefined;
  const error =
    typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string'
      ? ` ${body.error.slice(0, 60)}`
      : '';
  return `${reply.status}${error}`;
}
