import type { Socket } from 'node:net';

/** The private parts of autocannon 9.0.0's client that are used, and no others. */
export type AutocannonClient = {
  _connect: () => void;
  _doRequest: () => void;
  _destroyConnection: () => void;
  emit: (event: string, ...details: unknown[]) => boolean;
  readonly pipelinedRequests: {
    clear: () => void;
    insertRequest: (request: undefined) => void;
  };
  readonly destroyed: boolean;
  readonly secure: boolean;
  readonly opts: { readonly port: number; readonly hostname: string };
  /** Undefined before the first connect. */
  conn: Socket;
  timeoutTicker: { reschedule: (timeoutMs: number) => void; clear: () => void };
  readonly requestIterator: {
    recordBody: (request: unknown, status: number, body: string, rawHeaders: string[]) => void;
  };
  readonly parser: {
    readonly constructor: { readonly kOnBody: number; readonly kOnMessageComplete: number };
    initialize: (type: 'RESPONSE') => void;
    finish: () => void;
    execute: (chunk: Buffer) => unknown;
    [kind: number]: unknown;
  };
  on: (
    event: 'connError' | 'headers',
    listener: (detail?: {
      readonly code?: string;
      readonly shouldKeepAlive?: boolean;
      readonly statusCode?: number;
    }) => void,
  ) => void;
};
