import { setTimeout as sleep } from 'node:timers/promises';
import { createHttpTransport } from '../client/http-transport.ts';
import type { Reach } from '../client/reach.ts';

const RETRY_PAUSE_MS = 200;

/** Statuses that a gateway returns before its service has started. */
export const GATEWAY_STATUSES: readonly number[] = [502, 503, 504];

/**
 * Waits until a service responds with any status but that of a gateway. Returns undefined, or the
 * reason why it did not respond in time.
 */
export async function waitForService(
  service: URL,
  { path, seconds, ...reach }: Reach & { readonly path: string; readonly seconds: number },
  signal: AbortSignal,
): Promise<string | undefined> {
  const endsAt = performance.now() + seconds * 1000;
  let why: string | undefined;
  while (!signal.aborted) {
    const leftMs = Math.ceil(endsAt - performance.now());
    if (leftMs <= 0) {
      const reason = why ?? 'no request was sent';
      return `${service.origin} did not respond within ${seconds} s: ${reason}`;
    }
    const transport = createHttpTransport(service, { ...reach, connections: 1, timeoutMs: leftMs });
    const outcome = await transport.send({ method: 'GET', target: path, signal });
    await transport.close();
    if (outcome.kind === 'no-reply') {
      // The last attempt may have been too short to reveal a reason.
      if (outcome.cause !== 'timeout') why = outcome.message;
      else why ??= outcome.message;
    } else {
      if (!GATEWAY_STATUSES.includes(outcome.status)) return undefined;
      why = `status ${outcome.status}`;
    }
    const restMs = Math.max(0, Math.min(RETRY_PAUSE_MS, endsAt - performance.now()));
    await sleep(restMs, undefined, { signal }).catch(() => undefined);
  }
  return 'the run was ended';
}
