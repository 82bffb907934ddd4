import type { Hex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exchangeWith } from '../client/exchange.testing.ts';
import { formatStatement } from '../model/format-statement.ts';
import type { Scenario } from '../model/scenario.ts';
import type { Session } from '../model/session.ts';
import { NATIVE_TOKEN } from '../model/settlement.ts';
import type { Address } from '../model/trade-request.ts';
import { CATALOG } from '../rules/catalog.ts';
import { judgeService, NO_TRAFFIC } from '../runner/judge-service.testing.ts';
import { tinyAnswer } from '../runner/tiny-service.testing.ts';
import { createExecutor, type ExecutorOptions } from './executor.ts';
import { startNodeProxy } from './node/node-proxy.testing.ts';
import { untilEnd } from './node/until-end.testing.ts';
import {
  encodeCall,
  findingsOf,
  judgeSettlements,
  type OddChain,
  type OddPlan,
  oddSession,
  startOddChain,
} from './odd-chain.testing.ts';
import { accountsFrom } from './scenario/accounts.ts';

const CELO = 42_220;
const AMOUNT = 10n ** 9n;
const BLOCK_TIME_S = 1_750_000_000;

const DEPLOYED: readonly (readonly [name: string, contract: string, ...args: string[]])[] = [
  ['A', 'PlainToken'],
  ['B', 'PlainToken'],
  ['ZeroFirst', 'ZeroFirstToken'],
  ['Shares', 'ShareToken', 'A'],
  ['W', 'WrappedToken'],
  ['Celo', 'NativeErc20'],
  ['Par', 'ParPool'],
  ['Lending', 'LendingPool'],
  ['Treasury', 'TreasuryPool'],
  ['Keeper', 'KeeperPool'],
  ['SharePool', 'SharePool'],
  ['Flash', 'FlashPool'],
  ['Native', 'NativePool'],
  ['Book', 'OrderBook'],
  ['Router', 'AggregationRouter'],
  ['OtherRouter', 'AggregationRouter'],
  ['Simulation', 'SimulationRouter'],
  ['Gain', 'GainRouter'],
  ['Wary', 'WaryRouter'],
  ['Thrifty', 'ThriftyRouter'],
  ['Slack', 'SlackRouter'],
  ['Surplus', 'SurplusRouter'],
  ['Heavy', 'HeavyRouter'],
  ['Counter', 'CounterRouter'],
  ['Once', 'OnceRouter'],
  ['Strict', 'StrictRouter'],
  ['Payer', 'PayerRouter'],
  ['Origin', 'OriginRouter'],
  ['Stipend', 'StipendRouter'],
  ['Bomb', 'BombRouter'],
  ['Flood', 'FloodRouter'],
  ['Upgradeable', 'Upgradeable', 'Router'],
];
const CREATED_BY_DEPLOYED = [
  ['Bank', 'Lending', 'LendingPool', 'bank'],
  ['PoolShares', 'SharePool', 'SharePool', 'shares'],
  ['Executor', 'Router', 'AggregationRouter', 'executor'],
  ['Puller', 'Router', 'AggregationRouter', 'puller'],
  ['OtherPuller', 'OtherRouter', 'AggregationRouter', 'puller'],
  ...[
    ...(['Simulation', 'Gain', 'Wary', 'Thrifty', 'Slack', 'Counter', 'Once', 'Strict'] as const),
    ...(['Origin', 'Stipend', 'Surplus', 'Heavy', 'Payer'] as const),
  ].map((router) => [`${router}Puller`, router, 'AggregationRouter', 'puller'] as const),
] as const;
const TOKENS = ['A', 'B', 'ZeroFirst', 'Shares'];
const FUNDED = ['Par', 'Bank', 'Treasury', 'Keeper', 'SharePool', 'Flash', 'Native'];

let chain: OddChain;
const deployed = new Map<string, Address>([['native', NATIVE_TOKEN]]);

function at(name: string): Address {
  const address = deployed.get(name);
  if (address === undefined) throw new Error(`${name} is not deployed`);
  return address;
}

beforeAll(async () => {
  chain = await startOddChain(CELO);
  const { rpc, deployer, send } = chain;
  await rpc('anvil_setBalance', [deployer, `0x${(10n ** 30n).toString(16)}`]);
  for (const [name, contract, ...args] of DEPLOYED) {
    deployed.set(name, await chain.deploy(contract, args.map(at)));
  }
  for (const [name, maker, contract, tells] of CREATED_BY_DEPLOYED) {
    deployed.set(name, await chain.read(at(maker), contract, tells));
  }
  for (const token of TOKENS) {
    for (const pool of FUNDED) {
      await send(at(token), encodeCall('PlainToken', 'transfer', [at(pool), 10n ** 26n]));
    }
  }
  await send(at('A'), encodeCall('PlainToken', 'transfer', [at('Shares'), 10n ** 26n]));
  await send(at('B'), encodeCall('PlainToken', 'approve', [at('Book'), 10n ** 26n]));
  await send(at('Native'), '0x', 10n ** 25n);
  await rpc('anvil_setBalance', [at('Par'), `0x${(10n ** 25n).toString(16)}`]);
});

