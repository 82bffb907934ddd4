import {
  goldenChainInfo,
  goldenFacts,
  inCapitals,
  USD,
  WRAPPED,
} from '../model/golden-replies.testing.ts';
import { keyRequired } from '../rule-kit/probe-kinds.testing.ts';
import { testProbes } from '../rule-kit/probe-table.testing.ts';
import { asItIs, testReplyRules } from '../rule-kit/reply-table.testing.ts';
import { rules } from './4.4-chain-info.ts';

const noRouters = Array<string>(2).fill('chain-info/repeats at /routers: no routers');

testReplyRules(rules, [
  [
    goldenChainInfo,
    { endpoint: 'chainInfo' },
    [
      [asItIs, []],
      [asItIs, ['nothing applies'], { status: 400 }],
      [asItIs, ['chain-info/response at the top: null', 'chain-info/repeats n/a'], { body: null }],
      [asItIs, ['chain-info/response at the top: []', 'chain-info/repeats n/a'], { body: [] }],
      [asItIs, ['chain-info/repeats n/a'], { facts: undefined }],
      [asItIs, ['chain-info/repeats n/a'], { facts: { ...goldenFacts, chainInfo: new Map() } }],
      [asItIs, ['chain-info/repeats n/a'], { query: { chainId: undefined } }],
      [(b) => (b.usdTokenAddress = inCapitals(USD)), []],
      [
        (b) => (b.usdTokenAddress = WRAPPED),
        [`chain-info/repeats at /usdTokenAddress: "${WRAPPED}"`],
      ],
      [
        (b) => (b.wrappedNativeTokenAddress += '0'),
        ['chain-info/repeats at /wrappedNativeTokenAddress'],
      ],
      [(b) => (b.wrappedNativeTokenAddress = null), []],
      [(b) => delete b.routers, noRouters],
      [(b) => (b.routers = []), noRouters],
      [(b) => b.routers.pop(), ['chain-info/repeats at /routers: "default-router"']],
      [
        (b) => (b.routers[0].name = 'Default'),
        ['chain-info/repeats at /routers: "Default", "service-router"'],
      ],
    ],
  ],
]);

testProbes(rules, { 'chain-info/key-required': keyRequired('chainInfo', 'unknown silent') });
