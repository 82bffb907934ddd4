import { successBody } from '../checks/reply-body.ts';
import { statusOf } from '../client/exchange.ts';
import { PATHS } from '../contract/paths.ts';
import type { Chain } from '../contract/resources.ts';
import { BOUND_TRADES } from '../generate/budget.ts';
import { exactInput, exactOutput, swapTarget, tradesOf } from '../generate/trades.ts';
import type { ProbeRule, ReplyRule } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import { quote, verdictOf } from '../rule-kit/faults.ts';
import { createTally, isOwnAnswer, NO_WORD, statusWords } from '../rule-kit/probing.ts';

/** Tries before a lookup counts as unanswered: a 500 now and then is within the specification. */
const TRIES = 3;

/** "All paths below are absolute from it and begin with `/api/v1.0`." */
const pathsExist: ProbeRule = {
  kind: 'probe',
  id: 'endpoint/paths',
  clause: '0 paths',
  level: 'must',
  title: 'the four operations are below /api/v1.0',
  run: async (session) => {
    const tally = createTally();
    const { facts } = session;
    const chainId = [...facts.chainInfo.keys()][0] ?? facts.chains[0]?.chainId;
    // Of a chain that the service never named, 404 may be the answer.
    for (const path of chainId === undefined ? [PATHS.chains] : Object.values(PATHS)) {
      const query = path === PATHS.chains ? [] : ([['chainId', String(chainId)]] as const);
      const exchange = await session.get({ path, query });
      const status = statusOf(exchange);
      if (status === undefined) continue;
      tally.check(
        [404, 405, 501].includes(status)
          ? { expected: `an operation at ${path}`, actual: statusWords(exchange), exchange }
          : undefined,
      );
    }
    return tally.verdict('no reply came');
  },
};

/** "Every endpoint: method GET, all inputs in the query string, no request body." */
const getIsEnough: ProbeRule = {
  kind: 'probe',
  id: 'endpoint/get',
  clause: '4 get',
  level: 'must',
  title: 'a GET without a body, with everything in the query, is answered with 200',
  run: async (session) => {
    const tally = createTally();
    const exchange = await answerOf(session, PATHS.chains, []);
    const isOutage = statusOf(exchange) === 500 && session.facts.chains.length > 0;
    if (statusOf(exchange) !== undefined && !isOutage) {
      tally.check(
        statusOf(exchange) === 200
          ? undefined
          : { expected: '200 for /chains', actual: statusWords(exchange), exchange },
      );
    }
    return tally.verdict(NO_WORD);
  },
};

/** "Lookup operations list example tradable tokens for a chain, the supported chains, and per-chain details." */
const everyChainIsTold: ProbeRule = {
  kind: 'probe',
  id: 'lookups/every-chain',
  clause: '1.4 lookups',
  level: 'must',
  title: '/tokens and /chainInfo answer for every chain that /chains lists',
  run: async (session) => {
    const tally = createTally();
    const { chains, tokens, chainInfo } = session.facts;
    const told = { [PATHS.tokens]: tokens, [PATHS.chainInfo]: chainInfo };
    const ask = async ({ chainId }: Chain, path: keyof typeof told) => {
      const exchange = await answerOf(session, path, [['chainId', String(chainId)]]);
      const isOutage = statusOf(exchange) === 500 && told[path].has(chainId);
      if (statusOf(exchange) === undefined || isOutage) return;
      tally.check(
        statusOf(exchange) === 200
          ? undefined
          : {
              expected: `200 for chain ${chainId}, which /chains lists`,
              actual: `${statusWords(exchange)}, ${TRIES} times`,
              exchange,
            },
      );
    };
    // JSON.parse rounds ids beyond 2^53: no request can name such a chain.
    const nameable = chains.filter(({ chainId }) => Number.isSafeInteger(chainId));
    await Promise.all(
      nameable.flatMap((chain) => [ask(chain, PATHS.tokens), ask(chain, PATHS.chainInfo)]),
    );
    return tally.verdict(nameable.length === 0 ? '/chains listed no chain' : NO_WORD);
  },
};

