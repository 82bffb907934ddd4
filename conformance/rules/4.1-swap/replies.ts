import { isDecimal, parseAmount } from '../../checks/amounts.ts';
import { sameAddress } from '../../checks/hex.ts';
import { successObject } from '../../checks/reply-body.ts';
import { ROUTER_NAMES } from '../../contract/resources.ts';
import type { JudgedReply, ReplyRule } from '../../model/rule.ts';
import { type Fault, quote, verdictOf, verdictUnless } from '../../rule-kit/faults.ts';
import { planOf, tokenAt } from '../../rule-kit/plan-of-reply.ts';
import {
  askedFor,
  chainAskedFor,
  isNative,
  requestIsKnown,
  wasGiven,
} from '../../rule-kit/request-parameters.ts';

const identity = { kind: 'reply', endpoint: 'swap' } as const;
const CALLDATA_FIELDS = ['routerAddress', 'calldata', 'gasLimit'] as const;

/** "exact-input swap": what is sold is what was asked, to the base unit. */
const sellsWhatWasAsked: ReplyRule = {
  ...identity,
  id: 'swap/sell-amount-echoed',
  clause: '4.1 sellAmount',
  level: 'must',
  title: 'exact input: `sell.amount` is the `sellAmount` asked for',
  judge: ({ reply, exchange }) => {
    const asked = amountAskedFor(exchange, 'sellAmount', 'buyAmount');
    const sold = planOf(reply)?.plan.sell.amount;
    if (asked === undefined || sold === undefined) return undefined;
    return verdictUnless(
      sold === asked
        ? undefined
        : { expected: `${asked}, as asked for`, actual: `${sold}`, pointer: '/sell/amount' },
    );
  },
};

/** "exact-output swap": buying less than was asked is no such swap. */
const buysNoLess: ReplyRule = {
  ...identity,
  id: 'swap/buy-amount-reached',
  clause: '4.1 buyAmount',
  level: 'must',
  title: 'exact output: `buy.amount` is not below the `buyAmount` asked for',
  judge: ({ reply, exchange }) => {
    const asked = amountAskedFor(exchange, 'buyAmount', 'sellAmount');
    const bought = planOf(reply)?.plan.buy.amount;
    if (asked === undefined || bought === undefined) return undefined;
    return verdictUnless(
      bought >= asked
        ? undefined
        : { expected: `${asked}, as asked for`, actual: `${bought}`, pointer: '/buy/amount' },
    );
  },
};

/** Whether rounding may give a little more is not said, hence a should. */
const buysNoMore: ReplyRule = {
  ...identity,
  id: 'swap/buy-amount-echoed',
  clause: '4.1 buyAmount',
  level: 'should',
  title: 'exact output: `buy.amount` is the `buyAmount` asked for, and no more',
  judge: ({ reply, exchange }) => {
    const asked = amountAskedFor(exchange, 'buyAmount', 'sellAmount');
    const bought = planOf(reply)?.plan.buy.amount;
    if (asked === undefined || bought === undefined) return undefined;
    return verdictUnless(
      bought <= asked
        ? undefined
        : { expected: `${asked}, as asked for`, actual: `${bought}`, pointer: '/buy/amount' },
    );
  },
};

/** A lenient service may read `007` as 7; it is the number that is asked for. */
function amountAskedFor(
  exchange: JudgedReply['exchange'],
  name: 'sellAmount' | 'buyAmount',
  other: 'sellAmount' | 'buyAmount',
): bigint | undefined {
  const text = askedFor(exchange, name);
  if (text === undefined || wasGiven(exchange, other) || !isDecimal(text)) return undefined;
  return parseAmount(text);
}

/** Native may stand in a plan by either of its spellings, or as its wrapped token. */
function tokenEchoRule(side: 'sell' | 'buy'): ReplyRule {
  const parameter = side === 'sell' ? 'sellToken' : 'buyToken';
  return {
    ...identity,
    id: `swap/${side}-token-echoed`,
    clause: `4.1 ${parameter}`,
    level: 'must',
    title: `\`${side}\` is the \`${parameter}\` asked for, or its wrapped token for the native one`,
    judge: ({ reply, exchange, facts }) => {
      const asked = askedFor(exchange, parameter);
      const plan = planOf(reply)?.plan;
      if (asked === undefined || plan === undefined) return undefined;
      const address = tokenAt(reply, plan[side].referenceId)?.address;
      if (address === undefined) return undefined;
      const info = facts?.chainInfo.get(chainAskedFor(exchange) ?? Number.NaN);
      if (isNative(asked) && info === undefined) return undefined;
      const isRight =
        sameAddress(address, asked) ||
        (isNative(asked) &&
          (isNative(address) || sameAddress(address, info?.wrappedNativeTokenAddress ?? '')));
      const expected = isNative(asked)
        ? `the native token or ${quote(info?.wrappedNativeTokenAddress)}, its wrapped token`
        : `${quote(asked)}, as asked for`;
      return verdictUnless(
        isRight ? undefined : { expected, actual: quote(address), pointer: `/${side}/referenceId` },
      );
    },
  };
}

