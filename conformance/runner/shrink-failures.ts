import type { Exchange } from '../client/exchange.ts';
import type { RequestTarget } from '../client/request.ts';
import { NO_FACTS } from '../discovery/discover.ts';
import { judgesMissingReplies, type Rule } from '../model/rule.ts';
import type { RuleTally } from './ledger.ts';
import type { Run } from './run-state.ts';

/** Limits on shrinking, which must not cost more than the run itself. */
const MAX_SHRUNK_CAUSES = 24;
const MAX_TRIES = 24;

/**
 * Sends simpler variants of the requests that failed reply rules. The ledger records the smallest
 * request for a cause, so a variant that still fails replaces it, and is simplified in turn.
 */
export async function shrinkFailures(run: Run): Promise<void> {
  const failing = [...run.ledger.tallies.values()].flatMap((tally) =>
    isShrunk(tally.rule) ? [...tally.causes.keys()].map((key) => ({ tally, key })) : [],
  );
  if (failing.length === 0) return;
  run.enterPhase('shrinking');
  const sent = new Map<string, Promise<Exchange>>();
  /** Several causes may share a reply, so each variant is sent only once. */
  const sendOnce = (target: RequestTarget) => {
    const bytes = JSON.stringify(target);
    const exchange = sent.get(bytes) ?? run.trySend(target);
    sent.set(bytes, exchange);
    return exchange;
  };
  for (const { tally, key } of failing.slice(0, MAX_SHRUNK_CAUSES)) {
    if (run.whyOver !== undefined) return;
    await shrinkCause(run, tally, key, sendOnce);
  }
}

/** Variants of a request without a reply would only wait for replies that never arrive. */
function isShrunk(rule: Rule): boolean {
  return rule.kind === 'reply' && rule.level !== 'observe' && !judgesMissingReplies(rule);
}

async function shrinkCause(
  { options, facts = NO_FACTS }: Run,
  { causes }: RuleTally,
  key: string,
  sendOnce: (target: RequestTarget) => Promise<Exchange>,
): Promise<void> {
  for (let tries = 0; ; ) {
    const smallest = causes.get(key);
    if (smallest?.target === undefined) return;
    let smaller = false;
    for (const target of options.generator.simplify(smallest.target, facts)) {
      if (++tries > MAX_TRIES) return;
      await sendOnce(target);
      smaller = causes.get(key)?.target !== smallest.target;
      if (smaller) break;
    }
    if (!smaller) return;
  }
}
