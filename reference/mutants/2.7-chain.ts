import { fieldMutants } from './faults/fields.ts';
import type { MutantTable } from './faults/mutant.ts';
import { everyNth } from './faults/occasions.ts';
import { put } from './faults/put.ts';

/** @see Specification 2.7 and 2.8 */
export const chainMutants: MutantTable = {
  ...fieldMutants({
    rules: 'chain/',
    reply: 'chains',
    path: '*',
    fields: { chainId: ['absent', 'as-text'], name: ['absent', 'as-number'] },
  }),
  ...fieldMutants({
    rules: 'chain-info/',
    reply: 'chainInfo',
    fields: {
      chainId: ['absent', 'as-text'],
      name: ['absent', 'null'],
      usdTokenAddress: ['absent', 'as-array'],
      wrappedNativeTokenAddress: ['absent', 'null'],
      routers: ['absent', 'as-object'],
    },
  }),
  'chain/listed-twice': {
    caughtBy: 'chain/chain-id-unique',
    title: 'one chain comes twice, by two names',
    chains: (list) => [...list, { ...list[0], name: `${list[0]?.name} (archive)` }],
  },
  'chain/name-blank': {
    caughtBy: 'chain/name-not-blank',
    title: 'chains have an empty name',
    chains: put('*', { name: '' }),
  },
  'chains/one-missing-at-times': {
    caughtBy: 'chains/repeat',
    title: 'every second reply lacks the last chain',
    when: everyNth(2, 'chains'),
    chains: (list) => list.slice(0, -1),
  },
  'chain-info/usd-token-unknown': {
    caughtBy: 'lookups/tokens-tradable',
    title: '`usdTokenAddress` is a token that /swap does not know',
    chainInfo: (info) => ({ ...info, usdTokenAddress: `0x${'7'.repeat(40)}` }),
  },
  'chain-info/another-chain': {
    caughtBy: 'chain-info/chain-asked-for',
    title: 'every chain answers as chain 31337',
    chainInfo: (info) => ({ ...info, chainId: 31337 }),
  },
  'chain-info/name-disagrees': {
    caughtBy: 'chain-info/name-as-listed',
    title: '`name` is in capitals, unlike in /chains',
    chainInfo: (info) => ({ ...info, name: info.name.toUpperCase() }),
  },
  'chain-info/usd-token-by-symbol': {
    caughtBy: 'chain-info/usd-token-address-hex',
    title: '`usdTokenAddress` holds a symbol',
    chainInfo: (info) => ({ ...info, usdTokenAddress: 'USDC' }),
  },
  'chain-info/wrapped-native-padded': {
    caughtBy: 'chain-info/wrapped-native-token-address-hex',
    title: '`wrappedNativeTokenAddress` is padded to 32 bytes',
    chainInfo: (info) => {
      const digits = info.wrappedNativeTokenAddress.slice(2);
      info.wrappedNativeTokenAddress = `0x${digits.padStart(64, '0')}`;
    },
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
    title: '`usdTokenAddress` is the native token by 40 times e',
    chainInfo: (info) => ({ ...info, usdTokenAddress: `0x${'e'.repeat(40)}` }),
  },
  'chain-info/usd-token-changes': {
    caughtBy: 'chain-info/repeats',
    title: 'every second reply gives another USD token',
    when: everyNth(2, 'chainInfo'),
    chainInfo: (info) => ({ ...info, usdTokenAddress: info.wrappedNativeTokenAddress }),
  },
};
