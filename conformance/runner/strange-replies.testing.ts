import fc from 'fast-check';
import { expect } from 'vitest';
import { STRANGE_PLANS } from '../checks/strange-plans.testing.ts';
import { exchangeWith } from '../client/exchange.testing.ts';
import type { Exchange } from '../client/exchange.ts';
import { readReply } from '../client/read-reply.ts';
import { createRedactor } from '../client/redaction.ts';
import { KEY_PLACEHOLDER } from '../client/request.ts';
import type { Endpoint } from '../contract/paths.ts';
import {
  goldenChainInfo,
  goldenFacts,
  goldenQuery,
  goldenSwap,
  goldenTokens,
} from '../model/golden-replies.testing.ts';
import { CATALOG } from '../rules/catalog.ts';
import { createReplyJudge } from './judging.ts';
import { Ledger } from './ledger.ts';

type Strange = (size: number) => string;

/**
 * An operation, a description, a reply that grows with a size, and the part of the reply that
 * grows.
 */
export type StrangeReply = readonly [
  operation: Endpoint,
  what: string,
  of: Strange,
  has: 'entries' | 'values',
];

const VALUES: readonly ((size: number) => unknown)[] = [
  (n) => 'x'.repeat(n),
  (n) => `0x${'a'.repeat(n)}`,
  (n) => `0X${'A'.repeat(n)}`,
  (n) => '9'.repeat(n),
  (n) => '0'.repeat(n),
  (n) => `1${' '.repeat(n)}`,
  (n) => ' '.repeat(n),
  (n) => '\\"'.repeat(n),
  (n) => '\u0000'.repeat(n),
  (n) => '😀'.repeat(n),
  (n) => '\ud800'.repeat(n),
  (n) => 'a/'.repeat(n),
  (n) => '-'.repeat(n),
  (n) => `https://${'a.'.repeat(n)}`,
  (n) => Array(n).fill('x'),
  (n) => Array(n).fill(null),
  (n) => Array(n).fill([]),
  (n) => Array(n).fill({ referenceId: 1, amount: 1 }),
  (n) => Object.fromEntries(Array.from({ length: n }, (_, at) => [`key ${at}`, at])),
  (n) => Array.from({ length: n }, String),
  () => 1e308,
  () => null,
  () => -1,
  () => true,
];

function replaced(body: unknown, choices: readonly number[], size: number): unknown {
  let next = 0;
  const choose = () => choices[next++ % choices.length] ?? 0;
  const walk = (value: unknown): unknown => {
    const choice = choose();
    if (choice % 5 === 0) return VALUES[choice % VALUES.length]?.(size);
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, walk(each)]));
  };
  return walk(body);
}

const STRANGE_ENTRIES: Readonly<Record<string, Strange>> = {
  'routes of nothing': (n) => planWith({ routes: Array(n).fill({}) }),
  'routes that are none': (n) => planWith({ routes: Array(n).fill(null) }),
  'tokens of nothing': (n) => planWith({ tokens: Array(n).fill({}) }),
  'duplicate keys': (n) => planWith({}).replace('{', `{${'"a":1,'.repeat(n)}`),
  'a reference id of many digits': (n) => planWith({}).replace('600', '6'.repeat(n)),
  ...Object.fromEntries(
    Object.entries(STRANGE_PLANS).map(([what, of]) => [what, (n: number) => planWith(of(n))]),
  ),
};

function planWith(fields: object): string {
  return JSON.stringify({ ...goldenSwap(), ...fields }).replace(/"#([0-9]+)"/g, '$1');
}

/** A reply in which any values may be one thing, repeated many times. */
const strangeReply: fc.Arbitrary<readonly [operation: Endpoint, of: Strange]> = fc
  .record({
    operation: fc.constantFrom('swap' as const, 'tokens' as const, 'chainInfo' as const),
    choices: fc.array(fc.nat(997), { minLength: 97, maxLength: 97 }),
  })
  .map(({ operation, choices }) => {
    const golden = { swap: goldenSwap, tokens: goldenTokens, chainInfo: goldenChainInfo }[
      operation
    ];
    return [operation, (size) => JSON.stringify(replaced(golden(), choices, size))] as const;
  });

/** The key is distinctive, so it is redacted in all text of a reply. */
const { redactText: redact } = createRedactor('a-key-that-tells-0123');

/** Judges a reply: parses its bytes, applies the rules and records the verdicts. */
export async function judgeBytes(operation: Endpoint, body: string): Promise<void> {
  const ledger = new Ledger({ rules: CATALOG, weigh: () => 1 });
  const judgeReply = createReplyJudge({ rules: CATALOG, ledger, tolerancePpm: 1 });
  const rawHeaders = ['content-type', 'application/json'];
  const exchange: Exchange = {
    ...exchangeWith('', { endpoint: operation, query: [...Object.entries(goldenQuery), OWN_KEY] }),
    outcome: readReply({ status: 200, rawHeaders, body: Buffer.from(body) }, { redact }),
  };
  await judgeReply(exchange, { ...goldenFacts }, {});
  const stuck = [...ledger.tallies.values()].flatMap(({ rule, obstacle }) =>
    obstacle?.kind === 'could-not-run' ? `${rule.id}: ${obstacle.why}` : [],
  );
  expect(stuck).toEqual([]);
}

const OWN_KEY = ['apiKey', KEY_PLACEHOLDER] as const;

/**
 * Returns replies that grow with a size, either in the number of entries or in a few large values.
 */
export function strangeReplies(draws: number): readonly StrangeReply[] {
  const entries = Object.entries(STRANGE_ENTRIES).map(
    ([what, of]) => ['swap', what, of, 'entries'] as const,
  );
  const drawn = fc
    .sample(strangeReply, { seed: 1, numRuns: draws })
    .map(
      ([operation, of], index) =>
        [operation, `much of one thing, draw ${index + 1}`, of, 'values'] as const,
    );
  return [...entries, ...drawn];
}

/**
 * Returns a size at which a reply has about the given number of bytes. Returns the maximum size if
 * the reply is always shorter.
 */
export function sizeOf(of: Strange, bytes: number, maxSize: number): number {
  let size = 64;
  while (size < maxSize && of(size).length < bytes) size *= 2;
  return size;
}
