import type { Facts } from '../discovery/facts.ts';
import { exactInput, tradesOf } from '../generate/trades.ts';
import type { Around, Change, CorrectReply, KnownFacts, ReplyBreak } from '../model/breaks.ts';
import { formatQuoted, formatStatement, type TextOptions } from '../model/format-statement.ts';
import { NATIVE, SOLD, WRAPPED } from '../model/golden-addresses.ts';
import {
  type Given,
  given,
  goldenChainInfo,
  goldenChains,
  goldenError,
  goldenFacts,
  goldenNativeBuy,
  goldenNativeSell,
  goldenPlainSwap,
  goldenSwap,
  goldenTokens,
  type Loose,
  WITHOUT_CALLDATA,
} from '../model/golden-replies.testing.ts';
import type { JudgedReply } from '../model/judged-reply.ts';
import { factsWithPrices, modelFacts } from '../model/model-market.testing.ts';
import type { Fault, ReplyRule, Rule } from '../model/rule.ts';
import { openTally, type Reported } from '../model/tally.ts';

/** Correct replies by name, each with its request and status. */
export const CORRECT: Readonly<Record<CorrectReply, readonly [() => Loose, Given]>> = {
  swap: [goldenSwap, {}],
  plainSwap: [goldenPlainSwap, { query: WITHOUT_CALLDATA }],
  nativeSell: [
    goldenNativeSell,
    { query: { sellToken: NATIVE, sellAmount: '2162884172944070813' } },
  ],
  nativeBuy: [goldenNativeBuy, { query: { buyToken: `0x${'E'.repeat(40)}` } }],
  tokens: [goldenTokens, { endpoint: 'tokens' }],
  chains: [goldenChains, { endpoint: 'chains' }],
  chainInfo: [goldenChainInfo, { endpoint: 'chainInfo' }],
  error: [goldenError, { status: 400 }],
};

export const FACTS: Readonly<Record<KnownFacts, Facts | undefined>> = {
  none: undefined,
  priced: factsWithPrices(
    4_000,
    { address: WRAPPED, usdPrice: 4_000 },
    { address: SOLD, usdPrice: 1 },
  ),
  usdIsNative: {
    ...goldenFacts,
    chainInfo: new Map([[31337, { ...goldenChainInfo(), usdTokenAddress: NATIVE }]]),
  },
  unpriced: factsWithPrices(
    undefined,
    { address: WRAPPED, usdPrice: undefined },
    { address: NATIVE, usdPrice: 9, native: true },
  ),
  traded: modelFacts,
  unreadable: {
    ...goldenFacts,
    chains: [{ chainId: 31337 }],
    chainInfo: new Map([
      [31337, { ...goldenChainInfo(), routers: [], unreadableRouters: ['default-router'] }],
    ]),
  },
  withoutChains: { ...goldenFacts, chains: [] },
  withoutTokens: { ...goldenFacts, tokens: new Map() },
  withoutChainInfo: { ...goldenFacts, chainInfo: new Map() },
};

function tradedQuery(): NonNullable<Given['query']> {
  const [trade] = tradesOf(modelFacts);
  if (trade === undefined) throw new Error('the model has no trade');
  return { ...WITHOUT_CALLDATA, ...Object.fromEntries(exactInput(trade)) };
}

/** Returns the name of the correct reply that the breaks of a rule change. */
export function correctReplyFor(rule: ReplyRule): CorrectReply {
  return rule.ofErrors === true ? 'error' : (rule.endpoint ?? 'swap');
}

/**
 * Applies a change to the named correct reply, or to `around.of`. `around` also overrides the
 * request, the status and the facts.
 */
export function brokenReply(name: CorrectReply, change: Change, around: Around = {}): JudgedReply {
  const { of = name, facts, query, ...rest } = around;
  const [open, usual] = CORRECT[of];
  const body = applyChange(open(), change);
  return given(body, {
    ...usual,
    query: { ...usual.query, ...(facts === 'traded' && tradedQuery()), ...query },
    ...rest,
    ...(facts !== undefined && { facts: FACTS[facts] }),
  });
}

/** Applies a change to a body and returns the result. Most changes modify the body in place. */
export function applyChange(body: Loose, change: Change): Loose {
  if (typeof change === 'function') {
    change(body);
    return body;
  }
  if ('' in change) return change[''];
  for (const [pointer, value] of Object.entries(change)) {
    const names = pointer.split('/').slice(1);
    const parent = names.slice(0, -1).reduce((object, name) => object[name], body);
    const name = names.at(-1) ?? '';
    if (value === undefined) delete parent[name];
    else parent[name] = value;
  }
  return body;
}

/** Splits a break into its change, its circumstances and the lines that it must produce. */
export function partsOf(row: ReplyBreak): {
  readonly change: Change;
  readonly around: Around;
  readonly finds: readonly string[];
} {
  const [change, second, ...rest] = row;
  return typeof second === 'object'
    ? { change, around: second, finds: rest }
    : { change, around: {}, finds: second === undefined ? rest : [second, ...rest] };
}

/** The faults and observations of a rule in one reply or settlement. */
export type SubjectVerdict = {
  readonly findings: readonly Fault[];
  readonly observed: readonly string[];
};

/** Judges a reply as the runner does. Returns undefined if the rule does not apply. */
export function verdictOn(rule: Rule | undefined, input: JudgedReply): SubjectVerdict | undefined {
  if (rule?.kind !== 'reply') return undefined;
  const { check, checkMissing, endpoint }: ReplyRule = rule;
  const { exchange } = input;
  const reported = openTally(rule);
  if (exchange.outcome.kind === 'no-reply') checkMissing?.(exchange, reported.tally);
  else if (endpoint === undefined || endpoint === exchange.endpoint) check(input, reported.tally);
  return subjectVerdict(reported);
}

/** Returns what a rule reported on one subject; undefined if it asserted nothing. */
export function subjectVerdict({ tally, faults }: Reported): SubjectVerdict | undefined {
  if (tally.checks === 0) return undefined;
  return { findings: faults, observed: [...tally.observed.values()].map(({ text }) => text) };
}

/** Formats the findings and observations of a verdict as the lines of a break. */
export function linesOf(
  verdict: SubjectVerdict | undefined,
  options: TextOptions = {},
): readonly string[] {
  const { findings = [], observed = [] } = verdict ?? {};
  return [
    ...findings.map(({ pointer, actual }) => {
      const place = pointer === undefined ? '' : `at ${pointer || 'the top level'}: `;
      return `${place}${formatStatement(actual, options)}`;
    }),
    ...observed,
  ];
}

/**
 * Returns the complete lines that a break must produce. If a line contains only a place, adds the
 * value that the change puts there.
 */
export function expectedLines(change: Change, finds: readonly string[]): readonly string[] {
  return finds.map((line) => {
    const [, pointer] = /^at (\/\S*)$/.exec(line) ?? [];
    const isNew = pointer !== undefined && typeof change === 'object' && pointer in change;
    return isNew ? `${line}: ${formatQuoted(change[pointer])}` : line;
  });
}
