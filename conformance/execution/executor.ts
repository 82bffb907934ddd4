import type { ChainMarket, Facts } from '../discovery/facts.ts';
import { calldataRoutersOf } from '../generate/forms.ts';
import type { Executed, Execution, Executor, OpenExecutor } from '../model/executor.ts';
import type { Evidence, EvidenceKind } from '../model/settlement.ts';
import { chooseRequests, OTHER_USER, USER } from './choose-requests.ts';
import { type ForkSource, isForkError } from './fork.ts';
import { type ForkSession, openForkSession } from './fork-session.ts';
import { movePrices } from './move-prices.ts';
import { settleOwnEncodings } from './own-encodings.ts';
import { type ForkedMarket, settleTrades } from './settle-trades.ts';

/** What plans are executed on; everything but the forks may be left out. */
export type ExecutorOptions = {
  /** Chains to fork. A chain that the service does not serve is passed over. */
  readonly forks: readonly ForkSource[];
  /** Plans settled over all chains as they are returned; default 216: two of every kind. */
  readonly plans?: number;
  /** Milliseconds since 1970; default `Date.now`. */
  readonly clock?: () => number;
};

/** Plans on each chain that are sent by another than they were made for. */
const OTHERS_PLANS = 12;

/** How plans are executed on one chain; `plans` are this chain's part of those settled as they are returned. */
type Ways = {
  readonly [Kind in EvidenceKind]: (
    forked: ForkedMarket,
    plans: number,
  ) => Promise<Executed<Evidence[Kind]>>;
};

const WAYS: Ways = {
  'as-returned': (forked, plans) =>
    settleTrades(forked, chooseRequests(forked.market, forked.service.seed, plans)),
  'sent-by-another': (forked) =>
    settleTrades(
      forked,
      chooseRequests(forked.market, forked.service.seed, OTHERS_PLANS).map((request) => ({
        ...request,
        wallet: OTHER_USER,
        recipient: undefined,
      })),
    ),
  'price-moved': movePrices,
  'own-encoding': settleOwnEncodings,
};

/** Returns what executes a service's plans on forks of the chains named. */
export function createExecutor(
  options: ExecutorOptions,
  service: Parameters<OpenExecutor>[0],
): Executor {
  const { forks, plans = 216, clock = Date.now } = options;
  const { facts } = service;
  const sessions = new Map<number, Promise<ForkSession>>();

  function sessionOn(source: ForkSource): Promise<ForkSession> {
    const { chainId } = source;
    const session =
      sessions.get(chainId) ??
      openForkSession({
        source,
        info: facts.chainInfo.get(chainId),
        listed: (facts.tokens.get(chainId) ?? []).map(({ address }) => address),
        user: USER,
        clock,
      });
    sessions.set(chainId, session);
    return session;
  }

  async function execute<Kind extends EvidenceKind>(
    kind: Kind,
  ): Promise<Execution<Evidence[Kind]>> {
    const chains = chainsToFork(facts, forks);
    if (!Array.isArray(chains)) return { kind: 'not-applicable', why: chains };
    const items: Evidence[Kind][] = [];
    const skipped: string[] = [];
    try {
      for (const { source, market } of chains) {
        const forked = { service, market, session: await sessionOn(source) };
        const done = await WAYS[kind](forked, Math.ceil(plans / chains.length));
        items.push(...done.items);
        skipped.push(...done.skipped);
      }
    } catch (error) {
      if (isForkError(error)) return { kind: 'could-not-run', why: error.message };
      throw error;
    }
    return { kind: 'executed', items, skipped };
  }

  return {
    execute,
    close: async () => {
      const opened = await Promise.allSettled(sessions.values());
      sessions.clear();
      await Promise.all(
        opened.map((session) =>
          session.status === 'fulfilled' ? session.value.stop() : undefined,
        ),
      );
    },
  };
}

type ChainToFork = { readonly source: ForkSource; readonly market: ChainMarket };

/** Returns the chains that are named, served, and settled by some router; else why there is none. */
function chainsToFork({ markets }: Facts, forks: readonly ForkSource[]): ChainToFork[] | string {
  const served = forks.flatMap((source): ChainToFork[] => {
    const market = markets.get(source.chainId);
    return market === undefined ? [] : [{ source, market }];
  });
  const hex = served.filter(({ market }) => market.addresses === 'evm');
  const chains = hex.filter(
    ({ market }) => market.pairs.length > 0 && calldataRoutersOf(market).length > 0,
  );
  if (chains.length > 0) return chains;
  const named = forks.map(({ chainId }) => chainId).join(', ');
  if (served.length === 0) return `no trade was planned on the forked chain ${named}`;
  return hex.length === 0
    ? `chain ${named} is not an EVM chain`
    : `no router returned calldata on chain ${named}`;
}
