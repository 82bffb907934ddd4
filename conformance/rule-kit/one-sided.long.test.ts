import { describe, expect, test } from 'vitest';
import { exchangeWith } from '../client/exchange.testing.ts';
import { parameterOf } from '../client/request.ts';
import { RELATION_TRADES } from '../generate/budget.ts';
import { exactInput, setParameter, tradesOf } from '../generate/trades.ts';
import { modelFacts } from '../model/model-market.testing.ts';
import { createRandom } from '../model/random.ts';
import type { Finding } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import { openTally } from '../model/tally.ts';
import { probeOf, runProbe } from '../model/verdict.testing.ts';
import { CATALOG } from '../rules/catalog.ts';
import {
  hasNewAmounts,
  IN_A_ROW,
  judgeSides,
  type ReplyComparison,
  type Side,
  withNewAmount,
} from './one-sided.ts';
import { samePlan } from './same-plan.ts';

const [trade] = tradesOf(modelFacts);
if (trade === undefined) throw new Error('the model has no trade');
const finding = { expected: ['one'], actual: ['other'] } as unknown as Finding;
const SIDE_OF: Readonly<Record<string, Side>> = { '+': 1, '-': -1 };

async function judge(sides: readonly (readonly Side[])[], wrongSide?: Side) {
  let requested = 0;
  const { tally, faults } = openTally(probeOf(async () => {}));
  const attempt = async (): Promise<ReplyComparison | undefined> => {
    const shown = sides[Math.min(requested++, sides.length - 1)];
    return shown && { sides: shown, finding };
  };
  await judgeSides({ frozen: false }, [attempt], tally, wrongSide);
  return { requested, checks: tally.checks, faults };
}

describe('judgeSides', () => {
  /**
   * `sides` has one word per attempt, with one sign per measure: + or -, or 0 for no difference.
   */
  test.each<[string, sides: string, Side | undefined, requested: number, found: boolean]>([
    ['no difference', '00', undefined, 1, false],
    ['always on one side', '+0', undefined, IN_A_ROW, true],
    ['always on one side, in the second measure only', '+- --', undefined, IN_A_ROW, true],
    ['on the other side in the third attempt', '+0 +0 -0', undefined, 3, false],
    ['on one side once, then no difference', '+0 00', undefined, 14, false],
    ['always on the wrong side', '+', 1, IN_A_ROW, true],
    ['on the right side', '-', 1, 1, false],
  ])('%s', async (_, sides, wrongSide, requested, isFound) => {
    const tries = sides.split(' ').map((tried) => Array.from(tried, (sign) => SIDE_OF[sign] ?? 0));
    const { faults, ...result } = await judge(tries, wrongSide);
    expect(result).toEqual({ requested, checks: 1 });
    expect(faults).toEqual(isFound ? [finding] : []);
  });

  test('false alarms in all relations together -> fewer than one in 10,000 runs', () => {
    const relations = CATALOG.filter(
      ({ kind, level }) => kind === 'relation' && level !== 'observe',
    );
    // Each relation compares each trade at up to three amounts.
    const tosses = relations.length * RELATION_TRADES * 3;
    expect(tosses * 2 ** (1 - IN_A_ROW)).toBeLessThan(1e-4);
  });
});

describe('withNewAmount', () => {
  test('many new amounts -> up to twice the original amount, with hardly any duplicates', () => {
    const random = createRandom(1);
    const query = setParameter(exactInput(trade), 'sellAmount', ['1000000']);
    const amounts = Array.from({ length: 500 }, () =>
      Number(parameterOf(withNewAmount(query, random), 'sellAmount')),
    );
    expect(Math.min(...amounts)).toBeGreaterThanOrEqual(1_000_000);
    expect(Math.max(...amounts)).toBeLessThan(2_000_000);
    expect(new Set(amounts).size).toBeGreaterThan(495);
    expect(hasNewAmounts(query)).toBe(true);
    expect(hasNewAmounts(setParameter(query, 'sellAmount', ['9999']))).toBe(false);
  });
});

/** Number of simulated runs per market. Three per market finish within seconds. */
const RUNS_PER_MARKET = process.env['SWAPCHECK_LONG'] === '1' ? 100 : 3;

type Market = {
  readonly seed: number;
  /** Average time between two price moves, and the maximum size of a move. */
  readonly stepMs: number;
  readonly step: number;
  /** True if the price always rises; otherwise it moves in random directions. */
  readonly trend: boolean;
  /** Lifetimes of a cached reply, and of the cached state of the market. */
  readonly cacheMs: number;
  readonly stateCacheMs: number;
  /** Maximum delay of a request. Later requests may overtake a delayed request. */
  readonly jitterMs: number;
};