afterAll(() => chain.node.stop());

type ExecutorCall = { readonly target: Address; readonly value: bigint; readonly data: Hex };
type Leg = readonly [token: string, amount: bigint];
type Plan = {
  readonly bought: bigint;
  readonly routes: readonly (readonly [pool: string, from: Leg, to: Leg])[];
  readonly steps: readonly ExecutorCall[];
};
type Market = {
  readonly sell: string;
  readonly buy: string;
  readonly router?: string;
  /** Proxy that takes the sold token. Default: the first router's proxy. */
  readonly puller?: string;
  /** Returns the calldata of a trade for a wallet. Default: the router's `swap`. */
  readonly calldata?: (
    args: readonly unknown[],
    wallet: Address | undefined,
    recipient: Address,
  ) => Hex;
  /** Default 0.02, whatever the request tolerates. */
  readonly toleratesAsRequested?: boolean;
  readonly listed?: readonly string[];
  /** Default `W`. */
  readonly wrappedNative?: string;
  /** Returns the cost of an amount. Default: the same amount. */
  readonly costOf?: (bought: bigint) => bigint;
  readonly plan: (sold: bigint, to: Address) => Plan;
};

function step(
  name: string,
  contract: string,
  functionName: string,
  args: readonly unknown[],
  value = 0n,
): ExecutorCall {
  return { target: at(name), value, data: encodeCall(contract, functionName, args) };
}

const pay = (token: string, to: Address, amount: bigint) =>
  step(token, 'PlainToken', 'transfer', [to, amount]);
const approved = (
  token: string,
  spender: string,
  amount: bigint,
  taking: ExecutorCall,
): ExecutorCall[] => [step(token, 'PlainToken', 'approve', [at(spender), amount]), taking];
const swapAtPar = (pool: string, sell: string, buy: string, amount: bigint, to: Address) =>
  approved(sell, pool, amount, step(pool, 'ParPool', 'swap', [at(sell), amount, at(buy), to]));

const through = (
  pool: string,
  [sell, sold]: Leg,
  [buy, bought]: Leg,
  steps: readonly ExecutorCall[],
): Plan => ({ bought, routes: [[pool, [sell, sold], [buy, bought]]], steps });

/** Without `buys`, the pool trades at par. */
const inPool = (
  pool: string,
  [sell, buy]: readonly [sell: string, buy: string],
  stepsOf: (sold: bigint, to: Address) => readonly ExecutorCall[],
  {
    buys = (sold) => sold,
    ...more
  }: Partial<Market> & { readonly buys?: (sold: bigint) => bigint } = {},
): Market => {
  const [from, into] = [sell, buy].map((each) => (each === 'native' ? 'W' : each)) as [
    string,
    string,
  ];
  const plan: Market['plan'] = (sold, to) =>
    through(pool, [from, sold], [into, buys(sold)], stepsOf(sold, to));
  return { sell, buy, plan, ...more };
};

const atPar = (pool: string, sell = 'A', buy = 'B', router = 'Router'): Market =>
  inPool(pool, [sell, buy], (sold, to) => swapAtPar(pool, sell, buy, sold, to), { router });

const SHARES = {
  worth: (shares: bigint) => (shares * 5n) / 4n,
  of: (assets: bigint) => (assets * 4n) / 5n,
  /** The smallest sufficient amount, rounded up. */
  toGet: (assets: bigint) => (assets * 4n + 4n) / 5n,
  costOf: (shares: bigint) => (shares * 5n + 3n) / 4n,
};
const deposit = (assets: bigint, to: Address) =>
  approved('A', 'Shares', assets, step('Shares', 'ShareToken', 'deposit', [assets, to]));
const redeem = (shares: bigint, to: Address) => [
  step('Shares', 'ShareToken', 'redeem', [shares, to]),
];
const join = (sold: bigint, to: Address) =>
  approved('A', 'SharePool', sold, step('SharePool', 'SharePool', 'join', [at('A'), sold, to]));
