import type { IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

/** Default maximum size of a body, in bytes. Longer replies are not read. */
export const MAX_BODY_BYTES = 16 * 2 ** 20;

/**
 * Reads a whole body, without decoding it.
 *
 * @throws {BodyRejected} if the body is larger than `maxBytes`, or if the connection closes before
 * the body ends.
 */
export async function readBody(incoming: IncomingMessage, maxBytes: number): Promise<Buffer> {
  // Chunks are copied into one growing block. One object per chunk would exhaust the memory if a
  // body arrived byte by byte.
  let block = Buffer.allocUnsafe(16_384);
  let length = 0;
  try {
    for await (const chunk of incoming) {
      const end = length + chunk.length;
      if (end > maxBytes) throw tooLarge(maxBytes);
      if (end > block.length) block = Buffer.concat([block], Math.max(end, block.length * 2));
      length += chunk.copy(block, length);
    }
  } catch (error) {
    const { 'content-length': promised } = incoming.headers;
    const isCut = error instanceof Error && error.message === 'aborted';
    if (!isCut || promised === undefined) throw error;
    const words = `the connection closed after ${length} of the ${promised} bytes of content-length`;
    throw new BodyRejected('cut', words);
  }
  return block.subarray(0, length);
}

const DECODERS: Readonly<Record<string, typeof gunzipSync>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

export type DecodeOptions = {
  /** The `content-encoding` header. */
  readonly encoding: string | undefined;
  /** Maximum size after decompression, in bytes. The limit also stops compression bombs. */
  readonly maxBytes: number;
};

/**
 * Returns a body after decompression by gzip, deflate or br.
 *
 * @throws {BodyRejected} if the body is too large or does not match its content coding.
 */
export function decodeBody(body: Buffer, { encoding = '', maxBytes }: DecodeOptions): Buffer {
  const codings = encoding
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length > 2) {
    throw new BodyRejected('encoding', `content-encoding names ${codings.length} codings`);
  }
  return codings.reduceRight((bytes, coding) => decompress(coding, bytes, maxBytes), body);
}

function decompress(coding: string, bytes: Buffer, maxBytes: number): Buffer {
  const decoder = DECODERS[coding];
  if (decoder === undefined) {
    const named = JSON.stringify(coding);
    throw new BodyRejected('encoding', `content-encoding is ${named}, which was not requested`);
  }
  if (bytes.length === 0) return bytes;
  try {
    return decoder(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(maxBytes);
    const { code, message } = error as NodeJS.ErrnoException;
    const size = `the body of ${bytes.length} bytes`;
    throw new BodyRejected(
      'encoding',
      code === 'Z_BUF_ERROR'
        ? `content-encoding is ${coding}, but ${size} ends before its ${coding} data does`
        : `content-encoding is ${coding}, but ${size} is not valid ${coding} (${message})`,
    );
  }
}

function tooLarge(maxBytes: number): BodyRejected {
  return new BodyRejected('too-large', `the body is larger than ${maxBytes} bytes`);
}

/** A body could not be read completely. `kind` becomes the cause of the `NoReply`. */
export class BodyRejected extends Error {
  override readonly name = 'BodyRejected';
  readonly kind: 'too-large' | 'cut' | 'encoding';

  constructor(kind: 'too-large' | 'cut' | 'encoding', message: string) {
    super(message);
    this.kind = kind;
  }
}
