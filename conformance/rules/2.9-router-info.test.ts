import type { RouterInfo } from '../contract/resources.ts';
import { goldenChainInfo, goldenFacts, NATIVE, WRAPPED } from '../model/golden-replies.testing.ts';
import { modelMarket } from '../model/model-market.testing.ts';
import { testProbes } from '../rule-kit/probes.testing.ts';
import { fields, on, type Row, testReplies, wrong } from '../rule-kit/replies.testing.ts';
import { has, refuse, where } from '../rule-kit/sabotage.testing.ts';
import { rules } from './2.9-router-info.ts';

const at = (index: number, field: string, value: unknown, id: string): Row => [
  (b) => (b.routers[index][field] = value),
  `router-info/${id} at /routers/${index}/${field}: ${JSON.stringify(value)}`,
];
const unknown = [
  'swap-response/router-address-deployed n/a',
  'route/name-among-sources n/a',
  'router-info/encoder-as-used n/a',
];
const unlisted = 'route/name-among-sources at /routes/0/name';

testReplies(
  rules,
  on('chainInfo', [
    [(b) => (b.routers = []), 'nothing applies'],
    ...fields('router-info', '/routers/0', {
      name: 'Default',
      liquiditySources: 'SourceA',
      deployedAddress: null,
      'tokenProxyAddress?': 5,
      hasEncoder: 'true',
    }),
    at(0, 'liquiditySources', ['SourceA', 5], 'liquidity-sources'),
    at(0, 'liquiditySources', ['SourceA', 'SourceB', 'SourceA'], 'sources-unique'),
    at(1, 'deployedAddress', NATIVE, 'deployed-somewhere'),
    at(0, 'deployedAddress', 'router', 'deployed-address-hex'),
    at(0, 'tokenProxyAddress', '0x', 'token-proxy-address-hex'),
    [(b) => b.routers.push({ ...b.routers[0] }), 'router-info/name-unique at /routers/2/name'],
    [
      (b) => (b.routers[0].deployedAddress = 'router'),
      { facts: undefined },
      'router-info/deployed-address-hex at /routers/0/deployedAddress',
    ],
    [
      (b) => {
        b.usdTokenAddress = 'So1';
        b.wrappedNativeTokenAddress = 'So2';
      },
      { facts: undefined },
      'router-info/deployed-address-hex n/a',
      'router-info/token-proxy-address-hex n/a',
    ],
    [
      (b) => b.routers.shift(),
      'router-info/token-proxy-address n/a',
      'router-info/token-proxy-address-hex n/a',
    ],
  ]),
  on('swap', [
    [{ facts: undefined }, ...unknown],
    [{ facts: { ...goldenFacts, chainInfo: new Map() } }, ...unknown],
    [{ query: { chainId: undefined } }, ...unknown],
    [(b) => (b.router = 'universal-router'), ...unknown],
    [
      (b) => (b.router = 'service-router'),
      'swap-response/router-address-deployed at /routerAddress',
      `${unlisted}: "SourceB"`,
      'router-info/encoder-as-used at /calldata: "0x3593564cABCD"',
    ],
    wrong('/routerAddress', WRAPPED, 'swap-response/router-address-deployed'),
    [(b) => (b.routerAddress += '0'), 'swap-response/router-address-deployed at /routerAddress'],
    [(b) => delete b.routerAddress, 'swap-response/router-address-deployed n/a'],
    [(b) => (b.routes[0].name = 'SourceC'), `${unlisted}: "SourceC"`],
    [(b) => (b.routes[0].name = 'Maker'), { query: { useRfq: 'false' } }, unlisted],
    [(b) => (b.routes[0].name = 'Maker'), { query: { useRfq: 'true' } }, ...unknown.slice(1, 2)],
    [(b) => (b.routes = []), 'route/name-among-sources n/a'],
    [{ origin: 'body-only' }, ...unknown],
    [(b) => delete b.calldata, 'router-info/encoder-as-used n/a'],
    [{ query: { includeCalldata: 'false' } }, 'router-info/encoder-as-used n/a'],
  ]),
  on('chains', [
    [{}, 'chain/identifiers-observed: 31337 "Golden", 501 "Other"'],
    [(b) => b.splice(0), 'nothing applies'],
  ]),
);

const routers = (...listed: readonly RouterInfo[]) => ({
  chainInfo: new Map([[31337, { ...goldenChainInfo(), routers: listed }]]),
});

testProbes(rules, {
  'swap/encoders-encode': {
    'does not apply': 'unknown',
    'could not run': 'untraded',
    fails: 'silent 404 501 500 401',
    cases: [
      [where(has('includeCalldata', 'true'), refuse), 'default-router'],
      [refuse, routers(goldenChainInfo().routers[1]), 'not-applicable'],
      [
        refuse,
        { markets: new Map([[31337, { ...modelMarket, addresses: 'other' }]]) },
        'not-applicable',
      ],
    ],
  },
});
