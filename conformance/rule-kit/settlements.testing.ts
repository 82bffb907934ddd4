import { expect, test } from 'vitest';
import { given, goldenSwap } from '../model/golden-replies.testing.ts';
import type { Rule, SettlementRule } from '../model/rule.ts';
import type {
  Effects,
  Evidence,
  EvidenceKind,
  Log,
  Mined,
  SettledPlan,
} from '../model/settlement.ts';
import type { Address, TradeRequest } from '../model/trade-request.ts';
import { expectLines, linesOf } from './verdict-lines.testing.ts';

/*
 * A trade over two pools that did on a chain all that its plan says, made up: no
 * chain is asked. Rows change what it did.
 */

const address = (digit: string): Address => `0x${digit.repeat(40)}`;
export const SOLD = address('c');
export const BOUGHT = address('d');
export const MIDDLE = address('b');
export const OTHER = address('9');
export const USER = address('5');
export const RECEIVER = address('6');
export const ROUTER = address('e');
export const PROXY = address('f');
export const POOL = address('1');
export const POOL_2 = address('2');

const asset = (token: Address, symbol: string, native = false) => ({
  ...{ address: token, symbol, decimals: 18, usdPrice: undefined },
  native,
});
export const request: TradeRequest = {
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
export const exactOutput: TradeRequest = { ...request, swapKind: 'exact-output', amount: 20_000n };
export const fromNative: TradeRequest = { ...request, sell: asset(SOLD, 'ETH', true) };
export const toNative: TradeRequest = { ...request, buy: asset(BOUGHT, 'ETH', true) };

/** What a trade did that settled, and how the holdings of one account in one token changed. */
export function did(
  spent: bigint,
  received: bigint,
  ...[token, holder, change]: readonly [Address, Address, bigint] | readonly []
): Effects {
  const isMeant = (each: Address, of: Address) => each === token && of === holder;
  return {
    ...{ kind: 'settled', gasUsed: 200_000n, spent, received },
    change: (each, of) => (isMeant(each, of) ? change : undefined),
  };
}
/** What the sound trade did, and how else the holdings of one account in one token changed. */
export const moved = (token: Address, holder: Address, change: bigint): Effects =>
  did(10_000n, 20_000n, token, holder, change);
export const reverted: Effects = { kind: 'reverted', reason: 'TRANSFER_FAILED' };

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const word = (account: Address) => `0x${account.slice(2).padStart(64, '0')}`;
export const transfer = (token: Address, from: Address, to: Address, amount: bigint): Log => ({
  address: token,
  topics: [TRANSFER, word(from), word(to)],
  data: `0x${amount.toString(16).padStart(64, '0')}`,
});
export const logs: readonly Log[] = [
  transfer(SOLD, USER, POOL, 10_000n),
  transfer(MIDDLE, POOL, POOL_2, 5_000n),
  transfer(BOUGHT, POOL_2, RECEIVER, 20_000n),
];
export const mined = (gasUsed: bigint, success = true, events = logs): Mined => {
  const reason = success ? undefined : 'it ran out of gas';
  return { kind: 'mined', success, gasUsed, logs: events, reason };
};

const step = (pool: Address, sold: Address, spent: bigint, bought: Address, gained: bigint) => ({
  pool,
  source: 'SourceA',
  from: [{ token: sold, amount: spent }],
  to: [{ token: bought, amount: gained }],
});

export const sound: SettledPlan = {
  request,
  exchange: given(goldenSwap()).exchange,
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
  failedBefore: 0,
  blockGasLimit: 30_000_000n,
  transactionGasCap: undefined,
  yieldBeside: undefined,
  routerHasCode: true,
  decimalsOnChain: new Map([
    [SOLD, 18],
    [MIDDLE, 18],
    [BOUGHT, 6],
  ]),
  poolsWithoutCode: [],
  effects: did(10_000n, 20_000n, SOLD, USER, -10_000n),
  effectsLater: did(10_000n, 20_000n),
  mined: mined(250_000n),
  holders: { user: USER, receiver: RECEIVER, router: ROUTER, proxy: PROXY },
  bystanders: [OTHER],
  strays: [],
  taken: [],
};

const evidence: Evidence = {
  'as-returned': sound,
  'sent-by-another': sound,
  'own-encoding': sound,
  'price-moved': { ...sound, toleranceBps: 100, movedBps: 50, effects: did(10_000n, 19_000n) },
};

/** A change of the sound trade, at a tolerance of 0 or another, and what the rules of a file say of it, as in rows on replies. */
export type SettlementRow<Kind extends EvidenceKind> =
  | readonly [change: Partial<Evidence[Kind]>, ...said: string[]]
  | readonly [change: Partial<Evidence[Kind]>, tolerancePpm: number, ...said: string[]];

/** Defines a test for each row on each kind of evidence, and one that each rule fails in some. */
export function testSettlements(
  rules: readonly Rule[],
  tables: { readonly [Kind in EvidenceKind]?: readonly SettlementRow<Kind>[] },
): void {
  const settling = rules.filter((rule): rule is SettlementRule => rule.kind === 'settlement');
  const rows = Object.entries(tables).flatMap(([kind, table]) =>
    table.map(([change, ...rest]) => {
      const [first, ...others] = rest;
      const isTolerance = typeof first === 'number';
      const said = (isTolerance ? others : rest) as readonly string[];
      return { kind: kind as EvidenceKind, change, said, tolerancePpm: isTolerance ? first : 0 };
    }),
  );
  const judged = ({ kind, change, tolerancePpm }: (typeof rows)[number]) =>
    settling
      .filter((rule) => rule.evidence === kind)
      .map(
        (rule) => [rule, rule.judge({ ...evidence[kind], ...change }, { tolerancePpm })] as const,
      );
  test.each(rows.map((row) => [row.said.join(', ') || 'no fault', row] as const))(
    'executed -> %s',
    (_title, row) => {
      expectLines(
        judged(row).flatMap(([rule, verdict]) => linesOf(rule, verdict)),
        row.said,
      );
    },
  );
  test('each rule on settlements -> fails in some row', () => {
    const failed = rows.flatMap((row) => row.said).filter((line) => !line.endsWith(' n/a'));
    const silent = settling.filter(({ id }) => failed.every((line) => !line.startsWith(id)));
    expect(silent.map(({ id }) => id)).toEqual([]);
  });
}
