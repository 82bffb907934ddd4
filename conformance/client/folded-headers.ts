import * as http from 'node:http';
import * as https from 'node:https';
import type { Head, WrittenRequest } from './connections.ts';
import { MAX_HEADER_BYTES } from './no-reply.ts';
import { type Reach, tlsOptionsOf } from './reach.ts';

/**
 * Returns whether a reply could not be read because a header continues on a second line. undici's
 * parser rejects such replies, although clients may accept them.
 *
 * @see RFC 9112, 5.2: "replace each received obs-fold with one or more SP"
 */
export function isFolded(error: unknown): boolean {
  return error instanceof Error && /Unexpected whitespace after header value/.test(error.message);
}

/** Sends a request on a new connection, and reads folded headers. It does not go through a proxy. */
export function requestFolded(
  baseUrl: URL,
  { path, method, headers, body }: WrittenRequest,
  reach: Reach,
  signal: AbortSignal,
): Promise<Head> {
  const protocol = baseUrl.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const outgoing = protocol.request({
      ...tlsOptionsOf(reach),
      host: baseUrl.hostname.replace(/^\[|\]$/g, ''),
      port: baseUrl.port,
      ...{ path, method, headers, signal },
      agent: false,
      insecureHTTPParser: true,
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      outgoing.on('error', (error) => incoming.destroy(error));
      const { statusCode: status = 0, rawHeaders } = incoming;
      resolve({ status, rawHeaders, body: incoming });
    });
    outgoing.end(body);
  });
}
