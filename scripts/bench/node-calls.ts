import { createExecutor } from '../../conformance/execution/executor.ts';
import { createRpc } from '../../conformance/execution/json-rpc.ts';
import { startNodeProxy } from '../../conformance/execution/node-proxy.testing.ts';
import { mine } from '../../conformance/execution/send.ts';
import type { EvidenceKind } from '../../conformance/model/settlement.ts';
import { startReferenceBench } from '../tests/helpers/reference-bench.testing.ts';

const KINDS: readonly EvidenceKind[] = [
  'as-returned',
  'sent-by-another',
  'price-moved',
  'own-encoding',
];

/**
 * Returns how many calls the nodes of the fixture chains get while the reference
 * is executed whole; with `blockMs` each chain makes a block that often.
 */
export async function countNodeCalls(blockMs?: number) {
  const reference = await startReferenceBench([31337, 31338]);
  const proxies = await Promise.all(reference.sources.map(({ rpcUrl }) => startNodeProxy(rpcUrl)));
  const forks = reference.sources.map(({ chainId }, index) => ({
    chainId,
    rpcUrl: proxies[index]?.url ?? '',
  }));
  let blocks = 0;
  const makeBlocks = async () => {
    blocks += 1;
    await Promise.all(reference.sources.map(({ rpcUrl }) => mine(createRpc(rpcUrl))));
  };
  const timer = blockMs === undefined ? undefined : setInterval(makeBlocks, blockMs);
  const executor = createExecutor({ forks }, await reference.session());
  const start = performance.now();
  let plans = 0;
  for (const kind of KINDS) {
    const execution = await executor.execute(kind);
    if (execution.kind !== 'executed') throw new Error(`${kind}: ${execution.why}`);
    plans += execution.items.length;
  }
  const seconds = (performance.now() - start) / 1000;
  clearInterval(timer);
  await executor.close();
  await Promise.all(proxies.map((proxy) => proxy.stop()));
  await reference.stop();
  const calls = proxies.reduce((sum, proxy) => sum + proxy.calls.length, 0);
  return { calls, blocks, plans, seconds };
}
