import { type Exchange, type Reply, statusOf } from '../client/exchange.ts';
import type { RequestTarget } from '../client/request.ts';
import type { Finding, ProbeVerdict } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import { quote } from './faults.ts';

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

/** Returns the reply of an exchange; undefined where none came, or none that could be kept. */
export function replyOf(exchange: Exchange): Reply | undefined {
  return exchange.outcome.kind === 'reply' ? exchange.outcome : undefined;
}

/** Why nothing was asserted of what was asked. */
export const NO_WORD = 'no reply came, or none but 500, as to what was answered before';

/**
 * Returns whether a reply says something of what was asked: any but a 500 that
 * another request is answered with as well, since "Internal server error" can
 * answer everything. False where no reply came.
 */
export async function isOwnAnswer(
  { get }: Pick<Session, 'get'>,
  exchange: Exchange,
  other: RequestTarget,
): Promise<boolean> {
  const status = statusOf(exchange);
  if (status !== 500) return status !== undefined;
  return statusOf(await get(other)) !== 500;
}

/** Returns the status of an exchange in words: `400 "UNKNOWN_TOKEN"`, with the error's value where there is one. */
export function statusWords(exchange: Exchange): string {
  const reply = replyOf(exchange);
  if (reply === undefined) return String(statusOf(exchange) ?? 'no reply');
  const { document } = reply;
  const body = document.kind === 'json' ? document.value : undefined;
  const error =
    typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string'
      ? ` ${quote(body.error.slice(0, 60))}`
      : '';
  return `${reply.status}${error}`;
}
