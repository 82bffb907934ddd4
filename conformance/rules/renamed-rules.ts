/**
 * Current ids of rules by their former ids, which options, waivers and stored reports may contain.
 */
export const RENAMED: ReadonlyMap<string, string> = new Map([
  ['chain-info/asked-chain-id', 'chain-info/requested-chain-id'],
  ['chain-info/asked-chain-id-lenience', 'chain-info/requested-chain-id-lenience'],
  ['chain-info/chain-asked-for', 'chain-info/chain-as-requested'],
  ['relation/chains-apart', 'relation/chains-distinct'],
  ['relation/rfq-apart', 'relation/rfq-distinct'],
  ['swap/calldata-as-asked', 'swap/calldata-as-requested'],
  ['swap/exact-output-answered', 'swap/exact-output-planned'],
  ['swap/no-calldata-unasked', 'swap/calldata-only-if-requested'],
  ['tokens/asked-chain-id', 'tokens/requested-chain-id'],
  ['tokens/asked-chain-id-lenience', 'tokens/requested-chain-id-lenience'],
]);

/**
 * Returns the current id of a rule.
 *
 * @example currentRuleId('relation/rfq-apart') // 'relation/rfq-distinct'
 */
export function currentRuleId(id: string): string {
  return RENAMED.get(id) ?? id;
}
