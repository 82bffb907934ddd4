import { isObject } from '../checks/reply-body.ts';
import { ChainInfoSchema } from '../contract/resources.ts';
import { inCapitals, PROXY, ROUTER, USD, WRAPPED } from '../model/golden-addresses.ts';
import type { JudgedReply } from '../model/judged-reply.ts';
import type { Rule } from '../model/rule.ts';
import { quoteAll, words } from '../model/statement.ts';
import { keyIsRequired } from '../rule-kit/api-keys.ts';
import { brokenParameterRules } from '../rule-kit/broken-parameters.ts';
import { observesExtraFields } from '../rule-kit/extra-fields.ts';
import { compareWithFirst, type Difference, sameAsFirst } from '../rule-kit/first-reply.ts';
import { chainInfoFor } from '../rule-kit/known-chains.ts';
import { each } from '../rule-kit/reply-judges.ts';
import { anyBody, body, routers, strings } from '../rule-kit/reply-values.ts';
import { replyRules } from '../rule-kit/rules-by-id.ts';

function differencesFromFirst(input: JudgedReply): readonly Difference[] | undefined {
  const first = chainInfoFor(input);
  if (first === undefined || body(input).length === 0) return undefined;
  const names = routers(input).map(({ value }) => value['name']);
  const addresses = (['usdTokenAddress', 'wrappedNativeTokenAddress'] as const).flatMap((field) =>
    strings(
      body,
      field,
    )(input).flatMap(({ pointer, value }) => compareWithFirst(pointer, value, first[field])),
  );
  const missing = first.routers.filter(({ name }) => !names.includes(name));
  return [
    ...addresses,
    ...missing.map(({ name }) => ({
      pointer: '/routers',
      first: words`${name}`,
      now: names.length === 0 ? words`no routers` : quoteAll(names),
    })),
  ];
}

/** @see Specification 4.4 */
export const rules: readonly Rule[] = [
  ...replyRules('chainInfo', {
    'chain-info/response': {
      clause: '4.4 response',
      must: 'returns an object from /chainInfo',
      check: each(anyBody, isObject, 'no-object', words`an object`),
      breaks: [
        [{ '': null }, 'at the top level: null'],
        [{ '': [] }, 'at the top level: []'],
      ],
    },
    'chain-info/repeats': {
      clause: '4.4 details',
      should: 'returns the same token addresses and routers for a chain in every reply',
      because:
        'A client that caches the details wraps, prices or approves tokens and routers that a later reply contradicts.',
      check: sameAsFirst(differencesFromFirst),
      breaks: [
        [{ '/usdTokenAddress': WRAPPED }, 'at /usdTokenAddress'],
        [{ '/wrappedNativeTokenAddress': `${WRAPPED}0` }, 'at /wrappedNativeTokenAddress'],
        [{ '/routers': undefined }, 'at /routers: no routers', 'at /routers: no routers'],
        [{ '/routers': [] }, 'at /routers: no routers', 'at /routers: no routers'],
        [
          {
            '/routers': [
              {
                name: 'default-router',
                liquiditySources: ['SourceA', 'SourceB'],
                deployedAddress: ROUTER,
                tokenProxyAddress: PROXY,
                hasEncoder: true,
              },
            ],
          },
          'at /routers: "default-router"',
        ],
        [{ '/routers/0/name': 'Default' }, 'at /routers: "Default", "service-router"'],
        [{ '/routers/0/name': undefined }, 'at /routers: nothing, "service-router"'],
      ],
      valid: [
        [{ '/usdTokenAddress': inCapitals(USD) }],
        [
          { '/wrappedNativeTokenAddress': null },
          { fails: ['chain-info/wrapped-native-token-address'] },
        ],
      ],
    },
    'chain-info/extra-fields-observed': {
      clause: '4.4 response',
      observes: 'which fields beyond the specification it sends in /chainInfo',
      check: observesExtraFields(ChainInfoSchema),
      breaks: [[{ '/routers/0/version': 2 }, '"routers.*.version"']],
    },
  }),
  keyIsRequired('chainInfo', '4.4 apiKey'),
  ...brokenParameterRules('4.4'),
];
