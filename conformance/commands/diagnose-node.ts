import type { ForkSource, SettleOn } from '../service/fork-option.ts';
import { checkThat, type Diagnosis, diagnosis, MAX_REPLY_MS, MAX_SKEW_MS } from './diagnosis.ts';

/** Maximum age of a chain's latest block. An older one means that the node lags behind. */
const MAX_BLOCK_AGE_S = 120;

/**
 * Diagnoses a node: whether it serves its chain and can settle plans, and the age of its latest
 * block.
 */
export async function diagnoseNode(
  fork: ForkSource,
  settleOn: SettleOn | undefined,
): Promise<readonly Diagnosis[]> {
  return [await checkNode(fork, settleOn), ...(await checkChainClock(fork))];
}

function checkNode(fork: ForkSource, settleOn: SettleOn = 'anvil'): Promise<Diagnosis> {
  const fix = 'pass --fork CHAIN=RPC with a node of that chain that responds';
  return checkThat(`Node of chain ${fork.chainId}`, fix, async () => {
    const { CannotSettleError, checkForkSource, startSource } = await import(
      '../execution/fork/source.ts'
    );
    const { checkCanSettle } = await import('../execution/fork/check-sources.ts');
    const source = await startSource(fork);
    await checkForkSource(source, MAX_REPLY_MS);
    const words = 'responds, and serves that chain';
    try {
      await checkCanSettle(source);
      return `${words}; it can settle plans${adviceFor(await replyMsOf(source.rpcUrl))}`;
    } catch (error) {
      if (settleOn === 'node' || !(error instanceof CannotSettleError)) throw error;
      return `${words}; plans must be settled in Anvil, since ${error.why}`;
    }
  });
}

/**
 * Anvil reads state from a node slot by slot, which takes long if each reply takes longer than
 * this.
 */
const MAX_NEAR_REPLY_MS = 20;

/** Returns the advice for a node that can settle plans, whose replies take the given time. */
export function adviceFor(replyMs: number): string {
  return replyMs > MAX_NEAR_REPLY_MS
    ? `, and a reply takes ${Math.round(replyMs)} ms: pass --settle-on node, which is several times as fast as a fork of it`
    : ': --settle-on node';
}

/** Returns the shortest of a few reply times, since the first also opens a connection. */
async function replyMsOf(rpcUrl: string): Promise<number> {
  const { createRpc } = await import('../execution/node/json-rpc.ts');
  const rpc = createRpc(rpcUrl, { timeoutMs: MAX_REPLY_MS });
  const times: number[] = [];
  for (let count = 0; count < 4; count += 1) {
    const start = performance.now();
    await rpc('eth_chainId');
    times.push(performance.now() - start);
  }
  return Math.min(...times);
}

/** Returns nothing if the block cannot be read, since the node's own diagnosis reports that. */
async function checkChainClock(fork: ForkSource): Promise<readonly Diagnosis[]> {
  const [{ readBlock, startSource }, { formatSeconds }, { openNode }] = await Promise.all([
    import('../execution/fork/source.ts'),
    import('../execution/fork/clocks.ts'),
    import('../execution/node/node.ts'),
  ]);
  let timestamp: number;
  try {
    const node = openNode((await startSource(fork)).rpcUrl);
    ({ timestamp } = await readBlock(node.rpc).finally(node.stop));
  } catch {
    return [];
  }
  const ageS = Math.round(Date.now() / 1000 - timestamp);
  const age = formatSeconds(Math.abs(ageS));
  const words =
    ageS < 0 ? `its latest block is ${age} in the future` : `its latest block is ${age} old`;
  const fix =
    'use a node that is up to date, or start the chain at the present time: deadlines in calldata are compared with the time of its blocks';
  const isClose = ageS >= -MAX_SKEW_MS / 1000 && ageS <= MAX_BLOCK_AGE_S;
  return [diagnosis(isClose, `Clock of chain ${fork.chainId}`, words, fix, 'doubtful')];
}
