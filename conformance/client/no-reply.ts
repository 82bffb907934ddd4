import { BodyRejected } from './body-reader.ts';
import type { NoReply } from './exchange.ts';

/** Maximum size of all headers of a reply; no clause limits them. Beyond it, the reply is not read. */
export const MAX_HEADER_BYTES = 64 * 2 ** 10;

/** Circumstances of an exchange that failed. */
export type FailureContext = {
  /** Set if our own time-out ended it. */
  readonly timedOutAfterMs: number | undefined;
  readonly aborted: boolean;
  readonly host: string;
};

/**
 * Returns why no complete reply arrived.
 *
 * @example
 * noReplyFrom(Object.assign(new Error(), { code: 'ECONNREFUSED' }), { host: 'localhost:1', ... })
 * // { kind: 'no-reply', cause: 'refused', message: 'localhost:1 refused the connection' }
 */
export function noReplyFrom(error: unknown, context: FailureContext): NoReply {
  const noReply = (cause: NoReply['cause'], message: string): NoReply => ({
    kind: 'no-reply',
    cause,
    message,
  });
  if (context.timedOutAfterMs !== undefined) {
    return noReply('timeout', `no complete reply within ${context.timedOutAfterMs} ms`);
  }
  if (context.aborted) return noReply('aborted', 'the run was ended');
  if (error instanceof BodyRejected) return noReply(error.kind, error.message);
  const { code = '', message } = describe(error);
  if (code === 'ECONNREFUSED') return noReply('refused', `${context.host} refused the connection`);
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET') {
    return noReply('reset', 'the connection was reset before the reply was complete');
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW' || code === 'HPE_HEADER_OVERFLOW') {
    return noReply('too-large', `the headers are larger than ${MAX_HEADER_BYTES} bytes`);
  }
  if (code === 'CONTENT_CUT') return noReply('protocol', message);
  if (code === 'HTTPParserError' || code.startsWith('HPE_')) {
    return noReply('protocol', `the reply is not HTTP: ${message}`);
  }
  return noReply('network', `no connection to ${context.host}: ${whyNot(code, message)}`);
}

/** Extracts the reason from OpenSSL's messages, which carry a line number of its source. */
function whyNot(code: string, message: string): string {
  const [, reason] = /:error:[0-9A-F]+:[^:]*:[^:]*:([^:]+):/.exec(message) ?? [];
  if (code === 'EPROTO' && reason !== undefined) return `it does not speak TLS (${reason})`;
  return UNTRUSTED.test(code) ? `${message} (pass --ca FILE or set NODE_EXTRA_CA_CERTS)` : message;
}

const UNTRUSTED = /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/;

function describe(error: unknown): { readonly code?: string; readonly message: string } {
  if (!(error instanceof Error)) return { message: String(error) };
  if (error instanceof AggregateError && error.errors.length > 0) return describe(error.errors[0]);
  const { code = error.name } = error as NodeJS.ErrnoException;
  return { code, message: error.message };
}
