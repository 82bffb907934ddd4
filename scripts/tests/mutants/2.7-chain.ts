import type { MutantTable } from './faults/mutant.ts';
import { everyNth } from './faults/occasions.ts';

/** @see Specification 2.7 and 2.8 */
export const chainMutants: MutantTable = {
  'chains/one-missing-at-times': {
    caughtBy: 'chains/repeat',
    title: 'every second reply lacks the last chain',
    when: everyNth(2, 'chains'),
    chains: (list) => list.slice(0, -1),
  },
  'chain-info/another-chain': {
    caughtBy: 'chain-info/chain-as-requested',
    title: 'every chain has the `chainId` 31337',
    chainInfo: (info) => ({ ...info, chainId: 31337 }),
  },
  'chain-info/wrapped-native-of-another-token': {
    caughtBy: 'swap/sell-token-echoed',
    title: '`wrappedNativeTokenAddress` is the USD token',
    chainInfo: (info) => ({ ...info, wrappedNativeTokenAddress: info.usdTokenAddress }),
  },
  'chain-info/usd-token-of-another-token': {
    caughtBy: 'token/usd-token-price',
    title: '`usdTokenAddress` is the wrapped native token',
    chainInfo: (info) => ({ ...info, usdTokenAddress: info.wrappedNativeTokenAddress }),
  },
  'chain-info/usd-token-native': {
    caughtBy: 'token/usd-token-price',
    title: '`usdTokenAddress` is the native token as 40 times e',
    chainInfo: (info) => ({ ...info, usdTokenAddress: `0x${'e'.repeat(40)}` }),
  },
  'chain-info/usd-token-changes': {
    caughtBy: 'chain-info/repeats',
    title: 'every second reply has another USD token',
    when: everyNth(2, 'chainInfo'),
    chainInfo: (info) => ({ ...info, usdTokenAddress: info.wrappedNativeTokenAddress }),
  },
};
