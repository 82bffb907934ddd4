import { fitsUint256, isCanonical, isDecimal, parseAmount } from '../checks/amounts.ts';
import { memoize } from '../checks/reply-body.ts';
import type { Reply } from '../client/exchange.ts';
import type { Endpoint } from '../contract/paths.ts';
import type { Level, ReplyRule } from '../model/rule.ts';
import { quote, verdictOf } from '../rule-kit/faults.ts';
import type { Place } from '../rule-kit/field-rules.ts';
import { placesAt, placesIn, routeTokens } from '../rule-kit/reply-objects.ts';

const sides = placesAt('sell', 'buy');

const amounts = memoize((reply: Reply) =>
  [...sides(reply), ...routeTokens(reply)].flatMap(({ pointer, object }) => {
    const { amount } = object;
    return typeof amount === 'string' ? [{ pointer: `${pointer}/amount`, amount }] : [];
  }),
);

function amountRule(
  id: string,
  clause: '0 amounts' | '8 payload amounts',
  level: Level,
  title: string,
  expected: string,
  isRight: (amount: string) => boolean,
): ReplyRule {
  return {
    kind: 'reply',
    endpoint: 'swap',
    id,
    clause,
    level,
    title,
    judge: ({ reply }) => {
      const judged = amounts(reply);
      if (judged.length === 0) return undefined;
      return verdictOf(
        judged
          .filter(({ amount }) => !isRight(amount))
          .map(({ amount, pointer }) => ({ expected, actual: quote(amount), pointer })),
      );
    },
  };
}

/** "Token decimals | 0 to 18". */
function decimalsRule(
  endpoint: Endpoint,
  id: string,
  places: (reply: Reply) => readonly Place[],
): ReplyRule {
  return {
    kind: 'reply',
    endpoint,
    id,
    clause: '8 decimals',
    level: 'must',
    title: `\`decimals\` in a reply to /${endpoint} is 0 to 18`,
    judge: ({ reply }) => {
      const judged = places(reply).filter(({ object }) => typeof object['decimals'] === 'number');
      if (judged.length === 0) return undefined;
      return verdictOf(
        judged.flatMap(({ pointer, object }) => {
          const decimals = Number(object['decimals']);
          return decimals >= 0 && decimals <= 18
            ? []
            : [{ expected: '0 to 18', actual: quote(decimals), pointer: `${pointer}/decimals` }];
        }),
      );
    },
  };
}

/** @see Specification 8 */
export const limitRules: readonly ReplyRule[] = [
  decimalsRule('swap', 'limits/plan-decimals', placesIn('tokens')),
  decimalsRule('tokens', 'limits/listed-decimals', placesIn()),
  amountRule(
    'limits/amounts-decimal',
    '8 payload amounts',
    'must',
    'amounts are decimal strings in base units',
    'decimal digits and nothing else',
    isDecimal,
  ),
  amountRule(
    'limits/amounts-canonical',
    '0 amounts',
    'should',
    'amounts have no leading zeros',
    'a decimal integer without leading zeros',
    (amount) => !isDecimal(amount) || isCanonical(amount),
  ),
  amountRule(
    'limits/amounts-fit-uint256',
    '8 payload amounts',
    'should',
    'amounts fit the 256 bits that token contracts count in',
    'less than 2^256',
    (amount) => !isDecimal(amount) || fitsUint256(parseAmount(amount) ?? -1n),
  ),
];
