/** A chain id, as a user writes it; a bigint if a double cannot represent it. */
export type ChainId = number | bigint;

/**
 * The exact digits of chain ids above 2^53, keyed by the number to which JSON.parse rounds them.
 * Code outside the client uses that number, and requests contain the digits.
 */
export class ChainIds {
  readonly #digits = new Map<string, string>();

  constructor(known: readonly ChainId[] = []) {
    for (const id of known) this.#learn(String(id));
  }

  /** Collects the ids in the text of a reply. */
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
   * Returns a query, or a part of one, with the exact digits of its chain.
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
