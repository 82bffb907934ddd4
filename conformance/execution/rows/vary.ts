import type { Variation } from '../../model/executor.ts';
import type { BlockFields, Hex, Scenario } from '../../model/scenario.ts';
import type { Evidence, EvidenceKind, Funds, SettledPlan } from '../../model/settlement.ts';
import type { ForkedMarket } from '../fork/fork.ts';
import { ampleCircumstances, ampleGas, BUILDERS } from '../scenario/circumstances.ts';
import { scenarioOf } from '../scenario/scenario.ts';
import { gasPriceIn } from '../settle/gas-price.ts';
import { isImpossible } from '../settle/impossible.ts';
import { simulate } from '../settle/simulate.ts';
import { returnTo, withSettlement } from './confirm.ts';
import { settleIn, settleTrade } from './settle-trade.ts';
import { requestTrades } from './settle-until-final.ts';

type Varied = Variation<Evidence[EvidenceKind]>;

/**
 * Settles an item several times, each time with one changed circumstance: the block's number, base
 * fee, coinbase, prevrandao, parent hash or time. For a plan as returned, also changes the user or
 * its funds. Plans that were settled through their pools are not varied.
 */
export async function varyItem(
  forked: ForkedMarket,
  item: Evidence[EvidenceKind],
): Promise<readonly Varied[]> {
  if (item.now === undefined || 'pools' in item) return [];
  const { fork } = forked;
  if (!(await returnTo(fork, item.now))) return [];
  const again = async (scenario: Scenario) =>
    'later' in item
      ? settlePlan(forked, item, scenario, item.funds)
      : withSettlement(fork, item, { scenario, settlement: await simulate(fork, scenario) });
  const { scenario } = item.now;
  const start = 'later' in item ? { ...scenario, gas: ampleGas(fork.block) } : scenario;
  const blocks = await Promise.all(
    otherBlocks(start).map(
      async ({ changed, scenario }): Promise<Varied> => ({ changed, item: await again(scenario) }),
    ),
  );
  // Other funds or another user need a new scenario, without the other changes of this one.
  return 'later' in item && item.circumstance === undefined
    ? [...blocks, ...(await withOtherFunds(forked, item)), ...(await withOtherUser(forked, item))]
    : blocks;
}

function settlePlan(
  { fork }: ForkedMarket,
  item: SettledPlan,
  scenario: Scenario,
  funds: Funds,
): Promise<SettledPlan> {
  const { frozen, failedBefore } = item;
  return settleIn(fork, item, scenario, { funds, frozen, failedBefore });
}

type OtherBlock = {
  readonly changed: string;
  readonly scenario: Scenario;
};

function otherBlocks(scenario: Scenario): readonly OtherBlock[] {
  const { number, baseFee, coinbase, prevRandao, parentHash } = scenario.fields;
  const withFields = (changed: string, fields: Partial<BlockFields>) => ({
    changed,
    scenario: inBlock(scenario, { ...scenario.fields, ...fields }),
  });
  return [
    withFields(`block ${number}`, { number: number + 1 }),
    ...[(baseFee * 8n) / 7n + 1n, (baseFee * 8n) / 9n || 1n].map((other) =>
      withFields(`a base fee of ${baseFee} wei`, { baseFee: other }),
    ),
    withFields(`coinbase ${coinbase}`, {
      coinbase: BUILDERS.find((each) => each !== coinbase) ?? coinbase,
    }),
    withFields(`prevrandao ${prevRandao}`, { prevRandao: complementOf(prevRandao) }),
    withFields(`parent hash ${parentHash}`, { parentHash: complementOf(parentHash) }),
    { changed: `time ${scenario.time}`, scenario: { ...scenario, time: scenario.time + 1 } },
  ];
}

/** Keeps the sender's native balance after gas unchanged. */
function inBlock(scenario: Scenario, fields: BlockFields): Scenario {
  const { trade, gas, overrides } = scenario;
  const { balance = 0n, ...rest } = overrides[trade.from] ?? {};
  const more = gas * (gasPriceIn(fields) - gasPriceIn(scenario.fields));
  const sender = { ...rest, balance: balance + more };
  return { ...scenario, fields, overrides: { ...overrides, [trade.from]: sender } };
}

function complementOf(word: Hex): Hex {
  return `0x${(BigInt(word) ^ ((1n << 256n) - 1n)).toString(16).padStart(64, '0')}`;
}

const OTHER_FUNDS: readonly (readonly [
  changed: string,
  given: Partial<Funds>,
  other: Partial<Funds>,
])[] = [
  ['a user with just enough tokens', { tokens: 'exact' }, { tokens: 'ample' }],
  ['a user with more tokens than it sells', { tokens: 'ample' }, { tokens: 'exact' }],
  ['an approval of just enough', { approval: 'exact' }, { approval: 'unlimited' }],
  ['an unlimited approval', { approval: 'unlimited' }, { approval: 'exact' }],
  ['a user with just enough native tokens for gas', { native: 'scarce' }, { native: 'ample' }],
  ['a user with more native tokens than it needs', { native: 'ample' }, { native: 'scarce' }],
  ['a receiver without the bought token', { bought: 'none' }, { bought: 'some' }],
  ['a receiver with the bought token', { bought: 'some' }, { bought: 'none' }],
  ['other accounts that approved the router', { others: 'approved' }, { others: 'none' }],
  ['no other account that approved the router', { others: 'none' }, { others: 'approved' }],
];

async function withOtherFunds(forked: ForkedMarket, item: SettledPlan): Promise<readonly Varied[]> {
  const { scenario } = item.now;
  const { funds } = item;
  const others = OTHER_FUNDS.filter(([, given]) =>
    Object.entries(given).every(([kind, value]) => funds[kind as keyof Funds] === value),
  );
  const varied = await Promise.all(
    others.map(async ([changed, , other]): Promise<Varied | undefined> => {
      const otherFunds = { ...funds, ...other };
      const circumstances = { funds: otherFunds, fields: scenario.fields };
      const given = await scenarioOf(forked.fork, item, circumstances, scenario.time);
      if (isImpossible(given)) return undefined;
      return { changed, item: await settlePlan(forked, item, given, otherFunds) };
    }),
  );
  return varied.filter((each) => each !== undefined);
}

/** Returns an empty list on a moving market, where a new request may return another plan anyway. */
async function withOtherUser(forked: ForkedMarket, item: SettledPlan): Promise<readonly Varied[]> {
  const { request, now, funds, frozen, failedBefore } = item;
  if (!frozen) return [];
  const other = { ...request, user: forked.fork.accounts.wallet };
  const [trade] = await requestTrades(forked, [other]);
  if (trade === undefined) return [];
  const { fork } = forked;
  const { fields, time } =
    fork.block.number === now.scenario.block
      ? now.scenario
      : { ...ampleCircumstances(fork), time: undefined };
  const past = { frozen, failedBefore };
  const settled = await settleTrade(fork, trade, { funds, fields }, past, time);
  if (!('effects' in settled)) return [];
  return [{ changed: `the user ${request.user}`, item: settled }];
}
