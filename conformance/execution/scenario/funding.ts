import { encodeFunctionData, type Hex, maxUint256, toHex } from 'viem';
import type { Overrides } from '../../model/scenario.ts';
import type { Address } from '../../model/trade-request.ts';
import { type Rpc, undefinedIfRejected } from '../node/json-rpc.ts';
import { once, type Results } from '../node/once.ts';
import { readLatestLogs } from '../node/read-logs.ts';
import { type Impossible, impossible } from '../settle/impossible.ts';
import { readHeld } from '../settle/measured-balances.ts';
import { combine, type Provision } from '../settle/provision.ts';
import type { Approval } from './approvals.ts';
import { type Mapping, mappingOf, type Slot, slotIn, slotsRead } from './storage-slots.ts';
import {
  allowanceRead,
  balanceRead,
  type Read,
  readWords,
  supplyRead,
  TOKEN_ABI,
} from './token-reads.ts';

/** `Transfer(address indexed from, address indexed to, uint256 value)` */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const MAX_TRANSFER_AGE_BLOCKS = 1_000;
const MAX_HOLDERS = 32;
const RECOGNIZABLE_AMOUNT = 0x1234_5678_9abc_def0n;
/** Times by which the amount that is read back exceeds the given one, so that few are read back. */
const VERIFIED_TIMES = 1_000n;
const LAYOUT_PROBE_ACCOUNTS: readonly Address[] = ['05a1', '05a2', '05a3'].map(
  (end): Address => `0x7a${'c3'.repeat(17)}${end}`,
);
/** Maximum allowance, which tokens treat as unlimited. */
const UNLIMITED = maxUint256;
const MAX_UINT160 = (1n << 160n) - 1n;
const MAX_UINT48 = (1n << 48n) - 1n;
/**
 * Possible ratios of the value in a slot to the balance. Rebasing tokens store shares, which are
 * worth more or less than one unit.
 */
const SHARES_PER_UNIT = [0n, 1n, 16n, 64n, 96n, 128n, 160n, 192n].map((bits) => 1n << bits);

/** Creates provisions, which give accounts tokens and approvals in scenarios on one chain. */
export class Funding {
  readonly #rpc: Rpc;
  /** Slots and supplies, by what they belong to. */
  readonly #reads: Results = new Map();

  constructor(rpc: Rpc) {
    this.#rpc = rpc;
  }

