import { keccak256, stringToBytes } from 'viem';
import { createStratifiedDeal } from '../../generate/deck.ts';
import type { BlockFields, Hex, Scenario } from '../../model/scenario.ts';
import type { Funds } from '../../model/settlement.ts';
import type { Address, TradeRequest } from '../../model/trade-request.ts';
import { TRANSACTION_GAS_CAP } from '../node/gas-cap.ts';

/** A block of the forked chain. */
export type Block = {
  readonly number: number;
  readonly timestamp: number;
  readonly hash: `0x${string}`;
  /** Base fee in wei, never 0. If the chain has no base fees, a default. */
  readonly baseFeePerGas: bigint;
  /** Gas limit, never 0. If the chain's blocks report none, a default. */
  readonly gasLimit: bigint;
  /** True if the chain reports the gas limit of its blocks. */
  readonly reportsGasLimit: boolean;
  /** The block's coinbase. If the chain's blocks report none, accounts that may be coinbases. */
  readonly coinbases: readonly Address[];
};

/** Circumstances, other than the accounts, in which two trades of the same plan may differ. */
export type Circumstances = { readonly funds: Funds; readonly fields: BlockFields };

/** Accounts that build most blocks of mainnet. */
export const BUILDERS: readonly [Address, ...Address[]] = [
  '0x95222290dd7278aa3ddd389cc1e1d165cc4bafe5',
  '0x4838b106fce9647bdf1e7877bf73ce8b0bad5f97',
  '0xdadb0d80178819f2319190d340ce9a924f783711',
  '0x1f9090aae28b8a3dceadf281b0f12828e676c326',
];

/**
 * Returns a function that draws circumstances for trades on a block. Each circumstance occurs on
 * every router. The seed is known to everybody, since it has a default, so whatever a contract
 * could look for is drawn with the salt instead.
 */
export function createCircumstances(
  seed: number,
  salt: string,
): (request: TradeRequest, forked: Block) => Circumstances {
  let drawn = 0;
  // The chain's own coinbases, because any other would show a contract that it is judged.
  const coinbases = new Set<Address>();
  const dealTokens = createStratifiedDeal(['exact', 'ample'] as const, seed);
  const dealApproval = createStratifiedDeal(['exact', 'unlimited'] as const, seed + 1);
  const dealNative = createStratifiedDeal(['scarce', 'ample'] as const, seed + 2);
  const dealBlocksBetween = createStratifiedDeal([1, 2] as const, seed + 3);
  const dealBought = createStratifiedDeal(['none', 'none', 'some'] as const, seed + 4);
  const dealOthers = createStratifiedDeal(['none', 'none', 'approved'] as const, seed + 5);
  const dealFeeEighths = createStratifiedDeal([7n, 8n, 9n] as const, seed);
  const dealCoinbase = createStratifiedDeal([0, 1, 2, 3] as const, seed);
  return ({ router, swapKind }, { number, baseFeePerGas, gasLimit, coinbases: present }) => {
    drawn += 1;
    for (const each of present) coinbases.add(each);
    return {
      funds: {
        tokens: dealTokens(router, swapKind),
        approval: dealApproval(router, swapKind),
        native: dealNative(router, swapKind),
        bought: dealBought(router, swapKind),
        others: dealOthers(router, swapKind),
      },
      fields: {
        number: number + 1 + dealBlocksBetween(router, swapKind),
        baseFee: (baseFeePerGas * dealFeeEighths(router)) / 8n || 1n,
        coinbase: coinbaseAt(dealCoinbase(router), [...coinbases]),
        ...unpredictableFields(`${salt} ${drawn}`),
        gasLimit,
      },
    };
  };
}

/**
 * Returns fields that look random and unrelated to a contract. On a chain, too, it cannot compute
 * one of them from another, from an earlier hash or from the transaction.
 */
function unpredictableFields(
  salt: string,
): Pick<BlockFields, 'prevRandao' | 'parentHash' | 'salt'> {
  const hashFor = (use: string): Hex => keccak256(stringToBytes(`${salt} ${use}`));
  return {
    prevRandao: hashFor('prevrandao'),
    parentHash: hashFor('parent hash'),
    salt: hashFor('salt'),
  };
}

function coinbaseAt(index: number, coinbases: readonly Address[]): Address {
  return coinbases[index % coinbases.length] ?? BUILDERS[0];
}

const AMPLE_FUNDS: Funds = {
  tokens: 'ample',
  approval: 'unlimited',
  native: 'ample',
  bought: 'none',
  others: 'none',
};

/** A chain at one block, and a text that no contract knows. */
export type SaltedBlock = { readonly block: Block; readonly salt: string };

/** Returns ample funds, in an ordinary block soon after the given block. */
export function ampleCircumstances({
  block: { number, hash, baseFeePerGas, gasLimit, coinbases },
  salt,
}: SaltedBlock): Circumstances {
  return {
    funds: AMPLE_FUNDS,
    fields: {
      number: number + 2,
      baseFee: baseFeePerGas || 1n,
      coinbase: coinbaseAt(0, coinbases),
      gasLimit,
      ...unpredictableFields(`${salt} ${hash}`),
    },
  };
}

/** Returns ample circumstances in which the user can repeat a trade often. */
export function repeatableCircumstances(salted: SaltedBlock): Circumstances {
  const { funds, fields } = ampleCircumstances(salted);
  return { funds: { ...funds, tokens: 'repeatable' }, fields };
}

/** Returns enough gas for any trade that a block of the chain can hold. */
export function ampleGas({ gasLimit }: Block): bigint {
  return gasLimit < TRANSACTION_GAS_CAP ? gasLimit : TRANSACTION_GAS_CAP;
}

/** Seconds from a quote to the first block that can include its transaction. */
export const NEXT_BLOCK_S = 15;

/** Returns a scenario with ample gas in an ordinary block soon after the given block. */
export function ampleScenario(
  salted: SaltedBlock,
  rest: Omit<Scenario, 'block' | 'time' | 'fields' | 'gas'> & Partial<Scenario>,
): Scenario {
  const { block } = salted;
  const time = block.timestamp + NEXT_BLOCK_S;
  const { fields } = ampleCircumstances(salted);
  return { block: block.number, time, fields, gas: ampleGas(block), ...rest };
}
