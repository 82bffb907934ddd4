import { expect, test } from 'vitest';
import { USD } from '../../model/golden-replies.testing.ts';
import { brokenReply, verdictOn } from '../../rule-kit/broken-replies.testing.ts';
import { rules } from './replies.ts';

const between = rules.find(({ id }) => id === 'plan/conserves-between');

test('dust at intermediate tokens -> reported with its size; at a tolerance of 0 -> a failure', () => {
  expect(verdictOn(between, brokenReply('swap', {}))?.dust).toEqual({
    baseUnits: 73n,
    partsPerMillion: 0.007314325,
    token: USD,
    symbol: 'USD',
    decimals: 6,
  });
  const strict = verdictOn(between, brokenReply('swap', {}, { tolerancePpm: 0 }));
  expect(strict?.findings.map(({ pointer }) => pointer).sort()).toEqual(['/tokens/1', '/tokens/2']);
});
