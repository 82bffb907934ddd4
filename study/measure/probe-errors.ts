import type { Exchange } from '../../conformance/client/exchange.ts';
import type { Query } from '../../conformance/client/request.ts';
import { RunStopped } from '../../conformance/client/scheduler.ts';
import { PATHS } from '../../conformance/contract/paths.ts';
import type { ChainMarket } from '../../conformance/discovery/facts.ts';
import { createRandom } from '../../conformance/generate/deck.ts';
import { exactInput, exactOutput, setParameter } from '../../conformance/generate/trades.ts';
import { printable } from '../../conformance/output/printable.ts';
import type { ErrorProbe } from '../model/errors.ts';
import { errorOf } from './ask-trade.ts';
import type { StudiedService } from './studied-service.ts';

type Situation = Pick<ErrorProbe, 'cause' | 'situation'> & { readonly query: Query };

/** More than there is of any token. */
const BEYOND_ALL = 10n ** 15n;
const NO_CHAIN = '4294967295';

/** Asks a service for what it must refuse, each for a cause that is known, and returns its answers. */
export async function probeErrors(
  service: StudiedService,
  chainId: number,
  seed: number,
): Promise<ErrorProbe[]> {
  const market = service.facts.markets.get(chainId);
  const probes: ErrorProbe[] = [];
  for (const { query, ...about } of market === undefined ? [] : situationsOf(market, seed)) {
    try {
      const exchange = await service.get({ path: PATHS.swap, query });
      probes.push({ chainId, ...about, ...answerOf(exchange, service) });
    } catch (error) {
      if (!(error instanceof RunStopped)) throw error;
    }
  }
  return probes;
}

function situationsOf(market: ChainMarket, seed: number): readonly Situation[] {
  const [pair] = market.pairs;
  if (pair === undefined) return [];
  const trade = { market, pair };
  const sound = exactInput(trade);
  const random = createRandom(seed);
  const digits = Array.from({ length: 40 }, () => Math.floor(random() * 16).toString(16));
  const mistake = (situation: string, query: Query): Situation => ({
    cause: 'own mistake',
    situation,
    query,
  });
  const [refused] = market.refusedPairs;
  const [sell, buy] = refused ?? [];
  return [
    {
      cause: 'no liquidity',
      situation: 'buys more than there is',
      query: exactOutput(trade, pair.buyAmount * BEYOND_ALL),
    },
    ...(sell === undefined || buy === undefined
      ? []
      : [
          {
            cause: 'no liquidity',
            situation: 'a pair without a market',
            query: exactInput(
              { market, pair: { ...pair, sell, buy } },
              10n ** BigInt(sell.decimals),
            ),
          } as const,
        ]),
    {
      cause: 'unknown token',
      situation: 'an address that is no token',
      query: setParameter(sound, 'buyToken', [`0x${digits.join('')}`]),
    },
    {
      cause: 'unknown chain',
      situation: 'a chain that is not served',
      query: setParameter(sound, 'chainId', [NO_CHAIN]),
    },
    mistake('no amount', setParameter(sound, 'sellAmount', [])),
    mistake('both amounts', [...sound, ['buyAmount', String(pair.buyAmount)]]),
    mistake('a negative amount', setParameter(sound, 'sellAmount', ['-1'])),
    mistake('half an address', setParameter(sound, 'sellToken', ['0x1234'])),
    mistake('calldata for nobody', [...sound, ['includeCalldata', 'true']]),
    mistake('a router that is none', setParameter(sound, 'router', ['no-router'])),
  ];
}

function answerOf(
  { outcome }: Exchange,
  { redactor }: StudiedService,
): Pick<ErrorProbe, 'status' | 'error' | 'message'> {
  const said = (text: string) => printable(redactor.said(text), 200);
  if (outcome.kind === 'no-reply') {
    return { error: '', message: redactor.sentence(outcome.message) };
  }
  const { status } = outcome;
  const body =
    outcome.kind === 'reply' && outcome.document.kind === 'json'
      ? outcome.document.value
      : undefined;
  if (status === 200) return { status, error: '', message: 'answered with a plan' };
  const { error, message } = errorOf(body) ?? { error: '', message: outcome.text };
  return { status, error: said(error), message: said(message) };
}
