import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '../../fixtures/testing/for-all.testing.ts';
import {
  fixedAmount,
  pairsIn,
  parameterOf,
  type Query,
  type RequestTarget,
} from '../client/request.ts';
import { PATHS } from '../contract/paths.ts';
import { modelFacts } from '../model/model-market.testing.ts';
import { createRandom } from '../model/random.ts';
import { MAX_LOOKUPS, PROFILES } from './budget.ts';
import { createDeck, shuffle } from './deck.ts';
import { PARAMETERS, type Parameter } from './parameters.ts';
import { simplifyRequest, weightOf } from './simplify.ts';
import {
  exactInput,
  exactOutput,
  setParameter,
  spread,
  TOLERANCES,
  tradesOf,
  withCalldata,
} from './trades.ts';
import { coverMarket } from './traffic.ts';

const { lookups: LOOKUP_REQUESTS, trafficSwaps: TRAFFIC_SWAPS } = PROFILES.standard;

const OFTEN = 120;

const valueIn = (target: RequestTarget, name: string) => parameterOf(pairsIn(target), name) ?? '';
const swaps = (seed: number) =>
  [...coverMarket(modelFacts, seed)].filter(({ path }) => path === PATHS.swap);
const trade = tradesOf(modelFacts)[0];
if (trade === undefined) throw new Error('the model has no trade');

describe('createDeck', () => {
  test('each item once before any is repeated, in an order that depends on the seed', () => {
    forAll(
      [fc.uniqueArray(fc.nat(), { minLength: 1, maxLength: 20 }), fc.integer()],
      { seed: 1 },
      (items, seed) => {
        const deck = createDeck(items, seed);
        for (let round = 0; round < 3; round += 1) {
          expect(items.map(deck.deal).sort()).toEqual([...items].sort());
        }
        const again = createDeck(items, seed);
        const other = createDeck(items, seed);
        expect(items.map(again.deal)).toEqual(items.map(other.deal));
      },
    );
  });

  test('no items -> throws', () => {
    expect(() => createDeck([], 1)).toThrow(RangeError);
  });

  test('a different seed -> a different order', () => {
    const items = Array.from({ length: 50 }, (_, index) => index);
    expect(shuffle(items, createRandom(1))).not.toEqual(shuffle(items, createRandom(2)));
  });
});

describe('spread', () => {
  test.each([
    [[1, 2, 3], 4, [1, 2, 3]],
    [[1, 2, 3, 4, 5, 6, 7, 8], 4, [1, 2, 3, 6]],
    [[1, 2, 3, 4, 5, 6, 7, 8], 1, [1]],
  ])('%j, %d of them -> %j', (items, count, expected) => {
    expect(spread(items, count)).toEqual(expected);
  });

  test('any items and number -> the given number of items, none twice', () => {
    forAll(
      [fc.uniqueArray(fc.nat(), { minLength: 1 }), fc.integer({ min: 1, max: 40 })],
      { seed: 1 },
      (items, count) => {
        const taken = spread(items, count);
        expect(new Set(taken).size).toBe(Math.min(items.length, count));
      },
    );
  });
});

describe('setParameter', () => {
  test.each([
    ['b', ['9'], 'a=1&b=9&c=3'],
    ['b', ['8', '9'], 'a=1&b=8&b=9&c=3'],
    ['b', [], 'a=1&c=3'],
    ['d', ['4'], 'a=1&b=2&c=3&d=4'],
  ])('%s to %j -> %s', (name, values, expected) => {
    const query = [...new URLSearchParams('a=1&b=2&c=3')];
    expect(setParameter(query, name, values)).toEqual([...new URLSearchParams(expected)]);
  });
});

