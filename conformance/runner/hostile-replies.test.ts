import { expect, onTestFinished, test } from 'vitest';
import { HOSTILE_REPLIES } from '../../fixtures/testing/hostile-replies.testing.ts';
import { serveRaw } from '../../fixtures/testing/tiny-server.testing.ts';
import { createClient } from '../client/client.ts';
import type { Exchange } from '../client/exchange.ts';
import { PATHS } from '../contract/paths.ts';
import { CATALOG } from '../rules/catalog.ts';
import { createReplyJudge } from './judging.ts';
import { Ledger } from './ledger.ts';

test.each(Object.entries(HOSTILE_REPLIES))(
  '%s -> its outcome, and the rules that fail',
  async (_, { send, client, fails }) => {
    const exchange = await request(send, /timeout/.test(client.source) ? 200 : 20_000);
    expect(describeOutcome(exchange)).toMatch(client);
    const ledger = new Ledger({ rules: CATALOG, weigh: () => 1 });
    await createReplyJudge({ rules: CATALOG, ledger, tolerancePpm: 1 })(exchange, undefined, {});
    const failed = [...ledger.tallies].filter(([, { causes }]) => causes.size > 0);
    expect(failed.map(([id]) => id)).toEqual(fails);
  },
);

async function request(send: Parameters<typeof serveRaw>[0], timeoutMs: number) {
  const { url, close } = await serveRaw(send);
  onTestFinished(close);
  const client = createClient({ url: new URL(url), timeoutMs, apiKey: 'key-to-hide' });
  onTestFinished(client.close);
  return client.send({ path: PATHS.chains, query: [] }, new AbortController().signal);
}

function describeOutcome({ outcome }: Exchange): string {
  if (outcome.kind === 'no-reply') return `${outcome.cause}: ${outcome.message}`;
  const isText = outcome.kind === 'reply' && outcome.document.kind === 'not-json';
  return `${outcome.status}: ${isText ? outcome.document.reason : 'JSON'}`;
}
