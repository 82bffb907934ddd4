import { describe, expect, test } from 'vitest';
import { KEY_PLACEHOLDER, type RequestTarget } from '../client/request.ts';
import { PATHS } from '../contract/paths.ts';
import { exactInput, tradesOf } from '../generate/trades.ts';
import { BOUGHT } from '../model/golden-addresses.ts';
import { modelFacts } from '../model/model-market.testing.ts';
import { modelSession } from '../model/model-service.testing.ts';
import type { ProbeRule } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import { runProbe } from '../model/verdict.testing.ts';
import {
  FACTS,
  findingLines,
  type Outcome,
  outcomeOf,
  SERVICES,
} from '../rule-kit/broken-services.testing.ts';
import { has, on, reject, unchanged, written } from '../rule-kit/service-breaks.ts';
import { CATALOG } from './catalog.ts';

const probes = CATALOG.filter(
  (rule): rule is ProbeRule => rule.kind === 'probe' || rule.kind === 'relation',
);

function probe(id: string): ProbeRule {
  return probes.find((rule) => rule.id === id) ?? expect.fail(`no probe ${id}`);
}

async function probesThat(open: () => Session, ...outcomes: readonly Outcome[]) {
  const results = await Promise.all(
    probes.map(async (rule) => {
      const verdict = await runProbe(rule, open());
      expect(findingLines(verdict).join()).not.toMatch(/undefined:|\[object/);
      return { id: rule.id, outcome: outcomeOf(verdict) };
    }),
  );
  return results.filter(({ outcome }) => outcomes.includes(outcome)).map(({ id }) => id);
}

describe('every probe', () => {
  const { correct, moving, unsteady, ...others } = SERVICES;

  test('a correct service -> passes; without a second chain, one probe does not apply', async () => {
    const notPassing = await probesThat(correct, 'fails', 'fails in part', 'could not run');
    expect(notPassing).toEqual([]);
    expect(await probesThat(correct, 'does not apply')).toEqual(['relation/chains-distinct']);
  });

  test.each([
    ['a moving market', moving],
    ['plans that are worse now and then', unsteady],
  ])('%s -> no probe fails, and every probe can run', async (_what, open) => {
    expect(await probesThat(open, 'fails', 'fails in part', 'could not run')).toEqual([]);
  });

  test.each<[keyof typeof others, readonly string[]]>([
    ['undiscovered', []],
    ['untraded', []],
    ['large', []],
    // Discovery received plans from these routers, so missing replies are a fault.
    ['silent', ['swap/routers-plan', 'swap/encoders-encode']],
    // If every request fails, the service has an outage. Exceptions are requests that did not
    // succeed during discovery either.
    [
      'status 500',
      [
        'lookups/every-chain',
        'swap/routers-plan',
        'swap/encoders-encode',
        'endpoint/malformed-query',
      ],
    ],
  ])('a service that is %s -> only these findings', async (name, failing) => {
    expect(await probesThat(others[name], 'fails', 'fails in part')).toEqual(failing);
  });

  test.each(['status 404', 'status 501', 'status 401', 'status 200'] as const)(
    'a service with %s for all -> readable findings',
    async (name) => {
      const failing = await probesThat(others[name], 'fails', 'fails in part');
      expect(failing.length).toBeGreaterThan(10);
    },
  );
});

const ENCODED = 'includeCalldata=true userAddress=0x0*32c0ffee01 slippageTolerance=0.01';
const OPERATIONS = ['chains', 'tokens', 'chainInfo', 'swap'];

/**
 * Requests sent to the correct service, written as differences from the first trade. `...`
 * represents further requests.
 */
const REQUESTS: Readonly<Record<string, readonly string[]>> = {
  'endpoint/paths': ['swap -sellToken -buyToken -sellAmount', 'tokens', 'chains', 'chainInfo'],
  'plan/returned': [],
  'lookups/every-chain': ['tokens', 'chainInfo', 'tokens chainId=501', 'chainInfo chainId=501'],
  'lookups/tokens-tradable': [],
  'endpoint/get': ['chains'],
  'endpoint/other-methods-observed': ['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'].map(
    (method) => `${method} chains`,
  ),
  'tokens/key-required': ['tokens -apiKey', 'tokens apiKey='],
  'chains/key-required': ['chains -apiKey', 'chains apiKey='],
  'chain-info/key-required': ['chainInfo -apiKey', 'chainInfo apiKey='],
  // The probe requests every form, including calldata.
  'swap/key-required': [
    'swap -apiKey',
    'swap apiKey=',
    'swap -sellAmount -apiKey buyToken=0xb*40 buyAmount=10*8',
    'swap -sellAmount buyToken=0xb*40 buyAmount=10*8 apiKey=',
    `swap -apiKey buyToken=0xd*40 router=default-router ${ENCODED}`,
    '...',
  ],
  'swap/lost-recipients-observed': ['', 'e', 'f', 'a', 'b', '1'].map(
    (digit) => `swap router=default-router ${ENCODED}${digit && ` recipientAddress=0x${digit}*40`}`,
  ),
  'swap/wrapping-observed': ['swap buyToken=0xa*40 sellAmount=10*15'],
  'keys/key-is-enough': OPERATIONS,
  'keys/missing-observed': OPERATIONS.flatMap((operation) => [
    `${operation} -apiKey`,
    `${operation} apiKey=`,
  ]),
  'keys/invalid-observed': OPERATIONS.flatMap((operation) => [
    `${operation} apiKey=swapcheck-unknown-key`,
    `${operation} apiKey twice`,
  ]),
  'error/missing-parameter-observed': [
    'swap -chainId',
    'swap -sellToken',
    'swap -buyToken',
    'swap -sellAmount',
  ],
  'error/both-amounts-observed': ['swap buyAmount=1'],
  'error/unknown-chain-observed': ['chainInfo', 'tokens', 'swap'].map(
    (operation) => `${operation} chainId=987654321987`,
  ),
  'error/unsupported-pair-observed': [
    'swap buyToken=0x5*40',
    'swap buyToken=0x0*40',
    `swap sellAmount=${1n << 200n}`,
    `swap -sellAmount buyAmount=${1n << 200n}`,
  ],
  'swap/smallest-amounts': [
    'swap sellAmount=0',
    'swap sellAmount=1',
    'swap -sellAmount buyAmount=0',
    'swap -sellAmount buyAmount=1',
    '...',
  ],
  'endpoint/request-size-observed': [
    'swap unknown=1',
    'swap unknown=x*4096',
    'swap unknown=x*65536',
    'swap sellAmount=9*1000',
  ],
};

const [trade] = tradesOf(modelFacts);
if (trade === undefined) throw new Error('the model has no trade');

test.each(Object.entries(REQUESTS))('%s -> its requests', async (id, requests) => {
  const session = modelSession();
  await runProbe(probe(id), session);
  const sent = [...new Set(session.sent.map(describeRequest))];
  const isCut = requests.at(-1) === '...';
  expect(isCut ? [...sent.slice(0, requests.length - 1), '...'] : sent).toEqual(requests);
});

/** Describes a request by its operation and differences: `swap -chainId buyAmount=1`. */
function describeRequest({ method = 'GET', path, query, key }: RequestTarget): string {
  const correct = new Map([
    ...(path === PATHS.swap ? exactInput(trade as NonNullable<typeof trade>) : []),
    ...(path === PATHS.chains ? [] : [['chainId', '31337'] as const]),
    ['apiKey', KEY_PLACEHOLDER] as const,
  ]);
  const given = [...new URLSearchParams(query as string)];
  if (key !== 'as-written') given.push(['apiKey', KEY_PLACEHOLDER]);
  const names = given.map(([name]) => name);
  const short = (value: string) => value.replace(/(.)\1{7,}/g, (run) => `${run[0]}*${run.length}`);
  return [
    ...(method === 'GET' ? [] : [method]),
    path.replace(/^.*\//, ''),
    ...[...correct.keys()].filter((name) => !names.includes(name)).map((name) => `-${name}`),
    ...given
      .filter(([name, value]) => correct.get(name) !== value)
      .map(([name, value]) => `${name}=${short(value)}`),
    ...names.filter((name, index) => names.indexOf(name) < index).map((name) => `${name} twice`),
  ].join(' ');
}

describe('lookups/tokens-tradable', () => {
  test.each([
    [unchanged, 1],
    [on(has('buyToken', BOUGHT), reject), 4],
  ])(
    'a token without a known trade -> requests until one returns a plan',
    async (change, requests) => {
      const session = modelSession(change, FACTS.lastTokenUntraded);
      const verdict = await runProbe(probe('lookups/tokens-tradable'), session);
      expect([verdict.kind, session.sent.length]).toEqual(['judged', requests]);
    },
  );
});

describe('endpoint/malformed-query', () => {
  const isMalformed = /%(?![0-9A-F]{2})|%C3%28/;
  const rule = probe('endpoint/malformed-query');

  test('each required parameter -> sent in a malformed form', async () => {
    const session = modelSession();
    await runProbe(rule, session);
    const sent = session.sent.map(({ query }) => String(query));
    for (const name of [
      'chainId',
      'sellToken',
      'buyToken',
      'sellAmount',
      'buyAmount',
      'userAddress',
    ]) {
      for (const text of ['%ZZ', '%', '%C3%28']) {
        expect(sent.some((query) => query.split('&').includes(`${name}=${text}`))).toBe(true);
      }
    }
    expect(sent.every((raw) => isMalformed.test(raw))).toBe(true);
  });

  test('a service that does not reply to malformed requests -> gets a correct request after each', async () => {
    const session = modelSession(on(written(isMalformed), () => 'no reply'));
    await runProbe(rule, session);
    const malformed = session.sent.filter(({ query }) => isMalformed.test(String(query)));
    expect(malformed).toHaveLength(session.sent.length / 2);
  });
});

test('error/unsupported-pair-observed: a pair rejected during discovery -> requested again, one pair per chain', async () => {
  const [sell, buy] = [trade.pair.sell, { ...trade.pair.buy, symbol: 'NONE' }];
  const pairsWithoutPlan = [
    [sell, buy],
    [buy, sell],
  ] as const;
  const markets = new Map([[31337, { ...trade.market, pairsWithoutPlan }]]);
  const session = modelSession(unchanged, { markets });
  expect(await runProbe(probe('error/unsupported-pair-observed'), session)).toMatchObject({
    observed: expect.arrayContaining([
      expect.objectContaining({ text: expect.stringMatching(/^"[A-Z]+" to "NONE": 200$/) }),
    ]),
  });
});
