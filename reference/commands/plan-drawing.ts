import type { Market } from '../market/market.ts';
import type { Address } from '../planner/domain/address.ts';
import type { RoutingPlan } from '../planner/graph/plan.ts';
import { familyOf } from '../planner/pools/families.ts';
import { keyOf } from '../planner/pools/pool.ts';
import { formatAmount, shareOf } from './plan-text.ts';

/**
 * Elements of a drawn plan: a box for each token and an arrow for each swap, with hints on hover.
 */
export type PlanDrawing = ReturnType<typeof drawingOf>;

/** Returns the drawing of a plan. Amounts have six digits; hints show all digits. */
export function drawingOf(market: Market, plan: RoutingPlan) {
  const tokens = new Set(plan.swaps.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]));
  const role = (token: Address): 'sell' | 'buy' | 'token' =>
    token === plan.sellToken ? 'sell' : token === plan.buyToken ? 'buy' : 'token';
  const total = { sell: plan.sellAmount, buy: plan.buyAmount, token: undefined };
  return {
    nodes: [...tokens].map((token) => {
      const units = total[role(token)];
      const lines = units === undefined ? [] : [`${role(token)} ${short(market, token, units)}`];
      const symbol = market.tokens.get(token)?.symbol ?? token;
      return {
        key: token,
        lines: [symbol, ...lines],
        role: role(token),
        marked: false as const,
        hint: token,
      };
    }),
    edges: plan.swaps.map((swap) => {
      const { pool, tokenIn, tokenOut, amountIn, amountOut } = swap;
      const fee = `${familyOf(pool).feePips(pool) / 10_000}%`;
      const part = `${(100 * shareOf(plan, swap)).toFixed(1)}%`;
      const paid = short(market, tokenIn, amountIn);
      const got = short(market, tokenOut, amountOut);
      const exact = `${formatAmount(market, tokenIn, amountIn)} to ${formatAmount(market, tokenOut, amountOut)}`;
      return {
        from: tokenIn,
        to: tokenOut,
        lines: [`${pool.source} ${fee} · ${part}`, `${paid} → ${got}`],
        marked: false as const,
        selfLoop: false as const,
        hint: `${keyOf(pool)}: ${exact}`,
      };
    }),
  };
}

const SIX_DIGITS = new Intl.NumberFormat('en', { maximumSignificantDigits: 6 });

function short({ tokens }: Market, token: Address, units: bigint): string {
  return SIX_DIGITS.format(Number(units) / 10 ** (tokens.get(token)?.decimals ?? 0));
}
