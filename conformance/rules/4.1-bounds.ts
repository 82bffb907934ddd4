import type { RouterName } from '../contract/resources.ts';
import { BOUND_TRADES } from '../generate/budget.ts';
import { TOLERANCES } from '../generate/parameters.ts';
import {
  calldataTradesOf,
  exactInput,
  exactOutput,
  type Query,
  RECIPIENT_ADDRESS,
  setParameter,
  swapTarget,
  tradesOf,
  withCalldata,
} from '../generate/trades.ts';
import type { Session } from '../runner/session.ts';
import { createTally, replyOf, statusWords } from './probing.ts';
import type { ProbeRule } from './rule.ts';

/** A request that differs from one answered with 200 by a valid value alone. */
type Variant = { readonly what: string; readonly whole: Query; readonly varied: Query };

/**
 * Returns a rule that sends each request whole, then varied, then whole again:
 * where both wholes were answered with 200, the varied one is too. A market that
 * moved away from the trade in the meantime is thus not held against the value.
 */
function acceptedRule(
  identity: Pick<ProbeRule, 'id' | 'clause' | 'level' | 'title'>,
  variantsOf: (session: Session) => readonly Variant[],
  whyNot: string,
): ProbeRule {
  return {
    kind: 'probe',
    ...identity,
    run: async (session) => {
      const variants = variantsOf(session);
      if (variants.length === 0) return { kind: 'not-applicable', why: whyNot };
      const tally = createTally();
      await Promise.all(
        variants.map(async ({ what, whole, varied }) => {
          const before = await session.get(swapTarget(whole));
          const exchange = await session.get(swapTarget(varied));
          if (replyOf(before)?.status !== 200 || replyOf(exchange) === undefined) return;
          if (replyOf(exchange)?.status === 200) return tally.check(undefined);
          const after = await session.get(swapTarget(whole));
          if (replyOf(after)?.status !== 200) return;
          tally.check({
            expected: `200 for ${what}, as for the same request without it`,
            actual: statusWords(exchange),
            exchange,
          });
        }),
      );
      return tally.verdict('no request was answered with 200 twice');
    },
  };
}

function plainVariants(
  session: Session,
  values: readonly (readonly [name: string, value: string])[],
): readonly Variant[] {
  return tradesOf(session.facts)
    .slice(0, BOUND_TRADES)
    .flatMap((trade) =>
      values.map(([name, value]) => {
        const whole = exactInput(trade);
        return { what: `\`${name}=${value}\``, whole, varied: setParameter(whole, name, [value]) };
      }),
    );
}

function calldataVariants(
  session: Session,
  values: readonly (readonly [name: string, value: string])[],
): readonly Variant[] {
  return calldataTradesOf(session.facts)
    .slice(0, BOUND_TRADES)
    .flatMap((trade) =>
      values.map(([name, value]) => {
        const whole = withCalldata(exactInput(trade), trade.router);
        return { what: `\`${name}=${value}\``, whole, varied: setParameter(whole, name, [value]) };
      }),
    );
}

/** "0 to 1 inclusive, in steps of 0.0001": 0.0003 is a multiple, whatever the float says. */
const tolerancesAreAccepted = acceptedRule(
  {
    id: 'swap/slippage-bounds',
    clause: '8 slippageTolerance',
    level: 'must',
    title: '`slippageTolerance` of 0, 1 and any step between is accepted',
  },
  (session) =>
    calldataVariants(
      session,
      TOLERANCES.map((value) => ['slippageTolerance', value]),
    ),
  'no router of this service gives calldata',
);

const flagsAreAccepted = acceptedRule(
  {
    id: 'swap/flags-accepted',
    clause: '4.1 useRfq',
    level: 'must',
    title: '`useRfq` of true and false is accepted',
  },
  (session) =>
    plainVariants(session, [
      ['useRfq', 'true'],
      ['useRfq', 'false'],
      ['includeCalldata', 'false'],
    ]),
  'no pair was answered with a plan',
);

const recipientIsAccepted = acceptedRule(
  {
    id: 'swap/recipient-accepted',
    clause: '4.1 recipientAddress',
    level: 'should',
    title: '`recipientAddress` is accepted beside calldata',
  },
  (session) => calldataVariants(session, [['recipientAddress', RECIPIENT_ADDRESS]]),
  'no router of this service gives calldata',
);

