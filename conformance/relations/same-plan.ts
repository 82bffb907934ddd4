import { NATIVE_ALIASES } from '../contract/resources.ts';
import { RELATION_TRADES } from '../generate/budget.ts';
import {
  calldataTradesOf,
  exactInput,
  exactOutput,
  type Query,
  RECIPIENT_ADDRESS,
  setParameter,
  spread,
  tradesOf,
  USER_ADDRESS,
  withCalldata,
} from '../generate/trades.ts';
import { createTally, replyOf, statusWords } from '../rules/probing.ts';
import type { Finding, ProbeRule } from '../rules/rule.ts';
import type { Session } from '../runner/session.ts';
import { findAlternation } from './alternation.ts';
import { bracket, confirmFault } from './bracket.ts';
import { planKey } from './plan-key.ts';

/** Two requests that mean one thing. */
type Twins = readonly [one: Query, other: Query];

type Identity = Pick<ProbeRule, 'id' | 'clause' | 'level' | 'title'>;

/** Returns a rule that holds where two requests that mean one thing give one plan. */
function samePlanRule(
  identity: Identity,
  difference: string,
  twinsOf: (session: Session) => readonly Twins[],
  whyNot: string,
): ProbeRule {
  return {
    kind: 'probe',
    ...identity,
    run: async (session) => {
      const twins = twinsOf(session);
      if (twins.length === 0) return { kind: 'not-applicable', why: whyNot };
      const tally = createTally();
      await Promise.all(
        twins.map(async ([one, other]) => {
          const attempt = () => compare(session, one, other, difference);
          const judged = await (isOwnRepeat(one, other)
            ? judgeRepeat(session, one, attempt)
            : confirmFault(attempt));
          if (judged !== undefined) tally.check(judged.finding);
        }),
      );
      return tally.verdict('the market moved between every two replies, or gave no plan');
    },
  };
}

/** A relation of a request to itself is about replies that differ now and then. */
function isOwnRepeat(one: Query, other: Query): boolean {
  return one === other;
}

/** Wrong once between two equal replies is enough; else two plans may come in turn. */
async function judgeRepeat(
  session: Session,
  query: Query,
  attempt: () => ReturnType<typeof compare>,
): ReturnType<typeof compare> {
  const bracketed = await attempt();
  if (bracketed?.finding !== undefined) return bracketed;
  return (await findAlternation(session, query)) ?? bracketed;
}

async function compare(
  session: Session,
  one: Query,
  other: Query,
  difference: string,
): Promise<{ readonly finding: Finding | undefined } | undefined> {
  const pair = await bracket(session, one, () => other);
  if (pair === undefined) return undefined;
  const [expected, actual] = [planKey(pair.first), planKey(pair.second)];
  if (expected === actual) return { finding: undefined };
  const isPlan = replyOf(pair.second)?.status === 200;
  return {
    finding: {
      expected: `the same plan ${difference}: ${firstDifference(expected, actual)}`,
      actual: isPlan
        ? `another plan: ${firstDifference(actual, expected)}`
        : statusWords(pair.second),
      exchange: pair.second,
    },
  };
}

function firstDifference(one: string | undefined, other: string | undefined): string {
  const lines = new Set((other ?? '').split('\n'));
  return (one ?? 'no plan').split('\n').find((line) => !lines.has(line)) ?? 'fewer routes';
}

/** Exact input and exact output take turns over trades of all chains. */
function plainQueries({ facts }: Session): readonly Query[] {
  return spread(tradesOf(facts), RELATION_TRADES).map((trade, index) =>
    index % 2 === 0 ? exactInput(trade) : exactOutput(trade),
  );
}

function calldataQueries({ facts }: Session): readonly Query[] {
  return spread(calldataTradesOf(facts), RELATION_TRADES).map((trade, index) =>
    withCalldata(index % 2 === 0 ? exactInput(trade) : exactOutput(trade), trade.router),
  );
}

const noPlan = 'no pair was answered with a plan';
const noCalldata = 'no router of this service gives calldata';

function defaultRule(name: string, value: string): ProbeRule {
  const slugs: Readonly<Record<string, string>> = {
    useRfq: 'rfq',
    router: 'router',
    includeCalldata: 'calldata',
  };
  return samePlanRule(
    {
      id: `relation/default-${slugs[name]}`,
      clause: `4.1 ${name}`,
      level: 'must',
      title: `\`${name}\` left out means \`${name}=${value}\``,
    },
    `with and without \`${name}=${value}\``,
    (session) =>
      plainQueries(session).map((query) => [query, setParameter(query, name, [value])] as const),
    noPlan,
  );
}