  /**
   * Returns a provision that gives an account a token: exactly the given amount or, if that is
   * impossible, the smallest larger one. Returns the reason if no amount is possible. Never
   * takes tokens from `parties`, which take part in the trade.
   */
  async give(
    token: Address,
    account: Address,
    amount: bigint,
    parties: ReadonlySet<Address> = new Set(),
  ): Promise<Provision | Impossible> {
    const readOf = ([holder]: readonly Address[]) => balanceRead(token, holder ?? account);
    const read = readOf([account]);
    const holds = (held: readonly bigint[] | undefined) => (held?.[0] ?? 0n) >= amount;
    const sought = amount === 0n ? RECOGNIZABLE_AMOUNT : amount;
    const found = await this.#slotOf(`balance ${token}`, [account], readOf, async (slot, probe) => {
      const word = await this.#wordFor(slot, probe, sought);
      if (word === undefined) return undefined;
      const packedAt = await this.#packedAt(slot, probe, { amount: sought, word });
      return { packedAt, verified: word === sought ? sought : 0n };
    });
    const word = found && (await this.#wordIn(found, read, amount));
    if (found !== undefined && word !== undefined) {
      return { overrides: written(found.slot, word), before: [] };
    }
    const native = { [account]: { balance: amount } };
    if (holds(await readWords(this.#rpc, read, native))) return { overrides: native, before: [] };
    return this.#takeFromHolder(token, account, amount, parties);
  }

  /**
   * Returns a provision that approves a router for an amount of an account's token. Default: any
   * amount.
   */
  async approve(
    token: Address,
    owner: Address,
    { router, spender, viaPermit2 }: Approval,
    amount: bigint = UNLIMITED,
  ): Promise<Provision> {
    if (!viaPermit2) return this.#allow(token, [owner, spender], amount);
    const most = amount < MAX_UINT160 ? amount : MAX_UINT160;
    return combine(
      await this.#allow(token, [owner, spender], UNLIMITED),
      await this.#allow(spender, [owner, token, router], most),
    );
  }

  /** Returns the total supply of a token, or undefined if the token does not report it. */
  supplyOf(token: Address): Promise<bigint | undefined> {
    return once(this.#reads, `supply ${token}`, async () => {
      const [supply] = (await readWords(this.#rpc, supplyRead(token))) ?? [];
      return supply === 0n ? undefined : supply;
    });
  }

  /**
   * Returns a provision that sets an allowance: at a token, of an owner and a spender; at Permit2,
   * of an owner, a token and a spender.
   */
  async #allow(
    contract: Address,
    accounts: readonly [owner: Address, spender: Address] | readonly [Address, Address, Address],
    amount: bigint,
  ): Promise<Provision> {
    const [owner, first, second] = accounts;
    const isPermit = second !== undefined;
    const slotValueOf = (units: bigint) => (isPermit ? units | (MAX_UINT48 << 160n) : units);
    const readOf = (holders: readonly Address[]) => allowanceRead(contract, holders);
    const marked = slotValueOf(RECOGNIZABLE_AMOUNT);
    const found = await this.#slotOf(
      `allowance ${contract}`,
      accounts,
      readOf,
      async (slot, read) => {
        const [units, expiration] = await this.#readWith(slot, marked, read);
        const isFound = units === RECOGNIZABLE_AMOUNT && (!isPermit || expiration === MAX_UINT48);
        return isFound ? { verified: 0n } : undefined;
      },
    );
    if (found !== undefined)
      return { overrides: written(found.slot, slotValueOf(amount)), before: [] };
    const data = isPermit
      ? encodeFunctionData({
          abi: TOKEN_ABI,
          functionName: 'approve',
          args: [first, second, amount, Number(MAX_UINT48)],
        })
      : encodeFunctionData({ abi: TOKEN_ABI, functionName: 'approve', args: [first, amount] });
    return { overrides: {}, before: [{ from: owner, to: contract, value: 0n, data }] };
  }

  /** Returns the word of a slot for which the account holds the amount, as `#wordFor` does. */
  async #wordIn(
    { slot, layout }: FoundSlot,
    read: Read,
    amount: bigint,
  ): Promise<bigint | undefined> {
    const { packedAt } = layout;
    if (packedAt === undefined) {
      if (amount <= layout.verified) return amount;
      const most = amount * VERIFIED_TIMES;
      const isPlain = layout.verified > 0n && most >> 255n === 0n;
      if (isPlain && (await this.#readWith(slot, most, read))[0] === most) {
        layout.verified = most;
        return amount;
      }
      return this.#wordFor(slot, read, amount);
    }
    const { contract, key } = slot;
    const now = BigInt(await this.#rpc<Hex>('eth_getStorageAt', [contract, key, 'latest']));
    const [held = 0n] = (await readWords(this.#rpc, read)) ?? [];
    const word = now + ((amount - held) << packedAt);
    const isWord = word >= 0n && word >> 256n === 0n;
    return isWord && (await this.#readWith(slot, word, read))[0] === amount ? word : undefined;
  }

  /**
   * Returns the word of a slot for which the account holds the amount, or the smallest possible
   * larger amount. Returns undefined for a word that only adds a bonus to the balance: the account
   * then holds over twice the amount, or more than there is.
   */
  async #wordFor(slot: Slot, read: Read, amount: bigint): Promise<bigint | undefined> {
    for (const shares of SHARES_PER_UNIT) {
      const word = amount * shares;
      if (word >> 255n > 0n) return undefined;
      const [held = 0n] = await this.#readWith(slot, word, read);
      if (held < amount) continue;
      if (held === amount) return word;
      const nearer = (word * amount + held - 1n) / held;
      const [now = 0n] = await this.#readWith(slot, nearer, read);
      const [least, holds] = now >= amount ? [nearer, now] : [word, held];
      const supply = (await this.supplyOf(read.to)) ?? holds;
      return holds <= 2n * amount && (holds === amount || holds <= supply) ? least : undefined;
    }
    return undefined;
  }

  /**
   * Returns the number of bits below an amount in its word if other fields share the word;
   * otherwise undefined.
   */
  async #packedAt(
    slot: Slot,
    read: Read,
    { amount, word }: { readonly amount: bigint; readonly word: bigint },
  ): Promise<bigint | undefined> {
    const bits = BigInt((word / amount).toString(2).length - 1);
    if (word !== amount << bits) return undefined;
    const [held] = await this.#readWith(slot, word ^ (bits === 0n ? 1n << 255n : 1n), read);
    return held === amount ? bits : undefined;
  }

  /**
   * Searches for a mapping once, with accounts that take part in no trade. Searches for any other
   * slot separately for each account.
   */
  #slotOf(
    kind: string,
    accounts: readonly Address[],
    readOf: (accounts: readonly Address[]) => Read,
    check: Check,
  ): Promise<FoundSlot | undefined> {
    const find = (holders: readonly Address[]) => this.#findSlot(holders, readOf(holders), check);
    return once(this.#reads, [kind, ...accounts].join(' '), async () => {
      const probes = LAYOUT_PROBE_ACCOUNTS.slice(0, accounts.length);
      const found = await once(this.#reads, kind, () => find(probes));
      return found?.slot.mapping === undefined
        ? find(accounts)
        : { ...found, slot: slotIn(found.slot.mapping, accounts) };
    });
  }

  async #findSlot(
    accounts: readonly Address[],
    read: Read,
    check: Check,
  ): Promise<FoundSlot | undefined> {
    // The last slot read is usually the result. Earlier slots are the state of a proxy, or lists of
    // accounts.
    const slots = ((await undefinedIfRejected(slotsRead(this.#rpc, read))) ?? []).toReversed();
    const likely = slots.flatMap((slot): readonly MappedSlot[] => {
      const mapping = mappingOf(slot, accounts);
      return mapping === undefined ? [] : [{ ...slot, mapping }];
    });
    const shared =
      likely.length > 0 && likely.length === slots.length
        ? []
        : await this.#slotsOfOthers(accounts, read);
    const others = slots.filter(
      (slot) =>
        ![...likely, ...shared].some(
          (each) => each.key === slot.key && each.contract === slot.contract,
        ),
    );
    for (const slot of [...likely, ...others]) {
      const layout = await check(slot, read);
      if (layout !== undefined) return { slot, layout };
    }
    return undefined;
  }

  /** Returns the slots that do not depend on the account, such as the value of a share. */
  async #slotsOfOthers([account = '0x']: readonly Address[], read: Read): Promise<readonly Slot[]> {
    const other = toHex(BigInt(account) ^ 1n, { size: 20 });
    const data = read.data.replace(account.slice(2), other.slice(2)) as Hex;
    return (await undefinedIfRejected(slotsRead(this.#rpc, { ...read, data }))) ?? [];
  }

  async #readWith(slot: Slot, value: bigint, read: Read): Promise<readonly bigint[]> {
    return (await readWords(this.#rpc, read, written(slot, value))) ?? [];
  }

  /** Takes tokens from an account that recently transferred or received some. */
  async #takeFromHolder(
    token: Address,
    account: Address,
    amount: bigint,
    parties: ReadonlySet<Address>,
  ): Promise<Provision | Impossible> {
    const holders = (await this.#recentHolders(token)).filter((holder) => !parties.has(holder));
    const held = await readHeld(this.#rpc, { tokens: [token], holders });
    const [richest] = holders
      .map((holder, index) => ({ holder, units: held[index] ?? 0n }))
      .toSorted((one, other) => Number(other.units - one.units));
    if (richest === undefined || richest.units < amount) {
      return impossible(
        `no storage slot is a balance of ${token}, and no account outside the trade was found that holds ${amount} of it`,
      );
    }
    const data = encodeFunctionData({
      abi: TOKEN_ABI,
      functionName: 'transfer',
      args: [account, amount],
    });
    return { overrides: {}, before: [{ from: richest.holder, to: token, value: 0n, data }] };
  }

  async #recentHolders(token: Address): Promise<readonly Address[]> {
    const latest = Number(await this.#rpc<Hex>('eth_blockNumber'));
    const logs = await readLatestLogs(
      this.#rpc,
      { address: token, topics: [TRANSFER] },
      { latest, blocks: MAX_TRANSFER_AGE_BLOCKS, enough: MAX_HOLDERS },
    );
    const named = logs.toReversed().flatMap(({ topics }) => topics.slice(1, 3));
    const accounts = named.map((topic) => `0x${topic.slice(26)}` as Address);
    return [...new Set(accounts)].filter((each) => BigInt(each) > 0n).slice(0, MAX_HOLDERS);
  }
}

type MappedSlot = Slot & { readonly mapping?: Mapping };

/** How amounts lie in the words of a mapping, or in a single slot. */
type Layout = {
  /** Number of bits below the amount, if other fields share its word. */
  readonly packedAt?: bigint | undefined;
  /** Largest amount that was read back. The word of a smaller amount is the amount itself. */
  verified: bigint;
};
type FoundSlot = { readonly slot: MappedSlot; readonly layout: Layout };

type Check = (slot: MappedSlot, read: Read) => Promise<Layout | undefined>;

function written({ contract, key }: Slot, value: bigint): Overrides {
  return { [contract]: { storage: { [key]: toHex(value, { size: 32 }) } } };
}
