import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Address } from '../model/trade-request.ts';
import { type AnvilNode, startAnvil } from './anvil.ts';
import { createRpc } from './json-rpc.ts';
import { simulateTrade } from './simulate-trade.ts';

const CONTRACT: Address = `0x${'c'.repeat(40)}`;
const USER: Address = `0x${'a'.repeat(40)}`;
const BASE_FEE = 7n;

let node: AnvilNode;

beforeAll(async () => {
  node = await startAnvil({ chainId: 31337 });
});
afterAll(() => node.stop());

/** Returns code that reverts if an instruction returns zero, and otherwise stops. */
const revertIfZero = (instruction: string) => `0x${instruction}15600657005b5f5ffd`;

test.each([
  ['PREVRANDAO', '44'],
  ['COINBASE', '41'],
  ['BASEFEE', '48'],
  ['GASPRICE', '3a'],
])(
  'a contract that reverts if %s is zero, as in a simulation -> settles',
  async (_, instruction) => {
    const rpc = createRpc(node.url);
    await rpc('anvil_setCode', [CONTRACT, revertIfZero(instruction)]);
    await rpc('anvil_setBalance', [USER, `0x${(10n ** 18n).toString(16)}`]);
    const block = {
      hash: `0x${'5'.repeat(64)}` as const,
      number: 0,
      timestamp: 0,
      baseFeePerGas: BASE_FEE,
      gasLimit: 30_000_000n,
    };
    const made = await simulateTrade(
      { rpc, block: { ...block, reportsGasLimit: true } },
      {
        user: USER,
        trade: { to: CONTRACT, data: '0x', value: 0n },
        gas: 100_000n,
        timestamp: 4_000_000_000,
        tokens: [],
        holders: [],
      },
    );
    expect(made?.mined).toMatchObject({ success: true });
  },
);
