import type { Exchange } from '../../conformance/client/exchange.ts';
import type { Query } from '../../conformance/client/request.ts';
import { RunStopped } from '../../conformance/client/scheduler.ts';
import { PATHS } from '../../conformance/contract/paths.ts';
import type { ChainMarket } from '../../conformance/discovery/facts.ts';
import { exactInput, exactOutput, setParameter } from '../../conformance/generate/trades.ts';
import { createRandom } from '../../conformance/model/random.ts';
import type { ErrorProbe } from '../model/metrics.ts';
import { rejectionIn } from './request-trade.ts';
import type { StudiedService } from './studied-service.ts';

type Situation = Pick<ErrorProbe, 'cause' | 'situation'> & { readonly query: Query };

/** Factor that makes an amount larger than the supply of any token. */
const BEYOND_SUPPLY_FACTOR = 10n ** 15n;
const UNSERVED_CHAIN = '4294967295';

/** Sends requests that a service must reject, each for a known cause, and returns the replies. */
export async function probeErrors(
  service: StudiedService,
  chainId: number,
  seed: number,
): Promise<ErrorProbe[]> {
  const market = service.facts.markets.get(chainId);
  const probes: ErrorProbe[] = [];
  for (const { query, ...about } of market === undefined ? [] : situationsOf(market, seed)) {
    try {
      const exchange = await service.get({ path: PATHS.swap, query });
      probes.push({ chainId, ...about, ...answerOf(exchange, service) });
    } catch (error) {
      if (!(error instanceof RunStopped)) throw error;
    }
  }
  return probes;
}

function situationsOf(market: ChainMarket, seed: number): readonly Situation[] {
  const [pair] = market.pairs;
  if (pair === undefined) return [];
  const trade = { market, pair };
  const valid = exactInput(trade);
  const random = createRandom(seed);
  const digits = Array.from({ length: 40 }, () => Math.floor(random() * 16).toString(16));
  const [sell, buy] = market.pairsWithoutPlan[0] ?? [];
  const change = (name: string, value: string): Query => setParameter(valid, name, [value]);
  const situations: readonly (readonly [ErrorProbe['cause'], situation: string, Query])[] = [
    [
      'no liquidity',
      'buys more than the supply',
      exactOutput(trade, pair.buyAmount * BEYOND_SUPPLY_FACTOR),
    ],
    ...(sell === undefined || buy === undefined
      ? []
      : [
          [
            'no liquidity',
            'a pair without a market',
            exactInput({ market, pair: { ...pair, sell, buy } }, 10n ** BigInt(sell.decimals)),
          ] as const,
        ]),
    ['unknown token', 'an address without a token', change('buyToken', `0x${digits.join('')}`)],
    ['unknown chain', 'an unserved chain', change('chainId', UNSERVED_CHAIN)],
    ['own mistake', 'no amount', setParameter(valid, 'sellAmount', [])],
    ['own mistake', 'both amounts', [...valid, ['buyAmount', String(pair.buyAmount)]]],
    ['own mistake', 'a negative amount', change('sellAmount', '-1')],
    ['own mistake', 'a truncated address', change('sellToken', '0x1234')],
    ['own mistake', 'calldata without an account', [...valid, ['includeCalldata', 'true']]],
    ['own mistake', 'an unknown router', change('router', 'no-router')],
  ];
  return situations.map(([cause, situation, query]) => ({ cause, situation, query }));
}

function answerOf(
  { outcome }: Exchange,
  { redactor }: StudiedService,
): Pick<ErrorProbe, 'status' | 'error' | 'message'> {
  if (outcome.kind === 'no-reply') {
    return { error: '', message: redactor.redactSentence(outcome.message) };
  }
  const { status } = outcome;
  if (status === 200) return { status, error: '', message: 'returned a plan' };
  return rejectionIn(outcome, redactor);
}
