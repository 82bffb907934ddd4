import { type Exchange, statusOf } from '../client/exchange.ts';
import type { Query, RequestTarget } from '../client/request.ts';
import type { RouterInfo, RouterName } from '../contract/resources.ts';
import type { ChainMarket } from '../discovery/facts.ts';
import { BOUND_TRADES, firstIfQuick, within } from '../generate/budget.ts';
import { exactInput, swapTarget, type Trade, tradesOf } from '../generate/trades.ts';
import type { Check, Fault, FaultData, Finding, ProbeRule } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import { type Statement, words } from '../model/statement.ts';
import {
  faultUnless200,
  formatStatus,
  NOTHING_LEARNED,
  statusData,
  statusWords,
} from './reply-status.ts';

/**
 * Returns a share as a word, for the key of an observation.
 *
 * @example shareWord(2, 5) // 'some'
 */
export function shareWord(part: number, whole: number): string {
  if (part === whole) return 'all';
  return part === 0 ? 'no' : 'some';
}

export type Run = ProbeRule['check'];

/**
 * Returns a probe that sends requests and judges each reply separately. Skips requests without a
 * reply, which `endpoint/answers` judges.
 */
export function judgeEach<Request extends { readonly target: RequestTarget }>(
  requestsOf: (session: Session) => readonly Request[],
  faultOf: (exchange: Exchange, request: Request) => Fault | undefined,
  withoutRequests = 'no request returned 200',
): Run {
  return async (session, t) => {
    const requests = requestsOf(session);
    await Promise.all(
      requests.map(async (request) => {
        const exchange = await session.get(request.target);
        if (statusOf(exchange) === undefined) return;
        t.check(faultOf(exchange, request), exchange);
      }),
    );
    t.stuck(requests.length === 0 ? withoutRequests : 'no request got a reply');
  };
}

/** A request and its description. */
export type ObservedRequest = readonly [what: string, target: RequestTarget];

/**
 * Returns a probe that records the status of each reply, for behavior that the specification leaves
 * open.
 *
 * @param inapplicable - Reason why the rule does not apply if there are no requests. If unset, the
 * rule could not run.
 */
export function observeEach(
  requestsOf: (
    session: Session,
  ) => readonly ObservedRequest[] | Promise<readonly ObservedRequest[]>,
  inapplicable?: string,
): Run {
  return async (session, t) => {
    const requests = await requestsOf(session);
    if (requests.length === 0 && inapplicable !== undefined) {
      return t.skip(inapplicable);
    }
    for (const [what, target] of firstIfQuick(requests, session)) {
      const exchange = await session.get(target);
      t.check();
      t.observe(`${what}: ${formatStatus(exchange)}`);
    }
    t.stuck('no request that could be varied returned 200');
  };
}

/** Returns variations of the request for the first trade that has a plan. */
export function ofFirstTrade(
  requestsOf: (query: Query, trade: Trade, session: Session) => readonly ObservedRequest[],
): (session: Session) => readonly ObservedRequest[] {
  return (session) =>
    tradesOf(session.facts)
      .slice(0, 1)
      .flatMap((trade) => requestsOf(exactInput(trade), trade, session));
}

/** Requests of one kind; at least one must return a plan. */
export type Group = {
  readonly expected: Statement;
  /** Identifies the kind. */
  readonly data: FaultData;
  readonly targets: readonly RequestTarget[];
};

/** Returns a probe that holds if at least one request of each group returns 200. */
export function someOfEach(
  groupsOf: (session: Session) => readonly Group[],
  withoutGroups: (session: Session, t: Check) => void,
): Run {
  return async (session, t) => {
    const groups = groupsOf(session).filter(({ targets }) => targets.length > 0);
    if (groups.length === 0) return withoutGroups(session, t);
    await Promise.all(
      groups.map(async ({ targets, ...group }) =>
        checkSome(t, group, await getUntilPlan(session, targets)),
      ),
    );
    t.stuck(NOTHING_LEARNED);
  };
}

/** A kind of request to send for each router, with some trades on its chain. */
export type RouterRequest = {
  readonly expected: (name: RouterName, chainId: number) => Statement;
  readonly queryFor: (query: Query, name: RouterName, market: ChainMarket) => Query;
  readonly applies?: (market: ChainMarket, router: RouterInfo) => boolean;
};

/**
 * Returns a probe that fails a group if the service returned 500 to all of its requests. Another
 * status may have a reason, but a server error to every valid request has none, unless the service
 * has an outage: then it also fails the control request.
 */
