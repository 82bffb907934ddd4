import type { ChainInfo } from '../../conformance/contract/resources.ts';
import type { PlannedTrade } from '../../conformance/execution/scenario/scenario.ts';
import type { SwapStep } from '../../conformance/model/settlement.ts';
import type { Quoted } from '../model/measured-trade.ts';
import type { ChainAtBlock, NamedPool, Optimizer, TradeToBeat } from '../model/optimizer.ts';
import { poolIdOf, readPoolKey } from '../model/pool-key.ts';

/** A plan in a ladder, and the response to which the best plan is added. */
export type Planned = { readonly planned: PlannedTrade; readonly answer: Quoted };

/**
 * Adds to each response of a ladder the best plan over all pools in the ladder's plans, from any
 * service. Skips plans that use anything else than readable pools, such as a market maker's order.
 */
export async function findBest(
  optimizer: Optimizer,
  info: ChainInfo | undefined,
  at: Pick<ChainAtBlock, 'chainId' | 'rpcUrl' | 'block'>,
  plans: readonly Planned[],
): Promise<void> {
  if (info === undefined || plans.length === 0) return;
  const pools = new Map<string, NamedPool>();
  for (const { planned } of plans) {
    for (const step of planned.plan.steps) {
      const [id, pool] = poolOf(step);
      pools.set(id, pools.get(id) ?? pool);
    }
  }
  const chain = {
    ...at,
    usdToken: info.usdTokenAddress.toLowerCase(),
    wrappedNative: info.wrappedNativeTokenAddress.toLowerCase(),
  };
  const trades = new Map<string, TradeToBeat>();
  for (const { planned } of plans) trades.set(keyOf(planned), tradeOf(planned));
  const best = await optimizer.best(chain, [...pools.values()], [...trades.values()]);
  const byKey = new Map([...trades.keys()].map((key, index) => [key, best.plans[index]]));
  for (const { planned, answer } of plans) {
    const ids = new Set(planned.plan.steps.map((step) => poolOf(step)[0]));
    const unread = [...ids]
      .flatMap((id) => pools.get(id) ?? [])
      .filter((pool) => best.unread.has(pool));
    const found = byKey.get(keyOf(planned));
    if (unread.length > 0) {
      const why = `${unread.length} of the ${ids.size} pools in it cannot be read`;
      answer.best = { kind: 'unknown', why };
    } else if (found !== undefined) answer.best = found;
  }
}

/** Uniswap V4 pools share the address of their manager, so the pool ID distinguishes them. */
function poolOf(step: SwapStep): readonly [id: string, pool: NamedPool] {
  const { pool: address, source } = step;
  const key = readPoolKey(step);
  if (typeof key === 'string') return [address, { address, source }];
  return [`${address} ${poolIdOf(key)}`, { address, source, key }];
}

function tradeOf({ plan, request }: PlannedTrade): TradeToBeat {
  const { swapKind, amount } = request;
  return { sellToken: plan.sell.token, buyToken: plan.buy.token, swapKind, amount };
}

function keyOf(planned: PlannedTrade): string {
  const { sellToken, buyToken, swapKind, amount } = tradeOf(planned);
  return `${sellToken} ${buyToken} ${swapKind} ${amount}`;
}