describe('PARAMETERS', () => {
  const inputs = [
    exactInput(trade),
    withCalldata(exactInput(trade), 'default-router', trade.market),
  ];
  const outputs = [
    exactOutput(trade),
    withCalldata(exactOutput(trade), 'default-router', trade.market),
  ];
  const bases: Readonly<Record<Parameter['base'], readonly Query[]>> = {
    swap: [...inputs, ...outputs],
    'exact-input': inputs,
    'exact-output': outputs,
    calldata: [inputs[1], outputs[1]].filter((query) => query !== undefined),
    plain: [exactInput(trade), exactOutput(trade)],
    tokens: [[['chainId', '31337']]],
    chainInfo: [[['chainId', '31337']]],
  };

  test('every violation -> changes its request, and differs from every other violation', () => {
    for (const { slug, base, violations } of PARAMETERS) {
      const whats = violations.map(({ what }) => what);
      expect([slug, new Set(whats).size]).toEqual([slug, whats.length]);
      for (const whole of bases[base]) {
        const broken = violations.map(({ change }) => JSON.stringify(change(whole)));
        expect(broken).not.toContain(JSON.stringify(whole));
        expect([slug, new Set(broken).size]).toEqual([slug, broken.length]);
      }
    }
  });

  test('the smallest violations of each bound -> included', () => {
    const values = (slug: string, name: string) =>
      PARAMETERS.filter((parameter) => parameter.slug === slug).flatMap(({ base, violations }) =>
        violations
          .filter(({ level }) => level === 'must')
          .map(({ change }) => parameterOf(change(bases[base][0] ?? []), name) ?? ''),
      );
    expect(values('swap/slippage-tolerance', 'slippageTolerance')).toEqual(
      expect.arrayContaining(['-0.0001', '1.0001', '0.00005', 'NaN']),
    );
    const amount = String(trade.pair.sellAmount);
    expect(values('swap/sell-amount', 'sellAmount')).toEqual(
      expect.arrayContaining([
        '',
        '0',
        '-1',
        `-${amount}`,
        `${amount}.5`,
        `${amount}e0`,
        `${amount}\u0000`,
      ]),
    );
    expect(values('swap/buy-token', 'buyToken').map((value) => value.length)).toEqual(
      expect.arrayContaining([0, 2, 41, 43]),
    );
    expect(values('swap/include-calldata', 'includeCalldata')).toContain('maybe');
    expect(values('swap/router', 'router')).toContain('no-such-router');
  });

  test('a request with either amount -> changed to both amounts or neither', () => {
    const amounts = PARAMETERS.find(({ slug }) => slug === 'swap/exactly-one-amount');
    const given = amounts?.violations.map(({ change }) =>
      bases.swap.map((whole) => {
        const query = change(whole).filter(([name]) => name.endsWith('Amount'));
        return query.map(([name]) => name).sort();
      }),
    );
    for (const names of given?.flat() ?? []) {
      expect([[], ['buyAmount', 'sellAmount']]).toContainEqual(names);
    }
  });

  test('tolerances -> the text of each is a multiple of 0.0001', () => {
    for (const text of TOLERANCES) expect(text).toMatch(/^(0(\.[0-9]{1,4})?|1)$/);
    expect(TOLERANCES).toEqual(expect.arrayContaining(['0', '0.0001', '0.9999', '1']));
  });
});

describe('coverMarket', () => {
  test('every pair, with each kind of trade, router and calldata -> requested', () => {
    const seen = new Map<string, number>();
    for (const query of swaps(3).map(pairsIn)) {
      const kind = fixedAmount(query) === 'buyAmount' ? 'out' : 'in';
      const router = parameterOf(query, 'router') || 'none';
      const calldata = parameterOf(query, 'includeCalldata') === 'true';
      const digits = parameterOf(query, fixedAmount(query))?.length;
      const pair = `${parameterOf(query, 'sellToken')} ${parameterOf(query, 'buyToken')}`
        .toLowerCase()
        .replaceAll('e'.repeat(40), '0'.repeat(40));
      for (const key of [
        pair,
        `${pair} ${kind}`,
        `${kind} ${router} ${calldata}`,
        `${kind} ${digits}`,
      ]) {
        seen.set(key, (seen.get(key) ?? 0) + 1);
      }
    }
    for (const { pair } of tradesOf(modelFacts)) {
      const key = `${pair.sell.address} ${pair.buy.address}`;
      expect(seen.get(key)).toBeGreaterThan(TRAFFIC_SWAPS / 30);
      expect(seen.get(`${key} in`)).toBeGreaterThan(0);
      expect(seen.get(`${key} out`)).toBeGreaterThan(0);
    }
    for (const kind of ['in', 'out']) {
      for (const router of ['none', 'default-router', 'service-router']) {
        expect(seen.get(`${kind} ${router} false`)).toBeGreaterThan(OFTEN);
      }
      expect(seen.get(`${kind} default-router true`)).toBeGreaterThan(OFTEN);
      for (let digits = 1; digits <= 24; digits += 1) {
        expect([digits, seen.get(`${kind} ${digits}`) ?? 0]).not.toEqual([digits, 0]);
      }
    }
  });

  test('some amounts -> requested again later, plus one base unit', () => {
    const requests = swaps(3).map((target) =>
      [...new URLSearchParams(target.query as string)].map(String),
    );
    const before = new Map(requests.map((pairs, index) => [`${pairs}`, index]));
    const away = requests.flatMap((pairs, index) => {
      const one = pairs.map((pair) =>
        pair.replace(
          /^((?:sell|buy)Amount),([0-9]+)$/,
          (_, name, amount) => `${name},${BigInt(amount) - 1n}`,
        ),
      );
      const at = before.get(`${one}`);
      return at === undefined || at > index ? [] : [index - at];
    });
    expect(away.length).toBeGreaterThan(TRAFFIC_SWAPS / 50);
    expect(Math.min(...away)).toBeGreaterThan(8);
  });

  test('lookups -> as many as in the profile, spread between the plans', () => {
    const paths = [...coverMarket(modelFacts, 1)].map(({ path }) => path);
    for (const path of [PATHS.chains, PATHS.tokens, PATHS.chainInfo]) {
      expect(paths.filter((each) => each === path)).toHaveLength(LOOKUP_REQUESTS);
      expect(paths.slice(0, 100)).toContain(path);
    }
    expect(paths).toHaveLength(TRAFFIC_SWAPS + 3 * LOOKUP_REQUESTS);
  });

  test('fifty chains -> each lookup is sent often on each chain, and the total is at most the maximum', () => {
    const [market] = [...modelFacts.markets.values()];
    if (market === undefined) throw new Error('the model has no market');
    const ids = Array.from({ length: 50 }, (_, index) => index + 1);
    const markets = new Map(ids.map((chainId) => [chainId, { ...market, chainId }]));
    const lookups = [...coverMarket({ ...modelFacts, markets }, 1)].filter(
      ({ path }) => path === PATHS.tokens || path === PATHS.chainInfo,
    );
    const times = ids.map(
      (id) => lookups.filter(({ query }) => JSON.stringify(query).includes(`"${id}"`)).length,
    );
    expect(Math.min(...times)).toBeGreaterThanOrEqual(40);
    expect(lookups.length).toBeLessThanOrEqual(MAX_LOOKUPS);
  });

  test('a market without pairs -> only lookups', () => {
    const facts = { ...modelFacts, markets: new Map() };
    expect([...coverMarket(facts, 1)].every(({ path }) => path !== PATHS.swap)).toBe(true);
  });

  test('percent-encoding and order -> the same parameters', () => {
    const encoded = swaps(1).filter(({ query }) => typeof query === 'string');
    expect(encoded.length).toBeGreaterThan(100);
    for (const target of encoded) {
      expect(target.query).toMatch(/%[3-7][0-9A-F]/);
      expect(valueIn(target, 'chainId')).toBe('31337');
    }
  });
});

