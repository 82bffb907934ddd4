import type { JsonDocument, NoReply, Reply } from './exchange.ts';
import { decodeUtf8, NOT_UTF8, readJson } from './read-json.ts';
import type { Redact } from './redaction.ts';
import type { WireReply } from './transport.ts';

/** Options for reading a reply. */
export type ReadOptions = { readonly redact?: Redact; readonly maxValues?: number };

/**
 * Returns received bytes as a reply, with the body parsed as JSON. Returns a `NoReply` if the body
 * has too many values.
 */
export function readReply(
  { status, rawHeaders, body }: Pick<WireReply, 'status' | 'rawHeaders' | 'body'>,
  { redact = (text) => text, maxValues = Number.POSITIVE_INFINITY }: ReadOptions = {},
): Reply | NoReply {
  const decoded = decodeUtf8(body);
  const text = redact(decoded ?? body.toString('latin1'));
  const document: JsonDocument | undefined =
    decoded === undefined ? { kind: 'not-json', reason: NOT_UTF8 } : readJson(text, maxValues);
  if (document === undefined) {
    const message = `the body contains more than ${maxValues} values`;
    return { kind: 'no-reply', cause: 'too-large', message };
  }
  return { kind: 'reply', status, headers: readHeaders(rawHeaders, redact), text, document };
}

/**
 * Objects that inherit from this one are faster to fill and iterate than objects with a null
 * prototype.
 */
const NO_HEADERS = Object.create(null);

function readHeaders(raw: readonly string[], redact: Redact): Reply['headers'] {
  const headers: Record<string, string[]> = Object.create(NO_HEADERS);
  const all = raw.join('\n');
  const hasKey = redact(all) !== all;
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] ?? '').toLowerCase();
    const text = raw[i + 1] ?? '';
    const value = hasKey ? redact(text) : text;
    const values = headers[name];
    if (values === undefined) headers[name] = [value];
    else values.push(value);
  }
  return headers;
}
