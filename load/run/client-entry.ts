import { endWithParent } from '../../conformance/output/interruptible.ts';
import { type ClientOrder, type ClientReport, playOrder } from './client.ts';
import type { EngineResult } from './engine.ts';

/** What a client process is told: its order first; then `go` starts its clock, and `stop` ends it early. */
export type ToClient = ClientOrder | 'go' | 'stop';

/** What a client process tells. */
export type FromClient =
  | ClientReport
  | { readonly kind: 'connected' }
  | { readonly kind: 'result'; readonly result: EngineResult };

/** The entry of a client process: plays what it is ordered, reports, and ends with its parent. */
function main(): void {
  const controller = new AbortController();
  let go = (): void => {};
  const told = new Promise<void>((resolve) => {
    go = resolve;
  });
  const whenConnected = (): Promise<void> => {
    tell({ kind: 'connected' });
    return told;
  };
  endWithParent();
  process.on('message', async (message: ToClient) => {
    if (message === 'stop') controller.abort();
    else if (message === 'go') go();
    else {
      const result = await playOrder(
        message,
        (report) => tell(report),
        whenConnected,
        controller.signal,
      );
      tell({ kind: 'result', result }, () => process.disconnect?.());
    }
  });
}

function tell(message: FromClient, onSent = (): void => {}): void {
  process.send?.(message, onSent);
}

main();
