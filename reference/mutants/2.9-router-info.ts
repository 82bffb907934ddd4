import { fieldMutants } from './faults/fields.ts';
import type { MutantTable } from './faults/mutant.ts';
import { everyNth } from './faults/occasions.ts';
import { put } from './faults/put.ts';

/** @see Specification 2.9 */
export const routerInfoMutants: MutantTable = {
  ...fieldMutants({
    rules: 'router-info/',
    reply: 'chainInfo',
    path: 'routers.*',
    fields: {
      name: [
        'absent',
        { slug: 'off-the-enumeration', is: 'a fourth name', of: (name) => `${name}-v2` },
      ],
      liquiditySources: [
        'absent',
        { slug: 'joined', is: 'one text', of: String },
        { slug: 'as-objects', is: 'an array of objects', of: (names) => [{ name: `${names}` }] },
      ],
      deployedAddress: ['absent', 'null'],
      tokenProxyAddress: ['null', { slug: 'as-boolean', is: 'false', always: false }],
      hasEncoder: ['absent', 'as-text', { slug: 'as-number', is: '0 or 1', of: Number }],
    },
  }),
  'router-info/listed-twice': {
    caughtBy: 'router-info/name-unique',
    title: 'a router is listed once more at the end',
    chainInfo: (info) => ({ ...info, routers: [...info.routers, info.routers[0]] }),
  },
  'router-info/deployed-address-cut': {
    caughtBy: 'router-info/deployed-address-hex',
    title: '`deployedAddress` of default-router is shortened for display',
    chainInfo: put('routers.0', ({ deployedAddress }) => ({
      deployedAddress: `${deployedAddress.slice(0, 8)}...`,
    })),
  },
  'router-info/deployed-nowhere': {
    caughtBy: 'router-info/deployed-somewhere',
    title: '`deployedAddress` of the last router is zero',
    chainInfo: put('routers.-1', { deployedAddress: `0x${'0'.repeat(40)}` }),
  },
  'router-info/token-proxy-empty': {
    caughtBy: 'router-info/token-proxy-address-hex',
    title: '`tokenProxyAddress` is an empty text where there is none',
    chainInfo: put('routers.*', ({ tokenProxyAddress = '' }) => ({ tokenProxyAddress })),
  },
  'router-info/source-twice': {
    caughtBy: 'router-info/sources-unique',
    title: 'a source is listed once more at the end',
    chainInfo: put('routers.*', ({ liquiditySources: sources }) => ({
      liquiditySources: [...sources, sources[0] ?? ''],
    })),
  },
  'router-info/makers-unasked': {
    caughtBy: 'route/name-among-sources',
    title: 'plans use market makers, whatever `useRfq` says',
    query: (query) => query.set('useRfq', 'true'),
  },
  'router-info/source-unlisted': {
    caughtBy: 'route/name-among-sources',
    title: 'a source is used and not listed',
    chainInfo: put('routers.*', ({ liquiditySources }) => ({
      liquiditySources: liquiditySources.filter((name) => name !== 'UniswapV3'),
    })),
  },
  'router-info/encoder-denied': {
    caughtBy: 'router-info/encoder-as-used',
    title: '`hasEncoder` is false everywhere, and calldata comes all the same',
    chainInfo: put('routers.*', { hasEncoder: false }),
  },
  'router-info/default-router-unlisted': {
    caughtBy: 'swap-response/router-available',
    title: 'default-router answers plans and is not listed',
    chainInfo: (info) => {
      info.routers = info.routers.filter(({ name }) => name !== 'default-router');
    },
  },
  'router-info/address-changes': {
    caughtBy: 'router-info/repeats',
    title: 'every second reply gives another address of a router',
    when: everyNth(2, 'chainInfo'),
    chainInfo: put('routers.0', (_, { usdTokenAddress }) => ({
      deployedAddress: usdTokenAddress,
    })),
  },
};
