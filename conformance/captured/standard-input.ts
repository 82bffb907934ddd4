import { closeSync, fstatSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { decodeUtf8, readJson } from '../client/read-json.ts';
import { MAX_LINE_BYTES } from '../output/read-file.ts';
import {
  CaptureError,
  type CaptureSource,
  documentTooLong,
  MAX_DOCUMENT_BYTES,
} from './read-capture.ts';

/** Captures from standard input, which can be read more than once. */
export type StandardInput = ReturnType<typeof createStandardInput>;

const NAME = '-';
const LINE_FEED = 10;
const CHUNK_BYTES = 2 ** 20;
/** Maximum size of the input. Longer input is rejected, because it may have no end. */
const MAX_INPUT_BYTES = 2 ** 30;

/**
 * Saves standard input to a temporary file, which is then read like any other file.
 *
 * @param signal - Ends the wait for input. There are no captures then.
 */
export function createStandardInput(
  signal?: AbortSignal,
  input: () => Readable = () => process.stdin,
  maxBytes = MAX_INPUT_BYTES,
) {
  let file: number | undefined;
  return {
    /** Waits for the end of the input. */
    read: async (): Promise<CaptureSource | undefined> => {
      file ??= await save(input(), maxBytes, signal);
      if (signal?.aborted) return undefined;
      const isLines = isNdjson(readAt(file, 0, MAX_LINE_BYTES));
      if (!isLines && fstatSync(file).size > MAX_DOCUMENT_BYTES) throw documentTooLong(NAME);
      return { name: NAME, chunks: chunksOf(file), isLines };
    },
    close: (): void => {
      if (file !== undefined) closeSync(file);
    },
  };
}

async function save(input: Readable, maxBytes: number, signal?: AbortSignal): Promise<number> {
  const file = openTemporaryFile();
  let length = 0;
  try {
    for await (const chunk of signal ? addAbortSignal(signal, input) : input) {
      length += chunk.length;
      if (length > maxBytes) {
        const limit = `${maxBytes / 2 ** 20} MiB`;
        throw new CaptureError(NAME, `is longer than ${limit}: save it in .ndjson files`);
      }
      for (let done = 0; done < chunk.length; ) done += writeSync(file, chunk, done);
    }
  } catch (cause) {
    if (cause instanceof CaptureError) throw cause;
    const { code = String(cause) } = cause as NodeJS.ErrnoException;
    if (!signal?.aborted) throw new CaptureError(NAME, `cannot be read (${code})`);
  }
  return file;
}

/** Opens a file that only this user can read, and that disappears with the process. */
function openTemporaryFile(): number {
  const folder = mkdtempSync(join(tmpdir(), 'swapcheck-'));
  const file = openSync(join(folder, 'input'), 'wx+', 0o600);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  // Windows cannot remove an open file.
  if (process.platform === 'win32') process.on('exit', remove);
  else remove();
  return file;
}

function readAt(file: number, position: number, maxBytes: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.min(maxBytes, fstatSync(file).size - position));
  return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, position));
}

function* chunksOf(file: number): Generator<Buffer> {
  const { size } = fstatSync(file);
  for (let at = 0; at < size; at += CHUNK_BYTES) yield readAt(file, at, CHUNK_BYTES);
}

/** Returns whether the first line is JSON, and other lines follow. */
function isNdjson(bytes: Buffer): boolean {
  const start = bytes.findIndex(isVisible);
  const end = start < 0 ? -1 : bytes.indexOf(LINE_FEED, start);
  if (end < 0 || !bytes.subarray(end).some(isVisible)) return false;
  const line = decodeUtf8(bytes.subarray(start, end));
  return line !== undefined && readJson(line.trim()).kind === 'json';
}

function isVisible(byte: number): boolean {
  return byte > 0x20;
}
