import { endWithParent } from '../../conformance/output/interruptible.ts';
import { type ClientReport, runOrder } from './client.ts';
import type { ClientOrder, RunResult } from './client-order.ts';

/**
 * A message to a client process: first the order, then `go`, which starts the client's clock.
 * `stop` ends the run early.
 */
export type ToClient = ClientOrder | 'go' | 'stop';

/** A message from a client process. */
export type FromClient =
  | ClientReport
  | { readonly kind: 'connected' }
  | { readonly kind: 'result'; readonly result: RunResult };

function main(): void {
  const controller = new AbortController();
  let go = (): void => {};
  const started = new Promise<void>((resolve) => {
    go = resolve;
  });
  const whenConnected = (): Promise<void> => {
    send({ kind: 'connected' });
    return started;
  };
  endWithParent();
  process.on('message', async (message: ToClient) => {
    if (message === 'stop') controller.abort();
    else if (message === 'go') go();
    else {
      const result = await runOrder(message, send, whenConnected, controller.signal);
      send({ kind: 'result', result }, () => process.disconnect?.());
    }
  });
}

function send(message: FromClient, onSent = (): void => {}): void {
  process.send?.(message, undefined, undefined, onSent);
}

main();
