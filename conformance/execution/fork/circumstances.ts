import { toHex } from 'viem';
import { createRandom } from '../../model/random.ts';
import type { BlockFields } from '../../model/scenario.ts';
import type { Address, TradeRequest } from '../../model/trade-request.ts';
import type { Block } from './fork.ts';
import { createStrata } from './strata.ts';

/** Possible differences between two trades of the same plan, besides the accounts. */
export type Circumstances = {
  /** Sold tokens that the user holds: the most that the trade may sell, or more. */
  readonly tokens: 'exact' | 'ample';
  /** Approval of the sold token: the most that the trade may sell, or any amount. */
  readonly approval: 'exact' | 'unlimited';
  /** Native of the user: enough for the gas, or more. */
  readonly native: 'scarce' | 'ample';
  readonly block: BlockDraw;
};

/** Differences between a block and the ordinary one. */
type BlockDraw = {
  /** Blocks between the forked block and the trade's, at least one. */
  readonly between: number;
  /** Base fee in eighths of that of the forked block. */
  readonly feeEighths: bigint;
  readonly coinbase: Address;
  readonly prevRandao: BlockFields['prevRandao'];
};

/** Accounts that make most of the blocks of mainnet. */
const BUILDERS: readonly Address[] = [
  '0x95222290dd7278aa3ddd389cc1e1d165cc4bafe5',
  '0x4838b106fce9647bdf1e7877bf73ce8b0bad5f97',
  '0xdadb0d80178819f2319190d340ce9a924f783711',
  '0x1f9090aae28b8a3dceadf281b0f12828e676c326',
];
const TOKENS = ['exact', 'ample'] as const;
const APPROVALS = ['exact', 'unlimited'] as const;
const NATIVE = ['scarce', 'ample'] as const;
const BLOCKS_BETWEEN = [1, 2] as const;
const FEE_EIGHTHS = [7n, 8n, 9n] as const;

/** Returns a function that draws the circumstances of trades: each is met on every router. */
export function createCircumstances(seed: number): (request: TradeRequest) => Circumstances {
  const random = createRandom(seed);
  const dealTokens = createStrata(TOKENS, seed);
  const dealApproval = createStrata(APPROVALS, seed + 1);
  const dealNative = createStrata(NATIVE, seed + 2);
  const dealBetween = createStrata(BLOCKS_BETWEEN, seed + 3);
  const dealFee = createStrata(FEE_EIGHTHS, seed);
  const dealCoinbase = createStrata(BUILDERS, seed);
  return ({ router, swapKind }) => ({
    tokens: dealTokens(router, swapKind),
    approval: dealApproval(router, swapKind),
    native: dealNative(router, swapKind),
    block: {
      between: dealBetween(router, swapKind),
      feeEighths: dealFee(router),
      coinbase: dealCoinbase(router),
      prevRandao: toHex(BigInt(Math.floor(random() * 2 ** 52)) ** 4n + 1n, { size: 32 }),
    },
  });
}

/** Returns the fields of a block after a given one. */
export function fieldsOf({ block }: Circumstances, forked: Block): BlockFields {
  return {
    number: forked.number + 1 + block.between,
    baseFee: (forked.baseFeePerGas * block.feeEighths) / 8n || 1n,
    coinbase: block.coinbase,
    prevRandao: block.prevRandao,
    gasLimit: forked.gasLimit,
  };
}

/** Circumstances in which nothing is scarce. */
export const AMPLE: Circumstances = {
  tokens: 'ample',
  approval: 'unlimited',
  native: 'ample',
  block: {
    between: 1,
    feeEighths: 8n,
    coinbase: BUILDERS[0] ?? '0x',
    prevRandao: toHex(0x5e1f_c0de_2a6bn ** 5n, { size: 32 }),
  },
};
