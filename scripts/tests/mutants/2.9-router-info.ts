import type { MutantTable } from './faults/mutant.ts';
import { everyNth } from './faults/occasions.ts';
import { put } from './faults/put.ts';

/** @see Specification 2.9 */
export const routerInfoMutants: MutantTable = {
  'router-info/makers-unasked': {
    caughtBy: 'route/name-among-sources',
    title: 'plans use market makers for any `useRfq`',
    query: (query) => query.set('useRfq', 'true'),
  },
  'router-info/source-unlisted': {
    caughtBy: 'route/name-among-sources',
    title: 'a source is used but not listed',
    chainInfo: put('routers.*', ({ liquiditySources }) => ({
      liquiditySources: liquiditySources.filter((name) => name !== 'UniswapV3'),
    })),
  },
  'router-info/encoder-denied': {
    caughtBy: 'router-info/encoder-as-used',
    title: '`hasEncoder` is false everywhere, but calldata is returned',
    chainInfo: put('routers.*', { hasEncoder: false }),
  },
  'router-info/default-router-unlisted': {
    caughtBy: 'swap-response/router-available',
    title: 'default-router returns plans but is not listed',
    chainInfo: (info) => {
      info.routers = info.routers.filter(({ name }) => name !== 'default-router');
    },
  },
  'router-info/address-changes': {
    caughtBy: 'router-info/repeats',
    title: 'every second reply has another address for a router',
    when: everyNth(2, 'chainInfo'),
    chainInfo: put('routers.0', (_, { usdTokenAddress }) => ({
      deployedAddress: usdTokenAddress,
    })),
  },
};
