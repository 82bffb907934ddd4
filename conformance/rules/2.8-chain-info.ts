import { isNative } from '../contract/names.ts';
import { ChainInfoSchema } from '../contract/resources.ts';
import { setParameter } from '../generate/trades.ts';
import { inCapitals, ROUTER, WRAPPED } from '../model/golden-addresses.ts';
import { type JudgedReply, requestedChain } from '../model/judged-reply.ts';
import type { Rule } from '../model/rule.ts';
import { quote, words } from '../model/statement.ts';
import { fieldRules } from '../rule-kit/field-rules.ts';
import { compareWithFirst, type Difference, sameAsFirst } from '../rule-kit/first-reply.ts';
import { hexAddresses, onHexChain } from '../rule-kit/hex-addresses.ts';
import { chainInfoFor, knownChain, routerFor } from '../rule-kit/known-chains.ts';
import { byRouter, someOfEach } from '../rule-kit/probes.ts';
import { comparedWith, each } from '../rule-kit/reply-judges.ts';
import { body, numbers, routers, strings } from '../rule-kit/reply-values.ts';
import { probeRules, type ReplyRuleBody, replyRules } from '../rule-kit/rules-by-id.ts';
import { NO_PLAN } from '../rule-kit/sample-queries.ts';
import { has, not, on, reject } from '../rule-kit/service-breaks.ts';
import { priceOf } from '../rule-kit/token-prices.ts';

const keyTokens = strings(body, 'usdTokenAddress', 'wrappedNativeTokenAddress');
const isHexChain = onHexChain((input) => [
  ...keyTokens(input),
  ...strings(routers, 'deployedAddress')(input),
]);

function hexAddress(field: 'usdTokenAddress' | 'wrappedNativeTokenAddress'): ReplyRuleBody {
  return {
    clause: `2.8 ${field}`,
    must: `returns \`${field}\` as 20 bytes of hex, on chains with such addresses`,
    check: hexAddresses(strings(body, field), isHexChain),
  };
}

const REPEATED = [
  'deployedAddress',
  'tokenProxyAddress',
  'hasEncoder',
  'liquiditySources',
] as const;

function repeatedRouters(input: JudgedReply): readonly Difference[] | undefined {
  const repeated = routers(input).flatMap(({ pointer, value }) => {
    const first = routerFor(input, value['name']);
    return first === undefined ? [] : [{ pointer, value, first }];
  });
  if (repeated.length === 0) return undefined;
  return repeated.flatMap(({ pointer, value, first }) =>
    REPEATED.flatMap((field) =>
      compareWithFirst(
        `${pointer}/${field}`,
        value[field],
        first[field],
        words` for ${first.name}`,
      ),
    ),
  );
}

