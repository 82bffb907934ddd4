import { statusOf } from '../../client/exchange.ts';
import type { Query } from '../../client/request.ts';
import type { RouterName } from '../../contract/resources.ts';
import { BOUND_TRADES } from '../../generate/budget.ts';
import {
  exactInput,
  exactOutput,
  setParameter,
  swapTarget,
  tradesOf,
  withCalldata,
} from '../../generate/trades.ts';
import type { ProbeRule } from '../../model/rule.ts';
import { createTally, isOwnAnswer, NO_WORD, statusWords } from '../../rule-kit/probing.ts';

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
        const isAnswered = exchanges.some((exchange) => statusOf(exchange) === 200);
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
    const hasNone = [...facts.chainInfo.values()].every(({ routers }) => routers.length === 0);
    return hasNone && facts.chainInfo.size > 0
      ? { kind: 'not-applicable', why: '/chainInfo lists no router' }
      : tally.verdict('no pair was answered with a plan');
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
    // Of other chains no wallet's address is known that could be asked for.
    const markets = [...facts.markets.values()].filter(({ addresses }) => addresses === 'evm');
    for (const market of markets) {
      const pairs = market.pairs.slice(0, BOUND_TRADES);
      const routers = facts.chainInfo.get(market.chainId)?.routers ?? [];
      for (const { name } of routers.filter(({ hasEncoder }) => hasEncoder)) {
        const exchanges = await Promise.all(
          pairs.map((pair) => get(swapTarget(withCalldata(exactInput({ market, pair }), name)))),
        );
        const last = exchanges.at(-1);
        if (last === undefined) continue;
        tally.check(
          exchanges.some((exchange) => statusOf(exchange) === 200)
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
    if (hasNone) return { kind: 'not-applicable', why: 'no router of this service has an encoder' };
    return markets.length === 0 && facts.markets.size > 0
      ? { kind: 'not-applicable', why: 'no chain with addresses of 20 bytes' }
      : tally.verdict('no pair was answered with a plan');
  },
};

function routerTarget(query: Query, router: RouterName) {
  return swapTarget(setParameter(query, 'router', [router]));
}

/**
 * One base unit is a positive integer: too little for a trade perhaps, but no
 * invalid amount. Which of its statuses a service has for trades without a plan
 * is left open; what it says to one that no pool could fill shows it.
 */
const smallestAmounts: ProbeRule = {
  kind: 'probe',
  id: 'swap/smallest-amounts',
  clause: '8 amounts',
  level: 'must',
  title:
    'an amount of 0 is refused, and one base unit is answered with a plan, or as trades without a plan are',
  run: async (session) => {
    const tally = createTally();
    const queries = tradesOf(session.facts)
      .slice(0, BOUND_TRADES)
      .flatMap((trade) => [
        {
          name: 'sellAmount',
          query: (amount: bigint) => exactInput(trade, amount),
          whole: swapTarget(exactInput(trade)),
        },
        {
          name: 'buyAmount',
          query: (amount: bigint) => exactOutput(trade, amount),
          whole: swapTarget(exactInput(trade)),
        },
      ]);
    await Promise.all(
      queries.map(async ({ name, query, whole }) => {
        const [zero, one] = await Promise.all([
          session.get(swapTarget(query(0n))),
          session.get(swapTarget(query(1n))),
        ]);
        if (await isOwnAnswer(session, zero, whole)) {
          tally.check(
            statusOf(zero) === 400
              ? undefined
              : { expected: `400 for \`${name}=0\``, actual: statusWords(zero), exchange: zero },
          );
        }
        if (await isOwnAnswer(session, one, swapTarget(query(1n << 200n)))) {
          const status = statusOf(one);
          tally.observe(`${name}=1: ${status}`);
          tally.check(
            status === 200 || status === 400
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
    return tally.verdict(queries.length === 0 ? 'no pair was answered with a plan' : NO_WORD);
  },
};

/** @see Specification 2.8, 2.9 and 8: routers that plan and encode, and the smallest amounts */
export const boundRules: readonly ProbeRule[] = [routersPlan, encodersEncode, smallestAmounts];
