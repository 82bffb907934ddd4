import stringWidth from 'string-width';
import { formatUnits } from 'viem/utils';
import type { Market, RouterDeployment } from '../market/market.ts';
import type { Certificate } from '../planner/certificate.ts';
import type { Address } from '../planner/domain/address.ts';
import type { PlanSwap, ProvenPlan, RoutingPlan } from '../planner/graph/plan.ts';
import { familyOf } from '../planner/pools/families.ts';

/**
 * Returns the plan as JSON. Amounts are decimal strings, and `share` is the part of all sold
 * `tokenIn` that goes into the swap.
 */
export function planAsJson(market: Market, router: RouterDeployment, plan: ProvenPlan): string {
  const { swapKind, sellToken, buyToken, sellAmount, buyAmount, proof, gas } = plan;
  const swaps = plan.swaps.map((swap) => ({
    source: swap.pool.source,
    pool: swap.pool.address,
    feePips: familyOf(swap.pool).feePips(swap.pool),
    tokenIn: swap.tokenIn,
    tokenOut: swap.tokenOut,
    amountIn: `${swap.amountIn}`,
    amountOut: `${swap.amountOut}`,
    share: shareOf(plan, swap),
  }));
  const document = {
    chainId: market.chainId,
    router: router.name,
    trade: swapKind,
    sellToken,
    buyToken,
    sellAmount: `${sellAmount}`,
    buyAmount: `${buyAmount}`,
    ...proof,
    gas: {
      units: `${gas.units}`,
      priceWei: `${gas.priceWei}`,
      ...(gas.cost !== undefined && { cost: `${gas.cost}` }),
    },
    swaps,
  };
  return JSON.stringify(document, undefined, 2);
}

/**
 * Returns a plan's certificate as JSON, the input of `scripts/certificate/verify-certificate.ts`.
 */
export function certificateAsJson(
  { name: router }: RouterDeployment,
  { swapKind: trade, sellToken, buyToken, sellAmount, buyAmount, proof }: ProvenPlan,
  { bound, prices }: Certificate,
): string {
  const amounts = { sellAmount: `${sellAmount}`, buyAmount: `${buyAmount}` };
  // The bound that these prices prove also holds for plans with cycles. The search finds a tighter
  // bound for acyclic plans, which the prices do not prove.
  const tighter = trade === 'exact-input' ? Math.min : Math.max;
  const searched = { acyclicBound: tighter(bound, proof.bound) };
  const document = { router, trade, sellToken, buyToken, ...amounts, bound, ...searched };
  return JSON.stringify({ ...document, prices: Object.fromEntries(prices) }, undefined, 2);
}

/**
 * Returns the plan as text: the totals, then each token with the swaps that sell the token.
 */
export function formatPlan(market: Market, router: RouterDeployment, plan: ProvenPlan): string {
  const amount = (token: Address, units: bigint) => formatAmount(market, token, units);
  const [sold, bought] = [
    amount(plan.sellToken, plan.sellAmount),
    amount(plan.buyToken, plan.buyAmount),
  ];
  const kind = plan.swapKind === 'exact-input' ? 'exact input' : 'exact output';
  const lines = [
    `${sold} -> ${bought}`,
    `${market.name}, ${router.name}, ${kind}`,
    describeGap(plan),
    describeGas(market, plan),
  ];
  const rows = plan.swaps.map((swap) => [
    `${(shareOf(plan, swap) * 100).toFixed(2)}%`,
    amount(swap.tokenIn, swap.amountIn),
    '->',
    amount(swap.tokenOut, swap.amountOut),
    `${swap.pool.source} ${familyOf(swap.pool).feePips(swap.pool) / 10_000}%`,
    swap.pool.address,
  ]);
  const widths = rows[0]?.map((_, column) =>
    Math.max(...rows.map((row) => stringWidth(row[column] ?? ''))),
  );
  for (const token of new Set(plan.swaps.map(({ tokenIn }) => tokenIn))) {
    lines.push('', market.tokens.get(token)?.symbol ?? token);
    for (const [index, swap] of plan.swaps.entries()) {
      if (swap.tokenIn !== token) continue;
      const cells = rows[index]?.map((cell, column) => {
        const gap = ' '.repeat((widths?.[column] ?? 0) - stringWidth(cell));
        return column === 0 ? gap + cell : cell + gap;
      });
      lines.push(`  ${cells?.join('  ').trimEnd()}`);
    }
  }
  return lines.join('\n');
}

function describeGap({ swapKind, proof: { gap } }: ProvenPlan): string {
  const [verb, side] = swapKind === 'exact-input' ? ['buys', 'less'] : ['sells', 'more'];
  return `${verb} at most ${Math.max(0, gap).toExponential(1)} (relative) ${side} than the best plan`;
}

function describeGas(market: Market, { swapKind, sellToken, buyToken, gas }: ProvenPlan): string {
  const swaps = `gas of the swaps ${gas.units}`;
  if (gas.priceWei === 0n) return `${swaps}, not counted: no gas price`;
  const token = swapKind === 'exact-input' ? buyToken : sellToken;
  if (gas.cost === undefined) {
    const symbol = market.tokens.get(token)?.symbol ?? token;
    return `${swaps}, not counted: the market has no price for the native token in ${symbol}`;
  }
  return `${swaps}, ${formatAmount(market, token, gas.cost)} at ${gas.priceWei} wei, included`;
}

/** Returns the swap's share of the total amount that the plan sells of the same token. */
export function shareOf({ swaps }: RoutingPlan, { tokenIn, amountIn }: PlanSwap): number {
  const siblings = swaps.filter((swap) => swap.tokenIn === tokenIn);
  const total = siblings.reduce((sum, swap) => sum + swap.amountIn, 0n);
  return Number((amountIn * 1_000_000n) / total) / 1e6;
}

/** Formats base units as whole tokens, without rounding: `1500000` with 6 decimals is `1.5`. */
export function formatAmount({ tokens }: Market, address: Address, units: bigint): string {
  const token = tokens.get(address);
  return `${formatUnits(units, token?.decimals ?? 0)} ${token?.symbol ?? address}`;
}