/** "Available router contracts": each of them plans, for some pair. */
const routersPlan: ProbeRule = {
  kind: 'probe',
  id: 'swap/routers-plan',
  clause: '2.8 routers',
  level: 'should',
  title: 'every router that /chainInfo lists answers some pair with a plan',
  run: async ({ facts, get }) => {
    const tally = createTally();
    for (const market of facts.markets.values()) {
      const pairs = market.pairs.slice(0, BOUND_TRADES);
      for (const { name } of facts.chainInfo.get(market.chainId)?.routers ?? []) {
        const exchanges = await Promise.all(
          pairs.map((pair) => get(routerTarget(exactInput({ market, pair }), name))),
        );
        const last = exchanges.at(-1);
        if (last === undefined) continue;
        const isAnswered = exchanges.some((exchange) => replyOf(exchange)?.status === 200);
        tally.check(
          isAnswered
            ? undefined
            : {
                expected: `a plan of ${name}, which /chainInfo lists for chain ${market.chainId}`,
                actual: `${statusWords(last)} for each of ${pairs.length} pairs`,
                exchange: last,
              },
        );
      }
    }
    return tally.verdict('no pair was answered with a plan');
  },
};

/** "Whether an encoder for calldata generation is available for this router": then it encodes some plan. */
const encodersEncode: ProbeRule = {
  kind: 'probe',
  id: 'swap/encoders-encode',
  clause: '2.9 hasEncoder',
  level: 'should',
  title: 'every router whose `hasEncoder` is true answers some pair with calldata',
  run: async ({ facts, get }) => {
    const tally = createTally();
    for (const market of facts.markets.values()) {
      const pairs = market.pairs.slice(0, BOUND_TRADES);
      const routers = facts.chainInfo.get(market.chainId)?.routers ?? [];
      for (const { name } of routers.filter(({ hasEncoder }) => hasEncoder)) {
        const exchanges = await Promise.all(
          pairs.map((pair) => get(swapTarget(withCalldata(exactInput({ market, pair }), name)))),
        );
        const last = exchanges.at(-1);
        if (last === undefined) continue;
        tally.check(
          exchanges.some((exchange) => replyOf(exchange)?.status === 200)
            ? undefined
            : {
                expected: `calldata of ${name}, whose \`hasEncoder\` is true on chain ${market.chainId}`,
                actual: `${statusWords(last)} for each of ${pairs.length} pairs`,
                exchange: last,
              },
        );
      }
    }
    const hasNone = [...facts.chainInfo.values()].every((info) =>
      info.routers.every(({ hasEncoder }) => !hasEncoder),
    );
    return hasNone
      ? { kind: 'not-applicable', why: 'no router of this service has an encoder' }
      : tally.verdict('no pair was answered with a plan');
  },
};

function routerTarget(query: Query, router: RouterName) {
  return swapTarget(setParameter(query, 'router', [router]));
}

/** One base unit is a positive integer: too little for a trade perhaps, but no invalid amount. */
const smallestAmounts: ProbeRule = {
  kind: 'probe',
  id: 'swap/smallest-amounts',
  clause: '8 amounts',
  level: 'must',
  title: 'an amount of 0 is refused, and one base unit is answered with a plan or 400',
  run: async ({ facts, get }) => {
    const tally = createTally();
    const queries = tradesOf(facts)
      .slice(0, BOUND_TRADES)
      .flatMap((trade) => [
        { name: 'sellAmount', query: (amount: bigint) => exactInput(trade, amount) },
        { name: 'buyAmount', query: (amount: bigint) => exactOutput(trade, amount) },
      ]);
    await Promise.all(
      queries.map(async ({ name, query }) => {
        const [zero, one] = await Promise.all([
          get(swapTarget(query(0n))),
          get(swapTarget(query(1n))),
        ]);
        const zeroStatus = replyOf(zero)?.status;
        const oneStatus = replyOf(one)?.status;
        if (zeroStatus !== undefined) {
          tally.check(
            zeroStatus === 400
              ? undefined
              : { expected: `400 for \`${name}=0\``, actual: statusWords(zero), exchange: zero },
          );
        }
        if (oneStatus !== undefined) {
          tally.observe(`${name}=1: ${oneStatus}`);
          tally.check(
            oneStatus === 200 || oneStatus === 400
              ? undefined
              : {
                  expected: `200 or 400 for \`${name}=1\``,
                  actual: statusWords(one),
                  exchange: one,
                },
          );
        }
      }),
    );
    return tally.verdict('no pair was answered with a plan');
  },
};

/** @see Specification 4.1 and 8: valid values on both sides of each bound */
export const boundRules: readonly ProbeRule[] = [
  tolerancesAreAccepted,
  flagsAreAccepted,
  recipientIsAccepted,
  routersPlan,
  encodersEncode,
  smallestAmounts,
];
