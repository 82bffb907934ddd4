import type { ChainState } from '../../model/chain-state.ts';
import { JsonRpcError, quantity, type Rpc } from './json-rpc.ts';
import { serveRpc } from './rpc-server.ts';

type Account = ChainState['accounts'][string];

const FIELDS_BY_METHOD: Readonly<Record<string, keyof Omit<Account, 'storage'>>> = {
  eth_getBalance: 'balance',
  eth_getTransactionCount: 'nonce',
  eth_getCode: 'code',
};
/** A fork does not need these fields of a block, which are by far the largest. */
const LISTS = { transactions: [], uncles: [] } as const;

/** Returns an empty state. */
export function emptyState(chainId: number): ChainState {
  return { kind: 'chain-state', chainId, blocks: {}, accounts: {} };
}

/** Adds the result of a read to a state. */
export function noteRead(
  { blocks, accounts }: ChainState,
  method: string,
  params: readonly unknown[],
  answer: unknown,
): void {
  const [first, second] = params.map((each) => String(each).toLowerCase());
  if (first === undefined) return;
  if (method === 'eth_getBlockByNumber') {
    if (answer === null || !first.startsWith('0x')) return;
    const { withdrawals: _, ...header } = answer as Readonly<Record<string, unknown>>;
    blocks[first] = { ...header, ...LISTS };
    return;
  }
  const field = FIELDS_BY_METHOD[method];
  if (field !== undefined) accounts[first] = { ...accounts[first], [field]: String(answer) };
  if (method !== 'eth_getStorageAt' || second === undefined) return;
  const storage = { ...accounts[first]?.storage, [wordOf(second)]: String(answer) };
  accounts[first] = { ...accounts[first], storage };
}

/** Returns the union of two states of the same block. */
export function joinStates(one: ChainState, other: ChainState): ChainState {
  const accounts = { ...one.accounts };
  for (const [address, { storage, ...rest }] of Object.entries(other.accounts)) {
    const known = accounts[address];
    const slots = { ...known?.storage, ...storage };
    accounts[address] = {
      ...known,
      ...rest,
      ...(Object.keys(slots).length > 0 && { storage: slots }),
    };
  }
  return { ...one, blocks: { ...one.blocks, ...other.blocks }, accounts };
}

/**
 * Serves a saved state as a node to fork from. `missing` returns a requested value that the state
 * lacks.
 */
export async function serveState({ chainId, blocks, accounts }: ChainState) {
  const missing = new Set<string>();
  const latest = Object.keys(blocks).reduce(
    (most, each) => (Number(each) > Number(most) ? each : most),
    '0x0',
  );
  const answers: Readonly<Record<string, (first: string, second: string) => unknown>> = {
    eth_chainId: () => quantity(chainId),
    net_version: () => String(chainId),
    eth_blockNumber: () => latest,
    eth_gasPrice: () => '0x0',
    eth_getBlockByNumber: (tag) => blocks[tag.startsWith('0x') ? tag : latest],
    eth_getBlockByHash: (wanted) => Object.values(blocks).find(({ hash }) => hash === wanted),
    eth_getStorageAt: (account, slot) => accounts[account]?.storage?.[wordOf(slot)],
    ...Object.fromEntries(
      Object.entries(FIELDS_BY_METHOD).map(([method, field]) => [
        method,
        (account: string) => accounts[account]?.[field],
      ]),
    ),
  };
  const rpc: Rpc = async <Result>(method: string, params: readonly unknown[] = []) => {
    const answer = answers[method];
    if (answer === undefined) {
      throw new JsonRpcError(method, { message: 'a saved state does not support this method' });
    }
    const [first = '', second = ''] = params.map((each) => String(each).toLowerCase());
    const value = answer(first, second);
    if (value !== undefined) return value as Result;
    missing.add([method, ...params].join(' '));
    throw new JsonRpcError(method, { message: 'the saved state lacks this value' });
  };
  return { ...(await serveRpc(rpc)), missing: (): readonly string[] => [...missing] };
}

/** Requests may omit the leading zeros of a slot. */
function wordOf(slot: string): string {
  return `0x${slot.replace(/^0x/, '').padStart(64, '0')}`;
}
