import { expect, test } from 'vitest';
import { exchangeWith } from '../../conformance/client/exchange.testing.ts';
import type { Exchange } from '../../conformance/client/exchange.ts';
import { createRedactor } from '../../conformance/client/redaction.ts';
import { BOUGHT, SOLD } from '../../conformance/model/golden-addresses.ts';
import { goldenFacts, goldenSwap } from '../../conformance/model/golden-replies.testing.ts';
import type { Address } from '../../conformance/model/trade-request.ts';
import { DEFAULT_SETTINGS } from '../model/default-settings.ts';
import type { StudyTrade } from '../model/measured-trade.ts';
import { requestTrade } from './request-trade.ts';
import type { StudiedService } from './studied-service.ts';

const trade: StudyTrade = {
  ...{ id: 0, ladder: 0, rank: 1, chainId: 1, usd: 10, amount: '1000' },
  ...{ swapKind: 'exact-input', router: 'universal-router', useRfq: false },
  sell: { address: SOLD, symbol: 'SOLD', decimals: 18, native: false },
  buy: { address: BOUGHT, symbol: 'BOUGHT', decimals: 18, native: false },
};

const SETTINGS = { ...DEFAULT_SETTINGS, chains: [1], sizes: [10], blocks: [0] };

function serviceOf(apiKey: string, exchange: Exchange): StudiedService {
  return {
    ...{ name: 'one', user: SOLD as Address, facts: goldenFacts, redactor: createRedactor(apiKey) },
    ...{ get: async () => exchange, sent: () => 1, lost: () => undefined, close: async () => {} },
  };
}

test('a service that puts the key into names of a plan -> the key is in no measurement', async () => {
  const body = goldenSwap();
  body.tokens[0].symbol = body.routes[0].name = 'my-secret-key';
  const { answer } = await requestTrade(
    serviceOf('my-secret-key', exchangeWith(body)),
    trade,
    SETTINGS,
  );
  expect(answer).toMatchObject({ kind: 'quoted', plan: { tokens: expect.anything() } });
  expect(JSON.stringify(answer)).not.toContain('my-secret-key');
});

test('no reply, with a key of one letter -> our own message is not redacted', async () => {
  const outcome = { kind: 'no-reply', cause: 'refused', message: 'it refused' } as const;
  const exchange = { ...exchangeWith({}), outcome };
  const { answer } = await requestTrade(serviceOf('e', exchange), trade, SETTINGS);
  expect(JSON.stringify(answer)).toContain('it refused');
});
