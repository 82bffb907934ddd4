import { describe, expect, test } from 'vitest';
import { UsageError } from '../output/usage-error.ts';
import { createClient } from './client.ts';
import { type Answer, inProcess } from './in-process.testing.ts';
import { KEY_PLACEHOLDER, type RequestTarget, writeTarget } from './request.ts';

const swap = '/api/v1.0/swap';
const never = new AbortController().signal;

async function send(target: RequestTarget, apiKey: string, answer: (sent: string) => Answer) {
  let sent = '';
  const transport = inProcess((_, request) => {
    sent = request.target;
    return answer(sent);
  });
  const client = createClient({ apiKey, transport });
  const exchange = await client.send(target, never);
  return { exchange, sent };
}

describe('writeTarget', () => {
  test('pairs -> percent-encoded in order, the key last', () => {
    const query = [
      ['sellToken', '0xA b'],
      ['a&b', '='],
    ] as const;
    expect(writeTarget({ path: swap, query })).toBe(
      `${swap}?sellToken=0xA%20b&a%26b=%3D&apiKey=${KEY_PLACEHOLDER}`,
    );
  });

  test('a query string -> sent byte for byte', () => {
    const target: RequestTarget = { path: swap, query: 'a=%2f+&&b', key: 'as-written' };
    expect(writeTarget(target)).toBe(`${swap}?a=%2f+&&b`);
  });

  test('no query, no key -> the bare path', () => {
    expect(writeTarget({ path: swap, query: [], key: 'as-written' })).toBe(swap);
  });
});

describe('createClient', () => {
  test('a key of more than 4,096 characters -> rejected, and not shown', () => {
    const transport = inProcess(() => ({}));
    const apiKey = 'k3y'.repeat(1_366);
    expect(() => createClient({ apiKey, transport })).toThrow(
      new UsageError('the API key has 4098 characters: expected at most 4096'),
    );
    expect(() => createClient({ apiKey: apiKey.slice(2), transport })).not.toThrow();
  });

  test('many large bodies at once -> each is judged before the next is parsed', async () => {
    const body = JSON.stringify(['x'.repeat(1_500_000)]);
    const client = createClient({ transport: inProcess(() => ({ body })) });
    let judging = 0;
    const sizes = Array.from({ length: 6 }, async () => {
      const { outcome } = await client.send({ path: swap, query: [] }, never);
      expect(++judging).toBe(1);
      for (let turns = 0; turns < 100; turns++) await Promise.resolve();
      judging--;
      return outcome.kind === 'reply' ? outcome.text.length : outcome;
    });
    expect(await Promise.all(sizes)).toEqual(Array(6).fill(body.length));
  });

  test('the run ends while large bodies wait to be parsed -> none of them is parsed', async () => {
    const ending = new AbortController();
    const body = JSON.stringify(['x'.repeat(1_500_000)]);
    const client = createClient({ transport: inProcess(() => ({ body })) });
    const outcomes = Array.from({ length: 6 }, async () => {
      const { outcome } = await client.send({ path: swap, query: [] }, ending.signal);
      ending.abort();
      return outcome.kind === 'no-reply' ? outcome.cause : outcome.kind;
    });
    expect(await Promise.all(outcomes)).toEqual(['reply', ...Array(5).fill('aborted')]);
  });

  const odd = 'k&y=%/"\\ é+$(1)';

  test('an odd key -> sent percent-encoded, and absent from the exchange', async () => {
    const { exchange, sent } = await send({ path: swap, query: [['a', 'b']] }, odd, (target) => ({
      body: JSON.stringify({ error: 'X', message: `key ${odd}`, details: { target } }),
      headers: { 'Set-Cookie': `k=${encodeURIComponent(odd)}`, 'set-cookie': odd },
    }));
    expect(sent).toBe(`${swap}?a=b&apiKey=${encodeURIComponent(odd)}`);
    expect(exchange.query).toEqual([
      ['a', 'b'],
      ['apiKey', KEY_PLACEHOLDER],
    ]);
    const text = JSON.stringify(exchange);
    for (const encoded of [odd, encodeURIComponent(odd), JSON.stringify(odd).slice(1, -1)]) {
      expect(text).not.toContain(encoded);
    }
    expect(exchange.outcome).toMatchObject({
      headers: { 'set-cookie': [`k=${KEY_PLACEHOLDER}`, KEY_PLACEHOLDER] },
      document: { kind: 'json', value: { message: `key ${KEY_PLACEHOLDER}` } },
    });
  });

  test('a one-character key -> the judged body is unchanged', async () => {
    const { exchange } = await send({ path: swap, query: [] }, '1', () => ({
      body: '{"a":"101"}',
    }));
    expect(exchange.outcome).toMatchObject({ document: { value: { a: '101' } } });
    expect(exchange.target).toBe(`${swap}?apiKey=${KEY_PLACEHOLDER}`);
  });
});
