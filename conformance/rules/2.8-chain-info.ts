import { addressKey } from '../checks/hex.ts';
import { ChainInfoSchema } from '../contract/resources.ts';
import { BOUND_TRADES } from '../generate/budget.ts';
import { exactInput, setParameter, swapTarget } from '../generate/trades.ts';
import type { JudgedReply, ReplyRule, Rule } from '../model/rule.ts';
import { quote } from '../rule-kit/faults.ts';
import { fieldRules } from '../rule-kit/field-rules.ts';
import { hexAddresses, onHexChain } from '../rule-kit/hex-addresses.ts';
import { chainInfoFor, knownChain, routerFor } from '../rule-kit/known-chains.ts';
import { someOfEach } from '../rule-kit/probes.ts';
import { each, when } from '../rule-kit/reply-judges.ts';
import { body, numbers, routers, strings } from '../rule-kit/reply-values.ts';
import { chainAskedFor } from '../rule-kit/request-parameters.ts';
import { NO_PLAN } from '../rule-kit/sample-queries.ts';
import { priceOf } from '../rule-kit/token-prices.ts';

const ofChainInfo = { kind: 'reply', endpoint: 'chainInfo' } as const;
const ofPlan = { kind: 'reply', endpoint: 'swap' } as const;
const keyTokens = strings(body, 'usdTokenAddress', 'wrappedNativeTokenAddress');
const isHexChain = onHexChain((input) => [
  ...keyTokens(input),
  ...strings(routers, 'deployedAddress')(input),
]);

function addressRule(
  field: 'usdTokenAddress' | 'wrappedNativeTokenAddress',
  id: string,
): ReplyRule {
  return {
    ...ofChainInfo,
    id,
    clause: `2.8 ${field}`,
    level: 'must',
    title: `\`${field}\` is 20 bytes of hex on chains of such addresses`,
    judge: hexAddresses(strings(body, field), isHexChain),
  };
}

const REPEATED = [
  'deployedAddress',
  'tokenProxyAddress',
  'hasEncoder',
  'liquiditySources',
] as const;

/** Returns what a reply says of routers that the first reply for the chain had too. */
function repeatedRouters(input: JudgedReply) {
  return routers(input).flatMap(({ pointer, value }) => {
    const router = routerFor(input, value['name']);
    return router === undefined
      ? []
      : REPEATED.map((field) => ({
          pointer: `${pointer}/${field}`,
          value: value[field],
          first: router[field],
          name: router.name,
        }));
  });
}

/** Equal for values that say the same: in any order, addresses in any letter case. */
function asText(value: unknown): string {
  if (Array.isArray(value)) return JSON.stringify([...value].sort());
  return JSON.stringify(typeof value === 'string' ? addressKey(value) : (value ?? null));
}

/** @see Specification 2.8 */
export const rules: readonly Rule[] = [
  ...fieldRules({
    section: '2.8',
    slug: 'chain-info',
    schema: ChainInfoSchema,
    endpoint: 'chainInfo',
    objects: body,
  }),
  // "Returns details of one chain": the one asked for.
  {
    ...ofChainInfo,
    id: 'chain-info/chain-asked-for',
    clause: '2.8 chainId',
    level: 'must',
    title: '`chainId` is the chain asked for',
    judge: when(
      ({ exchange }) => chainAskedFor(exchange) !== undefined,
      each(
        numbers(body, 'chainId'),
        (chainId, _, { exchange }) => chainId === chainAskedFor(exchange),
        (_, { exchange }) => `${chainAskedFor(exchange)}, the chain asked for`,
      ),
    ),
  },
  {
    ...ofChainInfo,
    id: 'chain-info/name-as-listed',
    clause: '2.8 name',
    level: 'should',
    title: '`name` is what /chains calls the chain',
    judge: each(
      (input) => {
        const listed = knownChain(input.facts, chainAskedFor(input.exchange) ?? Number.NaN);
        return listed === undefined
          ? []
          : strings(body, 'name')(input).map((found) => ({ ...found, listed: listed.name }));
      },
      (name, { listed }) => name === listed,
      ({ listed }) => `${quote(listed)}, as in /chains`,
    ),
  },
  addressRule('usdTokenAddress', 'chain-info/usd-token-address-hex'),
  addressRule('wrappedNativeTokenAddress', 'chain-info/wrapped-native-token-address-hex'),
  // "Address of the primary USD-pegged token": a peg may slip, but not by half.
  {
    ...ofPlan,
    id: 'token/usd-token-price',
    clause: '2.8 usdTokenAddress',
    level: 'should',
    title: "the chain's USD token is priced between 0.5 and 2 USD",
    needs: 'a plan with the USD token of the chain',
    judge: each(
      (input) => priceOf(input, chainInfoFor(input)?.usdTokenAddress),
      (price) => price >= 0.5 && price <= 2,
      'a `usdPrice` near 1 for the token that /chainInfo calls USD-pegged',
    ),
  },
  // A plan for a router that the chain does not have cannot be settled.
  {
    ...ofPlan,
    id: 'swap-response/router-available',
    clause: '2.8 routers',
    level: 'should',
    title: '`router` is among the routers of the chain',
    judge: when(
      (input) => chainInfoFor(input) !== undefined,
      each(
        strings(body, 'router'),
        (router, _, input) => routerFor(input, router) !== undefined,
        (_, { exchange }) => `a router that /chainInfo lists for chain ${chainAskedFor(exchange)}`,
      ),
    ),
  },
  // What one reply says of a router, every other says too; the first is what discovery read.
  {
    ...ofChainInfo,
    id: 'router-info/repeats',
    clause: '2.8 routers',
    level: 'should',
    title: 'every reply tells the same address, sources and encoder of a router',
    judge: each(
      repeatedRouters,
      (value, { first }) => asText(value) === asText(first),
      ({ first, name }) => `${quote(first)} for ${name}, as in the first reply`,
    ),
  },
  // "Available router contracts": each of them plans, for some pair.
  {
    kind: 'probe',
    id: 'swap/routers-plan',
    clause: '2.8 routers',
    level: 'should',
    title: 'every router that /chainInfo lists answers some pair with a plan',
    run: someOfEach(
      ({ facts }) =>
        [...facts.markets.values()].flatMap((market) =>
          (facts.chainInfo.get(market.chainId)?.routers ?? []).map(({ name }) => ({
            expected: `a plan of ${name}, which /chainInfo lists for chain ${market.chainId}`,
            targets: market.pairs
              .slice(0, BOUND_TRADES)
              .map((pair) =>
                swapTarget(setParameter(exactInput({ market, pair }), 'router', [name])),
              ),
          })),
        ),
      ({ facts: { chainInfo } }) => {
        const hasNone = [...chainInfo.values()].every((info) => info.routers.length === 0);
        return hasNone && chainInfo.size > 0
          ? { kind: 'not-applicable', why: '/chainInfo lists no router' }
          : { kind: 'could-not-run', why: NO_PLAN };
      },
    ),
  },
];
