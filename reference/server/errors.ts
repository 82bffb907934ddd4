import type { ErrorBody } from '../../conformance/contract/resources.ts';

/**
 * Every value of `error`, with its status and condition. HTTP statuses of errors are defined only
 * here. `docs/errors.md` contains this table.
 *
 * @see Specification 7
 */
export const ERRORS = {
  MALFORMED_REQUEST: { status: 400, when: 'The request or its percent-encoding cannot be read.' },
  MISSING_PARAMETER: { status: 400, when: 'A required parameter is absent.' },
  REPEATED_PARAMETER: { status: 400, when: 'A parameter is given more than once.' },
  INVALID_PARAMETER: { status: 400, when: 'A parameter is empty or breaks its rule.' },
  CONFLICTING_PARAMETERS: { status: 400, when: 'Both sellAmount and buyAmount are given.' },
  UNKNOWN_API_KEY: { status: 400, when: 'The service does not know the API key.' },
  UNKNOWN_CHAIN: { status: 400, when: 'The chain is not in /chains.' },
  UNKNOWN_TOKEN: { status: 400, when: 'The chain has no such token.' },
  SAME_TOKEN: {
    status: 400,
    when: 'The sell and buy tokens are the same asset. The native token and its wrapped token count as one asset.',
  },
  ROUTER_UNAVAILABLE: { status: 400, when: 'The router is not deployed on the chain.' },
  NO_ENCODER: { status: 400, when: 'Calldata is requested for a router without an encoder.' },
  NO_ROUTE: {
    status: 400,
    when: 'No path of pools that the router settles connects the tokens.',
  },
  INSUFFICIENT_LIQUIDITY: { status: 400, when: 'The pools hold less than the trade needs.' },
  AMOUNT_TOO_LARGE: {
    status: 400,
    when: 'Calldata is requested, and the plan has an amount too large for the router.',
  },
  AMOUNT_TOO_SMALL: { status: 400, when: 'The amount is so small that it buys nothing.' },
  NOT_FOUND: { status: 404, when: 'The path is not an operation of the service.' },
  METHOD_NOT_ALLOWED: { status: 405, when: 'The method is not GET.' },
  OVERLOADED: { status: 500, when: 'Too many trades are waiting to be planned; try again.' },
  MARKET_LOST: {
    status: 500,
    when: 'The chain is served live, and its last known state is too old to trade on; try again.',
  },
  INTERNAL_ERROR: { status: 500, when: 'The service itself failed.' },
} as const satisfies Record<string, { readonly status: number; readonly when: string }>;

/** A value of `error` in an Error body. */
export type ErrorCode = keyof typeof ERRORS;

type Details = {
  readonly details?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Thrown for a rejected request. `message` is one sentence that quotes the invalid value. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly status: number;
  readonly body: ErrorBody;
  readonly headers: Readonly<Record<string, string>>;

  constructor(error: ErrorCode, message: string, { details, headers = {} }: Details = {}) {
    super(message);
    this.status = ERRORS[error].status;
    this.body = { error, message, ...(details && { details: { ...details } }) };
    this.headers = headers;
  }
}
