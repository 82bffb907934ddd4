import { describe, expect, test } from 'vitest';
import { PATHS } from '../contract/paths.ts';
import type { Facts } from '../discovery/facts.ts';
import { parameterIn } from '../generate/trades.ts';
import { CATALOG } from './catalog.ts';
import { BOUGHT, goldenChainInfo, goldenTokens, NATIVE, USD } from './golden.testing.ts';
import { modelFacts, modelSession, type Sabotage } from './model-service.testing.ts';

const rule = CATALOG.find(({ id }) => id === 'lookups/tokens-tradable');
if (rule?.kind !== 'probe') throw new Error('no rule');
const probe = rule;
const GHOST = `0x${'7'.repeat(40)}`;

/** Facts in which nothing is known to trade of some tokens. */
function factsWithout(addresses: readonly string[], change: Partial<Facts> = {}): Facts {
  const market = modelFacts.markets.get(31337);
  if (market === undefined) throw new Error('the model has no market');
  const pairs = market.pairs.filter(
    ({ sell, buy }) => !addresses.includes(sell.address) && !addresses.includes(buy.address),
  );
  return { ...modelFacts, markets: new Map([[31337, { ...market, pairs }]]), ...change };
}

async function judge(facts: Facts, sabotage?: Sabotage) {
  const session = modelSession(sabotage);
  const verdict = await probe.run({ ...session, facts });
  if (verdict?.kind !== 'judged') return { said: verdict?.kind, sent: session.sent.length };
  const said = verdict.findings.map(({ expected, actual }) => `${expected} | ${actual}`);
  return { said, checks: verdict.checks, sent: session.sent.length };
}

const listing = (address: string): Partial<Facts> => ({
  tokens: new Map([[31337, [...goldenTokens(), { ...goldenTokens()[0], address }]]]),
});

describe('lookups/tokens-tradable', () => {
  test('every token seen in a trade -> nothing is asked', async () => {
    expect(await judge(modelFacts)).toEqual({ said: [], checks: 6, sent: 0 });
  });

  test('a token that no trade has shown, and trades -> asked for until a plan comes', async () => {
    expect(await judge(factsWithout([BOUGHT]))).toEqual({ said: [], checks: 6, sent: 1 });
  });

  test('a token that can be sold alone -> trades', async () => {
    const unbought: Sabotage = (answer, params, path) =>
      path === PATHS.swap && parameterIn(params, 'buyToken') === BOUGHT
        ? { status: 400, body: { error: 'NO', message: 'no' } }
        : answer;
    const { said, sent } = await judge(factsWithout([BOUGHT]), unbought);
    expect(said).toEqual([]);
    expect(sent).toBeGreaterThan(3);
  });

  test('a token that is listed and unknown -> told, with the list that names it', async () => {
    const { said } = await judge(factsWithout([], listing(GHOST)));
    expect(said).toEqual([
      `a plan that sells or buys "SLD" ("${GHOST}"), which /tokens names for chain 31337 | none for 12 requests; here 400 "INVALID"`,
    ]);
  });

  test('a USD token that nothing trades -> told', async () => {
    const chainInfo = new Map([[31337, { ...goldenChainInfo(), usdTokenAddress: GHOST }]]);
    const { said } = await judge(factsWithout([], { chainInfo }));
    expect(said).toHaveLength(1);
    expect(String(said)).toContain('the USD token');
    expect(String(said)).toContain('/chainInfo');
  });

  test('a chain that trades nothing -> every token of it is told', async () => {
    const refuse: Sabotage = () => ({ status: 400, body: { error: 'NO', message: 'no' } });
    const everything = [
      NATIVE,
      USD,
      ...goldenTokens().map(({ address }: { address: string }) => address),
    ];
    const { said, checks } = await judge(factsWithout(everything), refuse);
    expect(said).toHaveLength(checks ?? 0);
  });

  test('native by its alias -> left to its own rule', async () => {
    expect((await judge(factsWithout([], listing(NATIVE)))).said).toEqual([]);
  });

  test('no chain in scope -> could not run', async () => {
    expect((await judge({ ...modelFacts, markets: new Map() })).said).toBe('could-not-run');
  });
});
