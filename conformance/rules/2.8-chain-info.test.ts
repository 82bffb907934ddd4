import {
  goldenChainInfo,
  goldenFacts,
  inCapitals,
  NATIVE,
  WRAPPED,
} from '../model/golden-replies.testing.ts';
import { testProbes } from '../rule-kit/probes.testing.ts';
import { fields, on, type Row, right, testReplies, wrong } from '../rule-kit/replies.testing.ts';
import { has, not, refuse, where } from '../rule-kit/sabotage.testing.ts';
import { rules } from './2.8-chain-info.ts';

/** A chain whose USD token is its native token. */
const usdIsNative = {
  ...goldenFacts,
  chainInfo: new Map([[31337, { ...goldenChainInfo(), usdTokenAddress: NATIVE }]]),
};
const unknown = ['token/usd-token-price n/a', 'swap-response/router-available n/a'];
/** A value at a router that the first reply did not tell. */
const repeats = (index: number, field: string, value: unknown): Row => [
  (b) => (b.routers[index][field] = value),
  `router-info/repeats at /routers/${index}/${field}: ${JSON.stringify(value)}`,
];
const notHex = [
  'chain-info/usd-token-address-hex n/a',
  'chain-info/wrapped-native-token-address-hex n/a',
];

testReplies(
  rules,
  on('chainInfo', [
    [{ body: [] }, 'nothing applies'],
    ...fields('chain-info', '', {
      chainId: '31337',
      name: 5,
      usdTokenAddress: 5,
      wrappedNativeTokenAddress: null,
      routers: {},
    }),
    wrong('/chainId', 31338, 'chain-info/chain-asked-for'),
    [
      (b) => (b.chainId = 31338),
      { query: { chainId: undefined } },
      'chain-info/chain-asked-for n/a',
    ],
    [
      (b) => (b.chainId = '31338'),
      'chain-info/chain-id at /chainId',
      'chain-info/chain-asked-for n/a',
    ],
    wrong('/name', 'Silver', 'chain-info/name-as-listed'),
    [
      (b) => (b.name = 'Silver'),
      { facts: { ...goldenFacts, chains: [] } },
      'chain-info/name-as-listed n/a',
    ],
    wrong('/usdTokenAddress', '0x0', 'chain-info/usd-token-address-hex'),
    [
      (b) => (b.wrappedNativeTokenAddress += '0'),
      'chain-info/wrapped-native-token-address-hex at /wrappedNativeTokenAddress',
    ],
    [
      (b) => (b.usdTokenAddress = '0x12'),
      { facts: undefined },
      'chain-info/usd-token-address-hex at /usdTokenAddress',
      'chain-info/name-as-listed n/a',
    ],
    [
      (b) => {
        b.usdTokenAddress = 'So1';
        b.wrappedNativeTokenAddress = 'So2';
      },
      { facts: undefined },
      ...notHex,
    ],
  ]),
  on('chainInfo', [
    [{ facts: undefined }, 'router-info/repeats n/a'],
    [{ query: { chainId: undefined } }, 'router-info/repeats n/a'],
    [(b) => (b.routers = []), 'router-info/repeats n/a'],
    [(b) => b.routers[0].liquiditySources.reverse()],
    right('/routers/0/deployedAddress', inCapitals(goldenChainInfo().routers[0].deployedAddress)),
    repeats(0, 'liquiditySources', 'SourceA'),
    repeats(0, 'liquiditySources', ['SourceA']),
    repeats(0, 'liquiditySources', ['SourceA', 'SourceC']),
    right('/routers/0/liquiditySources', ['SourceB', 'SourceA']),
    repeats(0, 'deployedAddress', WRAPPED),
    repeats(0, 'tokenProxyAddress', 5),
    repeats(1, 'hasEncoder', true),
    [
      (b) => delete b.routers[0].deployedAddress,
      'router-info/repeats at /routers/0/deployedAddress: nothing',
    ],
    [
      (b) => b.routers.push({ ...b.routers[0], liquiditySources: [] }),
      'router-info/repeats at /routers/2/liquiditySources: []',
    ],
  ]),
  on('swap', [
    [{ facts: { ...goldenFacts, chainInfo: new Map() } }, ...unknown],
    [{ query: { chainId: undefined } }, ...unknown],
    [(b) => (b.tokens = []), 'token/usd-token-price n/a'],
    right('/tokens/1/usdPrice', 0.5),
    wrong('/tokens/1/usdPrice', 0.4, 'token/usd-token-price'),
    right('/tokens/1/usdPrice', 2),
    wrong('/tokens/1/usdPrice', 2.1, 'token/usd-token-price'),
    [(b) => (b.tokens[1].usdPrice = '1'), 'token/usd-token-price n/a'],
    [{ facts: usdIsNative }, 'token/usd-token-price at /nativeTokenUsdPrice: 4622.638914277432'],
    [
      { facts: usdIsNative, body: { nativeTokenUsdPrice: 1 } },
      'swap-response/router-available n/a',
    ],
    [(b) => delete b.router, 'swap-response/router-available n/a'],
    wrong('/router', 'Default-Router', 'swap-response/router-available'),
    wrong('/router', 'universal-router', 'swap-response/router-available'),
  ]),
);

testProbes(rules, {
  'swap/routers-plan': {
    'could not run': 'unknown untraded',
    fails: 'silent 404 501 500 401',
    cases: [
      [where(has('router', 'service-router'), refuse), 'service-router'],
      [refuse, 'default-router', 'service-router'],
      [where(not(has('buyToken', /^0xd/)), refuse)],
      [
        refuse,
        { chainInfo: new Map([[31337, { ...goldenChainInfo(), routers: [] }]]) },
        'not-applicable',
      ],
    ],
  },
});
