import { onTestFinished } from 'vitest';
import type { Session } from '../../model/session.ts';
import type { ForkSource } from '../../service/fork-option.ts';
import { createExecutor } from '../executor.ts';
import { createRpc } from './json-rpc.ts';

type Opened = { readonly stop: () => Promise<void> } | { readonly close: () => Promise<void> };

/** Returns an opened resource, and closes it when the test ends. */
export async function untilEnd<T extends Opened>(opening: Promise<T> | T): Promise<T> {
  const opened = await opening;
  onTestFinished(() => ('stop' in opened ? opened.stop() : opened.close()));
  return opened;
}

/** Returns whether a node responds. */
export function isResponding(url: string): Promise<boolean> {
  return createRpc(url)('eth_chainId').then(
    () => true,
    () => false,
  );
}

/** Settles the plans of a service on one chain as they are returned. */
export async function settle(source: ForkSource, service: Session, plans = 6) {
  const executor = await untilEnd(createExecutor({ forks: [source], plans }, service));
  return executor.execute('as-returned');
}
