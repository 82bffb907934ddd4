import { describe, expect, test } from 'vitest';
import type { Execution } from '../model/executor.ts';
import { given, goldenSwap } from '../model/golden-replies.testing.ts';
import type { ProbeVerdict, SettlementRule } from '../model/rule.ts';
import {
  type Effects,
  type Evidence,
  type EvidenceKind,
  NATIVE_TOKEN,
  type PriceMove,
  type SettledPlan,
} from '../model/settlement.ts';
import type { Address, TradeRequest } from '../model/trade-request.ts';
import { judgeExecution } from '../runner/judge-settlements.ts';
import { CATALOG } from './catalog.ts';

/*
 * The rules on executed plans, over executions that are made up: they are handed
 * what would have happened on a chain.
 */

const address = (digit: string): Address => `0x${digit.repeat(40)}`;
const [SOLD, BOUGHT, MIDDLE, OTHER] = ['c', 'd', 'b', '9'].map(address) as [
  Address,
  Address,
  Address,
  Address,
];
const [USER, RECEIVER, ROUTER, PROXY, POOL, POOL_2] = ['5', '6', 'e', 'f', '1', '2'].map(
  address,
) as [Address, Address, Address, Address, Address, Address];
const { exchange } = given(goldenSwap());

const asset = (token: Address, symbol: string, native = false) => ({
  ...{ address: token, symbol, decimals: 18, usdPrice: undefined },
  native,
});
const request: TradeRequest = {
  chainId: 31337,
  router: 'default-router',
  sell: asset(SOLD, 'SLD'),
  buy: asset(BOUGHT, 'BGT'),
  swapKind: 'exact-input',
  amount: 10_000n,
  slippageBps: 100,
  user: USER,
  recipient: undefined,
};
const exactOutput: TradeRequest = { ...request, swapKind: 'exact-output', amount: 20_000n };

type Changes = Readonly<Record<string, bigint>>;

/** What a settled trade did: changes are keyed by token and holder. */
function did(spent: bigint, received: bigint, changes: Changes = {}): Effects {
  return {
    kind: 'settled',
    gasUsed: 200_000n,
    spent,
    received,
    change: (token, holder) => changes[`${token} ${holder}`],
  };
}
const reverted: Effects = { kind: 'reverted', reason: 'TRANSFER_FAILED' };

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const word = (account: Address) => `0x${account.slice(2).padStart(64, '0')}`;
const transfer = (token: Address, from: Address, to: Address, amount: bigint) => ({
  address: token,
  topics: [TRANSFER, word(from), word(to)],
  data: `0x${amount.toString(16).padStart(64, '0')}`,
});
const logs = [
  transfer(SOLD, USER, POOL, 10_000n),
  transfer(MIDDLE, POOL, POOL_2, 5_000n),
  transfer(BOUGHT, POOL_2, RECEIVER, 20_000n),
];
const step = (pool: Address, sold: Address, spent: bigint, bought: Address, gained: bigint) => ({
  pool,
  source: 'SourceA',
  from: [{ token: sold, amount: spent }],
  to: [{ token: bought, amount: gained }],
});

const sound: SettledPlan = {
  request,
  exchange,
  plan: {
    sell: { token: SOLD, amount: 10_000n },
    buy: { token: BOUGHT, amount: 20_000n },
    steps: [
      step(POOL, SOLD, 10_000n, MIDDLE, 5_000n),
      step(POOL_2, MIDDLE, 5_000n, BOUGHT, 20_000n),
    ],
    tokens: [SOLD, MIDDLE, BOUGHT],
    decimals: new Map([
      [SOLD, 18],
      [BOUGHT, 6],
    ]),
    transaction: undefined,
  },
  transaction: { router: ROUTER, calldata: '0x3593564c', gasLimit: 400_000n },
  unmoved: true,
  routerHasCode: true,
  decimalsOnChain: new Map([
    [SOLD, 18],
    [MIDDLE, 18],
    [BOUGHT, 6],
  ]),
  poolsWithoutCode: [],
  effects: did(10_000n, 20_000n, { [`${SOLD} ${USER}`]: -10_000n }),
  effectsLater: did(10_000n, 20_000n),
  mined: { kind: 'mined', success: true, gasUsed: 250_000n, logs },
  holders: { user: USER, receiver: RECEIVER, router: ROUTER, proxy: PROXY },
  bystanders: [OTHER],
};

