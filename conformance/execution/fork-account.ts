import type { Address } from '../model/trade-request.ts';
import { type Approval, approvalCalls } from './approvals.ts';
import {
  balanceOf,
  emptyToken,
  fundToken,
  setNative,
  type TakenTokens,
  takeAll,
  takeToken,
} from './funding.ts';
import type { Rpc } from './json-rpc.ts';
import { undefinedIfNodeFailed } from './node-losses.ts';
import { mineAll } from './send.ts';

const NATIVE_FUNDS = 10n ** 24n;
/** Factor of the funding, so that larger trades of the same token need no further one. */
const FUNDED_TIMES = 4n;

/**
 * An account on a fork that is funded and approved for trades, each token once. Its balances are read
 * once, since every trade is reverted.
 */
export class ForkAccount {
  /** Tokens that were taken from a holder, because they could not be created. */
  readonly taken = new Map<Address, TakenTokens>();
  readonly #address: Address;
  readonly #held = new Map<Address, bigint>();
  readonly #approved = new Set<string>();
  readonly #unavailable = new Map<Address, string>();
  /** Tokens that `takeAll` is known to take completely. */
  readonly #takable = new Set<Address>();
  #isReady = false;

  constructor(address: Address) {
    this.#address = address;
  }

  /** Funds the account, approves the routers, and returns the reason for each missing token. */
  async prepare(
    rpc: Rpc,
    needs: ReadonlyMap<Address, bigint>,
    approvals: readonly Approval[],
    holders: ReadonlyMap<Address, readonly Address[]>,
  ): Promise<ReadonlyMap<Address, string>> {
    if (!this.#isReady) {
      await rpc('anvil_impersonateAccount', [this.#address]);
      await setNative(rpc, this.#address, NATIVE_FUNDS);
      this.#isReady = true;
    }
    await this.#approveAll(rpc, needs.keys(), approvals);
    for (const [token, amount] of needs) {
      const give = () => this.#give(rpc, token, amount, holders.get(token) ?? []);
      if ((await undefinedIfNodeFailed(give)) !== true) {
        this.#unavailable.set(token, `no way was found to give the user ${amount} of ${token}`);
      }
    }
    return this.#unavailable;
  }

  /** Gives the account `amount` of a token unless it holds enough; returns whether it now does. */
  async fund(rpc: Rpc, token: Address, needed: bigint, amount = needed): Promise<boolean> {
    if ((this.#held.get(token) ?? -1n) >= needed) return true;
    this.#held.delete(token);
    const funded = await fundToken(rpc, token, this.#address, amount);
    if (funded !== undefined) this.#held.set(token, funded);
    return funded !== undefined;
  }

  /** Takes all of a token from the account; the caller reverts that. */
  async empty(rpc: Rpc, token: Address): Promise<void> {
    if ((await this.#heldOf(rpc, token)) === 0n) return;
    if (this.#takable.has(token)) await takeAll(rpc, token, this.#address);
    else if (await emptyToken(rpc, token, this.#address)) this.#takable.add(token);
  }

  async #heldOf(rpc: Rpc, token: Address): Promise<bigint | undefined> {
    const amount = this.#held.get(token) ?? (await balanceOf(rpc, token, this.#address));
    if (amount !== undefined) this.#held.set(token, amount);
    return amount;
  }

  async #approveAll(rpc: Rpc, tokens: Iterable<Address>, approvals: readonly Approval[]) {
    const wanted = [...tokens].flatMap((token) =>
      approvals.flatMap((approval) =>
        approvalCalls(token, approval).map((call) => ({ token, call })),
      ),
    );
    // Routers may share a spender, and a token may reject a second approval.
    const calls = wanted.filter(({ call: { to, data } }) => {
      const key = `${to} ${data}`;
      return !this.#approved.has(key) && this.#approved.add(key);
    });
    if (calls.length === 0) return;
    const failed = new Set(
      await mineAll(
        rpc,
        this.#address,
        calls.map(({ call }) => call),
      ),
    );
    for (const { token, call } of calls) {
      if (failed.has(call)) this.#unavailable.set(token, `${token} rejects an approval`);
    }
  }

  async #give(
    rpc: Rpc,
    token: Address,
    amount: bigint,
    holders: readonly Address[],
  ): Promise<boolean> {
    const before = (await this.#heldOf(rpc, token)) ?? -1n;
    if (before >= amount) return true;
    if (this.taken.has(token)) return before > 0n;
    if (await this.fund(rpc, token, amount, amount * FUNDED_TIMES)) return true;
    const given = await takeToken(rpc, token, this.#address, amount, holders);
    this.#held.delete(token);
    if (given !== undefined) this.taken.set(token, given);
    return given !== undefined;
  }
}
