import { concatHex, type Hex } from 'viem';
import { type Command, encodeCall } from '../encoding/router-abi.ts';
import {
  CONTRACT_BALANCE,
  MSG_SENDER,
  ROUTER,
  swapAlong,
  unwrapAll,
  wrap,
} from '../encoding/universal-commands.ts';
import type { Address } from '../planner/domain/address.ts';
import type { PlanSwap, RoutingPlan } from '../planner/graph/plan.ts';

/** Alias of the amount that the pair has already received. */
const ALREADY_PAID = 0n;

/**
 * Returns the cheapest calldata with which the Universal Router can settle a plan of any shape.
 * Consecutive swaps form one path. Tokens that only one pair consumes are paid directly into that
 * pair, and the output is paid directly to the sender. An exact output is settled as an exact
 * input, since the router cannot settle an exact output that splits an intermediate token.
 */
export function encodeForUniversal(
  plan: RoutingPlan,
  { sellNative, buyNative }: { readonly sellNative: boolean; readonly buyNative: boolean },
): Hex {
  const paths = pathsOf(plan);
  const startOf = (token: Address) => paths.filter(([first]) => first.tokenIn === token);
  const onlyPair = (token: Address): PlanSwap | undefined => {
    const [path, ...others] = token === plan.sellToken ? [] : startOf(token);
    const isPair = others.length === 0 && path?.[0].pool.family === 'constant-product';
    return isPair ? path[0] : undefined;
  };
  const commands: Command[] = [];
  if (sellNative) commands.push(wrap(ROUTER, plan.sellAmount));
  for (const path of paths) {
    const [first, last] = [path[0], path.at(-1) ?? path[0]];
    const end = last.tokenOut === plan.buyToken ? (buyNative ? ROUTER : MSG_SENDER) : undefined;
    const siblings = startOf(first.tokenIn);
    const isLast = siblings.at(-1) === path && first.tokenIn !== plan.sellToken;
    const amount = onlyPair(first.tokenIn)
      ? ALREADY_PAID
      : isLast
        ? CONTRACT_BALANCE
        : first.amountIn;
    const recipient = end ?? onlyPair(last.tokenOut)?.pool.address ?? ROUTER;
    const fromUser = first.tokenIn === plan.sellToken && !sellNative;
    const terms = { swaps: path, recipient, amount, limit: last.amountOut, isPayerUser: fromUser };
    commands.push(swapAlong('exact-input', terms));
  }
  if (buyNative) commands.push(unwrapAll(MSG_SENDER, plan.buyAmount));
  return encodeCall('execute', [
    concatHex(commands.map(({ code }) => code)),
    commands.map(({ input }) => input),
    1n << 40n,
  ]);
}

type Path = [PlanSwap, ...PlanSwap[]];

/** Joins consecutive swaps of one family if no other swap uses the token between them. */
function pathsOf({ swaps }: RoutingPlan): readonly Path[] {
  const paths: Path[] = [];
  for (const swap of swaps) {
    const before = paths.find((path) => path.at(-1)?.tokenOut === swap.tokenIn);
    const touching = swaps.filter(
      ({ tokenIn, tokenOut }) => tokenIn === swap.tokenIn || tokenOut === swap.tokenIn,
    );
    const joins = touching.length === 2 && before?.[0].pool.family === swap.pool.family;
    if (before !== undefined && joins) before.push(swap);
    else paths.push([swap]);
  }
  return paths;
}