const executed = <Item>(...items: readonly Item[]): Execution<Item> => ({
  kind: 'executed',
  items,
  skipped: [],
});

function judge(
  id: string,
  execution: Execution<Evidence[EvidenceKind]>,
  tolerancePpm = 0,
): ProbeVerdict {
  const rule = CATALOG.find(
    (each): each is SettlementRule => each.id === id && each.kind === 'settlement',
  );
  if (rule === undefined) throw new Error(`no settlement rule ${id}`);
  return judgeExecution(rule, execution, { tolerancePpm });
}

/** What a rule says of one settled plan, in a line. */
function verdictOn(id: string, change: Partial<SettledPlan>, tolerancePpm = 0): string {
  return inWords(judge(id, executed({ ...sound, ...change }), tolerancePpm));
}

function inWords(verdict: ProbeVerdict): string {
  if (verdict.kind !== 'judged') return `${verdict.kind}: ${verdict.why}`;
  const [finding] = verdict.findings;
  if (finding === undefined) return 'pass';
  expect(finding.exchange).toBe(exchange);
  const where = finding.pointer === undefined ? '' : ` at ${finding.pointer}`;
  return `${finding.expected} | ${finding.actual}${where}`;
}

const words = '(exact-input "SLD" to "BGT" on default-router, tolerance 0.01)';
const wordsOut = '(exact-output "SLD" to "BGT" on default-router, tolerance 0.01)';
const wordsNative = '(exact-input "SLD" to "ETH" on default-router, tolerance 0.01)';
const nothing = (what: string) => `not-applicable: no settlement showed ${what}`;
const toNative: TradeRequest = { ...request, buy: asset(BOUGHT, 'ETH', true) };
const fromNative: TradeRequest = { ...request, sell: asset(SOLD, 'ETH', true) };

