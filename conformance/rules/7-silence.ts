import { statusOf } from '../client/exchange.ts';
import type { RequestTarget } from '../client/request.ts';
import { PATHS } from '../contract/paths.ts';
import { exactInput, exactOutput, setParameter, swapTarget, tradesOf } from '../generate/trades.ts';
import type { ProbeRule } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import { quote } from '../rule-kit/faults.ts';
import { createTally, statusWords } from '../rule-kit/probing.ts';

type Question = readonly [what: string, target: RequestTarget];

/** Returns a rule that records what answers some requests, where the specification says 'not shown'. */
function observed(
  id: string,
  clause: string,
  title: string,
  questionsOf: (session: Session) => readonly Question[],
): ProbeRule {
  return {
    kind: 'probe',
    id,
    clause,
    level: 'observe',
    title,
    run: async (session) => {
      const tally = createTally();
      for (const [what, target] of questionsOf(session)) {
        const exchange = await session.get(target);
        tally.check(undefined);
        tally.observe(`${what}: ${statusWords(exchange)}`);
      }
      return tally.verdict('no request was answered with 200 that could be varied');
    },
  };
}

const firstTrade = ({ facts }: Session) => tradesOf(facts).slice(0, 1);

const otherMethods = observed(
  'endpoint/other-methods-observed',
  '4 other methods',
  'what answers methods other than GET',
  () =>
    ['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'].map((method) => [
      method,
      { path: PATHS.chains, query: [], method },
    ]),
);

const missingParameter = observed(
  'error/missing-parameter-observed',
  '7 missing parameter',
  'which `error` a missing parameter gives',
  (session) =>
    firstTrade(session).flatMap((trade) =>
      ['chainId', 'sellToken', 'buyToken', 'sellAmount'].map(
        (name): Question => [`no ${name}`, swapTarget(setParameter(exactInput(trade), name, []))],
      ),
    ),
);

const bothAmounts = observed(
  'error/both-amounts-observed',
  '7 both amounts',
  'which `error` both amounts give',
  (session) =>
    firstTrade(session).map((trade) => [
      'both amounts',
      swapTarget(setParameter(exactInput(trade), 'buyAmount', ['1'])),
    ]),
);

const unknownChain = observed(
  'error/unknown-chain-observed',
  '7 unknown chain',
  'what answers an unknown chain',
  (session) => [
    ['/chainInfo', { path: PATHS.chainInfo, query: [['chainId', '987654321987']] }],
    ['/tokens', { path: PATHS.tokens, query: [['chainId', '987654321987']] }],
    ...firstTrade(session).map(
      (trade): Question => [
        '/swap',
        swapTarget(setParameter(exactInput(trade), 'chainId', ['987654321987'])),
      ],
    ),
  ],
);

const unsupportedPair = observed(
  'error/unsupported-pair-observed',
  '7 unsupported pair',
  'what answers pairs and amounts without a plan',
  (session) =>
    firstTrade(session).flatMap((trade) => {
      const query = exactInput(trade);
      return [
        [
          'a token of no chain',
          swapTarget(setParameter(query, 'buyToken', [`0x${'5'.repeat(40)}`])),
        ],
        ['sell equals buy', swapTarget(setParameter(query, 'buyToken', [trade.pair.sell.address]))],
        ['2^200 base units sold', swapTarget(exactInput(trade, 1n << 200n))],
        ['2^200 base units bought', swapTarget(exactOutput(trade, 1n << 200n))],
        ...[...session.facts.markets.values()].flatMap(({ chainId, refusedPairs }) =>
          refusedPairs.slice(0, 1).map(
            ([sell, buy]): Question => [
              `${quote(sell.symbol)} to ${quote(buy.symbol)}`,
              swapTarget([
                ['chainId', String(chainId)],
                ['sellToken', sell.address],
                ['buyToken', buy.address],
                ['sellAmount', String(10n ** BigInt(sell.decimals))],
              ]),
            ],
          ),
        ),
      ] as const satisfies readonly Question[];
    }),
);

const requestSize = observed(
  'endpoint/request-size-observed',
  '8 request size',
  'what answers long requests and parameters that nobody described',
  (session) =>
    firstTrade(session).flatMap((trade) => [
      ['an unknown parameter', swapTarget([...exactInput(trade), ['unknown', '1']])],
      ['a query of 4 KB', swapTarget([...exactInput(trade), ['unknown', 'x'.repeat(4_096)]])],
      ['a query of 64 KB', swapTarget([...exactInput(trade), ['unknown', 'x'.repeat(65_536)]])],
      [
        'an amount of 1,000 digits',
        swapTarget(setParameter(exactInput(trade), 'sellAmount', ['9'.repeat(1_000)])),
      ],
    ]),
);

/** Native and its wrapped token are one asset: whether they trade for each other is left open. */
const wrapping: ProbeRule = {
  kind: 'probe',
  id: 'swap/wrapping-observed',
  clause: '4.1 native token',
  level: 'observe',
  title: 'what answers native for its wrapped token',
  run: async ({ facts, get }) => {
    const tally = createTally();
    for (const [chainId, { wrappedNativeTokenAddress }] of facts.chainInfo) {
      const exchange = await get({
        path: PATHS.swap,
        query: [
          ['chainId', String(chainId)],
          ['sellToken', `0x${'0'.repeat(40)}`],
          ['buyToken', wrappedNativeTokenAddress],
          ['sellAmount', '1000000000000000'],
        ],
      });
      if (statusOf(exchange) === undefined) continue;
      tally.check(undefined);
      tally.observe(statusWords(exchange));
    }
    return tally.verdict('no chain told its wrapped native token');
  },
};

/** @see Specification 4, 7 and 8, where they say 'not shown' */
export const silenceRules: readonly ProbeRule[] = [
  otherMethods,
  missingParameter,
  bothAmounts,
  unknownChain,
  unsupportedPair,
  requestSize,
  wrapping,
];
