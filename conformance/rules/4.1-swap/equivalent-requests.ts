import { isHexAddress } from '../../checks/hex.ts';
import type { Query } from '../../client/request.ts';
import { KEY_PLACEHOLDER } from '../../client/request.ts';
import { PATHS } from '../../contract/paths.ts';
import { NATIVE_ALIASES } from '../../contract/resources.ts';
import { RELATION_TRADES } from '../../generate/budget.ts';
import { calldataFormsOf, inForm, PLAIN_FORMS, spreadInForms } from '../../generate/forms.ts';
import {
  RECIPIENT_ADDRESS,
  setParameter,
  type Trade,
  tradesOf,
  USER_ADDRESS,
} from '../../generate/trades.ts';
import { percentEncode } from '../../generate/variation.ts';
import type { ProbeRule } from '../../model/rule.ts';
import type { Session } from '../../model/session.ts';
import { samePlanRule, type Twins } from '../../rule-kit/same-plan-rule.ts';

/** Exact input and exact output take turns over trades of each chain. */
function plainQueries(
  { facts }: Session,
  isWanted: (trade: Trade) => boolean = () => true,
): readonly Query[] {
  const trades = tradesOf(facts).filter(isWanted);
  return spreadInForms(trades, RELATION_TRADES, () => PLAIN_FORMS).map(([trade, form]) =>
    inForm(trade, form),
  );
}

function calldataQueries({ facts }: Session): readonly Query[] {
  return spreadInForms(tradesOf(facts), RELATION_TRADES, calldataFormsOf).map(([trade, form]) =>
    inForm(trade, form),
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
      plainQueries(session)
        .filter((query) => query.every(([each]) => each !== name))
        .map((query) => [query, setParameter(query, name, [value])] as const),
    `no pair was answered with a plan where \`${name}\` was left out`,
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
/** With its checksum, as wallets and other services write it. */
const OTHER_ALIAS_CHECKSUMMED = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE';

/** Native by zeros, as discovery found it. */
function nativeQueries(session: Session): readonly Query[] {
  return plainQueries(session, ({ pair }) => pair.sell.native || pair.buy.native);
}

function spellNative(query: Query, spell: () => string): Query {
  return query.map(([name, value]) => [name, value === zeroAlias ? spell() : value] as const);
}

/** "For the native token use either [...] or [...]": both name one token. */
const aliases = samePlanRule(
  {
    id: 'relation/native-aliases',
    clause: '4.1 native token',
    level: 'must',
    title: 'both spellings of the native token give one plan',
  },
  'by both spellings of native',
  (session) =>
    nativeQueries(session).map(
      (query): Twins => [query, spellNative(query, () => otherAlias)] as const,
    ),
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
  (session) => [
    ...plainQueries(session)
      .filter((query) =>
        query.every(([name, value]) => !/Token$/.test(name) || isHexAddress(value)),
      )
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
    ...nativeQueries(session).map(
      (query): Twins => [
        spellNative(query, () => otherAlias),
        spellNative(query, () => OTHER_ALIAS_CHECKSUMMED),
      ],
    ),
  ],
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
  (session) =>
    plainQueries(session).map((query): Twins => {
      const reversed = [...query, ['apiKey', KEY_PLACEHOLDER] as const].reverse();
      return [query, { path: PATHS.swap, query: reversed, key: 'as-written' }];
    }),
  noPlan,
);

/** RFC 3986, 6.2.2.2: what need not be percent-encoded means the same when it is. */
const percentEncoding = samePlanRule(
  {
    id: 'relation/percent-encoding',
    clause: '4 get',
    level: 'should',
    title: 'values mean the same percent-encoded',
  },
  'percent-encoded',
  (session) =>
    plainQueries(session).map(
      (query): Twins => [query, { path: PATHS.swap, query: percentEncode(query, 1) }],
    ),
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
  percentEncoding,
  repeats,
];
