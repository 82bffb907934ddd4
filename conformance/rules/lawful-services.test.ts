import { describe, expect, test } from 'vitest';
import { PATHS } from '../contract/paths.ts';
import {
  given,
  goldenChainInfo,
  goldenFacts,
  goldenQuery,
  goldenSwap,
  goldenTokens,
} from '../model/golden-replies.testing.ts';
import { modelMarket } from '../model/model-market.testing.ts';
import { modelSession } from '../model/model-service.testing.ts';
import type { ProbeRule } from '../model/rule.ts';
import { saidBy } from '../rule-kit/probes.testing.ts';
import { expectOf } from '../rule-kit/replies.testing.ts';
import { at, both, has, not, refuse, where } from '../rule-kit/sabotage.testing.ts';
import { CATALOG } from './catalog.ts';

/* Services that the specification allows, and that are none of those of the tables. */

describe('a service that needs RFQ for every plan', () => {
  const requiredParameters = [['useRfq', 'true']] as const;
  const markets = new Map([[31337, { ...modelMarket, requiredParameters }]]);
  const withoutRfq = where(both(at(PATHS.swap), not(has('useRfq', 'true'))), refuse);
  const probes = CATALOG.filter((rule): rule is ProbeRule => 'run' in rule);
  test.each(probes.map((rule) => [rule.id, rule] as const))('%s -> no finding', async (_, rule) => {
    const verdict = await rule.run(modelSession(withoutRfq, { markets }));
    expect(verdict.kind === 'judged' ? saidBy(verdict) : []).toEqual([]);
  });
});

test('addresses in base58 everywhere -> no address rule applies, and none fails', () => {
  const respell = <T>(value: T): T =>
    JSON.parse(JSON.stringify(value).replace(/0x[0-9a-fA-F]{40}/g, (hex) => `So1${hex.slice(10)}`));
  const tokens = respell(goldenTokens());
  const chainInfo = respell(goldenChainInfo());
  const facts = {
    ...goldenFacts,
    chainInfo: new Map([[31337, chainInfo]]),
    tokens: new Map([[31337, tokens]]),
  };
  const { deployedAddress: routerAddress } = chainInfo.routers[0];
  const plan = { ...respell(goldenSwap()), calldata: 'AQID', routerAddress };
  const notHex = [
    'token/address-hex n/a',
    'route/address-hex n/a',
    'swap-response/calldata-hex n/a',
  ];
  expectOf(CATALOG, given(plan, { query: respell(goldenQuery), facts }), notHex);
  expectOf(CATALOG, given(tokens, { endpoint: 'tokens', facts }), ['token-info/address-hex n/a']);
  expectOf(CATALOG, given(chainInfo, { endpoint: 'chainInfo', facts }), [
    'chain-info/usd-token-address-hex n/a',
    'router-info/deployed-address-hex n/a',
  ]);
});
