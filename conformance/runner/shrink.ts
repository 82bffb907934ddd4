import type { Exchange } from '../client/exchange.ts';
import type { RequestTarget } from '../client/request.ts';
import type { Facts } from '../discovery/facts.ts';
import type { Simplify } from '../model/session.ts';
import type { Cause, Ledger, Tally } from './ledger.ts';

export type ShrinkOptions = {
  readonly ledger: Ledger;
  readonly facts: Facts;
  readonly simplify: Simplify;
  readonly get: (asked: {
    readonly target: RequestTarget;
    readonly path?: string;
  }) => Promise<Exchange>;
};

/** Causes that are made smaller, each with so many requests: shrinking must not cost more than the run. */
const MAX_CAUSES = 24;
const MAX_TRIES = 24;

/**
 * Sends simpler variants of the requests that failed reply rules. The ledger
 * keeps the smallest that shows a cause, so a variant that still fails takes its
 * place there, and is made simpler in turn.
 *
 * @throws {RunStopped} when the run is over.
 */
export async function shrinkCauses({ ledger, facts, simplify, get }: ShrinkOptions): Promise<void> {
  const failing = [...ledger.tallies.values()].flatMap((tally) =>
    tally.rule.kind === 'reply' && tally.rule.level !== 'observe'
      ? [...tally.causes.keys()].map((key) => ({ tally, key }))
      : [],
  );
  const tried = new Map<string, Promise<Exchange>>();
  for (const { tally, key } of failing.slice(0, MAX_CAUSES)) {
    await shrinkCause(tally, key, simplify, facts, (asked) => {
      // Other causes were met in the same replies: no variant need be sent twice.
      const bytes = JSON.stringify(asked.target);
      const sent = tried.get(bytes) ?? get(asked);
      tried.set(bytes, sent);
      return sent;
    });
  }
}

async function shrinkCause(
  tally: Tally,
  key: string,
  simplify: Simplify,
  facts: Facts,
  get: ShrinkOptions['get'],
): Promise<void> {
  let tries = 0;
  for (;;) {
    const smallest: Cause | undefined = tally.causes.get(key);
    if (smallest?.target === undefined) return;
    const variants = simplify(smallest.target, facts);
    let smaller = false;
    for (const [index, target] of variants.entries()) {
      if (++tries > MAX_TRIES) return;
      const path = smallest.path === undefined ? {} : { path: `${smallest.path}:${index}` };
      await get({ target, ...path });
      smaller = tally.causes.get(key)?.target !== smallest.target;
      if (smaller) break;
    }
    if (!smaller) return;
  }
}
