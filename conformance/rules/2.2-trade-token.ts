import { sameAddress } from '../checks/hex.ts';
import { findDanglingIds } from '../checks/references.ts';
import { isObject, successObject } from '../checks/reply-body.ts';
import { TradeTokenSchema } from '../contract/resources.ts';
import type { JudgedReply, ReplyRule, ReplyVerdict } from '../model/rule.ts';
import { type Fault, quote, verdictOf } from '../rule-kit/faults.ts';
import { fieldRules } from '../rule-kit/field-rules.ts';
import { planOf, tokenAt } from '../rule-kit/plan-of-reply.ts';
import { placesAt } from '../rule-kit/reply-objects.ts';
import { askedFor, chainAskedFor, isNative } from '../rule-kit/request-parameters.ts';

const identity = { kind: 'reply', endpoint: 'swap' } as const;

const sidesAreListed: ReplyRule = {
  ...identity,
  id: 'trade-token/reference-resolves',
  clause: '2.2 referenceId',
  level: 'must',
  title: '`sell` and `buy` refer to entries of `tokens`',
  judge: ({ reply }) => {
    const view = planOf(reply);
    if (view === undefined) return undefined;
    return verdictOf(
      findDanglingIds(view.plan).ends.map(({ referenceId, pointer }) => ({
        expected: '`referenceId` of an entry of `tokens`',
        actual: `${referenceId}, which no entry has`,
        pointer,
      })),
    );
  },
};

type Side = {
  readonly name: 'sell' | 'buy';
  readonly parameter: 'sellToken' | 'buyToken';
  readonly flag: 'wrapFromNative' | 'unwrapToNative';
};

const sides: readonly Side[] = [
  { name: 'sell', parameter: 'sellToken', flag: 'wrapFromNative' },
  { name: 'buy', parameter: 'buyToken', flag: 'unwrapToNative' },
];

/** "Present when the sell token is the native token and needs wrapping (on `sell`)". */
const flagsAreOnNativeSides: ReplyRule = {
  ...identity,
  id: 'trade-token/flags-on-native-sides',
  clause: '4.1 rule 5',
  level: 'must',
  title: '`wrapFromNative` and `unwrapToNative` are true only where the native token was asked for',
  judge: (input) => {
    const body = successObject(input.reply);
    if (body === undefined) return undefined;
    const verdicts = sides.flatMap((side) => {
      const trade = body[side.name];
      if (!isObject(trade)) return [];
      const asked = askedFor(input.exchange, side.parameter);
      return [
        ...(asked === undefined || isNative(asked)
          ? []
          : [faultOfFlag(side.name, trade, side.flag, asked)]),
        faultOfFlag(side.name, trade, otherFlag(side.flag), undefined),
      ];
    });
    if (verdicts.length === 0) return undefined;
    return verdictOf(verdicts.filter((fault) => fault !== undefined));
  },
};

function otherFlag(flag: Side['flag']): Side['flag'] {
  return flag === 'wrapFromNative' ? 'unwrapToNative' : 'wrapFromNative';
}

function faultOfFlag(
  name: Side['name'],
  trade: Readonly<Record<string, unknown>>,
  flag: Side['flag'],
  asked: string | undefined,
): Fault | undefined {
  if (trade[flag] !== true) return undefined;
  return {
    expected:
      asked === undefined
        ? `\`${flag}\` stands only on \`${flag === 'wrapFromNative' ? 'sell' : 'buy'}\``
        : `no \`${flag}\`, since the native token was not asked for: ${quote(asked)}`,
    actual: `\`${name}.${flag}\` is true`,
    pointer: `/${name}/${flag}`,
  };
}

/** The statement of 2.2 is firmer than "may appear" in 4.1 rule 5: hence a should. */
const nativeSidesAreFlagged: ReplyRule = {
  ...identity,
  id: 'trade-token/native-sides-flagged',
  clause: '2.2 wrapFromNative',
  level: 'should',
  title:
    'a native side whose plan trades the wrapped token says that it needs wrapping or unwrapping',
  needs: 'a plan with a native side that trades its wrapped token',
  judge: (input) => {
    const body = successObject(input.reply);
    if (body === undefined) return undefined;
    const judged = sides.filter((side) => tradesWrapped(input, side));
    if (judged.length === 0) return undefined;
    return verdictOf(
      judged.flatMap(({ name, flag }) => {
        const trade = body[name];
        return isObject(trade) && trade[flag] === true
          ? []
          : [
              {
                expected: `\`${name}.${flag}\` is true: native was asked for, and the plan trades its wrapped token`,
                actual: isObject(trade) ? quote(trade[flag]) : 'nothing',
                pointer: `/${name}`,
              },
            ];
      }),
    );
  },
};

function tradesWrapped({ exchange, reply, facts }: JudgedReply, side: Side): boolean {
  const asked = askedFor(exchange, side.parameter);
  const chainId = chainAskedFor(exchange);
  const plan = planOf(reply)?.plan;
  if (asked === undefined || !isNative(asked) || chainId === undefined || plan === undefined) {
    return false;
  }
  const wrapped = facts?.chainInfo.get(chainId)?.wrappedNativeTokenAddress;
  const address = tokenAt(reply, plan[side.name].referenceId)?.address;
  return wrapped !== undefined && address !== undefined && sameAddress(address, wrapped);
}

/** 4.1 rule 5 leaves the flags open ("may appear"); this records what the service does. */
const flagsSeen: ReplyRule = {
  ...identity,
  id: 'trade-token/flags-observed',
  clause: '2.2 unwrapToNative',
  level: 'observe',
  title: 'whether wrap flags appear as false',
  judge: ({ reply }): ReplyVerdict | undefined => {
    const body = successObject(reply);
    if (body === undefined) return undefined;
    const asFalse = sides.some(({ name, flag }) => {
      const trade = body[name];
      return isObject(trade) && trade[flag] === false;
    });
    return {
      findings: [],
      observed: asFalse ? 'wrap flags appear as false' : 'no wrap flag is false',
    };
  },
};

/** @see Specification 2.2 */
export const tradeTokenRules: readonly ReplyRule[] = [
  ...fieldRules({
    section: '2.2',
    slug: 'trade-token',
    schema: TradeTokenSchema,
    endpoint: 'swap',
    places: placesAt('sell', 'buy'),
  }),
  sidesAreListed,
  flagsAreOnNativeSides,
  nativeSidesAreFlagged,
  flagsSeen,
];