describe('rules on settled plans', () => {
  const ids = CATALOG.filter(
    (rule) => rule.kind === 'settlement' && rule.evidence !== 'price-moved',
  ).map(({ id }) => id);
  const never = [
    'execution/buys-at-least', // exact output alone
    'execution/pays-native', // native bought alone
  ];
  test.each(ids.filter((id) => !never.includes(id)))('%s, a sound trade -> pass', (id) => {
    expect(verdictOn(id, {})).toBe('pass');
  });

  test.each<[id: string, change: Partial<SettledPlan>, says: string, tolerancePpm?: number]>([
    [
      'execution/settles',
      { effects: reverted },
      `the trade is settled | TRANSFER_FAILED ${words} at /calldata`,
    ],
    [
      'execution/outlives-a-minute',
      { effectsLater: reverted },
      `the trade is settled a minute later | TRANSFER_FAILED ${words}`,
    ],
    [
      'execution/outlives-a-minute',
      { effects: reverted, effectsLater: reverted },
      nothing('calldata that settles at all'),
    ],
    [
      'execution/router-is-contract',
      { routerHasCode: false },
      `a contract at \`routerAddress\` on the chain asked for | no code at ${ROUTER} ${words}`,
    ],
    [
      'execution/pools-are-contracts',
      { poolsWithoutCode: [POOL_2, POOL] },
      `a contract at the address of every pool | no code at "${POOL_2}" ${words}`,
    ],
    [
      'execution/token-decimals',
      { decimalsOnChain: new Map([[BOUGHT, 8]]) },
      `8 decimals, as ${BOUGHT} says itself | 6 ${words}`,
    ],
    [
      'execution/token-decimals',
      { decimalsOnChain: new Map([[MIDDLE, 8]]) },
      nothing('a plan with a token whose contract tells its decimals'),
    ],
    [
      'execution/pays-sender',
      { request: { ...request, wallet: OTHER }, effects: did(10_000n, 0n) },
      `20000 of ${BOUGHT} to the sender ${USER} | 0 of it (exact-input "SLD" to "BGT" on default-router, tolerance 0.01, asked for ${OTHER})`,
    ],
    [
      'execution/pays-sender',
      { request: { ...request, wallet: OTHER }, effects: reverted },
      nothing('calldata that settles for another than it was asked for'),
    ],
    ['execution/gas-limit', { mined: undefined }, nothing('calldata that settles with enough gas')],
    [
      'execution/gas-limit',
      { mined: { kind: 'refused', reason: 'intrinsic gas too low' } },
      `the trade is settled within 400000 gas | intrinsic gas too low ${words}`,
    ],
    [
      'execution/gas-limit',
      { mined: { kind: 'mined', success: false, gasUsed: 399_999n, logs: [] } },
      `the trade is settled within 400000 gas | it failed after 399999 gas ${words}`,
    ],
    [
      'execution/sells-exactly',
      { effects: did(10_001n, 20_000n) },
      `10000 paid, as \`sell.amount\` says | 10001 paid ${words}`,
    ],
    [
      'execution/sells-exactly',
      { effects: did(9_999n, 20_000n) },
      `10000 paid, as \`sell.amount\` says | 9999 paid ${words}`,
    ],
    [
      'execution/sells-exactly',
      { effects: reverted },
      nothing('an exact-input trade that settles'),
    ],
    [
      'execution/sells-exactly',
      { request: exactOutput, effects: did(10_001n, 20_000n) },
      nothing('an exact-input trade that settles'),
    ],
    ['execution/touches-no-other-token', { effects: reverted }, nothing('a trade that settles')],
    ...[NATIVE_TOKEN, MIDDLE, BOUGHT, OTHER].map(
      (token): [string, Partial<SettledPlan>, string] => [
        'execution/touches-no-other-token',
        { effects: did(10_000n, 20_000n, { [`${token} ${USER}`]: -1n }) },
        `nothing but ${SOLD} taken from the user | 1 of ${token} taken ${words}`,
      ],
    ),
    [
      'execution/touches-no-other-token',
      { effects: did(10_000n, 20_000n, { [`${OTHER} ${USER}`]: 1n, [`${OTHER} ${ROUTER}`]: -1n }) },
      'pass',
    ],
    [
      'execution/touches-no-other-token',
      { request: fromNative, effects: did(1n, 1n, { [`${NATIVE_TOKEN} ${USER}`]: -10_000n }) },
      'pass',
    ],
    [
      'execution/touches-no-other-token',
      { request: fromNative, effects: did(1n, 1n, { [`${SOLD} ${USER}`]: -7n }) },
      `nothing but ${NATIVE_TOKEN} taken from the user | 7 of ${SOLD} taken (exact-input "ETH" to "BGT" on default-router, tolerance 0.01)`,
    ],
    [
      'execution/quote-exact',
      { effects: reverted },
      nothing('a trade that settles on a market that stood still'),
    ],
    [
      'execution/quote-exact',
      { unmoved: false, effects: did(1n, 1n) },
      nothing('a trade that settles on a market that stood still'),
    ],
    [
      'execution/quote-exact',
      { effects: did(10_000n, 20_001n) },
      `20000 received | 20001: +0.5 bp from the quote ${words}`,
    ],
    [
      'execution/quote-exact',
      { effects: did(10_000n, 19_900n) },
      `20000 received | 19900: -50 bp from the quote ${words}`,
    ],
    [
      'execution/quote-exact',
      { request: exactOutput, effects: did(10_100n, 20_000n) },
      `10000 paid | 10100: +100 bp from the quote ${wordsOut}`,
    ],
    ['execution/quote-exact', { request: exactOutput, effects: did(10_000n, 20_100n) }, 'pass'],
    [
      'execution/quote-exact',
      { plan: { ...sound.plan, buy: { token: BOUGHT, amount: 0n } } },
      `0 received | 20000: 0 bp from the quote ${words}`,
    ],
    ['execution/nothing-stays', { effects: reverted }, nothing('a trade that settles')],
    ...[ROUTER, PROXY].flatMap((keeper) =>
      [NATIVE_TOKEN, SOLD, MIDDLE, BOUGHT].map((token): [string, Partial<SettledPlan>, string] => [
        'execution/nothing-stays',
        { effects: did(10_000n, 20_000n, { [`${token} ${keeper}`]: 1n }) },
        `as much in the router as before | 1 of ${token} more in ${keeper} ${words}`,
      ]),
    ),
    [
      'execution/nothing-stays',
      { effects: did(10_000n, 20_000n, { [`${MIDDLE} ${ROUTER}`]: -1n }) },
      'pass',
    ],
    [
      'execution/nothing-stays',
      {
        holders: { ...sound.holders, proxy: undefined },
        effects: did(10_000n, 20_000n, { [`${MIDDLE} ${PROXY}`]: 1n }),
      },
      'pass',
    ],
    // 5,000 flow of the middle token: 100,000 ppm of it and 2 may stay.
    [
      'execution/nothing-stays',
      { effects: did(10_000n, 20_000n, { [`${MIDDLE} ${ROUTER}`]: 502n }) },
      'pass',
      100_000,
    ],
    [
      'execution/nothing-stays',
      { effects: did(10_000n, 20_000n, { [`${MIDDLE} ${ROUTER}`]: 503n }) },
      `as much in the router as before | 503 of ${MIDDLE} more in ${ROUTER} ${words}`,
      100_000,
    ],
    [
      'execution/nothing-stays',
      { effects: did(10_000n, 20_000n, { [`${SOLD} ${ROUTER}`]: 1_003n }) },
      `as much in the router as before | 1003 of ${SOLD} more in ${ROUTER} ${words}`,
      100_000,
    ],
    ['execution/pays-recipient', { effects: reverted }, nothing('a trade that settles')],
    [
      'execution/pays-recipient',
      { effects: did(10_000n, 0n) },
      `20000 of ${BOUGHT} to ${RECEIVER} | 0 of it to ${RECEIVER} ${words}`,
    ],
    [
      'execution/pays-recipient',
      { effects: did(10_000n, 20_000n, { [`${BOUGHT} ${USER}`]: 3n }) },
      `20000 of ${BOUGHT} to ${RECEIVER} | 3 of it to the sender ${USER} ${words}`,
    ],
    [
      'execution/pays-recipient',
      { effects: did(10_000n, 20_000n, { [`${BOUGHT} ${USER}`]: 0n }) },
      'pass',
    ],
    [
      'execution/pays-recipient',
      {
        holders: { ...sound.holders, receiver: USER },
        effects: did(10_000n, 20_000n, { [`${BOUGHT} ${USER}`]: 20_000n }),
      },
      'pass',
    ],
    [
      'execution/pays-recipient',
      { request: toNative, effects: did(10_000n, 20_000n, { [`${NATIVE_TOKEN} ${USER}`]: 3n }) },
      `20000 of ${NATIVE_TOKEN} to ${RECEIVER} | 3 of it to the sender ${USER} ${wordsNative}`,
    ],
    [
      'execution/pays-recipient',
      {
        request: { ...request, sell: asset(SOLD, 'ETH', true), buy: asset(BOUGHT, 'ETH', true) },
        effects: did(10_000n, 20_000n, { [`${NATIVE_TOKEN} ${USER}`]: 3n }),
      },
      'pass',
    ],
    ['execution/pays-native', {}, nothing('a trade that buys the native token and settles')],
    [
      'execution/pays-native',
      { request: toNative, effects: reverted },
      nothing('a trade that buys the native token and settles'),
    ],
    ['execution/pays-native', { request: toNative }, 'pass'],
    [
      'execution/pays-native',
      { request: toNative, effects: did(10_000n, 0n) },
      `20000 native | 0 native and 0 of ${BOUGHT} ${wordsNative}`,
    ],
    [
      'execution/pays-native',
      { request: toNative, effects: did(10_000n, 20_000n, { [`${BOUGHT} ${RECEIVER}`]: 5n }) },
      `20000 native | 20000 native and 5 of ${BOUGHT} ${wordsNative}`,
    ],
    [
      'execution/pays-native',
      { request: toNative, effects: did(10_000n, 20_000n, { [`${BOUGHT} ${RECEIVER}`]: -5n }) },
      'pass',
    ],
    ['execution/buys-at-least', {}, nothing('an exact-output trade that settles')],
    [
      'execution/buys-at-least',
      { request: exactOutput, effects: reverted },
      nothing('an exact-output trade that settles'),
    ],
    ['execution/buys-at-least', { request: exactOutput }, 'pass'],
    [
      'execution/buys-at-least',
      { request: exactOutput, effects: did(10_000n, 19_999n) },
      `at least 20000, as asked for | 19999 received ${wordsOut}`,
    ],
    ['execution/within-tolerance', { effects: reverted }, nothing('a trade that settles')],
    ['execution/within-tolerance', { effects: did(10_000n, 19_800n) }, 'pass'],
    [
      'execution/within-tolerance',
      { effects: did(10_000n, 19_799n) },
      `at least 19800 received | 19799 received ${words}`,
    ],
    [
      'execution/within-tolerance',
      { request: exactOutput, effects: did(10_100n, 20_000n) },
      'pass',
    ],
    [
      'execution/within-tolerance',
      { request: exactOutput, effects: did(10_101n, 20_000n) },
      `at most 10100 paid | 10101 paid ${wordsOut}`,
    ],
    [
      'execution/route-amounts',
      { unmoved: false },
      nothing('a settled trade whose pools move tokens themselves, on a market that stood still'),
    ],
    ...[
      undefined,
      { kind: 'refused', reason: 'no' } as const,
      { kind: 'mined', success: false, gasUsed: 1n, logs } as const,
      { kind: 'mined', success: true, gasUsed: 1n, logs: [] } as const,
    ].map((mined): [string, Partial<SettledPlan>, string] => [
      'execution/route-amounts',
      { mined },
      nothing('a settled trade whose pools move tokens themselves, on a market that stood still'),
    ]),
    [
      'execution/route-amounts',
      {
        mined: {
          kind: 'mined',
          success: true,
          gasUsed: 1n,
          logs: [...logs, transfer(MIDDLE, POOL_2, POOL, 1n)],
        },
      },
      `5000 of ${MIDDLE} out of "${POOL}" | 4999 moved ${words} at /routes`,
    ],
    [
      'execution/own-encoding',
      { unmoved: false },
      nothing('a plan for the universal router through sources that are known here'),
    ],
    [
      'execution/own-encoding',
      { effects: reverted },
      `about 20000 received, as quoted | TRANSFER_FAILED ${words}`,
    ],
    [
      'execution/own-encoding',
      { effects: did(10_000n, 19_999n) },
      `about 20000 received, as quoted | 19999 received ${words}`,
    ],
    ['execution/own-encoding', { effects: did(10_000n, 19_980n) }, 'pass', 1_000],
    [
      'execution/own-encoding',
      { effects: did(10_000n, 19_979n) },
      `about 20000 received, as quoted | 19979 received ${words}`,
      1_000,
    ],
  ])('%s #%# -> %3$s', (id, change, says, tolerancePpm) => {
    expect(verdictOn(id, change, tolerancePpm)).toBe(says);
  });
});

