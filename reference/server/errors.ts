import type { ErrorBody } from '../../conformance/contract/resources.ts';

/**
 * Every value of `error`, with its status and when it is given. The only place
 * that knows an HTTP status; `docs/errors.md` prints this table.
 *
 * @see Specification 7
 */
export const ERRORS = {
  MALFORMED_REQUEST: { status: 400, when: 'The request or its percent-encoding cannot be read.' },
  MISSING_PARAMETER: { status: 400, when: 'A required parameter is absent.' },
  REPEATED_PARAMETER: { status: 400, when: 'A parameter is given more than once.' },
  INVALID_PARAMETER: { status: 400, when: 'A parameter is empty or breaks its rule.' },
  CONFLICTING_PARAMETERS: { status: 400, when: 'Both sellAmount and buyAmount are given.' },
  UNKNOWN_API_KEY: { status: 400, when: 'The API key is not one of the service.' },
  UNKNOWN_CHAIN: { status: 400, when: 'The chain is not in /chains.' },
  UNKNOWN_TOKEN: { status: 400, when: 'The chain has no such token.' },
  SAME_TOKEN: {
    status: 400,
    when: 'Sell and buy token are one asset; native and its wrapped token count as one.',
  },
  ROUTER_UNAVAILABLE: { status: 400, when: 'The router is not deployed on the chain.' },
  NO_ENCODER: { status: 400, when: 'Calldata is asked of a router that has no encoder.' },
  NO_ROUTE: { status: 400, when: 'No path of pools that the router settles joins the tokens.' },
  INSUFFICIENT_LIQUIDITY: { status: 400, when: 'The pools hold less than the trade needs.' },
  AMOUNT_TOO_SMALL: { status: 400, when: 'The amount is so small that nothing comes out.' },
  NOT_FOUND: { status: 404, when: 'The path is no operation of the service.' },
  METHOD_NOT_ALLOWED: { status: 405, when: 'The method is not GET.' },
  RATE_LIMITED: {
    status: 429,
    when: 'The key has a limit, and asked more often than that; ask again.',
  },
  OVERLOADED: { status: 500, when: 'More trades wait than can be planned in time; ask again.' },
  MARKET_LOST: {
    status: 500,
    when: 'The chain is served live, and what is known of it is too old to trade on; ask again.',
  },
  INTERNAL_ERROR: { status: 500, when: 'A failure of the service itself.' },
} as const satisfies Record<string, { readonly status: number; readonly when: string }>;

/** The status of every request that is answered as asked. */
export const OK = 200;

/** A value of `error` in an Error body. */
export type ErrorCode = keyof typeof ERRORS;

/** A request that is not answered as asked: an expected outcome, so a value. */
export type Refusal = {
  readonly kind: 'refusal';
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
  /** Seconds after which asking again is worth it: the `Retry-After` header. */
  readonly retryAfterS?: number;
};

/** Returns a refusal; `message` is one plain sentence that quotes the bad value. */
export function refuse(
  code: ErrorCode,
  message: string,
  details?: Readonly<Record<string, unknown>>,
): Refusal {
  return { kind: 'refusal', code, message, ...(details && { details }) };
}

/** Returns the refusal of a trade for which there is no time. */
export function refuseOverload(retryAfterMs: number): Refusal {
  const message = 'More trades wait than can be planned in time: ask again later.';
  return refuseFor('OVERLOADED', message, retryAfterMs);
}

/** Returns the refusal of a key that asks too often. */
export function refuseRate(waitMs: number): Refusal {
  const message = 'This key asks more often than its limit allows: ask again later.';
  return refuseFor('RATE_LIMITED', message, Math.ceil(waitMs));
}

function refuseFor(code: ErrorCode, message: string, retryAfterMs: number): Refusal {
  const retryAfterS = Math.max(1, Math.ceil(retryAfterMs / 1000));
  return { ...refuse(code, message, { retryAfterMs }), retryAfterS };
}

/** Returns the status of a refusal. */
export function statusOf(refusal: Refusal): number {
  return ERRORS[refusal.code].status;
}

/** Returns the Error body of a refusal as JSON text. */
export function errorBody({ code, message, details }: Refusal): string {
  const body: ErrorBody = { error: code, message, ...(details && { details: { ...details } }) };
  return JSON.stringify(body);
}
