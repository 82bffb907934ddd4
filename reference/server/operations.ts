import PQueue from 'p-queue';
import type { Chain } from '../../conformance/contract/resources.ts';
import { ENCODERS } from '../encoding/encoders.ts';
import { testMakers } from '../makers/test-maker.ts';
import { loadEmbeddedMarkets } from '../market/embedded-markets.ts';
import type { Market } from '../market/market.ts';
import { createPlanner } from '../planner/planner.ts';
import { RequestError } from './errors.ts';
import type { ReferenceOptions } from './options.ts';
import type { PARAMETERS, Values } from './parameters.ts';
import { type ServedChain, serveChain } from './served-chain.ts';
import { MAX_RUNNING, type SwapService, swap } from './swap.ts';
import { resolveTrade, type SwapParameters } from './trade.ts';

/** Default of {@link ReferenceOptions.maxQueued}. */
export const MAX_QUEUED = 1024;

/** The operations as functions, each of which takes the values of its parameters. */
export type Operations = ReturnType<typeof createOperations>;

/** Returns the operations, each of which uses the latest state of the markets. */
export function createOperations(options: ReferenceOptions, report: (line: string) => void) {
  const { markets = loadEmbeddedMarkets(), encoders = ENCODERS, planCacheSize = 4096 } = options;
  const prepare = (market: Market) => serveChain(market, encoders, planCacheSize);
  const chains = new Map(markets.map((market) => [market.chainId, prepare(market)]));
  options.follow?.((change) => {
    const { chainId } = change;
    const served = chains.get(chainId);
    if (change.kind === 'moved') {
      chains.set(chainId, prepare(change.market));
      if (served?.isLost)
        report(`chain ${chainId}: quoted again, at block ${change.market.block.number}`);
    } else if (served) {
      chains.set(chainId, { ...served, isLost: true });
      report(`chain ${chainId}: not quoted, ${change.why}`);
    }
  });
  const chainOf = (chainId: number): ServedChain => {
    const chain = chains.get(chainId);
    if (chain) return chain;
    const message = `Parameter 'chainId' is '${chainId}': expected a chain of /chains.`;
    const details = { parameter: 'chainId', value: `${chainId}` };
    throw new RequestError('UNKNOWN_CHAIN', message, { details });
  };
  const service: SwapService = {
    planner: options.planner ?? createPlanner(),
    queue: new PQueue({ concurrency: MAX_RUNNING }),
    maxQueued: options.maxQueued ?? MAX_QUEUED,
    clock: options.clock ?? Date.now,
    makers: options.makers ?? testMakers(),
    quoting: new Map(),
  };
  type ChainValues = Values<typeof PARAMETERS.tokens>;
  return {
    chains: (): Chain[] => markets.map(({ chainId, name }) => ({ chainId, name })),
    tokens: ({ chainId }: ChainValues) => chainOf(chainId).tokens,
    chainInfo: ({ chainId }: ChainValues) => chainOf(chainId).info,
    swap: (values: SwapParameters, gone: AbortSignal) =>
      swap(service, resolveTrade(values, chainOf), gone),
  };
}
