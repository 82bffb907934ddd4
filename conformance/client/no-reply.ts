import { printable } from '../output/printable.ts';
import { BodyRejected } from './body-reader.ts';
import type { NoReply } from './exchange.ts';
import { ProxyRejected } from './proxy-tunnel.ts';

/**
 * Maximum total size of a reply's headers. Larger headers are not read. No clause of the
 * specification sets a limit.
 */
export const MAX_HEADER_BYTES = 64 * 2 ** 10;

/** Circumstances of an exchange that failed. */
export type FailureContext = {
  /** Set if our own timeout ended the exchange. */
  readonly timedOutAfterMs: number | undefined;
  readonly aborted: boolean;
  /** The base URL of the service. */
  readonly url: URL;
  readonly proxy?: URL | undefined;
};

/**
 * Returns why no complete reply arrived.
 *
 * @example
 * noReplyFrom(Object.assign(new Error(), { code: 'ECONNREFUSED' }), { url: new URL('http://localhost:1'), ... })
 * // { kind: 'no-reply', cause: 'refused', message: 'localhost:1 refused the connection' }
 */
export function noReplyFrom(error: unknown, context: FailureContext): NoReply {
  const { timedOutAfterMs, aborted, url, proxy } = context;
  const noReply = (cause: NoReply['cause'], message: string): NoReply => ({
    kind: 'no-reply',
    cause,
    message,
  });
  if (timedOutAfterMs !== undefined) {
    return noReply('timeout', `no complete reply within ${timedOutAfterMs} ms`);
  }
  if (aborted) return noReply('aborted', 'the run was ended');
  if (error instanceof BodyRejected) return noReply(error.kind, error.message);
  if (error instanceof ProtocolSwitched) return noReply('protocol', error.message);
  if (error instanceof ConnectionClosed) return noReply('reset', error.message);
  if (error instanceof ProxyRejected) return noReply('network', error.message);
  const spoken = spokenProtocol(error);
  if (spoken !== undefined) return noReply('network', describeSpoken(spoken, url));
  const { code = '', message } = describe(error);
  const host = proxy === undefined ? url.host : `the proxy ${proxy.host}`;
  if (code === 'ECONNREFUSED') return noReply('refused', `${host} refused the connection`);
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    return noReply('reset', new ConnectionClosed().message);
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    return noReply('too-large', `the headers are larger than ${MAX_HEADER_BYTES} bytes`);
  }
  if (code.startsWith('HPE_')) {
    return noReply('protocol', describeNonHttp(error) ?? `the reply is not HTTP: ${message}`);
  }
  return noReply('network', `no connection to ${host}: ${reasonFor(code, message)}`);
}

type SpokenProtocol = 'http' | 'https' | 'HTTP/2';

function describeSpoken(spoken: SpokenProtocol, { protocol, host, href }: URL): string {
  if (spoken === 'HTTP/2') {
    return `${host} speaks only HTTP/2, which swapcheck does not: enable HTTP/1.1 in the service`;
  }
  const other = href.replace(protocol, `${spoken}:`).replace(/\/$/, '');
  return spoken === 'https'
    ? `${host} requires TLS: pass ${other}`
    : `${host} does not speak TLS: pass ${other}`;
}

/** The first bytes of a server's reply, or its TLS alert, may reveal its protocol. */
function spokenProtocol(error: unknown): SpokenProtocol | undefined {
  if (error instanceof WrongProtocol) return error.spoken;
  const { code = '', message } = describe(error);
  if (/alert no application protocol/i.test(message)) return 'HTTP/2';
  if (code === 'EPROTO' && /wrong version number|packet length too long/.test(message)) {
    return 'http';
  }
  const [first, second, , kind, flags] = unparsedBytes(error) ?? [];
  // The first bytes of a TLS alert, and of a SETTINGS frame of HTTP/2.
  if (first === 0x15 && second === 3) return 'https';
  if (first === 0 && second === 0 && kind === 4 && flags === 0) return 'HTTP/2';
  return undefined;
}

function unparsedBytes(error: unknown): Buffer | undefined {
  const { rawPacket } = error as { readonly rawPacket?: unknown };
  return Buffer.isBuffer(rawPacket) ? rawPacket : undefined;
}

function describeNonHttp(error: unknown): string | undefined {
  if (!/Expected HTTP\//.test(describe(error).message)) return undefined;
  const [line = ''] = (unparsedBytes(error)?.toString('latin1') ?? '').split(/[\r\n]/, 1);
  return line.startsWith('HTTP/')
    ? 'unexpected bytes follow the end of the reply'
    : `the reply is not HTTP: it begins with ${JSON.stringify(printable(line, 60))}`;
}

const UNTRUSTED = /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/;
const CERTIFICATE_WANTED = /alert (certificate required|bad certificate|handshake failure)/i;

function reasonFor(code: string, message: string): string {
  // OpenSSL's messages contain a line number in its source.
  const [, openSsl] = /:error:[0-9A-F]+:[^:]*:[^:]*:([^:]+):/i.exec(message) ?? [];
  const reason = openSsl ?? message;
  if (UNTRUSTED.test(code)) return `${reason} (pass --ca FILE or set NODE_EXTRA_CA_CERTS)`;
  if (CERTIFICATE_WANTED.test(reason)) {
    return `${reason} (if it requires a client certificate, pass --client-cert and --client-key)`;
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `its name cannot be resolved (${code})`;
  return openSsl === undefined ? reason : `the TLS handshake failed (${reason})`;
}

function describe(error: unknown): { readonly code?: string; readonly message: string } {
  if (!(error instanceof Error)) return { message: String(error) };
  if (error instanceof AggregateError && error.errors.length > 0) return describe(error.errors[0]);
  const { code = error.name } = error as NodeJS.ErrnoException;
  return { code, message: error.message };
}

/** The service does not speak the protocol in its URL. */
export class WrongProtocol extends Error {
  override readonly name = 'WrongProtocol';
  readonly spoken: SpokenProtocol;

  constructor(spoken: SpokenProtocol) {
    super(`the service speaks ${spoken}`);
    this.spoken = spoken;
  }
}

/** The service returned 101, after which the connection carries another protocol. */
export class ProtocolSwitched extends Error {
  override readonly name = 'ProtocolSwitched';

  constructor() {
    super('the service switched protocols (101), which the request did not ask for');
  }
}

export class ConnectionClosed extends Error {
  override readonly name = 'ConnectionClosed';

  constructor() {
    super('the connection was reset before the reply was complete');
  }
}