const exit = (sold: bigint, to: Address) => [
  step('SharePool', 'SharePool', 'exit', [at('A'), sold, to]),
];
const flash = (sold: bigint, to: Address) => [
  step('Flash', 'FlashPool', 'flash', [at('A'), sold, at('B'), to]),
];
const sellNative = (sold: bigint, to: Address) => [
  step('Native', 'NativePool', 'sellNative', [at('B'), to], sold),
];
const buyNative = (sold: bigint, to: Address) =>
  approved('A', 'Native', sold, step('Native', 'NativePool', 'buyNative', [at('A'), sold, to]));
const keepOne = (sold: bigint, to: Address) => [
  ...swapAtPar('Par', 'A', 'B', sold, at('Executor')),
  pay('B', to, sold - 1n),
];
const swapByOther = (sold: bigint, to: Address) => {
  const args = [at('A'), sold, at('B'), to, sold, swapAtPar('Par', 'A', 'B', sold, to)];
  return approved('A', 'OtherPuller', sold, step('OtherRouter', 'AggregationRouter', 'swap', args));
};
const fillOrder = (sold: bigint, to: Address) => {
  const args = [at('A'), at('B'), sold, chain.deployer, to];
  return approved('A', 'Book', sold, step('Book', 'OrderBook', 'fill', args));
};

const IN_NATIVE = (): Market => inPool('Native', ['A', 'native'], buyNative);

const VAULT_THEN_POOL = (): Market => ({
  sell: 'A',
  buy: 'B',
  costOf: SHARES.costOf,
  plan: (sold, to) => {
    const shares = SHARES.of(sold);
    return {
      bought: shares,
      routes: [
        ['Shares', ['A', sold], ['Shares', shares]],
        ['Par', ['Shares', shares], ['B', shares]],
      ],
      steps: [...deposit(sold, at('Executor')), ...swapAtPar('Par', 'Shares', 'B', shares, to)],
    };
  },
});
const TWICE_IN_POOL = (): Market => ({
  sell: 'A',
  buy: 'B',
  plan: (sold, to) => ({
    bought: sold,
    routes: [
      ['Par', ['A', sold], ['ZeroFirst', sold]],
      ['Par', ['ZeroFirst', sold], ['B', sold]],
    ],
    steps: [
      ...swapAtPar('Par', 'A', 'ZeroFirst', sold, at('Executor')),
      ...swapAtPar('Par', 'ZeroFirst', 'B', sold, to),
    ],
  }),
});

const minting = { buys: SHARES.of, costOf: SHARES.costOf };
const burning = { buys: SHARES.worth, costOf: SHARES.toGet };
const keeping = { buys: (sold: bigint) => sold - 1n, costOf: (bought: bigint) => bought + 1n };
const MARKETS: readonly (readonly [what: string, market: () => Market])[] = [
  ['a router behind a proxy', () => atPar('Par', 'A', 'B', 'Upgradeable')],
  ['a token approved once, where two routers share a proxy', () => atPar('Par', 'ZeroFirst')],
  ['a pool that pays a part of its income to a treasury', () => atPar('Treasury')],
  ['a pool that burns a part of its income, and pays a keeper', () => atPar('Keeper')],
  ['a vault that mints its own shares', () => inPool('Shares', ['A', 'Shares'], deposit, minting)],
  ['a vault that burns its own shares', () => inPool('Shares', ['Shares', 'A'], redeem, burning)],
  ['a vault, and then a pool', VAULT_THEN_POOL],
  [
    'a pool whose shares another contract mints',
    () => inPool('SharePool', ['A', 'PoolShares'], join),
  ],
  [
    'a pool whose shares another contract burns',
    () => inPool('SharePool', ['PoolShares', 'A'], exit),
  ],
  ['a pool that pays before it is paid', () => inPool('Flash', ['A', 'B'], flash)],
  ['a pool that takes the native token', () => inPool('Native', ['native', 'B'], sellNative)],
  ['a pool that pays the native token', IN_NATIVE],
  ['one pool on both of two routes', TWICE_IN_POOL],
  ['an executor that keeps one unit', () => inPool('Par', ['A', 'B'], keepOne, keeping)],
];

const ON_CELO: typeof MARKETS = (
  [
    ['native', 'B'],
    ['A', 'native'],
    ['Celo', 'B'],
    ['A', 'Celo'],
  ] as const
).map(([sell, buy]) => {
  const [sold, bought] = [sell, buy].map((each) => (each === 'native' ? 'Celo' : each));
  const market = () => ({ ...atPar('Par', sold, bought), sell, buy, wrappedNative: 'Celo' });
  return [`a native token that is also an ERC-20, ${sell} for ${buy}`, market] as const;
});

