import type { Exchange } from '../client/exchange.ts';
import {
  fixedAmount,
  pairsIn,
  parameterOf,
  parseTarget,
  type RequestTarget,
  writeTarget,
} from '../client/request.ts';
import { RunStopped } from '../client/scheduler.ts';
import { changeAmount } from '../generate/trades.ts';
import { groupBy } from '../model/group-by.ts';
import type { Failure } from '../model/report.ts';
import type { ProbeRule, Rule } from '../model/rule.ts';
import type { Cause, Ledger, RuleTally } from './ledger.ts';
import { runProbe } from './run-probes.ts';
import { createWorkCache, type Run } from './run-state.ts';

const MAX_VERIFIED_CAUSES = 24;
/** Number of times that a request is sent again before its failure counts as intermittent. */
const MAX_REPEATS = 3;

/**
 * Repeats failures, so that the report shows which of them occur again. For a rule on replies,
 * finds requests that fail: the request alone, or after an earlier one to which its reply belongs.
 * Runs a rule that sends its own requests once more. Counts and verdicts stay as they are. Sends
 * nothing once the run is over.
 */
export async function verifyFailures(run: Run): Promise<void> {
  const failing = [...run.ledger.tallies.values()].flatMap((tally) =>
    tally.rule.kind !== 'settlement' && tally.rule.level !== 'observe'
      ? [...tally.causes].flatMap(([key, { waiver }]) => (waiver ? [] : [{ tally, key }]))
      : [],
  );
  if (failing.length === 0 || run.whyOver !== undefined) return;
  run.enterPhase('verifying');
  const ledger = run.beginRepeats();
  const share = createWorkCache();
  let amounts = 0;
  const shown = failing.slice(0, MAX_VERIFIED_CAUSES);
  for (const [tally, causes] of groupBy(shown, (each) => each.tally)) {
    const { rule } = tally;
    if (rule.kind === 'probe' || rule.kind === 'relation') {
      const outcomeOf = await runAgain(run, rule, { ledger, share });
      for (const { key } of causes) setRepeat(tally, key, outcomeOf(key));
      continue;
    }
    for (const { key } of causes) {
      const resend = createResend(run, { rule, key, ledger });
      const repeat = await repeatRequests(run, tally, key, resend, () => ++amounts);
      setRepeat(tally, key, repeat);
    }
  }
}

function setRepeat({ causes }: RuleTally, key: string, repeat: Repeat | undefined): void {
  const cause = causes.get(key);
  if (cause !== undefined && repeat !== undefined) causes.set(key, { ...cause, repeat });
}

/**
 * Runs a probe again with the same choices. Returns a function that returns the outcome for a
 * cause; undefined if the cause did not occur because the probe could not judge.
 */
async function runAgain(
  run: Run,
  rule: ProbeRule,
  { ledger, share }: { readonly ledger: Ledger; readonly share: Run['share'] },
): Promise<(key: string) => Repeat | undefined> {
  const tally = ledger.tallyOf(rule);
  const breadth = run.pace.breadths.get(rule.id);
  if (tally === undefined || breadth === undefined) return () => undefined;
  ledger.forget();
  await runProbe(run, rule, { tally, breadth, share });
  // A probe that was stopped may have left requests running.
  await run.settled();
  const failed = new Set(tally.causes.keys());
  const couldRun = tally.obstacle === undefined;
  return (key) => {
    if (failed.has(key)) return { outcome: 'fails' };
    return couldRun ? { outcome: 'intermittent' } : undefined;
  };
}

/** Result of a repeat. */
type Repeated = {
  readonly fails: boolean;
  /** The reply, if the rule judged nothing in it: its status, or why there was none. */
  readonly unjudged?: string | undefined;
};

/**
 * Sends requests in order, and returns how the rule judges the reply to the last one.
 *
 * @throws {RunStopped} if a request may not be sent.
 */
type Resend = (...targets: readonly RequestTarget[]) => Promise<Repeated>;

function createResend(
  run: Run,
  { rule, key, ledger }: { readonly rule: Rule; readonly key: string; readonly ledger: Ledger },
): Resend {
  return async (...targets) => {
    let last: Exchange | undefined;
    for (const target of targets) {
      ledger.forget();
      last = await run.send(target);
    }
    const { causes, checks } = ledger.tallyOf(rule) ?? { causes: new Map(), checks: 0 };
    return {
      fails: causes.has(key),
      unjudged: checks === 0 && last !== undefined ? describeReply(last) : undefined,
    };
  };
}

function describeReply({ outcome }: Exchange): string {
  return outcome.kind === 'no-reply' ? `no reply: ${outcome.message}` : `status ${outcome.status}`;
}

/** Repeats the request of a failure. Returns undefined if a request could not be sent. */
async function repeatRequests(
  run: Run,
  tally: RuleTally,
  key: string,
  resend: Resend,
  nextAmount: () => number,
): Promise<Repeat | undefined> {
  const cause = tally.causes.get(key);
  if (cause?.target === undefined) return undefined;
  try {
    return (
      (await repeatAfterOther(run, tally, cause, resend, nextAmount)) ??
      (await repeatAlone(cause.target, resend))
    );
  } catch (error) {
    if (!(error instanceof RunStopped)) throw error;
    return undefined;
  }
}

async function repeatAlone(target: RequestTarget, resend: Resend): Promise<Repeat> {
  const requests = [writeTarget(target)];
  const results = [await resend(target)];
  if (results[0]?.fails) return { outcome: 'fails', requests, sent: 1, failed: 1 };
  while (results.length < MAX_REPEATS) results.push(await resend(target));
  const failed = results.filter(({ fails }) => fails).length;
  const unjudged = results.flatMap((result) => result.unjudged ?? []);
  const [reply] = unjudged;
  return {
    outcome: unjudged.length === MAX_REPEATS ? 'not-judged' : 'intermittent',
    ...{ requests, sent: MAX_REPEATS, failed },
    ...(reply !== undefined && { unjudged: { replies: unjudged.length, reply } }),
  };
}

/**
 * Repeats a failure whose reply belongs to another request, with amounts that nobody has requested,
 * since a cache may still hold the reply. Returns undefined if the other request does not matter.
 */
async function repeatAfterOther(
  { judging }: Run,
  { rule }: RuleTally,
  { exchange, target }: Cause,
  resend: Resend,
  nextAmount: () => number,
): Promise<Repeat | undefined> {
  const other = judging.equalReplies.find(exchange.id, rule.clause);
  if (other === undefined || target === undefined) return undefined;
  const second = parseTarget(writeTarget(target));
  const first = parseTarget(other.target);
  if (!hasAmount(first) || !hasAmount(second)) return undefined;
  const fresh = freshAmount(second, nextAmount());
  if ((await resend(fresh(second))).fails) {
    // If the cache ignores amounts, no amount is new. Both requests fail with any state of the
    // cache.
    const requests = [first, second].map(writeTarget);
    const repeated = await resend(first, second);
    return repeated.fails ? { outcome: 'fails', requests, sent: 2, failed: 1 } : undefined;
  }
  const pair = [first, second].map(freshAmount(second, nextAmount()));
  if (!(await resend(...pair)).fails) return undefined;
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