const routerIsEchoed: ReplyRule = {
  ...identity,
  id: 'swap/router-echoed',
  clause: '4.1 router',
  level: 'must',
  title: '`router` is the router asked for',
  needs: 'a plan whose router was asked for by name',
  judge: ({ reply, exchange }) => {
    const asked = askedFor(exchange, 'router');
    if (!ROUTER_NAMES.some((name) => name === asked)) return undefined;
    return judgeRouter(reply, asked ?? '', 'as asked for');
  },
};

/** The Default column. */
const routerDefaults: ReplyRule = {
  ...identity,
  id: 'swap/router-default',
  clause: '4.1 router',
  level: 'must',
  title: '`router` is default-router where none was asked for',
  needs: 'a plan whose router was not asked for by name',
  judge: ({ reply, exchange }) =>
    requestIsKnown(exchange) && !wasGiven(exchange, 'router')
      ? judgeRouter(reply, 'default-router', 'the default')
      : undefined,
};

function judgeRouter(reply: JudgedReply['reply'], router: string, why: string) {
  const used = successObject(reply)?.['router'];
  if (typeof used !== 'string') return undefined;
  return verdictUnless(
    used === router
      ? undefined
      : { expected: `${router}, ${why}`, actual: quote(used), pointer: '/router' },
  );
}

const noCalldataUnasked: ReplyRule = {
  ...identity,
  id: 'swap/no-calldata-unasked',
  clause: '4.1 rule 3',
  level: 'must',
  title: 'without `includeCalldata` there is no `routerAddress`, `calldata` or `gasLimit`',
  needs: 'a plan asked for without calldata',
  judge: ({ reply, exchange }) => {
    const body = successObject(reply);
    if (!requestIsKnown(exchange) || body === undefined) return undefined;
    const asked = askedFor(exchange, 'includeCalldata');
    if (wasGiven(exchange, 'includeCalldata') && asked !== 'false') return undefined;
    return verdictOf(
      CALLDATA_FIELDS.filter((field) => field in body).map((field) => ({
        expected: `no \`${field}\`: calldata was not asked for`,
        actual: quote(body[field]),
        pointer: `/${field}`,
      })),
    );
  },
};

const calldataAsAsked: ReplyRule = {
  ...identity,
  id: 'swap/calldata-as-asked',
  clause: '4.1 rule 4',
  level: 'must',
  title: 'with `includeCalldata=true` there are `routerAddress`, `calldata` and `gasLimit`',
  needs: 'a plan asked for with calldata',
  judge: ({ reply, exchange }) => {
    const body = successObject(reply);
    if (askedFor(exchange, 'includeCalldata') !== 'true' || body === undefined) return undefined;
    return verdictOf(missingFields(body));
  },
};

/** "The response also carries the router contract address and an estimated gas limit". */
const calldataIsComplete: ReplyRule = {
  ...identity,
  id: 'swap/calldata-complete',
  clause: '1.3 calldata',
  level: 'must',
  title: '`calldata` comes with `routerAddress` and `gasLimit`',
  needs: 'a plan with calldata',
  judge: ({ reply }) => {
    const body = successObject(reply);
    if (body === undefined || !('calldata' in body)) return undefined;
    return verdictOf(missingFields(body));
  },
};

function missingFields(body: Readonly<Record<string, unknown>>): readonly Fault[] {
  return CALLDATA_FIELDS.filter((field) => !(field in body)).map((field) => ({
    expected: `\`${field}\` beside calldata`,
    actual: 'it is missing',
    pointer: '',
  }));
}

/**
 * A trade so small that it moves no price gives about what it takes. Above ten
 * USD a tiny pool may take its share; a gain is never the market's doing.
 */
const valuesAreOfOneOrder: ReplyRule = {
  ...identity,
  id: 'swap/usd-values-agree',
  clause: '2.3 usdPrice',
  level: 'should',
  title: 'the USD values of the two sides are of one order',
  needs: 'a plan with priced sides of a thousand base units or more',
  judge: ({ reply }) => {
    const plan = planOf(reply)?.plan;
    if (plan === undefined || plan.sell.amount < 1_000n || plan.buy.amount < 1_000n) {
      return undefined;
    }
    const [sold, bought] = [plan.sell, plan.buy].map(({ referenceId, amount }) => {
      const token = tokenAt(reply, referenceId);
      const { usdPrice, fields: { decimals } = {} } = token ?? {};
      if (usdPrice === undefined || usdPrice <= 0 || typeof decimals !== 'number') return undefined;
      return (Number(amount) / 10 ** decimals) * usdPrice;
    });
    if (sold === undefined || bought === undefined) return undefined;
    const isLoss = sold >= 0.01 && sold <= 10 && bought * 10 < sold;
    const isGain = bought > sold * 10;
    return verdictUnless(
      isLoss || isGain
        ? {
            expected: `about ${sold.toPrecision(4)} USD on both sides, within a factor of ten`,
            actual: `${bought.toPrecision(4)} USD bought`,
            pointer: '/buy/amount',
          }
        : undefined,
    );
  },
};

/** @see Specification 4.1 */
export const swapReplyRules: readonly ReplyRule[] = [
  sellsWhatWasAsked,
  buysNoLess,
  buysNoMore,
  tokenEchoRule('sell'),
  tokenEchoRule('buy'),
  routerIsEchoed,
  routerDefaults,
  noCalldataUnasked,
  calldataAsAsked,
  calldataIsComplete,
  valuesAreOfOneOrder,
];
