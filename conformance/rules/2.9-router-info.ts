import { addressKey, isHexAddress, isZeroAddress } from '../checks/hex.ts';
import { successObject } from '../checks/reply-body.ts';
import { RouterInfoSchema } from '../contract/resources.ts';
import type { ReplyRule } from '../model/rule.ts';
import { quote, verdictOf } from '../rule-kit/faults.ts';
import { fieldRules } from '../rule-kit/field-rules.ts';
import { placesIn } from '../rule-kit/reply-objects.ts';
import {
  addressesOf,
  askedFor,
  chainAskedFor,
  routerOf,
  usesHexAddresses,
} from '../rule-kit/request-parameters.ts';

const identity = { kind: 'reply', endpoint: 'chainInfo' } as const;
const routers = placesIn('routers');

/** "Router contract unique name". */
const namesAreUnique: ReplyRule = {
  ...identity,
  id: 'router-info/name-unique',
  clause: '2.9 name',
  level: 'must',
  title: 'no router is listed twice for a chain',
  judge: ({ reply }) => {
    const places = routers(reply);
    if (places.length === 0) return undefined;
    const seen = new Set<unknown>();
    return verdictOf(
      places
        .filter(({ object }) => {
          const isRepeated = seen.has(object['name']);
          seen.add(object['name']);
          return isRepeated;
        })
        .map(({ pointer, object }) => ({
          expected: 'each router name once',
          actual: `${quote(object['name'])} once more`,
          pointer: `${pointer}/name`,
        })),
    );
  },
};

function addressRule(field: 'deployedAddress' | 'tokenProxyAddress', id: string): ReplyRule {
  return {
    ...identity,
    id,
    clause: `2.9 ${field}`,
    level: 'must',
    title: `\`${field}\` is 20 bytes of hex on chains of such addresses`,
    needs: `a router with \`${field}\``,
    judge: ({ reply, exchange, facts }) => {
      const judged = routers(reply).flatMap(({ pointer, object }) => {
        const address = object[field];
        return typeof address === 'string' ? [{ pointer: `${pointer}/${field}`, address }] : [];
      });
      const body = successObject(reply);
      const own = [body?.['usdTokenAddress'], body?.['wrappedNativeTokenAddress']].filter(
        (each) => typeof each === 'string',
      );
      const evidence = addressesOf(facts, chainAskedFor(exchange));
      if (judged.length === 0 || !usesHexAddresses([...evidence, ...own])) return undefined;
      return verdictOf(
        judged
          .filter(({ address }) => !isHexAddress(address))
          .map(({ address, pointer }) => ({
            expected: '`0x` and 40 hex digits',
            actual: quote(address),
            pointer,
          })),
      );
    },
  };
}

/** "Deployed address of the router contract": nothing is deployed at zero. */
const routersAreDeployed: ReplyRule = {
  ...identity,
  id: 'router-info/deployed-somewhere',
  clause: '2.9 deployedAddress',
  level: 'should',
  title: '`deployedAddress` is not the zero address',
  judge: ({ reply }) => {
    const places = routers(reply);
    if (places.length === 0) return undefined;
    return verdictOf(
      places
        .filter(({ object }) => isZeroAddress(String(object['deployedAddress'])))
        .map(({ pointer, object }) => ({
          expected: 'the address of a contract',
          actual: quote(object['deployedAddress']),
          pointer: `${pointer}/deployedAddress`,
        })),
    );
  },
};

const sourcesAreDistinct: ReplyRule = {
  ...identity,
  id: 'router-info/sources-unique',
  clause: '2.9 liquiditySources',
  level: 'should',
  title: 'a router lists no liquidity source twice',
  judge: ({ reply }) => {
    const lists = routers(reply).flatMap(({ pointer, object }) => {
      const sources = object['liquiditySources'];
      return Array.isArray(sources) ? [{ pointer: `${pointer}/liquiditySources`, sources }] : [];
    });
    if (lists.length === 0) return undefined;
    return verdictOf(
      lists
        .filter(({ sources }) => new Set(sources).size < sources.length)
        .map(({ sources, pointer }) => ({
          expected: 'each source once',
          actual: quote(sources),
          pointer,
        })),
    );
  },
};

/** "Whether an encoder for calldata generation is available for this router". */
const encoderAgrees: ReplyRule = {
  kind: 'reply',
  endpoint: 'swap',
  id: 'router-info/encoder-as-used',
  clause: '2.9 hasEncoder',
  level: 'must',
  title: 'calldata comes only from routers whose `hasEncoder` is true',
  needs: 'a plan with calldata, for a router that /chainInfo lists',
  judge: ({ reply, exchange, facts }) => {
    const body = successObject(reply);
    const router = routerOf(facts, chainAskedFor(exchange), body?.['router']);
    if (askedFor(exchange, 'includeCalldata') !== 'true' || router === undefined) return undefined;
    if (typeof body?.['calldata'] !== 'string') return undefined;
    return verdictOf(
      router.hasEncoder
        ? []
        : [
            {
              expected: `no calldata: /chainInfo says that ${router.name} has no encoder`,
              actual: quote(body['calldata']),
              pointer: '/calldata',
            },
          ],
    );
  },
};

/** What one reply says of a router, every other says too; the first is what discovery read. */
const routersRepeat: ReplyRule = {
  ...identity,
  id: 'router-info/repeats',
  clause: '2.8 routers',
  level: 'should',
  title: 'every reply tells the same address, sources and encoder of a router',
  judge: ({ reply, exchange, facts }) => {
    const chainId = chainAskedFor(exchange);
    const known = routers(reply).flatMap(({ pointer, object }) => {
      const router = routerOf(facts, chainId, object['name']);
      return router === undefined ? [] : [{ pointer, object, router }];
    });
    if (known.length === 0) return undefined;
    return verdictOf(
      known.flatMap(({ pointer, object, router }) =>
        (['deployedAddress', 'tokenProxyAddress', 'hasEncoder', 'liquiditySources'] as const)
          .filter((field) => asText(object[field]) !== asText(router[field]))
          .map((field) => ({
            expected: `${quote(router[field])} for ${router.name}, as in the first reply`,
            actual: quote(object[field]),
            pointer: `${pointer}/${field}`,
          })),
      ),
    );
  },
};

/** Equal for values that say the same: in any order, addresses in any letter case. */
function asText(value: unknown): string {
  if (Array.isArray(value)) return JSON.stringify([...value].sort());
  return JSON.stringify(typeof value === 'string' ? addressKey(value) : (value ?? null));
}

/** @see Specification 2.9 */
export const routerInfoRules: readonly ReplyRule[] = [
  ...fieldRules({
    section: '2.9',
    slug: 'router-info',
    schema: RouterInfoSchema,
    endpoint: 'chainInfo',
    places: routers,
  }),
  namesAreUnique,
  addressRule('deployedAddress', 'router-info/deployed-address-hex'),
  addressRule('tokenProxyAddress', 'router-info/token-proxy-address-hex'),
  routersAreDeployed,
  sourcesAreDistinct,
  encoderAgrees,
  routersRepeat,
];