/** The pools of these plans move no tokens at their own addresses. */
const IN_VAULTS: typeof MARKETS = [
  ['a pool that lends its income', () => atPar('Lending')],
  ['another router instead of a pool', () => inPool('OtherRouter', ['A', 'B'], swapByOther)],
  ['an order book whose makers pay', () => inPool('Book', ['A', 'B'], fillOrder)],
];

function sessionFor(market: Market) {
  const { sell, buy, router = 'Router', puller = 'Puller', wrappedNative = 'W' } = market;
  const tokenProxyAddress = at(puller);
  const session = oddSession({
    ...{ chainId: CELO, wrappedNative: at(wrappedNative), amount: AMOUNT },
    listed: (market.listed ?? []).map(at),
    pairs: [
      [
        [at(sell), sell],
        [at(buy), buy],
      ],
    ],
    routers: [
      { name: 'default-router', deployedAddress: at(router), tokenProxyAddress },
      { name: 'universal-router', deployedAddress: at('OtherRouter'), tokenProxyAddress },
    ],
    planFor: (asked) => planFor(market, asked),
  });
  return { ...session, tolerancePpm: 1 };
}

function planFor(market: Market, asked: ReadonlyMap<string, string>): OddPlan {
  const { sell, buy, wrappedNative = 'W', costOf = (bought) => bought } = market;
  const { calldata = (args) => encodeCall('AggregationRouter', 'swap', args) } = market;
  const router = at(market.router ?? 'Router');
  const wallet = asked.get('userAddress') as Address | undefined;
  const recipient = (asked.get('recipientAddress') ?? NATIVE_TOKEN) as Address;
  const sold = BigInt(asked.get('sellAmount') ?? costOf(BigInt(asked.get('buyAmount') ?? 0)));
  const to = recipient === NATIVE_TOKEN ? router : recipient;
  const { bought, routes, steps } = market.plan(sold, to);
  const requested = asked.has('buyAmount') ? '0' : asked.get('slippageTolerance');
  const tolerance = market.toleratesAsRequested ? requested : undefined;
  const least =
    (bought * BigInt(10_000 - Math.round(Number(tolerance ?? 0.02) * 10_000))) / 10_000n;
  const legOf = ([token, amount]: Leg) =>
    [at(token === 'native' ? wrappedNative : token), amount] as const;
  return {
    ...{ router, sell: legOf([sell, sold]), buy: legOf([buy, bought]) },
    routes: routes.map(([pool, from, into]) => [at(pool), legOf(from), legOf(into)] as const),
    calldata: calldata([at(sell), sold, at(buy), recipient, least, steps], wallet, recipient),
  };
}

const withRouter = (router: string, change: Partial<Market> = {}): Market => ({
  ...atPar('Par', 'A', 'B', router),
  ...{ puller: router === 'Router' ? 'Puller' : `${router}Puller`, ...change },
});

const judge = (market: Market) =>
  judgeSettlements(chain, sessionFor(market), {
    forks: [{ chainId: CELO, rpcUrl: chain.node.url }],
    plans: 12,
  });

test.each([...MARKETS, ...ON_CELO])('%s -> every plan settles, no finding', async (_, market) => {
  const verdicts = await judge(market());
  expect(verdicts.get('settles')).toMatchObject({ kind: 'judged', checks: 12 });
  expect(verdicts.get('route-amounts')).toMatchObject({ kind: 'judged', checks: 12 });
  expect(findingsOf(verdicts)).toEqual([]);
});

test.each(IN_VAULTS)('%s -> every plan settles, no finding, no flows judged', async (_, market) => {
  const verdicts = await judge(market());
  expect(verdicts.get('settles')).toMatchObject({ kind: 'judged', checks: 12 });
  expect(verdicts.get('route-amounts')).toMatchObject({ kind: 'not-applicable' });
  expect(findingsOf(verdicts)).toEqual([]);
});

test('a router that serves only accounts without code, in realistic transactions and blocks -> every plan settles', async () => {
  const verdicts = await judge(withRouter('Strict'));
  expect(verdicts.get('settles')).toMatchObject({ kind: 'judged', checks: 12, findings: [] });
  expect(findingsOf(verdicts)).toEqual([expect.stringMatching(/^serves-accounts-with-code: /)]);
});

test('a router that takes the sold token from tx.origin -> found', async () => {
  const verdicts = await judge(withRouter('Origin'));
  expect(findingsOf(verdicts)).toEqual([expect.stringMatching(/^takes-from-caller: /)]);
});

const clock = () => 1_800_000_000_000;

/**
 * Returns the failures of each settlement rule in a report, keyed by its id without `execution/`.
 */
