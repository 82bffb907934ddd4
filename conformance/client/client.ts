import { setImmediate as nextTurn } from 'node:timers/promises';
import { endpointOf } from '../contract/paths.ts';
import { UsageError } from '../output/usage-error.ts';
import { keyMistakes } from './api-key.ts';
import { MAX_BODY_BYTES } from './body-reader.ts';
import { type ChainId, ChainIds } from './chain-ids.ts';
import { type Clock, SYSTEM_CLOCK } from './clock.ts';
import type { Exchange, NoReply } from './exchange.ts';
import { createHttpTransport, type HttpOptions } from './http-transport.ts';
import { type Reach, secretsOf } from './reach.ts';
import { readReply } from './read-reply.ts';
import { createRedactor, MAX_KEY_CHARACTERS } from './redaction.ts';
import { KEY_PLACEHOLDER, type RequestTarget, readQuery, writeTarget } from './request.ts';
import { type RouterNames, toServiceNames, toSpecifiedNames } from './router-names.ts';
import type { Transport, WireReply } from './transport.ts';

export type Client = ReturnType<typeof createClient>;

/** Settings of a client, which the commands and the library share. */
export type Access = HttpOptions & {
  /** API key, sent as `apiKey` and removed from all output. Default: an empty key. */
  readonly apiKey?: string | undefined;
  /** Chains to request, as bigints above 2^53. Default: all that the service lists. */
  readonly chains?: readonly ChainId[] | undefined;
  /** The service's own names for the specification's routers. Default: the same names. */
  readonly routerNames?: RouterNames | undefined;
};

/** A service: its base URL, or a transport to it, to which the settings of HTTP do not apply. */
export type Peer = { readonly url: URL } | { readonly transport: Transport };

export type ClientOptions = Access &
  Peer & {
    /** Clock that measures the duration of exchanges. Default: the system's clock. */
    readonly clock?: Clock | undefined;
  };

/**
 * Minimum number of bytes per JSON value in any plan or list of tokens. A body with more values
 * than that is not parsed, since parsed values take many times their size in memory.
 */
const MIN_BYTES_PER_VALUE = 8;

/**
 * Larger bodies are parsed in separate turns of the event loop. The caller can then judge and drop
 * one body before the next is parsed, so a service cannot fill the memory with many large bodies.
 */
const LARGE_BYTES = 1_000_000;

/**
 * Returns a client whose exchanges do not contain the API key. The recorded requests never contain
 * the key. The recorded replies may, if the key could appear there by chance.
 *
 * @throws {UsageError} if the key is too long.
 */
export function createClient(options: ClientOptions) {
  const { apiKey = '', routerNames = {}, clock = SYSTEM_CLOCK } = options;
  const { headers, proxy, ca, certificate, insecure, maxBodyBytes = MAX_BODY_BYTES } = options;
  const reach: Reach = { headers, proxy, ca, certificate, insecure };
  const maxValues = maxBodyBytes / MIN_BYTES_PER_VALUE;
  if (apiKey.length > MAX_KEY_CHARACTERS) {
    throw new UsageError(
      `the API key has ${apiKey.length} characters: expected at most ${MAX_KEY_CHARACTERS}`,
    );
  }
  const transport =
    'url' in options ? createHttpTransport(options.url, options) : options.transport;
  const redactor = createRedactor(apiKey, ...secretsOf(reach));
  const chainIds = new ChainIds(options.chains);
  const readWire = (wire: WireReply | NoReply) =>
    wire.kind === 'wire-reply'
      ? readReply(wire, { redact: redactor.redactJudged, maxValues })
      : { ...wire, message: redactor.redactSentence(wire.message) };
  let sent = 0;
  let largeBodies = Promise.resolve();
  return {
    /** Reasons why the service may reject the key, such as quotes around it. */
    keyMistakes: keyMistakes(apiKey),
    /** Removes the key and other secrets from all output. */
    redactor,
    reach,
    clock,
    /** Writes the exact digits of large chain ids into requests. */
    chainIds,
    close: transport.close,
    /** Sends one request. Never rejects. */
    send: async (target: RequestTarget, signal: AbortSignal): Promise<Exchange> => {
      const written = chainIds.write(toServiceNames(writeTarget(target), routerNames));
      const { method = 'GET', path } = target;
      const id = ++sent;
      const startedAtMs = Date.now();
      const start = clock.now();
      const wire = await transport.send({
        method,
        target: written.split(KEY_PLACEHOLDER).join(encodeURIComponent(apiKey)),
        signal,
      });
      const durationMs = clock.now() - start;
      if (wire.kind === 'wire-reply' && wire.body.length > LARGE_BYTES) {
        largeBodies = largeBodies.then(() => nextTurn());
        await largeBodies;
      }
      // Parsing and judging the bodies that arrived last would overrun the end.
      const outcome = signal.aborted ? ABORTED : readWire(wire);
      const exchange: Exchange = {
        id,
        endpoint: endpointOf(path),
        origin: 'sent',
        method,
        target: written,
        query: readQuery(written),
        startedAtMs,
        durationMs,
        outcome,
      };
      if (exchange.endpoint === 'chains' && outcome.kind === 'reply')
        chainIds.learnFrom(outcome.text);
      return toSpecifiedNames(exchange, routerNames);
    },
  };
}

/** The outcome of a request that was under way when the run ended. */
const ABORTED: NoReply = {
  kind: 'no-reply',
  cause: 'aborted',
  message: 'the run was ended',
};
