import { describe, expect, test } from 'vitest';
import { coverMarket } from '../generate/traffic.ts';
import { modelFacts } from '../model/model-market.testing.ts';
import { modelSession } from '../model/model-service.testing.ts';
import type { ProbeRule } from '../model/rule.ts';
import { verdictOn } from '../rule-kit/replies.testing.ts';
import { CATALOG } from './catalog.ts';

const probes = CATALOG.filter((rule): rule is ProbeRule => 'run' in rule);

describe('a service that keeps every promise', () => {
  test('its traffic -> no reply rule fails, all of them answered by plans often enough', async () => {
    const session = modelSession();
    const statuses = new Map<number, number>();
    for (const target of coverMarket(modelFacts, 1)) {
      const exchange = await session.get(target);
      if (exchange.outcome.kind !== 'reply') throw new Error('no reply');
      const { status } = exchange.outcome;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const input = { exchange, reply: exchange.outcome, facts: modelFacts, tolerancePpm: 0 };
      const failed = CATALOG.filter((rule) => (verdictOn(rule, input)?.findings.length ?? 0) > 0);
      const told = failed.map(({ id }) => `${id} on ${exchange.target}`);
      expect(told.filter((line) => !line.startsWith('swap/usd-values-agree'))).toEqual([]);
    }
    expect([...statuses.keys()].sort()).toEqual([200, 400]);
    expect(statuses.get(200)).toBeGreaterThan(2_000);
  });

  test('one seed -> the same requests; another -> others', async () => {
    const sent = async (seed: number) => {
      const session = { ...modelSession(), seed };
      const log = modelSession();
      for (const rule of probes.slice(0, 20)) await rule.run({ ...session, get: log.get });
      return JSON.stringify(log.sent);
    };
    expect(await sent(5)).toBe(await sent(5));
    const traffic = (seed: number) => JSON.stringify([...coverMarket(modelFacts, seed)]);
    expect(traffic(5)).toBe(traffic(5));
    expect(traffic(5)).not.toBe(traffic(6));
  });
});
