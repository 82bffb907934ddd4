import { isPoolIdentifier, isZeroAddress } from '../checks/hex.ts';
import { isObject, successObject } from '../checks/reply-body.ts';
import { RouteSchema } from '../contract/resources.ts';
import type { ReplyRule, Rule } from '../model/rule.ts';
import { quote, quoteAll, verdictOf } from '../rule-kit/faults.ts';
import { fieldRules } from '../rule-kit/field-rules.ts';
import { isHexChain, planOf } from '../rule-kit/plan-of-reply.ts';
import { placesIn } from '../rule-kit/reply-objects.ts';
import {
  askedFor,
  chainAskedFor,
  requestIsKnown,
  routerOf,
} from '../rule-kit/request-parameters.ts';
import { judgeSettlements, unless } from '../rule-kit/settlement-rule.ts';

const identity = { kind: 'reply', endpoint: 'swap' } as const;
const routes = placesIn('routes');

/** "Tokens swapped from", "Tokens swapped to": a swap has both. */
const routesHaveTwoEnds: ReplyRule = {
  ...identity,
  id: 'route/two-ends',
  clause: '2.4 fromTokens',
  level: 'must',
  title: 'every route swaps from at least one token to at least one',
  judge: ({ reply }) => {
    const view = planOf(reply);
    if (view === undefined || view.plan.routes.length === 0) return undefined;
    return verdictOf(
      view.graph.openEnded.map((pointer) => ({
        expected: 'at least one token in `fromTokens` and one in `toTokens`',
        actual: 'none at one end',
        pointer,
      })),
    );
  },
};

/** Pools of singleton contracts are known by 32-byte ids, so those pass too. */
const poolsAreHex: ReplyRule = {
  ...identity,
  id: 'route/address-hex',
  clause: '2.4 address',
  level: 'should',
  title: 'pool addresses are 20 bytes of hex (or a 32-byte pool id) on chains of such addresses',
  judge: (input) => {
    const places = routes(input.reply);
    if (places.length === 0 || !isHexChain(input)) return undefined;
    return verdictOf(
      places.flatMap(({ pointer, object }) => {
        const address = object['address'];
        return typeof address !== 'string' || isPoolIdentifier(address)
          ? []
          : [
              {
                expected: '`0x` and 40 hex digits, or 64',
                actual: quote(address),
                pointer: `${pointer}/address`,
              },
            ];
      }),
    );
  },
};

/** "Address of the liquidity pool": no pool is at zero. A market maker need not be a pool. */
const poolsAreSomewhere: ReplyRule = {
  ...identity,
  id: 'route/address-of-a-pool',
  clause: '2.4 address',
  level: 'should',
  title: 'no pool has the zero address',
  needs: 'a plan without RFQ liquidity',
  judge: ({ reply, exchange }) => {
    const useRfq = askedFor(exchange, 'useRfq') ?? 'false';
    const places = routes(reply);
    if (!requestIsKnown(exchange) || useRfq !== 'false' || places.length === 0) return undefined;
    return verdictOf(
      places
        .filter(({ object }) => isZeroAddress(String(object['address'])))
        .map(({ pointer, object }) => ({
          expected: 'the address of a pool',
          actual: quote(object['address']),
          pointer: `${pointer}/address`,
        })),
    );
  },
};

/**
 * "Name of the liquidity source", and 2.9: "Liquidity sources supported by this
 * router". Market makers of RFQ liquidity need not be listed there, so plans
 * that may use them are not judged.
 */
const sourcesAreSupported: ReplyRule = {
  ...identity,
  id: 'route/name-among-sources',
  clause: '2.9 liquiditySources',
  level: 'must',
  title: 'the name of every route is among the liquidity sources of the router',
  needs: 'a plan without RFQ liquidity, for a router that /chainInfo lists',
  judge: ({ reply, exchange, facts }) => {
    const useRfq = askedFor(exchange, 'useRfq') ?? 'false';
    const router = routerOf(facts, chainAskedFor(exchange), successObject(reply)?.['router']);
    const places = routes(reply);
    if (!requestIsKnown(exchange) || useRfq !== 'false' || router === undefined) return undefined;
    if (places.length === 0) return undefined;
    const sources = new Set<unknown>(router.liquiditySources);
    return verdictOf(
      places
        .filter(({ object }) => typeof object['name'] === 'string' && !sources.has(object['name']))
        .map(({ pointer, object }) => ({
          expected: `one of the \`liquiditySources\` of ${router.name}: ${quoteAll(router.liquiditySources)}`,
          actual: quote(object['name']),
          pointer: `${pointer}/name`,
        })),
    );
  },
};

/** "Keys inside `details` for each liquidity source: not shown". */
const detailsSeen: ReplyRule = {
  ...identity,
  id: 'route/details-observed',
  clause: '2.4 keys of details',
  level: 'observe',
  title: 'which keys `details` has',
  judge: ({ reply }) => {
    const places = routes(reply);
    if (places.length === 0) return undefined;
    const seen = new Set<string>();
    for (const { object } of places) {
      const { name, details } = object;
      const keys = isObject(details) ? Object.keys(details).sort() : [];
      seen.add(`${quote(name)}: ${keys.length === 0 ? 'none' : quoteAll(keys.slice(0, 8))}`);
    }
    return { findings: [], observed: [...seen].sort().slice(0, 8).join('; ') };
  },
};

/** "Address of the liquidity pool": who encodes the plan calls it. */
const poolsAreContracts = judgeSettlements({
  id: 'execution/pools-are-contracts',
  clause: '2.4 address',
  level: 'should',
  title: 'the address of every pool is that of a contract on this chain',
  needs: 'a plan with calldata',
  judge: ({ poolsWithoutCode }) => {
    const [pool] = poolsWithoutCode;
    return unless(
      pool === undefined,
      'a contract at the address of every pool',
      `no code at ${quote(pool)}`,
    );
  },
});

/** @see Specification 2.4 */
export const routeRules: readonly Rule[] = [
  ...fieldRules({
    section: '2.4',
    slug: 'route',
    schema: RouteSchema,
    endpoint: 'swap',
    places: routes,
  }),
  routesHaveTwoEnds,
  poolsAreHex,
  poolsAreSomewhere,
  sourcesAreSupported,
  detailsSeen,
  poolsAreContracts,
];
