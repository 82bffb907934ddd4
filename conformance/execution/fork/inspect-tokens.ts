import { encodeFunctionData, erc20Abi } from 'viem';
import type { TokenAmount } from '../../model/settlement.ts';
import type { Address } from '../../model/trade-request.ts';
import type { Rpc } from '../node/json-rpc.ts';
import { ampleScenario } from '../scenario/circumstances.ts';
import { readWords } from '../scenario/token-reads.ts';
import { isImpossible } from '../settle/impossible.ts';
import { combine } from '../settle/provision.ts';
import { simulate } from '../settle/simulate.ts';
import type { Fork } from './fork.ts';

const DECIMALS = '0x313ce567';

/** Returns the decimals that tokens report. Omits accounts that report none. */
export async function readDecimals(
  fork: Pick<Fork, 'rpc' | 'readOnce'>,
  tokens: Iterable<Address>,
): Promise<ReadonlyMap<Address, number>> {
  const read = (token: Address) =>
    fork.readOnce(`decimals of ${token}`, () => decimalsOf(fork.rpc, token));
  const found = await Promise.all(
    [...new Set(tokens)].map(async (token) => [token, await read(token)] as const),
  );
  return new Map(
    found.flatMap(([token, decimals]) => (decimals === undefined ? [] : [[token, decimals]])),
  );
}

async function decimalsOf(rpc: Rpc, token: Address): Promise<number | undefined> {
  const [decimals, ...more] = (await readWords(rpc, { to: token, data: DECIMALS })) ?? [];
  return decimals !== undefined && decimals <= 255n && more.length === 0
    ? Number(decimals)
    : undefined;
}

/**
 * Describes, as a phrase, unusual behavior of a token's transfers that may make a plan with correct
 * calldata fail. Gives the user the token, and transfers it to another account. Returns an empty
 * text if nothing is unusual.
 *
 * @example
 * await describeOddity(fork, user, { token, amount: 1000n })
 * // 'the token 0x... keeps 3% of a transfer'
 */
export async function describeOddity(
  fork: Fork,
  user: Address,
  { token, amount }: TokenAmount,
): Promise<string> {
  const failed = (why: string) => `a plain transfer of the token ${token} failed: ${why}`;
  const { witness } = fork.accounts;
  const given = await fork.funding.give(token, user, amount);
  if (isImpossible(given)) return failed(given.why);
  const native = { overrides: { [user]: { balance: 10n ** 20n } }, before: [] };
  const data = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'transfer',
    args: [witness, amount],
  });
  const scenario = ampleScenario(fork, {
    chainId: fork.chainId,
    time: fork.nextBlockTime(),
    ...combine(native, given),
    trade: { from: user, to: token, value: 0n, data },
    measured: { tokens: [token], holders: [user, witness] },
  });
  const { outcome, reason = 'it reverted', changes } = await simulate(fork, scenario);
  if (outcome !== 'settled') return failed(reason);
  const changeOf = (account: Address) => {
    const change = changes.find(({ holder }) => holder === account);
    return change === undefined ? 0n : change.amount;
  };
  const [lost, received] = [changeOf(user), changeOf(witness)];
  if (lost === undefined || received === undefined) return `the token ${token} reports no balance`;
  if (received < amount) {
    const percent = Number(((amount - received) * 10_000n) / amount) / 100;
    return `the token ${token} keeps ${percent}% of a transfer`;
  }
  return -lost === amount
    ? ''
    : `the token ${token} takes ${-lost} from a holder who sends ${amount}`;
}
