import { parseAmount } from '../../checks/amounts.ts';
import { isHexAddress, isHexBytes } from '../../checks/hex.ts';
import { type Leg, type Plan, planIn, type ReferenceId, swapBodyIn } from '../../checks/plan.ts';
import type { Exchange } from '../../client/exchange.ts';
import type { SwapPlan, TokenAmount, Transaction } from '../../model/settlement.ts';
import type { Address } from '../../model/trade-request.ts';

/**
 * Returns the plan in a reply. Returns undefined if there is none, or if the plan is too malformed
 * to settle; other rules report that.
 */
export function readSwapPlan({ outcome }: Pick<Exchange, 'outcome'>): SwapPlan | undefined {
  const plan = outcome.kind === 'reply' ? planIn(swapBodyIn(outcome)) : undefined;
  return plan && asSwapPlan(plan);
}

/**
 * Returns a plan with addresses instead of token ids; undefined if a token has no 20-byte address.
 */
function asSwapPlan(plan: Plan): SwapPlan | undefined {
  const addresses = new Map<ReferenceId, Address>();
  const decimals = new Map<Address, number>();
  for (const { referenceId, fields } of plan.tokens) {
    const address = readAddress(fields.address);
    if (address === undefined) return undefined;
    if (!addresses.has(referenceId)) addresses.set(referenceId, address);
    if (typeof fields.decimals === 'number') decimals.set(address, fields.decimals);
  }
  const amounts = (legs: readonly Leg[]): readonly TokenAmount[] =>
    legs.flatMap(({ referenceId, amount }) => {
      const token = addresses.get(referenceId);
      return token === undefined ? [] : [{ token, amount }];
    });
  const [sell] = amounts([plan.sell]);
  const [buy] = amounts([plan.buy]);
  if (sell === undefined || buy === undefined) return undefined;
  const steps = plan.routes.map(({ from, to, fields }) => ({
    pool: String(fields.address).toLowerCase(),
    source: String(fields.name),
    details: fields.details,
    from: amounts(from),
    to: amounts(to),
  }));
  const tokens = [...new Set(addresses.values())];
  return { sell, buy, steps, tokens, decimals, transaction: readTransaction(plan) };
}

function readTransaction({ fields }: Plan): Transaction | undefined {
  const { routerAddress, calldata } = fields;
  const router = readAddress(routerAddress);
  const gasLimit = readGasLimit(fields.gasLimit);
  if (router === undefined || gasLimit === undefined) return undefined;
  if (typeof calldata !== 'string' || !isHexBytes(calldata)) return undefined;
  return { router, calldata: calldata as `0x${string}`, gasLimit };
}

/**
 * Reads a decimal number or, as in JSON-RPC, a hex number: the specification does not define the
 * format.
 */
function readGasLimit(value: unknown): bigint | undefined {
  return typeof value === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(value)
    ? BigInt(value)
    : parseAmount(value);
}

/** Returns an address in lower case; undefined if a text is not a 20-byte address. */
export function readAddress(text: unknown): Address | undefined {
  return typeof text === 'string' && isHexAddress(text)
    ? (text.toLowerCase() as Address)
    : undefined;
}

/** Returns the pools of a plan that are identified by an address. */
export function poolsOf({ steps }: SwapPlan): readonly Address[] {
  return [...new Set(steps.flatMap(({ pool }) => readAddress(pool) ?? []))];
}

/** Returns whether two plans sell, buy and swap the same amounts, to the base unit. */
export function isSamePlan(one: SwapPlan, other: SwapPlan): boolean {
  const textOf = ({ sell, buy, steps }: SwapPlan) =>
    JSON.stringify([sell, buy, steps], (_, value: unknown) =>
      typeof value === 'bigint' ? `${value}` : value,
    );
  return textOf(one) === textOf(other);
}