export function notOnlyServerErrors(
  groupsOf: (session: Session) => readonly Group[],
  controlOf: (target: RequestTarget) => RequestTarget,
): Run {
  return async (session, t) => {
    const groups = groupsOf(session).filter(({ targets }) => targets.length > 0);
    if (groups.length === 0) return t.skip('no router has an encoder');
    await Promise.all(
      groups.map(async ({ targets, expected, data }) => {
        const exchanges: Exchange[] = [];
        for (const target of targets) {
          const exchange = await session.get(target);
          exchanges.push(exchange);
          if (statusOf(exchange) !== 500) break;
        }
        const [[first], [target]] = [exchanges, targets];
        if (first === undefined || target === undefined) return;
        if (exchanges.some((each) => statusOf(each) === undefined)) return;
        if (exchanges.some((each) => statusOf(each) !== 500)) return t.check();
        if (statusOf(await session.get(controlOf(target))) !== 200) return;
        const actual = words`${statusWords(first)} to each of ${exchanges.length} requests`;
        t.check({ fault: 'only-500', data: { ...data, status: 500 }, expected, actual }, first);
      }),
    );
    t.stuck(NOTHING_LEARNED);
  };
}

/** Returns a group of requests for each router that `/chainInfo` lists. */
export function byRouter({ expected, queryFor, applies = () => true }: RouterRequest) {
  return (session: Session): readonly Group[] =>
    [...session.facts.markets.values()].flatMap((market) => {
      const { chainId } = market;
      const pairs = market.pairs.slice(0, within(BOUND_TRADES, session));
      return (session.facts.chainInfo.get(chainId)?.routers ?? [])
        .filter((router) => applies(market, router))
        .map(({ name }) => ({
          expected: expected(name, chainId),
          data: { router: name, chain: chainId },
          targets: pairs.map((pair) =>
            swapTarget(queryFor(exactInput({ market, pair }), name, market)),
          ),
        }));
    });
}

/** Sends requests one after another until the service returns a plan. Returns all exchanges. */
export async function getUntilPlan(
  { get }: Session,
  targets: readonly RequestTarget[],
): Promise<readonly Exchange[]> {
  const exchanges: Exchange[] = [];
  for (const target of targets) {
    const exchange = await get(target);
    exchanges.push(exchange);
    if (statusOf(exchange) === 200) break;
  }
  return exchanges;
}

/** Asserts that at least one exchange has status 200. */
export function checkSome(
  t: Check,
  { expected, data }: Pick<Finding, 'expected' | 'data'>,
  exchanges: readonly Exchange[],
): void {
  const [first] = exchanges;
  if (first === undefined) return;
  const hasPlan = exchanges.some((exchange) => statusOf(exchange) === 200);
  const actual = words`${statusWords(first)}, and no plan for ${exchanges.length === 1 ? words`that request` : words`any of ${exchanges.length} requests`}`;
  const fault = {
    ...{ fault: 'no-plan', data: { ...statusData(first), ...data } },
    ...{ expected, actual },
  };
  t.check(hasPlan ? undefined : fault, first);
}

/** Maximum number of tries per lookup, since the specification allows a 500 now and then. */
const TRIES_PER_LOOKUP = 3;

/** A lookup request, and whether it returned 200 during discovery. */
export type Lookup = {
  /** Identifies the lookup, if the rule has several lookups. */
  readonly data?: FaultData;
  readonly expected: Statement;
  readonly path: string;
  readonly query: Query;
  readonly succeededBefore: boolean;
};

/**
 * Returns a probe that holds if each lookup returns 200 on one of the tries. A 500 after a success
 * during discovery counts as an outage and is not judged.
 */
export function lookupsSucceed(
  lookupsOf: (session: Session) => readonly Lookup[],
  withoutLookups: string,
): Run {
  return async (session, t) => {
    const lookups = lookupsOf(session);
    await Promise.all(
      lookups.map(async ({ data, expected, path, query, succeededBefore }) => {
        let exchange = await session.get({ path, query });
        for (let tries = 1; tries < TRIES_PER_LOOKUP && statusOf(exchange) !== 200; tries += 1) {
          exchange = await session.get({ path, query });
        }
        const isOutage = statusOf(exchange) === 500 && succeededBefore;
        if (statusOf(exchange) === undefined || isOutage) return;
        const actual = words`${statusWords(exchange)}, ${TRIES_PER_LOOKUP} times`;
        t.check(faultUnless200(exchange, { fault: 'not-200', data, expected, actual }), exchange);
      }),
    );
    t.stuck(lookups.length === 0 ? withoutLookups : NOTHING_LEARNED);
  };
}
