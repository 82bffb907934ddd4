import type { Facts } from '../discovery/facts.ts';
import { calldataRoutersOf } from '../generate/forms.ts';
import type { Session } from '../model/session.ts';
import type { Bench } from './bench.ts';
import { chooseAsks, OTHER_USER, USER } from './choose-asks.ts';
import type { Execution, ExecutionRun, PriceMove, SettledPlan } from './execution.ts';
import type { ForkSource } from './fork.ts';

/** What plans are executed on; everything but the forks may be left out. */
export type ExecutionOptions = {
  /** Chains to fork. A chain that the service does not serve is passed over. */
  readonly forks: readonly ForkSource[];
  /** Plans settled over all chains; default 216: two of every kind. */
  readonly plans?: number;
  /** Milliseconds since 1970; default `Date.now`. */
  readonly clock?: () => number;
  /** Seed of which trades are made; default 1. */
  readonly seed?: number;
};

/** Plans on each chain that are sent by another than they were made for. */
const OTHERS_PLANS = 12;
const NO_FORK = 'no node was named to fork a chain from (--fork CHAIN=RPC)';

/**
 * Returns what executes plans on forks of the chains named. Nothing is started
 * before a rule asks for it; `close` ends all that was.
 */
export function createExecution(options: ExecutionOptions): Execution {
  const { forks, plans = 216, clock = Date.now, seed = 1 } = options;
  const benches = new Map<number, Promise<Bench>>();
  let line: Promise<unknown> = Promise.resolve();
  let shared: Promise<ExecutionRun<SettledPlan>> | undefined;
  let others: Promise<ExecutionRun<SettledPlan>> | undefined;
  let moves: Promise<ExecutionRun<PriceMove>> | undefined;
  let encodings: Promise<ExecutionRun<SettledPlan>> | undefined;

  /** One at a time: what one mines, another would see. */
  function inLine<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = line.then(work, work);
    line = turn.catch(() => undefined);
    return turn;
  }

  function benchOf(source: ForkSource, facts: Facts): Promise<Bench> {
    const open =
      benches.get(source.chainId) ??
      import('./bench.ts').then(({ openBench }) =>
        openBench({
          source,
          info: facts.chainInfo.get(source.chainId),
          listed: (facts.tokens.get(source.chainId) ?? []).map(({ address }) => address),
          user: USER,
          clock,
        }),
      );
    benches.set(source.chainId, open);
    return open;
  }

  /** Runs `work` on every chain that can be forked and settled. */
  async function onEachChain<Item>(
    session: Session,
    work: (bench: Bench, share: number) => Promise<Executed<Item>>,
  ): Promise<ExecutionRun<Item>> {
    const { chains, why } = chainsOf(session.facts, forks);
    if (chains.length === 0) return { kind: 'not-applicable', why };
    const items: Item[] = [];
    const skipped: string[] = [];
    const { isForkError } = await import('./fork.ts');
    try {
      for (const source of chains) {
        const bench = await benchOf(source, session.facts);
        const done = await work(bench, chains.length);
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
    settlements: (session) => {
      shared ??= inLine(() =>
        onEachChain(session, async (bench, share) => {
          const { settleTrades } = await import('./settle-trades.ts');
          const market = marketOf(session.facts, bench);
          const asks = chooseAsks(market, seed, Math.ceil(plans / share));
          return settleTrades(session, bench, asks, { clock });
        }),
      );
      return shared;
    },
    sentByOthers: (session) => {
      others ??= inLine(() =>
        onEachChain(session, async (bench) => {
          const { settleTrades } = await import('./settle-trades.ts');
          const market = marketOf(session.facts, bench);
          const asks = chooseAsks(market, seed, OTHERS_PLANS).map((ask) => ({
            ...ask,
            wallet: OTHER_USER,
            recipient: undefined,
          }));
          return settleTrades(session, bench, asks, { clock });
        }),
      );
      return others;
    },
    priceMoves: (session) => {
      moves ??= inLine(() =>
        onEachChain(session, async (bench) => {
          const { movePrices } = await import('./price-move.ts');
          return movePrices(session, bench, { clock, seed });
        }),
      );
      return moves;
    },
    ownEncodings: (session) => {
      encodings ??= inLine(() =>
        onEachChain(session, async (bench) => {
          const { settleOwnEncodings } = await import('./own-encodings.ts');
          return settleOwnEncodings(session, bench, { clock, seed });
        }),
      );
      return encodings;
    },
    close: async () => {
      const opened = await Promise.allSettled(benches.values());
      benches.clear();
      await Promise.all(
        opened.map((bench) => (bench.status === 'fulfilled' ? bench.value.stop() : undefined)),
      );
    },
  };
}

type Executed<Item> = { readonly items: readonly Item[]; readonly skipped: readonly string[] };

/** The chains that are named, served, and settled by some router; else why there is none. */
function chainsOf(facts: Facts, forks: readonly ForkSource[]) {
  const served = forks.filter(({ chainId }) => facts.markets.has(chainId));
  const hex = served.filter(({ chainId }) => facts.markets.get(chainId)?.addresses === 'evm');
  const chains = hex.filter(({ chainId }) => {
    const market = facts.markets.get(chainId);
    return market !== undefined && market.pairs.length > 0 && calldataRoutersOf(market).length > 0;
  });
  const named = forks.map(({ chainId }) => chainId).join(', ');
  const why =
    forks.length === 0
      ? NO_FORK
      : served.length === 0
        ? `no plans were had on the forked chain ${named}`
        : hex.length === 0
          ? `chain ${named} is no EVM chain`
          : `no router returned calldata on chain ${named}`;
  return { chains, why };
}

function marketOf(facts: Facts, { chainId }: Bench) {
  const market = facts.markets.get(chainId);
  if (market === undefined) throw new UnknownChainError(chainId);
  return market;
}

/** Thrown for a chain that discovery did not find: only chains that it found are forked. */
export class UnknownChainError extends Error {
  override readonly name = 'UnknownChainError';

  constructor(chainId: number) {
    super(`discovery found no market on chain ${chainId}`);
  }
}
