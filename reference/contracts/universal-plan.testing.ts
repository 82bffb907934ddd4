import {
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  parseAbi,
  parseAbiParameters,
  toHex,
} from 'viem';
import type { Address } from '../domain/address.ts';
import { familyOf } from '../pools/families.ts';
import type { PlanSwap, RoutingPlan } from '../routing/graph/plan.ts';

const abi = parseAbi([
  'function execute(bytes commands, bytes[] inputs, uint256 deadline) payable',
]);

const COMMAND = { v3: '0x00', v2: '0x08', wrap: '0x0b', unwrap: '0x0c' } as const;
/** Stand for the sender and for the router. */
const SENDER = '0x0000000000000000000000000000000000000001';
const ROUTER = '0x0000000000000000000000000000000000000002';
/** Amounts that mean what the router holds, and what the pair was paid already. */
const CONTRACT_BALANCE = 1n << 255n;
const ALREADY_PAID = 0n;

/**
 * Calldata of the Universal Router for a plan of any shape, made as cheap as the
 * router allows: swaps that follow each other are one path, what a pair alone
 * consumes goes straight into it, and what was bought goes straight to the
 * sender. An exact output is settled as the exact input of its plan, since the
 * router cannot do otherwise where a token between is split.
 */
export function encodeForUniversal(
  plan: RoutingPlan,
  { sellNative, buyNative }: { readonly sellNative: boolean; readonly buyNative: boolean },
): Hex {
  const paths = pathsOf(plan);
  const startOf = (token: Address) => paths.filter(([first]) => first.tokenIn === token);
  const alonePair = (token: Address): PlanSwap | undefined => {
    const [path, ...others] = token === plan.sellToken ? [] : startOf(token);
    const isPair = others.length === 0 && path?.[0].pool.family === 'constant-product';
    return isPair ? path[0] : undefined;
  };
  const commands: Hex[] = [];
  const inputs: Hex[] = [];
  const add = (command: Hex, input: Hex) => {
    commands.push(command);
    inputs.push(input);
  };
  const transfer = parseAbiParameters('address recipient, uint256 amount');
  if (sellNative) add(COMMAND.wrap, encodeAbiParameters(transfer, [ROUTER, plan.sellAmount]));
  for (const path of paths) {
    const [first, last] = [path[0], path.at(-1) ?? path[0]];
    const end = last.tokenOut === plan.buyToken ? (buyNative ? ROUTER : SENDER) : undefined;
    const siblings = startOf(first.tokenIn);
    const isLast = siblings.at(-1) === path && first.tokenIn !== plan.sellToken;
    const amount = alonePair(first.tokenIn)
      ? ALREADY_PAID
      : isLast
        ? CONTRACT_BALANCE
        : first.amountIn;
    const recipient = end ?? alonePair(last.tokenOut)?.pool.address ?? ROUTER;
    const fromUser = first.tokenIn === plan.sellToken && !sellNative;
    if (first.pool.family === 'concentrated') {
      const hops = path.map((swap) =>
        concatHex([toHex(familyOf(swap.pool).feePips(swap.pool), { size: 3 }), swap.tokenOut]),
      );
      add(
        COMMAND.v3,
        encodeAbiParameters(parseAbiParameters('address, uint256, uint256, bytes, bool'), [
          recipient,
          amount,
          last.amountOut,
          concatHex([first.tokenIn, ...hops]),
          fromUser,
        ]),
      );
    } else {
      add(
        COMMAND.v2,
        encodeAbiParameters(parseAbiParameters('address, uint256, uint256, address[], bool'), [
          recipient,
          amount,
          last.amountOut,
          [first.tokenIn, ...path.map(({ tokenOut }) => tokenOut)],
          fromUser,
        ]),
      );
    }
  }
  if (buyNative) add(COMMAND.unwrap, encodeAbiParameters(transfer, [SENDER, plan.buyAmount]));
  return encodeFunctionData({
    abi,
    functionName: 'execute',
    args: [concatHex(commands), inputs, 1n << 40n],
  });
}

type Path = [PlanSwap, ...PlanSwap[]];

/** The swaps, those of one family joined that follow each other through a token that nothing else touches. */
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