describe('rules on moved prices', () => {
  const move = (toleranceBps: number, movedBps: number, effects: Effects): PriceMove => ({
    ...{ request, exchange, toleranceBps, movedBps, effects },
  });
  const moved = (by: string, tolerance: string) =>
    `(exact-input "SLD" to "BGT" on default-router, price moved by ${by}, tolerance ${tolerance})`;
  const settled = did(10_000n, 19_000n);
  const none = nothing('a plan whose price could be moved');

  test.each<[id: string, move: PriceMove, says: string]>([
    ['execution/protects', move(50, 100, reverted), 'pass'],
    [
      'execution/protects',
      move(50, 100, settled),
      `the transaction reverts, and costs the user gas alone | it paid 10000 and received 19000 ${moved('0.01', '0.005')}`,
    ],
    ['execution/protects', move(100, 100, settled), none],
    ['execution/protects', move(200, 100, reverted), none],
    ['execution/tolerates', move(200, 100, settled), 'pass'],
    [
      'execution/tolerates',
      move(200, 100, reverted),
      `the trade is settled | TRANSFER_FAILED ${moved('0.01', '0.02')}`,
    ],
    ['execution/tolerates', move(100, 100, reverted), none],
    ['execution/tolerates', move(50, 100, reverted), none],
  ])('%s #%# -> %3$s', (id, item, says) => {
    expect(inWords(judge(id, executed(item)))).toBe(says);
  });
});

