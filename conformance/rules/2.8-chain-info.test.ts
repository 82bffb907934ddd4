import {
  goldenChainInfo,
  goldenFacts,
  goldenSwap,
  inCapitals,
  WRAPPED,
} from '../model/golden-replies.testing.ts';
import { testProbes } from '../rule-kit/probe-table.testing.ts';
import { asItIs, fieldRows, type Row, testReplyRules } from '../rule-kit/reply-table.testing.ts';
import { has, not, refuse, where } from '../rule-kit/sabotage.testing.ts';
import { rules } from './2.8-chain-info.ts';

const unknown = ['token/usd-token-price n/a', 'swap-response/router-available n/a'];
/** A value at a router that the first reply did not tell. */
const repeats = (index: number, field: string, value: unknown): Row => [
  (b) => (b.routers[index][field] = value),
  [`router-info/repeats at /routers/${index}/${field}: ${JSON.stringify(value)}`],
];
const notHex = [
  'chain-info/usd-token-address-hex n/a',
  'chain-info/wrapped-native-token-address-hex n/a',
];

testReplyRules(rules, [
  [
    goldenChainInfo,
    { endpoint: 'chainInfo' },
    [
      [asItIs, []],
      [asItIs, ['nothing applies'], { status: 400 }],
      [asItIs, ['nothing applies'], { body: [] }],
      ...fieldRows('chain-info', '', {
        chainId: '31337',
        name: 5,
        usdTokenAddress: 5,
        wrappedNativeTokenAddress: null,
        routers: {},
      }),
      [(b) => (b.chainId = 31338), ['chain-info/chain-asked-for at /chainId: 31338']],
      [
        (b) => (b.chainId = 31338),
        ['chain-info/chain-asked-for n/a'],
        { query: { chainId: undefined } },
      ],
      [
        (b) => (b.chainId = '31338'),
        ['chain-info/chain-id at /chainId', 'chain-info/chain-asked-for n/a'],
      ],
      [(b) => (b.name = 'Silver'), ['chain-info/name-as-listed at /name: "Silver"']],
      [
        (b) => (b.name = 'Silver'),
        ['chain-info/name-as-listed n/a'],
        { facts: { ...goldenFacts, chains: [] } },
      ],
      [
        (b) => (b.usdTokenAddress = '0x0'),
        ['chain-info/usd-token-address-hex at /usdTokenAddress: "0x0"'],
      ],
      [
        (b) => (b.wrappedNativeTokenAddress += '0'),
        ['chain-info/wrapped-native-token-address-hex at /wrappedNativeTokenAddress'],
      ],
      [
        (b) => (b.usdTokenAddress = '0x12'),
        ['chain-info/usd-token-address-hex at /usdTokenAddress', 'chain-info/name-as-listed n/a'],
        { facts: undefined },
      ],
      [
        (b) => {
          b.usdTokenAddress = 'So1';
          b.wrappedNativeTokenAddress = 'So2';
        },
        notHex,
        { facts: undefined },
      ],
    ],
  ],
  [
    goldenChainInfo,
    { endpoint: 'chainInfo' },
    [
      [asItIs, ['router-info/repeats n/a'], { facts: undefined }],
      [asItIs, ['router-info/repeats n/a'], { query: { chainId: undefined } }],
      [(b) => (b.routers = []), ['router-info/repeats n/a']],
      [(b) => b.routers[0].liquiditySources.reverse(), []],
      [(b) => (b.routers[0].deployedAddress = inCapitals(b.routers[0].deployedAddress)), []],
      repeats(0, 'liquiditySources', 'SourceA'),
      repeats(0, 'liquiditySources', ['SourceA']),
      repeats(0, 'deployedAddress', WRAPPED),
      repeats(0, 'tokenProxyAddress', 5),
      repeats(1, 'hasEncoder', true),
      [
        (b) => delete b.routers[0].deployedAddress,
        ['router-info/repeats at /routers/0/deployedAddress: nothing'],
      ],
      [
        (b) => b.routers.push({ ...b.routers[0], liquiditySources: [] }),
        ['router-info/repeats at /routers/2/liquiditySources: []'],
      ],
    ],
  ],
  [
    goldenSwap,
    {},
    [
      [asItIs, []],
      [asItIs, unknown, { facts: { ...goldenFacts, chainInfo: new Map() } }],
      [asItIs, unknown, { query: { chainId: undefined } }],
      [(b) => (b.tokens = []), ['token/usd-token-price n/a']],
      [(b) => (b.tokens[1].usdPrice = 0.5), []],
      [(b) => (b.tokens[1].usdPrice = 0.4), ['token/usd-token-price at /tokens/1/usdPrice: 0.4']],
      [(b) => (b.tokens[1].usdPrice = 2), []],
      [(b) => (b.tokens[1].usdPrice = 2.1), ['token/usd-token-price at /tokens/1/usdPrice: 2.1']],
      [(b) => (b.tokens[1].usdPrice = '1'), ['token/usd-token-price n/a']],
      [(b) => delete b.router, ['swap-response/router-available n/a']],
      [
        (b) => (b.router = 'Default-Router'),
        ['swap-response/router-available at /router: "Default-Router"'],
      ],
      [(b) => (b.router = 'universal-router'), ['swap-response/router-available at /router']],
    ],
  ],
]);

testProbes(rules, {
  'swap/routers-plan': {
    'could not run': 'unknown untraded',
    fails: 'silent 404 501 500 401',
    cases: [
      [where(has('router', 'service-router'), refuse), ['service-router']],
      [refuse, ['default-router', 'service-router']],
      [where(not(has('buyToken', /^0xd/)), refuse), []],
      [
        refuse,
        ['not-applicable'],
        { chainInfo: new Map([[31337, { ...goldenChainInfo(), routers: [] }]]) },
      ],
    ],
  },
});
