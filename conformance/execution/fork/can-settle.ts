import type { Hex } from '../../model/scenario.ts';
import type { Address } from '../../model/trade-request.ts';
import { quantity, type Rpc } from '../node/json-rpc.ts';
import { openNode } from '../node/node.ts';
import { gasPriceOf, rejectionOr, simulate, stateOf, transactionOf } from '../settle/simulate.ts';
import { ampleCircumstances, ampleScenario } from './circumstances.ts';
import { CannotSettleError, type RunningSource, readBlock } from './fork.ts';

const USER: Address = '0x00000000000000000000000000000000c0ffee0a';
const CONTRACT: Address = '0x00000000000000000000000000000000c0ffee0b';
const VALUE = 5n;

/**
 * Checks that a node can settle trades on its own chain.
 *
 * @throws {CannotSettleError} if it cannot
 */
export async function checkCanSettle({ chainId, rpcUrl }: RunningSource): Promise<void> {
  const node = openNode(rpcUrl);
  try {
    const why = await whyNotSettled(node.rpc, chainId);
    if (why !== undefined) throw new CannotSettleError(rpcUrl, why);
  } finally {
    node.stop();
  }
}

/**
 * Returns the reason why a node cannot settle trades. Simulates and traces a small trade, which
 * succeeds only if the node overrides the state and the block.
 */
async function whyNotSettled(rpc: Rpc, chainId: number): Promise<string | undefined> {
  const chainBlock = await readBlock(rpc);
  const scenario = ampleScenario(chainBlock, {
    chainId,
    overrides: {
      [USER]: { balance: 10n ** 24n },
      [CONTRACT]: { code: codeFor(ampleCircumstances(chainBlock).fields.number) },
    },
    before: [],
    trade: { from: USER, to: CONTRACT, value: VALUE, data: '0x' },
    measured: { tokens: [], holders: [] },
  });
  const source = { rpc, maxBlockGas: chainBlock.gasLimit };
  const { outcome, reason, payments } = await simulate(source, scenario);
  if (outcome === 'rejected') return `it does not support eth_simulateV1 (${reason})`;
  if (outcome !== 'settled') return 'its eth_simulateV1 does not override the state and the block';
  if (payments.length !== 2)
    return 'its eth_simulateV1 does not report transfers of the native token';
  const { trade, gas, overrides, block } = scenario;
  const options = { tracer: 'callTracer', stateOverrides: stateOf(overrides) };
  const transaction = transactionOf({ ...trade, to: USER }, gas, gasPriceOf(scenario));
  const traced = await rejectionOr(
    rpc<object>('debug_traceCall', [transaction, quantity(block), options]),
  );
  return typeof traced === 'string' ? `it does not support debug_traceCall (${traced})` : undefined;
}

/**
 * Returns code that sends the received value back in the given block, and reverts in any other
 * block. The code runs on any chain.
 */
function codeFor(blockNumber: number): Hex {
  const number = blockNumber.toString(16).padStart(16, '0');
  const payBack = '600060006000600034335af1';
  // Jumps to the end if the block has this number and the payment succeeds.
  return `0x4367${number}14${payBack}16602057${'60006000fd'}5b00`;
}
