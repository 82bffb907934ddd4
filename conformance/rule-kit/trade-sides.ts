import { objectsAt } from './reply-values.ts';

/** The two sides of a trade, with their names in requests and replies. */
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