describe('what many settlements show together', () => {
  const observed = (id: string, ...items: readonly SettledPlan[]) => {
    const verdict = judge(id, executed(...items));
    return verdict.kind === 'judged' ? verdict.observed : undefined;
  };
  const used = (gasUsed: bigint): SettledPlan => ({
    ...sound,
    mined: { kind: 'mined', success: true, gasUsed, logs },
  });

  test('gas used -> its share of the limit, median and most', () => {
    const failedOne: SettledPlan = {
      ...sound,
      mined: { kind: 'mined', success: false, gasUsed: 400_000n, logs },
    };
    expect(
      observed('execution/gas-limit', used(390_000n), failedOne, used(100_000n), used(250_000n)),
    ).toBe('used 62.5 % of `gasLimit` in the median, 97.5 % at most');
    expect(observed('execution/gas-limit', failedOne)).toBe('no transaction succeeded');
  });

  test('what executes could not run -> said as it is', () => {
    const execution = { kind: 'could-not-run', why: 'the node is gone' } as const;
    expect(judge('execution/settles', execution)).toBe(execution);
  });

  test('plans skipped -> told beside the verdict, or why there is none', () => {
    const skipped = ['SLD cannot be funded', 'too many transfers'];
    expect(judge('execution/settles', { kind: 'executed', items: [sound], skipped })).toEqual({
      kind: 'judged',
      checks: 1,
      findings: [],
      observed: '2 not tried, such as SLD cannot be funded',
    });
    expect(
      judge('execution/gas-limit', { kind: 'executed', items: [sound], skipped }),
    ).toMatchObject({
      observed:
        'used 62.5 % of `gasLimit` in the median, 62.5 % at most; 2 not tried, such as SLD cannot be funded',
    });
    expect(judge('execution/settles', { kind: 'executed', items: [], skipped })).toEqual({
      kind: 'not-applicable',
      why: 'no settlement showed a plan with calldata (2 not tried: SLD cannot be funded)',
    });
    expect(judge('execution/settles', executed(sound))).toEqual({
      kind: 'judged',
      checks: 1,
      findings: [],
    });
  });

  test('a fault of every plan -> the first eight of all that were checked', () => {
    const items = Array.from({ length: 12 }, () => ({ ...sound, effects: reverted }));
    const verdict = judge('execution/settles', executed(...items, sound));
    if (verdict.kind !== 'judged') throw new Error(verdict.why);
    expect([verdict.checks, verdict.findings.length]).toEqual([13, 8]);
  });
});
