import { type Endpoint, PATHS } from '../contract/paths.ts';
import type { RouterName, SwapResponse } from '../contract/resources.ts';
import type { Bodies } from '../contract/validators.ts';
import type { Exchange, NoReply } from './exchange.ts';
import type { Query, RequestTarget } from './request.ts';

/**
 * Exactly one of the two amounts, in base units: exact input or exact output.
 *
 * @see Specification 4.1 rule 1
 */
export type RequestedAmount =
  | { readonly sellAmount: bigint | string; readonly buyAmount?: never }
  | { readonly buyAmount: bigint | string; readonly sellAmount?: never };

/**
 * A request for calldata requires a wallet and a slippage tolerance. @see Specification 4.1 rule 2
 */
export type RequestedCalldata =
  | {
      readonly includeCalldata?: false;
      readonly userAddress?: string;
      readonly slippageTolerance?: number;
    }
  | {
      readonly includeCalldata: true;
      readonly userAddress: string;
      /** Slippage tolerance, from 0 to 1 in steps of 0.0001; 0.01 is 1%. */
      readonly slippageTolerance: number;
    };

/** Parameters of `/swap`. @see Specification 4.1 */
export type SwapParameters = RequestedAmount &
  RequestedCalldata & {
    readonly chainId: number;
    /** An address. The native token is the all-zero address, or `0x` followed by 40 `e`. */
    readonly sellToken: string;
    readonly buyToken: string;
    /** Default: false. */
    readonly useRfq?: boolean;
    /** Default: `default-router`. */
    readonly router?: RouterName;
    /** Recipient of the buy token. If unset, the sender of the transaction receives it. */
    readonly recipientAddress?: string;
  };

/** Parameters of `/tokens` and `/chainInfo`. @see Specification 4.2 and 4.4 */
export type ChainParameters = { readonly chainId: number };

/** Parameters of each operation, without the key. */
export type Parameters = {
  readonly swap: SwapParameters;
  readonly tokens: ChainParameters;
  readonly chains: Readonly<Record<string, never>>;
  readonly chainInfo: ChainParameters;
};

/** A plan with the transaction that settles it. @see Specification 4.1 rule 4 */
export type SwapWithCalldata = SwapResponse &
  Required<Pick<SwapResponse, 'routerAddress' | 'calldata' | 'gasLimit'>>;

/** Outcome of a request. `exchange` contains the request and the reply, without the key. */
export type Answer<Body> = { readonly exchange: Exchange } & (
  | { readonly kind: 'returned'; readonly status: 200; readonly body: Body }
  // According to the Error body, the parameters are invalid, or the service failed.
  | {
      readonly kind: 'rejected' | 'failed';
      readonly status: 400 | 500;
      readonly error: string;
      readonly message: string;
      readonly details?: Readonly<Record<string, unknown>> | undefined;
    }
  // A status or a body that is not part of the interface.
  | { readonly kind: 'unexpected'; readonly status: number; readonly why: string }
  | { readonly kind: 'no-reply'; readonly cause: NoReply['cause']; readonly why: string }
);

/** The four operations with typed parameters. */
export type Operations<Options extends readonly unknown[] = []> = {
  readonly swap: <Requested extends SwapParameters>(
    parameters: Requested,
    ...options: Options
  ) => Promise<
    Answer<Requested extends { readonly includeCalldata: true } ? SwapWithCalldata : SwapResponse>
  >;
  readonly tokens: (
    parameters: ChainParameters,
    ...options: Options
  ) => Promise<Answer<Bodies['tokens']>>;
  readonly chains: (...options: Options) => Promise<Answer<Bodies['chains']>>;
  readonly chainInfo: (
    parameters: ChainParameters,
    ...options: Options
  ) => Promise<Answer<Bodies['chainInfo']>>;
};

/** Returns the four operations. Each sends its request through the given function. */
export function createOperations<Options extends readonly unknown[]>(
  get: (target: RequestTarget, ...options: Options) => Promise<Exchange>,
): Operations<Options> {
  const request = <Name extends Endpoint>(
    name: Name,
    parameters: Parameters[Name],
    options: Options,
  ): Promise<Answer<Bodies[Name]>> =>
    ignoreUnhandledRejection(
      get(targetFor(name, parameters), ...options).then((exchange) => readAnswer(name, exchange)),
    );
  return {
    swap: (parameters, ...options) =>
      ignoreUnhandledRejection(
        request('swap', parameters, options).then(
          (answer) => (parameters.includeCalldata ? withCalldata(answer) : answer) as Answer<never>,
        ),
      ),
    tokens: (parameters, ...options) => request('tokens', parameters, options),
    chains: (...options) => request('chains', {}, options),
    chainInfo: (parameters, ...options) => request('chainInfo', parameters, options),
  };
}

/**
 * Marks a promise as handled, so that its rejection does not end the process. Code that starts two
 * requests and awaits them in order never awaits the second if the first fails.
 */
export function ignoreUnhandledRejection<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

/**
 * Returns the request for an operation. Undefined parameters are omitted.
 *
 * @example
 * targetFor('tokens', { chainId: 1 }) // { path: '/api/v1.0/tokens', query: [['chainId', '1']] }
 */
export function targetFor<Name extends Endpoint>(
  name: Name,
  parameters: Parameters[Name],
): RequestTarget {
  const query: Query = Object.entries(parameters).flatMap(([parameter, value]) =>
    value === undefined ? [] : [[parameter, String(value)] as const],
  );
  return { path: PATHS[name], query };
}

/** Classifies the outcome of a request to an operation. */
export async function readAnswer<Name extends Endpoint>(
  name: Name,
  exchange: Exchange,
): Promise<Answer<Bodies[Name]>> {
  // Loaded with the first reply, since the schema library loads slowly.
  const { isBody, findSchemaFaults } = await import('../contract/validators.ts');
  const { outcome } = exchange;
  if (outcome.kind === 'no-reply') {
    return { exchange, kind: 'no-reply', cause: outcome.cause, why: outcome.message };
  }
  const { status } = outcome;
  const unexpected = (why: string) => ({ exchange, kind: 'unexpected', status, why }) as const;
  if (outcome.kind === 'large-reply') return unexpected('its body was too large to store');
  const { document } = outcome;
  if (status !== 200 && status !== 400 && status !== 500) {
    return unexpected(`status ${status}, but the interface defines only 200, 400 and 500`);
  }
  if (document.kind === 'not-json') return unexpected(`its body is not JSON: ${document.reason}`);
  const { value } = document;
  if (status === 200 && isBody(name, value)) {
    return { exchange, kind: 'returned', status, body: value };
  }
  if (status !== 200 && isBody('error', value)) {
    const { error, message, details } = value;
    const kind = status === 400 ? 'rejected' : 'failed';
    return { exchange, kind, status, error, message, details };
  }
  const [fault] = findSchemaFaults(status === 200 ? name : 'error', value);
  const place = fault?.pointer === '' ? 'its body' : fault?.pointer;
  return unexpected(`${place} ${fault?.expected}, got ${fault?.actual}`);
}

function withCalldata(answer: Answer<SwapResponse>): Answer<SwapResponse> {
  if (answer.kind !== 'returned') return answer;
  const { exchange, status, body } = answer;
  const missing = (['routerAddress', 'calldata', 'gasLimit'] as const).find(
    (field) => body[field] === undefined,
  );
  if (missing === undefined) return answer;
  return { exchange, kind: 'unexpected', status, why: `its plan has no \`${missing}\`` };
}
