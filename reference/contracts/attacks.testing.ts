import {
  type Abi,
  encodeFunctionData,
  type Hex,
  type Address as ViemAddress,
  zeroAddress,
} from 'viem';
import {
  compileContracts,
  readSources,
  UNOPTIMIZED,
} from '../../scripts/build/compile-contracts.ts';
import { addressOf, deploymentOf, GRAPH_ROUTERS } from './settlement.testing.ts';
import { routerAbi, type Sent, startTestChain } from './test-chain.testing.ts';

/** Who has approved every router and proxy, and never signs anything. */
export const VICTIM: ViemAddress = '0x00000000000000000000000000000000000771c7';
export const ATTACKER: ViemAddress = '0x00000000000000000000000000000000000bad00';
/** What either has of `coin` and of `other`. */
export const WEALTH = 1_000_000_000n;

export const ROUTER = 0xfen;
export const RECEIVER = 0xffn;

const FAR = 1n << 40n;

/** The fixture chain with a victim and an attacker on it. */
export type AttackChain = Awaited<ReturnType<typeof startAttackChain>>;

/** Starts the fixture chain, where victim and attacker hold two tokens and have approved our routers. */
export async function startAttackChain() {
  const contracts = compileContracts(
    readSources(new URL('attacks/', import.meta.url)),
    UNOPTIMIZED,
  );
  const chain = await startTestChain();
  const [coin, other] = [addressOf(chain.market, 'USDC'), addressOf(chain.market, 'DAI')];
  for (const token of [coin, other]) {
    for (const owner of [VICTIM, ATTACKER]) {
      await chain.deal(token, owner, WEALTH);
      for (const name of GRAPH_ROUTERS) {
        const { address, tokenProxy } = deploymentOf(chain.market, name);
        await chain.approve(token, owner, tokenProxy ?? address);
      }
    }
  }
  const contractOf = (name: string) => {
    const contract = contracts.get(name);
    if (contract === undefined) throw new Error(`no contract ${name}`);
    return { abi: contract.abi as Abi, bytecode: contract.bytecode };
  };
  let snapshot: Hex | undefined;
  return {
    chain,
    coin,
    other,
    abiOf: (name: string) => contractOf(name).abi,
    deploy: (name: string, args: readonly unknown[] = []): Promise<ViemAddress> => {
      const { abi, bytecode } = contractOf(name);
      return chain.deploy(abi, bytecode, args);
    },
    holdings: async (account: ViemAddress) => ({
      coin: await chain.balanceOf(coin, account),
      other: await chain.balanceOf(other, account),
    }),
    /** Returns what tries an order of the attacker's at a router: what becomes of one, or of the same to sell and to buy. */
    trialOf: (router: ViemAddress, { value = 0n } = {}) => {
      const one = async (...terms: Parameters<typeof order>): Promise<string> =>
        nameOf(await chain.send(ATTACKER, router, order(...terms), { value }));
      const both = async (...terms: Tail<Parameters<typeof order>>) => [
        await one('sellExactly', ...terms),
        await one('buyExactly', ...terms),
      ];
      return { one, both };
    },
    /** Undoes all that was done since the first call. */
    async startAnew() {
      if (snapshot !== undefined) await chain.rpc('evm_revert', [snapshot]);
      snapshot = await chain.rpc<Hex>('evm_snapshot');
    },
  };
}

type Tail<All extends readonly unknown[]> = All extends readonly [unknown, ...infer Rest]
  ? Rest
  : never;

/** A swap as the routers read it. */
export function swap(
  pool: ViemAddress,
  fields: {
    in?: bigint;
    out?: bigint;
    target?: bigint;
    family?: 'concentrated' | 'constant-product';
    ofVault?: boolean;
    /** The pool is the manager's, whatever `pool` says. */
    ofManager?: { fee: number; tickSpacing: number; isNative?: boolean };
    paidUpstream?: boolean;
    zeroForOne?: boolean;
    share?: bigint;
  } = {},
) {
  const { ofManager } = fields;
  const hop =
    BigInt(pool) |
    ((fields.in ?? 0n) << 160n) |
    ((fields.out ?? 1n) << 168n) |
    ((fields.target ?? RECEIVER) << 176n) |
    (fields.family === 'constant-product' || ofManager ? 0n : 1n << 184n) |
    (fields.paidUpstream ? 1n << 185n : 0n) |
    (fields.zeroForOne === false ? 0n : 1n << 186n) |
    (fields.ofVault ? 1n << 187n : 0n) |
    (ofManager ? 1n << 188n : 0n) |
    (ofManager?.isNative ? 1n << 189n : 0n) |
    (BigInt(ofManager?.fee ?? 0) << 192n) |
    (BigInt(ofManager?.tickSpacing ?? 0) << 216n);
  return { hop, share: fields.share ?? 0n };
}

/** Calldata of an order. */
export function order(
  functionName: 'sellExactly' | 'buyExactly',
  sellAmount: bigint,
  buyAmount: bigint,
  tokens: readonly ViemAddress[],
  swaps: readonly ReturnType<typeof swap>[],
  fields: { recipient?: ViemAddress; deadline?: bigint; unwrap?: boolean } = {},
): Hex {
  const terms = {
    sellAmount,
    buyAmount,
    recipient: fields.recipient ?? zeroAddress,
    deadline: fields.deadline ?? FAR,
    unwrap: fields.unwrap ?? false,
  };
  return encodeFunctionData({ abi: routerAbi, functionName, args: [terms, tokens, swaps] });
}

/** `mined`, or the name of the error that a transaction reverted with. */
export function nameOf(sent: Sent): string {
  return sent.kind === 'reverted' ? sent.error : 'mined';
}
