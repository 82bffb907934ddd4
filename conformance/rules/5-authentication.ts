import { statusOf } from '../client/exchange.ts';
import type { Query, RequestTarget } from '../client/request.ts';
import { KEY_PLACEHOLDER } from '../client/request.ts';
import { PATHS } from '../contract/paths.ts';
import { exactInput, tradesOf } from '../generate/trades.ts';
import type { ProbeRule } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import { createTally, statusWords } from '../rule-kit/probing.ts';

/** Tries of each, since a check that fails now and then is no check. */
const TRIES = 16;

type Operation = keyof typeof PATHS;

/** A whole request to each operation, but for its key. */
function wholeRequests({ facts }: Session): readonly { operation: Operation; query: Query }[] {
  const chainId = [...facts.chainInfo.keys()][0] ?? facts.chains[0]?.chainId;
  const trade = tradesOf(facts)[0];
  const lookup: Query = chainId === undefined ? [] : [['chainId', String(chainId)]];
  return [
    { operation: 'chains', query: [] },
    ...(chainId === undefined
      ? []
      : ([
          { operation: 'tokens', query: lookup },
          { operation: 'chainInfo', query: lookup },
        ] as const)),
    ...(trade === undefined ? [] : ([{ operation: 'swap', query: exactInput(trade) }] as const)),
  ];
}

function asWritten(operation: Operation, query: Query): RequestTarget {
  return { path: PATHS[operation], query, key: 'as-written' };
}

/** "Every operation requires the query parameter `apiKey`": which status says so is left open. */
function keyIsRequired(operation: Operation, clause: string): ProbeRule {
  return {
    kind: 'probe',
    id: `${operation === 'chainInfo' ? 'chain-info' : operation}/key-required`,
    clause,
    level: 'should',
    title: `/${operation} without \`apiKey\` is not answered with 200`,
    run: async (session) => {
      const whole = wholeRequests(session).find((each) => each.operation === operation);
      if (whole === undefined) {
        return { kind: 'could-not-run', why: 'no request was answered with 200' };
      }
      const tally = createTally();
      const queries = Array.from(
        { length: TRIES },
        (_, index): Query => (index % 2 === 0 ? whole.query : [...whole.query, ['apiKey', '']]),
      );
      const exchanges = await Promise.all(
        queries.map((query) => session.get(asWritten(operation, query))),
      );
      for (const exchange of exchanges) {
        if (statusOf(exchange) === undefined) continue;
        tally.check(
          statusOf(exchange) === 200
            ? { expected: 'no 200 without a key', actual: '200', exchange }
            : undefined,
        );
      }
      return tally.verdict('no reply came');
    },
  };
}

/** Records what answers a key that is missing, empty, unknown, or given twice. */
function keyObserved(
  id: string,
  clause: string,
  title: string,
  keys: readonly (readonly [what: string, pairs: Query])[],
): ProbeRule {
  return {
    kind: 'probe',
    id,
    clause,
    level: 'observe',
    title,
    run: async (session) => {
      const tally = createTally();
      for (const { operation, query } of wholeRequests(session)) {
        for (const [what, pairs] of keys) {
          const exchange = await session.get(asWritten(operation, [...query, ...pairs]));
          tally.check(undefined);
          tally.observe(`/${operation} with ${what}: ${statusWords(exchange)}`);
        }
      }
      return tally.verdict('no request could be sent');
    },
  };
}

/** A key in the query is all that is described: a reply that asks for more asks too much. */
const keyIsEnough: ProbeRule = {
  kind: 'probe',
  id: 'keys/key-is-enough',
  clause: '5.1 apiKey',
  level: 'should',
  title: 'a request with `apiKey` and no other credential is answered',
  run: async (session) => {
    const tally = createTally();
    for (const { operation, query } of wholeRequests(session)) {
      const exchange = await session.get({ path: PATHS[operation], query });
      const { outcome } = exchange;
      if (outcome.kind === 'no-reply') continue;
      const isRefused = [401, 403, 407].includes(outcome.status);
      tally.check(
        isRefused || outcome.headers['www-authenticate'] !== undefined
          ? { expected: 'no further credential', actual: statusWords(exchange), exchange }
          : undefined,
      );
    }
    return tally.verdict('no reply came');
  },
};

/** @see Specification 5 */
export const authenticationRules: readonly ProbeRule[] = [
  keyIsRequired('swap', '4.1 apiKey'),
  keyIsRequired('tokens', '4.2 apiKey'),
  keyIsRequired('chains', '4.3 apiKey'),
  keyIsRequired('chainInfo', '4.4 apiKey'),
  keyIsEnough,
  keyObserved('keys/missing-observed', '5.3 missing key', 'what answers a missing key', [
    ['no key', []],
    ['an empty key', [['apiKey', '']]],
  ]),
  keyObserved('keys/invalid-observed', '5.3 invalid key', 'what answers an invalid key', [
    ['an unknown key', [['apiKey', 'swapcheck-unknown-key']]],
    [
      'the key twice',
      [
        ['apiKey', KEY_PLACEHOLDER],
        ['apiKey', KEY_PLACEHOLDER],
      ],
    ],
  ]),
];
