import type { Duplex, Readable } from 'node:stream';
import {
  brotliDecompressSync,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  gunzipSync,
  inflateSync,
} from 'node:zlib';

/** A body could not be read to its end; `cause` is that of a `NoReply`. */
export class BodyRejected extends Error {
  override readonly name = 'BodyRejected';
  readonly kind: 'too-large' | 'protocol';

  constructor(kind: 'too-large' | 'protocol', message: string) {
    super(message);
    this.kind = kind;
  }
}

/**
 * Maximum size of bodies that are read and judged concurrently. Larger ones are processed one at a
 * time.
 */
const LARGE_BYTES = 1_000_000;

export type BodyOptions = {
  /** The `content-encoding` header. */
  readonly encoding: string | undefined;
  /** Maximum size after decompression, which also limits compression bombs. */
  readonly maxBytes: number;
  /** Awaited once if the body is larger than 1 MB. */
  readonly enterLarge: () => Promise<void>;
};

/**
 * Reads a stream to its end, decoding gzip, deflate and br.
 *
 * @throws {BodyRejected} if the body is too large or does not match its content coding.
 */
export async function readBody(source: Readable, options: BodyOptions): Promise<Buffer> {
  let stream = source;
  for (const coding of codingsOf(options.encoding)) stream = decode(stream, coding);
  const body = new GrowingBuffer(options.maxBytes);
  let large = false;
  try {
    for await (const chunk of stream) {
      body.append(chunk as Buffer);
      if (!large && body.length > LARGE_BYTES) {
        large = true;
        await options.enterLarge();
      }
    }
  } catch (error) {
    source.destroy();
    throw asRejection(error);
  }
  return body.bytes();
}

/**
 * Returns a compressed body decoded: gzip, deflate and br.
 *
 * @throws {BodyRejected} if the body is too large or does not match its content coding.
 */
export function decodeBody(
  body: Buffer,
  { encoding, maxBytes }: Pick<BodyOptions, 'encoding' | 'maxBytes'>,
): Buffer {
  try {
    return codingsOf(encoding).reduce(
      (bytes, coding) => decoderOf(coding).whole(bytes, { maxOutputLength: maxBytes }),
      body,
    );
  } catch (error) {
    throw error instanceof RangeError ? tooLarge(maxBytes) : asRejection(error);
  }
}

/** Returns the content codings in the order of decoding. */
function codingsOf(encoding = ''): readonly string[] {
  const codings = encoding
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length > 2) {
    throw new BodyRejected('protocol', `content-encoding names ${codings.length} codings`);
  }
  return codings.reverse();
}

function decode(source: Readable, coding: string): Readable {
  const decoder = decoderOf(coding).stream();
  source.on('error', (error) => decoder.destroy(error));
  source.on('aborted', () => decoder.destroy(new Error('aborted')));
  return source.pipe(decoder);
}

type Decoder = {
  readonly stream: () => Duplex;
  readonly whole: (bytes: Buffer, options: { maxOutputLength: number }) => Buffer;
};

const GZIP: Decoder = { stream: createGunzip, whole: gunzipSync };
const DECODERS = new Map<string, Decoder>([
  ['gzip', GZIP],
  ['x-gzip', GZIP],
  ['deflate', { stream: createInflate, whole: inflateSync }],
  ['br', { stream: createBrotliDecompress, whole: brotliDecompressSync }],
]);

function decoderOf(coding: string): Decoder {
  const decoder = DECODERS.get(coding);
  if (decoder !== undefined) return decoder;
  const named = JSON.stringify(coding);
  throw new BodyRejected('protocol', `content-encoding is ${named}, which was not requested`);
}

function asRejection(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (!/^(Z_|ERR__?ZLIB|ERR_BROTLI|ERR__ERROR)/.test(code)) return error;
  return new BodyRejected('protocol', 'the body does not match its content-encoding');
}

function tooLarge(maxBytes: number): BodyRejected {
  return new BodyRejected('too-large', `the body is larger than ${maxBytes} bytes`);
}

/**
 * A buffer that doubles its size, so that a body that arrives byte by byte needs no object per
 * byte.
 */
class GrowingBuffer {
  length = 0;
  #block = Buffer.allocUnsafe(16_384);
  readonly #maxBytes: number;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  append(chunk: Buffer): void {
    const length = this.length + chunk.length;
    if (length > this.#maxBytes) {
      throw tooLarge(this.#maxBytes);
    }
    if (length > this.#block.length) {
      const grown = Buffer.allocUnsafe(
        Math.min(this.#maxBytes, Math.max(length, this.#block.length * 2)),
      );
      this.#block.copy(grown, 0, 0, this.length);
      this.#block = grown;
    }
    chunk.copy(this.#block, this.length);
    this.length = length;
  }

  bytes(): Buffer {
    return this.#block.subarray(0, this.length);
  }
}
