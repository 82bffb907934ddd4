import { type Refusal, refuse, refuseRate } from './errors.ts';
import type { ReferenceOptions } from './options.ts';
import { KEY_PARAMETER, PARAMETERS, readParameters } from './parameters.ts';
import type { Query } from './query.ts';
import { type Reply, replyBody, replyRefusal } from './reply.ts';
import { chainsBody, type ServedChain, serveChain } from './served-chain.ts';
import { createSwapAnswer, type Respond, type SwapOutcome, type SwapService } from './swap.ts';
import { parseSwapRequest } from './swap-request.ts';

/** Name of an operation: the last segment of its path (4). */
export type Operation = keyof typeof PARAMETERS;

/** One request as the operations see it. */
type OperationRequest = {
  readonly query: Query;
  /** What must not be echoed: the service's keys and those of the request. */
  readonly secrets: readonly string[];
  /** Whether the client has hung up. */
  readonly isAbandoned: () => boolean;
};

/** The options of the service with every default in place. */
export type ResolvedOptions = Required<
  Omit<
    ReferenceOptions,
    'apiKeys' | 'logger' | 'metrics' | 'middleware' | 'page' | 'planningLimits'
  >
> &
  Pick<SwapService, 'queue' | 'onMissingQuote'>;

/** Answers an operation; to `/swap` with what `respond` makes of the plan, if that is given. */
export type AnswerOperation = (
  operation: Operation,
  request: OperationRequest,
  respond?: Respond,
) => Reply | Promise<Reply>;

/** Returns the function that answers any operation; it never throws for bad input. */
export function createOperations(options: ResolvedOptions): AnswerOperation {
  const { markets, keyRing, encoders } = options;
  const chains = new Map(markets.map((market) => [market.chainId, serveChain(market, encoders)]));
  const allChains: Reply = replyBody(chainsBody(markets));
  options.follow((change) => {
    const { chainId } = change;
    const served = chains.get(chainId);
    if (change.kind === 'moved') chains.set(chainId, serveChain(change.market, encoders));
    else if (served) chains.set(chainId, { ...served, isLost: true });
  });
  const answerSwap = createSwapAnswer(options);

  function findChain(chainId: number): ServedChain | Refusal {
    const chain = chains.get(chainId);
    if (chain) return chain;
    const message = `Parameter 'chainId' is '${chainId}': expected a chain of /chains.`;
    return refuse('UNKNOWN_CHAIN', message, { parameter: 'chainId', value: String(chainId) });
  }

  function lookUp(
    field: 'tokensBody' | 'chainInfoBody',
    { query, secrets }: OperationRequest,
  ): Reply {
    const read = readParameters(PARAMETERS.tokens, query, secrets);
    if (read.kind === 'refusal') return replyRefusal(read);
    const chain = findChain(read.values.chainId);
    return 'kind' in chain ? replyRefusal(chain) : replyBody(chain[field]);
  }

  function swap(
    { query, secrets, isAbandoned }: OperationRequest,
    respond: Respond | undefined,
  ): Reply | Promise<Reply> {
    const read = readParameters(PARAMETERS.swap, query, secrets);
    if (read.kind === 'refusal') return replyRefusal(read);
    const request = parseSwapRequest(read.values);
    if (request.kind === 'refusal') return replyRefusal(request);
    const chain = findChain(request.chainId);
    if ('kind' in chain) return replyRefusal(chain);
    const outcome = answerSwap(chain, request, isAbandoned, respond);
    return outcome instanceof Promise ? outcome.then(replyOutcome) : replyOutcome(outcome);
  }

  return (operation, request, respond) => {
    const key = readParameters(KEY_PARAMETER, request.query, request.secrets);
    if (key.kind === 'refusal') return replyRefusal(key);
    if (!keyRing.isKey(key.values.apiKey)) {
      const message = "Parameter 'apiKey' is not a key of this service.";
      return replyRefusal(refuse('UNKNOWN_API_KEY', message, { parameter: 'apiKey' }));
    }
    const waitMs = keyRing.askedBy(key.values.apiKey, performance.now());
    if (waitMs > 0) return replyRefusal(refuseRate(waitMs));
    switch (operation) {
      case 'chains':
        return allChains;
      case 'tokens':
        return lookUp('tokensBody', request);
      case 'chainInfo':
        return lookUp('chainInfoBody', request);
      case 'swap':
        return swap(request, respond);
    }
  };
}

function replyOutcome(outcome: SwapOutcome): Reply {
  return outcome.kind === 'body' ? replyBody(outcome.body) : replyRefusal(outcome);
}
