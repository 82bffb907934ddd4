import { expect, test } from 'vitest';
import { PATHS } from '../contract/paths.ts';
import type { Facts } from '../discovery/facts.ts';
import {
  BOUGHT,
  goldenChainInfo,
  goldenTokens,
  NATIVE,
  USD,
} from '../model/golden-replies.testing.ts';
import { modelMarket } from '../model/model-market.testing.ts';
import { modelSession, type Sabotage } from '../model/model-service.testing.ts';
import type { ProbeRule } from '../model/rule.ts';
import { testProbes } from '../rule-kit/probes.testing.ts';
import { answer, at, both, has, refuse, where } from '../rule-kit/sabotage.testing.ts';
import { rules } from './1.4-lookups.ts';

const tradable = rules.find(({ id }) => id === 'lookups/tokens-tradable') as ProbeRule;
const GHOST = `0x${'7'.repeat(40)}`;
const everyToken = [
  NATIVE,
  USD,
  ...goldenTokens().map(({ address }: { address: string }) => address),
];

/** Facts in which nothing is known to trade of some tokens. */
function without(...addresses: readonly string[]): Partial<Facts> {
  const pairs = modelMarket.pairs.filter(
    ({ sell, buy }) => !addresses.includes(sell.address) && !addresses.includes(buy.address),
  );
  return { markets: new Map([[31337, { ...modelMarket, pairs }]]) };
}
const listing = (address: string): Partial<Facts> => ({
  tokens: new Map([[31337, [...goldenTokens(), { ...goldenTokens()[0], address }]]]),
});
const sound: Sabotage = (given) => given;
const broken = answer(500);

testProbes(rules, {
  'lookups/every-chain': {
    'could not run': 'unknown silent',
    fails: '404 501 500 401',
    cases: [
      [where(both(at(PATHS.tokens), has('chainId', '501')), refuse), '501'],
      [where(both(at(PATHS.chainInfo), has('chainId', '31337')), refuse), '31337'],
    ],
    asks: ['tokens', 'chainInfo', 'tokens chainId=501', 'chainInfo chainId=501'],
  },
  'lookups/tokens-tradable': {
    'could not run': 'unknown untraded',
    cases: [
      [sound, without(BOUGHT)],
      // A token that can be sold alone trades.
      [where(has('buyToken', BOUGHT), refuse), without(BOUGHT)],
      [
        sound,
        listing(GHOST),
        `"SLD" ("${GHOST}"), which /tokens names for chain 31337 | none for 12 requests; here 400 "INVALID"`,
      ],
      [
        sound,
        { chainInfo: new Map([[31337, { ...goldenChainInfo(), usdTokenAddress: GHOST }]]) },
        `"the USD token" ("${GHOST}"), which /chainInfo names`,
      ],
      // Native by its alias is left to a rule of its own.
      [sound, listing(NATIVE)],
      [
        refuse,
        without(...everyToken),
        'the USD token',
        'the wrapped',
        'SLD',
        '"USD"',
        'WRP',
        'BGT',
      ],
      // A chain that is down says nothing of its tokens.
      [broken, without(...everyToken)],
      [broken, listing(GHOST), '"SLD"'],
    ],
    asks: [],
  },
});

test.each([
  [sound, 1],
  [where(has('buyToken', BOUGHT), refuse), 4],
])('a token that no trade has shown -> asked for until a plan comes', async (service, requests) => {
  const session = modelSession(service, without(BOUGHT));
  const verdict = await tradable.run(session);
  expect([verdict?.kind, session.sent.length]).toEqual(['judged', requests]);
});
