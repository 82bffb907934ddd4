import { goldenFacts, inCapitals, USD, WRAPPED } from '../model/golden-replies.testing.ts';
import { keyRequired } from '../rule-kit/probe-kinds.testing.ts';
import { testProbes } from '../rule-kit/probes.testing.ts';
import { on, right, testReplies, wrong } from '../rule-kit/replies.testing.ts';
import { rules } from './4.4-chain-info.ts';

const noRouters = Array<string>(2).fill('chain-info/repeats at /routers: no routers');

testReplies(
  rules,
  on('chainInfo', [
    [{ body: null }, 'chain-info/response at the top: null', 'chain-info/repeats n/a'],
    [{ body: [] }, 'chain-info/response at the top: []', 'chain-info/repeats n/a'],
    [{ facts: undefined }, 'chain-info/repeats n/a'],
    [{ facts: { ...goldenFacts, chainInfo: new Map() } }, 'chain-info/repeats n/a'],
    [{ query: { chainId: undefined } }, 'chain-info/repeats n/a'],
    right('/usdTokenAddress', inCapitals(USD)),
    wrong('/usdTokenAddress', WRAPPED, 'chain-info/repeats'),
    [
      (b) => (b.wrappedNativeTokenAddress += '0'),
      'chain-info/repeats at /wrappedNativeTokenAddress',
    ],
    right('/wrappedNativeTokenAddress', null),
    [(b) => delete b.routers, ...noRouters],
    [(b) => (b.routers = []), ...noRouters],
    [(b) => b.routers.pop(), 'chain-info/repeats at /routers: "default-router"'],
    [
      (b) => (b.routers[0].name = 'Default'),
      'chain-info/repeats at /routers: "Default", "service-router"',
    ],
    [(b) => delete b.routers[0].name, 'chain-info/repeats at /routers: nothing, "service-router"'],
  ]),
);

testProbes(rules, { 'chain-info/key-required': keyRequired('chainInfo', 'unknown silent') });
