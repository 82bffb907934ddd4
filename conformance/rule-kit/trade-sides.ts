import { objectsAt } from './reply-values.ts';

/** The two sides of a trade, by their names on the wire. */
export const SIDES = [
  {
    side: 'sell',
    parameter: 'sellToken',
    flag: 'wrapFromNative',
    otherFlag: 'unwrapToNative',
    find: objectsAt('sell'),
  },
  {
    side: 'buy',
    parameter: 'buyToken',
    flag: 'unwrapToNative',
    otherFlag: 'wrapFromNative',
    find: objectsAt('buy'),
  },
] as const;
