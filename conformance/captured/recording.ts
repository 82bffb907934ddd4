import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { Exchange, Reply } from '../client/exchange.ts';
import { NOT_UTF8 } from '../client/read-json.ts';
import { type Redactor, redactDeep, redactJson } from '../client/redaction.ts';
import { KEY_PLACEHOLDER } from '../client/request.ts';
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

/**
 * Opens a recording, with one line of JSON for each exchange. The file is valid after each
 * exchange, even if the process is killed.
 *
 * @throws {UsageError} for an extension other than .ndjson, a pipe, or a file that cannot be written
 */
export function openRecording(path: string, options: RecordingOptions) {
  const { baseUrl, redactor, onLost } = options;
  const file = openFile(path);
  let length = 0;
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
      const line = lineOf({ ...exchange, ...garbled }, withoutKey(outcome, redactor), baseUrl);
      try {
        length += writeAt(file, length, `${JSON.stringify(line)}\n`);
      } catch (cause) {
        truncate(file, length);
        close();
        onLost(new RecordingLostError(path, cause));
      }
    },
    /** Closes the file. Later exchanges are ignored. */
    close,
  };
}

function truncate(file: number, length: number): void {
  try {
    ftruncateSync(file, length);
  } catch {
    // Devices cannot be truncated.
  }
}

/** Opens a file without waiting, because a pipe would wait for its reader. */
function openFile(path: string): number {
  if (!path.endsWith('.ndjson')) {
    throw new UsageError(`cannot record to '${path}': expected a file name that ends in .ndjson`);
  }
  let file: number;
  try {
    mkdirSync(dirname(path), { recursive: true });
    file = openSync(path, OPEN_WITHOUT_WAITING);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const isPipe = code === 'ENXIO' || statSync(path, { throwIfNoEntry: false })?.isFIFO();
    throw isPipe
      ? pipeError(path)
      : new UsageError(`${path} cannot be written (${code})`, { cause });
  }
  if (!fstatSync(file).isFIFO()) return file;
  closeSync(file);
  throw pipeError(path);
}

const OPEN_WITHOUT_WAITING =
  constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NONBLOCK ?? 0);

function pipeError(path: string): UsageError {
  return new UsageError(`cannot record to '${path}': expected a file, got a pipe`);
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

/** Thrown at the end of a run whose last exchanges could not be written. */
export class RecordingLostError extends Error {
  override readonly name = 'RecordingLostError';

  constructor(path: string, cause: unknown) {
    const { code = cause } = cause as NodeJS.ErrnoException;
    super(`${path} lacks the last exchanges, which could not be written (${code})`, { cause });
  }
}
