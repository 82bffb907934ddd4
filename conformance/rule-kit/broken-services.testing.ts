import { NO_FACTS } from '../discovery/discover.ts';
import type { Facts } from '../discovery/facts.ts';
import type { ServiceBreak, ServiceChange, ServiceFacts, ServiceVariant } from '../model/breaks.ts';
import { formatStatement } from '../model/format-statement.ts';
import { BOUGHT, NATIVE } from '../model/golden-addresses.ts';
import { goldenChainInfo, goldenTokens } from '../model/golden-replies.testing.ts';
import { modelMarket, twoChains } from '../model/model-market.testing.ts';
import { modelSession } from '../model/model-service.testing.ts';
import type { Session } from '../model/session.ts';
import type { Verdict } from '../model/verdict.testing.ts';
import { movingMarket, respond, unchanged, unsteady } from './service-breaks.ts';

const UNKNOWN_TOKEN = `0x${'7'.repeat(40)}`;

export const FACTS: Readonly<Record<ServiceFacts, Partial<Facts>>> = {
  undiscovered: NO_FACTS,
  untraded: { markets: new Map() },
  twoChains,
  unknownTokenListed: {
    tokens: new Map([
      [31337, [...goldenTokens(), { ...goldenTokens()[0], address: UNKNOWN_TOKEN }]],
    ]),
  },
  unknownUsdToken: {
    chainInfo: new Map([[31337, { ...goldenChainInfo(), usdTokenAddress: UNKNOWN_TOKEN }]]),
  },
  lastTokenUntraded: {
    markets: new Map([
      [
        31337,
        {
          ...modelMarket,
          pairs: modelMarket.pairs.filter(({ sell, buy }) =>
            [sell, buy].every(({ address }) => address !== BOUGHT),
          ),
        },
      ],
    ]),
  },
  nativeListed: {
    tokens: new Map([[31337, [...goldenTokens(), { ...goldenTokens()[0], address: NATIVE }]]]),
  },
  noRouters: { chainInfo: new Map([[31337, { ...goldenChainInfo(), routers: [] }]]) },
  noEncoder: {
    chainInfo: new Map([
      [31337, { ...goldenChainInfo(), routers: goldenChainInfo().routers.slice(1) }],
    ]),
  },
  otherAddresses: { markets: new Map([[31337, { ...modelMarket, addresses: 'other' }]]) },
  noTokenTraded: { markets: new Map([[31337, { ...modelMarket, pairs: [] }]]) },
};

/** Splits a break into its change, its facts and the findings that it must produce. */
export function serviceBreakParts(row: ServiceBreak): {
  readonly change: ServiceChange;
  readonly facts: ServiceFacts | undefined;
  readonly finds: readonly string[];
} {
  const [change, second, ...rest] = row;
  return typeof second === 'object'
    ? { change, facts: second.facts, finds: rest }
    : { change, facts: undefined, finds: second === undefined ? [] : [second, ...rest] };
}

/** Returns a session with the model service, changed by a break. */
export function brokenSession(row: ServiceBreak): ReturnType<typeof modelSession> {
  const { change, facts } = serviceBreakParts(row);
  return modelSession(change, facts && FACTS[facts]);
}

/** Returns a session with the model service after an unusual but valid change. */
export function variantSession([, change, around]: ServiceVariant) {
  return modelSession(change, around && FACTS[around.facts]);
}

/**
 * Formats each different finding of a probe as a line. If the probe judged nothing, returns only
 * the reason.
 */
export function findingLines(verdict: Verdict): readonly string[] {
  if (verdict.kind !== 'judged') return [`${verdict.kind}: ${verdict.why}`];
  const lines = verdict.findings.map(
    ({ expected, actual }) =>
      `expected ${formatStatement(expected)}, got ${formatStatement(actual)}`,
  );
  return [...new Set(lines)];
}

/**
 * Replaces each line with the first pattern that matches it, and removes duplicates. `…` matches
 * any text.
 */
export function byPattern(lines: readonly string[], patterns: readonly string[]) {
  const expressions = patterns.map((pattern) => ({
    pattern,
    expression: new RegExp(
      `^${pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.*')}$`,
      's',
    ),
  }));
  const matched = lines.map(
    (line) => expressions.find(({ expression }) => expression.test(line))?.pattern ?? line,
  );
  return [...new Set(matched)];
}

/** Services on which the tests run every probe, by name. */
export const SERVICES = {
  correct: () => modelSession(),
  moving: () => modelSession(movingMarket),
  unsteady: () => modelSession(unsteady),
  undiscovered: () => modelSession(unchanged, NO_FACTS),
  untraded: () => modelSession(unchanged, FACTS.untraded),
  silent: () => modelSession(() => 'no reply'),
  /** The replies are too large to be stored. */
  large: () => modelSession((tooLarge) => ({ tooLarge })),
  'status 404': () => modelSession(respond(404, 'nothing here')),
  'status 501': () => modelSession(respond(501, {})),
  'status 500': () => modelSession(respond(500, { error: 'BROKEN', message: 'sorry' })),
  'status 401': () => modelSession(respond(401, { error: 5 })),
  'status 200': () => modelSession(respond(200, { error: 'x'.repeat(80) })),
} as const satisfies Readonly<Record<string, () => Session>>;

export type Outcome = 'passes' | 'fails' | 'fails in part' | 'does not apply' | 'could not run';

/**
 * Returns the outcome that the runner derives from a verdict. A probe that asserts nothing could
 * not run.
 */
export function outcomeOf(verdict: Verdict): Outcome {
  if (verdict.kind === 'not-applicable') return 'does not apply';
  if (verdict.kind !== 'judged' || verdict.checks === 0) return 'could not run';
  if (verdict.findings.length === 0) return 'passes';
  return verdict.findings.length === verdict.checks ? 'fails' : 'fails in part';
}