/** "Given a chain, a sell token, a buy token and exactly one amount, the service returns a routing plan." */
const plansAreReturned: ProbeRule = {
  kind: 'probe',
  id: 'plan/returned',
  clause: '1.1 plan',
  level: 'must',
  title: 'some pair of listed tokens is answered with a plan',
  run: async (session) => {
    const { facts } = session;
    if (tradesOf(facts).length > 0) return { kind: 'judged', checks: 1, findings: [] };
    const tally = createTally();
    for (const [chainId, [first, second]] of facts.tokens) {
      if (first === undefined || second === undefined) continue;
      const exchange = await session.get({
        path: PATHS.swap,
        query: [
          ['chainId', String(chainId)],
          ['sellToken', first.address],
          ['buyToken', second.address],
          ['sellAmount', String(10n ** BigInt(Math.max(0, Math.min(18, first.decimals))))],
        ],
      });
      if (statusOf(exchange) === undefined) continue;
      tally.check(
        statusOf(exchange) === 200
          ? undefined
          : {
              expected: 'a plan for some pair of the tokens that /tokens lists',
              actual: `none for any pair; here ${statusWords(exchange)}`,
              exchange,
            },
      );
    }
    return tally.verdict('/tokens listed no two tokens');
  },
};

/** "exactly one amount (sell side or buy side)": the buy side as well. */
const buySideIsPlanned: ProbeRule = {
  kind: 'probe',
  id: 'plan/returned-for-buy-amount',
  clause: '1.1 plan',
  level: 'must',
  title: 'some pair that is planned by the amount sold is planned by the amount bought',
  run: async (session) => {
    const tally = createTally();
    const trades = tradesOf(session.facts).slice(0, BOUND_TRADES);
    const exchanges = await Promise.all(
      trades.map((trade) => session.get(swapTarget(exactOutput(trade)))),
    );
    const replies = exchanges.filter((exchange) => statusOf(exchange) !== undefined);
    const [last, whole] = [replies.at(-1), trades.at(-1)];
    if (last === undefined || whole === undefined) return tally.verdict(noPlan);
    if (!(await isOwnAnswer(session, last, swapTarget(exactInput(whole))))) {
      return tally.verdict(noPlan);
    }
    tally.check(
      replies.some((exchange) => statusOf(exchange) === 200)
        ? undefined
        : {
            expected: 'a plan for some `buyAmount` that a `sellAmount` was seen to buy',
            actual: `${statusWords(last)} for each of ${replies.length} pairs`,
            exchange: last,
          },
    );
    return tally.verdict(noPlan);
  },
};

const noPlan = 'no pair was answered with a plan';

/** "Returns the supported chains." */
const someChainIsListed: ReplyRule = {
  kind: 'reply',
  endpoint: 'chains',
  id: 'chains/not-empty',
  clause: '4.3 supported',
  level: 'should',
  title: '/chains lists at least one chain',
  judge: ({ reply }) => {
    const body = successBody(reply);
    if (!Array.isArray(body)) return undefined;
    return verdictOf(
      body.length > 0 ? [] : [{ expected: 'at least one chain', actual: '[]', pointer: '' }],
    );
  },
};

/** "The operations only read data": what the lookups list does not come and go. */
const chainsRepeat: ReplyRule = {
  kind: 'reply',
  endpoint: 'chains',
  id: 'chains/repeat',
  clause: '1.5 read only',
  level: 'should',
  title: '/chains lists the same chains every time',
  judge: ({ reply, facts }) => {
    const body = successBody(reply);
    if (!Array.isArray(body) || facts === undefined || facts.chains.length === 0) return undefined;
    const [now, first] = [inOrder(body), inOrder(facts.chains)];
    return verdictOf(
      JSON.stringify(now) === JSON.stringify(first)
        ? []
        : [{ expected: `the first reply: ${quote(first)}`, actual: quote(now), pointer: '' }],
    );
  },
};

/** Ids and names of chains, in one order whatever theirs is. */
function inOrder(chains: readonly unknown[]): readonly unknown[] {
  const keys = chains.map((chain) => {
    const { chainId, name } = (chain ?? {}) as { chainId?: unknown; name?: unknown };
    return JSON.stringify([chainId, name]);
  });
  return keys.sort().map((key): unknown => JSON.parse(key));
}

async function answerOf(
  { get }: Session,
  path: string,
  query: readonly (readonly [string, string])[],
) {
  let exchange = await get({ path, query });
  for (let tries = 1; tries < TRIES && statusOf(exchange) !== 200; tries += 1) {
    exchange = await get({ path, query });
  }
  return exchange;
}

/** @see Specification 0, 1 and 4.2 to 4.4 */
export const lookupRules: readonly (ProbeRule | ReplyRule)[] = [
  pathsExist,
  getIsEnough,
  everyChainIsTold,
  plansAreReturned,
  buySideIsPlanned,
  someChainIsListed,
  chainsRepeat,
];