/** @see Specification 2.8 */
export const rules: readonly Rule[] = [
  ...fieldRules(
    { section: '2.8', slug: 'chain-info', endpoint: 'chainInfo', at: [''] },
    ChainInfoSchema,
    body,
  ),
  ...replyRules('chainInfo', {
    // "Returns details of one chain".
    'chain-info/chain-as-requested': {
      clause: '2.8 chainId',
      must: 'returns the requested `chainId`',
      check: each(
        comparedWith(numbers(body, 'chainId'), ({ exchange }) => requestedChain(exchange)),
        (chainId, { known }) => chainId === known,
        'other-chain',
        ({ known }) => words`${known}, the requested chain`,
      ),
      breaks: [[{ '/chainId': 31338 }, 'at /chainId']],
      notApplicable: [[{ '': [] }], [{ '/chainId': 31338 }, { query: { chainId: undefined } }]],
    },
    'chain-info/name-as-listed': {
      clause: '2.8 name',
      should: 'names the chain as /chains does',
      because: '"Human-readable network name" and "Network name": a network has one name.',
      check: each(
        comparedWith(strings(body, 'name'), ({ exchange, facts }) => {
          const name = knownChain(facts, requestedChain(exchange) ?? Number.NaN)?.name;
          return typeof name === 'string' ? name : undefined;
        }),
        (name, { known }) => name === known,
        'differs',
        ({ known }) => words`${quote(known)}, as in /chains`,
      ),
      breaks: [[{ '/name': 'Silver' }, 'at /name']],
      notApplicable: [
        [{ '/name': 'Silver' }, { facts: 'withoutChains' }],
        [{ '/name': 'Silver' }, { facts: 'unreadable' }],
      ],
    },
    'chain-info/usd-token-address-hex': {
      ...hexAddress('usdTokenAddress'),
      breaks: [
        [{ '/usdTokenAddress': '0x0' }, 'at /usdTokenAddress'],
        [{ '/usdTokenAddress': '0x12' }, { facts: 'none' }, 'at /usdTokenAddress'],
      ],
      notApplicable: [
        [{ '/usdTokenAddress': 'So1', '/wrappedNativeTokenAddress': 'So2' }, { facts: 'none' }],
      ],
    },
    'chain-info/wrapped-native-token-address-hex': {
      ...hexAddress('wrappedNativeTokenAddress'),
      breaks: [[{ '/wrappedNativeTokenAddress': `${WRAPPED}0` }, 'at /wrappedNativeTokenAddress']],
      notApplicable: [
        [{ '/usdTokenAddress': 'So1', '/wrappedNativeTokenAddress': 'So2' }, { facts: 'none' }],
      ],
    },
    'router-info/repeats': {
      clause: '2.8 routers',
      should: 'returns the same address, sources and encoder for a router in every reply',
      because: 'A client that caches the details approves a router that a later reply contradicts.',
      check: sameAsFirst(repeatedRouters),
      breaks: [
        [{ '/routers/0/liquiditySources': 'SourceA' }, 'at /routers/0/liquiditySources'],
        [{ '/routers/0/liquiditySources': ['SourceA'] }, 'at /routers/0/liquiditySources'],
        [
          { '/routers/0/liquiditySources/1': 'SourceC' },
          'at /routers/0/liquiditySources: ["SourceA","SourceC"]',
        ],
        [{ '/routers/0/deployedAddress': WRAPPED }, 'at /routers/0/deployedAddress'],
        [{ '/routers/0/tokenProxyAddress': 5 }, 'at /routers/0/tokenProxyAddress'],
        [{ '/routers/1/hasEncoder': true }, 'at /routers/1/hasEncoder'],
        [{ '/routers/0/deployedAddress': undefined }, 'at /routers/0/deployedAddress: nothing'],
        [
          (b) => b.routers.push({ ...b.routers[0], liquiditySources: [] }),
          'at /routers/2/liquiditySources: []',
        ],
      ],
      valid: [
        [
          {
            '/routers/0/liquiditySources/0': 'SourceB',
            '/routers/0/liquiditySources/1': 'SourceA',
          },
        ],
        [{ '/routers/0/deployedAddress': inCapitals(ROUTER) }],
      ],
      notApplicable: [[{ '/routers': [] }]],
    },
  }),
  ...replyRules('swap', {
    'token/usd-token-price': {
      clause: '2.8 usdTokenAddress',
      should: "prices the chain's USD token between 0.5 and 2 USD",
      because: '"Address of the primary USD-pegged token": a peg may vary, but not by half.',
      needs: 'a plan with the USD token of the chain',
      check: each(
        (input) => {
          const address = chainInfoFor(input)?.usdTokenAddress;
          return address !== undefined && isNative(address)
            ? numbers(body, 'nativeTokenUsdPrice')(input)
            : priceOf(input, address);
        },
        (price) => price >= 0.5 && price <= 2,
        'off-peg',
        words`a price near 1 for the token that /chainInfo calls USD-pegged`,
      ),
      breaks: [
        [{ '/tokens/1/usdPrice': 0.4 }, 'at /tokens/1/usdPrice'],
        [{ '/tokens/1/usdPrice': 2.1 }, 'at /tokens/1/usdPrice'],
        [{}, { facts: 'usdIsNative' }, 'at /nativeTokenUsdPrice: 4622.638914277432'],
      ],
      valid: [[{ '/tokens/1/usdPrice': 0.5 }], [{ '/tokens/1/usdPrice': 2 }]],
      notApplicable: [[{ '/tokens': [] }], [{ '/tokens/1/usdPrice': '1' }]],
    },
    'swap-response/router-available': {
      clause: '2.8 routers',
      should: 'names a router of the chain in `router`',
      because:
        '"Available router contracts": a plan for a router that the chain does not have cannot be settled.',
      check: each(
        comparedWith(strings(body, 'router'), chainInfoFor),
        (router, { known: { routers, unreadableRouters = [] } }) =>
          [...routers.map(({ name }) => name), ...unreadableRouters].includes(router),
        'not-listed',
        (_, { exchange }) =>
          words`a router that /chainInfo lists for chain ${requestedChain(exchange) ?? 'unknown'}`,
      ),
      breaks: [
        [{ '/router': 'Default-Router' }, 'at /router'],
        [{ '/router': 'universal-router' }, 'at /router'],
      ],
      valid: [[{}, { facts: 'unreadable' }]],
      notApplicable: [
        [{ '': { nativeTokenUsdPrice: 1 } }, { facts: 'usdIsNative' }],
        [{ '/router': undefined }],
      ],
    },
  }),
  ...probeRules({
    'swap/routers-plan': {
      clause: '2.8 routers',
      should: 'returns a plan for at least one pair through every router that /chainInfo lists',
      because: '"Available router contracts": each router must have a plan for at least one pair.',
      check: someOfEach(
        byRouter({
          expected: (name, chainId) =>
            words`a plan through ${name}, which /chainInfo lists for chain ${chainId}`,
          queryFor: (query, name) => setParameter(query, 'router', [name]),
        }),
        ({ facts: { chainInfo } }, t) => {
          const hasNone = [...chainInfo.values()].every((info) => info.routers.length === 0);
          if (hasNone && chainInfo.size > 0) t.skip('/chainInfo lists no router');
          else t.stuck(NO_PLAN);
        },
      ),
      breaks: [
        [
          on(has('router', 'service-router'), reject),
          'expected a plan through service-router, which /chainInfo lists for chain 31337, got 400 "NO", and no plan for any of … requests',
        ],
        [
          reject,
          'expected a plan through default-router, which /chainInfo lists for chain 31337, got 400 "NO", and no plan for any of … requests',
          'expected a plan through service-router, which /chainInfo lists for chain 31337, got 400 "NO", and no plan for any of … requests',
        ],
      ],
      valid: [['trades one token only', on(not(has('buyToken', /^0xd/)), reject)]],
      notApplicable: [['has no router', reject, { facts: 'noRouters' }]],
    },
  }),
];
