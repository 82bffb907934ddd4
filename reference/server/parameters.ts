import type { RouterName } from '../../conformance/contract/resources.ts';
import { type Refusal, refuse } from './errors.ts';
import {
  ADDRESS,
  AMOUNT,
  API_KEY,
  BOOLEAN,
  CHAIN_ID,
  type Parser,
  ROUTER,
  SLIPPAGE,
} from './parsers.ts';
import type { Query } from './query.ts';
import { redact } from './redact.ts';

/** One parameter of an operation: how it is read, and what its absence means. */
export type Parameter<Value> = Parser<Value> &
  ({ readonly isRequired: true } | { readonly fallback: Value });

/** The parameter of every operation (5). */
export const KEY_PARAMETER = { apiKey: required(API_KEY) };

/**
 * The other parameters of each operation, in the order in which they are
 * checked. Rules over several parameters are in `swap-request.ts`.
 *
 * @see Specification 4.1 to 4.4
 */
export const PARAMETERS = {
  swap: {
    chainId: required(CHAIN_ID),
    sellToken: required(ADDRESS),
    buyToken: required(ADDRESS),
    sellAmount: optional(AMOUNT),
    buyAmount: optional(AMOUNT),
    useRfq: optional(BOOLEAN, false),
    router: optional<RouterName, RouterName>(ROUTER, 'default-router'),
    includeCalldata: optional(BOOLEAN, false),
    userAddress: optional(ADDRESS),
    recipientAddress: optional(ADDRESS),
    slippageTolerance: optional(SLIPPAGE),
  },
  tokens: { chainId: required(CHAIN_ID) },
  chains: {},
  chainInfo: { chainId: required(CHAIN_ID) },
};

type Table = Readonly<Record<string, Parameter<unknown>>>;

/** What a table of parameters reads to. */
export type Values<Parameters extends Table> = {
  readonly [Name in keyof Parameters]: Parameters[Name] extends Parameter<infer Value>
    ? Value
    : never;
};

/** The parameters of `/swap`, each read on its own. */
export type SwapParameters = Values<typeof PARAMETERS.swap>;

/**
 * Returns every parameter of `table`, or the refusal of the first that is
 * missing, repeated, empty or breaks its rule. Parameters that the table does
 * not name are ignored. `secrets` never appear in a refusal.
 */
export function readParameters<Parameters extends Table>(
  table: Parameters,
  query: Query,
  secrets: readonly string[],
): { readonly kind: 'values'; readonly values: Values<Parameters> } | Refusal {
  const values: Record<string, unknown> = {};
  for (const name in table) {
    const parameter = table[name] as Parameter<unknown>;
    const { expected, parse } = parameter;
    const given = query.get(name);
    if (given === undefined) {
      if ('isRequired' in parameter) return missing(name, expected);
      values[name] = parameter.fallback;
      continue;
    }
    if (given.length > 1) {
      const message = `Parameter '${name}' is given ${given.length} times: expected once.`;
      return refuse('REPEATED_PARAMETER', message, { parameter: name, count: given.length });
    }
    const text = given[0] as string;
    const value = parse(text);
    if (value === undefined) return invalid(name, text, expected, secrets);
    values[name] = value;
  }
  return { kind: 'values', values: values as Values<Parameters> };
}

/** Returns the refusal of an absent parameter. */
export function missing(name: string, expected: string): Refusal {
  const message = `Parameter '${name}' is missing: expected ${expected}.`;
  return refuse('MISSING_PARAMETER', message, { parameter: name, expected });
}

/** Returns the refusal of a parameter whose value breaks its rule. */
export function invalid(
  name: string,
  text: string,
  expected: string,
  secrets: readonly string[],
): Refusal {
  const value = name === 'apiKey' ? '' : redact(text, secrets);
  const said = text === '' ? 'is empty' : `is '${value}'`;
  const message = `Parameter '${name}' ${said}: expected ${expected}.`;
  return refuse('INVALID_PARAMETER', message, { parameter: name, value, expected });
}

function required<Value>(parser: Parser<Value>): Parameter<Value> {
  return { ...parser, isRequired: true };
}

function optional<Value, Fallback extends Value | undefined = undefined>(
  parser: Parser<Value>,
  fallback?: Fallback,
): Parameter<Value | Fallback> {
  return { ...parser, fallback: fallback as Fallback };
}
