import { createClient } from '../../conformance/client/client.ts';
import type { Exchange } from '../../conformance/client/exchange.ts';
import { createHttpTransport } from '../../conformance/client/http-transport.ts';
import type { Redactor } from '../../conformance/client/redaction.ts';
import { PATHS } from '../../conformance/contract/paths.ts';
import { discover } from '../../conformance/discovery/discover.ts';
import type { Facts, TradedPair } from '../../conformance/discovery/facts.ts';
import { readQuote } from '../../conformance/discovery/quote.ts';
import { printable } from '../../conformance/output/printable.ts';
import type { LoadResult } from '../model/load-result.ts';
import type { Profile } from '../model/profile.ts';
import type { MixPlan } from './mix-plan.ts';
import { planMix } from './plan-mix.ts';

/** What is learned of a service before it is loaded. */
export type PreparedRun = {
  readonly facts: Facts;
  readonly mix: MixPlan;
  readonly leftOut: readonly string[];
  readonly service: NonNullable<LoadResult['service']>;
  /** Takes the API key out of what is shown. */
  readonly redactor: Redactor;
};

/** What to prepare for. */
export type PrepareOptions = {
  readonly baseUrl: URL;
  readonly apiKey: string;
  readonly mix: Profile['mix'];
  readonly seed: number;
  /** Chain ids; empty, all that the service names. */
  readonly chains: readonly number[];
  readonly timeoutMs: number;
  readonly kind: NonNullable<LoadResult['service']>['kind'];
  readonly signal: AbortSignal;
};

/**
 * Discovers a service and plans the mix to ask it, with requests sent one by
 * one, some hundreds at most.
 *
 * @throws {PreparationError} if there is nothing to load: the service does not
 * say which chains it serves, or not the ones asked for, or trades nothing; or
 * the run was ended
 */
export async function prepareRun(options: PrepareOptions): Promise<PreparedRun> {
  const { baseUrl, apiKey, signal, timeoutMs } = options;
  const transport = createHttpTransport(baseUrl, { timeoutMs, connections: 4 });
  const client = createClient({ transport, apiKey });
  const get = (target: Parameters<typeof client.send>[0]): Promise<Exchange> =>
    client.send(target, signal, (exchange) => exchange);
  try {
    const chains = { path: PATHS.chains, query: [] };
    const first = await get(chains);
    if (signal.aborted) throw new PreparationEndedError();
    if (first.outcome.kind !== 'reply' || first.outcome.status !== 200) {
      throw new UnreachableServiceError(client.redactor.sentence(baseUrl.href), first);
    }
    const idle: number[] = [];
    for (let i = 0; i < IDLE_LOOK_UPS; i++) idle.push((await get(chains)).durationMs);
    const facts = await discover({ get, chains: options.chains });
    const served = facts.chains.map(({ chainId }) => chainId);
    const unserved = options.chains.find((id) => served.length > 0 && !served.includes(id));
    if (unserved !== undefined) throw new UnservedChainError(unserved, served);
    const { plan, leftOut } = await planMix({
      mix: options.mix,
      facts,
      seed: options.seed,
      ask: (pair, sellAmount) => askBuyAmount(get, facts, pair, sellAmount),
    });
    if (signal.aborted) throw new PreparationEndedError();
    const isSwap = (name: string): boolean => name.split(' ', 1)[0] === 'swap';
    const wantsSwaps = options.mix.some(({ request }) => isSwap(request));
    if (wantsSwaps && !plan.kinds.some(({ endpoint }) => isSwap(endpoint))) {
      throw new NothingTradesError(client.redactor.sentence(baseUrl.href));
    }
    const [software] = first.outcome.headers['server'] ?? [];
    return {
      facts,
      mix: plan,
      leftOut,
      redactor: client.redactor,
      service: {
        kind: options.kind,
        idleMs: idle.sort((a, b) => a - b)[Math.floor(idle.length / 2)] ?? 0,
        ...(software === undefined ? {} : { software: client.redactor.said(software) }),
      },
    };
  } finally {
    await client.close();
  }
}

async function askBuyAmount(
  get: (target: { path: string; query: [string, string][] }) => Promise<Exchange>,
  facts: Facts,
  pair: TradedPair,
  sellAmount: bigint,
): Promise<bigint | undefined> {
  const market = [...facts.markets.values()].find(({ pairs }) => pairs.includes(pair));
  const exchange = await get({
    path: PATHS.swap,
    query: [
      ['chainId', String(market?.chainId)],
      ['sellToken', pair.sell.address],
      ['buyToken', pair.buy.address],
      ['sellAmount', String(sellAmount)],
    ],
  });
  return readQuote(exchange)?.buyAmount;
}

const IDLE_LOOK_UPS = 9;

/** Thrown where no run can begin; the message is the reason. */
export abstract class PreparationError extends Error {}

/** Thrown for a service that cannot be loaded because it does not answer. */
class UnreachableServiceError extends PreparationError {
  override readonly name = 'UnreachableServiceError';

  constructor(target: string, { outcome }: Exchange) {
    const what =
      outcome.kind === 'no-reply'
        ? outcome.message
        : `it answered /chains with ${outcome.status}: ${printable(outcome.text, 200)}`;
    super(`${target} cannot be loaded: ${what}`);
  }
}

/** Thrown for a chain that the service does not name. */
class UnservedChainError extends PreparationError {
  override readonly name = 'UnservedChainError';

  constructor(chainId: number, served: readonly number[]) {
    super(`chain ${chainId} cannot be asked for: the service names ${served.join(', ')}`);
  }
}

/** Thrown for a service of which look-ups alone could be asked where plans were wanted. */
class NothingTradesError extends PreparationError {
  override readonly name = 'NothingTradesError';

  constructor(target: string) {
    super(`${target} cannot be loaded: no pair was answered with a plan that the mix asks for`);
  }
}

/** Thrown when the run is ended before it began. */
class PreparationEndedError extends PreparationError {
  override readonly name = 'PreparationEndedError';

  constructor() {
    super('the run was ended before it began');
  }
}
