import { parseAmount } from '../checks/amounts.ts';
import { isHexAddress, isHexBytes } from '../checks/hex.ts';
import { type Leg, readPlan } from '../checks/plan.ts';
import type { Exchange } from '../client/exchange.ts';

/** A 20-byte address in lower case. */
export type Address = `0x${string}`;

/** An amount of a token, in base units. */
export type TokenAmount = { readonly token: Address; readonly amount: bigint };

/** One swap of a plan. */
export type SwapStep = {
  /** As the service spells it, in lower case; not always an address. */
  readonly pool: string;
  readonly source: string;
  readonly details: unknown;
  readonly from: readonly TokenAmount[];
  readonly to: readonly TokenAmount[];
};

/** A plan that a service returned, with all that is needed to settle it. */
export type SwapPlan = {
  readonly sell: TokenAmount;
  readonly buy: TokenAmount;
  readonly steps: readonly SwapStep[];
  /** Tokens of the plan, each once. */
  readonly tokens: readonly Address[];
  /** Decimal places of each token, where the plan tells a number. */
  readonly decimals: ReadonlyMap<Address, number>;
  readonly settlement: Settlement | undefined;
};

/** The transaction that a service says settles its plan. */
export type Settlement = {
  readonly router: Address;
  readonly calldata: `0x${string}`;
  readonly gasLimit: bigint;
};

/**
 * Returns the plan in a reply, or undefined where the service gave none or one
 * that is too malformed to settle, of which other rules speak.
 */
export function readSwapPlan(exchange: Exchange): SwapPlan | undefined {
  const body = bodyOf(exchange);
  const plan = readPlan(body);
  if (body === undefined || plan === undefined) return undefined;
  const entries = body['tokens'] as readonly unknown[];
  const addresses = new Map<unknown, Address>();
  const decimals = new Map<Address, number>();
  for (const [index, id] of plan.tokens.entries()) {
    const entry = entries[index] as { readonly address?: unknown; readonly decimals?: unknown };
    const address = readAddress(entry.address);
    if (address === undefined) return undefined;
    if (!addresses.has(id)) addresses.set(id, address);
    if (typeof entry.decimals === 'number') decimals.set(address, entry.decimals);
  }
  const legs = (sides: readonly Leg[]): readonly TokenAmount[] =>
    sides.flatMap(({ referenceId, amount }) => {
      const token = addresses.get(referenceId);
      return token === undefined ? [] : [{ token, amount }];
    });
  const [sell] = legs([plan.sell]);
  const [buy] = legs([plan.buy]);
  if (sell === undefined || buy === undefined) return undefined;
  const routes = body['routes'] as readonly Readonly<Record<string, unknown>>[];
  const steps = plan.routes.map(({ from, to }, index) => ({
    pool: String(routes[index]?.['address']).toLowerCase(),
    source: String(routes[index]?.['name']),
    details: routes[index]?.['details'],
    from: legs(from),
    to: legs(to),
  }));
  const tokens = [...new Set(addresses.values())];
  return { sell, buy, steps, tokens, decimals, settlement: readSettlement(body) };
}

function bodyOf({ outcome }: Exchange): Readonly<Record<string, unknown>> | undefined {
  if (outcome.kind !== 'reply' || outcome.status !== 200) return undefined;
  const { document } = outcome;
  if (document.kind !== 'json') return undefined;
  const { value } = document;
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

function readSettlement(body: Readonly<Record<string, unknown>>): Settlement | undefined {
  const { routerAddress, calldata } = body;
  const router = readAddress(routerAddress);
  const gasLimit = readGasLimit(body['gasLimit']);
  if (router === undefined || gasLimit === undefined) return undefined;
  if (typeof calldata !== 'string' || !isHexBytes(calldata)) return undefined;
  return { router, calldata: calldata as `0x${string}`, gasLimit };
}

/** A string whose notation is not said: decimal, or hex as JSON-RPC has it. */
function readGasLimit(value: unknown): bigint | undefined {
  return typeof value === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(value)
    ? BigInt(value)
    : parseAmount(value);
}

/** Returns an address in lower case, or undefined where a text is none of 20 bytes. */
export function readAddress(text: unknown): Address | undefined {
  return typeof text === 'string' && isHexAddress(text)
    ? (text.toLowerCase() as Address)
    : undefined;
}