async function reportsOf(
  market: Market,
  {
    get = sessionFor(market).get,
    ...options
  }: Partial<ExecutorOptions & Pick<Session, 'get'>> = {},
  isJudged: (id: string) => boolean = () => true,
) {
  const forks = [{ chainId: CELO, rpcUrl: chain.node.url }];
  const { report } = await judgeService(tinyAnswer, {
    rules: CATALOG.filter(({ kind, id }) => kind === 'settlement' && isJudged(id)),
    generator: NO_TRAFFIC,
    openExecutor: async () =>
      createExecutor({ forks, plans: 12, clock, ...options }, { ...sessionFor(market), get }),
  });
  const failures = report.rules.map(({ id, failures = [] }) => {
    return [id.slice('execution/'.length), failures.map(({ actual }) => actual)] as const;
  });
  return new Map(failures);
}

/** Returns the failures of one rule, and only settles what it judges. */
async function reportOf(market: Market, rule: string, options?: Parameters<typeof reportsOf>[1]) {
  const reports = await reportsOf(market, options, (id) => id === `execution/${rule}`);
  const failures = reports.get(rule);
  if (failures === undefined) throw new Error(`there is no rule ${rule}`);
  return failures;
}

async function fickle(about: Address, circumstance: string): Promise<Market> {
  deployed.set('Fickle', await chain.deploy('FickleRouter', [about, circumstance]));
  deployed.set('FicklePuller', await chain.read(at('Fickle'), 'AggregationRouter', 'puller'));
  return withRouter('Fickle');
}

test.each<[string, RegExp, string?]>([
  ['even block', /, only for block \d*[02468]$/],
  ['odd block', /, only for block \d*[13579]$/],
  ['parent hash', /, only for parent hash 0x[0-9a-f]{63}[02468ace]$/],
  ['high base fee', /, only for a base fee of 1125000000 wei$/],
  ['low base fee', /, only for a base fee of 875000000 wei$/],
  ['coinbase', /, only for coinbase 0x4200000000000000000000000000000000000011$/],
  ['prevrandao', /, only for prevrandao 0x[0-9a-f]{63}[02468ace]$/],
  ['time', /, only for time 18000000\d[13579]$/],
  ['other than 15 seconds', / bps from the quote /],
  ['unlimited approval', /, only for an unlimited approval$/],
  ['exact approval', /, only for an approval of just enough$/],
  ['exact balance', /, only for a user with just enough tokens$/],
  ['ample balance', /, only for a user with more tokens than it sells$/],
  ['little native', /, only for a user with just enough native tokens for gas$/],
  ['ample native', /, only for a user with more native tokens than it needs$/],
  ['ample balance', /, only for a receiver with the bought token$/, 'B'],
  ['exact balance', /, only for a receiver without the bought token$/, 'B'],
  ['exact balance', / bps from the quote /, 'ZeroFirst'],
  ['not a million', / bps from the quote /, 'ZeroFirst'],
  ['less than 10^24 wei', / bps from the quote /],
  ['another amount than quoted', / bps from the quote /, 'B'],
  ['much of it', / bps from the quote /, 'ZeroFirst'],
])(
  'a router that keeps 1%% only under %s -> the report names it',
  async (circumstance, named, token = 'A') => {
    const market = { ...(await fickle(at(token), circumstance)), listed: ['ZeroFirst'] };
    // Two of three users hold none of another token, or another amount of it.
    const found = await reportOf(market, 'quote-exact', { salt: 'one run', plans: 36 });
    expect(found).toEqual([expect.stringMatching(named)]);
  },
);

test.each([
  ['1 ether', 'nothing-stays'],
  // With exact output, users who hold the maximum that they may sell have a remainder.
  ['a few times the amount', 'quote-exact'],
])('a router that keeps a part of what users buy who hold %s -> %s', async (circumstance, rule) => {
  const market = await fickle(at('A'), circumstance);
  const found = await reportOf(market, rule, { salt: 'one run', plans: 60 });
  expect(found).toEqual([expect.not.stringContaining('after a trade')]);
});

