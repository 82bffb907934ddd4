import { describe, expect, test } from 'vitest';
import { exchangeWith } from '../../client/exchange.testing.ts';
import type { Session } from '../../model/session.ts';
import { createExecutor } from '../executor.ts';
import { startAnvil } from '../node/anvil.ts';
import { createRpc } from '../node/json-rpc.ts';
import { untilEnd } from '../node/until-end.testing.ts';
import { plainAsset, plainMarket, plainSession } from '../plain-market.testing.ts';
import { formatSeconds, ServiceClock } from './clocks.ts';

const CHAIN = 5252;
const ROUTER = `0x${'3'.repeat(40)}`;
/** Reverts if the block's time is after the first word of the calldata. */
const EXPIRES = '0x5f354211600857005b5f5ffd';
const [MINUTE_S, HOUR_S, DAY_S] = [60, 3_600, 86_400] as const;
const NOW_S = Math.floor(Date.now() / 1000);

/**
 * A service with the given clock, whose calldata is valid until `deadlineS`. It replies at once.
 */
function serviceAt(clockS: number, deadlineS: number, machineS = NOW_S): Session {
  const pair = [
    plainAsset(`0x${'0'.repeat(40)}`, 'ETH'),
    plainAsset(`0x${'2'.repeat(40)}`, 'TWO'),
  ] as const;
  return plainSession(plainMarket(CHAIN, [pair], [5n, 5n]), async () =>
    exchangeWith(
      {
        sell: { referenceId: 0, amount: '5' },
        buy: { referenceId: 1, amount: '5' },
        tokens: [
          { referenceId: 0, address: `0x${'1'.repeat(40)}` },
          { referenceId: 1, address: pair[1].address },
        ],
        routes: [],
        routerAddress: ROUTER,
        calldata: `0x${deadlineS.toString(16).padStart(64, '0')}`,
        gasLimit: '100000',
      },
      {
        startedAtMs: machineS * 1000,
        durationMs: 0,
        headers: { date: [new Date(clockS * 1000).toUTCString()] },
      },
    ),
  );
}

async function settle(
  service: Session,
  { blockS, machineS = NOW_S }: { readonly blockS: number; readonly machineS?: number },
) {
  const node = await untilEnd(startAnvil({ chainId: CHAIN, timestamp: blockS }));
  await createRpc(node.url)('anvil_setCode', [ROUTER, EXPIRES]);
  await createRpc(node.url)('evm_mine', [{ timestamp: blockS }]);
  const forks = [{ chainId: CHAIN, rpcUrl: node.url }];
  const options = { forks, plans: 1, clock: () => machineS * 1000 };
  const executor = await untilEnd(createExecutor(options, service));
  const executed = await executor.execute('as-returned');
  if (executed.kind !== 'executed') return executed.why;
  return executed.items.flatMap(({ now, later }) => [
    now.settlement.outcome,
    later.settlement.outcome,
  ]);
}

describe('calldata with a deadline, on a chain', () => {
  test.each([
    [
      '5 hours ahead of the service',
      NOW_S + 5 * HOUR_S,
      NOW_S + 20 * MINUTE_S,
      'has expired there',
    ],
    ['2 minutes ahead', NOW_S + 2 * MINUTE_S, NOW_S + 2.5 * MINUTE_S, 'has expired there'],
    [
      '3 days behind, whose block sets the deadline',
      NOW_S - 3 * DAY_S,
      NOW_S - 3 * DAY_S + 20 * MINUTE_S,
      'expires soon after that block',
    ],
  ])('%s -> the difference is named, not the service', async (_, blockS, deadlineS, why) => {
    expect(await settle(serviceAt(NOW_S, deadlineS), { blockS })).toMatch(
      new RegExp(`^the latest block of chain ${CHAIN} is .* the service's clock, .*${why}$`),
    );
  });

  test.each([
    ['3 days behind, long expired', NOW_S - 3 * DAY_S, NOW_S - HOUR_S],
    ['5 hours ahead, long expired', NOW_S + 5 * HOUR_S, NOW_S - HOUR_S],
    ['with the same time, expired', NOW_S, NOW_S - HOUR_S],
  ])('%s -> the service is at fault', async (_, blockS, deadlineS) => {
    expect(await settle(serviceAt(NOW_S, deadlineS), { blockS })).toEqual(['reverted', 'reverted']);
  });

  test.each([
    ['ahead', NOW_S + DAY_S],
    ['behind', NOW_S - DAY_S],
  ])(
    'with the service’s time, judged on a machine a day %s -> settled at that time',
    async (_, machineS) => {
      const service = serviceAt(NOW_S, NOW_S + 20 * MINUTE_S, machineS);
      expect(await settle(service, { blockS: NOW_S, machineS })).toEqual(['settled', 'settled']);
    },
  );
});

describe('ServiceClock', () => {
  const reply = (date: string | undefined) =>
    exchangeWith(
      {},
      {
        startedAtMs: 1_000_000,
        durationMs: 500,
        headers: date === undefined ? {} : { date: [date] },
      },
    );

  test.each([
    ['no date', [undefined], 0],
    ['a malformed date', ['soon'], 0],
    ['a date', [new Date(1_030_000).toUTCString()], 30],
    ['a cached reply', [new Date(1_000_000).toUTCString(), new Date(400_000).toUTCString()], 0],
  ])('%s -> seconds ahead', (_, dates, aheadS) => {
    const clock = new ServiceClock();
    for (const date of dates) clock.read(reply(date));
    expect(clock.aheadS + 0).toBe(aheadS);
  });
});

test.each([
  [61, '61 seconds'],
  [7_200, '2 hours'],
  [3 * DAY_S, '3 days'],
])('formatSeconds(%i) -> %s', (seconds, text) => {
  expect(formatSeconds(seconds)).toBe(text);
});
