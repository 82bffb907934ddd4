import { hash, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Query } from './query.ts';

/** The keys of a service. */
export type KeyRing = {
  /** Whether a text is a key; how long a wrong one takes tells nothing of a right one. */
  readonly isKey: (text: string) => boolean;
  /** Milliseconds until a key may ask again; 0 where it may now, and then it has asked. */
  readonly askedBy: (key: string, nowMs: number) => number;
  /** Returns what of these texts must not be shown. */
  readonly secretsIn: (texts: Iterable<string>) => readonly string[];
  /** Whether what was once let in always will be: where not, each request is checked anew. */
  readonly isFixed: boolean;
};

/** A ring whose keys are read anew when the operator says so. */
export type KeyFile = KeyRing & {
  /** @throws {KeyFileError} leaving the keys as they were */
  readonly reload: () => void;
};

/** Returns the ring of keys that are known as they are, for as long as the service runs. */
export function ringOf(apiKeys: readonly string[]): KeyRing {
  const entries = apiKeys.map((key) => ({ digest: digestOf(key) }));
  return {
    isKey: (text) => find(entries, text) !== undefined,
    askedBy: () => 0,
    secretsIn: () => apiKeys,
    isFixed: true,
  };
}

/**
 * Returns the ring of a file: a key a line, or `sha256:` and its digest in hex,
 * then perhaps `rate=` and how many requests a second it may send. What stands
 * behind `#` is not read. Of a key no more than its digest is kept.
 *
 * @throws {KeyFileError} naming the line
 */
export function readKeyFile(path: string): KeyFile {
  let entries = parseKeys(path);
  return {
    isKey: (text) => find(entries, text) !== undefined,
    askedBy: (key, nowMs) => find(entries, key)?.take(nowMs) ?? 0,
    // A key that is not kept is known only where it stands: as a text, or as a word of one.
    secretsIn: (texts) =>
      [...texts].flatMap((text) =>
        [text, ...text.split(/[^\w~+/=-]+/), ...text.split(/[^\w~-]+/)].filter(
          (word) => word !== '' && find(entries, word) !== undefined,
        ),
      ),
    isFixed: false,
    reload: () => {
      entries = parseKeys(path);
    },
  };
}

/** Returns what must not be shown of a request, or in answer to it. */
export function secretsOf(query: Query, keyRing: KeyRing): readonly string[] {
  return [...keyRing.secretsIn(textsIn(query)), ...(query.get('apiKey') ?? [])];
}

function* textsIn(query: Query): Generator<string, void> {
  for (const values of query.values()) yield* values;
}

type Entry = { readonly digest: Buffer; readonly take: (nowMs: number) => number };

function parseKeys(path: string): readonly Entry[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new KeyFileError(`${path}: ${cause instanceof Error ? cause.message : cause}`);
  }
  const entries = text.split('\n').flatMap((line, index): Entry[] => {
    const [key = '', limit, ...more] = line
      .replace(/(^|\s)#.*/, '')
      .trim()
      .split(/\s+/);
    if (key === '') return [];
    const rate =
      limit === undefined ? undefined : /^rate=([0-9]{1,6}(\.[0-9]+)?)$/.exec(limit)?.[1];
    const isRight = more.length === 0 && (limit === undefined || Number(rate) > 0);
    const digest = key.startsWith('sha256:') ? key.slice(7) : digestOf(key).toString('hex');
    if (!isRight || !/^[0-9a-f]{64}$/i.test(digest)) {
      const where = `${path}, line ${index + 1}`;
      throw new KeyFileError(`${where}: expected KEY or sha256:HEX, then perhaps rate=NUMBER`);
    }
    return [{ digest: Buffer.from(digest, 'hex'), take: limiterOf(Number(rate)) }];
  });
  if (entries.length === 0) throw new KeyFileError(`${path}: expected at least one key`);
  return entries;
}

/** Lets `rate` requests a second through, and as many at once; all of them where there is none. */
function limiterOf(rate: number): Entry['take'] {
  if (Number.isNaN(rate)) return () => 0;
  const most = Math.max(1, rate);
  let tokens = most;
  let lastMs = 0;
  return (nowMs) => {
    tokens = Math.min(most, tokens + ((nowMs - lastMs) / 1_000) * rate);
    lastMs = nowMs;
    if (tokens < 1) return ((1 - tokens) / rate) * 1_000;
    tokens -= 1;
    return 0;
  };
}

/** Compares with every one, whichever fits. */
function find<E extends { readonly digest: Buffer }>(entries: readonly E[], key: string) {
  const given = digestOf(key);
  let found: E | undefined;
  for (const entry of entries) if (timingSafeEqual(entry.digest, given)) found = entry;
  return found;
}

function digestOf(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

/** Thrown for a file of keys that cannot be read; it never quotes a key. */
export class KeyFileError extends Error {
  override readonly name = 'KeyFileError';
}