const { wallet } = accountsFrom('one run');
test.each([
  ['a minute later', 'nothing-stays', /^\d+ base units of .* more in /],
  ['five blocks later', 'nothing-stays', /^\d+ base units of .* more in /],
  ['a caller with code', 'serves-accounts-with-code', / paid and \d+ .* received \(/],
  ['one caller', 'pays-sender', / paid and \d+ .* received \(/],
])('a router that keeps 1%% only for %s -> %s', async (circumstance, rule, expected) => {
  const market = await fickle(wallet, circumstance);
  const reports = await reportsOf(market, { salt: 'one run' });
  expect(reports.get('quote-exact')).toEqual([]);
  expect(reports.get(rule)).toEqual([expect.stringMatching(expected)]);
});

test.each(['Keeper', 'A'])(
  'a plan that names %s as its pool, where its calldata does not trade -> found',
  async (pool) => {
    const { plan, ...market } = atPar('Par');
    const misnamed: Market['plan'] = (sold, to) => ({
      ...plan(sold, to),
      routes: [[pool, ['A', sold], ['B', sold]]],
    });
    const verdicts = await judge({ ...market, plan: misnamed });
    expect(findingsOf(verdicts)).toEqual([expect.stringMatching(/^route-amounts: 0 base units /)]);
  },
);

const failingFor = (isRobbed: (user: Address) => boolean): Market => ({
  ...atPar('Par'),
  calldata: (args, user = NATIVE_TOKEN) =>
    isRobbed(user) ? '0x12345678' : encodeCall('AggregationRouter', 'swap', args),
});

test('calldata that fails for one user -> the report names it', async () => {
  const { user } = accountsFrom('one run');
  const market = failingFor((each) => each === user);
  expect(await reportOf(market, 'settles', { salt: 'one run' })).toEqual([
    expect.stringMatching(`, only for the user ${user}$`),
  ]);
});

test('a service that is honest only to the accounts of an earlier run -> found in the next run', async () => {
  const known = new Set<string>(Object.values(accountsFrom('an earlier run')));
  const market = failingFor((user) => !known.has(user));
  expect(await reportOf(market, 'settles', { salt: 'an earlier run' })).toEqual([]);
  expect(await reportOf(market, 'settles')).toEqual([expect.not.stringContaining('only for')]);
});

test('a router that pays native tokens with 2,300 gas -> found', async () => {
  const native = IN_NATIVE();
  const verdicts = await judge({ ...native, router: 'Stipend', puller: 'StipendPuller' });
  expect(findingsOf(verdicts)).toEqual([expect.stringMatching(/^serves-accounts-with-code: /)]);
});

const inPair = (router: string, sold = 'A'): Market => {
  const reserve = 10n ** 12n;
  const boughtFor = (amount: bigint) => (amount * reserve) / (reserve + amount);
  return withRouter(router, {
    sell: sold,
    costOf: (bought) => (bought * reserve) / (reserve - bought) + 1n,
    plan: (amount, to) => {
      const bought = boughtFor(amount);
      const isForwarded = ['Gain', 'Surplus'].includes(router) && to !== at(router);
      const sell = [at(sold), isForwarded ? at(router) : to];
      const forwarded = [at('B'), to, (bought * 98n) / 100n];
      const steps = [pay(sold, at('Pair'), amount), step('Pair', 'FeePair', 'sell', sell)];
      if (isForwarded) steps.push(step(router, 'GainRouter', 'forward', forwarded));
      return through('Pair', [sold, amount], ['B', bought], steps);
    },
  });
};

async function deployPair(sold = 'A'): Promise<void> {
  deployed.set('Pair', await chain.deploy('FeePair', [at(sold), at('B'), 0n]));
  for (const token of [sold, 'B']) {
    await chain.send(at(token), encodeCall('PlainToken', 'transfer', [at('Pair'), 10n ** 12n]));
  }
  await chain.send(at('Pair'), encodeCall('FeePair', 'sync', []));
}

test.each([
  ['Router', undefined],
  ['Gain', 'less-than-pools'],
])('a pair whose price improves, through %s -> %s', async (router, fault) => {
  await deployPair();
  const verdict = (await judge(inPair(router))).get('quote-exact');
  expect(verdict?.kind === 'judged' && verdict.findings[0]?.fault).toBe(fault);
});

test('a router that pays the sender what a recipient would get at a better price -> found', async () => {
  await deployPair();
  const verdict = (await judge(inPair('Surplus'))).get('pays-recipient');
  expect(verdict?.kind === 'judged' && verdict.findings[0]?.fault).toBe('pays-sender');
});

test.each([
  ['sells its own fees for its treasury', 'SellingToken'],
  ['adds liquidity', 'LiquidityToken'],
  ['burns in the pair', 'BurningToken'],
])('a token that %s during a transfer -> the router pays nobody else', async (_, contract) => {
  deployed.set('Paired', await chain.deploy(contract));
  await deployPair('Paired');
  await chain.send(at('Paired'), encodeCall(contract, 'pairWith', [at('Pair'), at('B')]));
  const verdicts = await judge(inPair('Router', 'Paired'));
  const rules = ['settles', 'converts-all', 'touches-no-other-token', 'sells-exactly'];
  for (const rule of [...rules, 'nothing-stays', 'takes-only-from-user']) {
    expect([rule, verdicts.get(rule)]).toMatchObject([rule, { kind: 'judged', findings: [] }]);
  }
});

test('suspicious payments of trades that are too large to trace -> could not run, with the reason', async () => {
  const verdicts = await judge(withRouter('Heavy'));
  expect(verdicts.get('settles')).toMatchObject({ kind: 'judged', checks: 12, findings: [] });
  for (const rule of ['converts-all', 'touches-no-other-token']) {
    // With a recipient, the pool pays it directly, so six of twelve trades could be judged.
    expect(verdicts.get(rule)).toEqual({
      kind: 'could-not-run',
      why: expect.stringMatching(
        /^6 not judged, .* could not be traced: it uses more than 10000000 gas/,
      ),
    });
  }
});

test('a node that fails to trace one trade -> it is not judged, and all others are', async () => {
  let lost: string | undefined;
  const { url } = await untilEnd(
    startNodeProxy(chain.node.url, ({ method, params }) => {
      if (method !== 'debug_traceCall') return undefined;
      const [{ input }] = params as [{ input: string }];
      // The first trace, with a trade of its own, only checks the node.
      if (input === '0x') return undefined;
      lost ??= input;
      return lost === input ? { code: -32000, message: 'the trace is too long' } : undefined;
    }),
  );
  const verdicts = await judgeSettlements(chain, sessionFor(atPar('Treasury')), {
    forks: [{ chainId: CELO, rpcUrl: url, settleOn: 'node' }],
    plans: 12,
  });
  const verdict = verdicts.get('converts-all');
  expect(verdict).toMatchObject({ kind: 'judged', checks: 11, findings: [] });
  expect(verdict?.kind === 'judged' && verdict.observed).toContainEqual({
    text: expect.stringMatching(/^1 not judged, .*could not be traced: .*the trace is too long/),
    times: 1,
  });
  expect(findingsOf(verdicts)).toEqual([]);
});

test.each([
  [
    'Counter',
    'quote-exact',
    [
      / bps from that yield .*, after a trade of the same user\)/,
      / bps from that yield .*, after a trade of another user\)/,
    ],
  ],
  ['Once', 'settles', [/^reverted with 'left behind' .*, after a trade of the same user\)/]],
])('a router that treats a second trade differently, %s -> %s', async (router, rule, found) => {
  await deployPair();
  const verdict = (await judge(inPair(router))).get(rule);
  const findings = verdict?.kind === 'judged' ? verdict.findings : [];
  const texts = findings.map(({ actual }) => formatStatement(actual));
  for (const each of found) expect(texts).toContainEqual(expect.stringMatching(each));
  expect(
    texts.filter((text) => !/, after a trade of (the same|another) user\)$/.test(text)),
  ).toEqual([]);
});

