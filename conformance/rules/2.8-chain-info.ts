import { isHexAddress, sameAddress } from '../checks/hex.ts';
import { successObject } from '../checks/reply-body.ts';
import { ChainInfoSchema } from '../contract/resources.ts';
import type { JudgedReply, ReplyRule } from '../model/rule.ts';
import { quote, quoteAll, verdictOf, verdictUnless } from '../rule-kit/faults.ts';
import { fieldRules } from '../rule-kit/field-rules.ts';
import { placesIn, wholeBody } from '../rule-kit/reply-objects.ts';
import {
  addressesOf,
  chainAskedFor,
  knownChain,
  usesHexAddresses,
} from '../rule-kit/request-parameters.ts';

const identity = { kind: 'reply', endpoint: 'chainInfo' } as const;

/** "Returns details of one chain": the one asked for. */
const answersForTheChain: ReplyRule = {
  ...identity,
  id: 'chain-info/chain-asked-for',
  clause: '2.8 chainId',
  level: 'must',
  title: '`chainId` is the chain asked for',
  judge: ({ reply, exchange }) => {
    const asked = chainAskedFor(exchange);
    const chainId = successObject(reply)?.['chainId'];
    if (asked === undefined || typeof chainId !== 'number') return undefined;
    return verdictUnless(
      chainId === asked
        ? undefined
        : {
            expected: `${asked}, the chain asked for`,
            actual: quote(chainId),
            pointer: '/chainId',
          },
    );
  },
};

const nameAgrees: ReplyRule = {
  ...identity,
  id: 'chain-info/name-as-listed',
  clause: '2.8 name',
  level: 'should',
  title: '`name` is what /chains calls the chain',
  judge: ({ reply, exchange, facts }) => {
    const listed = knownChain(facts, chainAskedFor(exchange) ?? Number.NaN);
    const name = successObject(reply)?.['name'];
    if (listed === undefined || typeof name !== 'string') return undefined;
    return verdictUnless(
      name === listed.name
        ? undefined
        : {
            expected: `${quote(listed.name)}, as in /chains`,
            actual: quote(name),
            pointer: '/name',
          },
    );
  },
};

function addressRule(
  field: 'usdTokenAddress' | 'wrappedNativeTokenAddress',
  id: string,
): ReplyRule {
  return {
    ...identity,
    id,
    clause: `2.8 ${field}`,
    level: 'must',
    title: `\`${field}\` is 20 bytes of hex on chains of such addresses`,
    judge: (input) => {
      const address = successObject(input.reply)?.[field];
      if (typeof address !== 'string' || !isHexChain(input)) return undefined;
      return verdictUnless(
        isHexAddress(address)
          ? undefined
          : {
              expected: '`0x` and 40 hex digits',
              actual: quote(address),
              pointer: `/${field}`,
            },
      );
    },
  };
}

/** What the lookups say of a chain by the first reply, they say by every later one. */
const repeatsItself: ReplyRule = {
  ...identity,
  id: 'chain-info/repeats',
  clause: '4.4 details',
  level: 'should',
  title: 'every reply for a chain tells the same token addresses and routers',
  judge: ({ reply, exchange, facts }) => {
    const first = facts?.chainInfo.get(chainAskedFor(exchange) ?? Number.NaN);
    const body = successObject(reply);
    if (first === undefined || body === undefined) return undefined;
    const fields = ['usdTokenAddress', 'wrappedNativeTokenAddress'] as const;
    const faults = fields
      .filter((field) => {
        const address = body[field];
        return typeof address === 'string' && !sameAddress(address, first[field]);
      })
      .map((field) => ({
        expected: `${quote(first[field])}, as in the first reply`,
        actual: quote(body[field]),
        pointer: `/${field}`,
      }));
    const names = placesIn('routers')(reply).map(({ object }) => String(object['name']));
    const missing = first.routers.filter((router) => !names.includes(router.name));
    return verdictOf([
      ...faults,
      ...missing.map((router) => ({
        expected: `${router.name}, as in the first reply`,
        actual: names.length === 0 ? 'no routers' : quoteAll(names),
        pointer: '/routers',
      })),
    ]);
  },
};

function isHexChain({ reply, exchange, facts }: JudgedReply): boolean {
  const { usdTokenAddress, wrappedNativeTokenAddress } = successObject(reply) ?? {};
  const deployed = placesIn('routers')(reply).map(({ object }) => object['deployedAddress']);
  const own = [usdTokenAddress, wrappedNativeTokenAddress, ...deployed].filter(
    (each) => typeof each === 'string',
  );
  return usesHexAddresses([...addressesOf(facts, chainAskedFor(exchange)), ...own]);
}

/** @see Specification 2.8 */
export const chainInfoRules: readonly ReplyRule[] = [
  ...fieldRules({
    section: '2.8',
    slug: 'chain-info',
    schema: ChainInfoSchema,
    endpoint: 'chainInfo',
    places: wholeBody,
  }),
  answersForTheChain,
  nameAgrees,
  addressRule('usdTokenAddress', 'chain-info/usd-token-address-hex'),
  addressRule('wrappedNativeTokenAddress', 'chain-info/wrapped-native-token-address-hex'),
  repeatsItself,
];
