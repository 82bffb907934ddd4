import { expect, test } from 'vitest';
import { USD } from '../../model/golden-addresses.ts';
import { brokenReply, verdictOn } from '../../rule-kit/broken-replies.testing.ts';
import { Ledger } from '../../runner/ledger.ts';
import { rules } from './replies.ts';

const between = rules.find(({ id }) => id === 'plan/conserves-between');

test('dust at intermediate tokens -> reported with its size; at a tolerance of 0 -> a failure', () => {
  const { exchange, plan } = brokenReply('swap', {});
  const ledger = new Ledger({ rules, weigh: () => 0 });
  if (plan !== undefined) ledger.addDust(plan, exchange.id);
  expect(ledger.largestDust).toEqual({
    baseUnits: '73',
    partsPerMillion: 0.007314325,
    token: USD,
    symbol: 'USD',
    decimals: 6,
    exchange: exchange.id,
  });
  const strict = verdictOn(between, brokenReply('swap', {}, { tolerancePpm: 0 }));
  expect(strict?.findings.map(({ pointer }) => pointer).sort()).toEqual(['/tokens/1', '/tokens/2']);
});
