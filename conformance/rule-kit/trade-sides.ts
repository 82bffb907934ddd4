/** The two sides of a trade, by their names on the wire. */
export const SIDES = [
  { side: 'sell', parameter: 'sellToken', flag: 'wrapFromNative', otherFlag: 'unwrapToNative' },
  { side: 'buy', parameter: 'buyToken', flag: 'unwrapToNative', otherFlag: 'wrapFromNative' },
] as const;
