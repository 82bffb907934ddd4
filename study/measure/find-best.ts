import type { ChainInfo } from '../../conformance/contract/resources.ts';
import type { PlannedTrade } from '../../conformance/execution/try-trades.ts';
import type { Quoted } from '../model/measured-trade.ts';
import type { ChainAtBlock, NamedPool, Optimiser, TradeToBeat } from '../model/optimiser.ts';

/** A plan of a ladder, and where it is told how good it is. */
export type Planned = { readonly planned: PlannedTrade; readonly answer: Quoted };

/**
 * Adds to each answer of a ladder the best plan over all pools that plans of the
 * ladder name, whoever made them. Plans with market makers are left out: their
 * orders are no pools.
 */
export async function findBest(
  optimiser: Optimiser,
  info: ChainInfo | undefined,
  at: Pick<ChainAtBlock, 'chainId' | 'rpcUrl' | 'block'>,
  plans: readonly Planned[],
): Promise<void> {
  const compared = plans.filter(({ planned }) => planned.request.useRfq !== true);
  if (info === undefined || compared.length === 0) return;
  const pools = new Map<string, NamedPool>();
  for (const { planned } of compared) {
    for (const { pool, source } of planned.plan.steps) pools.set(pool, { address: pool, source });
  }
  const chain = {
    ...at,
    usdToken: info.usdTokenAddress.toLowerCase(),
    wrappedNative: info.wrappedNativeTokenAddress.toLowerCase(),
  };
  const trades = new Map<string, TradeToBeat>();
  for (const { planned } of compared) trades.set(keyOf(planned), tradeOf(planned));
  const best = await optimiser.best(chain, [...pools.values()], [...trades.values()]);
  const byKey = new Map([...trades.keys()].map((key, at) => [key, best[at]]));
  for (const { planned, answer } of compared) {
    const found = byKey.get(keyOf(planned));
    if (found !== undefined) answer.best = found;
  }
}

function tradeOf({ plan, request }: PlannedTrade): TradeToBeat {
  const { swapKind, amount } = request;
  return { sellToken: plan.sell.token, buyToken: plan.buy.token, swapKind, amount };
}

function keyOf(planned: PlannedTrade): string {
  const { sellToken, buyToken, swapKind, amount } = tradeOf(planned);
  return `${sellToken} ${buyToken} ${swapKind} ${amount}`;
}