/** `favor` returns the factor by which the service multiplies the bought amount. */
function serviceWith(market: Market, favor: (isOther: boolean) => number): Session {
  const random = createRandom(market.seed);
  const moves: { readonly at: number; readonly price: number }[] = [{ at: 0, price: 1 }];
  const priceAt = (time: number) => {
    for (let last = moves.at(-1); last !== undefined && last.at <= time; last = moves.at(-1)) {
      const up = market.trend || random() < 0.5;
      const at = last.at - Math.log(1 - random()) * market.stepMs;
      moves.push({ at, price: last.price * (1 + (up ? 1 : -1) * market.step * random()) });
    }
    return moves.findLast(({ at }) => at <= time)?.price ?? 1;
  };
  const cache = new Map<string, { readonly until: number; readonly price: number }>();
  let now = 0;
  const get: Session['get'] = async ({ query }) => {
    now += random() * 4;
    const time = now + random() * market.jitterMs;
    const key = String(query);
    const known = cache.get(key);
    const stateTime =
      market.stateCacheMs === 0
        ? time
        : Math.floor(time / market.stateCacheMs) * market.stateCacheMs;
    const price = known !== undefined && known.until > time ? known.price : priceAt(stateTime);
    if (known?.price !== price) cache.set(key, { until: time + market.cacheMs, price });
    const isOther = key.includes('router');
    const sold = parameterOf(typeof query === 'string' ? [] : query, 'sellAmount') ?? '';
    const bought = BigInt(Math.round(Number(sold) * price * favor(isOther)));
    const leg = (referenceId: number, amount: string) => ({ referenceId, amount });
    return exchangeWith({
      router: 'default-router',
      sell: leg(0, sold),
      buy: leg(1, String(bought)),
      tokens: [0, 1].map((referenceId) => ({ referenceId, address: `0x${referenceId}` })),
      routes: [{ address: '0xp', fromTokens: [leg(0, sold)], toTokens: [leg(1, String(bought))] }],
    });
  };
  return { get, facts: modelFacts, seed: market.seed, frozen: false, tolerancePpm: 0 };
}

const relation = (pairs: number) =>
  samePlan(
    'with and without a router',
    () =>
      Array.from({ length: pairs }, () => [
        setParameter(exactInput(trade), 'sellAmount', ['1000000000']),
        (one) => setParameter(one, 'router', ['default-router']),
      ]),
    'none',
  );
const ofSixPairs = relation(6);
const ofOnePair = relation(1);

async function isBlamed(session: Session, judging = ofSixPairs): Promise<boolean> {
  const verdict = await runProbe(probeOf(judging), session);
  return verdict.kind === 'judged' && verdict.findings.length > 0;
}

const MARKETS = [0, 1, 20, 500].flatMap((stepMs, i) =>
  [0.000_1, 0.01].flatMap((step, j) =>
    [true, false].flatMap((trend, k) =>
      [0, 1_000].flatMap((cacheMs, l) =>
        [0, 1_000].flatMap((stateCacheMs, m) =>
          [0, 3, 50].map((jitterMs, n) => ({
            seed: 1 + i * 10_007 + j * 1_009 + k * 211 + l * 53 + m * 17 + n,
            ...{ stepMs: stepMs || 1e12, step, trend, cacheMs, stateCacheMs, jitterMs },
          })),
        ),
      ),
    ),
  ),
);

describe('a service with a moving market, caches and reordered requests', () => {
  const fair = () => 1;
  const worse = (isOther: boolean) => (isOther ? 0.99 : 1);
  const again = (market: Market, run: number) => ({
    ...market,
    seed: market.seed + run * 1_009,
  });

  test('treats both requests alike -> never blamed', async () => {
    const blamed: Market[] = [];
    for (const market of MARKETS) {
      for (let run = 0; run < RUNS_PER_MARKET; run += 1) {
        const own = again(market, run);
        if (await isBlamed(serviceWith(own, fair))) blamed.push(own);
      }
    }
    expect(blamed).toEqual([]);
  });

  // Prices only rise here. If two differences in a row counted as a fault, half of all runs with a
  // difference would blame the service.
  test.each(
    MARKETS.filter(({ trend, stepMs, jitterMs }) => trend && stepMs === 1 && jitterMs !== 3),
  )('our random order decides the side: %j', async (market) => {
    let [differing, blamed] = [0, 0];
    for (let run = 0; run < 40 * RUNS_PER_MARKET; run += 1) {
      const frozen = { ...serviceWith(again(market, run), fair), frozen: true };
      let requested = 0;
      const get: Session['get'] = (target) => frozen.get(target).finally(() => requested++);
      if (await isBlamed({ ...frozen, get }, ofOnePair)) blamed++;
      if (requested > 2) differing++;
    }
    expect(Math.abs(blamed - differing / 2)).toBeLessThanOrEqual(2 * Math.sqrt(differing) + 1);
  });

  test('returns 1% less for one of the requests -> blamed if the market moves in smaller steps', async () => {
    const missed: Market[] = [];
    for (const market of MARKETS.filter(({ step, stepMs }) => step < 0.01 || stepMs >= 500)) {
      if (!(await isBlamed(serviceWith(market, worse), ofOnePair))) missed.push(market);
    }
    expect(missed).toEqual([]);
  });
});
