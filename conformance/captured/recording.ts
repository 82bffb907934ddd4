import { closeSync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Entry } from 'har-format';
import type { Exchange, Reply } from '../client/exchange.ts';
import { PACKAGE_VERSION } from '../client/package-version.ts';
import { NOT_UTF8 } from '../client/read-json.ts';
import { type Redactor, redactDeep, redactJson } from '../client/redaction.ts';
import { KEY_PLACEHOLDER, readQuery } from '../client/request.ts';
import { API_PREFIX } from '../contract/paths.ts';
import { UsageError } from '../output/usage-error.ts';

/** An open file of exchanges, which `check` can read later. */
export type Recording = ReturnType<typeof openRecording>;

/** Options of a recording. */
export type RecordingOptions = {
  /** Base URL of the service. */
  readonly baseUrl: string;
  readonly redactor: Redactor;
  /**
   * Called once when writing becomes impossible, for example on a full disk. The file then ends
   * after the last complete exchange.
   */
  readonly onLost: (error: RecordingLostError) => void;
};

type Format = {
  readonly head: string;
  readonly entry: (exchange: Exchange, reply: Reply, baseUrl: string) => unknown;
  readonly between: string;
  readonly foot: string;
};

const CREATOR = JSON.stringify({ name: 'swapcheck', version: PACKAGE_VERSION });
/** @see http://www.softwareishard.com/blog/har-12-spec/ */
const HAR_HEAD = `{"log":{"version":"1.2","creator":${CREATOR},"comment":"Requests to ${API_PREFIX}","entries":[\n`;

const FORMATS: Readonly<Record<string, Format>> = {
  har: { head: HAR_HEAD, entry: harEntry, between: ',\n', foot: '\n]}}\n' },
  ndjson: { head: '', entry: lineOf, between: '\n', foot: '\n' },
};

/**
 * Opens a recording. The extension selects HAR or NDJSON. The file is valid after each exchange,
 * even if the process is killed.
 *
 * @throws {UsageError} for another extension, or a file that cannot be written
 */
export function openRecording(path: string, options: RecordingOptions) {
  const { baseUrl, redactor, onLost } = options;
  const format = formatOf(path);
  const { file, length: head } = openFile(path, format);
  let length = head;
  let isEmpty = true;
  let isClosed = false;
  const close = (): void => {
    if (!isClosed) closeSync(file);
    isClosed = true;
  };
  return {
    /**
     * Adds an exchange with one of the four operations. Skips other exchanges, since no rule judges
     * their replies.
     */
    add: (exchange: Exchange): void => {
      const { outcome, endpoint } = exchange;
      if (isClosed || endpoint === undefined || outcome.kind !== 'reply') return;
      const garbled = isGarbled(outcome, redactor) && ({ garbled: true } as const);
      const entry = format.entry(
        { ...exchange, ...garbled },
        withoutKey(outcome, redactor),
        baseUrl,
      );
      const text = `${isEmpty ? '' : format.between}${JSON.stringify(entry)}`;
      try {
        // The next entry overwrites the foot.
        writeAt(file, length, `${text}${format.foot}`);
      } catch (cause) {
        truncate(file, length, format.foot);
        close();
        onLost(new RecordingLostError(path, cause));
        return;
      }
      isEmpty = false;
      length += Buffer.byteLength(text);
    },
    /** Closes the file. Later exchanges are ignored. */
    close,
  };
}

function truncate(file: number, length: number, foot: string): void {
  try {
    ftruncateSync(file, length);
    if (length > 0) writeAt(file, length, foot);
  } catch {
    // Devices cannot be truncated.
  }
}

function formatOf(path: string): Format {
  const format = FORMATS[/\.([a-z]+)$/.exec(path)?.[1] ?? ''];
  if (format !== undefined) return format;
  throw new UsageError(
    `cannot record to '${path}': expected a file name that ends in .har or .ndjson`,
  );
}