/** A plan that quotes more than its pool pays. */
const exaggerating = (): Market => {
  const market = inPair('Router');
  const plan: Market['plan'] = (sold, to) => {
    const { bought, steps } = market.plan(sold, to);
    return through('Pair', ['A', sold], ['B', bought * 2n], steps);
  };
  return { ...market, plan };
};

test.each([
  ['calldata that reverts', 'settles', () => failingFor(() => true), /^reverted with(out)? /],
  ['a plan that its pool does not pay', 'through-pools', exaggerating, /base units .* paid/],
] as const)('%s once, and then no plan, on a moving market -> still found', async (...row) => {
  const [, rule, marketOf, expected] = row;
  await deployPair();
  const market = marketOf();
  const { get } = sessionFor(market);
  const [failed, repeated] = [new Set<string>(), new Set<string>()];
  const found = await reportOf(market, rule, {
    // The latest block is recent, so failed trades are requested again.
    clock: () => (BLOCK_TIME_S + 60) * 1_000,
    get: async (target) => {
      const key = JSON.stringify(target);
      if (failed.has(key)) {
        repeated.add(key);
        return exchangeWith({ error: 'NoRoute', message: 'no plan' }, { status: 400 });
      }
      failed.add(key);
      return get(target);
    },
  });
  expect(repeated.size).toBeGreaterThanOrEqual(12);
  expect(found).toEqual([expect.stringMatching(expected)]);
});

test('a router that keeps 1% unless it looks simulated -> found', async () => {
  const verdicts = await judge(withRouter('Simulation'));
  expect(findingsOf(verdicts)).toContainEqual(
    expect.stringMatching(/^quote-exact: .*-100 bps from the quote/),
  );
});

test('a router that takes the sold token from the account in the calldata -> found', async () => {
  const calldata = (args: readonly unknown[], wallet: Address | undefined) =>
    encodeCall('PayerRouter', 'swapFor', [wallet ?? NATIVE_TOKEN, ...args]);
  const verdicts = await judge(withRouter('Payer', { calldata }));
  expect(findingsOf(verdicts)).toEqual([expect.stringMatching(/^takes-from-sender: /)]);
});

