import { type RouterEncoders, resolveRouters } from '../encoding/encoders.ts';
import type { Market } from '../market/market.ts';
import type { Address } from '../planner/domain/address.ts';
import type { RoutingConstraints, RoutingRequest, SwapAmount } from '../planner/graph/plan.ts';
import { createPlanner } from '../planner/planner.ts';
import { tokensOf } from '../planner/pools/pool.ts';
import type { Planner } from './options.ts';

/** How the warm-up plans; everything may be left out. */
type WarmUpOptions = {
  /** Default: a planner of its own. */
  readonly planner?: Planner;
  /** Default `ENCODERS`. */
  readonly encoders?: RouterEncoders;
  /** How long it plans before it returns; default 100. */
  readonly firstMs?: number;
  /** Milliseconds that never go back; default those since the process began. */
  readonly clock?: () => number;
  /** Runs something after so many milliseconds, and returns what prevents it; default a timer that keeps no process alive. */
  readonly later?: (run: () => void, ms: number) => () => void;
};

/** How long others may run between two slices. */
const PAUSE_MS = 4;

/** How long a slice may last. */
const SLICE_MS = 2;

/** A slice that comes later than due by this shows that there is other work. */
const LATE_MS = 5;

/** How many pairs of a market are planned for a router, those of the tokens in most pools first. */
const MAX_PAIRS = 400;

/** An amount of which whole numbers matter, so that single paths are looked at too. */
const FEW = 10n;

/**
 * Plans trades that nobody asked for, so that the first that somebody asks for
 * takes no longer than those after it: what the pools look like from a pair is
 * laid out and kept with the market, and the code is compiled. Begins at once,
 * goes on in slices while there is no other work, and returns what ends it.
 */
export function warmUp(
  markets: readonly Market[],
  {
    planner = createPlanner(),
    encoders,
    firstMs = 100,
    clock = () => performance.now(),
    later = afterTimer,
  }: WarmUpOptions = {},
): () => void {
  const jobs = jobsFor(markets, encoders, planner);
  let cancel = (): void => {};
  const runSlice = (lengthMs: number): void => {
    const end = clock() + lengthMs;
    while (clock() < end) {
      const next = jobs.next();
      if (next.done) return;
      next.value();
    }
    pause();
  };
  const pause = (): void => {
    const due = clock() + PAUSE_MS;
    cancel = later(() => {
      if (clock() - due > LATE_MS) pause();
      else runSlice(SLICE_MS);
    }, PAUSE_MS);
  };
  runSlice(firstMs);
  return () => cancel();
}

function afterTimer(run: () => void, ms: number): () => void {
  const timer = setTimeout(run, ms).unref();
  return () => clearTimeout(timer);
}

function* jobsFor(
  markets: readonly Market[],
  encoders: RouterEncoders | undefined,
  planner: Planner,
): Generator<() => void> {
  for (const market of markets) {
    for (const constraints of constraintsOf(market, encoders)) {
      for (const [sellToken, buyToken] of pairsOf(market).slice(0, MAX_PAIRS)) {
        const whole = 10n ** BigInt(market.tokens.get(sellToken)?.decimals ?? 0);
        for (const sellAmount of [whole, FEW]) {
          yield () =>
            planBothWays(planner, market, { sellToken, buyToken, constraints }, sellAmount);
        }
      }
    }
  }
}

function planBothWays(
  planner: Planner,
  market: Market,
  request: Omit<RoutingRequest, keyof SwapAmount>,
  sellAmount: bigint,
): void {
  const sold = planner(market, { ...request, swapKind: 'exact-input', amount: sellAmount });
  if (sold.kind !== 'plan') return;
  planner(market, { ...request, swapKind: 'exact-output', amount: sold.buyAmount });
}

/** What plans for the market's routers may look like, each once. */
function constraintsOf(market: Market, encoders: RouterEncoders | undefined): RoutingConstraints[] {
  const all = resolveRouters(market, encoders).map(({ constraints }) => constraints);
  const keyOf = ({ topology, sources }: RoutingConstraints) =>
    [topology, ...[...sources].sort()].join(' ');
  return [...new Map(all.map((one) => [keyOf(one), one])).values()];
}

/** All pairs of tokens that some pool trades, those in most pools first. */
function pairsOf({ pools }: Market): (readonly [Address, Address])[] {
  const counts = new Map<Address, number>();
  for (const token of pools.flatMap((pool) => tokensOf(pool))) {
    counts.set(token, (counts.get(token) ?? 0) + 1);
  }
  const tokens = [...counts.keys()];
  const rankOf = ([sell, buy]: readonly [Address, Address]) =>
    (counts.get(sell) ?? 0) * (counts.get(buy) ?? 0);
  return tokens
    .flatMap((sell) => tokens.filter((buy) => buy !== sell).map((buy) => [sell, buy] as const))
    .sort((a, b) => rankOf(b) - rankOf(a));
}
