/** A chain id. It is a bigint if a double cannot represent it exactly. */
export type ChainId = number | bigint;

/**
 * Stores the exact digits of chain ids above 2^53, keyed by the number to which JSON.parse rounds
 * each id. Code outside the client uses the rounded number. The client writes the exact digits into
 * requests.
 */
export class ChainIds {
  readonly #digits = new Map<string, string>();

  constructor(known: readonly ChainId[] = []) {
    for (const id of known) this.#learn(String(id));
  }

  /** Records the exact digits of all large chain ids in the text of a reply. */
  learnFrom(text: string): void {
    for (const [, digits = ''] of text.matchAll(/"chainId"\s*:\s*(\d{16,80})(?![\d.eE])/g)) {
      this.#learn(digits);
    }
  }

  #learn(digits: string): void {
    const rounded = String(Number(digits));
    if (rounded !== digits && !this.#digits.has(rounded)) this.#digits.set(rounded, digits);
  }

  /**
   * Returns a query, or part of one, in which the chain id has its exact digits.
   *
   * @example
   * new ChainIds([2n ** 53n + 1n]).write('?chainId=9007199254740992')
   * // '?chainId=9007199254740993'
   */
  write(query: string): string {
    if (this.#digits.size === 0) return query;
    return query.replace(
      /(?<=[?&]chainId=)[^&]+/g,
      (id) => this.#digits.get(id.replace(/%2b/i, '+')) ?? id,
    );
  }
}