const { approver } = accountsFrom('one run');
test.each([
  ['the recipient', (recipient: Address) => recipient],
  ['an account that has approved it', () => approver],
])('a router that takes the sold token from %s -> found', async (_, payerFor) => {
  const calldata: Market['calldata'] = (args, wallet, recipient) => {
    const payer = payerFor(recipient);
    return encodeCall('PayerRouter', 'swapFor', [
      payer === NATIVE_TOKEN ? (wallet ?? NATIVE_TOKEN) : payer,
      ...args,
    ]);
  };
  const found = await reportOf(withRouter('Payer', { calldata }), 'takes-only-from-user', {
    ...{ salt: 'one run', plans: 36 },
  });
  expect(found).toEqual([expect.stringMatching(/ base units of .* taken from this account/)]);
});

test.each([
  ['Router', []],
  ['Slack', [expect.stringMatching(/^it paid /)]],
  ['Thrifty', [expect.stringMatching(/^it paid /)]],
])(
  'a router that protects only if it sees our trader, or has ample gas: %s -> %s',
  async (router, found) => {
    await deployPair();
    const market = { ...inPair(router), toleratesAsRequested: true };
    expect(await reportOf(market, 'protects')).toEqual(found);
  },
);

test('a router that keeps 1% if it recognizes the judge -> treats it as a user', async () => {
  await deployPair();
  const reportsOn = (router: string) =>
    reportsOf({ ...inPair(router), toleratesAsRequested: true }, { salt: 'one run' });
  const [wary, honest] = [await reportsOn('Wary'), await reportsOn('Router')];
  expect(wary).toEqual(honest);
  expect(honest.get('quote-exact')).toEqual([]);
});

test('two runs with the same seed and user -> share nothing that a contract could look for', async () => {
  await deployPair();
  const session = sessionFor({ ...inPair('Router'), toleratesAsRequested: true });
  const [market] = session.facts.markets.values();
  if (market === undefined) throw new Error('the service has no market');
  const user = accountsFrom('a user').user;
  const facts = { ...session.facts, markets: new Map([[CELO, { ...market, user }]]) };
  const kinds = ['as-returned', 'sent-by-another', 'price-moved'] as const;
  const valuesOfRun = async () => {
    const forks = [{ chainId: CELO, rpcUrl: chain.node.url }];
    const executor = await untilEnd(createExecutor({ forks, plans: 12 }, { ...session, facts }));
    const values: (string | bigint | undefined)[] = [];
    for (const kind of kinds) {
      const executed = await executor.execute(kind, kinds);
      const scenarios = (executed.kind === 'executed' ? executed.items : []).map((item) => {
        expect(item.now).toBeDefined();
        return item.now?.scenario as Scenario;
      });
      expect(scenarios.length).toBeGreaterThan(0);
      for (const { fields, trade, overrides } of scenarios) {
        const { prevRandao, parentHash, salt } = fields;
        values.push(prevRandao, parentHash, salt, overrides[trade.from]?.balance);
      }
    }
    return new Set(values);
  };
  const [one, other] = [await valuesOfRun(), await valuesOfRun()];
  expect([...one].filter((value) => other.has(value))).toEqual([]);
});

test.each([
  ['returns', false],
  ['reverts with', true],
])(
  'a router that %s megabytes, again and again -> its trades fail, in bounded memory',
  async (_, reverts) => {
    // Fifty times 300 kB is as much as the gas of a trade allows.
    const calldata = () => encodeCall('BombRouter', 'bomb', [50n, 300_000n, reverts]);
    const before = process.memoryUsage.rss();
    let peak = before;
    const timer = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }, 20);
    const verdicts = await judge({ ...atPar('Par', 'A', 'B', 'Bomb'), calldata });
    clearInterval(timer);
    expect(verdicts.get('settles')).toMatchObject({ kind: 'judged', checks: 12 });
    expect(findingsOf(verdicts)).not.toEqual([]);
    expect((peak - before) / 2 ** 20).toBeLessThan(300);
  },
);

test('a router that calls others with megabytes -> judged, in bounded memory', async () => {
  // Eight thousand times 300 kB: to store all inputs would take 2.4 GB.
  const calldata = () => encodeCall('FloodRouter', 'flood', [8_000n, 300_000n]);
  const verdicts = await judge({ ...atPar('Par', 'A', 'B', 'Flood'), calldata });
  expect(verdicts.get('settles')).toMatchObject({ kind: 'judged', checks: 12 });
  expect(findingsOf(verdicts)).toContainEqual(expect.stringMatching(/^pays-recipient: 0 /));
});
