import { setImmediate as nextTurn } from 'node:timers/promises';
import { endpointOf } from '../contract/paths.ts';
import { UsageError } from '../output/usage-error.ts';
import { keyMistakes } from './api-key.ts';
import { type ChainId, ChainIds } from './chain-ids.ts';
import { type Clock, SYSTEM_CLOCK } from './clock.ts';
import type { Exchange, JsonDocument, NoReply, Reply } from './exchange.ts';
import { type Reach, secretsOf } from './reach.ts';
import { decodeUtf8, NOT_UTF8, readJson } from './read-json.ts';
import { createRedactor, MAX_KEY_CHARACTERS, type Redact } from './redaction.ts';
import { KEY_PLACEHOLDER, type RequestTarget, readQuery, writeTarget } from './request.ts';
import { type RouterNames, toServiceNames, toSpecifiedNames } from './router-names.ts';
import type { Transport, WireReply } from './transport.ts';

export type Client = ReturnType<typeof createClient>;

export type ClientOptions = {
  readonly transport: Transport;
  /** API key, sent as `apiKey`. If unset, requests have an empty key. */
  readonly apiKey?: string;
  /** Headers, proxy and certificates for requests. Their secrets are redacted like the key. */
  readonly reach?: Reach | undefined;
  /** Chain ids that the user passed, since the service may list none. */
  readonly chains?: readonly ChainId[] | undefined;
  /** The service's own names for the routers. */
  readonly routerNames?: RouterNames | undefined;
  /**
   * Maximum number of JSON values in a body. A body with more values is not parsed, since parsed
   * values take many times their size in memory. Default 2,097,152.
   */
  readonly maxValues?: number | undefined;
  /** Clock that measures the duration of exchanges. Default: the system's clock. */
  readonly clock?: Clock | undefined;
};

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
  const { transport, apiKey = '', reach = {}, routerNames = {}, maxValues = 2 ** 21 } = options;
  const { clock = SYSTEM_CLOCK } = options;
  if (apiKey.length > MAX_KEY_CHARACTERS) {
    throw new UsageError(
      `the API key has ${apiKey.length} characters: expected at most ${MAX_KEY_CHARACTERS}`,
    );
  }
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

/** Options for reading a reply. */
export type ReadOptions = { readonly redact?: Redact; readonly maxValues?: number };

/**
 * Returns received bytes as a reply, with the body parsed as JSON. Returns a `NoReply` if the body
 * has too many values.
 */
export function readReply(
  { status, rawHeaders, body }: Pick<WireReply, 'status' | 'rawHeaders' | 'body'>,
  { redact = (text) => text, maxValues = Number.POSITIVE_INFINITY }: ReadOptions = {},
): Reply | NoReply {
  const decoded = decodeUtf8(body);
  const text = redact(decoded ?? body.toString('latin1'));
  const document: JsonDocument | undefined =
    decoded === undefined ? { kind: 'not-json', reason: NOT_UTF8 } : readJson(text, maxValues);
  if (document === undefined) {
    const message = `the body contains more than ${maxValues} values`;
    return { kind: 'no-reply', cause: 'too-large', message };
  }
  return { kind: 'reply', status, headers: readHeaders(rawHeaders, redact), text, document };
}

/**
 * Objects that inherit from this one are faster to fill and iterate than objects with a null
 * prototype.
 */
const NO_HEADERS = Object.create(null);

function readHeaders(raw: readonly string[], redact: Redact): Reply['headers'] {
  const headers: Record<string, string[]> = Object.create(NO_HEADERS);
  const all = raw.join('\n');
  const hasKey = redact(all) !== all;
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] ?? '').toLowerCase();
    const text = raw[i + 1] ?? '';
    const value = hasKey ? redact(text) : text;
    const values = headers[name];
    if (values === undefined) headers[name] = [value];
    else values.push(value);
  }
  return headers;
}