describe('simplifyRequest', () => {
  test('every variant -> weighs less, so that shrinking ends', () => {
    for (const target of swaps(2).slice(0, 300)) {
      for (const variant of simplifyRequest(target, modelFacts)) {
        expect(weightOf(variant)).toBeLessThan(weightOf(target));
      }
    }
  });

  test('a fault for amounts beyond a bound -> shrunk to a plain request just beyond it', () => {
    const fails = (target: RequestTarget) => BigInt(valueIn(target, 'sellAmount') || 0) > 123_456n;
    const shrunk = swaps(4)
      .filter(fails)
      .slice(0, 40)
      .map((target) => shrink(target, fails));
    for (const target of shrunk) {
      const query = pairsIn(target);
      expect(query.map(([name]) => name)).toEqual([
        'chainId',
        'sellToken',
        'buyToken',
        'sellAmount',
      ]);
      expect(parameterOf(query, 'sellAmount')?.length).toBeLessThanOrEqual(9);
    }
  });

  test('amounts that lose digits as floats -> shrunk to the first amount that does, 2^53 + 1', () => {
    const fails = (target: RequestTarget) => {
      const amount = valueIn(target, 'sellAmount') || '0';
      return BigInt(Number(amount)) !== BigInt(amount);
    };
    const found = swaps(4).filter(fails);
    expect(found.length).toBeGreaterThan(0);
    for (const target of found.slice(0, 40)) {
      expect(valueIn(shrink(target, fails), 'sellAmount')).toBe('9007199254740993');
    }
  });

  test('a fault in calldata -> keeps only the parameters that calldata needs', () => {
    const fails = (target: RequestTarget) =>
      valueIn(target, 'includeCalldata') === 'true' &&
      valueIn(target, 'userAddress') !== '' &&
      valueIn(target, 'slippageTolerance') !== '';
    const found = swaps(5).find(
      (target) => fails(target) && valueIn(target, 'recipientAddress') !== '',
    );
    if (found === undefined) throw new Error('no request for calldata');
    const names = pairsIn(shrink(found, fails)).map(([name]) => name);
    expect(names).not.toContain('recipientAddress');
    expect(names).not.toContain('useRfq');
    expect(names).toContain('userAddress');
  });

  test('other operations, and requests without a key -> unchanged', () => {
    const lookup = { path: PATHS.tokens, query: [['chainId', '1']] } as const;
    const keyless = { path: PATHS.swap, query: exactInput(trade), key: 'as-written' } as const;
    for (const target of [lookup, keyless]) {
      expect(simplifyRequest(target, modelFacts)).toEqual([]);
    }
  });
});

function shrink(target: RequestTarget, fails: (target: RequestTarget) => boolean): RequestTarget {
  for (let current = target; ; ) {
    const simpler = simplifyRequest(current, modelFacts).find(fails);
    if (simpler === undefined) return current;
    current = simpler;
  }
}
