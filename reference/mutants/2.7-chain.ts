import { bodyMutant } from './body-mutant.ts';
import { absent, asArray, asNull, asNumber, asObject, asText, fieldMutants } from './fields.ts';
import type { Mutant } from './mutant.ts';
import { everySecond } from './now-and-then.ts';

const shapes: readonly Mutant[] = [
  ...fieldMutants({
    section: '2.7',
    slug: 'chain',
    operation: 'chains',
    path: ['*'],
    rows: [
      ['chainId', absent, asText],
      ['name', absent, asNumber],
    ],
  }),
  ...fieldMutants({
    section: '2.8',
    slug: 'chain-info',
    operation: 'chainInfo',
    path: [],
    rows: [
      ['chainId', absent, asText],
      ['name', absent, asNull],
      ['usdTokenAddress', absent, asArray],
      ['wrappedNativeTokenAddress', absent, asNull],
      ['routers', absent, asObject],
    ],
  }),
];

const values: readonly Mutant[] = [
  bodyMutant(
    'chains',
    'chain/listed-twice',
    '2.7 chainId',
    'chain/chain-id-unique',
    'one chain comes twice, by two names',
    (list) => {
      const [first] = list;
      if (first) list.push({ ...first, name: `${first.name} (archive)` });
    },
  ),
  bodyMutant(
    'chains',
    'chain/name-blank',
    '2.7 name',
    'chain/name-not-blank',
    'chains have an empty name',
    (list) => {
      for (const chain of list) chain.name = '';
    },
  ),
  bodyMutant(
    'chainInfo',
    'chain-info/usd-token-unknown',
    '1.4 lookups',
    'lookups/tokens-tradable',
    '`usdTokenAddress` is a token that /swap does not know',
    (info) => {
      info.usdTokenAddress = `0x${'7'.repeat(40)}`;
    },
  ),
  bodyMutant(
    'chainInfo',
    'chain-info/another-chain',
    '2.8 chainId',
    'chain-info/chain-asked-for',
    'every chain answers as chain 31337',
    (info) => {
      info.chainId = 31337;
    },
  ),
  bodyMutant(
    'chainInfo',
    'chain-info/name-disagrees',
    '2.8 name',
    'chain-info/name-as-listed',
    '`name` is in capitals, unlike in /chains',
    (info) => {
      info.name = info.name.toUpperCase();
    },
  ),
  bodyMutant(
    'chainInfo',
    'chain-info/usd-token-by-symbol',
    '2.8 usdTokenAddress',
    'chain-info/usd-token-address-hex',
    '`usdTokenAddress` holds a symbol',
    (info) => {
      info.usdTokenAddress = 'USDC';
    },
  ),
  bodyMutant(
    'chainInfo',
    'chain-info/wrapped-native-padded',
    '2.8 wrappedNativeTokenAddress',
    'chain-info/wrapped-native-token-address-hex',
    '`wrappedNativeTokenAddress` is padded to 32 bytes',
    (info) => {
      const digits = info.wrappedNativeTokenAddress.slice(2);
      info.wrappedNativeTokenAddress = `0x${digits.padStart(64, '0')}`;
    },
  ),
  bodyMutant(
    'chainInfo',
    'chain-info/wrapped-native-of-another-token',
    '2.8 wrappedNativeTokenAddress',
    'swap/sell-token-echoed',
    '`wrappedNativeTokenAddress` is the USD token',
    (info) => {
      info.wrappedNativeTokenAddress = info.usdTokenAddress;
    },
  ),
  bodyMutant(
    'chainInfo',
    'chain-info/usd-token-of-another-token',
    '2.8 usdTokenAddress',
    'token/usd-token-price',
    '`usdTokenAddress` is the wrapped native token',
    (info) => {
      info.usdTokenAddress = info.wrappedNativeTokenAddress;
    },
  ),
];

const repetition: readonly Mutant[] = [
  {
    id: 'chains/one-missing-at-times',
    clause: '1.5 read only',
    caughtBy: 'chains/repeat',
    title: 'every second reply lacks the last chain',
    middleware: everySecond('chains', (list) => list.slice(0, -1)),
  },
  {
    id: 'chain-info/usd-token-changes',
    clause: '4.4 details',
    caughtBy: 'chain-info/repeats',
    title: 'every second reply tells another USD token',
    middleware: everySecond('chainInfo', (info) => {
      info.usdTokenAddress = info.wrappedNativeTokenAddress;
    }),
  },
];

/** @see Specification 2.7 and 2.8 */
export const chainMutants: readonly Mutant[] = [...shapes, ...values, ...repetition];
