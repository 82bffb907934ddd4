import type { Endpoint } from '../contract/paths.ts';

/** Which operation a body is of, and the status it came with. */
export type Guess = { readonly endpoint: Endpoint; readonly status: 200 | 400 };

/**
 * Guesses from its fields what a body is; undefined where it is nothing of this
 * interface. An Error does not tell its operation: it is taken for one of `/swap`.
 */
export function guessOperation(body: unknown): Guess | undefined {
  if (Array.isArray(body)) {
    const entry: unknown = body[0];
    if (body.length === 0) return { endpoint: 'tokens', status: 200 };
    if (hasAny(entry, ['symbol', 'decimals', 'address', 'metadata'])) {
      return { endpoint: 'tokens', status: 200 };
    }
    return hasAny(entry, ['chainId']) ? { endpoint: 'chains', status: 200 } : undefined;
  }
  if (hasAny(body, ['routes', 'sell', 'buy'])) return { endpoint: 'swap', status: 200 };
  if (hasAny(body, ['routers', 'wrappedNativeTokenAddress', 'usdTokenAddress'])) {
    return { endpoint: 'chainInfo', status: 200 };
  }
  return hasAny(body, ['error', 'message']) ? { endpoint: 'swap', status: 400 } : undefined;
}

function hasAny(value: unknown, names: readonly string[]): boolean {
  return typeof value === 'object' && value !== null && names.some((name) => name in value);
}
