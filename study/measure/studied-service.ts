import { createClient, NO_API_KEY } from '../../conformance/client/client.ts';
import type { Exchange } from '../../conformance/client/exchange.ts';
import { createHttpTransport } from '../../conformance/client/http-transport.ts';
import type { Reach } from '../../conformance/client/reach.ts';
import type { Redactor } from '../../conformance/client/redaction.ts';
import type { RequestTarget } from '../../conformance/client/request.ts';
import type { RouterNames } from '../../conformance/client/router-names.ts';
import { createScheduler, RunStopped } from '../../conformance/client/scheduler.ts';
import { PATHS } from '../../conformance/contract/paths.ts';
import { discover } from '../../conformance/discovery/discover.ts';
import type { Facts } from '../../conformance/discovery/facts.ts';
import { printable } from '../../conformance/output/printable.ts';

/** Access to a service. */
export type ServiceAccess = {
  /** Name in reports. */
  readonly name: string;
  readonly url: URL;
  readonly apiKey: string;
  /** Headers, proxy and certificates of the requests. */
  readonly reach?: Reach | undefined;
  readonly routerNames?: RouterNames | undefined;
  /** Time limit of a whole exchange. Default 10,000. */
  readonly timeoutMs?: number | undefined;
  /** Maximum requests per second. Default: unlimited. */
  readonly rate?: number | undefined;
  /** Facts of an earlier discovery, which is then not repeated. */
  readonly facts?: Facts;
};

/** A service that is measured, and the facts of its discovery. */
export type StudiedService = {
  readonly name: string;
  readonly facts: Facts;
  /** @throws {RunStopped} when nothing more may be sent to it. */
  readonly get: (target: RequestTarget) => Promise<Exchange>;
  readonly redactor: Redactor;
  readonly sent: () => number;
  /** Reason why requests to it ended; undefined while they continue. */
  readonly lost: () => string | undefined;
  readonly close: () => Promise<void>;
};

/** Concurrent requests during discovery; trades are requested one at a time. */
const CONCURRENCY = 4;

/**
 * Connects to a service and discovers its market on the given chains.
 *
 * @throws {CannotStudyError} if no key is given, it does not respond, or serves none of them
 */
export async function openService(
  access: ServiceAccess,
  chains: readonly number[],
  signal: AbortSignal,
): Promise<StudiedService> {
  const { name, url, apiKey, reach = {}, routerNames, timeoutMs, rate } = access;
  if (apiKey === '') throw new CannotStudyError(name, NO_API_KEY);
  const transport = createHttpTransport(url, { ...reach, timeoutMs, connections: CONCURRENCY });
  const client = createClient({ transport, reach, apiKey, routerNames });
  const scheduler = createScheduler({
    client,
    concurrency: CONCURRENCY,
    rate,
    onRateLimited: () => {},
  });
  const stop = () => scheduler.stop('the study was ended');
  signal.addEventListener('abort', stop, { once: true });
  const close = async () => {
    signal.removeEventListener('abort', stop);
    await client.close();
  };
  let lost: string | undefined;
  const get: StudiedService['get'] = async (target) => {
    try {
      return await scheduler.get(target, (exchange) => exchange);
    } catch (error) {
      if (error instanceof RunStopped && !signal.aborted) lost ??= error.message;
      throw error;
    }
  };
  try {
    const { outcome } = await get({ path: PATHS.chains, query: [] });
    if (outcome.kind === 'no-reply') {
      throw new CannotStudyError(name, client.redactor.redactSentence(outcome.message));
    }
    if (outcome.status !== 200) {
      const answer = printable(client.redactor.redactText(outcome.text), 200);
      throw new CannotStudyError(name, `it replied to /chains with ${outcome.status}: ${answer}`);
    }
    const facts = access.facts ?? (await discover({ get, chains }));
    if (facts.markets.size === 0) {
      throw new CannotStudyError(name, `it serves none of the chains ${chains.join(', ')}`);
    }
    const { redactor } = client;
    return { name, facts, get, redactor, sent: scheduler.sent, lost: () => lost, close };
  } catch (error) {
    await close();
    throw lost === undefined ? error : new CannotStudyError(name, lost);
  }
}

/** Thrown if nothing can be measured at a service. */
export class CannotStudyError extends Error {
  override readonly name = 'CannotStudyError';

  constructor(service: string, why: string) {
    super(`cannot study ${service}: ${why}`);
  }
}
