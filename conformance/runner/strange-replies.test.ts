import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expectLinear } from '../checks/growth.testing.ts';
import { createClient } from '../client/client.ts';
import { inProcess } from '../client/in-process.testing.ts';
import { API_PREFIX } from '../contract/paths.ts';
import { goldenFacts, goldenQuery } from '../model/golden-replies.testing.ts';
import { CATALOG } from '../rules/catalog.ts';
import { createLedger } from './ledger.ts';
import { createReplyJudge } from './reply-judge.ts';
import { STRANGE_ENTRIES, type Strange, strangeReply } from './strange-replies.testing.ts';

const BYTES = 50_000;

/** Judges a reply, from its bytes to what is written down of it. */
async function judge(operation: string, body: string): Promise<void> {
  const ledger = createLedger({ rules: CATALOG, weigh: () => 1, apart: new Set() });
  const judgeReply = createReplyJudge(CATALOG, ledger, 1);
  const transport = inProcess(() => ({ body }));
  const client = createClient({ transport, apiKey: 'a-key-that-tells-0123' });
  const target = { path: `${API_PREFIX}/${operation}`, query: Object.entries(goldenQuery) };
  await client.send(target, new AbortController().signal, (exchange) =>
    judgeReply(exchange, { ...goldenFacts }, { target }),
  );
  const broken = [...ledger.tallies.values()].filter(({ setback }) => setback !== undefined);
  expect(broken).toEqual([]);
}

/** A size of which a reply has about as many bytes as are wanted. */
function sizeOf(of: Strange): number {
  let size = 64;
  while (of(size).length < BYTES) size *= 2;
  return size;
}

const drawn = fc
  .sample(strangeReply, { seed: 1, numRuns: process.env['SWAPCHECK_LONG'] ? 400 : 12 })
  .map(
    ([operation, of], index) => [operation, `much of one thing, draw ${index + 1}`, of] as const,
  );

const entries = Object.entries(STRANGE_ENTRIES).map(([what, of]) => ['swap', what, of] as const);

test.each([...entries, ...drawn])(
  '%s: %s -> judged in time linear in its bytes',
  (operation, _, of) =>
    expectLinear((size) => {
      const body = of(size);
      return () => judge(operation, body);
    }, sizeOf(of)),
);
