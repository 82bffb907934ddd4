import { describe, expect, test } from 'vitest';
import { indexFacts } from '../discovery/known-chain.ts';
import { coverMarket } from '../generate/traffic.ts';
import { readJudgedReply } from '../model/judged-reply.ts';
import { modelFacts } from '../model/model-market.testing.ts';
import { modelSession } from '../model/model-service.testing.ts';
import { verdictOn } from '../rule-kit/broken-replies.testing.ts';
import { CATALOG } from './catalog.ts';

describe('a sound service', () => {
  test('its traffic -> no reply rule fails, and enough plans are returned', async () => {
    const session = modelSession();
    const known = indexFacts(modelFacts);
    const statuses = new Map<number, number>();
    for (const target of coverMarket(modelFacts, 1)) {
      const exchange = await session.get(target);
      if (exchange.outcome.kind !== 'reply') throw new Error('no reply');
      const { status } = exchange.outcome;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const input = readJudgedReply(exchange, exchange.outcome, { known, tolerancePpm: 0 });
      const failed = CATALOG.filter((rule) => (verdictOn(rule, input)?.findings.length ?? 0) > 0);
      const failures = failed.map(({ id }) => `${id} on ${exchange.target}`);
      expect(failures.filter((line) => !line.startsWith('swap/usd-values-agree'))).toEqual([]);
    }
    expect([...statuses.keys()].sort()).toEqual([200, 400]);
    const requests = [...statuses.values()].reduce((sum, count) => sum + count, 0);
    expect(statuses.get(200)).toBeGreaterThan(0.75 * requests);
  });

  test('another seed -> other requests', () => {
    const traffic = (seed: number) => JSON.stringify([...coverMarket(modelFacts, seed)]);
    expect(traffic(5)).not.toBe(traffic(6));
  });
});
