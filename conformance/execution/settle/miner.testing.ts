import { getWebSocketRpcClient } from 'viem/utils';
import type { Scenario, Settlement } from '../../model/scenario.ts';
import { startAnvil } from '../node/anvil.ts';
import { JsonRpcError, type NodeError, type Rpc } from '../node/json-rpc.ts';
import { mine } from './mine.testing.ts';

/** A fork of a chain of ours at one block, on which trades are mined. */
export type Miner = {
  readonly block: number;
  /**
   * Mines a trade. Returns undefined if the fork has ended, because Anvil stores all calls of a
   * mined transaction and ends if they fill its memory.
   */
  readonly mine: (scenario: Scenario) => Promise<Settlement | undefined>;
  readonly stop: () => Promise<void>;
};

/** A busy machine is slow. */
const TIMEOUT_MS = 120_000;

/**
 * Starts a fork of the chain at `rpcUrl`, which must be reliable, since nothing repeats its calls.
 * Mining a trade takes some 20 calls, and a WebSocket takes a third of the CPU time of HTTP.
 */
export async function startMiner(chainId: number, rpcUrl: string, block: number): Promise<Miner> {
  const anvil = await startAnvil({ chainId, fork: { url: rpcUrl, blockNumber: block } });
  const url = anvil.url.replace('http', 'ws');
  const socket = await getWebSocketRpcClient(url, { keepAlive: false, reconnect: false });
  const rpc: Rpc = async (method, params = []) => {
    const body = { method, params };
    const { error, result } = await socket.requestAsync({ body, timeout: TIMEOUT_MS });
    if (error !== undefined) throw new JsonRpcError(method, error as NodeError);
    return result as never;
  };
  return {
    block,
    mine: async (scenario) => {
      try {
        return await mine({ rpc }, scenario);
      } catch (error) {
        if (/too much memory/.test((await anvil.whyEnded()) ?? '')) return undefined;
        throw error;
      }
    },
    stop: async () => {
      socket.close();
      await anvil.stop();
    },
  };
}