function leftAloneRule(
  id: string,
  clause: string,
  title: string,
  difference: string,
  change: (query: Query) => Query,
): ProbeRule {
  return samePlanRule(
    { id, clause, level: 'should', title },
    difference,
    (session) => calldataQueries(session).map((query) => [query, change(query)] as const),
    noCalldata,
  );
}

const [zeroAlias, otherAlias] = NATIVE_ALIASES;

/** "For the native token use either [...] or [...]": both name one token. */
const aliases = samePlanRule(
  {
    id: 'relation/native-aliases',
    clause: '4.1 native token',
    level: 'must',
    title: 'both spellings of the native token give one plan',
  },
  'by both spellings of native',
  ({ facts }) =>
    spread(
      tradesOf(facts).filter(({ pair }) => pair.sell.native || pair.buy.native),
      RELATION_TRADES,
    ).map((trade, index): Twins => {
      const query = index % 2 === 0 ? exactInput(trade) : exactOutput(trade);
      const name = trade.pair.sell.native ? 'sellToken' : 'buyToken';
      return [setParameter(query, name, [zeroAlias]), setParameter(query, name, [otherAlias])];
    }),
  'no pair with the native token was answered with a plan',
);

/** Hex has no letter case but for checksums, and a checksum is no part of an address. */
const letterCase = samePlanRule(
  {
    id: 'relation/letter-case',
    clause: '4.1 sellToken',
    level: 'should',
    title: 'the letter case of a hex address does not matter',
  },
  'in any letter case',
  (session) =>
    plainQueries(session)
      .filter((query) => query.every(([name, value]) => !/Token$/.test(name) || /^0x/.test(value)))
      .map((query, index): Twins => {
        const recase = (value: string) =>
          index % 2 === 0 ? value.toLowerCase() : `0x${value.slice(2).toUpperCase()}`;
        return [
          query,
          query.map(
            ([name, value]) => [name, /Token$/.test(name) ? recase(value) : value] as const,
          ),
        ];
      }),
  noPlan,
);

const parameterOrder = samePlanRule(
  {
    id: 'relation/parameter-order',
    clause: '4 get',
    level: 'should',
    title: 'the order of parameters does not matter',
  },
  'in any order',
  (session) => plainQueries(session).map((query) => [query, [...query].reverse()] as const),
  noPlan,
);

const repeats = samePlanRule(
  {
    id: 'relation/repeats',
    clause: '1.5 read only',
    level: 'should',
    title: 'a request repeated gives the same plan, while the market holds still',
  },
  'when asked again',
  (session) => plainQueries(session).map((query) => [query, query] as const),
  noPlan,
);

/** "The plan format is independent of any router contract", and calldata encodes it. */
const calldataLeavesPlan = leftAloneRule(
  'relation/calldata-leaves-plan',
  '1.3 calldata',
  'asking for calldata leaves the plan alone',
  'with and without calldata',
  (query) =>
    ['includeCalldata', 'userAddress', 'slippageTolerance'].reduce(
      (rest, name) => setParameter(rest, name, []),
      query,
    ),
);

/** @see Specification 4.1: requests that mean one thing */
export const samePlanRules: readonly ProbeRule[] = [
  aliases,
  defaultRule('useRfq', 'false'),
  defaultRule('router', 'default-router'),
  defaultRule('includeCalldata', 'false'),
  calldataLeavesPlan,
  leftAloneRule(
    'relation/slippage-leaves-plan',
    '4.1 slippageTolerance',
    '`slippageTolerance` leaves the plan alone',
    'at any tolerance',
    (query) => setParameter(query, 'slippageTolerance', ['0.5']),
  ),
  leftAloneRule(
    'relation/recipient-leaves-plan',
    '4.1 recipientAddress',
    '`recipientAddress` leaves the plan alone',
    'for any recipient',
    (query) => setParameter(query, 'recipientAddress', [RECIPIENT_ADDRESS]),
  ),
  leftAloneRule(
    'relation/user-leaves-plan',
    '4.1 userAddress',
    '`userAddress` leaves the plan alone',
    'for any user',
    (query) => setParameter(query, 'userAddress', [USER_ADDRESS.replace('01', '77')]),
  ),
  letterCase,
  parameterOrder,
  repeats,
];
