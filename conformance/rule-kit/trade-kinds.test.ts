import { expect, test } from 'vitest';
import type { RequestTarget } from '../client/request.ts';
import { exactOutput } from '../generate/trades.ts';
import type { ServiceChange } from '../model/breaks.ts';
import { modelMarket } from '../model/model-market.testing.ts';
import { modelSession } from '../model/model-service.testing.ts';
import type { Session } from '../model/session.ts';
import { probeOf, runProbe } from '../model/verdict.testing.ts';
import { outcomeOf } from './broken-services.testing.ts';
import { has, on, reject } from './service-breaks.ts';
import { plansEachKind } from './trade-kinds.ts';

const CHAINS = Array.from({ length: 13 }, (_, index) => index + 1);

function manyChains(change?: ServiceChange): Session {
  const markets = new Map(CHAINS.map((chainId) => [chainId, { ...modelMarket, chainId }]));
  const session = modelSession(change, { markets });
  const get = ({ query, ...target }: RequestTarget) =>
    session.get({
      ...target,
      query:
        typeof query === 'string'
          ? query
          : query.map(([name, value]) => [name, name === 'chainId' ? '31337' : value]),
    });
  return { ...session, get };
}

test('chains that each have too few trades -> judged together', async () => {
  const rule = probeOf(plansEachKind('purchase', exactOutput));
  expect(outcomeOf(await runProbe(rule, manyChains()))).toBe('passes');
  const verdict = await runProbe(rule, manyChains(on(has('buyAmount'), reject)));
  expect(outcomeOf(verdict)).toBe('fails');
});
