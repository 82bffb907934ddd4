import { hash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { pino } from 'pino';
import request from 'supertest';
import { expect, onTestFinished, test } from 'vitest';
import { useFolder } from '../../scripts/tests/helpers/use-folder.testing.ts';
import { createApp } from './app.ts';
import { KeyFileError, readKeyFile, ringOf } from './key-ring.ts';

const digest = hash('sha256', 'hashed-key', 'hex');

function ringFrom(text: string) {
  const { write, at } = useFolder(onTestFinished);
  write('keys', text);
  return { ring: readKeyFile(at('keys')), write, remove: () => rmSync(at('keys')) };
}

test('a file of keys and digests -> lets both in, and nobody else', () => {
  const { ring } = ringFrom(`# ours\n\nplain-key\nsha256:${digest} rate=2 # a partner\n`);
  expect(ring.isKey('plain-key')).toBe(true);
  expect(ring.isKey('hashed-key')).toBe(true);
  for (const other of ['', '#', 'rate=2', digest, `sha256:${digest}`, 'plain-ke']) {
    expect(ring.isKey(other), other).toBe(false);
  }
});

test('a file read anew -> its keys alone; one that cannot be read -> the keys as they were', () => {
  const { ring, write, remove } = ringFrom('old-key');
  write('keys', 'new-key');
  ring.reload();
  expect([ring.isKey('old-key'), ring.isKey('new-key')]).toEqual([false, true]);
  remove();
  expect(() => ring.reload()).toThrow(KeyFileError);
  expect(ring.isKey('new-key')).toBe(true);
});

test.each([
  '',
  '# none',
  'a-key rate=0',
  'a-key rate=fast',
  'a-key rate=1 more',
  'sha256:12',
  'a key',
])('%j -> refused, without the key in what is said', (text) => {
  expect(() => ringFrom(text)).toThrow(KeyFileError);
  expect(() => ringFrom(text)).not.toThrow(/a-key/);
});

test('a limit -> as many a second, then how long to wait; a key without one asks on', () => {
  const { ring } = ringFrom('slow rate=2\nfree');
  const waits = (key: string, nowMs: number) => ring.askedBy(key, nowMs);
  expect([waits('slow', 0), waits('slow', 0), waits('slow', 0)]).toEqual([0, 0, 500]);
  expect([waits('slow', 250), waits('slow', 500), waits('slow', 500)]).toEqual([250, 0, 500]);
  expect(Array.from({ length: 100 }, () => waits('free', 0))).toEqual(Array(100).fill(0));
});

test('keys that are not kept -> found where they stand, whole or as a word', () => {
  const { ring } = ringFrom('secret-1\nc2Vj/cmV0+Mg==');
  expect(ring.secretsIn(['secret-1', 'x'])).toContain('secret-1');
  expect(ring.secretsIn(['see secret-1, please', 'a/secret-1/b'])).toEqual(
    expect.arrayContaining(['secret-1']),
  );
  expect(ring.secretsIn(['key c2Vj/cmV0+Mg== there'])).toContain('c2Vj/cmV0+Mg==');
  expect(ring.secretsIn(['nothing here'])).toEqual([]);
  expect(ringOf(['a', 'b']).secretsIn([])).toEqual(['a', 'b']);
});

test('a service with a file of keys -> a key that is gone is refused, a limit held, no key shown', async () => {
  const { ring, write } = ringFrom('limited rate=0.001\nold-key\n');
  const log: string[] = [];
  const logger = pino({ level: 'info' }, { write: (line) => void log.push(line) });
  const app = createApp({ keyRing: ring, logger }).callback();
  const ask = (path: string, query: Record<string, string>) => request(app).get(path).query(query);
  const chains = (apiKey: string) => ask('/api/v1.0/chains', { apiKey });
  expect((await chains('old-key')).status).toBe(200);
  write('keys', 'limited rate=0.001\nnew-key\n');
  ring.reload();
  expect((await chains('old-key')).body.error).toBe('UNKNOWN_API_KEY');
  expect((await chains('new-key')).status).toBe(200);
  expect((await chains('limited')).status).toBe(200);
  const refused = await chains('limited');
  expect([refused.status, refused.body.error]).toEqual([429, 'RATE_LIMITED']);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(900);
  const echo = await ask('/api/v1.0/tokens', { apiKey: 'new-key', chainId: 'limited' });
  expect(echo.body.message).toContain('[redacted]');
  await ask('/limited/new-key', {});
  expect(log).toHaveLength(7);
  expect(JSON.stringify([echo.body, log])).not.toMatch(/limited|new-key/);
});
