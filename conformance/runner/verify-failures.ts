import {
  fixedAmount,
  pairsIn,
  parameterOf,
  parseTarget,
  type RequestTarget,
  writeTarget,
} from '../client/request.ts';
import { changeAmount } from '../generate/trades.ts';
import type { Failure } from '../model/report.ts';
import type { Cause, RuleTally } from './ledger.ts';
import type { Run } from './run-state.ts';

const MAX_VERIFIED_CAUSES = 24;
/** Number of times that a request is sent again before its failure counts as intermittent. */
const MAX_REPEATS = 3;

/**
 * Sends the requests of failed reply rules again, so that the report shows requests that fail: the
 * request alone, or after an earlier one to which its reply belongs. Sends nothing once the run is
 * over.
 */
export async function verifyFailures(run: Run): Promise<void> {
  const failing = [...run.ledger.tallies.values()].flatMap((tally) =>
    tally.rule.kind === 'reply' && tally.rule.level !== 'observe'
      ? [...tally.causes].flatMap(([key, { waiver }]) => (waiver ? [] : [{ tally, key }]))
      : [],
  );
  if (failing.length === 0) return;
  run.enterPhase('shrinking');
  let amounts = 0;
  for (const { tally, key } of failing.slice(0, MAX_VERIFIED_CAUSES)) {
    const cause = tally.causes.get(key);
    if (cause?.target === undefined) continue;
    const failsAfter = createRepeater(run, tally, key);
    const repeat =
      (await repeatAfterOther(run, tally, cause, failsAfter, () => ++amounts)) ??
      (await repeatAlone(cause.target, failsAfter));
    if (run.whyOver !== undefined) return;
    const shown = tally.causes.get(key);
    if (shown !== undefined) tally.causes.set(key, { ...shown, repeat });
  }
}

/** Sends requests in order, and returns whether the reply to the last one shows the failure. */
type FailsAfter = (...targets: readonly RequestTarget[]) => Promise<boolean>;

function createRepeater(run: Run, { causes }: RuleTally, key: string): FailsAfter {
  return async (...targets) => {
    let before = 0;
    for (const target of targets) {
      before = causes.get(key)?.count ?? 0;
      await run.trySend(target);
    }
    return (causes.get(key)?.count ?? 0) > before;
  };
}

async function repeatAlone(target: RequestTarget, failsAfter: FailsAfter): Promise<Repeat> {
  const requests = [writeTarget(target)];
  if (await failsAfter(target)) return { outcome: 'fails', requests, sent: 1, failed: 1 };
  let failed = 0;
  for (let sent = 1; sent < MAX_REPEATS; sent++) if (await failsAfter(target)) failed++;
  return { outcome: 'intermittent', requests, sent: MAX_REPEATS, failed };
}

/**
 * Repeats a failure whose reply belongs to another request, with amounts that nobody has requested,
 * since a cache may still hold the reply. Returns undefined if the other request does not matter.
 */
async function repeatAfterOther(
  { judging }: Run,
  { rule }: RuleTally,
  { exchange, target }: Cause,
  failsAfter: FailsAfter,
  nextAmount: () => number,
): Promise<Repeat | undefined> {
  const other = judging.equalReplies.find(exchange.id, rule.clause);
  if (other === undefined || target === undefined) return undefined;
  const second = parseTarget(writeTarget(target));
  const first = parseTarget(other.target);
  if (!hasAmount(first) || !hasAmount(second)) return undefined;
  const fresh = freshAmount(second, nextAmount());
  if (await failsAfter(fresh(second))) {
    // If the cache ignores amounts, no amount is new. Both requests fail with any state of the cache.
    const requests = [first, second].map(writeTarget);
    const isRepeated = await failsAfter(first, second);
    return isRepeated ? { outcome: 'fails', requests, sent: 2, failed: 1 } : undefined;
  }
  const pair = [first, second].map(freshAmount(second, nextAmount()));
  if (!(await failsAfter(...pair))) return undefined;
  return { outcome: 'fails-after-another', requests: pair.map(writeTarget), sent: 2, failed: 1 };
}

function hasAmount(target: RequestTarget): boolean {
  const query = pairsIn(target);
  return /^[0-9]+$/.test(parameterOf(query, fixedAmount(query)) ?? '');
}

/** Returns a function that adds some percent of the amount of `like` to the amount of a request. */
function freshAmount(like: RequestTarget, percent: number) {
  const query = pairsIn(like);
  const amount = BigInt(parameterOf(query, fixedAmount(query)) ?? 0);
  const added = (amount / 100n + 1n) * BigInt(percent);
  return (target: RequestTarget): RequestTarget => ({
    ...target,
    query: changeAmount(pairsIn(target), (before) => before + added),
  });
}

type Repeat = NonNullable<Failure['repeat']>;
