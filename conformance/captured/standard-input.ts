import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { decodeUtf8, readJson } from '../client/read-json.ts';
import {
  CaptureError,
  type CaptureSource,
  documentTooLong,
  lineTooLong,
  MAX_DOCUMENT_BYTES,
  MAX_LINE_BYTES,
} from './read-capture.ts';

/** Captures from standard input, which can be read more than once. */
export type StandardInput = ReturnType<typeof createStandardInput>;

const NAME = '-';
const LINE_FEED = 10;

/**
 * Returns captures from standard input. NDJSON is split as it arrives and saved to a temporary file
 * for the second reading. Any other document stays in memory.
 *
 * @param signal - Ends the wait for input. No more captures follow.
 */
export function createStandardInput(
  signal?: AbortSignal,
  input: () => Readable = () => process.stdin,
) {
  let again: (() => CaptureSource) | undefined;
  let file: ReturnType<typeof createTemporaryFile> | undefined;

  async function* read(): AsyncGenerator<CaptureSource> {
    if (again !== undefined) return yield again();
    let held: Buffer[] = [];
    let hasLine = false;
    let isLines: boolean | undefined;
    const lines = createBlocks();
    let heldBytes = 0;
    for await (const chunk of chunksOf(input(), signal)) {
      held.push(chunk);
      heldBytes = held.length === 1 ? chunk.length : heldBytes + chunk.length;
      if (heldBytes > MAX_DOCUMENT_BYTES) throw documentTooLong(NAME);
      hasLine ||= chunk.includes(LINE_FEED);
      if (!hasLine || isLines === false) continue;
      if (isLines === undefined) {
        held = [Buffer.concat(held)];
        isLines = isNdjson(held[0] as Buffer);
        if (!isLines) continue;
      }
      const bytes = Buffer.concat(held);
      held = [];
      file ??= createTemporaryFile();
      file.append(bytes);
      yield* lines.add(bytes);
    }
    if (signal?.aborted === true) return;
    const { chunks } = file ?? { chunks: () => [Buffer.concat(held)] };
    const whole = { name: NAME, ...(file && { lines: { from: 1, isPart: false } }) };
    again = () => ({ ...whole, chunks: chunks() });
    yield* file === undefined ? [again()] : lines.end();
  }
  return { read, close: (): void => file?.close() };
}

async function* chunksOf(input: Readable, signal?: AbortSignal): AsyncGenerator<Buffer> {
  try {
    yield* signal ? addAbortSignal(signal, input) : input;
  } catch (cause) {
    if (signal?.aborted === true) return;
    const { code = String(cause) } = cause as NodeJS.ErrnoException;
    throw new CaptureError(NAME, `cannot be read (${code})`);
  }
}

function isNdjson(bytes: Buffer): boolean | undefined {
  const start = bytes.findIndex(isVisible);
  const end = start < 0 ? -1 : bytes.indexOf(LINE_FEED, start);
  if (end < 0 || !bytes.subarray(end).some(isVisible)) return undefined;
  if (end - start > MAX_LINE_BYTES) return true;
  const line = decodeUtf8(bytes.subarray(start, end));
  return line !== undefined && readJson(line.trim()).kind === 'json';
}

function isVisible(byte: number): boolean {
  return byte > 0x20;
}

/**
 * Groups chunks into blocks of whole lines, and limits the length of the unfinished line after a
 * block.
 */
function createBlocks() {
  let rest: Buffer[] = [];
  let length = 0;
  let from = 1;
  function* add(bytes: Buffer): Generator<CaptureSource> {
    const end = bytes.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) {
      const chunks = [...rest, bytes.subarray(0, end)];
      yield { name: NAME, chunks, lines: { from, isPart: true } };
      for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1))
        from++;
      rest = [];
      length = 0;
    }
    rest.push(bytes.subarray(end));
    length += bytes.length - end;
    if (length > MAX_LINE_BYTES) throw lineTooLong(NAME, from);
  }
  function* end(): Generator<CaptureSource> {
    if (length > 0) yield { name: NAME, chunks: rest, lines: { from, isPart: true } };
  }
  return { add, end };
}

const CHUNK_BYTES = 2 ** 20;

/** Creates a file that only this user can read, and that disappears with the process. */
function createTemporaryFile() {
  const folder = mkdtempSync(join(tmpdir(), 'swapcheck-'));
  const file = openSync(join(folder, 'input'), 'wx+', 0o600);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  // Windows cannot remove an open file, so the folder is removed after the file is closed.
  if (process.platform !== 'win32') remove();
  let length = 0;
  return {
    append: (bytes: Buffer): void => {
      for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
      length += bytes.length;
    },
    chunks: function* (): Generator<Buffer> {
      for (let at = 0; at < length; ) {
        const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, length - at));
        const size = readSync(file, chunk, 0, chunk.length, at);
        if (size === 0) return;
        at += size;
        yield chunk.subarray(0, size);
      }
    },
    close: (): void => {
      closeSync(file);
      remove();
    },
  };
}
