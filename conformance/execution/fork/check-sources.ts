import type { Clock } from '../../client/clock.ts';
import type { Hex } from '../../model/scenario.ts';
import { NATIVE_TOKEN } from '../../model/settlement.ts';
import type { Address } from '../../model/trade-request.ts';
import { UsageError } from '../../output/usage-error.ts';
import type { ForkSource } from '../../service/fork-option.ts';
import { findAnvil } from '../node/find-anvil.ts';
import { JsonRpcError, type Rpc } from '../node/json-rpc.ts';
import { openNode } from '../node/node.ts';
import { NodeLossError } from '../node/node-losses.ts';
import { ampleCircumstances, ampleGas, ampleScenario } from '../scenario/circumstances.ts';
import { simulate } from '../settle/simulate.ts';
import { traceTrade } from '../settle/trace-call.ts';
import {
  CannotSettleError,
  checkForkSource,
  maxBlockGasOf,
  PROBE_TIMEOUT_MS,
  type RunningSource,
  readBlock,
  startSource,
  WrongChainError,
} from './source.ts';

const USER: Address = '0x00000000000000000000000000000000c0ffee0a';
const CONTRACT: Address = '0x00000000000000000000000000000000c0ffee0b';
const BURNER: Address = '0x00000000000000000000000000000000c0ffee0c';
const INVALID: Address = '0x00000000000000000000000000000000c0ffee0d';
const VALUE = 5n;

/**
 * Checks that plans can be settled on the given chains. Each node must respond within the given
 * number of seconds.
 *
 * @throws {UsageError} if a node serves the wrong chain, or cannot settle plans by itself
 * @throws {NodeUnreachableError} if a node does not respond
 * @throws {AnvilNotFoundError} if Anvil is needed and not installed
 */
export async function checkForkSources(
  forks: readonly ForkSource[],
  maxTimeS = Number.POSITIVE_INFINITY,
): Promise<void> {
  if (forks.some(({ settleOn }) => settleOn !== 'node')) findAnvil();
  const longestMs = Math.min(PROBE_TIMEOUT_MS, maxTimeS * 1000);
  const check = async (fork: ForkSource): Promise<void> => {
    const source = await startSource(fork);
    await checkForkSource(source, longestMs);
    if (source.settleOn !== 'node') return;
    await checkCanSettle(source).catch((error: unknown) => {
      throw error instanceof CannotSettleError ? new UsageError(error.message) : error;
    });
  };
  try {
    await Promise.all(forks.map(check));
  } catch (error) {
    if (error instanceof WrongChainError) throw new UsageError(`--fork: ${error.message}`);
    throw error;
  }
}

/**
 * Checks that a node can settle trades on its own chain.
 *
 * @throws {CannotSettleError} if it cannot
 */
export async function checkCanSettle(
  { chainId, rpcUrl }: RunningSource,
  options: { readonly clock?: Clock } = {},
): Promise<void> {
  const node = openNode(rpcUrl, options);
  try {
    const why = await whyNotSettled(node.rpc, chainId);
    if (why !== undefined) throw new CannotSettleError(rpcUrl, why);
  } finally {
    node.stop();
  }
}

/**
 * Returns the reason why a node cannot settle trades, or undefined if it can. Simulates and traces
 * a small trade as a run would: a few blocks later, and after a call that uses as much gas as a
 * call may. The trade succeeds only if the node applies the given state and block, and leaves the
 * trade all of its gas.
 */
async function whyNotSettled(rpc: Rpc, chainId: number): Promise<string | undefined> {
  const chainBlock = await readBlock(rpc);
  // Only contracts of this check see the trade, so nothing need be secret.
  const salted = { block: chainBlock, salt: '' };
  const { fields } = ampleCircumstances(salted);
  const number = fields.number + 1;
  const gas = ampleGas(chainBlock);
  const scenario = ampleScenario(salted, {
    chainId,
    fields: { ...fields, number },
    overrides: {
      [USER]: { balance: 10n ** 24n },
      [CONTRACT]: { code: codeFor(number, gas - MAX_GAS_OF_TRADE) },
      [BURNER]: { code: `0x${callTo(INVALID)}00` },
      [INVALID]: { code: '0xfe' },
    },
    before: [{ from: USER, to: BURNER, value: 0n, data: '0x' }],
    trade: { from: USER, to: CONTRACT, value: VALUE, data: '0x' },
    measured: { tokens: [NATIVE_TOKEN], holders: [USER] },
  });
  const source = { rpc, maxBlockGas: maxBlockGasOf(chainBlock) };
  try {
    const { outcome, reason, returned = '0x', payments } = await simulate(source, scenario);
    if (outcome === 'rejected') return `its eth_simulateV1 rejected a valid trade (${reason})`;
    if (outcome !== 'settled') {
      const given = returned === '0x' ? gas : BigInt(returned) + MAX_GAS_OF_TRADE;
      return given < gas
        ? `its eth_simulateV1 gave a trade only ${given} of ${gas} gas`
        : 'its eth_simulateV1 does not override the state and the block';
    }
    if (payments.length !== 2)
      return 'its eth_simulateV1 does not report transfers of the native token';
    const { error } = await traceTrade(source, scenario);
    return error && `its debug_traceCall does not override the state and the block (${error})`;
  } catch (error) {
    if (error instanceof JsonRpcError) return `it failed: ${error.message}`;
    if (error instanceof NodeLossError) return `it ${error.reason}`;
    throw error;
  }
}

/** More gas than a small trade uses. */
const MAX_GAS_OF_TRADE = 100_000n;

/** Returns instructions that call an account with all gas. They run on any chain. */
const callTo = (account: Address) => `6000600060006000600073${account.slice(2)}5af1`;

/**
 * Returns code that sends the received value back if it runs in the given block with at least the
 * given gas. Otherwise it reverts with its gas. The code runs on any chain.
 */
function codeFor(blockNumber: number, gas: bigint): Hex {
  const hex = (value: bigint | number, bytes: number) =>
    value.toString(16).padStart(2 * bytes, '0');
  const isBlock = `4367${hex(blockNumber, 8)}14`;
  const hasGas = `63${hex(gas, 4)}5a11`;
  const payBack = '600060006000600034335af1';
  const revert = '5a60005260206000fd';
  return `0x${isBlock}${hasGas}16${payBack}16602c57${revert}5b00`;
}