function openFile(path: string, { head, foot }: Format) {
  try {
    mkdirSync(dirname(path), { recursive: true });
    const file = openSync(path, 'w');
    const length = writeAt(file, 0, head);
    if (length > 0) writeAt(file, length, foot);
    return { file, length };
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new UsageError(`${path} cannot be written (${code})`, { cause });
  }
}

function writeAt(file: number, position: number, text: string): number {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(file, bytes, done, bytes.length - done, position + done);
  }
  return bytes.length;
}

/**
 * Returns a reply without the API key, in any encoding. In JSON, only strings and names change, so
 * the result is valid JSON, whatever the key is.
 */
function withoutKey(reply: Reply, redactor: Redactor): Reply {
  const { headers, text, document } = reply;
  const plain = { ...reply, headers: redactDeep(headers, redactor.redactText) };
  if (redactor.redactText(text) === text) return plain;
  if (document.kind === 'not-json') return { ...plain, text: redactor.redactText(text) };
  const value = redactJson(document.value, redactor.redactText);
  return { ...plain, text: JSON.stringify(value), document: { ...document, value } };
}

/** If a reply contains the key only by chance, removing the key changes the reply. */
function isGarbled({ headers, text }: Reply, { mayGarble }: Redactor): boolean {
  return mayGarble(text) || Object.values(headers).flat().some(mayGarble);
}

function bodyOf({ text, document }: Reply): {
  readonly text: string;
  readonly encoding?: 'base64';
} {
  return document.kind === 'not-json' && document.reason === NOT_UTF8
    ? { text: Buffer.from(text, 'latin1').toString('base64'), encoding: 'base64' }
    : { text };
}

/** Probes also send requests without the key, or with another one. */
function isKeyless({ origin, query }: Exchange): boolean {
  return (
    origin === 'sent' &&
    !query.some(([name, value]) => name === 'apiKey' && value === KEY_PLACEHOLDER)
  );
}

function lineOf(exchange: Exchange, reply: Reply, baseUrl: string) {
  const { method, target, startedAtMs, durationMs } = exchange;
  const { text: body, ...encoding } = bodyOf(reply);
  const { status, headers } = reply;
  const time = { startedAt: new Date(startedAtMs).toISOString(), durationMs };
  const keyless = isKeyless(exchange) && { keyless: true };
  const garbled = exchange.garbled && { garbled: true };
  const url = `${baseUrl}${target}`;
  return { url, method, status, headers, body, ...encoding, ...time, ...keyless, ...garbled };
}

function harEntry(exchange: Exchange, reply: Reply, baseUrl: string): Entry {
  const { method, target, startedAtMs, durationMs } = exchange;
  const common = { httpVersion: 'HTTP/1.1', cookies: [], headersSize: -1, bodySize: -1 };
  const headers = Object.entries(reply.headers).flatMap(([name, values]) =>
    values.map((value) => ({ name, value })),
  );
  const [mimeType = ''] = reply.headers['content-type'] ?? [];
  const body = bodyOf(reply);
  const size = Buffer.byteLength(body.text, body.encoding ?? 'utf8');
  const content = { size, mimeType, ...body };
  const queryString = readQuery(target).map(([name, value]) => ({ name, value }));
  const request = { method, url: `${baseUrl}${target}`, headers: [], queryString };
  const response = { status: reply.status, statusText: '', headers, content, redirectURL: '' };
  return {
    startedDateTime: new Date(startedAtMs).toISOString(),
    time: durationMs,
    request: { ...common, ...request },
    response: { ...common, ...response },
    cache: {},
    timings: { send: 0, wait: durationMs, receive: 0 },
    // Custom fields.
    ...(isKeyless(exchange) && { _keyless: true }),
    ...(exchange.garbled && { _garbled: true }),
  };
}

/** Thrown at the end of a run whose last exchanges could not be written. */
export class RecordingLostError extends Error {
  override readonly name = 'RecordingLostError';

  constructor(path: string, cause: unknown) {
    const { code = cause } = cause as NodeJS.ErrnoException;
    super(`${path} lacks the last exchanges, which could not be written (${code})`, { cause });
  }
}
