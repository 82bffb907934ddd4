import { expect, test } from 'vitest';
import { modelSession } from '../model/model-service.testing.ts';
import { CATALOG } from '../rules/catalog.ts';
import { RENAMED } from '../rules/renamed-rules.ts';
import { selectRules } from './select-rules.ts';
import { openWaivers } from './waivers.ts';

test.each([...RENAMED])('%s -> selects and waives %s', async (former, present) => {
  const ids = new Set(CATALOG.map(({ id }) => id));
  expect([ids.has(former), ids.has(present)]).toEqual([false, true]);
  const { selected } = selectRules(CATALOG, { only: [former] });
  expect(selected.map(({ id }) => id)).toEqual([present]);
  const waiver = { rule: former, reason: 'known', expires: '2999-01-01' };
  const exchange = await modelSession().get({ path: '/api/v1.0/chains', query: [] });
  const { waiverOf } = openWaivers([waiver], '2026-01-01');
  expect(waiverOf(present, { fault: 'f', exchange })).toBe(waiver);
});
