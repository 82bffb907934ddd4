import type { Address } from '../model/trade-request.ts';
import { fundToken } from './funding.ts';
import type { Rpc } from './json-rpc.ts';

/** An account on a fork that is given tokens, each once. Its balances are read once. */
export class ForkAccount {
  readonly #address: Address;
  readonly #held = new Map<Address, bigint>();

  constructor(address: Address) {
    this.#address = address;
  }

  /** Gives the account `amount` of a token unless it holds enough; returns whether it now does. */
  async fund(rpc: Rpc, token: Address, amount: bigint): Promise<boolean> {
    if ((this.#held.get(token) ?? -1n) >= amount) return true;
    this.#held.delete(token);
    const funded = await fundToken(rpc, token, this.#address, amount);
    if (funded !== undefined) this.#held.set(token, funded);
    return funded !== undefined;
  }
}
